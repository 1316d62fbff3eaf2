//! Parameters from guarantees, always on the safe side.
//!
//! Each calibration returns the least noise that it can *prove* to meet the guarantee on the grid law that runs.
//! Doubles only propose; [`Enclosure`](inbounds_core::Enclosure)s dispose.
//!
//! - pure guarantees, discrete Laplace noise: [`clamped`], [`conditioned`], [`conditioned_loss`];
//! - `(epsilon, delta)`, discrete Laplace and staircase noise: [`approximate`];
//! - `(epsilon, delta)` and rho, discrete Gaussian noise: [`gaussian`];
//! - pure guarantees, discrete Gaussian noise given that the result is in a range: [`conditioned_gaussian`],
//!   and with a delta [`conditioned_gaussian_delta`];
//! - `(epsilon, delta)`, discrete generalised Gaussian noise: [`generalised_gaussian`]; given that the result is in a
//!   range, [`conditioned_generalised_gaussian`] and [`conditioned_generalised_gaussian_delta`];
//! - pure guarantees, discrete staircase noise given that the result is in a range: [`conditioned_staircase`];
//! - pure guarantees, cube noise of several numbers: [`crate::mechanism::Together`];
//! - pure guarantees, staircase noise: [`approximate::staircase`] with a delta of zero;
//! - [`continuous`]: closed forms of the continuous limits, for describing error only.

pub mod approximate;
pub mod continuous;
mod error;
pub mod gaussian;
mod powers;
mod proposals;
mod pure;
mod restricted;
mod restricted_delta;
mod restricted_powers;
mod restricted_stairs;

use inbounds_core::{Epsilon, Rational, Sensitivity};

pub use continuous::{
    conditioned_loss as continuous_conditioned_loss, conditioned_scale as continuous_conditioned_scale,
};
pub use error::CalibrationError;
pub use powers::generalised_gaussian;
pub use pure::{clamped, conditioned, conditioned_loss};
pub use restricted::{WIDEST, conditioned_gaussian};
pub use restricted_delta::conditioned_gaussian_delta;
pub use restricted_powers::{conditioned_generalised_gaussian, conditioned_generalised_gaussian_delta};
pub use restricted_stairs::conditioned_staircase;

use crate::{law::discrete_laplace::DiscreteLaplace, noise::DiscreteCube};

/// A parameter of noise, proved to meet a guarantee, and by which argument.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibrated {
    /// The inverse scale per grid step of Laplace noise, or the variance parameter in squared grid steps of Gaussian.
    pub parameter: Rational,
    /// The argument that proves it.
    pub proof: Proof,
}

/// Proof that a parameter meets its guarantee.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// It meets `(epsilon, 0)`, hence `(epsilon, delta)` for every delta; delta buys nothing.
    Pure,
    /// The hockey-stick divergence of the worst pair of answers, bounded directly.
    HockeyStick,
    /// The Renyi divergences of the worst pair: rho itself, or its conversion to `(epsilon, delta)`.
    ZeroConcentrated,
    /// The hockey-stick divergence of continuous Gaussian noise, of which the discrete noise is a random rounding.
    Smoothed,
}

/// Cube noise of one of `dimensions` numbers that one unit moves by at most `moved` parts of a step each, all cells
/// together: the inverse scale is `epsilon / moved`, exact.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`] and [`CalibrationError::Cube`].
pub(crate) fn cube(
    epsilon: &Epsilon,
    moved: u128,
    dimensions: usize,
    parts: u64,
) -> Result<DiscreteCube, CalibrationError> {
    if moved == 0 {
        return Err(CalibrationError::ZeroSensitivity);
    }
    let inverse_scale = epsilon.value() / &Rational::from(moved);
    let scale = 1.0 / (inverse_scale.to_f64() * parts as f64);
    DiscreteCube::new(inverse_scale, dimensions, parts).map_err(|_| CalibrationError::Cube { dimensions, scale })
}

/// The law of a calibrated inverse scale.
///
/// # Errors
/// [`CalibrationError::Scale`] outside the scales that the sampler accepts.
pub(crate) fn law(
    inverse_scale: Rational,
    epsilon: &Epsilon,
    sensitivity: &Sensitivity,
) -> Result<DiscreteLaplace, CalibrationError> {
    let scale = 1.0 / inverse_scale.to_f64();
    DiscreteLaplace::with_inverse_scale(inverse_scale).map_err(|_| CalibrationError::Scale {
        epsilon: epsilon.clone(),
        l1: sensitivity.l1,
        scale,
    })
}
