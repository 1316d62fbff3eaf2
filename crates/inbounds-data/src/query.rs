//! One typed question: which rows, which keys, which value, how many rows per unit.

use inbounds_core::{Answer, Grid};

use crate::{DataError, Keys};

/// A value of each row, clipped to a public range and rounded to a public grid.
///
/// A row value `v` becomes the integer `clip(v / spacing)` in `[lower, upper]`: scaled by the exact power of two,
/// clipped (infinities too), rounded to the nearest integer, ties to even. A Boolean column counts as 0 and 1. What
/// cannot be read as a number, a null and a NaN are *missing*.
///
/// # Example
/// Incomes of 0 to 200,000 in steps of 1/4:
/// ```
/// use inbounds_core::Grid;
/// use inbounds_data::{Clip, Missing};
/// let grid = Grid::power_of_two(-2)?;
/// let income =
///     Clip { column: "income".into(), lower: 0, upper: 800_000, grid, missing: Missing::Drop };
/// assert_eq!(grid.value(income.upper.into()), 200_000.0);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clip {
    /// Column with the value: integer, number or Boolean.
    pub column: String,
    /// Lower end of the range, in steps of the grid.
    pub lower: i64,
    /// Upper end of the range, in steps of the grid.
    pub upper: i64,
    /// The grid of the values and of their sum.
    pub grid: Grid,
    /// What happens to a row without a value.
    pub missing: Missing,
}

/// What happens to a row whose value is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    /// The row does not count, neither in the count nor in the sum.
    Drop,
    /// The row counts with this value, in steps of the grid, inside the range of the clip.
    Impute(i64),
}

impl Clip {
    /// Largest magnitude of a bound, in steps: up to here every integer is a double.
    pub const MAX_STEPS: i64 = 1 << 53;

    /// Checks what can be checked without a schema.
    pub(crate) fn check(&self) -> Result<(), DataError> {
        let in_range = |steps: i64| steps.unsigned_abs() <= Self::MAX_STEPS.unsigned_abs();
        if !(self.lower < self.upper && in_range(self.lower) && in_range(self.upper)) {
            let Self { column, lower, upper, .. } = self;
            return Err(DataError::ClipBounds { column: column.clone(), lower: *lower, upper: *upper });
        }
        match self.missing {
            Missing::Impute(steps) if !(self.lower <= steps && steps <= self.upper) => {
                Err(DataError::Imputed { column: self.column.clone(), steps, lower: self.lower, upper: self.upper })
            }
            _ => Ok(()),
        }
    }
}

/// At most `rows` rows of each distinct value of the column `unit` take part.
///
/// Counted are the rows that pass the filter, the key list and the missing rule. Which of a unit's rows are kept
/// depends on that unit's rows alone: they are put in the order of a fixed public hash of (unit, key, steps), so
/// neither the order of the file nor another unit can change the choice. Rows without a unit are dropped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContributionBound {
    /// Column that names the unit: integer or text.
    pub unit: String,
    /// Largest number of rows kept for a unit, at least 1.
    pub rows: u64,
}

/// A question to private rows. Public: it names columns, keys and ranges, and holds no cell.
///
/// The default counts all rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Condition that a row must meet, in a small part of SQL; see [`crate::DataError::FilterRefused`] for what is
    /// not in it.
    ///
    /// Allowed: columns, literals, `=`, `<>`, `<`, `<=`, `>`, `>=`, `AND`, `OR`, `NOT`, `IN (...)`, `BETWEEN`,
    /// `LIKE`, `IS [NOT] NULL`; a comparison holds a column against a literal of its kind. Names are case-sensitive;
    /// a name with other characters than letters, digits and `_` stands in double quotes. A number that is NaN or
    /// cannot be read is null. A comparison with a null is null, and a row whose condition is null is dropped.
    pub filter: Option<String>,
    /// Public group keys; `None` is one cell with all rows.
    pub keys: Option<Keys>,
    /// Value to sum; `None` counts only.
    pub value: Option<Clip>,
    /// Bound on the rows of one unit.
    pub bound: Option<ContributionBound>,
}

/// Exact answers per key, in the order of the keys; one cell when the query has no keys. **Private**, like its parts.
pub struct Tally {
    /// Number of rows that count.
    pub counts: Answer,
    /// Sum of their clipped values in grid steps, if the query has a value.
    pub sums: Option<Answer>,
}
