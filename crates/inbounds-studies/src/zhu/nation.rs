//! The paper's experiment: the tree of the nation, its states and their counties, with noise on every count.

use inbounds_mechanisms::{law::Noise, noise::DiscreteLaplace};
use inbounds_project::{
    constraint::tree::{Tree, TreeSystem},
    tree::{TreeCovariance, equality, project},
};

use crate::{StudyError, draws::Draws, places::Nation};

/// The paper's epsilon.
pub(super) const EPSILON: f64 = 0.5;
/// A person counts once at each level of the tree.
pub(super) const LEVELS: f64 = 3.0;

/// Two-sided geometric noise of epsilon for three levels.
pub(super) fn noise() -> Result<DiscreteLaplace, StudyError> {
    // 0.5 / 3
    Ok(DiscreteLaplace::with_inverse_scale("1/6".parse()?)?)
}

/// The nation under noise.
pub(super) struct Experiment {
    pub(super) nation: Nation,
    pub(super) noise: DiscreteLaplace,
    system: TreeSystem,
}

/// Errors of one run.
pub(super) struct Run {
    /// The noise.
    pub(super) before: Vec<f64>,
    /// After the projection under the sums alone: (P).
    pub(super) plain: Vec<f64>,
    /// Under the sums and nonnegativity: (P+).
    pub(super) nonnegative: Vec<f64>,
}

impl Experiment {
    pub(super) fn new(nation: Nation) -> Result<Self, StudyError> {
        let tree = Tree::from_parents(&nation.parents)?;
        let places = nation.parents.len();
        let system = TreeSystem::new(tree, vec![0.0; places], vec![1.0; places])?.nonnegative();
        Ok(Self { nation, noise: noise()?, system })
    }

    /// The noise of one run.
    pub(super) fn draw(&self, draws: &mut Draws) -> Vec<f64> {
        draws.geometric(&self.noise, self.nation.parents.len())
    }

    /// One run, both projections of the same noisy counts.
    pub(super) fn run(&self, before: Vec<f64>) -> Run {
        let system = self.noisy(&before);
        let (plain, nonnegative) = (equality(&system).estimates, project(&system).estimates);
        Run { plain: self.errors(&plain), nonnegative: self.errors(&nonnegative), before }
    }

    /// Errors of (P) alone.
    pub(super) fn plain(&self, noise: &[f64]) -> Vec<f64> {
        self.errors(&equality(&self.noisy(noise)).estimates)
    }

    /// The noisy counts and what is known of them.
    fn noisy(&self, noise: &[f64]) -> TreeSystem {
        let noisy = noise.iter().zip(&self.nation.people).map(|(noise, truth)| noise + truth).collect();
        self.system.with_values(noisy).expect("finite counts")
    }

    /// Estimates less the truth.
    fn errors(&self, estimates: &[f64]) -> Vec<f64> {
        estimates.iter().zip(&self.nation.people).map(|(estimate, truth)| estimate - truth).collect()
    }

    /// Variance of each place under (P), over that of the noise.
    pub(super) fn variances(&self) -> Vec<f64> {
        TreeCovariance::new(&self.system).variances()
    }

    /// A bound on the absolute bias of (P+) for every place.
    ///
    /// Where no place errs by more than its count under (P) both projections are the same, and that event `G` is
    /// symmetric. Off it both are within `|eta|` of the truth, as projections do not increase distances, so the bias
    /// is at most `2 E[|eta|; not G] <= 2 (E |eta|^(2k))^(1/2k) P(not G)^(1 - 1/2k)` by Hölder's inequality.
    pub(super) fn bias_bound(&self) -> f64 {
        const MOMENT: usize = 10;
        let outside = self.outside().min(1.0);
        let moments = norm_moments(&self.noise, self.nation.parents.len() as f64, MOMENT);
        let bound = |(k, moment): (usize, &f64)| {
            let root = 1.0 / (2.0 * k as f64);
            2.0 * libm::pow(*moment, root) * libm::pow(outside, 1.0 - root)
        };
        moments.iter().enumerate().skip(1).map(bound).fold(f64::INFINITY, f64::min)
    }

    /// A bound on the probability that some place errs by more than its count under (P).
    pub(super) fn outside(&self) -> f64 {
        let tails = self.nation.people.iter().zip(self.variances());
        tails.map(|(&people, variance)| 2.0 * tail(&self.noise, people, variance)).sum()
    }
}

/// A bound on the probability that a combination of independent noises, its weights' squares adding up to `weight <=
/// 1`, exceeds `x`: Chernoff's.
///
/// One noise has `E e^(t eta) = 1 / (1 - c(t))` with `c(t) = 2 a (cosh t - 1) / (1 - a)^2`. As `c(p t) <= p^2 c(t)` for
/// `|p| <= 1`, and a product of `1 - u_j` is at least one minus the sum, the combination has at most `1 / (1 - weight
/// c(t))`.
fn tail(noise: &DiscreteLaplace, x: f64, weight: f64) -> f64 {
    let a = libm::exp(-noise.tau());
    let at = |share: f64| {
        let t = noise.tau() * share;
        let c = 2.0 * a * (libm::cosh(t) - 1.0) / ((1.0 - a) * (1.0 - a));
        let left = 1.0 - weight * c;
        if left > 0.0 { libm::exp(-t * x) / left } else { 1.0 }
    };
    // Shares of the rate 1/scale at which the tail falls.
    (0..4_000).map(|step| at(f64::from(step) / 4_000.0)).fold(1.0, f64::min)
}

/// `E (eta_1^2 + ... + eta_n^2)^k` for `k` up to `most`: coefficients of the `n`-th power of the series of one noise.
fn norm_moments(noise: &DiscreteLaplace, places: f64, most: usize) -> Vec<f64> {
    let mass = |j: u32| libm::exp(noise.ln_density(f64::from(j)));
    let reach = (200.0 / noise.tau()) as u32;
    let factorial = |k: usize| libm::tgamma(k as f64 + 1.0);
    let of_one: Vec<f64> = (0..=most)
        .map(|k| {
            let term = |j: u32| 2.0 * mass(j) * libm::pow(f64::from(j), 2.0 * k as f64);
            (if k == 0 { 1.0 } else { (1..reach).map(term).sum::<f64>() }) / factorial(k)
        })
        .collect();
    // If g = f^n with f(0) = 1, then f g' = n f' g, coefficient by coefficient.
    let mut power = vec![1.0];
    for k in 1..=most {
        let term = |j: usize| (places * j as f64 - (k - j) as f64) * of_one[j] * power[k - j];
        power.push((1..=k).map(term).sum::<f64>() / k as f64);
    }
    power.iter().enumerate().map(|(k, coefficient)| coefficient * factorial(k)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_the_norm_are_those_of_sums() -> Result<(), StudyError> {
        let noise = noise()?;
        let variance = noise.variance();
        let moments = norm_moments(&noise, 5.0, 2);
        let fourth = norm_moments(&noise, 1.0, 2)[2];
        assert!((moments[1] / (5.0 * variance) - 1.0).abs() < 1e-9);
        assert!((moments[2] / (5.0 * fourth + 20.0 * variance * variance) - 1.0).abs() < 1e-9);
        Ok(())
    }

    #[test]
    fn tails_are_bounds_and_not_idle() -> Result<(), StudyError> {
        let noise = noise()?;
        for x in [12.0, 40.0, 82.0] {
            let (exact, bound) = (noise.sf(x), tail(&noise, x, 1.0));
            assert!(exact < bound && bound < 100.0 * exact, "{x}: {exact} {bound}");
        }
        Ok(())
    }
}
