//! What is said of a published cell, as of any measurement.
//!
//! The law of a published measurement of a count `n` is that of noise around `max(n, T)` conditioned on `[T, inf)`: for `n >= T` by
//! definition, and for `n <= T` because the tail of discrete Laplace noise has no memory. So the draw, the likelihood and the interval are
//! those of conditioned noise, while errors are held against `n`. All of them are given that the cell is published, but for the guarantee,
//! which is that of the whole.

use inbounds_core::IntervalMethod;

use super::KeySelection;
use crate::{
    interval::StepInterval,
    law::Noise,
    mechanism::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue},
    registry,
    sampler::{Entropy, Reach, fill_conditioned},
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
    fn measure(&self, answers: &[i128], entropy: &mut dyn Entropy) -> Vec<i128> {
        let centers: Vec<i128> = answers.iter().map(|answer| (*answer).max(self.threshold)).collect();
        let reach = |cell: usize| Reach { below: Some(centers[cell].abs_diff(self.threshold)), above: None };
        let mut sums = vec![0; answers.len()];
        fill_conditioned(&self.law, reach, entropy, &mut sums);
        sums.iter_mut().zip(&centers).for_each(|(sum, center)| *sum += center);
        sums
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
        IntervalMethod::PublishedCdfInverted
    }

    /// A cell at the threshold, and one far above it.
    fn landmarks(&self) -> (Option<i128>, i128) {
        (Some(self.threshold), self.threshold + (FAR * self.calibration.noise.scale()).ceil() as i128)
    }
}
