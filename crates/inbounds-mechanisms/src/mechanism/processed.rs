//! Noise added to the answer, then a public map into the range.

use std::sync::Arc;

use inbounds_core::{BiasFormula, IntervalMethod};

use super::{Calibration, ErrorAt, GridNoise, Mechanism, Processing, StepValue, processing::Family};
use crate::{
    interval::{self, StepInterval},
    sampler::Entropy,
};

/// Publishes `y = q + N` and estimates `q` by a point of the range that depends on `y` alone.
///
/// # Guarantee
/// That of the noise: the estimate is post-processing. With no range the estimate is the measurement, unbiased. Claims:
/// `clamped-loss`, and those of the noise.
#[derive(Debug, Clone)]
pub struct Processed {
    name: &'static str,
    calibration: Calibration,
    processing: Processing,
}

impl Processed {
    /// The mechanism of calibrated noise and a family of maps.
    pub(crate) fn over(name: &'static str, calibration: Calibration, family: Family) -> Arc<dyn Mechanism> {
        let processing = if calibration.range.is_unbounded() { Processing::Clamp } else { family.over(&calibration) };
        Arc::new(Self { name, calibration, processing })
    }
}

impl Mechanism for Processed {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn measure(&self, answers: &[i128], entropy: &mut dyn Entropy) -> Vec<i128> {
        self.calibration.noise.add_to(answers, entropy)
    }

    fn estimate(&self, measurement: i128) -> StepValue {
        self.processing.value(self.calibration.range, measurement)
    }

    fn processing(&self) -> Option<Processing> {
        Some(self.processing)
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        self.processing.error_at(&self.calibration, candidate)
    }

    fn worst_bias(&self) -> f64 {
        self.processing.worst_bias(&self.calibration)
    }

    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        let interval = interval::from_noise(&self.calibration.noise, measurement, self.calibration.range, level);
        // Folding can bring a far measurement anywhere: the estimate is never left outside its own interval.
        interval.holding(self.estimate(measurement))
    }

    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64 {
        self.calibration.noise.ln_kernel(candidate.distance_to(measurement))
    }

    fn bias_formula(&self) -> BiasFormula {
        match (self.calibration.range.is_unbounded(), self.processing) {
            (true, _) => BiasFormula::Unbiased,
            (_, Processing::Clamp) => match self.calibration.noise {
                GridNoise::Laplace(_) => BiasFormula::ClampedDiscreteLaplace,
                GridNoise::Gaussian(_) | GridNoise::Staircase(_) => BiasFormula::Clamped,
            },
            (_, Processing::Rule(_)) => BiasFormula::Rule,
            (_, Processing::Fold) => BiasFormula::Folded,
        }
    }

    fn interval_method(&self) -> IntervalMethod {
        if self.calibration.range.is_unbounded() {
            IntervalMethod::NoiseQuantile
        } else {
            IntervalMethod::NoiseQuantileCutToRange
        }
    }
}
