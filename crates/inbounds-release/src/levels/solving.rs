//! Measurements of all levels solved for together, with their errors.

use inbounds_bundle::ProjectionEntry;
use inbounds_core::monte_carlo::rank;
use inbounds_statistics::Estimate;

use super::at_once::AtOnce;
use crate::projection::{
    Alike, Drift, Errors, Measured, Method, Model, Simulation, Solved, Solver, few_solved, solver_entry,
};

/// Largest number of times that noise is drawn again for bias, RMSE and intervals, where a level does not need more.
const REPLICATES: usize = 200;

/// Least number of simulated errors that are as large as a half width, where there is time; and the least in any case.
const BEYOND: (f64, f64) = (5.0, 2.0);

/// Nodes that are solved for, over all replicates, as long as that leaves enough of them.
const WORK: usize = 100_000_000;

/// Number of times that noise is drawn again, by the number of nodes: for intervals at 95 % from 39 to 200 times, so
/// that no half width is the largest error of all.
fn replicates(nodes: usize, level: f64) -> usize {
    let with_beyond = |beyond: f64| libm::ceil(beyond / (1.0 - level) * (1.0 - 1e-9)) as usize - 1;
    let (most, least) = (with_beyond(BEYOND.0).max(REPLICATES), with_beyond(BEYOND.1));
    (WORK / nodes.max(1)).clamp(least, most)
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
    /// Number of cells, the first ones, with measurements of their own numbers.
    own: usize,
    /// The measurements that there are, and their nodes.
    measured: Vec<Measured>,
    nodes: Vec<u32>,
    /// Number of replicates.
    pub(super) replicates: usize,
    /// Which of the sorted absolute errors is the half width of an interval.
    pub(super) rank: usize,
    /// True if intervals are to hold for all cells at once.
    joint: bool,
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
        let (nodes, measured) = nodes.unzip();
        let replicates = replicates(solved.estimates.len(), level);
        let rank = rank(level, replicates).expect("enough replicates for the level");
        Self {
            cells,
            own,
            model,
            solver,
            method,
            solved,
            linear,
            measured,
            nodes,
            replicates,
            rank,
            joint: false,
            seed,
        }
    }

    /// The same with intervals that hold at once, or each by itself.
    pub(super) fn joint(self, joint: bool) -> Self {
        Self { joint, ..self }
    }

    /// Room for the largest error of all, where intervals are to hold at once: of errors with these scales.
    pub(super) fn at_once(&self, scales: impl FnOnce() -> Vec<f64>) -> Option<AtOnce> {
        self.joint.then(|| AtOnce::new(scales(), self.replicates + 1 - self.rank))
    }

    /// Collector of the replicates' errors by level, `level` cell by cell; all `entries` of a cell have the same.
    pub(super) fn drift(&self, levels: usize, level: &[u32], entries: usize) -> Drift {
        let of_node = |node: usize| if node < entries * level.len() { level[node % level.len()] } else { u32::MAX };
        let variance = self.linear_variances().into_iter().enumerate();
        Drift::new(levels, variance.map(|(node, variance)| (of_node(node), variance)), self.replicates)
    }

    /// The measured value of a node, if there is one.
    pub(super) fn raw(&self, node: usize) -> Option<f64> {
        let place = self.nodes.binary_search(&(node as u32)).ok().filter(|_| node % self.cells < self.own)?;
        // What is known was not measured.
        (self.measured[place].variance > 0.0).then(|| self.model.value[node])
    }

    /// The noise drawn again around the estimates.
    pub(super) fn simulation(&self) -> Simulation<'_> {
        Simulation {
            model: &self.model,
            measured_nodes: &self.nodes,
            measured: &self.measured,
            solver: &*self.solver,
            truth: &self.solved.estimates,
            replicates: self.replicates,
            solved: self.replicates,
            rank: self.rank,
            seed: self.seed,
        }
    }

    /// The simulation of all cells, and what is to be found by it; very many cells of tables along a tree share the
    /// errors of cells that are alike, and few replicates are solved.
    pub(super) fn simulated(&self) -> (Simulation<'_>, Errors) {
        let few = self.few_solved();
        let alike = few.map(|_| {
            let (groups, variances) = (self.solver.groups(&self.model), self.linear_variances());
            Alike::new(&groups, &self.solved.estimates, &variances)
        });
        let simulation = Simulation { solved: few.unwrap_or(self.replicates), ..self.simulation() };
        let errors = simulation.errors(alike);
        (simulation, errors)
    }

    /// Number of replicates that are solved, where cells that are alike share their errors. Numbers that are made of
    /// several tables have their own.
    fn few_solved(&self) -> Option<usize> {
        let is_one = self.cells == self.model.nodes();
        few_solved(self.method, self.model.nodes(), self.replicates).filter(|_| is_one)
    }

    /// Variances of the estimates under the sums alone.
    pub(super) fn linear_variances(&self) -> Vec<f64> {
        self.solver.linear_variances(&self.model)
    }

    /// The projection's entry in the manifest.
    pub(super) fn entry(&self) -> ProjectionEntry {
        let solver = solver_entry(&self.model, &*self.solver, &self.solved);
        ProjectionEntry {
            solver,
            replicates: self.replicates,
            solved: self.few_solved(),
            seed: self.seed.to_string(),
            rank: self.rank,
        }
    }
}

/// Results for one number, in steps. Bias and RMSE come with their Monte Carlo errors.
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
