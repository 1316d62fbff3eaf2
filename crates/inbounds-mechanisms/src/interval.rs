//! Intervals for the answer, given a released value, that stay valid under the constraint.
//!
//! Both methods are inversions of a test, so their coverage is at least the level for every answer in the range. All
//! rounding widens: thresholds are moved outward by a relative `1e-9`.

use inbounds_core::{StepRange, root::bisect_integer};

use crate::law::DiscreteLaplace;

/// A closed interval of answers in grid steps; an end is `None` where nothing bounds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepInterval {
    /// Smallest answer in the interval.
    pub lower: Option<i128>,
    /// Largest answer in the interval.
    pub upper: Option<i128>,
}

impl StepInterval {
    /// Whether an answer lies in the interval.
    pub fn contains(&self, answer: i128) -> bool {
        self.lower.is_none_or(|lower| lower <= answer) && self.upper.is_none_or(|upper| answer <= upper)
    }
}

const OUTWARD: f64 = 1e-9;

/// The largest deviation `t` of plain noise at the given level: the least whole `t` with `P(|N| > t) <= 1 - level`.
///
/// `P(|N| > t) = 2 a^(t+1) / (1 + a)`.
pub fn noise_radius(noise: &DiscreteLaplace, level: f64) -> i128 {
    let miss = (1.0 - level) * (1.0 - OUTWARD);
    let ratio = libm::exp(-noise.tau());
    let depth = -libm::log(miss * (1.0 + ratio) / 2.0) / noise.tau();
    (depth.ceil() - 1.0).max(0.0) as i128
}

/// The interval `[y - t, y + t]` of a raw measurement `y`, cut to the range.
///
/// Where the cut leaves nothing, the nearest end of the range remains: the answer is in the range, so the uncut
/// interval missed it and any remainder keeps the coverage.
///
/// # Example
/// ```
/// use inbounds_core::StepRange;
/// use inbounds_mechanisms::{interval, law::DiscreteLaplace};
/// let noise = DiscreteLaplace::with_inverse_scale("1".parse()?)?;
/// let cut = interval::from_noise(&noise, 1, StepRange::new(Some(0), None)?, 0.95);
/// assert_eq!((cut.lower, cut.upper), (Some(0), Some(4)));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn from_noise(noise: &DiscreteLaplace, measurement: i128, range: StepRange, level: f64) -> StepInterval {
    let radius = noise_radius(noise, level);
    StepInterval { lower: Some(range.clamp(measurement - radius)), upper: Some(range.clamp(measurement + radius)) }
}

/// All answers `q` of the range whose conditioned law gives both `P(X <= x | q)` and `P(X >= x | q)` more than
/// `(1 - level) / 2`, for a released value `x` of the range.
///
/// Both probabilities are monotone in `q`, the first falling and the second rising, so the set is an interval.
pub fn by_inversion(noise: &DiscreteLaplace, released: i128, range: StepRange, level: f64) -> StepInterval {
    if range.is_unbounded() {
        return from_noise(noise, released, range, level);
    }
    let tail = 0.5 * (1.0 - level) * (1.0 - OUTWARD);
    let law = ConditionedTail { noise, range };
    // On an open side the law is that of a half line, whose tail at distance j is at most a^j.
    let far = (-libm::log(tail) / noise.tau()).ceil() as i128 + 2;
    let end = range.upper().map_or(released + far, |upper| upper + 1);
    let upper = bisect_integer(released, end, |q| law.at_most(released, q) > tail);
    let start = range.lower().map_or(released - far, |lower| lower - 1);
    let lower = -bisect_integer(-released, -start, |minus_q| law.at_least(released, -minus_q) > tail);
    StepInterval { lower: Some(lower), upper: Some(upper) }
}

/// Tail probabilities of discrete Laplace noise conditioned on a range, as functions of the location.
struct ConditionedTail<'a> {
    noise: &'a DiscreteLaplace,
    range: StepRange,
}

impl ConditionedTail<'_> {
    /// `P(X <= x | q)`.
    fn at_most(&self, x: i128, q: i128) -> f64 {
        if q > x { self.tail(q.abs_diff(x), x, self.range.lower(), q) } else { 1.0 - self.at_least_above(x + 1, q) }
    }

    /// `P(X >= x | q)`.
    fn at_least(&self, x: i128, q: i128) -> f64 {
        if q < x { self.at_least_above(x, q) } else { 1.0 - self.tail_below(x - 1, q) }
    }

    fn at_least_above(&self, x: i128, q: i128) -> f64 {
        if self.range.upper().is_some_and(|upper| x > upper) {
            return 0.0;
        }
        self.tail(x.abs_diff(q), x, self.range.upper(), q)
    }

    fn tail_below(&self, x: i128, q: i128) -> f64 {
        if self.range.lower().is_some_and(|lower| x < lower) {
            return 0.0;
        }
        self.tail(x.abs_diff(q), x, self.range.lower(), q)
    }

    /// Mass from `x`, at `distance >= 1` from `q`, out to `end`: `a^distance (1 - a^(|end - x| + 1)) / T`.
    fn tail(&self, distance: u128, x: i128, end: Option<i128>, q: i128) -> f64 {
        let missing = |steps: f64| -libm::expm1(-self.noise.tau() * steps);
        let reach =
            |end: Option<i128>, from: i128, more: f64| end.map_or(1.0, |end| missing(end.abs_diff(from) as f64 + more));
        let total =
            reach(self.range.upper(), q, 1.0) + libm::exp(-self.noise.tau()) * reach(self.range.lower(), q, 0.0);
        libm::exp(-self.noise.tau() * distance as f64) * reach(end, x, 1.0) / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::law::Noise;

    fn law(tau: &str) -> DiscreteLaplace {
        DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
    }

    /// `P(X = x | q)` by summing weights, for small ranges.
    fn mass(noise: &DiscreteLaplace, range: (i128, i128), x: i128, q: i128) -> f64 {
        let weight = |y: i128| (-noise.tau() * (y - q).abs() as f64).exp();
        weight(x) / (range.0..=range.1).map(weight).sum::<f64>()
    }

    #[test]
    fn tails_agree_with_enumeration() {
        let (noise, ends) = (law("0.3"), (-2, 9));
        let range = StepRange::new(Some(ends.0), Some(ends.1)).expect("ordered");
        let tails = ConditionedTail { noise: &noise, range };
        for q in ends.0..=ends.1 {
            for x in ends.0..=ends.1 {
                let below: f64 = (ends.0..=x).map(|y| mass(&noise, ends, y, q)).sum();
                let above: f64 = (x..=ends.1).map(|y| mass(&noise, ends, y, q)).sum();
                assert!((tails.at_most(x, q) - below).abs() < 1e-14, "P(X <= {x} | {q})");
                assert!((tails.at_least(x, q) - above).abs() < 1e-14, "P(X >= {x} | {q})");
            }
        }
    }

    #[test]
    fn coverage_by_enumeration_is_at_least_nominal_and_not_idle() {
        for (tau, upper) in [("0.05", 30), ("0.3", 30), ("1.2", 7), ("0.01", 60)] {
            let noise = law(tau);
            let range = StepRange::new(Some(0), Some(upper)).expect("ordered");
            let mut least = 1f64;
            for q in 0..=upper {
                let conditioned: f64 = (0..=upper)
                    .filter(|x| by_inversion(&noise, *x, range, 0.95).contains(q))
                    .map(|x| mass(&noise, (0, upper), x, q))
                    .sum();
                assert!(conditioned >= 0.95 - 1e-12, "tau {tau} q {q}: {conditioned}");
                let clamped: f64 = (q - 2000..=q + 2000)
                    .filter(|y| from_noise(&noise, *y, range, 0.95).contains(q))
                    .map(|y| noise.ln_density((y - q) as f64).exp())
                    .sum();
                assert!(clamped >= 0.95 - 1e-9, "tau {tau} q {q}: {clamped}");
                least = least.min(conditioned);
            }
            assert!(least < 0.9999, "tau {tau}: an interval that always covers says nothing");
        }
    }
}
