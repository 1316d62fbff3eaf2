//! The law of ranks that are accepted, as manifests record it.

use inbounds_core::{Guarantee, Rational, Sensitivity};

use super::{About, DiscreteLaplace, Drawn, GridLaw, NoiseKind, Parameter, Promise, Record};
use crate::{
    calibrate::CalibrationError,
    law::{Accuracy, Noise, forward_noise},
    sampler::Entropy,
};

/// Acceptance `e^(-t |d|)` of a distance of `d` rows: the kernel of discrete Laplace noise on ranks.
#[derive(Debug, Clone, PartialEq)]
pub struct RankAcceptance(DiscreteLaplace);

impl RankAcceptance {
    /// With the rate `t` that is the inverse scale of `law`.
    pub fn new(law: DiscreteLaplace) -> Self {
        Self(law)
    }
}

forward_noise!([] RankAcceptance => |law| law.0);

impl GridLaw for RankAcceptance {
    fn about() -> About {
        About {
            word: "ranks",
            law: "permute-and-flip-ranks",
            promise: Promise::Pure,
            drawn: Drawn::Chosen,
            record: Record::Number(Parameter {
                key: "acceptance_rate_per_row",
                before: "bins accepted at rate ",
                after: " per row by which they miss",
            }),
        }
    }

    fn calibrate(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Self, CalibrationError> {
        DiscreteLaplace::calibrate(guarantee, sensitivity).map(Self)
    }

    fn kind(&self) -> NoiseKind {
        NoiseKind::Ranks
    }

    fn parameters(&self) -> Vec<Rational> {
        self.0.parameters()
    }

    fn scale(&self) -> f64 {
        self.0.scale()
    }

    fn ln_kernel(&self, x: f64) -> f64 {
        self.0.ln_kernel(x)
    }

    fn ln_exponential_moment(&self, rate: f64) -> f64 {
        self.0.ln_exponential_moment(rate)
    }

    fn exponential_rate(&self) -> f64 {
        self.0.exponential_rate()
    }

    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]) {
        self.0.fill(entropy, noise);
    }
}
