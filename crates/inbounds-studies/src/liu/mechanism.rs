//! The mechanisms that the paper compares, in continuous noise like its own.

use inbounds_core::root;
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    calibrate::continuous_conditioned_scale,
    law::Laplace,
};

use crate::{StudyError, draws::Draws, published_scale};

/// Mechanism that keeps one number in its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mechanism {
    /// The paper's BIT: noise of scale `Delta / epsilon`, clamped.
    Clamped,
    /// The paper's truncated mechanism, at its scale `Delta / epsilon`. **Not private.**
    Published,
    /// The same law at the least scale that keeps epsilon.
    Exact,
}

impl Mechanism {
    pub(super) const ALL: [Self; 3] = [Self::Clamped, Self::Published, Self::Exact];

    /// Its name in tables and pictures.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Clamped => "clamped",
            Self::Published => published_scale::NAME,
            Self::Exact => "conditioned, exact scale",
        }
    }

    /// Calibrated for numbers in a range.
    pub(super) fn calibrate(self, epsilon: f64, sensitivity: f64, range: Range) -> Result<Calibrated, StudyError> {
        let scale = match self {
            Self::Clamped | Self::Published => sensitivity / epsilon,
            Self::Exact => continuous_conditioned_scale(epsilon, sensitivity, range.upper() - range.lower()),
        };
        let noise = Laplace::with_scale(scale)?;
        let law = match self {
            Self::Clamped => Law::Clamped(Clamped::new(noise, range)),
            Self::Published => Law::Conditioned(published_scale::conditioned(epsilon, sensitivity, range)?),
            Self::Exact => Law::Conditioned(Conditioned::new(noise, range)),
        };
        Ok(Calibrated { noise, law })
    }
}

/// A mechanism that can be drawn from.
pub(super) struct Calibrated {
    /// The noise before it is bounded.
    noise: Laplace,
    law: Law,
}

enum Law {
    Clamped(Clamped<Laplace>),
    Conditioned(Conditioned<Laplace>),
}

impl Calibrated {
    /// One release of `q`, which may lie outside the range: then a conditioned law is that of the nearest end.
    pub(super) fn draw(&self, draws: &mut Draws, q: f64) -> f64 {
        let p = draws.uniform();
        match &self.law {
            Law::Clamped(law) => law.quantile(p, q),
            Law::Conditioned(law) => {
                let range = law.range();
                law.quantile(p, q.clamp(range.lower(), range.upper()))
            }
        }
    }

    /// `E X - q` for `q` in the range.
    pub(super) fn bias(&self, q: f64) -> f64 {
        match &self.law {
            Law::Clamped(law) => law.bias(q),
            Law::Conditioned(law) => law.bias(q),
        }
    }

    /// Probability that a release of `q` in the range is below `low` or above `high`.
    pub(super) fn outside(&self, low: f64, high: f64, q: f64) -> f64 {
        match &self.law {
            Law::Clamped(law) => law.cdf(low, q) + law.sf(high, q),
            Law::Conditioned(law) => {
                // The probability of which an end is the quantile.
                let cdf = |x: f64| root::bisect(0.0, 1.0, |p| law.quantile(p, q) < x).0;
                cdf(low) + 1.0 - cdf(high)
            }
        }
    }

    /// The noise before it is bounded.
    pub(super) fn noise(&self) -> Laplace {
        self.noise
    }
}
