//! Discrete Laplace noise, for epsilon, with or without delta. Its sampler is [`crate::sampler`] itself.

use inbounds_core::{Guarantee, Rational, Sensitivity};

use super::{About, Drawn, GridLaw, NoiseKind, Parameter, Promise, Record};
pub use crate::law::discrete_laplace::DiscreteLaplace;
use crate::{
    calibrate::{self, CalibrationError},
    sampler::{Entropy, fill_discrete_laplace},
};

impl GridLaw for DiscreteLaplace {
    fn about() -> About {
        About {
            word: "laplace",
            law: "discrete-laplace",
            promise: Promise::Pure,
            drawn: Drawn::Alone,
            record: Record::Number(Parameter {
                key: "inverse_scale_per_step",
                before: "inverse scale ",
                after: " per step",
            }),
        }
    }

    fn calibrate(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Self, CalibrationError> {
        let (inverse_scale, epsilon) = match guarantee {
            Guarantee::Pure { epsilon } => (calibrate::clamped(epsilon, sensitivity)?, epsilon),
            Guarantee::Approximate { epsilon, delta } => {
                (calibrate::approximate::clamped(epsilon, delta, sensitivity)?.parameter, epsilon)
            }
            Guarantee::ZeroConcentrated { .. } => return Err(CalibrationError::NeedsEpsilon),
        };
        calibrate::law(inverse_scale, epsilon, sensitivity)
    }

    fn kind(&self) -> NoiseKind {
        NoiseKind::Laplace
    }

    fn parameters(&self) -> Vec<Rational> {
        vec![self.inverse_scale().clone()]
    }

    /// `b`.
    fn scale(&self) -> f64 {
        self.scale()
    }

    fn ln_kernel(&self, x: f64) -> f64 {
        -self.tau() * x.abs()
    }

    /// Exactly `2 ln(1 - a) - ln(1 - a e^rate) - ln(1 - a e^-rate)` for `rate < tau`, with `a = e^-tau`.
    fn ln_exponential_moment(&self, rate: f64) -> f64 {
        let tau = self.tau();
        let missing = |tau: f64| -libm::expm1(-tau);
        if rate < tau {
            2.0 * libm::log(missing(tau)) - libm::log(missing(tau - rate)) - libm::log(missing(tau + rate))
        } else {
            f64::INFINITY
        }
    }

    fn exponential_rate(&self) -> f64 {
        self.tau()
    }

    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]) {
        fill_discrete_laplace(self, entropy, noise);
    }
}
