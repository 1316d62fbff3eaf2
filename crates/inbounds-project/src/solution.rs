//! What a solver hands back: values, a status and the numbers that prove it.

/// One requirement of a system, named by its place in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Requirement {
    /// The known total.
    Total,
    /// The lower bound of a cell.
    Lower(usize),
    /// The upper bound of a cell.
    Upper(usize),
    /// A row of `A x = b`.
    Equality(usize),
    /// A row of `C x <= d`.
    Inequality(usize),
    /// The given diagonal entry of a matrix.
    Diagonal(usize),
    /// The floor under the eigenvalues of a matrix.
    Floor,
}

/// How a solver ended. That no point satisfies all requirements is an outcome, not an error.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The values are the solution; [`Kkt`] says how well.
    Optimal,
    /// No point satisfies these requirements together; the values are the input.
    Infeasible(Vec<Requirement>),
    /// The solver stopped before it was sure; the values are the best it had.
    IterationLimit,
}

/// The optimality conditions of Karush, Kuhn and Tucker at a returned point, as numbers that are zero at the optimum.
///
/// Each is the worst over its conditions, relative to the size of the terms that the condition subtracts, so `1e-16` is
/// one rounding whatever the units and weights are.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Kkt {
    /// Gradient of the Lagrangian: `w (x - y)` against the multipliers.
    pub stationarity: f64,
    /// Violation of the requirements.
    pub primal: f64,
    /// Multipliers of the wrong sign, or of requirements that do not bind.
    pub complementarity: f64,
}

impl Kkt {
    /// The largest of the three.
    pub fn worst(&self) -> f64 {
        self.stationarity.max(self.primal).max(self.complementarity)
    }
}

/// A projected vector.
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// One value a cell, in the order of the input.
    pub values: Vec<f64>,
    /// How the solver ended.
    pub status: Status,
    /// The certificate; all NaN where there is no solution.
    pub kkt: Kkt,
}

impl Solution {
    /// No point satisfies `conflict`: the input is handed back.
    pub(crate) fn infeasible(values: &[f64], conflict: Vec<Requirement>) -> Self {
        let kkt = Kkt { stationarity: f64::NAN, primal: f64::NAN, complementarity: f64::NAN };
        Self { values: values.to_vec(), status: Status::Infeasible(conflict), kkt }
    }
}
