//! The largest error over an interval of answers.
//!
//! # Search
//! The error of an estimate depends on the distances of the answer to the ends of the range alone, and from far away an
//! end is not felt. So an interval far from both has the error of any of its answers. Another is scanned: every answer
//! of a short one, 65 evenly spaced ones of a long one and then, by golden sections, those between the neighbours of
//! the largest found. A long interval has many steps in the scale of the noise, over which bias and error bend slowly;
//! a test holds the search to an enumeration.

use inbounds_core::root;

use super::{ErrorAt, Mechanism};
use crate::interval::StepInterval;

/// Scales of the noise at which an end of the range is not felt: less than `e^-45` of the noise reaches it.
pub(super) const FAR: f64 = 45.0;

/// Answers of a long interval that are looked at first.
const POINTS: i128 = 64;

/// The largest absolute bias, with its sign, and the largest RMSE over the answers of an interval.
pub(super) fn largest<M: Mechanism + ?Sized>(mechanism: &M, interval: StepInterval) -> ErrorAt {
    largest_of(mechanism, interval, POINTS)
}

/// The same of a mechanism whose error costs more to compute and varies more slowly: `points` answers are evaluated
/// first.
pub(super) fn largest_of<M: Mechanism + ?Sized>(mechanism: &M, interval: StepInterval, points: i128) -> ErrorAt {
    let range = mechanism.range();
    let (Some(lower), Some(upper)) = (interval.lower.or(range.lower()), interval.upper.or(range.upper())) else {
        // No interval of a mechanism is open; if one were, nothing less could be said of it.
        return ErrorAt { bias: mechanism.worst_bias(), rmse: f64::INFINITY };
    };
    let far = |answer: i128, end: Option<i128>| end.is_none_or(|end| answer.abs_diff(end) as f64 > mechanism.felt());
    if mechanism.felt().is_finite() && far(lower, range.lower()) && far(upper, range.upper()) {
        return mechanism.error_at(lower);
    }
    let width = upper - lower;
    let (most, points) = (points, width.min(points));
    let at = |index: i128| {
        if points == 0 { lower } else { lower + width / points * index + width % points * index / points }
    };
    let errors: Vec<ErrorAt> = (0..=points).map(|index| mechanism.error_at(at(index))).collect();
    let refined = |size: fn(&ErrorAt) -> f64| {
        let best = (0..errors.len()).max_by(|a, b| size(&errors[*a]).total_cmp(&size(&errors[*b]))).unwrap_or(0);
        let (from, to) = (at((best as i128 - 1).max(0)), at((best as i128 + 1).min(points)));
        if width <= most {
            return errors[best];
        }
        let error = |steps: f64| mechanism.error_at(from + steps as i128);
        let (_, place) = root::largest(0.0, (to - from) as f64, |low, high| high - low < 1.0, |x| size(&error(x)));
        if size(&error(place)) > size(&errors[best]) { error(place) } else { errors[best] }
    };
    ErrorAt { bias: refined(|error| error.bias.abs()).bias, rmse: refined(|error| error.rmse).rmse }
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Delta, Epsilon, Guarantee, Sensitivity, StepRange};

    use super::*;
    use crate::registry;

    /// Every mechanism, over short and long intervals near an end, in the middle and far away: no answer has a larger
    /// error, and the one that is named has it.
    #[test]
    fn no_answer_of_the_interval_errs_more() {
        let delta = Delta::new("0.000001".parse().expect("number")).expect("in [0, 1)");
        for entry in registry::MECHANISMS {
            for (epsilon, l1, upper) in
                [("1", 1, None), ("0.5", 1, Some(60)), ("0.5", 40, Some(3000)), ("0.3", 40, None)]
            {
                let epsilon: Epsilon = Epsilon::new(epsilon.parse().expect("number")).expect("positive");
                let guarantee: Guarantee = entry.guarantee(epsilon, delta.clone());
                let sensitivity = Sensitivity { l1, linf: l1, cells: 1, rule: "test", squares: None };
                let range = StepRange::new(Some(0), upper).expect("ordered");
                let Ok(mechanism) = entry.calibrate(&guarantee, &sensitivity, range) else { continue };
                let most = upper.unwrap_or(100_000);
                for (from, to) in [(0, 9), (0, 60), (3, 47), (0, 700), (130, 2990), (90_000, 90_400)] {
                    let interval = StepInterval { lower: Some(from), upper: Some(to) };
                    if to > most {
                        continue;
                    }
                    let stated = mechanism.error_over(interval);
                    let all: Vec<ErrorAt> = (from..=to).map(|answer| mechanism.error_at(answer)).collect();
                    let bias = all.iter().map(|error| error.bias.abs()).fold(0.0, f64::max);
                    let rmse = all.iter().map(|error| error.rmse).fold(0.0, f64::max);
                    let case = format!("{} {l1} {range:?} {from} {to}: {stated:?} {bias} {rmse}", entry.plan_name);
                    assert!((stated.bias.abs() - bias).abs() <= 1e-3 * bias + 1e-12 * rmse, "{case}");
                    assert!((stated.rmse - rmse).abs() <= 1e-3 * rmse, "{case}");
                }
            }
        }
    }
}
