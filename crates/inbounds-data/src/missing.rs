//! Treatment of rows without a number.

/// Treatment of a row whose value, or number to sort into a bin, is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Missing {
    /// The row does not count: neither in the count nor in any sum of the query.
    Drop,
    /// The row counts with this value: in steps of the grid inside the range of a [`Clip`](crate::Clip), or the number
    /// of a bin, from 0, of [`Bins`](crate::Bins).
    Impute(i64),
}
