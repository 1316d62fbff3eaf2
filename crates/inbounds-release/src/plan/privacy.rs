//! What the plan says about the protection of the data.

use inbounds_core::{Delta, Epsilon, Guarantee, Neighbours, Rational};
use inbounds_data::ContributionBound;
use inbounds_input::document::Spanned;
use inbounds_ledger::{Composition, LedgerUnit};
use inbounds_statistics::PrivacyUnit;

/// The `[privacy]` table: who is protected, against what, and how well.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Privacy {
    /// Whose data one neighbour has and the other has not.
    pub unit: Unit,
    /// Which data sets count as one unit apart.
    pub neighbours: Neighbours,
    /// Public number of rows, at least 1; there exactly for substitution of rows.
    pub rows: Option<Spanned<u64>>,
    /// Epsilon of the whole release, exactly as written, or that it is to be found.
    pub epsilon: Spanned<GrantedEpsilon>,
    /// The part of epsilon that diagnostics have, between 0 and 1, if the plan asks for them; statistics share the rest.
    pub diagnostics: Option<Spanned<Rational>>,
    /// Delta of the whole release, exactly as written; zero, placed at the epsilon, where the plan leaves it out.
    pub delta: Spanned<Delta>,
    /// Which statistics get one vector of noise.
    pub together: Sharing,
    /// The ledger from which the release is paid, as written; see [`Plan::locate`](super::Plan::locate).
    pub ledger: Option<Spanned<String>>,
}

/// The epsilon of a whole release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GrantedEpsilon {
    /// This one.
    Given(Epsilon),
    /// The least that meets what all statistics want; see [`Grants::granted`](crate::Grants::granted).
    Least,
}

/// Which statistics get one vector of noise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sharing {
    /// Those of each of these groups of names; none without any.
    Named(Vec<Spanned<Vec<Spanned<String>>>>),
    /// Those that all err less by it, as far as [`check`](crate::check::check) can tell before rows are read.
    Best,
}

impl Default for Sharing {
    fn default() -> Self {
        Self::Named(Vec::new())
    }
}

impl GrantedEpsilon {
    /// The number, where the plan has one.
    pub fn given(&self) -> Option<&Epsilon> {
        match self {
            Self::Given(epsilon) => Some(epsilon),
            Self::Least => None,
        }
    }
}

impl Privacy {
    /// How what the statistics cost composes where no row can count in all of them.
    pub(crate) fn composition(&self) -> Composition {
        Composition::within_release(&self.unit.protected(), self.neighbours)
    }

    /// What the plan grants as a whole with this epsilon: pure where it grants no delta.
    pub(crate) fn guarantee(&self, epsilon: Epsilon) -> Guarantee {
        if self.delta.value == Delta::ZERO {
            Guarantee::Pure { epsilon }
        } else {
            Guarantee::Approximate { epsilon, delta: self.delta.value.clone() }
        }
    }
}

/// The privacy unit: what neighbouring data sets differ in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// One row.
    Row,
    /// All rows with one value of a column, which are made into one row first.
    OneRow {
        /// The column that names the unit.
        column: Spanned<String>,
    },
    /// All rows with one value of a column.
    Column {
        /// The column that names the unit.
        column: Spanned<String>,
        /// Most rows of one unit that are used, at least 1.
        max_rows: Spanned<u64>,
    },
}

impl Unit {
    /// The column that names the unit; `None` for rows.
    pub fn column(&self) -> Option<&Spanned<String>> {
        match self {
            Self::Row => None,
            Self::Column { column, .. } | Self::OneRow { column } => Some(column),
        }
    }

    /// Who is protected, whatever of it is used.
    pub(crate) fn protected(&self) -> LedgerUnit {
        match self {
            Self::Row => LedgerUnit::Row,
            Self::Column { column, .. } | Self::OneRow { column } => LedgerUnit::Column(column.value.clone()),
        }
    }

    /// What the engine keeps of each unit; `None` where a unit is one row.
    pub(crate) fn bound(&self) -> Option<ContributionBound> {
        match self {
            Self::Row | Self::OneRow { .. } => None,
            Self::Column { column, max_rows } => Some(ContributionBound::of_rows(column.value.clone(), max_rows.value)),
        }
    }

    /// The same without its name, as sensitivities depend on it: one row that is made of a unit's rows is one row.
    pub(crate) fn privacy_unit(&self) -> PrivacyUnit {
        self.bound().map_or(PrivacyUnit::Row, |bound| PrivacyUnit::Column { max_rows: bound.rows })
    }
}
