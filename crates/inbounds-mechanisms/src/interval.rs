//! Intervals for the answer, given a released value, that stay valid under the constraint.
//!
//! Both methods are inversions of a test, so their coverage is at least the level for every answer in the range. All
//! rounding widens: thresholds are moved outward by a relative `1e-9`.

use inbounds_core::{StepRange, root::bisect_integer};

use crate::{
    bounding::step_value::StepValue,
    law::Noise,
    noise::{DiscreteLaplace, GridNoise},
};

/// A closed interval of answers in grid steps; an end is `None` where nothing bounds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepInterval {
    /// Smallest answer in the interval.
    pub lower: Option<i128>,
    /// Largest answer in the interval.
    pub upper: Option<i128>,
}

impl StepInterval {
    /// `true` if an answer lies in the interval.
    pub fn contains(&self, answer: i128) -> bool {
        self.lower.is_none_or(|lower| lower <= answer) && self.upper.is_none_or(|upper| answer <= upper)
    }

    /// The smallest interval that has this one and `value`, rounded either way, in it.
    pub(crate) fn holding(self, value: StepValue) -> Self {
        let above = value.whole + i128::from(value.fraction > 0.0);
        Self { lower: self.lower.map(|lower| lower.min(value.whole)), upper: self.upper.map(|upper| upper.max(above)) }
    }
}

/// By how much thresholds of tests are moved outwards, relatively.
pub(crate) const OUTWARD: f64 = 1e-9;

/// The largest deviation `t` of plain noise at the given level: the least whole `t` with `P(|N| > t) <= 1 - level`.
pub fn noise_radius(noise: &dyn Noise, level: f64) -> i128 {
    let tail = (1.0 - level) / 2.0 * (1.0 - OUTWARD);
    let mut radius = (-noise.quantile(tail)).max(0.0);
    if radius >= 2f64.powi(50) {
        return (radius * (1.0 + OUTWARD)) as i128;
    }
    // The quantile is where P(N >= -t) turns; one step decides between it and its neighbours.
    while noise.sf(radius) > tail {
        radius += 1.0;
    }
    while radius > 0.0 && noise.sf(radius - 1.0) <= tail {
        radius -= 1.0;
    }
    radius as i128
}

/// A deviation that the sum of `terms` independent draws passes, either way, with probability at most `miss`.
///
/// # Guarantee
/// The least of three bounds, of which each holds: for one draw the exact quantile ([`noise_radius`]); the union bound
/// over the draws; and Chernoff's `(terms K(r) + ln(2 / miss)) / r` with the log moment `K` of
/// [`GridLaw::ln_exponential_moment`](crate::noise::GridLaw::ln_exponential_moment), which holds at every rate `r` and
/// is taken at the best of some.
///
/// # Example
/// A hundred draws of scale 1 stay within 53 but for one time in a thousand; their standard deviation is 13.6.
/// ```
/// use inbounds_mechanisms::{interval, noise::{DiscreteLaplace, GridNoise}};
/// let noise = GridNoise::Laplace(DiscreteLaplace::with_inverse_scale("1".parse()?)?);
/// assert_eq!(interval::sum_radius(&noise, 1, 1e-3), 7.0);
/// assert_eq!(interval::sum_radius(&noise, 100, 1e-3).floor(), 54.0);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn sum_radius(noise: &GridNoise, terms: usize, miss: f64) -> f64 {
    let draws = terms as f64;
    let union = draws * noise_radius(noise, 1.0 - miss / draws.max(1.0)) as f64;
    if terms <= 1 {
        return union;
    }
    let tail = libm::log(2.0 / miss);
    let chernoff = |rate: f64| (draws * noise.law().ln_exponential_moment(rate) + tail) / rate;
    // Quadratic near 0, where the best rate is that of a normal law; all rates lie below the end.
    let normal = libm::sqrt(2.0 * tail / (draws * noise.variance()));
    let end = noise.law().exponential_rate();
    let rates = (1..=RATES).flat_map(|i| {
        let part = f64::from(i) / f64::from(RATES + 1);
        [2.0 * normal * part, end * part]
    });
    let best =
        rates.filter(|rate| rate.is_finite()).map(chernoff).filter(|t| !t.is_nan()).fold(f64::INFINITY, f64::min);
    union.min(best * (1.0 + OUTWARD))
}

/// Rates that Chernoff's bound is tried at, twice.
const RATES: u32 = 64;

/// The interval `[w - t, w + t]` cut to the range, around the clamped value `w` of a raw measurement.
///
/// It contains the cut interval around the raw measurement itself, and so covers. A raw value far outside the range
/// does not feign precision: beyond an end the likelihood of Laplace noise no longer depends on how far
/// (`a^(q - y) = a^(q - w) a^(w - y)`), and neither does this interval.
///
/// # Example
/// ```
/// use inbounds_core::StepRange;
/// use inbounds_mechanisms::{interval, noise::DiscreteLaplace};
/// let noise = DiscreteLaplace::with_inverse_scale("1".parse()?)?;
/// let counts = StepRange::new(Some(0), None)?;
/// let ends = |raw| { let cut = interval::from_noise(&noise, raw, counts, 0.95); (cut.lower, cut.upper) };
/// assert_eq!(ends(1), (Some(0), Some(4)));
/// assert_eq!(ends(-9), (Some(0), Some(3)));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn from_noise(noise: &dyn Noise, measurement: i128, range: StepRange, level: f64) -> StepInterval {
    let radius = noise_radius(noise, level);
    let centre = range.clamp(measurement);
    StepInterval { lower: Some(range.clamp(centre - radius)), upper: Some(range.clamp(centre + radius)) }
}

/// All answers `q` of the range under which a released value at least as far away as `x` is not rare:
/// `P(|X - q| >= |x - q| | q) > 1 - level`.
///
/// Under the true answer that probability is at most `1 - level` with probability at most `1 - level`, so the set
/// covers. It holds `x` itself. It is searched for outward from `x` to both sides, where the probability falls with the
/// distance.
pub fn by_inversion(noise: &DiscreteLaplace, released: i128, range: StepRange, level: f64) -> StepInterval {
    if range.is_unbounded() {
        return from_noise(noise, released, range, level);
    }
    let miss = (1.0 - level) * (1.0 - OUTWARD);
    let law = ConditionedTail { noise, range };
    let accepts = |q: i128| law.at_least_as_far(released, q) > miss;
    // On an open side both tails at distance j are at most a^j.
    let far = (-libm::log(miss / 2.0) / noise.tau()).ceil() as i128 + 2;
    let end = range.upper().map_or(released + far, |upper| upper + 1);
    let start = range.lower().map_or(released - far, |lower| lower - 1);
    let upper = bisect_integer(released, end, accepts);
    let lower = -bisect_integer(-released, -start, |minus_q| accepts(-minus_q));
    StepInterval { lower: Some(lower), upper: Some(upper) }
}

/// Tail probabilities of discrete Laplace noise conditioned on a range, as functions of the location.
struct ConditionedTail<'a> {
    noise: &'a DiscreteLaplace,
    range: StepRange,
}

impl ConditionedTail<'_> {
    /// `P(|X - q| >= |x - q| | q)`.
    fn at_least_as_far(&self, x: i128, q: i128) -> f64 {
        let distance = x.abs_diff(q);
        if distance == 0 {
            return 1.0;
        }
        let steps = distance as i128;
        let below = match self.range.lower() {
            Some(lower) if q - steps < lower => 0.0,
            lower => self.tail(distance, q - steps, lower, q),
        };
        let above = match self.range.upper() {
            Some(upper) if q + steps > upper => 0.0,
            upper => self.tail(distance, q + steps, upper, q),
        };
        below + above
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
    use crate::{
        law::Noise,
        noise::{DiscreteGaussian, DiscreteStaircase},
        sampler::SeededEntropy,
    };

    fn law(tau: &str) -> DiscreteLaplace {
        DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
    }

    /// `P(X = x | q)` by summing weights, for small ranges.
    fn mass(noise: &DiscreteLaplace, range: (i128, i128), x: i128, q: i128) -> f64 {
        let weight = |y: i128| (-noise.tau() * (y - q).abs() as f64).exp();
        weight(x) / (range.0..=range.1).map(weight).sum::<f64>()
    }

    #[test]
    fn tails_agree_with_enumeration_and_fall_with_the_distance() {
        for (tau, ends) in [("0.3", (-2, 9)), ("0.01", (0, 40)), ("0.05", (0, 60)), ("2", (-5, 5))] {
            let noise = law(tau);
            let range = StepRange::new(Some(ends.0), Some(ends.1)).expect("ordered");
            let tails = ConditionedTail { noise: &noise, range };
            for x in ends.0..=ends.1 {
                let far: Vec<f64> = (ends.0..=ends.1).map(|q| tails.at_least_as_far(x, q)).collect();
                for (q, tail) in (ends.0..=ends.1).zip(&far) {
                    let others = (ends.0..=ends.1).filter(|y: &i128| y.abs_diff(q) >= x.abs_diff(q));
                    let expected: f64 = others.map(|y| mass(&noise, ends, y, q)).sum();
                    assert!((tail - expected).abs() < 1e-13, "tau {tau} x {x} q {q}: {tail} {expected}");
                }
                // The search relies on this.
                let at = (x - ends.0) as usize;
                assert!(far[..=at].is_sorted() && far[at..].iter().rev().is_sorted(), "tau {tau} x {x}: {far:?}");
            }
        }
    }

    #[test]
    fn coverage_by_enumeration_is_at_least_nominal_and_not_idle() {
        let cases = [("0.05", 30), ("0.3", 30), ("1.2", 7), ("0.01", 60)];
        for ((tau, upper), level) in
            cases.into_iter().flat_map(|case| [0.8, 0.9, 0.95, 0.99].map(|level| (case, level)))
        {
            let noise = law(tau);
            let range = StepRange::new(Some(0), Some(upper)).expect("ordered");
            let mut least = 1f64;
            for q in 0..=upper {
                let conditioned: f64 = (0..=upper)
                    .filter(|x| by_inversion(&noise, *x, range, level).contains(q))
                    .map(|x| mass(&noise, (0, upper), x, q))
                    .sum();
                assert!(conditioned >= level - 1e-12, "tau {tau} q {q}: {conditioned}");
                let clamped: f64 = (q - 2000..=q + 2000)
                    .filter(|y| from_noise(&noise, *y, range, level).contains(q))
                    .map(|y| noise.ln_density((y - q) as f64).exp())
                    .sum();
                assert!(clamped >= level - 1e-9, "tau {tau} q {q}: {clamped}");
                least = least.min(conditioned);
            }
            assert!(
                least < 0.5 + 0.5 * level + 0.05,
                "tau {tau} at {level}: an interval that always covers says nothing"
            );
        }
    }

    /// Draws sums and counts how often they pass their radius: at most `miss` of the time but for chance.
    #[test]
    fn sums_pass_their_radius_at_most_as_often_as_stated() {
        let staircase = |epsilon: &str, d| {
            let epsilon: inbounds_core::Rational = epsilon.parse().expect("number");
            let high = DiscreteStaircase::best_high(&epsilon, d).expect("admissible");
            GridNoise::Staircase(DiscreteStaircase::new(epsilon, d, high).expect("admissible"))
        };
        let gaussian = DiscreteGaussian::with_variance_parameter("400".parse().expect("number")).expect("admissible");
        let laws = [
            GridNoise::Laplace(law("1")),
            GridNoise::Laplace(law("0.02")),
            GridNoise::Gaussian(gaussian),
            staircase("0.3", 1),
            staircase("3", 50),
        ];
        let mut entropy = SeededEntropy::from_seed(5);
        for noise in &laws {
            for terms in [1usize, 2, 7, 60] {
                let radius = sum_radius(noise, terms, 0.05);
                let deviation = (terms as f64 * noise.variance()).sqrt();
                // No idle bound: 1.96 deviations would be a normal law's own.
                assert!(radius < 6.0 * deviation, "{noise:?} {terms}: {radius} against {deviation}");
                let passes = |_: &u32| {
                    let sum: i128 = noise.add_to(&vec![0; terms], &mut entropy).iter().sum();
                    sum.unsigned_abs() as f64 > radius
                };
                let passed = (0..4000).filter(passes).count();
                // 200 expected at most, standard deviation 14: 270 is passed by chance with probability below 1e-6.
                assert!(passed <= 270, "{noise:?} {terms}: {passed} of 4000 sums passed");
            }
        }
    }
}
