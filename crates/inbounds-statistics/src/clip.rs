//! The engine's map of the values of a column to integers.

use inbounds_core::{Epsilon, Grid};

use crate::{
    ColumnBounds, Missing, StatisticError,
    grids::{self, Gridded},
};

/// Effect of a missing value in the query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClipMissing {
    /// The row is left out.
    Drop,
    /// The row counts with this many steps.
    Impute(i64),
}

/// The engine's map of a value to an integer: nearest grid point, then clipped to `[lower, upper]` steps.
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
    /// Clipping for sums of the values of a column, on the grid that suits noise of this epsilon and less.
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
