//! Variance and standard deviation of a clipped column.
//!
//! With a public number of rows under substitution the variance is one exact integer with its own sensitivity and range, and
//! every mechanism applies. Otherwise it is made of three noisy sums that are one vector ([`PrivateRows`]). A standard deviation is
//! the root of either ([`Root`]).

mod private_rows;
mod public_rows;
mod root;

use std::sync::Arc;

pub use private_rows::PrivateRows;
use public_rows::public_rows;
pub use root::Root;

use inbounds_core::Quantity;

use crate::{
    StatisticError,
    compound::{Column, Compound, Setting},
    second_moments::{OnGrid, public_rows as rows_of},
};

/// The description of a variance or standard deviation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spread {
    /// The column, with the bounds to which rows are clipped.
    pub column: Column,
    /// Which of the two.
    pub measure: Measure,
}

/// How spread is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// The mean squared distance from the mean.
    Variance,
    /// Its square root.
    StandardDeviation,
}

impl Measure {
    /// The name used in plans and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Variance => "variance",
            Self::StandardDeviation => "standard deviation",
        }
    }
}

impl Spread {
    /// Chooses grid, sensitivities, ranges and scales.
    ///
    /// # Law
    /// With a public number `n` of rows that all count: `sum (x - mean)^2 / (n - 1)`, with sensitivity `R^2 / n` for bounds `R` apart. Else, because the
    /// number of rows is noisy: `sum (x - mean)^2 / n`, with the mean and the number of rows beside it, see [`PrivateRows`].
    ///
    /// # Errors
    /// [`StatisticError::ConstantColumn`], [`StatisticError::TooFewRows`], [`StatisticError::SquaresTooWide`],
    /// [`StatisticError::SumsMechanism`], and those of the calibration. None depends on data.
    ///
    /// # Example
    /// One of 100 rows moves a variance over `[0, 10]` by at most `10^2 / 100 = 1`, and it is at most
    /// `100 * 10^2 / (4 * 99)`.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{
    ///     ColumnBounds, Design, Missing, PrivacyUnit, compound::{Column, Setting}, variance::{Measure, Spread},
    /// };
    /// let bounds = ColumnBounds { lower: "0".parse()?, upper: "10".parse()?, integer: false, missing: Missing::Impute(0u128.into()) };
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(100) },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO,
    /// };
    /// let spread = Spread { column: Column { name: "age".into(), bounds }, measure: Measure::Variance };
    /// let variance = spread.prepare(&setting).expect("valid");
    /// assert!((variance.components()[0].scale() - 1.0 / 0.5).abs() < 1e-8);
    /// assert!((variance.ranges()[0].1 - 2500.0 / 99.0).abs() < 1e-7);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    ///
    /// # References
    /// Sensitivity and range: Liu 2016, table 1; for odd numbers of rows the range is smaller than stated there.
    pub fn prepare(&self, setting: &Setting) -> Result<Arc<dyn Compound>, StatisticError> {
        let kind = self.measure.name();
        let rows = rows_of(kind, setting, std::slice::from_ref(&self.column))?;
        let column = OnGrid::new(kind, &self.column, rows)?;
        match rows {
            Some(rows) => Ok(self.over(public_rows(setting, &column, rows)?, Quantity::Statistic)),
            None => {
                let root = Quantity::StandardDeviation { column: column.name.clone() };
                Ok(self.over(PrivateRows::prepare(kind, setting, column)?, root))
            }
        }
    }

    /// The variance, or its root as this quantity.
    fn over<C: Compound + 'static>(&self, variance: C, root: Quantity) -> Arc<dyn Compound> {
        match self.measure {
            Measure::Variance => Arc::new(variance),
            Measure::StandardDeviation => Arc::new(Root::new(root, variance)),
        }
    }
}
