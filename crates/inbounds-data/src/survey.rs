//! A question about the rows themselves: how many were read, and how their cells were read.

use crate::{Bins, ContributionBound, DataError, Keys, Missing};

/// What is asked of the rows before any statistic: do they hold what a plan says?
///
/// A survey counts, over all rows without a condition:
///
/// 1. with `rows`, the rows;
/// 2. for each of `listed`, the rows whose cell is one of its keys;
/// 3. for each of `bounded`, the rows whose cell is a number below the bounds, within them, and above them;
/// 4. with `empty`, for each of `listed` and then of `bounded`, the rows without a cell: a null, or an empty field.
///
/// Cells are read as a [`Query`](crate::Query) reads them. With a bound, at most so many rows of a unit take part, chosen from
/// the unit's own rows alone; so adding or removing a unit of `m` rows moves all counts of 1 to 3 together by at most
/// `m (1 + listed + bounded)`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "distributed", derive(serde::Serialize, serde::Deserialize))]
pub struct Survey {
    /// Whether to count the rows.
    pub rows: bool,
    /// Keys of one column each.
    pub listed: Vec<Keys>,
    /// Columns of numbers with their bounds.
    pub bounded: Vec<Bounded>,
    /// Whether to count the rows without a cell.
    pub empty: bool,
    /// Bound on the rows of one unit.
    pub bound: Option<ContributionBound>,
}

/// A column of numbers and the bounds that a plan gives it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "distributed", derive(serde::Serialize, serde::Deserialize))]
pub struct Bounded {
    /// Its name.
    pub column: String,
    /// Lower bound, finite.
    pub lower: f64,
    /// Upper bound, finite and not below the lower one.
    pub upper: f64,
}

/// Bounds are finite, so equality of their doubles is one.
impl Eq for Bounded {}

impl Bounded {
    /// Numbers below, within and above the bounds, both of which are within.
    pub(crate) fn bins(&self) -> Result<Bins, DataError> {
        let (lower, above) = (self.lower, self.upper.next_up());
        // The outer bins take everything beyond their edges.
        Bins::new(&self.column, vec![lower.next_down(), lower, above, above.next_up()], Missing::Drop)
    }
}

impl Survey {
    /// Number of counts in the answer.
    pub fn counts(&self) -> usize {
        let (listed, bounded) = (self.listed.len(), self.bounded.len());
        usize::from(self.rows) + listed + 3 * bounded + if self.empty { listed + bounded } else { 0 }
    }
}
