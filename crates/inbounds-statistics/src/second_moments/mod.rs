//! Sums of squares and products on the grid: what variances, covariances and models measure.
//!
//! With a public number of rows every variance and covariance is *one* integer, `V = n sum x y - (sum x)(sum y)`, which
//! is measured as such ([`Entry`]). With a private one, the three Bernstein sums of a column tell its variance, its
//! mean and the number of rows at once ([`Bernstein`]); covariances, and models of several columns, are made of noisy
//! sums, sums of products and the number of rows ([`NoisySums`]). [`Moments`] is either.

mod bernstein;
mod cloud;
mod column;
mod entry;
mod moments;
mod sums;

pub(crate) use bernstein::{Bernstein, Cell as BernsteinCell, Truth};
pub(crate) use cloud::{Cloud, Clouds, Fineness, Rows};
pub(crate) use column::{OnGrid, public_rows};
pub(crate) use entry::{Entry, centred_product};
pub(crate) use moments::Moments;
pub(crate) use sums::{CellSums, NoisySums};

use inbounds_core::Rational;

/// Steps of a measured answer per scale of its noise, as an exponent of two.
const STEPS_PER_SCALE: i32 = 32;

/// Steps of a sensitivity at most, as an exponent of two: staircase noise takes no more than 53.
const STEPS_PER_SENSITIVITY: i32 = 50;

/// The exponent of two by which an answer of a given sensitivity is coarsened (or, negative, refined) so that the scale
/// of its noise is about `2^32` steps.
pub(crate) fn coarsening(sensitivity: f64, epsilon: f64) -> i32 {
    let exponent = |x: f64| crate::grids::exponent_of(x);
    let fine = exponent(sensitivity / epsilon) - STEPS_PER_SCALE;
    fine.max(exponent(sensitivity) - STEPS_PER_SENSITIVITY).clamp(-100, 100)
}

/// `2^exponent`, for exponents of at most 100 in size.
pub(crate) fn power_of_two(exponent: i32) -> Rational {
    let power = 1u128 << exponent.unsigned_abs();
    if exponent < 0 { Rational::ratio(1, power) } else { Rational::from(power) }
}
