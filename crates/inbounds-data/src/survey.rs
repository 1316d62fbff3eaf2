//! A question about the rows themselves: how many were read, and how their cells were read.

use crate::{Bins, ContributionBound, DataError, Keys, Missing, Query};

/// Questions about the rows before any statistic: do they hold what a plan states?
///
/// A survey counts, over all rows without a condition:
///
/// 1. with `rows`, the rows;
/// 2. for each of `listed`, the rows whose cell is one of its keys;
/// 3. for each of `bounded`, the rows whose cell is a number below the bounds, within them, and above them;
/// 4. with `empty`, for each of `listed` and then of `bounded`, the rows without a cell, a null or an empty field, that
///    are not counted in 2 or 3: an empty cell counts there where the missing cell is a key.
///
/// 5. for each of `left_out`, the rows that meet its condition and count in none of its cells, each for one reason, the
///    first that applies of three: the key is [not listed](LeftOut::Unlisted), a needed cell [cannot be
///    read](LeftOut::Unreadable), or a needed cell is [missing](LeftOut::Missing). Counted in the order of
///    [`LeftOut::ALL`].
///
/// Cells are read as a [`Query`](crate::Query) reads them. With a bound, at most `rows` rows of a unit take part,
/// chosen from the unit's own rows alone; so adding or removing a unit of which `m` rows take part moves all counts of
/// 1 to 3 together by at most `m (1 + listed + bounded)`.
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub struct Survey {
    /// True if the rows are counted.
    pub rows: bool,
    /// Keys of one column each.
    pub listed: Vec<Keys>,
    /// Columns of numbers with their bounds.
    pub bounded: Vec<Bounded>,
    /// True if the other rows without a cell are counted.
    pub empty: bool,
    /// Queries, of which the rows are counted that meet the condition and count nowhere. Their bounds on units do not
    /// apply.
    pub left_out: Vec<Query>,
    /// Bound on the rows of one unit.
    pub bound: Option<ContributionBound>,
}

/// Why a row that meets the condition of a query counts in none of its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// A cell whose rule is [`Missing::Drop`](crate::Missing::Drop) holds something that is not of the kind of its
    /// column, and is not listed as missing.
    Unreadable,
    /// Such a cell is empty, or listed as missing.
    Missing,
    /// The key is not listed.
    Unlisted,
}

impl LeftOut {
    /// All reasons, in the order in which a survey counts them.
    pub const ALL: [Self; 3] = [Self::Unreadable, Self::Missing, Self::Unlisted];

    /// The number of a row that is left out for this reason; 0 is a row that is not.
    pub(crate) fn number(self) -> u32 {
        match self {
            Self::Unreadable => 1,
            Self::Missing => 2,
            Self::Unlisted => 3,
        }
    }
}

/// A column of numbers and the bounds that a plan gives it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
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
        usize::from(self.rows)
            + listed
            + 3 * bounded
            + if self.empty { listed + bounded } else { 0 }
            + LeftOut::ALL.len() * self.left_out.len()
    }
}
