//! Public noisy values.

use std::sync::Arc;

use inbounds_core::{Answer, NarrowAnswer};

use super::Mechanism;
use crate::sampler::Entropy;

/// Noisy values, public, with the mechanism that made them.
#[derive(Debug, Clone)]
pub struct Measurements {
    mechanism: Arc<dyn Mechanism>,
    steps: Vec<i128>,
}

impl Measurements {
    /// Consumes an answer and returns its measurements, one a cell; of a selection, those of [`Mechanism::take`].
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Answer, Epsilon, Guarantee, Sensitivity, StepRange};
    /// use inbounds_mechanisms::{mechanism::Measurements, registry, sampler::SeededEntropy};
    /// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
    /// let counts = StepRange::new(Some(0), None)?;
    /// let clamped = registry::find("clamped-discrete-laplace").expect("registered");
    /// let guarantee = Guarantee::Pure { epsilon: Epsilon::new("1".parse()?)? };
    /// let mechanism = clamped.calibrate(&guarantee, &one, counts).expect("calibrates");
    /// let measured = Measurements::take(mechanism, Answer::new(vec![0, 500]), &mut SeededEntropy::from_seed(7));
    /// assert_eq!(measured.steps().len(), 2);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn take(mechanism: Arc<dyn Mechanism>, answer: Answer, entropy: &mut dyn Entropy) -> Self {
        let steps = mechanism.take(answer.into_private_steps(), entropy);
        Self { mechanism, steps }
    }

    /// Consumes answers of 64 bits and returns their measurements in the same memory, by the same draws as
    /// [`Measurements::take`]. A measurement beyond 64 bits is the nearest number that has as many, which the caller
    /// has to state.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Epsilon, Guarantee, NarrowAnswer, Sensitivity, StepRange};
    /// use inbounds_mechanisms::{mechanism::Measurements, registry, sampler::SeededEntropy};
    /// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "given", squares: None };
    /// let guarantee = Guarantee::Pure { epsilon: Epsilon::new("1".parse()?)? };
    /// let conditioned = registry::find("conditioned").expect("registered");
    /// let mechanism = conditioned.calibrate(&guarantee, &one, StepRange::new(Some(0), Some(9))?).expect("calibrates");
    /// let answer = NarrowAnswer::new(vec![0, 5, 9]);
    /// let measured = Measurements::take_narrow(&*mechanism, answer, &mut SeededEntropy::from_seed(7));
    /// assert!(measured.iter().all(|steps| (0..=9).contains(steps)));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn take_narrow(mechanism: &dyn Mechanism, answer: NarrowAnswer, entropy: &mut dyn Entropy) -> Vec<i64> {
        let mut steps = answer.into_private_steps();
        mechanism.measure_narrow(&mut steps, entropy);
        steps
    }

    /// Consumes an answer and adds noise that was drawn for it, an element a cell.
    ///
    /// # Panics
    /// If there is not one element a cell.
    pub(super) fn with_noise(mechanism: Arc<dyn Mechanism>, answer: Answer, noise: &[i128]) -> Self {
        assert_eq!(noise.len(), answer.cells(), "every cell has its noise");
        // |answer| < 2^117 and |noise| < 2^126 for every law that can be constructed, so the sums fit.
        let steps = answer.private_steps().iter().zip(noise).map(|(answer, noise)| answer + noise).collect();
        Self { mechanism, steps }
    }

    /// Measurements that were taken earlier, with the mechanism that took them.
    pub fn from_published(mechanism: Arc<dyn Mechanism>, steps: Vec<i128>) -> Self {
        Self { mechanism, steps }
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Arc<dyn Mechanism> {
        &self.mechanism
    }

    /// Raw noisy values in grid steps, one a cell.
    pub fn steps(&self) -> &[i128] {
        &self.steps
    }
}
