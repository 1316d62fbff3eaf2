//! Newton's method on `diag (A + Diag(y))+ = b`, which has a derivative almost everywhere.
//!
//! The left side is the gradient of the convex function `|(A + Diag(y))+|^2 / 2`, so a step along which
//! `theta(y) = |(A + Diag(y))+|^2 / 2 - b y` falls enough always exists. With eigenvalues `l` and eigenvectors `U` of
//! `A + Diag(y)`, a derivative in the direction `h` is `diag(U (W o (U^T Diag(h) U)) U^T)`, where `W_ij` is 1 for two
//! positive eigenvalues, 0 for two others and `l_i / (l_i - l_j)` for one of each. Steps are found by conjugate gradients.

use faer::Mat;

use super::{Found, Shifted, spectrum::Spectrum};
use crate::{constraint::Symmetric, numeric::sum};

/// Newton steps; convergence is quadratic.
const STEPS: usize = 60;

/// Halvings of a step.
const HALVINGS: usize = 40;

/// The share of the predicted decrease that a step must achieve (Armijo).
const ENOUGH: f64 = 1e-4;

/// Added to the derivative, which may be singular away from the solution, relative to the residual.
const REGULAR: f64 = 1e-2;

pub(super) fn solve(problem: &Shifted) -> Found {
    let n = problem.diagonal.len();
    let start = (0..n).map(|i| problem.diagonal[i] - problem.matrix.at(i, i)).collect();
    let Some(mut state) = State::at(problem, start) else {
        return Found { matrix: problem.matrix.clone(), multipliers: vec![0.0; n], iterations: 0 };
    };
    let mut iterations = 1;
    for _ in 0..STEPS {
        if state.residual_norm() <= n as f64 * f64::EPSILON * state.spectrum.norm() {
            break;
        }
        let step = state.newton_step();
        let slope = sum(state.residual.iter().zip(&step).map(|(f, h)| f * h));
        let shortened = (0..HALVINGS).find_map(|halvings| {
            let share = 0.5_f64.powi(halvings as i32);
            let y = state.y.iter().zip(&step).map(|(y, h)| y + share * h).collect();
            iterations += 1;
            let next = State::at(problem, y)?;
            // Near the solution the decrease drowns in rounding, and the residual tells progress.
            let falls = next.theta <= state.theta + ENOUGH * share * slope;
            (falls || next.residual_norm() < 0.5 * state.residual_norm()).then_some(next)
        });
        match shortened {
            Some(next) => state = next,
            None => break,
        }
    }
    Found { matrix: state.positive, multipliers: state.y, iterations }
}

/// Everything known at one `y`.
struct State {
    y: Vec<f64>,
    spectrum: Spectrum,
    /// `(A + Diag(y))+`.
    positive: Symmetric,
    /// `diag (A + Diag(y))+ - b`.
    residual: Vec<f64>,
    theta: f64,
}

impl State {
    fn at(problem: &Shifted, y: Vec<f64>) -> Option<Self> {
        let n = y.len();
        let moved = Symmetric::from_lower(n, |i, j| problem.matrix.at(i, j) + if i == j { y[i] } else { 0.0 });
        let spectrum = Spectrum::of(&moved)?;
        let positive = spectrum.raised_to(&moved, 0.0);
        let residual = (0..n).map(|i| positive.at(i, i) - problem.diagonal[i]).collect();
        let squares = spectrum.values.iter().filter(|&&l| l > 0.0).map(|l| l * l / 2.0);
        let theta = sum(squares.chain(problem.diagonal.iter().zip(&y).map(|(b, y)| -b * y)));
        Some(Self { y, spectrum, positive, residual, theta })
    }

    fn residual_norm(&self) -> f64 {
        dot(&self.residual, &self.residual).sqrt()
    }

    /// The Newton step, by conjugate gradients preconditioned with the diagonal of the derivative.
    fn newton_step(&self) -> Vec<f64> {
        let n = self.y.len();
        let derivative = Derivative::new(&self.spectrum);
        let norm = self.residual_norm();
        let regular = f64::min(REGULAR, norm / self.spectrum.norm().max(f64::MIN_POSITIVE));
        let scale: Vec<f64> = derivative.diagonal().into_iter().map(|v| v + regular).collect();
        let (mut step, mut left) = (vec![0.0; n], self.residual.iter().map(|f| -f).collect::<Vec<f64>>());
        let mut scaled: Vec<f64> = left.iter().zip(&scale).map(|(r, s)| r / s).collect();
        let (mut direction, mut product) = (scaled.clone(), dot(&left, &scaled));
        for _ in 0..2 * n + 10 {
            let mut image = derivative.apply(&direction);
            image.iter_mut().zip(&direction).for_each(|(image, d)| *image += regular * d);
            let curvature = dot(&direction, &image);
            if curvature <= 0.0 {
                break;
            }
            let length = product / curvature;
            step.iter_mut().zip(&direction).for_each(|(step, d)| *step += length * d);
            left.iter_mut().zip(&image).for_each(|(left, image)| *left -= length * image);
            if dot(&left, &left).sqrt() <= f64::min(0.1, norm) * 1e-2 * norm {
                break;
            }
            scaled = left.iter().zip(&scale).map(|(r, s)| r / s).collect();
            let next = dot(&left, &scaled);
            direction = scaled.iter().zip(&direction).map(|(s, d)| s + next / product * d).collect();
            product = next;
        }
        step
    }
}

/// A generalised derivative of `diag (A + Diag(y))+`.
struct Derivative<'a> {
    vectors: &'a Mat<f64>,
    weights: Mat<f64>,
}

impl<'a> Derivative<'a> {
    fn new(spectrum: &'a Spectrum) -> Self {
        let (n, l) = (spectrum.values.len(), &spectrum.values);
        let weight = |i: usize, j: usize| match (l[i] > 0.0, l[j] > 0.0) {
            (true, true) => 1.0,
            (false, false) => 0.0,
            (true, false) => l[i] / (l[i] - l[j]),
            (false, true) => l[j] / (l[j] - l[i]),
        };
        Self { vectors: &spectrum.vectors, weights: Mat::from_fn(n, n, weight) }
    }

    fn apply(&self, h: &[f64]) -> Vec<f64> {
        let (n, u) = (h.len(), self.vectors);
        let scaled = Mat::from_fn(n, n, |i, j| h[i] * u[(i, j)]);
        let inner = u.transpose() * &scaled;
        let weighted = Mat::from_fn(n, n, |i, j| self.weights[(i, j)] * inner[(i, j)]);
        let outer = u * &weighted;
        (0..n).map(|i| (0..n).map(|j| outer[(i, j)] * u[(i, j)]).sum()).collect()
    }

    /// Its diagonal: `sum_kl W_kl U_ik^2 U_il^2`.
    fn diagonal(&self) -> Vec<f64> {
        let n = self.vectors.nrows();
        let squares = Mat::from_fn(n, n, |i, j| self.vectors[(i, j)] * self.vectors[(i, j)]);
        let outer = &squares * &self.weights;
        (0..n).map(|i| (0..n).map(|j| outer[(i, j)] * squares[(i, j)]).sum()).collect()
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
