//! Residuals of margins in place of the margins, where these err less.
//!
//! Where Gaussian noise is accounted for together, a residual with share `s` of epsilon has the part
//! `s^2 / (sum of all s^2)` of the loss, so the shares that serve the mean square error best are in proportion to the
//! roots of the parts of [`ResidualPlan`]: a closed form.

use inbounds_core::Rational;
use inbounds_project::table::{MarginVariances, ResidualPlan};

use super::balance::{PARTS, rounded};

/// The mean square error of what replaces margins, as part of theirs: a hundredth less RMSE pays for measurements that
/// no user can read.
const WORTH: f64 = 0.98;

/// Margins or residuals, with the share of epsilon of each and how far a unit moves it, in the l2 norm and in cells.
pub(crate) struct Measuring<'a> {
    pub(crate) shares: &'a [Rational],
    pub(crate) moved: &'a [f64],
}

impl Measuring<'_> {
    /// Variances of the noise, up to a factor that all choices share; infinite for what is not measured.
    fn variances(&self) -> Vec<f64> {
        let shares: Vec<f64> = self.shares.iter().map(Rational::to_f64).collect();
        let sum_of_squares: f64 = shares.iter().map(|share| share * share).sum();
        shares.iter().zip(self.moved).map(|(share, moved)| sum_of_squares * (moved / share) * (moved / share)).collect()
    }
}

/// The shares of residuals, one a margin, with which the margins have less error than those of `margins`, if it is
/// worth it. `weights` are those of the variances of cells of each margin; `moved` is zero for what no unit moves.
pub(crate) fn shares(
    table: &MarginVariances,
    weights: &[f64],
    moved: &[f64],
    margins: &Measuring<'_>,
) -> Option<Vec<Rational>> {
    let squared: Vec<f64> = moved.iter().map(|moved| moved * moved).collect();
    let plan = ResidualPlan::new(table, weights, &squared);
    let roots: Vec<f64> = plan.parts().iter().map(|part| libm::sqrt(*part)).collect();
    let all: f64 = roots.iter().sum();
    let needed: Vec<bool> = roots.iter().map(|root| *root > 0.0).collect();
    let parts = rounded(&roots.iter().map(|root| root / all).collect::<Vec<f64>>(), &needed);
    let shares: Vec<Rational> = parts.iter().map(|part| Rational::ratio((*part).into(), PARTS.into())).collect();
    let error = |variances: Vec<f64>| -> f64 {
        let weighed = variances.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        weighed.map(|(variance, weight)| variance * weight).sum()
    };
    let residuals = error(table.of_residuals(&Measuring { shares: &shares, moved }.variances()));
    (residuals <= WORTH * error(table.of_margins(&margins.variances()))).then_some(shares)
}
