//! Protection: the unit, the relation, and the numbers that they make public.

use inbounds_core::Neighbours;

/// Unit of which the guarantee hides presence or values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivacyUnit {
    /// One row.
    Row,
    /// All rows that share a value of a column, of which a few enter any statistic.
    Column(Contribution),
}

/// Largest contribution of one unit to a statistic: `m` rows, in `g` groups, and `r` rows in each of them.
///
/// A group is one of the public keys that a statistic has numbers for; without keys everything is one group. What is
/// said of one of the three bounds follows from the others: `g <= m`, `r <= m` and `m <= g r`.
///
/// # Example
/// At most two rows in each of at most three groups, and the same with at most five rows in all:
/// ```
/// use inbounds_statistics::Contribution;
/// let two_by_three = Contribution::of_groups(3, 2);
/// assert_eq!((two_by_three.rows(), two_by_three.groups(), two_by_three.rows_per_group()), (6, 3, 2));
/// assert_eq!(Contribution::new(5, 3, 2).rows(), 5);
/// // A statistic without keys has two of its rows.
/// assert_eq!(two_by_three.among(1), Contribution::of_groups(1, 2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Contribution {
    rows: u64,
    groups: u64,
    rows_per_group: u64,
}

impl Contribution {
    /// At most this many rows, in whatever groups.
    ///
    /// # Panics
    /// If there may be none.
    pub fn of_rows(rows: u64) -> Self {
        Self::new(rows, rows, rows)
    }

    /// At most this many groups, and this many rows in each.
    ///
    /// # Panics
    /// If there may be none.
    pub fn of_groups(groups: u64, rows_per_group: u64) -> Self {
        Self::new(u64::MAX, groups, rows_per_group)
    }

    /// All three bounds; `u64::MAX` for none.
    ///
    /// # Panics
    /// If there may be none.
    pub fn new(rows: u64, groups: u64, rows_per_group: u64) -> Self {
        assert!(rows.min(groups).min(rows_per_group) > 0, "a unit contributes something");
        let rows = rows.min(groups.saturating_mul(rows_per_group));
        Self { rows, groups: groups.min(rows), rows_per_group: rows_per_group.min(rows) }
    }

    /// Most rows.
    pub fn rows(self) -> u64 {
        self.rows
    }

    /// Most groups in which rows are.
    pub fn groups(self) -> u64 {
        self.groups
    }

    /// Most rows in one group.
    pub fn rows_per_group(self) -> u64 {
        self.rows_per_group
    }

    /// Contribution to a statistic with this number of groups.
    pub fn among(self, groups: u64) -> Self {
        Self::new(self.rows, self.groups.min(groups.max(1)), self.rows_per_group)
    }

    /// Contribution to `nodes` nodes into which `groups` groups are put together: a node of several groups can have all
    /// rows.
    pub fn in_nodes(self, nodes: u64, groups: u64) -> Self {
        let among = self.among(groups);
        if nodes == groups { among } else { Self::of_rows(among.rows) }
    }

    /// Contribution to the bins of this number of groups: rows of one group can be in several.
    pub fn in_bins(self, groups: u64) -> Self {
        let among = self.among(groups);
        Self { groups: among.rows, ..among }
    }
}

/// Privacy unit, neighbour relation and what they make public.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// Which data sets are neighbours.
    pub neighbours: Neighbours,
    /// One unit apart: unit of what.
    pub unit: PrivacyUnit,
    /// The public number of rows. Only with [`Neighbours::Substitute`] and [`PrivacyUnit::Row`], where neighbours have
    /// equally many rows.
    pub rows: Option<u64>,
}

impl Design {
    /// The number of rows, where it is public: neighbours have equally many.
    pub fn public_rows(&self) -> Option<u64> {
        let fixed = self.neighbours == Neighbours::Substitute && self.unit == PrivacyUnit::Row;
        self.rows.filter(|_| fixed)
    }

    /// Contribution of one unit to a statistic.
    pub fn contribution(&self) -> Contribution {
        match self.unit {
            PrivacyUnit::Row => Contribution::of_rows(1),
            PrivacyUnit::Column(contribution) => contribution,
        }
    }

    /// The largest number of rows that one unit contributes to a statistic.
    pub fn rows_per_unit(&self) -> u64 {
        self.contribution().rows()
    }

    /// The same design where a row counts in up to this many cells, each of another group. Claim: `cells-of-a-set`.
    pub fn in_cells_of_a_row(self, cells: u64) -> Self {
        let of_unit = self.contribution();
        let most = of_unit.rows().saturating_mul(cells);
        Self { unit: PrivacyUnit::Column(Contribution::new(most, most, of_unit.rows())), ..self }
    }

    /// The same design where of a unit's contribution something else is known.
    pub fn with(self, known: impl FnOnce(Contribution) -> Contribution) -> Self {
        match self.unit {
            PrivacyUnit::Row => self,
            PrivacyUnit::Column(contribution) => Self { unit: PrivacyUnit::Column(known(contribution)), ..self },
        }
    }
}
