//! Answers at which an error is worth looking at.

use inbounds_core::StepRange;

use super::Mechanism;
use crate::law::Noise;

/// Intervals between the answers.
const INTERVALS: i128 = 240;

/// Standard deviations from an end within which it is felt.
const FELT: f64 = 8.0;

/// See [`Mechanism::candidates`].
pub(super) fn candidates<M: Mechanism + ?Sized>(mechanism: &M) -> Vec<i128> {
    let range = mechanism.range();
    let reach = (FELT * mechanism.noise().variance().sqrt()).ceil() as i128;
    let length = range.width().map_or(reach, |width| i128::try_from(width).unwrap_or(reach).min(reach)).max(1);
    let (start, sign) = match (range.lower(), range.upper()) {
        (Some(lower), _) => (lower, 1),
        (None, Some(upper)) => (upper, -1),
        (None, None) => (0, 1),
    };
    let mut distances: Vec<i128> = (0..=INTERVALS).map(|index| index * length / INTERVALS).collect();
    distances.dedup();
    distances.into_iter().map(|distance| start + sign * distance).collect()
}

/// An answer by this factor above the lower end stands for all that are far from it, where errors are relative.
const FAR: i128 = 10;

/// The last candidate of a half line, by the same measure.
const LAST: i128 = 1000;

/// Answers at which a relative error is worth looking at: in equal ratios, from the lower end of a range to its upper
/// end or a thousand times the lower. `None` unless the lower end is above zero.
///
/// ```
/// use inbounds_core::StepRange;
/// use inbounds_mechanisms::mechanism::in_ratios;
/// assert_eq!(in_ratios(StepRange::new(Some(1), Some(5))?), Some(vec![1, 2, 3, 4, 5]));
/// assert_eq!(in_ratios(StepRange::new(Some(0), Some(5))?), None);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn in_ratios(range: StepRange) -> Option<Vec<i128>> {
    let lower = range.lower().filter(|lower| *lower > 0)?;
    let most = lower.saturating_mul(LAST);
    let upper = range.upper().map_or(most, |upper| upper.min(most));
    let ratio = libm::log(upper as f64 / lower as f64) / INTERVALS as f64;
    let at = |index: i128| (lower as f64 * libm::exp(ratio * index as f64)).round() as i128;
    let mut answers: Vec<i128> = (0..=INTERVALS).map(|index| at(index).clamp(lower, upper)).collect();
    answers.dedup();
    Some(answers)
}

/// An answer well inside, where errors are relative: the middle of the range, or ten times the lower end of a half
/// line. `None` unless the lower end is above zero.
///
/// ```
/// use inbounds_core::StepRange;
/// use inbounds_mechanisms::mechanism::inside;
/// assert_eq!(inside(StepRange::new(Some(2), None)?), Some(20));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn inside(range: StepRange) -> Option<i128> {
    let lower = range.lower().filter(|lower| *lower > 0)?;
    Some(range.upper().map_or(lower.saturating_mul(FAR), |upper| lower + (upper - lower) / 2))
}
