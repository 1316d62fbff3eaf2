//! Noise on the components of one statistic: each its own, or one vector a cell for all.

use std::sync::Arc;

use inbounds_core::Answer;
use inbounds_mechanisms::{
    mechanism::{Measurements, Mechanism, Together},
    sampler::Entropy,
};

use super::Component;

/// `true` if the components are numbers of one vector.
fn are_one_vector(components: &[&Component]) -> bool {
    components.iter().any(|component| component.mechanism.noise().as_cube().is_some())
}

fn mechanisms(components: &[&Component]) -> Vec<Arc<dyn Mechanism>> {
    components.iter().map(|component| component.mechanism.clone()).collect()
}

/// Measures exact answers, one a component: each with its own noise, or all with one vector a cell where they are
/// numbers of one.
///
/// # Panics
/// If there is not one answer a component, or if only some numbers of a vector are given.
pub fn measure(components: &[&Component], answers: Vec<Answer>, entropy: &mut dyn Entropy) -> Vec<Measurements> {
    assert_eq!(components.len(), answers.len(), "one answer a component");
    if are_one_vector(components) {
        return Together::measure(&mechanisms(components), answers, entropy);
    }
    let take = |(component, answer): (&&Component, Answer)| {
        Measurements::take(component.mechanism.clone(), answer, &mut *entropy)
    };
    components.iter().zip(answers).map(take).collect()
}

/// Measures public numbers, one vector a component, to simulate errors. The components may be some of a vector that
/// others are in too.
pub(crate) fn measure_public(
    components: &[&Component],
    answers: &[Vec<i128>],
    entropy: &mut dyn Entropy,
) -> Vec<Vec<i128>> {
    if are_one_vector(components) {
        return Together::measure_public(&mechanisms(components), answers, entropy);
    }
    let measured = components.iter().zip(answers);
    measured.map(|(component, answers)| component.mechanism.measure(answers, &mut *entropy)).collect()
}

/// The components whose guarantees add up to what measuring costs: all, or the first of those that are one vector.
pub(super) fn priced(mut components: Vec<&Component>) -> Vec<&Component> {
    if are_one_vector(&components) {
        components.truncate(1);
    }
    components
}
