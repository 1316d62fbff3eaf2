//! Answers at which an error is worth looking at.

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
