//! Noise added to the answer, then a public map into the range.

use std::sync::Arc;

use inbounds_core::IntervalMethod;

use super::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue};
use crate::{
    bounding::{GridMap, ProcessingKind},
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
    map: Arc<dyn GridMap>,
}

impl Processed {
    /// The mechanism of calibrated noise and a kind of map.
    pub(crate) fn over(name: &'static str, calibration: Calibration, kind: ProcessingKind) -> Arc<dyn Mechanism> {
        let kind = if calibration.range.is_unbounded() { ProcessingKind::Clamped } else { kind };
        let map = kind.over(&calibration.noise, calibration.range_from_end());
        Self::by(name, calibration, map)
    }

    /// The mechanism of calibrated noise and this map.
    pub(crate) fn by(name: &'static str, calibration: Calibration, map: Arc<dyn GridMap>) -> Arc<dyn Mechanism> {
        Arc::new(Self { name, calibration, map })
    }
}

impl Mechanism for Processed {
    fn name(&self) -> &'static str {
        self.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn measure_in_place(&self, answers: &mut [i128], entropy: &mut dyn Entropy) {
        self.calibration.noise.add_in_place(answers, entropy);
    }

    fn measure_narrow(&self, answers: &mut [i64], entropy: &mut dyn Entropy) {
        self.calibration.noise.add(answers, entropy);
    }

    fn estimate(&self, measurement: i128) -> StepValue {
        self.map.value(self.calibration.range, measurement)
    }

    fn processing(&self) -> Option<&dyn GridMap> {
        Some(&*self.map)
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        let (below, above) = self.calibration.distances(candidate);
        let (bias, mse) = self.map.error(&self.calibration.noise, below, above);
        ErrorAt { bias, rmse: mse.sqrt() }
    }

    fn worst_bias(&self) -> f64 {
        self.map.worst_bias(&self.calibration.noise, self.calibration.range_from_end())
    }

    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        let interval = interval::from_noise(&self.calibration.noise, measurement, self.calibration.range, level);
        // Folding can bring a far measurement anywhere: the estimate is never left outside its own interval.
        interval.holding(self.estimate(measurement))
    }

    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64 {
        self.calibration.noise.law().ln_kernel(candidate.distance_to(measurement))
    }

    fn bias_formula(&self) -> BiasFormula {
        if self.calibration.range.is_unbounded() {
            BiasFormula::Unbiased
        } else {
            BiasFormula::Bounding(self.map.formula(&self.calibration.noise))
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
