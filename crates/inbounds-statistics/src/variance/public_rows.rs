//! The variance of a public number of rows: one integer, one mechanism.

use inbounds_core::{Quantity, Rational};

use crate::{
    Ask, ExpectedError, Reading, Scenario, Setting, Single, StatisticError, Unit,
    population::Parameter,
    second_moments::{Entry, OnGrid},
    variance::root::{Of, Spread},
};

/// `sum (x - mean)^2 / (n - 1)` over a public number `n` of rows, measured by any mechanism of the registry.
///
/// # Law
/// Sensitivity `R^2 / n` for bounds `R` apart, range `[0, n R^2 / (4 (n - 1))]` for even `n`,
/// `[0, (n + 1) R^2 / (4 n)]` for odd `n`; the integer that is measured and its step are those of the crate's second
/// moments. Claim: `covariance-substitute`.
///
/// # Guarantee
/// That of the mechanism. Bias, error and interval are the mechanism's own.
pub(super) fn public_rows(setting: &Setting, column: &OnGrid, rows: u64) -> Result<Single, StatisticError> {
    let role = Quantity::Variance { column: column.name.clone() };
    let entry = Entry::prepare(setting, (role, &Rational::ONE), (column, column), rows, true)?;
    let component = entry.component.clone();
    let ask = Ask { clips: vec![column.clip], products: vec![(0, 0)], ..Ask::default() };
    let variance = Single::new(setting, Reading::Variance(entry), Unit::Columns(vec![0, 0]), ask, component);
    Ok(variance.of_population(Parameter::Variance { rows, bounds: column.bounds }))
}

/// The error of a variance is that of its noise. That of the root is largest where the variance is 0, which is among
/// the errors to expect.
impl Spread for Single {
    fn worst(&self, _: &Scenario, _: Of) -> Vec<ExpectedError> {
        Vec::new()
    }
}
