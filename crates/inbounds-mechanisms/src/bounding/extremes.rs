//! The largest bias of a rule over all answers of a range.

use super::{Range, Rule};
use crate::law::Noise;

/// Answers tried between an end and the reach of its influence before the best few are refined.
const SCAN: u32 = 256;

/// Standard deviations beyond a threshold at which an end's influence on the bias is spent.
const INFLUENCE: f64 = 40.0;

/// The largest `|bias(q)|` of `rule` over `range`, by scan and refinement.
///
/// Ends, the middle or a far answer, and every local extremum that a scan of hundreds of answers brackets are tried,
/// the last refined to the accuracy of the bias itself. Mirror images are skipped: rules treat both ends alike.
pub(super) fn worst_bias(noise: &dyn Noise, range: Range, rule: Rule) -> f64 {
    if range.finite_end().is_none() {
        return 0.0;
    }
    let width = range.upper() - range.lower();
    let bias = |q: f64| rule.error(noise, q, width - q, false).0.abs();
    let start = match rule {
        Rule::Threshold { threshold, .. } => threshold,
        Rule::OneBit | Rule::Stretch { .. } => width / 2.0,
    };
    let far = start + INFLUENCE * noise.variance().sqrt();
    let whole = noise.spacing() > 0.0;
    let on = |q: f64| if whole { q.round() } else { q };
    let reach = far.min(if whole { (width / 2.0).floor() } else { width / 2.0 });
    let points: Vec<f64> = (0..=SCAN).map(|i| on(spread(f64::from(i) / f64::from(SCAN)) * reach)).collect();
    let values: Vec<f64> = points.iter().map(|q| bias(*q)).collect();
    let mut worst = values.iter().copied().fold(0.0, f64::max);
    for i in 1..points.len() - 1 {
        // Only a bracket that may rise above the best so far is worth refining.
        if values[i] >= values[i - 1] && values[i] >= values[i + 1] && values[i] > 0.5 * worst {
            worst = worst.max(refine(points[i - 1], points[i + 1], whole, bias));
        }
    }
    worst
}

/// Denser near zero, where rules bend.
fn spread(t: f64) -> f64 {
    t * t
}

/// The largest value of a function that rises and then falls on `[low, high]`.
fn refine(mut low: f64, mut high: f64, whole: bool, f: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let on = |q: f64| if whole { q.round() } else { q };
    let mut best = 0f64;
    for _ in 0..60 {
        let (left, right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
        let (at_left, at_right) = (f(on(left)), f(on(right)));
        best = best.max(at_left).max(at_right);
        if at_left < at_right {
            low = left
        } else {
            high = right
        }
        if high - low <= 1e-9 * high {
            break;
        }
    }
    best
}
