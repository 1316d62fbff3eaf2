//! Noise followed by a rule.

use inbounds_core::StepRange;

use super::{
    Bounding, BoundingBias, GridMap, ProcessingRecord, Range, extremes,
    rule::{Rule, apply},
    step_value::StepValue,
};
use crate::law::Noise;

impl GridMap for Rule {
    fn value(&self, range: StepRange, measurement: i128) -> StepValue {
        apply(*self, range, measurement)
    }

    fn error(&self, noise: &dyn Noise, below: f64, above: f64) -> (f64, f64) {
        self.error(noise, below, above, true)
    }

    fn worst_bias(&self, noise: &dyn Noise, range: Range) -> f64 {
        extremes::worst_bias(noise, range, *self)
    }

    fn formula(&self, _: &dyn Noise) -> BoundingBias {
        BoundingBias::Rule
    }

    fn record(&self) -> ProcessingRecord {
        let (rule, numbers) = match *self {
            Self::Threshold { threshold, at, shift } => {
                ("threshold", vec![("threshold", threshold), ("at", at), ("shift", shift)])
            }
            Self::OneBit => ("one-bit", vec![]),
            Self::Stretch { dead } => ("stretch", vec![("dead", dead)]),
        };
        ProcessingRecord { rule, numbers, estimates: Vec::new() }
    }
}

/// Noise followed by a [`Rule`]: post-processing, which keeps the guarantee of the plain mechanism.
///
/// Made by [`super::Thresholded`] and [`super::ShiftedRamp`].
#[derive(Debug, Clone, PartialEq)]
pub struct Ruled<N> {
    noise: N,
    range: Range,
    rule: Rule,
}

impl<N: Noise> Ruled<N> {
    pub(crate) fn new(noise: N, range: Range, rule: Rule) -> Self {
        Self { noise, range, rule }
    }

    /// The rule.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    fn error(&self, q: f64) -> (f64, f64) {
        let (a, c) = self.range.distances(q);
        self.rule.error(&self.noise, a, c, false)
    }
}

impl<N: Noise> Bounding for Ruled<N> {
    fn bias(&self, q: f64) -> f64 {
        self.error(q).0
    }

    fn mse(&self, q: f64) -> f64 {
        self.error(q).1
    }

    fn range(&self) -> Range {
        self.range
    }

    fn worst_bias(&self) -> f64 {
        extremes::worst_bias(&self.noise, self.range, self.rule)
    }
}
