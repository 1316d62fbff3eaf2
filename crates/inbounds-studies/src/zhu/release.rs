//! Release that the paper analyses: Laplace noise on every county, then the nearest counts that add up to the known
//! total.
//!
//! Its experiments are others: two-sided geometric noise on a whole tree (`nation.rs`).

use inbounds_mechanisms::law::Laplace;
use inbounds_project::{ProjectError, constraint::Bounds, simplex};

use crate::draws::Draws;

/// The counties of a state, their noise, and where counts must lie.
pub(super) struct Release<'a> {
    truth: &'a [f64],
    weights: Vec<f64>,
    total: f64,
    noise: Laplace,
}

/// Errors of one release.
pub(super) struct Errors {
    /// Before the projection: the noise.
    pub(super) before: Vec<f64>,
    /// After it, under the total alone: the paper's (P).
    pub(super) plain: Vec<f64>,
    /// After it, under the total and nonnegativity: the paper's (P+).
    pub(super) nonnegative: Vec<f64>,
}

impl<'a> Release<'a> {
    pub(super) fn new(truth: &'a [f64], noise: Laplace) -> Self {
        Self { truth, weights: vec![1.0; truth.len()], total: truth.iter().sum(), noise }
    }

    /// One release, in continuous noise.
    ///
    /// Two projections of the same noisy counts, so that they can be compared.
    pub(super) fn draw(&self, draws: &mut Draws) -> Errors {
        let before: Vec<f64> = self.truth.iter().map(|_| draws.laplace(&self.noise)).collect();
        let noisy: Vec<f64> = self.truth.iter().zip(&before).map(|(x, noise)| x + noise).collect();
        let after = |bounds: &Bounds| -> Result<Vec<f64>, ProjectError> {
            let solution = simplex::project(&noisy, &self.weights, self.total, bounds)?;
            Ok(solution.estimates.iter().zip(self.truth).map(|(estimate, truth)| estimate - truth).collect())
        };
        let projected = "finite counts with a total that they can reach";
        Errors {
            plain: after(&Bounds::None).expect(projected),
            nonnegative: after(&Bounds::nonnegative()).expect(projected),
            before,
        }
    }
}
