//! The plan's settings for the protection of the data.

use std::ops::Range;

use inbounds_core::{Delta, Epsilon, Guarantee, Neighbours, Rational};
use inbounds_data::ContributionBound;
use inbounds_input::document::Spanned;
use inbounds_ledger::{Composition, LedgerUnit};
use inbounds_statistics::{Contribution, PrivacyUnit};

use super::MechanismChoice;

/// The `[privacy]` table: who is protected, against what, and how well.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Privacy {
    /// Privacy unit: the data that one neighbour has and the other has not.
    pub unit: Unit,
    /// Place at which the plan says that the unit is not chosen yet. It is checked as if each row were a unit, and is
    /// not released.
    pub undecided: Option<Range<usize>>,
    /// Which data sets count as one unit apart.
    pub neighbours: Neighbours,
    /// Public number of rows, at least 1; there exactly for substitution of rows.
    pub rows: Option<Spanned<u64>>,
    /// Epsilon of the whole release, exactly as written, or that it is to be found.
    pub epsilon: Spanned<GrantedEpsilon>,
    /// The part of epsilon that diagnostics have, between 0 and 1, if the plan asks for them; statistics share the
    /// rest.
    pub diagnostics: Option<Spanned<Rational>>,
    /// Delta of the whole release, exactly as written; zero, placed at the epsilon, where the plan leaves it out.
    pub delta: Spanned<Delta>,
    /// Which statistics get one vector of noise.
    pub together: Sharing,
    /// The mechanism of statistics that name none.
    pub mechanism: MechanismChoice,
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Sharing {
    /// Those of each of these groups of names; none without any.
    Named(Vec<Spanned<Vec<Spanned<String>>>>),
    /// Those that all err less by it, as far as [`check`](crate::check::check) can tell before rows are read.
    #[default]
    Best,
}

impl Sharing {
    /// Each statistic has noise of its own.
    pub const NONE: Self = Self::Named(Vec::new());
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
    /// Composition of the costs of the statistics where no row can count in all of them.
    pub(crate) fn composition(&self) -> Composition {
        Composition::within_release(&self.unit.protected(), self.neighbours)
    }

    /// The plan's grant as a whole with this epsilon: pure where it grants no delta.
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
        /// Limits on the rows of one unit.
        most: MostOfUnit,
    },
    /// Any rows, at most this many: a person with no more rows is protected, and no column says whose rows are whose.
    /// Claim: `any-rows`.
    Rows {
        /// Most rows, at least 1.
        most: Spanned<u64>,
    },
}

/// Limits on the rows of one unit in a statistic: rows in all, groups with rows, and rows in each of these; each at
/// least 1. There are rows in all, or both of the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MostOfUnit {
    /// Most rows in all.
    pub rows: Option<Spanned<u64>>,
    /// Most groups.
    pub groups: Option<Spanned<u64>>,
    /// Most rows in one group.
    pub rows_per_group: Option<Spanned<u64>>,
}

impl MostOfUnit {
    /// Of a unit at most this is used.
    pub fn contribution(&self) -> Contribution {
        let most = |limit: &Option<Spanned<u64>>| limit.as_ref().map_or(u64::MAX, |limit| limit.value);
        Contribution::new(most(&self.rows), most(&self.groups), most(&self.rows_per_group))
    }

    /// `true` if groups are limited, so that statistics by other groups are of other rows.
    pub(crate) fn is_by_group(&self) -> bool {
        self.groups.is_some() || self.rows_per_group.is_some()
    }
}

impl Unit {
    /// The column that names the unit; `None` for rows.
    pub fn column(&self) -> Option<&Spanned<String>> {
        match self {
            Self::Row | Self::Rows { .. } => None,
            Self::Column { column, .. } | Self::OneRow { column } => Some(column),
        }
    }

    /// Limits on the rows of one unit, if there are any.
    pub fn most(&self) -> Option<&MostOfUnit> {
        match self {
            Self::Row | Self::OneRow { .. } | Self::Rows { .. } => None,
            Self::Column { most, .. } => Some(most),
        }
    }

    /// Who is protected, whatever of it is used.
    pub(crate) fn protected(&self) -> LedgerUnit {
        match self {
            Self::Row => LedgerUnit::Row,
            Self::Rows { most } => LedgerUnit::Rows(most.value),
            Self::Column { column, .. } | Self::OneRow { column } => LedgerUnit::Column(column.value.clone()),
        }
    }

    /// The engine's bound on the rows of each unit; `None` where all rows are kept.
    pub(crate) fn bound(&self) -> Option<ContributionBound> {
        match self {
            Self::Row | Self::OneRow { .. } | Self::Rows { .. } => None,
            Self::Column { column, most } => {
                let limit = |limit: &Option<Spanned<u64>>| limit.as_ref().map(|limit| limit.value);
                let (groups, rows_per_group) = (limit(&most.groups), limit(&most.rows_per_group));
                let rows = ContributionBound::of_rows(column.value.clone(), most.contribution().rows());
                Some(ContributionBound { groups, rows_per_group, ..rows })
            }
        }
    }

    /// The same of rows that are no statistic's, and so in no group.
    pub(crate) fn bound_on_rows(&self) -> Option<ContributionBound> {
        self.bound().map(|bound| ContributionBound { groups: None, rows_per_group: None, ..bound })
    }

    /// `true` if a unit has one row in the table that statistics read.
    pub(crate) fn has_one_row(&self) -> bool {
        self.privacy_unit() == PrivacyUnit::Row
    }

    /// The same without its name, as sensitivities depend on it: one row that is made of a unit's rows is one row.
    pub(crate) fn privacy_unit(&self) -> PrivacyUnit {
        match self {
            Self::Row | Self::OneRow { .. } => PrivacyUnit::Row,
            Self::Column { most, .. } => PrivacyUnit::Column(most.contribution()),
            Self::Rows { most } => PrivacyUnit::Column(Contribution::of_rows(most.value)),
        }
    }
}
