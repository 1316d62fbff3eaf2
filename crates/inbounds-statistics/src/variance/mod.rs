//! Variance and standard deviation of a clipped column.
//!
//! With a public number of rows under substitution the variance is one exact integer with its own sensitivity and
//! range, and every mechanism applies. Otherwise it is made of three noisy sums that are one vector ([`PrivateRows`]).
//! A standard deviation is the root of either ([`Root`]).

mod private_rows;
mod public_rows;
mod root;

use std::sync::Arc;

pub(crate) use private_rows::PrivateRows;
use public_rows::public_rows;
use root::Root;

use inbounds_core::Quantity;

use crate::{
    Column, Setting, Simulated, StatisticError,
    second_moments::{OnGrid, public_rows as rows_of},
};

/// The sample variance of a column in each cell, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Variance {
    /// The column, with the bounds to which rows are clipped.
    pub column: Column,
}

/// The root of the sample variance of a column in each cell, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandardDeviation {
    /// The column, with the bounds to which rows are clipped.
    pub column: Column,
}

impl Variance {
    /// Chooses grid, sensitivities, ranges and scales.
    ///
    /// # Law
    /// With a public number `n` of rows that all count: `sum (x - mean)^2 / (n - 1)`, with sensitivity `R^2 / n` for
    /// bounds `R` apart. Else, because the number of rows is noisy: `sum (x - mean)^2 / n`, with the mean and the
    /// number of rows beside it, from three noisy sums that are one vector.
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
    ///     ColumnBounds, Design, Missing, PrivacyUnit, Column, Setting, Statistic, Variance,
    /// };
    /// let bounds = ColumnBounds { lower: "0".parse()?, upper: "10".parse()?, integer: false, missing: Missing::Impute(0u128.into()) };
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(100) },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let spread = Variance { column: Column { name: "age".into(), bounds } };
    /// let variance = spread.prepare(&setting).expect("valid");
    /// assert!((variance.components()[0].scale() - 1.0 / 0.5).abs() < 1e-8);
    /// assert!((variance.ranges()[0].1 - 2500.0 / 99.0).abs() < 1e-7);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    ///
    /// # References
    /// Sensitivity and range: Liu 2016, table 1; for odd numbers of rows the range is smaller than stated there.
    pub fn prepare(&self, setting: &Setting) -> Result<Arc<dyn Simulated>, StatisticError> {
        let kind = "variance";
        let (column, rows) = on_grid(kind, &self.column, setting)?;
        Ok(match rows {
            Some(rows) => Arc::new(public_rows(setting, &column, rows)?),
            None => Arc::new(PrivateRows::prepare(kind, setting, column)?),
        })
    }
}

impl StandardDeviation {
    /// The root of the variance that [`Variance::prepare`] makes.
    ///
    /// # Errors
    /// Those of [`Variance::prepare`].
    pub fn prepare(&self, setting: &Setting) -> Result<Arc<dyn Simulated>, StatisticError> {
        let kind = "standard deviation";
        let (column, rows) = on_grid(kind, &self.column, setting)?;
        let beside_others = Quantity::StandardDeviation { column: column.name.clone() };
        Ok(match rows {
            Some(rows) => Arc::new(Root::new(Quantity::Statistic, public_rows(setting, &column, rows)?)),
            None => Arc::new(Root::new(beside_others, PrivateRows::prepare(kind, setting, column)?)),
        })
    }
}

/// The column on a grid where squares are exact, and the number of its rows where it is public.
fn on_grid(kind: &'static str, column: &Column, setting: &Setting) -> Result<(OnGrid, Option<u64>), StatisticError> {
    let rows = rows_of(kind, setting, std::slice::from_ref(column))?;
    Ok((OnGrid::new(kind, column, rows)?, rows))
}
