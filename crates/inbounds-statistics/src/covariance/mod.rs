//! Covariance and correlation matrices of two or more clipped columns, always positive semidefinite.
//!
//! With a public number of rows every entry is one exact integer, measured on its own (`entrywise.rs`) or together with
//! all others (`whole.rs`); [`compare`] says which errs less. Otherwise they are made of noisy sums
//! (`private_rows.rs`). Correlations are made of any of these (`correlation.rs`).

mod carries;
mod compare;
mod correlation;
mod entrywise;
mod expected;
mod layout;
mod private_rows;
mod whole;

use std::sync::Arc;

pub use compare::{Comparison, compare};
use correlation::Correlation;
use entrywise::Entrywise;
pub use layout::place;
use private_rows::PrivateRows;
use whole::Whole;

use crate::{Column, Setting, Simulated, StatisticError, second_moments::public_rows};
use layout::Layout;

/// The description of a covariance or correlation matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Matrix {
    /// The columns, at least two, with the bounds to which rows are clipped.
    pub columns: Vec<Column>,
    /// Which of the two.
    pub measure: Measure,
    /// Route of measurement of the entries over a public number of rows.
    pub route: Route,
}

/// Kind of the entries beside the diagonal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Measure {
    /// Covariances; variances on the diagonal.
    Covariance,
    /// Correlations; the variances are published beside them.
    Correlation,
}

impl Measure {
    /// The name used in plans and manifests.
    pub fn name(self) -> &'static str {
        match self {
            Self::Covariance => "covariance",
            Self::Correlation => "correlation",
        }
    }
}

/// Route of measurement of the entries of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// Each on its own, for an equal part of epsilon, inside its own range.
    Entrywise,
    /// All as one vector, for all of epsilon.
    Whole,
}

impl Matrix {
    /// Chooses grids, sensitivities, ranges and scales.
    ///
    /// # Law
    /// `sum (x - mean x)(y - mean y) / (n - 1)` over a public number `n` of rows that all count; elsewhere the divisor
    /// is the noisy `n`, and means and numbers of rows are published beside the matrix. A missing value in any column
    /// leaves its row out where the column's rule is to drop it.
    ///
    /// # Errors
    /// [`StatisticError::TooFewColumns`], [`StatisticError::RepeatedColumn`], [`StatisticError::TooManyEntries`],
    /// [`StatisticError::SumsMechanism`] and those of a variance. None depends on data.
    ///
    /// # Example
    /// Two columns over `[0, 2]` and `[0, 3]`, 50 rows: a covariance moves by at most `2 * 3 / 50`.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{
    ///     ColumnBounds, Design, Missing, PrivacyUnit, Column, Setting,
    ///     covariance::{Matrix, Measure, Route},
    /// };
    /// let column = |name: &str, upper: &str| {
    ///     let (lower, upper) = ("0".parse().expect("number"), upper.parse().expect("number"));
    ///     Column { name: name.into(), bounds: ColumnBounds { lower, upper, integer: false, missing: Missing::Impute(0u128.into()) } }
    /// };
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(50) },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("3".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let columns = vec![column("height", "2"), column("weight", "3")];
    /// let matrix = Matrix { columns, measure: Measure::Covariance, route: Route::Entrywise };
    /// let prepared = matrix.prepare(&setting).expect("valid");
    /// let covariance = prepared.components()[1];
    /// assert_eq!(covariance.role.to_string(), "covariance of height and weight");
    /// assert!((covariance.sensitivity() - 2.0 * 3.0 / 50.0).abs() < 1e-8);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    ///
    /// # References
    /// Variances first, covariances within the roots of their products: Liu 2016, section 4.1.
    pub fn prepare(&self, setting: &Setting) -> Result<Arc<dyn Simulated>, StatisticError> {
        let kind = self.measure.name();
        let rows = public_rows(kind, setting, &self.columns)?;
        let layout = Layout::new(kind, &self.columns, rows)?;
        match (rows, self.route) {
            (Some(rows), Route::Entrywise) => Ok(self.over(Entrywise::prepare(setting, layout, rows)?)),
            (Some(rows), Route::Whole) => Ok(self.over(Whole::prepare(kind, setting, layout, rows)?)),
            (None, _) => Ok(self.over(PrivateRows::prepare(kind, setting, layout)?)),
        }
    }

    fn over<C: expected::Expected + 'static>(&self, covariances: C) -> Arc<dyn Simulated> {
        match self.measure {
            Measure::Covariance => Arc::new(covariances),
            Measure::Correlation => Arc::new(Correlation::new(covariances, self.columns.len())),
        }
    }
}
