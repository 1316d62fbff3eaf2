//! The error of estimates, by drawing the noise again.
//!
//! The estimates stand for the truth: they are public, so this costs no privacy. Each replicate adds fresh noise, by
//! the laws that are stated, to the estimates of the measured nodes, pools and solves as was done with the real
//! measurements, and compares. Two things are kept of each node:
//!
//! - mean and mean square of `solution - truth`, with their Monte Carlo standard errors;
//! - the `m` largest of `|linear solution - truth|`, where the linear solution heeds sums and exact values only. Its
//!   law does not depend on the truth. So the error of the real linear estimate and those of `R` replicates are `R + 1`
//!   independent draws of one law, and `P(real error > k-th smallest of the R) <= (R + 1 - k) / (R + 1)`: with
//!   `k = ceil(level (R + 1))` the interval of this half width covers at the level, whatever the laws of the noise and
//!   however few the replicates. Claim: `simulated-interval`.

use std::{
    num::NonZero,
    sync::mpsc::{self, Receiver},
    thread,
};

use inbounds_core::monte_carlo::{mean_and_error, rank, root_mean_square};
use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

use super::{largest::Largest, model::Model, noise::Law, redraw::Redraw, solved::Ending, solver::Solver};
use crate::progress::{Progress, Step};

/// Replicates of a thread that wait to be looked at, besides the one that it has at hand.
const AHEAD: usize = 1;

/// Fewest replicates for intervals of a level.
pub(crate) fn least_replicates(level: f64) -> usize {
    let enough = (level / (1.0 - level)) as usize;
    (enough.saturating_sub(1)..).find(|&replicates| rank(level, replicates).is_some()).unwrap_or(usize::MAX)
}

/// One measurement of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measured {
    /// The noisy number.
    pub value: f64,
    /// Variance of its noise.
    pub variance: f64,
    /// Law and scale of the noise, in steps; none if the variance alone is known.
    pub noise: Option<(Law, f64)>,
    /// How much a step of that law is.
    pub step: f64,
}

impl Measured {
    /// Law and scale of the noise, in steps; Gaussian where the variance alone is known.
    pub(crate) fn law(&self) -> (Law, f64) {
        self.noise.unwrap_or_else(|| (Law::Gaussian, libm::sqrt(self.variance) / self.step))
    }
}

/// What is simulated.
pub struct Simulation<'a> {
    /// What was solved.
    pub model: &'a Model,
    /// Node of each measurement.
    pub of: &'a [u32],
    /// The real measurements, of which the noise counts.
    pub measured: &'a [Measured],
    /// How it was solved.
    pub solver: &'a dyn Solver,
    /// Estimates of the real measurements.
    pub truth: &'a [f64],
    /// How often noise is drawn again.
    pub replicates: usize,
    /// Which of the sorted absolute errors is the half width of an interval.
    pub rank: usize,
    /// Seed of the noise. It protects nothing.
    pub seed: u64,
}

/// Errors of all nodes over the replicates.
pub struct Errors {
    replicates: f64,
    /// Replicates whose solution does not satisfy its certificate.
    pub unsolved: usize,
    first: Vec<f64>,
    second: Vec<f64>,
    fourth: Vec<f64>,
    /// The largest absolute errors of the linear solution of each node.
    largest: Largest,
}

/// One replicate: errors of the linear solution and of the solution asked for, which is left out if it is the linear
/// one.
pub struct Replicate {
    /// Error of each node under sums and exact values alone.
    pub linear: Vec<f64>,
    /// Error of each node as it was asked for.
    pub errors: Vec<f64>,
    /// Whether the solver stopped before its certificate held.
    pub unsolved: bool,
}

impl Simulation<'_> {
    /// Errors of all nodes. `watch` sees each replicate, but for a linear solution.
    pub fn run(&self, mut watch: impl FnMut(&Replicate), progress: &dyn Progress) -> Errors {
        let linear = self.solver.method().is_linear();
        let mut errors = Errors::new(self.model.nodes(), self.replicates, self.rank, linear);
        let take_in = |replicate: &Replicate| {
            errors.take_in(replicate);
            if !linear {
                watch(replicate);
            }
        };
        self.each(take_in, progress);
        errors
    }

    /// Runs all replicates on all processors, and shows them in an order that does not depend on how many those are.
    /// While one is looked at, others are solved for. It ends early if `progress` stops it, and what was seen is then
    /// of no use.
    pub fn each(&self, mut see: impl FnMut(&Replicate), progress: &dyn Progress) {
        let mut seeds = SeededEntropy::from_seed(self.seed);
        let seeds: Vec<u64> = (0..self.replicates).map(|_| seeds.word()).collect();
        let redraw = Redraw::new(self.model, self.of, self.measured, self.truth);
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        thread::scope(|scope| {
            let running: Vec<Receiver<Replicate>> = (0..threads)
                .map(|first| {
                    let (found, taken) = mpsc::sync_channel(AHEAD);
                    let (own, redraw) = (seeds.iter().skip(first).step_by(threads), &redraw);
                    scope.spawn(move || {
                        for &seed in own {
                            // Nobody takes any more once it is stopped.
                            if found.send(self.replicate(redraw.noisy(seed))).is_err() {
                                return;
                            }
                        }
                    });
                    taken
                })
                .collect();
            for number in 0..self.replicates {
                if progress.is_stopped() {
                    return;
                }
                progress.begin(Step::Simulating { number: number + 1, total: self.replicates });
                see(&running[number % threads].recv().expect("a solver does not panic"));
            }
        });
    }

    /// What is found for values with fresh noise.
    fn replicate(&self, value: Vec<f64>) -> Replicate {
        let minus_truth = |mut estimates: Vec<f64>| {
            estimates.iter_mut().zip(self.truth).for_each(|(estimate, truth)| *estimate -= truth);
            estimates
        };
        if self.solver.method().is_linear() {
            let linear = minus_truth(self.solver.linear(self.model, value));
            return Replicate { linear, errors: Vec::new(), unsolved: false };
        }
        let (found, linear) = self.solver.solve_with_linear(self.model, value);
        // What has a solution for one set of values has one for all; if a solver loses it, its error is not made up.
        let estimates = if found.estimates.is_empty() { linear.clone() } else { found.estimates };
        let unsolved = found.ending != Ending::Optimal;
        Replicate { linear: minus_truth(linear), errors: minus_truth(estimates), unsolved }
    }
}

impl Errors {
    /// Room for the errors of all nodes, before the first replicate. A linear solution is unbiased with known
    /// variances, so that its moments are not simulated.
    pub fn new(nodes: usize, replicates: usize, rank: usize, linear: bool) -> Self {
        let moments = || vec![0.0; if linear { 0 } else { nodes }];
        Self {
            replicates: replicates as f64,
            unsolved: 0,
            first: moments(),
            second: moments(),
            fourth: moments(),
            largest: Largest::new(nodes, replicates + 1 - rank),
        }
    }

    /// Adds a replicate.
    pub fn take_in(&mut self, replicate: &Replicate) {
        self.unsolved += usize::from(replicate.unsolved);
        let powers = self.first.iter_mut().zip(&mut self.second).zip(&mut self.fourth);
        for (((first, second), fourth), error) in powers.zip(&replicate.errors) {
            let square = error * error;
            *first += error;
            *second += square;
            *fourth += square * square;
        }
        self.largest.note_each(replicate.linear.iter().map(|error| error.abs()));
    }

    /// Half width of the interval of a node around its linear estimate.
    pub fn half_width(&self, node: usize) -> f64 {
        self.largest.least(node)
    }

    /// Half widths of two intervals that hold together at the level: of a node around its linear estimate, and of a
    /// `whole` that it is a part of. Of the chance `m / (R + 1)` of a miss, where the `m` largest errors are kept, `1 /
    /// (R + 1)` goes to the whole, whose half width is its largest error. None if that leaves nothing for the node.
    pub fn half_widths(&self, node: usize, whole: usize) -> Option<(f64, f64)> {
        let kept = self.largest.kept();
        (kept > 1).then(|| (self.largest.after(node, 1), self.largest.after(whole, kept - 1)))
    }

    /// Mean error and its Monte Carlo standard error.
    pub fn bias(&self, node: usize) -> (f64, f64) {
        mean_and_error(self.first[node], self.second[node], self.replicates)
    }

    /// Root mean square error and its Monte Carlo standard error, the latter to first order.
    pub fn rmse(&self, node: usize) -> (f64, f64) {
        root_mean_square(self.second[node], self.fourth[node], self.replicates)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_reach_the_level() {
        assert_eq!((least_replicates(0.95), rank(0.95, 19), rank(0.95, 18)), (19, Some(19), None));
        assert_eq!((least_replicates(0.5), rank(0.5, 1)), (1, Some(1)));
        assert_eq!((rank(0.95, 200), rank(0.95, 99), rank(0.9, 99)), (Some(191), Some(95), Some(90)));
        assert_eq!(least_replicates(0.99), 99);
    }
}
