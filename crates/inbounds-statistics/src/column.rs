//! A column with its public bounds, and how the engine turns its values into integers.

use inbounds_core::{Epsilon, Grid, Rational};

use crate::{
    StatisticError,
    grids::{self, Gridded},
};

/// A column by name, with its public bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name, for the names of outputs.
    pub name: String,
    /// Public bounds to which rows are clipped.
    pub bounds: ColumnBounds,
}

impl Column {
    /// A column of numbers between two bounds, which are text, such as "0.5" or "1/3", because they are exact.
    ///
    /// # Errors
    /// [`StatisticError::Core`] for text that is no number.
    pub fn new(name: &str, lower: &str, upper: &str, missing: Missing) -> Result<Self, StatisticError> {
        let bounds = ColumnBounds { lower: lower.parse()?, upper: upper.parse()?, integer: false, missing };
        Ok(Self { name: name.to_owned(), bounds })
    }

    /// A column of whole numbers between two bounds.
    ///
    /// # Errors
    /// As [`Column::new`].
    pub fn whole(name: &str, lower: &str, upper: &str, missing: Missing) -> Result<Self, StatisticError> {
        let Self { name, bounds } = Self::new(name, lower, upper, missing)?;
        Ok(Self { name, bounds: ColumnBounds { integer: true, ..bounds } })
    }
}

/// What a missing value (null, NaN, or text that is no number) stands for. There is no default: either choice can make a
/// statistic mislead, and only who knows the data can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The row is left out of the statistic, so that the number of rows that count is private, also where that of all
    /// rows is public.
    Drop,
    /// The row counts with this value.
    Impute(Rational),
}

/// Public bounds on a column, to which every row is clipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnBounds {
    /// Smallest value kept as it is.
    pub lower: Rational,
    /// Largest value kept as it is.
    pub upper: Rational,
    /// Whether the column holds whole numbers, so that sums are exact on the integers.
    pub integer: bool,
    /// The rule for missing values.
    pub missing: Missing,
}

impl ColumnBounds {
    /// Both ends as doubles.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.lower.to_f64(), self.upper.to_f64())
    }

    /// Whether every row counts, because no missing value leaves one out.
    pub(crate) fn keeps_every_row(&self) -> bool {
        self.missing != Missing::Drop
    }
}

/// What a missing value does in the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipMissing {
    /// The row is left out.
    Drop,
    /// The row counts with this many steps.
    Impute(i64),
}

/// How the engine turns a value into an integer: nearest grid point, then clipped to `[lower, upper]` steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clip {
    /// Grid of the answer.
    pub grid: Grid,
    /// Smallest contribution in steps.
    pub lower: i64,
    /// Largest contribution in steps.
    pub upper: i64,
    /// The rule for missing values.
    pub missing: ClipMissing,
}

impl Clip {
    /// How the values of a column are summed, on the grid that suits noise of this epsilon and less.
    ///
    /// # Errors
    /// [`StatisticError::Bounds`].
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Epsilon, Grid};
    /// use inbounds_statistics::{Clip, ColumnBounds, Missing};
    /// let bounds = |integer| ColumnBounds {
    ///     lower: "0".parse().expect("0"), upper: "110".parse().expect("110"), integer, missing: Missing::Drop,
    /// };
    /// let epsilon = Epsilon::new("1".parse()?)?;
    /// let ages = Clip::for_sums(&bounds(true), &epsilon).expect("fits");
    /// assert_eq!((ages.grid, ages.lower, ages.upper), (Grid::INTEGERS, 0, 110));
    /// assert_eq!(Clip::for_sums(&bounds(false), &epsilon).expect("fits").grid.exponent(), -26);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn for_sums(bounds: &ColumnBounds, epsilon: &Epsilon) -> Result<Self, StatisticError> {
        Ok(Self::on(bounds, &grids::choose(bounds, epsilon)?))
    }

    /// On a grid that has been chosen.
    pub(crate) fn on(bounds: &ColumnBounds, gridded: &Gridded) -> Self {
        let missing = match &bounds.missing {
            Missing::Impute(value) => ClipMissing::Impute(grids::nearest(gridded, value)),
            Missing::Drop => ClipMissing::Drop,
        };
        Self { grid: gridded.grid, lower: gridded.lower, upper: gridded.upper, missing }
    }

    /// Both ends, in steps.
    pub(crate) fn ends(&self) -> (i128, i128) {
        (self.lower.into(), self.upper.into())
    }
}
