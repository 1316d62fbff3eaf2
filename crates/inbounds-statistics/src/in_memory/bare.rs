//! Noise and a range, without a statistic.

use std::ops::{Bound, RangeBounds};

use inbounds_core::{CoreError, Delta, Epsilon, Grid, Quantity, Sensitivity, StepRange};
use inbounds_mechanisms::{mechanism::Measurements, registry, sampler::Entropy};

use super::Published;
use crate::{Ask, Component, Reading, Single, Statistic as _, StatisticError, Unit};

/// Discrete Laplace noise on whole numbers.
///
/// # Errors
/// [`CoreError`] unless epsilon is a positive number.
///
/// # Example
/// One unit moves a whole number by at most 1; the result is never negative.
/// ```
/// use inbounds_mechanisms::sampler::SeededEntropy;
/// let mut entropy = SeededEntropy::from_seed(1);
/// let published = inbounds_statistics::laplace("0.5")?.clamped(0..)?.release(3, &mut entropy);
/// assert!(published.value >= 0.0 && published.interval.lower >= 0.0);
/// # Ok::<(), inbounds_statistics::StatisticError>(())
/// ```
pub fn laplace(epsilon: &str) -> Result<BareNoise, CoreError> {
    Ok(BareNoise { epsilon: Epsilon::new(epsilon.parse()?)?, delta: Delta::ZERO, sensitivity: 1 })
}

/// Noise whose range is yet to be said.
#[derive(Debug, Clone)]
pub struct BareNoise {
    epsilon: Epsilon,
    delta: Delta,
    sensitivity: u128,
}

impl BareNoise {
    /// The delta that it spends where that spares a hundredth of the error or more; 0 if nothing is said.
    ///
    /// # Example
    /// Noise in 0 to 1 under an epsilon of 0.1 has less than half the scale with a delta of 0.1.
    /// ```
    /// use inbounds_core::Delta;
    /// let noise = inbounds_statistics::laplace("0.1")?;
    /// let pure = noise.clone().conditioned(0..=1)?.component().scale();
    /// let approximate = noise.delta(Delta::new("0.1".parse()?)?).conditioned(0..=1)?.component().scale();
    /// assert!((pure - 10.0).abs() < 1e-9 && approximate < 5.0);
    /// # Ok::<(), inbounds_statistics::StatisticError>(())
    /// ```
    pub fn delta(self, delta: Delta) -> Self {
        Self { delta, ..self }
    }

    /// Largest move of the number by one unit; 1 if nothing is said.
    pub fn sensitivity(self, sensitivity: u128) -> Self {
        Self { sensitivity, ..self }
    }

    /// Noise, then the nearest point of the range.
    ///
    /// # Errors
    /// [`StatisticError::Core`] for an empty range.
    pub fn clamped(self, range: impl RangeBounds<i128>) -> Result<BareMechanism, StatisticError> {
        self.bounded("clamped", &range)
    }

    /// Noise given that the result is in the range, at the larger scale that this needs to be private (Holohan et al.
    /// 2020).
    ///
    /// # Errors
    /// [`StatisticError::Core`] for an empty range, [`StatisticError::Calibration`] for one without an end or narrower
    /// than the sensitivity.
    pub fn conditioned(self, range: impl RangeBounds<i128>) -> Result<BareMechanism, StatisticError> {
        self.bounded("conditioned", &range)
    }

    /// Noise that is a factor, for numbers in a range whose lower end is above 0 (McGlinchey and Mason 2021, section
    /// 3.1).
    ///
    /// # Errors
    /// [`StatisticError::Core`] for an empty range, [`StatisticError::Calibration`] for a lower end that is not above
    /// 0, and without an upper end for an epsilon at which the factor has no variance.
    ///
    /// # Example
    /// One of 50 rows or more is a change of 2 % at most, and the RMSE some 2.8 % of the number at epsilon 1.
    /// ```
    /// let noise = inbounds_statistics::laplace("1")?.multiplied(50..)?;
    /// let relative = noise.component().mechanism.relative_error().expect("noise that is a factor");
    /// assert!((relative.rmse.expect("a variance") - 0.028).abs() < 1e-4);
    /// # Ok::<(), inbounds_statistics::StatisticError>(())
    /// ```
    pub fn multiplied(self, range: impl RangeBounds<i128>) -> Result<BareMechanism, StatisticError> {
        self.bounded("log-laplace", &range)
    }

    /// Plain noise.
    ///
    /// # Errors
    /// [`StatisticError::Calibration`] for a scale that cannot be drawn.
    pub fn unbounded(self) -> Result<BareMechanism, StatisticError> {
        self.bounded("clamped", &(..))
    }

    fn bounded(self, name: &str, range: &impl RangeBounds<i128>) -> Result<BareMechanism, StatisticError> {
        let lower = match range.start_bound() {
            Bound::Included(lower) => Some(*lower),
            Bound::Excluded(below) => Some(below.saturating_add(1)),
            Bound::Unbounded => None,
        };
        let upper = match range.end_bound() {
            Bound::Included(upper) => Some(*upper),
            Bound::Excluded(above) => Some(above.saturating_sub(1)),
            Bound::Unbounded => None,
        };
        let (l1, linf) = (self.sensitivity, self.sensitivity);
        let sensitivity = Sensitivity { l1, linf, cells: 1, rule: "given", squares: None };
        let entry = registry::find(name).expect("these mechanisms are registered");
        let range = StepRange::new(lower, upper)?;
        let mechanism = entry.calibrate_spending(self.epsilon.clone(), self.delta, &sensitivity, range)?;
        let component = Component { role: Quantity::Statistic, mechanism, grid: Grid::INTEGERS, divisor: 1 };
        let (ask, reading, unit) = (Ask::default(), Reading::Count, Unit::None);
        let single = Single { ask, reading, unit, cells: 1, component, epsilon: self.epsilon, parameter: None };
        Ok(BareMechanism { single })
    }
}

/// Publisher noise with its range.
#[derive(Debug, Clone)]
pub struct BareMechanism {
    single: Single,
}

impl BareMechanism {
    /// Publishes a whole number, which is moved in.
    pub fn release(&self, answer: i128, entropy: &mut dyn Entropy) -> Published {
        let answer = inbounds_core::Answer::new(vec![answer]);
        let component = &self.single.component;
        let measured = [Measurements::take(component.mechanism.clone(), answer, entropy)];
        let estimate = self.single.estimate(&measured, 0.95, entropy.word())[0];
        Published::new(Quantity::Statistic, &estimate, 0.95)
    }

    /// The measured component: its scale, and its mechanism with bias, error and likelihood.
    pub fn component(&self) -> &Component {
        &self.single.component
    }
}
