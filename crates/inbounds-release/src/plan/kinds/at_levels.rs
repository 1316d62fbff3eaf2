//! Statistics that can be measured at levels or in margins.

use inbounds_statistics::Column;

/// Quantities that can be measured at levels or in margins, because they come from sums.
#[derive(Debug, Clone)]
pub(crate) enum AtLevels {
    /// Numbers of rows.
    Counts,
    /// Numbers of rows that add up to the public number of all.
    CountsOfAllRows,
    /// Sums of a column.
    Sums(Column),
    /// Means of a column, with the counts and sums that they come from.
    Means(Column),
}
