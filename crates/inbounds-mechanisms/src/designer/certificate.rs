//! Lower bounds from multipliers, without trust in the solver that proposes them.
//!
//! For weights `w >= 0` and multipliers `mu` on the answers, every rule has
//!
//! ```text
//! sum_q w_q mse(q) + sum_q mu_q bias(q)  >=  constants + sum_j min over d_j of (D_j d_j^2 + E_j d_j)
//! ```
//!
//! with `D_j = sum_q w_q A_j(q)` and `E_j = sum_q (2 w_q C_j(q) + mu_q A_j(q))`: the least value of the sum falls apart
//! into one quadratic for each output, over the deviations that are possible there. So *any* multipliers give a valid
//! bound in one pass; good ones give a sharp one. Rules that must not fall add `sum_j kappa_j (d_j - d_{j+1} - 1)`,
//! which is nowhere positive for them, with `kappa >= 0`: a constant, and `kappa_j - kappa_{j-1}` in `E_j`.
//!
//! A rule whose bias is at most `B` cannot put more than `(q + B) / A_j(q)` into output `j`, for any answer `q`, since
//! its mean is at most `q + B` and no output is negative; one whose `sum_q w_q mse(q)` is at most `V` cannot put an
//! output farther than `sqrt(V / (w_q A_j(q)))` from `q`. This makes the possible deviations finite on a half line too.

use super::{kernel::Kernel, program::Program};

/// Weights on errors and multipliers on biases for every row of the programme, and on steps of the rule downwards.
#[derive(Debug, Clone)]
pub(super) struct Multipliers {
    /// `w_q >= 0`.
    pub(super) weights: Vec<f64>,
    /// `mu_q`.
    pub(super) biases: Vec<f64>,
    /// `kappa_j >= 0`.
    pub(super) steps: Vec<f64>,
}

impl Multipliers {
    pub(super) fn none(program: &Program) -> Self {
        let rows = program.rows.len();
        Self { weights: vec![0.0; rows], biases: vec![0.0; rows], steps: vec![0.0; program.steps()] }
    }

    /// `sum_q |mu_q|`.
    fn total_variation(&self) -> f64 {
        self.biases.iter().map(|bias| bias.abs()).sum()
    }
}

/// Relative widening of implied bounds, far more than the rounding in them.
const WIDER: f64 = 1.0 + 1e-9;

/// The programme, with the deviations open to rules whose worst bias is at most a bound.
pub(super) struct Certificate<'a> {
    kernel: &'a Kernel,
    program: &'a Program,
    bias_bound: f64,
    ranges: Vec<(f64, f64)>,
}

impl<'a> Certificate<'a> {
    pub(super) fn new(kernel: &'a Kernel, program: &'a Program, bias_bound: f64) -> Self {
        let ranges = (0..program.columns.len()).map(|column| implied_range(program, column, bias_bound)).collect();
        Self { kernel, program, bias_bound, ranges }
    }

    /// A lower bound on the worst bias of every rule: `min(B, min_d sum_q mu_q bias(q) / sum_q |mu_q|)`.
    pub(super) fn worst_bias(&self, multipliers: &Multipliers) -> f64 {
        let total = multipliers.total_variation();
        // Zero is always a bound, also where the multipliers are no numbers.
        if total > 0.0 { (self.least(multipliers) / total).max(0.0).min(self.bias_bound) } else { 0.0 }
    }

    /// A lower bound on `sum_q w_q mse(q)` over the rules whose worst bias is at most `B`, given the value `attained`
    /// by one of them.
    pub(super) fn weighted_mse(mut self, multipliers: &Multipliers, attained: f64) -> f64 {
        for (row, weight) in
            self.program.rows.iter().zip(&multipliers.weights).filter(|(row, _)| row.answer.is_finite())
        {
            for (column, range) in self.ranges.iter_mut().enumerate() {
                let distance = libm::sqrt(attained / (weight * row.mass[column])) * WIDER;
                let centre = row.answer - self.program.columns[column].raw as f64;
                if distance.is_finite() && !self.program.is_tail(column) {
                    *range = (range.0.max(centre - distance), range.1.min(centre + distance));
                }
            }
        }
        let least = self.least(multipliers) - self.bias_bound * multipliers.total_variation();
        least.max(0.0).min(attained)
    }

    /// The least `sum_q w_q mse(q) + sum_q mu_q bias(q)`, less all rounding.
    fn least(&self, multipliers: &Multipliers) -> f64 {
        let mut total = self.kernel.sum();
        for ((row, weight), bias) in self.program.rows.iter().zip(&multipliers.weights).zip(&multipliers.biases) {
            total.add(weight * row.mse);
            total.add(bias * row.bias);
        }
        for step in &multipliers.steps {
            total.add(-step);
        }
        let mut widest = 0f64;
        for (column, range) in self.ranges.iter().enumerate() {
            widest = widest.max(range.0.abs()).max(range.1.abs());
            total.add(self.least_of_column(column, *range, multipliers));
        }
        let weights: f64 = multipliers.weights.iter().sum();
        let omitted = multipliers.total_variation() * self.kernel.omitted_bias(widest)
            + weights * self.kernel.omitted_mse(widest);
        total.value() - total.slack() - omitted
    }

    /// The least `D d^2 + E d` for one column. What rounding can do to `E` is taken from it where `d` is positive and
    /// added where it is negative.
    fn least_of_column(&self, column: usize, (lower, upper): (f64, f64), multipliers: &Multipliers) -> f64 {
        let (mut curvature, mut slope) = (self.kernel.sum(), self.kernel.sum());
        for ((row, weight), bias) in self.program.rows.iter().zip(&multipliers.weights).zip(&multipliers.biases) {
            curvature.add(weight * row.mass[column]);
            slope.add(2.0 * weight * row.cross[column]);
            slope.add(bias * row.mass[column]);
        }
        let step = |column: Option<usize>| column.and_then(|j| multipliers.steps.get(j)).copied().unwrap_or(0.0);
        slope.add(step(Some(column)));
        slope.add(-step(column.checked_sub(1)));
        let curvature = (curvature.value() - curvature.slack()).max(0.0);
        let side = |slope: f64, from: f64, to: f64| {
            if from <= to { least_quadratic(curvature, slope, from, to) } else { f64::INFINITY }
        };
        let positive = side(slope.value() - slope.slack(), lower.max(0.0), upper);
        positive.min(side(slope.value() + slope.slack(), lower, upper.min(0.0)))
    }
}

/// The least `a d^2 + b d` over `[from, to]`, for `a >= 0`.
fn least_quadratic(a: f64, b: f64, from: f64, to: f64) -> f64 {
    let at = |d: f64| (a * d + b) * d;
    let ends = at(from).min(at(to));
    if a > 0.0 { ends.min(at((-0.5 * b / a).clamp(from, to))) } else { ends }
}

/// The deviations of one column under a bias bound, from every answer that can say something.
fn implied_range(program: &Program, column: usize, bias_bound: f64) -> (f64, f64) {
    let output = program.columns[column];
    let raw = output.raw as f64;
    let answers = program.rows.iter().filter(|row| row.mass[column] > 0.0);
    let implied = answers.map(|row| {
        if row.answer.is_finite() { (row.answer + bias_bound) / row.mass[column] * WIDER - raw } else { bias_bound }
    });
    let upper = implied.fold(output.upper, f64::min);
    (if program.is_tail(column) { output.lower.max(-bias_bound) } else { output.lower }, upper)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        designer::{Answers, Form},
        noise::DiscreteLaplace,
    };

    /// The half line with `a = e^(-1/2)`, where the least worst bias is `3/(1 + e^(3/2))`, proved by two answers.
    fn half_line() -> (Kernel, Program, f64) {
        let noise = DiscreteLaplace::with_inverse_scale("0.5".parse().expect("number")).expect("admissible");
        let kernel = Kernel::new(&noise).expect("lattice");
        let form = Form { answers: Answers::HalfLine, first: 0, last: 20, free_shift: true, monotone: false };
        let program = Program::new(&kernel, form, 1);
        (kernel, program, 3.0 / (1.0 + libm::exp(1.5)))
    }

    /// Multipliers `weight` on the answer 0 and `weight - 1` on the answer 3.
    fn bound(kernel: &Kernel, program: &Program, weight: f64) -> f64 {
        let mut multipliers = Multipliers::none(program);
        (multipliers.biases[0], multipliers.biases[3]) = (weight, weight - 1.0);
        Certificate::new(kernel, program, 0.6).worst_bias(&multipliers)
    }

    #[test]
    fn the_multipliers_of_the_proof_give_the_closed_form() {
        let (kernel, program, exact) = half_line();
        let proof = libm::exp(1.5) / (1.0 + libm::exp(1.5));
        let lower_bound = bound(&kernel, &program, proof);
        assert!(lower_bound <= exact && lower_bound > exact * (1.0 - 1e-9), "{lower_bound} {exact}");
        // Damaged multipliers still give a valid bound, and a worse one.
        for damage in [-0.1, -0.01, 0.01, 0.1] {
            let lower_bound = bound(&kernel, &program, proof + damage);
            assert!(lower_bound < exact * (1.0 - 0.01), "{damage}: {lower_bound} {exact}");
        }
    }

    #[test]
    fn a_bound_never_passes_the_exact_value() {
        let (kernel, program, exact) = half_line();
        for seed in 0..200u64 {
            let mut multipliers = Multipliers::none(&program);
            for (q, bias) in multipliers.biases.iter_mut().enumerate() {
                *bias = libm::sin((seed * 37 + q as u64 * 101) as f64) * libm::exp(-0.3 * q as f64);
            }
            let lower_bound = Certificate::new(&kernel, &program, 0.6).worst_bias(&multipliers);
            assert!(lower_bound <= exact, "{seed}: {lower_bound} {exact}");
        }
    }

    #[test]
    fn quadratics_on_an_interval() {
        assert_eq!(least_quadratic(1.0, -2.0, 0.0, 3.0), -1.0);
        assert_eq!(least_quadratic(1.0, -2.0, 2.0, 3.0), 0.0);
        assert_eq!(least_quadratic(0.0, -2.0, -1.0, 3.0), -6.0);
    }
}
