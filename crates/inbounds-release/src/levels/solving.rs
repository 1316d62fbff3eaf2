//! Measurements of all levels solved for together, with their errors.

use inbounds_bundle::ProjectionEntry;
use inbounds_core::monte_carlo::rank;
use inbounds_statistics::Estimate;

use crate::projection::{Drift, Measured, Method, Model, Simulation, Solved, Solver, solver_entry};

/// How often noise is drawn again to find bias, RMSE and intervals, at least and at most: 39 are enough for intervals
/// at 95 % whose half width is not the largest error of all.
const REPLICATES: (usize, usize) = (39, 200);

/// Nodes that are solved for, over all replicates, as long as that leaves enough of them.
const WORK: usize = 100_000_000;

/// How often noise is drawn again for so many nodes.
fn replicates(nodes: usize) -> usize {
    (WORK / nodes.max(1)).clamp(REPLICATES.0, REPLICATES.1)
}

/// A solved system of measurements, in steps.
pub(super) struct Solving {
    /// Number of cells of all levels.
    pub(super) cells: usize,
    pub(super) model: Model,
    solver: Box<dyn Solver>,
    pub(super) method: Method,
    pub(super) solved: Solved,
    /// Estimates under the sums alone.
    pub(super) linear: Vec<f64>,
    /// How many cells, the first ones, have measurements of their own numbers.
    own: usize,
    /// The measurements that there are, and their nodes.
    measured: Vec<Measured>,
    of: Vec<u32>,
    /// How often noise is drawn again.
    pub(super) replicates: usize,
    /// Which of the sorted absolute errors is the half width of an interval.
    pub(super) rank: usize,
    seed: u64,
}

impl Solving {
    /// Solves for all cells, of which the first `own` have measurements of their own numbers, if any. `measured` stands
    /// by node, with infinite variance where there is no measurement; `seed` is that of simulated noise.
    pub(super) fn new(
        (cells, own): (usize, usize),
        model: Model,
        solver: Box<dyn Solver>,
        measured: Vec<Measured>,
        (level, seed): (f64, u64),
    ) -> Self {
        let method = solver.method();
        let (solved, linear) = solver.solve_with_linear(&model, model.value.clone());
        let nodes = (0..).zip(measured).filter(|(_, measured): &(u32, Measured)| measured.variance < f64::INFINITY);
        let (of, measured) = nodes.unzip();
        let replicates = replicates(solved.estimates.len());
        let rank = rank(level, replicates).expect("enough replicates for the level");
        Self { cells, own, model, solver, method, solved, linear, measured, of, replicates, rank, seed }
    }

    /// What is to be seen of the replicates of each level, `level` cell by cell; all `entries` of a cell have the same.
    pub(super) fn drift(&self, levels: usize, level: &[u32], entries: usize) -> Drift {
        let of_node = |node: usize| if node < entries * level.len() { level[node % level.len()] } else { u32::MAX };
        let variance = self.linear_variances().into_iter().enumerate();
        Drift::new(levels, variance.map(|(node, variance)| (of_node(node), variance)), self.replicates)
    }

    /// The measured value of a node, if there is one.
    pub(super) fn raw(&self, node: usize) -> Option<f64> {
        let place = self.of.binary_search(&(node as u32)).ok().filter(|_| node % self.cells < self.own)?;
        // What is known was not measured.
        (self.measured[place].variance > 0.0).then(|| self.model.value[node])
    }

    /// The noise drawn again around the estimates.
    pub(super) fn simulation(&self) -> Simulation<'_> {
        Simulation {
            model: &self.model,
            of: &self.of,
            measured: &self.measured,
            solver: &*self.solver,
            truth: &self.solved.estimates,
            replicates: self.replicates,
            rank: self.rank,
            seed: self.seed,
        }
    }

    /// Variances of the estimates under the sums alone.
    pub(super) fn linear_variances(&self) -> Vec<f64> {
        self.solver.linear_variances(&self.model)
    }

    /// What the manifest says of it.
    pub(super) fn entry(&self) -> ProjectionEntry {
        let solver = solver_entry(&self.model, &*self.solver, &self.solved);
        ProjectionEntry { solver, replicates: self.replicates, seed: self.seed.to_string(), rank: self.rank }
    }
}

/// What is said of one number, in steps. Bias and RMSE come with their Monte Carlo errors.
pub(super) struct Said {
    pub(super) value: f64,
    pub(super) interval: (f64, f64),
    pub(super) measurement: Option<f64>,
    pub(super) bias: (f64, f64),
    pub(super) rmse: (f64, f64),
}

impl Said {
    /// The same with a step of this size.
    pub(super) fn in_unit(self, step: f64) -> Estimate {
        Estimate {
            measurement: self.measurement.map(|measurement| measurement * step),
            value: self.value * step,
            lower: self.interval.0 * step,
            upper: self.interval.1 * step,
            bias_at_estimate: self.bias.0 * step,
            bias_error: self.bias.1 * step,
            bias_over_interval: None,
            worst_bias: None,
            rmse_at_estimate: self.rmse.0 * step,
            rmse_over_interval: None,
            rmse_error: self.rmse.1 * step,
        }
    }
}

/// The interval around a linear estimate, moved into the range and cut to it.
pub(super) fn around(linear: f64, half: f64, (lower, upper): (f64, f64)) -> (f64, f64) {
    let centre = linear.clamp(lower, upper);
    ((centre - half).max(lower), (centre + half).min(upper))
}
