//! The threshold, the draw, and the errors and intervals of a published cell.

use std::sync::Arc;

use inbounds_core::{
    Answer, Delta, Epsilon, Guarantee, Sensitivity, StepRange,
    planted::{Defect, planted},
    root::bisect_integer,
};

use super::{EndedNoise, KeyCandidates, KeyNoise, NewCells};
use crate::{
    calibrate::{self, CalibrationError},
    interval::{OUTWARD, StepInterval, by_inversion},
    law::{Noise, discrete_laplace::DiscreteLaplace},
    mechanism::{Calibration, ErrorAt},
    noise::GridNoise,
    sampler::Entropy,
};

/// Thresholds are not searched beyond this; an answer and its noise have room above it.
const LARGEST_THRESHOLD: i128 = 1 << 116;

/// A calibrated choice of cells whose keys are not listed in advance; see the [module](super) for the mechanism and its
/// guarantee.
///
/// # Example
/// Counts of rows, each row in one cell: a cell of one row is published with probability `a^(T-1) / (1 + a)`, at most
/// delta.
/// ```
/// use inbounds_core::{Answer, Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::{partition::{KeyNoise, KeySelection, NewCells}, sampler::SeededEntropy};
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("1e-9".parse()?)?);
/// let calibrate = |kind| {
///     KeySelection::calibrate(&epsilon, &delta, &one, NewCells::new(1, 1, 1).expect("positive"), kind).expect("calibrates")
/// };
/// let selection = calibrate(KeyNoise::Unbounded);
/// // e^-21 / (1 + e^-1) = 5.5e-10, and e^-20 / (1 + e^-1) = 1.5e-9.
/// assert_eq!(selection.threshold(), 22);
/// // The largest noise has the mass e^-20 (1 - e^-1) / (1 + e^-1) = 9.5e-10, and no noise is larger.
/// assert_eq!(calibrate(KeyNoise::Symmetric).threshold(), 21);
/// // Counts of the keys that there are, in the order of the keys.
/// let published = selection.select(Answer::new(vec![1, 400, 2, 90]), &mut SeededEntropy::from_seed(7));
/// assert_eq!(published.iter().map(|cell| cell.place).collect::<Vec<_>>(), [1, 3]);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone)]
pub struct KeySelection {
    pub(super) law: DiscreteLaplace,
    pub(super) calibration: Calibration,
    pub(super) threshold: i128,
    pub(super) kind: KeyNoise,
    /// The noise, where it has ends.
    pub(super) ended: Option<Arc<EndedNoise>>,
    pub(super) candidates: KeyCandidates,
}

/// A cell that is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PublishedCell {
    /// Its place among the cells that exist. **Private**, as the number of cells is: publish its key.
    pub place: usize,
    /// Its noisy count, at least the threshold.
    pub measurement: i128,
}

impl KeySelection {
    /// Noise for epsilon, and the least threshold from 1 on that is proved to keep delta.
    ///
    /// `sensitivity` is that of the counts of all keys that can be; `new` bounds the cells that one unit alone has rows
    /// in, and says whether neighbours replace them. `kind` is the noise that is wanted; [`KeySelection::kind`] is the
    /// one that it has, which parameters alone decide.
    ///
    /// # Guarantee
    /// `(epsilon, delta)` for the published keys and measurements together; see the [module](super). The threshold is
    /// found on the discrete law, by enclosures, and a table of noise with ends is proved as it stands
    /// ([`EndedNoise`]).
    ///
    /// # Errors
    /// [`CalibrationError::KeysNeedDelta`] without delta, [`CalibrationError::ZeroSensitivity`],
    /// [`CalibrationError::Scale`], and
    /// [`CalibrationError::Unproved`] for a delta below about `2^-1000` or a threshold above `2^116`.
    pub fn calibrate(
        epsilon: &Epsilon,
        delta: &Delta,
        sensitivity: &Sensitivity,
        new: NewCells,
        kind: KeyNoise,
    ) -> Result<Self, CalibrationError> {
        if *delta == Delta::ZERO {
            return Err(CalibrationError::KeysNeedDelta);
        }
        let inverse_scale = calibrate::clamped(epsilon, sensitivity)?;
        let law = calibrate::law(inverse_scale, epsilon, sensitivity)?;
        // A shortage of bits would refuse a proof, never make one. Cells add their roundings, one unit each.
        let zeros = (-delta.value().to_f64().max(f64::MIN_POSITIVE).log2()).max(0.0) as usize;
        let bits = 256 + zeros;
        let is_proved = |threshold: i128| new.are_within(&law, threshold, delta.value(), bits);
        let Some(threshold) = least_threshold(is_proved) else {
            return Err(CalibrationError::Unproved { epsilon: epsilon.to_string(), l1: sensitivity.l1 });
        };
        let ended = EndedNoise::new(kind, &law, delta.value(), new)
            .filter(|ended| kind == KeyNoise::Optimal || ended.ends().1 + 1 < threshold);
        let kind = if ended.is_some() { kind } else { KeyNoise::Unbounded };
        let threshold = ended.as_ref().map_or(threshold, |ended| ended.ends().1 + 1);
        let threshold = if planted(Defect::ThresholdTooLow) { (threshold - 1).max(1) } else { threshold };
        let calibration = Calibration {
            guarantee: Guarantee::Approximate { epsilon: epsilon.clone(), delta: delta.clone() },
            sensitivity: sensitivity.clone(),
            noise: GridNoise::Laplace(law.clone()),
            range: StepRange::new(Some(1), None).expect("open above"),
            loss_bound: None,
        };
        let delta_bound =
            ended.as_ref().map_or_else(|| new.largest_chance(&law, threshold, bits), |ended| ended.delta_bound);
        let candidates = KeyCandidates::OfRows { new, delta_bound };
        Ok(Self { law, calibration, threshold, kind, ended: ended.map(Arc::new), candidates })
    }

    /// The least measurement that is published.
    pub fn threshold(&self) -> i128 {
        self.threshold
    }

    /// The noise that chooses.
    pub fn kind(&self) -> KeyNoise {
        self.kind
    }

    /// The law of the noise where it has ends; that of [`KeySelection::noise`] is without.
    pub fn ended(&self) -> Option<&EndedNoise> {
        self.ended.as_deref()
    }

    /// Discrete Laplace noise of the inverse scale that every count has, which is the noise where
    /// [`KeySelection::ended`] is `None`.
    pub fn noise(&self) -> &GridNoise {
        &self.calibration.noise
    }

    /// The guarantee it was calibrated to.
    pub fn guarantee(&self) -> &Guarantee {
        &self.calibration.guarantee
    }

    /// The cells that get noise.
    pub fn candidates(&self) -> &KeyCandidates {
        &self.candidates
    }

    /// The least count of a cell that gets noise: 0 in a space of keys, otherwise 1.
    pub fn least(&self) -> i128 {
        match self.candidates {
            KeyCandidates::OfRows { .. } => 1,
            KeyCandidates::OfSpace { .. } => 0,
        }
    }

    /// Consumes the counts of the cells that exist, and returns those that are published, in their order.
    ///
    /// # Contract
    /// The order of the cells must be one of their keys alone, such as that of the alphabet; the order in which rows
    /// come is private. A cell without rows gets no noise and is not published. Those of a space of keys are chosen by
    /// [`KeySelection::select_of_space`].
    pub fn select(&self, counts: Answer, entropy: &mut dyn Entropy) -> Vec<PublishedCell> {
        self.reaching(&existing(&counts), entropy)
    }

    /// The cells of these, with their places and counts, that noise lifts to the threshold.
    pub(super) fn reaching(&self, existing: &[(usize, i128)], entropy: &mut dyn Entropy) -> Vec<PublishedCell> {
        let exact: Vec<i128> = existing.iter().map(|(_, count)| *count).collect();
        let measured = match &self.ended {
            Some(ended) => exact.iter().map(|count| count + ended.draw(entropy)).collect(),
            None => self.calibration.noise.add_to(&exact, entropy),
        };
        let cells = existing.iter().zip(measured);
        let cell = |(&(place, _), measurement): (&(usize, i128), i128)| PublishedCell { place, measurement };
        cells.map(cell).filter(|cell| cell.measurement >= self.threshold).collect()
    }

    /// The probability that a cell with this count is published: `P(Z >= T - count)`, and 0 for a count below
    /// [`KeySelection::least`].
    ///
    /// # Example
    /// ```
    /// # use inbounds_core::{Delta, Epsilon, Sensitivity};
    /// # use inbounds_mechanisms::partition::{KeyNoise, KeySelection, NewCells};
    /// # let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
    /// # let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("1e-9".parse()?)?);
    /// # let new = NewCells::new(1, 1, 1)?;
    /// # let selection = KeySelection::calibrate(&epsilon, &delta, &one, new, KeyNoise::Unbounded).expect("calibrates");
    /// // With T = 22 a cell of 22 is published if Z >= 0: 1 / (1 + a).
    /// assert!((selection.chance_of(22) - 1.0 / (1.0 + (-1f64).exp())).abs() < 1e-15);
    /// assert_eq!([0.05, 0.5, 0.95].map(|chance| selection.least_count(chance)), [Some(20), Some(22), Some(24)]);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn chance_of(&self, count: i128) -> f64 {
        match &self.ended {
            _ if count < self.least() => 0.0,
            Some(ended) => ended.chance_of_the_largest(self.top(ended, count)),
            None => self.law.sf((self.threshold - count) as f64 - 1.0),
        }
    }

    /// Number of values of noise with ends that lift a count to the threshold.
    pub(super) fn top(&self, ended: &EndedNoise, count: i128) -> i128 {
        ended.ends().1 + 1 - self.threshold + count
    }

    /// The least count that is published with at least this probability; `None` unless it is above 0 and below 1.
    pub fn least_count(&self, chance: f64) -> Option<i128> {
        if !(chance > 0.0 && chance < 1.0) {
            return None;
        }
        // Beyond T a cell is missed with probability below a^(count - T), or, of noise with ends, by no value.
        let far = self.threshold + (-libm::log(1.0 - chance) / self.law.tau()).ceil() as i128 + 2;
        let far = self.ended.as_ref().map_or(far, |ended| far.max(self.threshold - ended.ends().0 + 1));
        // One below the least is never published.
        Some(bisect_integer(self.least() - 1, far, |count| self.chance_of(count) < chance) + 1)
    }

    /// An interval for the count of a published cell, at least [`KeySelection::least`].
    ///
    /// # Guarantee
    /// Given that the cell was published it holds the count with probability at least `level`, whatever the count. For
    /// counts from `T` on it is the interval of noise that is conditioned on `[T, inf)` (see [`by_inversion`]). For
    /// every count `n <= T` the law of a published measurement is that of `T`,
    ///
    /// ```text
    /// P(Y = y | Y >= T) = (1 - a) a^(y - T),      y >= T,
    /// ```
    ///
    /// so no measurement distinguishes these counts: they are in the interval together, as `T` is. Of noise with ends
    /// it has all counts under which neither `Y >= measurement` nor `Y <= measurement` is rarer than `(1 - level) / 2`,
    /// given `Y >= T`. Claim: `learned-keys-interval`.
    pub fn interval(&self, measurement: i128, level: f64) -> StepInterval {
        if let Some(ended) = &self.ended {
            return ended.interval(measurement, (self.threshold, self.least()), (1.0 - level) * (1.0 - OUTWARD));
        }
        let published = StepRange::new(Some(self.threshold), None).expect("open above");
        let interval = by_inversion(&self.law, measurement.max(self.threshold), published, level);
        let reaches_all = interval.contains(self.threshold);
        StepInterval { lower: if reaches_all { Some(self.least()) } else { interval.lower }, ..interval }
    }

    /// Bias and root mean square error of a measurement as an estimate of the count, given that it was published.
    ///
    /// # Law
    /// With `h = a / (1 - a)` and `d = n - T`,
    ///
    /// ```text
    /// n <= T:   bias = h - d,      mean square = d^2 - 2 d h + h (1 + a) / (1 - a)
    /// n >= T:   bias = t (d + 1 + h) / (1 - t),      t = a^(d+1) / (1 + a),
    ///           mean square = (2 h / (1 - a) - t ((d + 1)^2 + 2 (d + 1) h + h (1 + a) / (1 - a))) / (1 - t)
    /// ```
    ///
    /// The bias falls with the count, to the mean of the noise: small cells are published where their noise is large.
    /// Of noise with ends the moments are sums over its values from `T - n` on.
    pub fn error_at(&self, count: i128) -> ErrorAt {
        if let Some(ended) = &self.ended {
            return ended.error_of_largest(self.top(ended, count));
        }
        let a = libm::exp(-self.law.tau());
        let gap = -libm::expm1(-self.law.tau());
        let (mean, square) = (a / gap, a * (1.0 + a) / (gap * gap));
        let d = (count - self.threshold) as f64;
        if d <= 0.0 {
            return ErrorAt { bias: mean - d, rmse: (d * d - 2.0 * d * mean + square).sqrt() };
        }
        let next = d + 1.0;
        let tail = libm::exp(-self.law.tau() * next) / (1.0 + a);
        let far = next * next + 2.0 * next * mean + square;
        let mean_square = (self.law.variance() - tail * far) / (1.0 - tail);
        ErrorAt { bias: tail * (next + mean) / (1.0 - tail), rmse: mean_square.max(0.0).sqrt() }
    }

    /// The largest bias and the largest root mean square error over the counts of an interval.
    ///
    /// The bias falls with the count. Of noise without end the error falls and then rises, so that it is largest at an
    /// end; of noise with ends every count is looked at, up to that at which all noise publishes.
    pub fn error_over(&self, interval: StepInterval) -> ErrorAt {
        let least = self.least();
        let first = interval.lower.map_or(least, |lower| lower.max(least));
        let lower = self.error_at(first);
        if let Some(ended) = &self.ended {
            let all = self.threshold - ended.ends().0;
            let last = interval.upper.map_or(all, |upper| upper.min(all));
            let rmse = (first..=last).map(|count| self.error_at(count).rmse).fold(lower.rmse, f64::max);
            let upper = self.error_at(last.max(first));
            let bias = if upper.bias.abs() > lower.bias.abs() { upper.bias } else { lower.bias };
            return ErrorAt { bias, rmse };
        }
        let rmse = interval.upper.map_or_else(|| self.law.variance().sqrt(), |upper| self.error_at(upper).rmse);
        ErrorAt { bias: lower.bias, rmse: lower.rmse.max(rmse) }
    }
}

/// Cells with rows, by their places. A bound on rows can leave none of a key that rows have.
pub(super) fn existing(counts: &Answer) -> Vec<(usize, i128)> {
    counts.private_steps().iter().copied().enumerate().filter(|(_, count)| *count >= 1).collect()
}

/// The least threshold from 1 on that is proved; `None` where none is up to the largest.
pub(super) fn least_threshold(is_proved: impl Fn(i128) -> bool) -> Option<i128> {
    if is_proved(1) {
        return Some(1);
    }
    let mut above = 2;
    while !is_proved(above) {
        if above >= LARGEST_THRESHOLD {
            return None;
        }
        above *= 2;
    }
    Some(bisect_integer(above / 2, above, |threshold| !is_proved(threshold)) + 1)
}
