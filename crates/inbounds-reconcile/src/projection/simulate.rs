//! The error of estimates, by drawing the noise again.
//!
//! The estimates stand for the truth: they are public, so this costs no privacy. Each replicate adds fresh noise, by
//! the laws that are stated, to the estimates of the measured nodes, pools and solves as was done with the real
//! measurements, and compares. Two things are kept of each node:
//!
//! - mean and mean square of `solution - truth`, with their Monte Carlo standard errors;
//!   Where tables are many and large, only the first replicates are solved, and the rest say what the linear solution
//!   errs by: see [`Alike`];
//! - the `m` largest of `|linear solution - truth|`, where the linear solution heeds sums and exact values only. Its
//!   law does not depend on the truth. So the error of the real linear estimate and those of `R` replicates are `R + 1`
//!   independent draws of one law, and `P(real error > k-th smallest of the R) <= (R + 1 - k) / (R + 1)`: with
//!   `k = ceil(level (R + 1))` the interval of this half width covers at the level, whatever the laws of the noise and
//!   however few the replicates. Claim: `simulated-interval`.

use inbounds_core::monte_carlo::{mean_and_error, rank, root_mean_square};
use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

use inbounds_bundle::{Method, in_order};

use super::{largest::Largest, measured::Measured, model::Model, redraw::Redraw, solved::Ending, solver::Solver};
use crate::progress::{Progress, Step};

/// Replicates of a thread that wait to be looked at, besides the one that it has at hand.
const AHEAD: usize = 1;

/// Nodes that are solved for, over all replicates that are solved.
const WORK: usize = 5_000_000;
/// Fewest replicates of which each node has its own bias and RMSE; of fewer, nodes that are alike share them.
const OWN: usize = 39;
/// Fewest replicates that are solved.
const FEWEST: usize = 4;

/// The number of replicates that are solved for tables along a tree of `nodes` nodes, where it is so small that nodes
/// of one class share their bias and RMSE; none where each node has its own.
pub fn few_solved(method: Method, nodes: usize, replicates: usize) -> Option<usize> {
    let solved = (WORK / nodes.max(1)).max(FEWEST);
    (method.is_of_table_tree() && solved < OWN.min(replicates)).then_some(solved)
}

/// Fewest replicates for intervals of a level.
pub(crate) fn least_replicates(level: f64) -> usize {
    let enough = (level / (1.0 - level)) as usize;
    (enough.saturating_sub(1)..).find(|&replicates| rank(level, replicates).is_some()).unwrap_or(usize::MAX)
}

/// A simulation: the solved model, its measurements and its solver.
pub struct Simulation<'a> {
    /// The solved model.
    pub model: &'a Model,
    /// Node of each measurement.
    pub measured_nodes: &'a [u32],
    /// The real measurements, of which the noise counts.
    pub measured: &'a [Measured],
    /// Solver of the model.
    pub solver: &'a dyn Solver,
    /// Estimates of the real measurements.
    pub truth: &'a [f64],
    /// Number of fresh draws of the noise.
    pub replicates: usize,
    /// Number of these, the first ones, are solved as was done; of the others the linear solution alone is found.
    pub solved: usize,
    /// Which of the sorted absolute errors is the half width of an interval.
    pub rank: usize,
    /// Seed of the noise. It protects nothing.
    pub seed: u64,
}

/// Nodes whose errors have nearly one law, but for their unit.
///
/// Cells of one margin at places of one level, whose estimates are of one size beside the standard deviation of the
/// linear fit, have errors that differ in that deviation and otherwise hardly. So few replicates of many such cells say
/// what many replicates of one would: bias and RMSE of a class, in standard deviations.
///
/// Of large estimates the error is nearly that of the linear fit, whose bias is 0 and whose mean square is 1 in this
/// unit, for certain. So their moments are these and what the two errors differ by, which is little, and few
/// replicates say even of a class of one cell what it is (a control variate).
pub struct Alike {
    class: Vec<u32>,
    deviation: Vec<f64>,
    /// Nodes of each class.
    sizes: Vec<f64>,
    /// Of each class over the replicates: the mean error and mean square of a replicate, and their squares.
    moments: Vec<[f64; 4]>,
}

/// Smallest estimates, in standard deviations of the linear fit, of the classes of one margin of a level after the
/// first, which has zeros. The mass that small cells gain by being cut off at zero, the largest lose: hence separate
/// classes.
const SIZES: [f64; 10] = [0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1e3, 3e3, 1e4];

/// The classes of one margin of a level, of which those from [`LARGE`] on are compared with the linear fit.
const CLASSES: u32 = SIZES.len() as u32 + 1;
const LARGE: u32 = 3;

impl Alike {
    /// Of nodes with these groups, estimates and variances of the linear fit.
    pub fn new(groups: &[u32], estimates: &[f64], variances: &[f64]) -> Self {
        let size_of = |size: f64| SIZES.iter().filter(|least| size > **least).count() as u32;
        let class = |((group, estimate), variance): ((&u32, &f64), &f64)| {
            let deviation = libm::sqrt(variance.max(0.0));
            let size = if deviation > 0.0 { estimate.abs() / deviation } else { 0.0 };
            group * CLASSES + size_of(size)
        };
        let class: Vec<u32> = groups.iter().zip(estimates).zip(variances).map(class).collect();
        let mut sizes = vec![0.0; class.iter().max().map_or(0, |last| *last as usize + 1)];
        class.iter().for_each(|class| sizes[*class as usize] += 1.0);
        let deviation = variances.iter().map(|variance| libm::sqrt(variance.max(0.0))).collect();
        Self { class, deviation, moments: vec![[0.0; 4]; sizes.len()], sizes }
    }

    fn take_in(&mut self, Replicate { errors, linear, .. }: &Replicate) {
        let mut sums = vec![[0.0; 2]; self.sizes.len()];
        let own = self.class.iter().zip(&self.deviation);
        for ((error, linear), (class, deviation)) in errors.iter().zip(linear).zip(own) {
            let in_unit = |error: f64| if *deviation > 0.0 { error / deviation } else { 0.0 };
            let (error, linear) = (in_unit(*error), in_unit(*linear));
            let [first, second] = &mut sums[*class as usize];
            if class % CLASSES >= LARGE {
                *first += error - linear;
                *second += error * error - linear * linear + 1.0;
            } else {
                *first += error;
                *second += error * error;
            }
        }
        for ((moments, [first, second]), size) in self.moments.iter_mut().zip(sums).zip(&self.sizes) {
            let (first, second) = (first / size.max(1.0), second / size.max(1.0));
            let own = [first, first * first, second, second * second];
            moments.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
    }

    fn bias(&self, node: usize, replicates: f64) -> (f64, f64) {
        let [first, squares, ..] = self.moments[self.class[node] as usize];
        let (bias, error) = mean_and_error(first, squares, replicates);
        (bias * self.deviation[node], error * self.deviation[node])
    }

    fn rmse(&self, node: usize, replicates: f64) -> (f64, f64) {
        let [.., second, squares] = self.moments[self.class[node] as usize];
        let (rmse, error) = root_mean_square(second.max(0.0), squares, replicates);
        (rmse * self.deviation[node], error * self.deviation[node])
    }
}

/// Errors of all nodes over the replicates.
pub struct Errors {
    /// Those that were solved as was done.
    replicates: f64,
    /// Classes of nodes that share their moments, if they do.
    alike: Option<Alike>,
    /// Replicates whose solution does not satisfy its certificate.
    pub unsolved: usize,
    first: Vec<f64>,
    second: Vec<f64>,
    fourth: Vec<f64>,
    /// The largest absolute errors of the linear solution of each node.
    largest: Largest,
    /// Replicates that were not taken in yet.
    to_come: usize,
}

/// One replicate: errors of the linear solution and of the solution asked for, which is left out if it is the linear
/// one, or if the replicate is not solved.
pub struct Replicate {
    /// Error of each node under sums and exact values alone.
    pub linear: Vec<f64>,
    /// Error of each node as it was asked for.
    pub errors: Vec<f64>,
    /// True if the solver stopped before its certificate held.
    pub unsolved: bool,
}

impl Simulation<'_> {
    /// Errors of all nodes before the first replicate, of which those that are `alike` share what is known of them.
    pub fn errors(&self, alike: Option<Alike>) -> Errors {
        let no_moments = self.solver.method().is_linear() || alike.is_some();
        let mut errors = Errors::new(self.model.nodes(), self.replicates, self.rank, no_moments);
        (errors.alike, errors.replicates) = (alike, self.solved.min(self.replicates) as f64);
        errors
    }

    /// Errors of all nodes, of which those that are `alike` share what is known of them. `watch` sees each replicate,
    /// but for a linear solution.
    pub fn run(&self, alike: Option<Alike>, mut watch: impl FnMut(&Replicate), progress: &dyn Progress) -> Errors {
        let linear = self.solver.method().is_linear();
        let mut errors = self.errors(alike);
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
        let redraw = Redraw::new(self.model, self.measured_nodes, self.measured, self.truth);
        let replicate = |number: usize| self.replicate(number, redraw.noisy(seeds[number]));
        in_order(self.replicates, AHEAD, replicate, |replicates| {
            for number in 0..self.replicates {
                if progress.is_stopped() {
                    return;
                }
                progress.begin(Step::Simulating { number: number + 1, total: self.replicates });
                see(&replicates.next().expect("a solver does not panic"));
            }
        });
    }

    /// Errors of the solution for values with fresh noise.
    fn replicate(&self, number: usize, value: Vec<f64>) -> Replicate {
        let minus_truth = |mut estimates: Vec<f64>| {
            estimates.iter_mut().zip(self.truth).for_each(|(estimate, truth)| *estimate -= truth);
            estimates
        };
        if self.solver.method().is_linear() || number >= self.solved {
            let linear = minus_truth(self.solver.linear(self.model, value));
            return Replicate { linear, errors: Vec::new(), unsolved: false };
        }
        let (solved, linear) = self.solver.solve_with_linear(self.model, value);
        // What has a solution for one set of values has one for all; if a solver loses it, its error is not made up.
        let estimates = if solved.estimates.is_empty() { linear.clone() } else { solved.estimates };
        let unsolved = solved.ending != Ending::Optimal;
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
            alike: None,
            unsolved: 0,
            first: moments(),
            second: moments(),
            fourth: moments(),
            largest: Largest::new(nodes, replicates + 1 - rank),
            to_come: replicates,
        }
    }

    /// Adds a replicate.
    pub fn take_in(&mut self, replicate: &Replicate) {
        self.unsolved += usize::from(replicate.unsolved);
        if let (Some(alike), false) = (&mut self.alike, replicate.errors.is_empty()) {
            alike.take_in(replicate);
        }
        let powers = self.first.iter_mut().zip(&mut self.second).zip(&mut self.fourth);
        for (((first, second), fourth), error) in powers.zip(&replicate.errors) {
            let square = error * error;
            *first += error;
            *second += square;
            *fourth += square * square;
        }
        self.largest.note_each(replicate.linear.iter().map(|error| error.abs()));
        self.to_come -= 1;
        if self.to_come == 0 {
            // Estimates are made beside what is kept, and need the room.
            self.largest.settle();
        }
    }

    /// Half width of the interval of a node around its linear estimate.
    pub fn half_width(&self, node: usize) -> f64 {
        self.largest.least(node)
    }

    /// Half widths of two intervals that hold together at the level: of a node around its linear estimate, and of a
    /// `whole` that it is a part of. Of the chance `m / (R + 1)` of a miss, where the `m` largest errors are kept, `1 /
    /// (R + 1)` goes to the whole, whose half width is its largest error. None if that leaves nothing for the node.
    pub fn half_widths(&self, node: usize, sum: usize) -> Option<(f64, f64)> {
        let kept = self.largest.kept();
        (kept > 1).then(|| (self.largest.after(node, 1), self.largest.after(sum, kept - 1)))
    }

    /// Mean error and its Monte Carlo standard error.
    pub fn bias(&self, node: usize) -> (f64, f64) {
        match &self.alike {
            Some(alike) => alike.bias(node, self.replicates),
            None => mean_and_error(self.first[node], self.second[node], self.replicates),
        }
    }

    /// Root mean square error and its Monte Carlo standard error, the latter to first order.
    pub fn rmse(&self, node: usize) -> (f64, f64) {
        match &self.alike {
            Some(alike) => alike.rmse(node, self.replicates),
            None => root_mean_square(self.second[node], self.fourth[node], self.replicates),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six replicates of 4,000 nodes in two groups, of which the second has estimates of zero: its errors are cut off
    /// below. Those of the first are the linear ones, and so are its bias and RMSE. Bias and RMSE of a class are
    /// those of one node's law, in its own unit, to four of their stated errors or a hundredth; with other standard
    /// deviations they are not.
    #[test]
    fn nodes_that_are_alike_share_bias_and_rmse_in_their_own_units() {
        const NODES: usize = 4_000;
        let groups: Vec<u32> = (0..NODES).map(|node| u32::from(node >= NODES / 2)).collect();
        let variances: Vec<f64> = (0..NODES).map(|node| if node % 2 == 0 { 4.0 } else { 9.0 }).collect();
        let estimates: Vec<f64> = groups.iter().map(|group| if *group == 0 { 1e3 } else { 0.0 }).collect();
        let mut errors = Errors::new(NODES, 6, 6, true);
        errors.alike = Some(Alike::new(&groups, &estimates, &variances));
        let mut draws = super::super::noise::Draws::from_seed(5);
        for _ in 0..6 {
            let linear: Vec<f64> = variances
                .iter()
                .map(|variance| draws.noise(super::super::noise::Law::Gaussian, variance.sqrt()))
                .collect();
            let cut = |(error, group): (&f64, &u32)| if *group == 0 { *error } else { error.max(0.0) };
            let computed = linear.iter().zip(&groups).map(cut).collect();
            errors.take_in(&Replicate { linear, errors: computed, unsolved: false });
        }
        // Of a normal law that is cut off at zero: the mean is 1 / sqrt(2 pi), and the mean square a half.
        let (mean, root) = (1.0 / (2.0 * std::f64::consts::PI).sqrt(), std::f64::consts::FRAC_1_SQRT_2);
        for (node, deviation) in [(0, 2.0), (1, 3.0), (NODES - 2, 2.0), (NODES - 1, 3.0)] {
            let (bias, rmse) = if node < 2 { (0.0, 1.0) } else { (mean, root) };
            let near =
                |(computed, error): (f64, f64), law: f64| (computed - law).abs() < (4.0 * error).max(0.01 * law.abs());
            assert!(node < 2 || near(errors.bias(node), deviation * bias), "{:?}", errors.bias(node));
            assert!(near(errors.rmse(node), deviation * rmse), "{:?}", errors.rmse(node));
            assert!(!near(errors.rmse(node), 1.2 * deviation * rmse), "a wrong unit would pass");
            assert!(errors.rmse(node).1 < 0.03 * deviation, "{:?}", errors.rmse(node));
            assert!(node >= 2 || (errors.bias(node), errors.rmse(node)) == ((0.0, 0.0), (deviation, 0.0)));
        }
    }

    #[test]
    fn few_replicates_are_solved_where_tables_are_large_alone() {
        let solved = |nodes, replicates| few_solved(Method::TableTreeTopDownRounded, nodes, replicates);
        assert_eq!((solved(100_000, 200), solved(250_000, 200), solved(16_500_000, 39)), (None, Some(20), Some(4)));
        assert_eq!(few_solved(Method::TopDownInteger, 16_500_000, 200), None);
    }

    #[test]
    fn ranks_reach_the_level() {
        assert_eq!((least_replicates(0.95), rank(0.95, 19), rank(0.95, 18)), (19, Some(19), None));
        assert_eq!((least_replicates(0.5), rank(0.5, 1)), (1, Some(1)));
        assert_eq!((rank(0.95, 200), rank(0.95, 99), rank(0.9, 99)), (Some(191), Some(95), Some(90)));
        assert_eq!(least_replicates(0.99), 99);
    }
}
