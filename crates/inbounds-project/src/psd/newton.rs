//! Newton's method on `<E_k, (A + sum_k y_k E_k)+> = b_k` for given entries, which has a derivative almost everywhere.
//!
//! `E_k` is the unit matrix of a place: one at `(i, i)`, or `1 / sqrt 2` at `(i, j)` and `(j, i)`. The left side is the
//! gradient of the convex function `|(A + Y)+|^2 / 2`, `Y = sum_k y_k E_k`, so a step along which `theta(y) = |(A +
//! Y)+|^2 / 2 - b y` falls enough always exists. With eigenvalues `l` and eigenvectors `U` of `A + Y`, a derivative in
//! the direction `h` is `<E_k, U (W o (U^T (sum_k h_k E_k) U)) U^T>`, where `W_ij` is 1 for two positive eigenvalues, 0
//! for two others and `l_i / (l_i - l_j)` for one of each. Steps are found by conjugate gradients.

use faer::Mat;

use super::{iterate::Iterate, spectrum::Spectrum};
use crate::{
    constraint::Symmetric,
    numeric::{dot, sum},
};

/// Newton steps; convergence is quadratic.
const STEPS: usize = 60;

/// Halvings of a step.
const HALVINGS: usize = 40;

/// The share of the predicted decrease that a step must achieve (Armijo).
const ENOUGH: f64 = 1e-4;

/// Added to the derivative, which may be singular away from the solution, relative to the residual.
const REGULAR: f64 = 1e-2;

/// Entries of a matrix that are given.
pub(super) struct Given<'a> {
    pub(super) matrix: &'a Symmetric,
    /// Row and column of each, every place once.
    pub(super) places: Vec<(usize, usize)>,
    pub(super) values: Vec<f64>,
}

/// Size of an entry of the unit matrix of a place.
fn unit((i, j): (usize, usize)) -> f64 {
    if i == j { 1.0 } else { std::f64::consts::FRAC_1_SQRT_2 }
}

impl Given<'_> {
    /// The inner product of a matrix with the unit matrix of a place, of which `entry` is the matrix there.
    fn along(place: (usize, usize), entry: f64) -> f64 {
        if place.0 == place.1 { entry } else { std::f64::consts::SQRT_2 * entry }
    }

    /// The symmetric matrix `Y` of multipliers, as one number for each place: the addition to the matrix there.
    pub(super) fn added(&self, multipliers: &[f64]) -> Vec<f64> {
        self.places.iter().zip(multipliers).map(|(&place, y)| unit(place) * y).collect()
    }
}

pub(super) fn solve(problem: &Given<'_>) -> Iterate {
    let n = problem.matrix.size();
    let off = |(&(i, j), b): (&(usize, usize), &f64)| Given::along((i, j), b - problem.matrix.at(i, j));
    let start: Vec<f64> = problem.places.iter().zip(&problem.values).map(off).collect();
    let Some(mut state) = State::at(problem, start) else {
        return Iterate { matrix: problem.matrix.clone(), multipliers: vec![0.0; problem.places.len()], iterations: 0 };
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
            let y: Vec<f64> = state.y.iter().zip(&step).map(|(y, h)| y + share * h).collect();
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
    Iterate { matrix: state.positive, multipliers: state.y, iterations }
}

/// Everything known at one `y`.
struct State<'a> {
    places: &'a [(usize, usize)],
    y: Vec<f64>,
    spectrum: Spectrum,
    /// `(A + Y)+`.
    positive: Symmetric,
    /// `<E_k, (A + Y)+> - b_k`.
    residual: Vec<f64>,
    theta: f64,
}

impl<'a> State<'a> {
    fn at(problem: &'a Given<'_>, y: Vec<f64>) -> Option<Self> {
        let moved = problem.matrix.plus(&problem.places, &problem.added(&y));
        let spectrum = Spectrum::decompose(&moved)?;
        let positive = spectrum.raised_to(&moved, 0.0);
        let of_places = || problem.places.iter().zip(&problem.values);
        let residual = of_places().map(|(&(i, j), b)| Given::along((i, j), positive.at(i, j) - b)).collect();
        let squares = spectrum.values.iter().filter(|&&l| l > 0.0).map(|l| l * l / 2.0);
        let given = of_places().zip(&y).map(|((&place, b), y)| -Given::along(place, *b) * y);
        let theta = sum(squares.chain(given));
        Some(Self { places: &problem.places, y, spectrum, positive, residual, theta })
    }

    fn residual_norm(&self) -> f64 {
        dot(&self.residual, &self.residual).sqrt()
    }

    /// The Newton step, by conjugate gradients preconditioned with the diagonal of the derivative.
    fn newton_step(&self) -> Vec<f64> {
        let n = self.y.len();
        let derivative = Derivative::new(&self.spectrum, self.places);
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

/// A generalised derivative of the given entries of `(A + Y)+`.
struct Derivative<'a> {
    places: &'a [(usize, usize)],
    vectors: &'a Mat<f64>,
    weights: Mat<f64>,
}

impl<'a> Derivative<'a> {
    fn new(spectrum: &'a Spectrum, places: &'a [(usize, usize)]) -> Self {
        let (n, l) = (spectrum.values.len(), &spectrum.values);
        let weight = |i: usize, j: usize| match (l[i] > 0.0, l[j] > 0.0) {
            (true, true) => 1.0,
            (false, false) => 0.0,
            (true, false) => l[i] / (l[i] - l[j]),
            (false, true) => l[j] / (l[j] - l[i]),
        };
        Self { places, vectors: &spectrum.vectors, weights: Mat::from_fn(n, n, weight) }
    }

    fn apply(&self, h: &[f64]) -> Vec<f64> {
        let u = self.vectors;
        let n = u.nrows();
        let mut scaled: Mat<f64> = Mat::zeros(n, n);
        for (&(i, j), h) in self.places.iter().zip(h) {
            let entry = unit((i, j)) * h;
            (0..n).for_each(|k| scaled[(i, k)] += entry * u[(j, k)]);
            if i != j {
                (0..n).for_each(|k| scaled[(j, k)] += entry * u[(i, k)]);
            }
        }
        let inner = u.transpose() * &scaled;
        let weighted = Mat::from_fn(n, n, |i, j| self.weights[(i, j)] * inner[(i, j)]);
        let outer = u * &weighted;
        let entry = |i: usize, j: usize| (0..n).map(|k| outer[(i, k)] * u[(j, k)]).sum();
        self.places.iter().map(|&(i, j)| Given::along((i, j), entry(i, j))).collect()
    }

    /// Its diagonal: `sum_kl W_kl U_ik^2 U_il^2` at `(i, i)`, `sum_kl W_kl (U_ik^2 U_jl^2 + U_ik U_jk U_il U_jl)` at
    /// `(i, j)`.
    fn diagonal(&self) -> Vec<f64> {
        let u = self.vectors;
        let n = u.nrows();
        let squares = Mat::from_fn(n, n, |i, j| u[(i, j)] * u[(i, j)]);
        let outer = &squares * &self.weights;
        let at = |&(i, j): &(usize, usize)| {
            let of_squares: f64 = (0..n).map(|l| outer[(i, l)] * squares[(j, l)]).sum();
            if i == j {
                return of_squares;
            }
            let both: Vec<f64> = (0..n).map(|k| u[(i, k)] * u[(j, k)]).collect();
            let weighted = |l: usize| (0..n).map(|k| both[k] * self.weights[(k, l)]).sum::<f64>();
            of_squares + (0..n).map(|l| both[l] * weighted(l)).sum::<f64>()
        };
        self.places.iter().map(at).collect()
    }
}
