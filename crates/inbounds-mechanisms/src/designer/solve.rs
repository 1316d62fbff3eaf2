//! The programme as the conic solver takes it. What comes back is a proposal: nothing here is relied upon, because
//! errors and lower bound are recomputed from it (`certificate.rs`).
//!
//! Variables are the deviations `d`, the biases `b = A d + b_0`, and, by criterion, a bound `t` and squares `u >= d^2`.
//! For geometric noise the biases are given by a recurrence, and so are the expectations `s` of `u + 2 y d`, which
//! stand for the errors: `mse(q) = s(q) - 2 q (b(q) - b_0(q)) + E(y - q)^2`.
//! All are in units of the noise's standard deviation, so that coefficients are probabilities and numbers near one.

use clarabel::{
    algebra::CscMatrix,
    solver::{
        DefaultSettings, DefaultSolver, IPSolver, SolverStatus,
        SupportedConeT::{self, NonnegativeConeT, SecondOrderConeT, ZeroConeT},
    },
};

use super::{
    certificate::Multipliers,
    program::{Program, Recurrence},
};

/// Quantity to minimise.
#[derive(Debug, Clone, Copy)]
pub(super) enum Objective<'a> {
    /// The worst bias.
    WorstBias,
    /// The error averaged with these weights on the first answers, under a bias bound.
    MeanMse { weights: &'a [f64], bias_bound: f64 },
    /// The worst error, under a bias bound.
    WorstMse { bias_bound: f64 },
}

/// Bias bounds are tightened by this factor, so that the solver's own tolerance does not cross them.
const INSIDE: f64 = 1.0 - 1e-9;
/// A bound that can only just be met is relaxed by this factor: without a strictly feasible point there need be no
/// multipliers.
const RELAXED: f64 = 1.0 + 1e-7;

impl Objective<'_> {
    /// The same objective under a slightly larger bias bound.
    pub(super) fn relaxed(self) -> Self {
        match self {
            Self::WorstBias => self,
            Self::MeanMse { weights, bias_bound } => Self::MeanMse { weights, bias_bound: RELAXED * bias_bound },
            Self::WorstMse { bias_bound } => Self::WorstMse { bias_bound: RELAXED * bias_bound },
        }
    }
}

/// Deviations and multipliers that the solver takes to be optimal, in steps.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub(super) deviations: Vec<f64>,
    pub(super) multipliers: Multipliers,
    pub(super) reached_limit: bool,
}

/// Solves the programme; `unit` is the standard deviation of the noise. `None` if the solver returns no finite numbers.
pub(super) fn propose(program: &Program, objective: Objective<'_>, unit: f64, iterations: u32) -> Option<Proposal> {
    let cone = Cone::new(program, objective, unit);
    let settings = DefaultSettings {
        verbose: false,
        max_iter: iterations,
        tol_gap_abs: 1e-11,
        tol_gap_rel: 1e-11,
        tol_feas: 1e-11,
        direct_solve_method: "qdldl".to_owned(),
        max_threads: 1,
        ..DefaultSettings::default()
    };
    let variables = cone.linear.len();
    let diagonal: Vec<usize> = (0..variables).collect();
    let quadratic = CscMatrix::new_from_triplets(variables, variables, diagonal.clone(), diagonal, cone.quadratic);
    let Triplets { rows, columns, values } = cone.entries;
    let constraints = CscMatrix::new_from_triplets(cone.bounds.len(), variables, rows, columns, values);
    let mut solver =
        DefaultSolver::new(&quadratic, &cone.linear, &constraints, &cone.bounds, &cone.cones, settings).ok()?;
    solver.solve();
    let (x, z) = (&solver.solution.x, &solver.solution.z);
    if !x.iter().chain(z).all(|value| value.is_finite()) {
        return None;
    }
    Some(Proposal {
        deviations: x[..program.columns.len()].iter().map(|d| d * unit).collect(),
        multipliers: cone.layout.multipliers(program, objective, z, unit),
        reached_limit: solver.solution.status == SolverStatus::MaxIterations,
    })
}

#[derive(Default)]
struct Triplets {
    rows: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
}

/// Where the constraints on biases, errors and order begin.
struct Layout {
    above: usize,
    below: usize,
    errors: usize,
    steps: usize,
}

impl Layout {
    /// The multipliers, back in steps, those of a worst error scaled so that its weights sum to one.
    fn multipliers(&self, program: &Program, objective: Objective<'_>, z: &[f64], unit: f64) -> Multipliers {
        let rows = program.rows.len();
        let block = |start: usize, length: usize| z[start..start + length].iter().map(|z| z.max(0.0));
        let mut weights = vec![0.0; rows];
        let mut scale = unit;
        match objective {
            Objective::WorstBias => {}
            Objective::MeanMse { weights: given, .. } => weights[..given.len()].copy_from_slice(given),
            Objective::WorstMse { .. } => {
                let total: f64 = block(self.errors, rows).sum();
                if total > 0.0 {
                    scale = unit / total;
                    weights = block(self.errors, rows).map(|weight| weight / total).collect();
                }
            }
        }
        let biases = block(self.above, rows).zip(block(self.below, rows)).map(|(above, below)| scale * (above - below));
        let steps = block(self.steps, program.steps()).map(|step| scale * step);
        Multipliers { weights, biases: biases.collect(), steps: steps.collect() }
    }
}

/// Minimise `x' diag(quadratic) x / 2 + linear' x` with `bounds - entries x` in the product of the cones.
struct Cone {
    quadratic: Vec<f64>,
    linear: Vec<f64>,
    entries: Triplets,
    bounds: Vec<f64>,
    cones: Vec<SupportedConeT<f64>>,
    layout: Layout,
}

impl Cone {
    fn new(program: &Program, objective: Objective<'_>, unit: f64) -> Self {
        let (columns, rows) = (program.columns.len(), program.rows.len());
        let squares = columns + rows;
        let expectations = program.recurrence.map_or(0, |recurrence| recurrence.largest + 1);
        let (extra, has_bound) = match objective {
            Objective::WorstBias => (1, true),
            Objective::MeanMse { .. } => (0, false),
            Objective::WorstMse { .. } => (columns + expectations + 1, true),
        };
        let variables = squares + extra;
        let mut cone = Self {
            quadratic: vec![0.0; variables],
            linear: vec![0.0; variables],
            entries: Triplets::default(),
            bounds: Vec::new(),
            cones: Vec::new(),
            layout: Layout { above: 0, below: 0, errors: 0, steps: 0 },
        };
        let bound = has_bound.then_some(variables - 1);
        if let Some(bound) = bound {
            cone.linear[bound] = 1.0;
        }
        // The solver takes the rows in the order of the cones: first the equalities, then all inequalities as one cone,
        // then a second-order cone for each square. The layout remembers where the inequalities with multipliers of
        // interest begin.
        cone.define_biases(program, unit);
        if let (Objective::WorstMse { .. }, Some(recurrence)) = (objective, program.recurrence) {
            cone.define_expectations(program, recurrence, squares, unit);
        }
        let equalities = cone.bounds.len();
        cone.cones.push(ZeroConeT(equalities));
        match objective {
            Objective::WorstBias => cone.limit_biases(program, bound, 0.0),
            Objective::MeanMse { weights, bias_bound } => {
                cone.average_errors(program, weights, unit);
                cone.limit_biases(program, None, INSIDE * bias_bound / unit);
            }
            Objective::WorstMse { bias_bound } => {
                cone.limit_biases(program, None, INSIDE * bias_bound / unit);
                cone.limit_errors(program, squares, variables - 1, unit);
            }
        }
        cone.keep_in_range(program, unit);
        cone.keep_in_order(program, unit);
        let inequalities = cone.bounds.len() - equalities;
        cone.cones.push(NonnegativeConeT(inequalities));
        if let Objective::WorstMse { .. } = objective {
            cone.define_squares(columns, squares);
        }
        cone
    }

    /// One more constraint: `sum of entries <= bound`, or equality or a cone's coordinate, by its place.
    fn constrain(&mut self, entries: impl IntoIterator<Item = (usize, f64)>, bound: f64) {
        let row = self.bounds.len();
        for (column, value) in entries.into_iter().filter(|entry| entry.1 != 0.0) {
            self.entries.rows.push(row);
            self.entries.columns.push(column);
            self.entries.values.push(value);
        }
        self.bounds.push(bound);
    }

    /// `b - A d = b_0`, each row by the recurrence where there is one.
    fn define_biases(&mut self, program: &Program, unit: f64) {
        let columns = program.columns.len();
        for (q, row) in program.rows.iter().enumerate() {
            match program.recurrence.filter(|recurrence| q <= recurrence.largest) {
                None => {
                    let masses = row.mass.iter().map(|mass| -mass).enumerate();
                    self.constrain(masses.chain([(columns + q, 1.0)]), row.bias / unit);
                }
                Some(recurrence) => {
                    let biases = recurrence.expectations(q);
                    let without =
                        biases.iter().map(|(answer, factor)| factor * program.rows[*answer].bias / unit).sum();
                    let biases = biases.into_iter().map(|(answer, factor)| (columns + answer, factor));
                    let deviations = recurrence.values(q).into_iter();
                    let deviations = deviations.filter_map(|(raw, factor)| Some((program.column(raw)?, -factor)));
                    self.constrain(biases.chain(deviations), without);
                }
            }
        }
    }

    /// `s(q) = E V(q + N)` with `V(y) = u + 2 y d`.
    fn define_expectations(&mut self, program: &Program, recurrence: Recurrence, squares: usize, unit: f64) {
        let columns = program.columns.len();
        for q in 0..=recurrence.largest {
            let expectations = recurrence.expectations(q).into_iter();
            let expectations = expectations.map(|(answer, factor)| (squares + columns + answer, factor));
            let values = recurrence.values(q).into_iter().filter_map(|(raw, factor)| {
                let column = program.column(raw)?;
                let output = if program.is_tail(column) { raw as f64 } else { program.columns[column].raw as f64 };
                Some([(squares + column, -factor), (column, -2.0 * factor * output / unit)])
            });
            self.constrain(expectations.chain(values.flatten()), 0.0);
        }
    }

    /// `|b| <= t`, or `|b| <= limit` where there is no variable bound.
    fn limit_biases(&mut self, program: &Program, bound: Option<usize>, limit: f64) {
        let (columns, rows) = (program.columns.len(), program.rows.len());
        self.layout.above = self.bounds.len();
        self.layout.below = self.bounds.len() + rows;
        for sign in [1.0, -1.0] {
            for q in 0..rows {
                self.constrain([(columns + q, sign)].into_iter().chain(bound.map(|t| (t, -1.0))), limit);
            }
        }
    }

    /// Adds `sum_q w_q mse(q)`, but for its constant, to the objective.
    fn average_errors(&mut self, program: &Program, weights: &[f64], unit: f64) {
        for (row, weight) in program.rows.iter().zip(weights) {
            for (column, (mass, cross)) in row.mass.iter().zip(&row.cross).enumerate() {
                self.quadratic[column] += 2.0 * weight * mass;
                self.linear[column] += 2.0 * weight * cross / unit;
            }
        }
    }

    /// `A u + 2 C d + mse_0 <= t`, with the expectations where they are variables.
    fn limit_errors(&mut self, program: &Program, squares: usize, bound: usize, unit: f64) {
        self.layout.errors = self.bounds.len();
        let columns = program.columns.len();
        for (q, row) in program.rows.iter().enumerate() {
            if program.recurrence.is_some_and(|recurrence| q <= recurrence.largest) {
                let twice = 2.0 * row.answer / unit;
                let entries = [(squares + columns + q, 1.0), (columns + q, -twice), (bound, -1.0)];
                self.constrain(entries, -row.mse / (unit * unit) - twice * row.bias / unit);
                continue;
            }
            let linear = row.cross.iter().map(|cross| 2.0 * cross / unit).enumerate();
            let quadratic = row.mass.iter().copied().enumerate().map(|(column, mass)| (squares + column, mass));
            self.constrain(linear.chain(quadratic).chain([(bound, -1.0)]), -row.mse / (unit * unit));
        }
    }

    fn keep_in_range(&mut self, program: &Program, unit: f64) {
        for (column, output) in program.columns.iter().enumerate() {
            self.constrain([(column, -1.0)], -output.lower / unit);
            if output.upper.is_finite() {
                self.constrain([(column, 1.0)], output.upper / unit);
            }
        }
    }

    /// `d_j - d_{j+1} <= 1`.
    fn keep_in_order(&mut self, program: &Program, unit: f64) {
        self.layout.steps = self.bounds.len();
        for column in 0..program.steps() {
            self.constrain([(column, 1.0), (column + 1, -1.0)], 1.0 / unit);
        }
    }

    /// `u >= d^2`, as `(u + 1, u - 1, 2 d)` in the second-order cone.
    fn define_squares(&mut self, columns: usize, squares: usize) {
        for column in 0..columns {
            self.constrain([(squares + column, -1.0)], 1.0);
            self.constrain([(squares + column, -1.0)], -1.0);
            self.constrain([(column, -2.0)], 0.0);
            self.cones.push(SecondOrderConeT(3));
        }
    }
}
