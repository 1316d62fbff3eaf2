//! One typed question: which rows, which cells, which values, how many rows per unit.

use inbounds_core::Grid;

use crate::{Bins, DataError, Keys, Missing};

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
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Clip {
    /// Column with the value: integer, number or Boolean.
    pub column: String,
    /// Lower end of the range, in steps of the grid.
    pub lower: i64,
    /// Upper end of the range, in steps of the grid.
    pub upper: i64,
    /// The grid of the values and of their sum.
    #[serde(with = "crate::records::grid")]
    pub grid: Grid,
    /// Treatment of a row without a value.
    pub missing: Missing,
}

impl Clip {
    /// Largest magnitude of a bound, in steps: up to here every integer is a double.
    pub const MAX_STEPS: i64 = 1 << 53;

    /// Largest magnitude of a bound of a value that is multiplied: a product has at most 2^62 steps, and the sum of
    /// 2^63 rows stays below 2^125.
    pub const MAX_FACTOR_STEPS: i64 = 1 << 31;

    /// Checks what can be checked without a schema.
    pub(crate) fn check(&self) -> Result<(), DataError> {
        if !(self.lower < self.upper && self.within(Self::MAX_STEPS)) {
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

    fn within(&self, most: i64) -> bool {
        self.lower.unsigned_abs().max(self.upper.unsigned_abs()) <= most.unsigned_abs()
    }
}

/// Largest contribution of each distinct value of the column `unit`.
///
/// Counted are the rows that pass the filter, the key list and the missing rules; rows without a unit are dropped. A
/// *group* is a key of the query with all its bins; without keys everything is one group. What is kept of a unit is
/// found in this order:
///
/// 1. of its rows in a cell the first [`Query::rows_per_cell`], and of those in a group the first `rows_per_group`;
/// 2. of its groups the first `groups`;
/// 3. of the rows that are left the first `rows`.
///
/// Rows are in the order of a fixed public hash of (unit, cell, steps of all values), groups in that of a hash of
/// (unit, group). So what is kept of a unit depends on that unit's rows alone: neither the order of the file nor
/// another unit can change the choice. With `g` groups, `r` rows in a group and `m` rows, adding or removing a unit
/// changes counts by at most `min(m, g r)` in l1, in at most `min(m, g)` groups, and by at most `min(m, r)` in each.
///
/// # Example
/// At most two rows of a person in each of at most three districts:
/// ```
/// use inbounds_data::ContributionBound;
/// let bound = ContributionBound { groups: Some(3), rows_per_group: Some(2), ..ContributionBound::of_rows("person", 6) };
/// assert_eq!((bound.rows, ContributionBound::of_rows("person", 6).groups), (6, None));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ContributionBound {
    /// Column that names the unit: integer or text.
    pub unit: String,
    /// Largest number of rows kept for a unit, at least 1.
    pub rows: u64,
    /// Largest number of groups in which rows of a unit are kept, at least 1; `None` for as many as there are.
    pub groups: Option<u64>,
    /// Largest number of rows kept for a unit in one group, at least 1; `None` for `rows`.
    pub rows_per_group: Option<u64>,
}

impl ContributionBound {
    /// At most `rows` rows of each unit, in any groups.
    pub fn of_rows(unit: impl Into<String>, rows: u64) -> Self {
        Self { unit: unit.into(), rows, groups: None, rows_per_group: None }
    }
}

/// A question to private rows. Public: it names columns, keys and ranges, and holds no cell.
///
/// The default counts all rows. A row counts if it passes the filter, its key is listed and nothing with
/// [`Missing::Drop`] is missing, neither its bin nor one of its values (listwise deletion): the count and all sums of a
/// cell are over the same rows, as covariances and regressions need.
///
/// # Example
/// What a variance of ages and a covariance with incomes are made of:
/// ```
/// use inbounds_core::Grid;
/// use inbounds_data::{Clip, Missing, Query};
/// let clip = |column: &str, upper| {
///     Clip { column: column.into(), lower: 0, upper, grid: Grid::INTEGERS, missing: Missing::Drop }
/// };
/// let query = Query {
///     values: vec![clip("age", 120), clip("income", 200_000)],
///     products: vec![(0, 0), (0, 1)],
///     ..Query::default()
/// };
/// assert!(query.values.iter().all(|value| value.upper <= Clip::MAX_FACTOR_STEPS));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
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
    /// Bins of a number; `None` is one bin with all numbers. With keys, each key has all bins: the cell of key `k` and
    /// bin `b` is `k * bins.len() + b`.
    pub bins: Option<Bins>,
    /// Values to sum; none of them counts only. A column may occur more than once.
    pub values: Vec<Clip>,
    /// Pairs of values, by their place in `values` from 0, whose product is summed; a pair of one value twice is its
    /// square. The values must lie within [`Clip::MAX_FACTOR_STEPS`].
    pub products: Vec<(usize, usize)>,
    /// Bound on the rows of one unit.
    pub bound: Option<ContributionBound>,
    /// With a bound, most rows of a unit that are kept in one cell, at least 1: with 1 the count of a cell is that of
    /// its distinct units. Chosen as [`ContributionBound`] says.
    pub rows_per_cell: Option<u64>,
}

impl Query {
    /// Number of cells of the answers: keys times bins.
    pub fn cells(&self) -> usize {
        let (keys, bins) = (self.keys.as_ref().map_or(1, Keys::len), self.bins.as_ref().map_or(1, Bins::len));
        keys.saturating_mul(bins)
    }

    /// Columns without a value of which a row does not count, those of values first; a column may come twice.
    pub fn dropped(&self) -> impl Iterator<Item = &str> {
        let values = self.values.iter().map(|value| (value.column.as_str(), value.missing));
        let bins = self.bins.iter().map(|bins| (bins.column(), bins.missing()));
        values.chain(bins).filter_map(|(column, missing)| (missing == Missing::Drop).then_some(column))
    }

    /// Checks what can be checked of values and products without a schema.
    pub(crate) fn check_values(&self) -> Result<(), DataError> {
        self.values.iter().try_for_each(Clip::check)?;
        for &(left, right) in &self.products {
            for place in [left, right] {
                let Some(value) = self.values.get(place) else {
                    return Err(DataError::ProductOfNothing { left, right, values: self.values.len() });
                };
                if !value.within(Clip::MAX_FACTOR_STEPS) {
                    let Clip { column, lower, upper, .. } = value.clone();
                    return Err(DataError::FactorBounds { column, lower, upper });
                }
            }
        }
        Ok(())
    }
}
