//! Which route errs less.

use super::{Matrix, Measure, Route};
use crate::{ExpectedError, Scenario, Setting, StatisticError};

/// Expected errors of both routes, case by case.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Errors of [`Route::Entrywise`].
    pub entrywise: Vec<ExpectedError>,
    /// Errors of [`Route::Whole`].
    pub whole: Vec<ExpectedError>,
    /// The route with the smaller mean squared error over all cases.
    pub better: Route,
}

/// Compares the routes of a covariance matrix before anything is measured; the route of `matrix` does not matter.
///
/// The errors are Frobenius norms with every column divided by the width of its bounds, simulated, an RMSE to about 2
/// %.
///
/// # Errors
/// Those of [`Matrix::prepare`], for either route.
///
/// # Example
/// Gaussian noise on the whole matrix errs less than on ten entries that share epsilon and delta.
/// ```
/// use inbounds_core::{Delta, Epsilon, Neighbours};
/// use inbounds_mechanisms::registry;
/// use inbounds_statistics::{
///     ColumnBounds, Design, Missing, PrivacyUnit, Column, Setting,
///     covariance::{Matrix, Measure, Route, compare},
/// };
/// let bounds = ColumnBounds { lower: "0".parse()?, upper: "1".parse()?, integer: false, missing: Missing::Impute(0u128.into()) };
/// let columns = ["a", "b", "c", "d"].map(|name| Column { name: name.into(), bounds: bounds.clone() });
/// let setting = Setting {
///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(1000) },
///     cells: 1, grouped: false, filtered: false, mechanism: registry::find("clamped-gaussian").expect("registered").into(),
///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::new("1e-6".parse()?)?, rho_rate: None, together: None,
/// };
/// let matrix = Matrix { columns: columns.into(), measure: Measure::Covariance, route: Route::Entrywise };
/// let comparison = compare(&matrix, &setting).expect("valid");
/// assert_eq!(comparison.better, Route::Whole);
/// assert!(comparison.whole[0].rmse < 0.6 * comparison.entrywise[0].rmse);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn compare(matrix: &Matrix, setting: &Setting) -> Result<Comparison, StatisticError> {
    let errors = |route: Route| {
        let matrix = Matrix { measure: Measure::Covariance, route, ..matrix.clone() };
        matrix.prepare(setting).map(|prepared| prepared.expected_errors(&Scenario::default()))
    };
    let (entrywise, whole) = (errors(Route::Entrywise)?, errors(Route::Whole)?);
    let square = |errors: &[ExpectedError]| errors.iter().map(|error| error.rmse * error.rmse).sum::<f64>();
    let better = if square(&entrywise) <= square(&whole) { Route::Entrywise } else { Route::Whole };
    Ok(Comparison { entrywise, whole, better })
}
