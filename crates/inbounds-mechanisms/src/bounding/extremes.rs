//! The largest bias of a rule over all answers of a range.

use inbounds_core::root::largest;

use super::{Range, Rule};
use crate::law::Noise;

/// Answers tried between an end and the reach of its influence before local extrema are refined.
const SCAN: u32 = 160;

/// Standard deviations beyond a threshold at which the bias has no more turns.
const TURNS: f64 = 12.0;

/// Standard deviations beyond a threshold at which the bias is that at infinity.
const FAR: f64 = 40.0;

/// The largest `|bias(q)|` of `rule` over `range`, by scan and refinement.
///
/// Ends, the middle or a far answer, and every local extremum that a scan brackets are tried, the last refined to the
/// accuracy of the bias itself. Mirror images are skipped: rules treat both ends alike.
pub(super) fn worst_bias(noise: &dyn Noise, range: Range, rule: Rule) -> f64 {
    let Some(scan) = Scan::new(noise, range, rule) else { return 0.0 };
    scan.largest(f64::INFINITY)
}

/// Tests that `|bias(q)| <= limit` over the range, without the rest of the scan where it fails.
pub(super) fn stays_within(noise: &dyn Noise, range: Range, rule: Rule, limit: f64) -> bool {
    Scan::new(noise, range, rule).is_none_or(|scan| scan.largest(limit) <= limit)
}

struct Scan<'a> {
    noise: &'a dyn Noise,
    rule: Rule,
    width: f64,
    is_lattice: bool,
    points: Vec<f64>,
}

impl<'a> Scan<'a> {
    /// `None` for a range without an end.
    fn new(noise: &'a dyn Noise, range: Range, rule: Rule) -> Option<Self> {
        range.finite_end()?;
        let width = range.upper() - range.lower();
        let is_lattice = noise.spacing() > 0.0;
        let start = match rule {
            Rule::Threshold { threshold, .. } => threshold,
            // From there to the middle a stretch's bias falls to zero.
            Rule::Stretch { dead } => dead,
            Rule::OneBit => width / 2.0,
        };
        // Noise much finer than a lattice is felt over some steps still.
        let deviation = noise.variance().sqrt().max(noise.spacing());
        let half = if is_lattice { (width / 2.0).floor() } else { width / 2.0 };
        let reach = half.min(start + TURNS * deviation);
        let on = |q: f64| if is_lattice { q.round() } else { q };
        // Denser near the end, where rules bend.
        let part = |index: u32| (f64::from(index) / f64::from(SCAN)).powi(2);
        let mut points: Vec<f64> = (0..=SCAN).map(|index| on(part(index) * reach)).collect();
        points.push(on(half.min(start + FAR * deviation)));
        points.dedup();
        Some(Self { noise, rule, width, is_lattice, points })
    }

    fn bias(&self, q: f64) -> f64 {
        self.rule.error(self.noise, q, self.width - q, false).0.abs()
    }

    /// The largest bias, or any that passes `limit`.
    fn largest(&self, limit: f64) -> f64 {
        let mut values = Vec::with_capacity(self.points.len());
        for q in &self.points {
            let bias = self.bias(*q);
            if bias > limit {
                return bias;
            }
            values.push(bias);
        }
        let mut worst = values.iter().copied().fold(0.0, f64::max);
        for (points, values) in self.points.windows(3).zip(values.windows(3)) {
            // Only a bracket that may rise above the best so far is worth refining.
            let rises = values[1] >= values[0] && values[1] >= values[2] && values[1] > 0.5 * worst;
            if rises && !(self.is_lattice && points[2] - points[0] <= 2.0) {
                worst = worst.max(self.refine(points[0], points[2]));
            }
        }
        worst
    }

    /// The largest bias on `[low, high]`, where it rises and then falls.
    fn refine(&self, low: f64, high: f64) -> f64 {
        let on = |q: f64| if self.is_lattice { q.round() } else { q };
        let narrow = |low: f64, high: f64| high - low <= 1e-9 * high || self.is_lattice && high - low < 1.0;
        largest(low, high, narrow, |q| self.bias(on(q))).0
    }
}
