//! A published cell, treated as any measurement.
//!
//! Of noise without end the law of a published measurement of a count `n` is that of noise around `max(n, T)`
//! conditioned on `[T, inf)`: for `n >= T` by definition, and for `n <= T` because the tail of discrete Laplace noise
//! has no memory; noise with ends is looked up in its table. So the draw, the likelihood and the interval are those of
//! conditioned noise, while errors are relative to `n`. All of them are conditional on the cell being published, except
//! the guarantee, which is that of the whole mechanism.

use inbounds_core::{IntervalMethod, StepRange};

use super::KeySelection;
use crate::{
    interval::StepInterval,
    law::Noise,
    mechanism::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue, measure_within},
    registry,
    sampler::Entropy,
};

/// Scales of the noise above the threshold at which being published says nothing more.
const FAR: f64 = 50.0;

/// Of published cells. Their keys are chosen by [`KeySelection::select`], without which there is no guarantee.
impl Mechanism for KeySelection {
    fn name(&self) -> &'static str {
        registry::LEARNED.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// One measurement of each answer, given that all are published: for simulations around public numbers.
    fn measure_in_place(&self, answers: &mut [i128], entropy: &mut dyn Entropy) {
        if let Some(ended) = &self.ended {
            answers
                .iter_mut()
                .for_each(|answer| *answer += ended.draw_largest(self.top(ended, *answer).max(1), entropy));
            return;
        }
        let published = StepRange::new(Some(self.threshold), None).expect("a half line is no empty range");
        measure_within(&self.law, published, answers, entropy);
    }

    fn estimate(&self, measurement: i128) -> StepValue {
        StepValue::whole(measurement)
    }

    fn error_at(&self, candidate: i128) -> ErrorAt {
        KeySelection::error_at(self, self.calibration.range.clamp(candidate))
    }

    /// That of the smallest cell.
    fn worst_bias(&self) -> f64 {
        KeySelection::error_at(self, self.least()).bias
    }

    fn error_over(&self, interval: StepInterval) -> ErrorAt {
        KeySelection::error_over(self, interval)
    }

    fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        KeySelection::interval(self, measurement, level)
    }

    fn ln_likelihood(&self, measurement: i128, candidate: StepValue) -> f64 {
        if let Some(ended) = &self.ended {
            let mass = ended.mass(measurement - candidate.whole);
            let chance = ended.chance_of_the_largest(self.top(ended, candidate.whole));
            return if mass > 0.0 { libm::log(mass) - libm::log(chance) } else { f64::NEG_INFINITY };
        }
        let center =
            if candidate.distance_to(self.threshold) > 0.0 { StepValue::whole(self.threshold) } else { candidate };
        let distance = center.distance_to(measurement).abs();
        let mass = self.law.half_mass(center.distance_to(self.threshold).abs()) + self.law.half_mass(f64::INFINITY);
        -self.law.tau() * distance - libm::log(mass)
    }

    fn bias_formula(&self) -> BiasFormula {
        BiasFormula::LearnedKeys
    }

    fn interval_method(&self) -> IntervalMethod {
        if self.ended.is_some() { IntervalMethod::PublishedTailsInverted } else { IntervalMethod::PublishedCdfInverted }
    }

    /// A cell at the threshold, and one far above it.
    fn landmarks(&self) -> (Option<i128>, i128) {
        (Some(self.threshold), self.threshold + (FAR * self.calibration.noise.scale()).ceil() as i128)
    }
}
