//! Quality of a solution, as numbers that anyone can recompute from it.

/// Outcome of a solver. Data, not an error: a well-formed system may well have no solution.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Status {
    /// The certificate holds: every residual is at most [`Certificate::TOLERANCE`].
    Optimal,
    /// No numbers satisfy the constraints.
    Infeasible {
        /// Requirements that cannot hold together. Of a tree or of equalities, those of any proper subset can.
        conflict: Vec<Requirement>,
    },
    /// The solver stopped before the certificate held; the estimates satisfy the constraints to within its feasibility.
    IterationLimit,
}

/// One requirement of a system, named by its place in the input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Requirement {
    /// Requirements on a node of a tree: its invariant and its bounds.
    Node(usize),
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
    /// The range of an entry of a matrix, by its place in the list of ranges.
    Entry(usize),
    /// The floor under the eigenvalues of a matrix.
    Floor,
}

/// The conditions of Karush, Kuhn and Tucker at a solution, each as its largest residual relative to scale.
///
/// # Contract
/// For `minimise f(s)` subject to linear constraints and bounds, `s` is optimal if and only if there are multipliers
/// with all three residuals zero. Each residual is divided by the largest term of the sum it is the remainder of, so
/// that it is about `1e-16` when a solver has done all that doubles can do.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub struct Certificate {
    /// Gradient left over after the multipliers. For integers: gain per unit of the best exchange of one unit.
    pub stationarity: f64,
    /// Violation of a constraint or a bound.
    pub feasibility: f64,
    /// Distance to a bound that has a multiplier.
    pub complementarity: f64,
}

impl Certificate {
    /// Largest residual of an optimal solution.
    pub const TOLERANCE: f64 = 1e-12;

    /// The largest of the three residuals.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::certificate::Certificate;
    /// assert_eq!(Certificate::default().worst(), 0.0);
    /// ```
    pub fn worst(&self) -> f64 {
        self.stationarity.max(self.feasibility).max(self.complementarity)
    }

    /// Takes in the certificate of a part: a whole is as far from its optimum as the worst of its parts.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::certificate::Certificate;
    /// let mut whole = Certificate::default();
    /// let mut part = Certificate::default();
    /// part.feasibility = 1e-14;
    /// whole.take_in(part);
    /// whole.take_in(Certificate::default());
    /// assert_eq!(whole, part);
    /// ```
    pub fn take_in(&mut self, part: Self) {
        self.stationarity = self.stationarity.max(part.stationarity);
        self.feasibility = self.feasibility.max(part.feasibility);
        self.complementarity = self.complementarity.max(part.complementarity);
    }

    /// The status of a solution with this certificate.
    pub(crate) fn status(&self) -> Status {
        if self.worst() <= Self::TOLERANCE { Status::Optimal } else { Status::IterationLimit }
    }

    /// Takes in the residual of a stationarity equation whose terms are as large as `scale`.
    pub(crate) fn stationary(&mut self, residual: f64, scale: f64) {
        raise(&mut self.stationarity, residual, scale);
    }

    /// Takes in the residual of a constraint whose terms are as large as `scale`.
    pub(crate) fn feasible(&mut self, residual: f64, scale: f64) {
        raise(&mut self.feasibility, residual, scale);
    }

    /// Takes in the force, relative to its terms, with which a cell at `x` pushes against its bounds: none between
    /// them, upwards only at a lower bound, downwards only at an upper one.
    pub(crate) fn pushing(&mut self, force: f64, x: f64, (lower, upper): (f64, f64)) {
        let (worst, wrong) = match (x == lower, x == upper) {
            (true, true) => return,
            (true, false) => (&mut self.complementarity, -force),
            (false, true) => (&mut self.complementarity, force),
            (false, false) => (&mut self.stationarity, force.abs()),
        };
        // Not `max`, which would forget a NaN.
        raise(worst, if wrong <= 0.0 { 0.0 } else { wrong }, 1.0);
    }

    /// Takes in the distance to a bound that has a multiplier, in a system of numbers as large as `scale`.
    pub(crate) fn complementary(&mut self, distance: f64, scale: f64) {
        raise(&mut self.complementarity, distance, scale);
    }
}

/// Raises `worst` to `|residual| / scale`; NaN counts as the largest.
fn raise(worst: &mut f64, residual: f64, scale: f64) {
    if residual == 0.0 {
        return;
    }
    let relative = residual.abs() / scale;
    // A finite number in every case: manifests have no others.
    *worst = if relative.is_nan() { f64::MAX } else { worst.max(relative).min(f64::MAX) };
}
