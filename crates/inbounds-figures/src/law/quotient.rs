//! The ratios of two numbers that their measurements do not reject.
//!
//! # Idea
//! With measured `A = a + X` and `B = b + Y` and `r = a / b`, the number `A - r B` is `X - r Y`: noise alone. A ratio
//! is rejected if `P(|X - r Y| >= |A - r B|)` is at most the chance of a miss (Fieller 1954, for laws that are not
//! normal). What is accepted is an interval, a half line, or everything, where `B` cannot be told from zero.
//!
//! # Invariant
//! `X` is replaced by noise `X~` with a symmetric density that falls to both sides, never farther away than half a
//! pitch and the error of its law. Then `P(|X~ + r Y| >= v)` does not fall with `|r|` (Anderson 1955). So for all
//! ratios of a range the chance is at most that at its largest `|r|` and its least `v`, and whole ranges are rejected
//! at once: no accepted ratio lies outside of what is returned. Beyond the ratio of the two standard deviations the
//! same is done with `1 / r`, which knows infinity.

use super::{AcceptedSet, NoiseSum, OUTWARD, WeightedNoise, sum::SLACK};

/// The laws of the noise of a numerator and of a denominator that have nothing in common.
#[derive(Debug, Clone)]
pub struct QuotientLaw {
    numerator: NoiseSum,
    denominator: NoiseSum,
    /// The ratio of the two standard deviations.
    turn: f64,
}

/// Halvings of a range after which its outer end is taken.
const MOST_HALVINGS: usize = 56;

impl QuotientLaw {
    /// Of independent terms, of which both have some.
    ///
    /// # Panics
    /// If one of them has none.
    pub fn new(numerator: &[WeightedNoise], denominator: &[WeightedNoise]) -> Self {
        let (numerator, denominator) = (NoiseSum::unimodal(numerator), NoiseSum::unimodal(denominator));
        let turn = libm::sqrt(numerator.variance() / denominator.variance());
        Self { numerator, denominator, turn }
    }

    /// The smallest interval with all ratios between `range.0` and `range.1` (which may be infinite) that measured
    /// numerator and denominator do not reject.
    ///
    /// # Guarantee
    /// It contains the ratio of the two answers with probability at least `1 - miss`, whatever they are, as long as the
    /// ratio exists and lies in the range. Claim: `figure-quotient`.
    ///
    /// # Example
    /// 12 of 40, each with discrete Laplace noise of scale 2; of a denominator of 3 nothing bounds the ratio from
    /// above.
    /// ```
    /// use std::sync::Arc;
    /// use inbounds_figures::law::{AcceptedSet, QuotientLaw, WeightedNoise};
    /// use inbounds_mechanisms::noise::{DiscreteLaplace, GridNoise};
    /// let noise = Arc::new(GridNoise::Laplace(DiscreteLaplace::with_inverse_scale("0.5".parse()?)?));
    /// let count = [WeightedNoise { noise, step: 1.0 }];
    /// let law = QuotientLaw::new(&count, &count);
    /// let AcceptedSet::Between { lower, upper } = law.accepted((12.0, 40.0), 0.05, (0.0, f64::INFINITY)) else { panic!() };
    /// assert!((0.13..0.14).contains(&lower) && (0.47..0.48).contains(&upper));
    /// let AcceptedSet::Between { upper, .. } = law.accepted((12.0, 3.0), 0.05, (0.0, f64::INFINITY)) else { panic!() };
    /// assert_eq!(upper, f64::INFINITY);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn accepted(&self, measured: (f64, f64), miss: f64, range: (f64, f64)) -> AcceptedSet {
        let search = Search { law: self, measured, miss: miss * (1.0 - OUTWARD) };
        let (from, to) = (self.place(range.0), self.place(range.1));
        match (search.outermost(from, to, Side::Lower), search.outermost(from, to, Side::Upper)) {
            (Some(lower), Some(upper)) => {
                AcceptedSet::between(self.ratio(lower).max(range.0), self.ratio(upper).min(range.1))
            }
            _ => AcceptedSet::Empty,
        }
    }

    /// Ratios as places between -2 and 2: `r = turn s` up to `|s| = 1`, and `r = turn / (2 - s)` beyond.
    fn place(&self, ratio: f64) -> f64 {
        let scaled = ratio / self.turn;
        if scaled.abs() <= 1.0 { scaled } else { (2.0 - 1.0 / scaled.abs()).copysign(scaled) }
    }

    fn ratio(&self, place: f64) -> f64 {
        if place.abs() <= 1.0 { self.turn * place } else { (self.turn / (2.0 - place.abs())).copysign(place) }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Lower,
    Upper,
}

struct Search<'a> {
    law: &'a QuotientLaw,
    measured: (f64, f64),
    miss: f64,
}

impl Search<'_> {
    /// The end of all places between two that are not rejected; none if all are.
    fn outermost(&self, from: f64, to: f64, side: Side) -> Option<f64> {
        let borders = [-1.0, 0.0, 1.0].into_iter().filter(|border| from < *border && *border < to);
        let mut ends: Vec<f64> = std::iter::once(from).chain(borders).collect();
        ends.push(to);
        // The cell at the end that is sought is on top.
        let mut cells: Vec<(f64, f64, usize)> = ends.windows(2).map(|pair| (pair[0], pair[1], 0)).collect();
        if side == Side::Lower {
            cells.reverse();
        }
        while let Some((low, high, halvings)) = cells.pop() {
            if self.rejects(low, high) {
                continue;
            }
            let middle = 0.5 * (low + high);
            if halvings >= MOST_HALVINGS || middle <= low || middle >= high {
                return Some(if side == Side::Upper { high } else { low });
            }
            let (left, right) = ((low, middle, halvings + 1), (middle, high, halvings + 1));
            cells.extend(if side == Side::Upper { [left, right] } else { [right, left] });
        }
        None
    }

    /// `true` if all ratios between two places are rejected; the places lie on one side of -1, 0 and 1.
    fn rejects(&self, low: f64, high: f64) -> bool {
        let (a, b) = self.measured;
        let QuotientLaw { numerator, denominator, turn } = self.law;
        if low.abs().max(high.abs()) <= 1.0 {
            let (low, high) = (turn * low, turn * high);
            let distance = nearest_to_zero(a - low * b, a - high * b);
            chance_at_least(numerator, denominator, low.abs().max(high.abs()), distance) <= self.miss
        } else {
            // 1 / r, of which the larger sizes are at the place nearer to zero.
            let inverse = |place: f64| ((2.0 - place.abs()) / turn).copysign(place);
            let (low, high) = (inverse(low), inverse(high));
            let distance = nearest_to_zero(b - low * a, b - high * a);
            chance_at_least(denominator, numerator, low.abs().max(high.abs()), distance) <= self.miss
        }
    }
}

/// The least size of the numbers between two.
fn nearest_to_zero(one: f64, other: f64) -> f64 {
    if one.signum() == other.signum() { one.abs().min(other.abs()) } else { 0.0 }
}

/// At least `P(|X + ratio Y| >= v)`, and not falling with the ratio.
fn chance_at_least(x: &NoiseSum, y: &NoiseSum, ratio: f64, v: f64) -> f64 {
    let v = v - 0.5 * x.pitch() - x.error() - ratio * y.error();
    if v <= 0.0 {
        return 1.0;
    }
    let mut chance = y.masses[0] * x.spread_above(v);
    for (k, mass) in y.masses.iter().enumerate().skip(1) {
        let shift = ratio * y.pitch() * k as f64;
        let above = x.spread_above(v - shift);
        chance += mass * (above + x.spread_above(v + shift));
        // Whatever is left of `Y` can at most be all above.
        if *mass < 1e-17 {
            break;
        }
    }
    2.0 * (chance + SLACK)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use inbounds_mechanisms::{
        law::Noise,
        noise::{DiscreteLaplace, GridNoise},
    };

    use super::*;

    fn count(tau: &str, step: f64) -> WeightedNoise {
        let law = DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("law");
        WeightedNoise { noise: Arc::new(GridNoise::Laplace(law)), step }
    }

    /// `P(|X - r Y| >= v)` by a plain loop over masses from -80 to 80.
    fn chance([x, y]: &[Vec<f64>; 2], r: f64, v: f64) -> f64 {
        let mut sum = 0.0;
        for (j, x) in (-80..=80).map(f64::from).zip(x) {
            for (k, y) in (-80..=80).map(f64::from).zip(y) {
                sum += if (j - r * k).abs() >= v * (1.0 - 1e-12) { x * y } else { 0.0 };
            }
        }
        sum
    }

    fn masses(term: &WeightedNoise) -> Vec<f64> {
        (-80..=80).map(|k| term.noise.ln_density(f64::from(k)).exp()).collect()
    }

    /// Every ratio that the test itself accepts, at five hundred places, lies in what is returned; and the ends are not
    /// far from those.
    #[test]
    fn no_accepted_ratio_is_lost() {
        let infinite = f64::INFINITY;
        for (taus, measured) in [
            (("0.5", "0.5"), (12.0, 40.0)),
            (("0.5", "0.5"), (12.0, 5.0)),
            (("1", "0.3"), (-2.0, 30.0)),
            (("0.4", "1.1"), (60.0, 9.0)),
            (("0.5", "0.5"), (0.0, 0.0)),
        ] {
            let (x, y) = (count(taus.0, 1.0), count(taus.1, 1.0));
            let law = QuotientLaw::new(std::slice::from_ref(&x), std::slice::from_ref(&y));
            let accepted_set = law.accepted(measured, 0.05, (0.0, infinite));
            let both = [masses(&x), masses(&y)];
            let accepts = |r: f64| chance(&both, r, (measured.0 - r * measured.1).abs()) > 0.05;
            let places = (0..500).map(|place| (f64::from(place) / 500.0 * 1.57).tan());
            let accepted: Vec<f64> = places.filter(|r| accepts(*r)).collect();
            assert!(accepted.iter().all(|r| accepted_set.contains(*r)), "{measured:?}: {accepted_set:?}");
            let AcceptedSet::Between { lower, upper } = accepted_set else {
                panic!("{measured:?}: nothing is accepted")
            };
            let (first, last) = (accepted[0], accepted[accepted.len() - 1]);
            // Half a row each is what the guarantee costs.
            assert!(first - lower <= 0.03 + 0.2 * first, "{measured:?}: {lower} {first}");
            let bounded = accepts(1e9);
            assert_eq!(upper == infinite, bounded, "{measured:?}: {upper}");
            assert!(bounded || upper <= 1.35 * last + 0.05, "{measured:?}: {upper} {last}");
        }
    }

    #[test]
    fn a_ratio_that_is_impossible_in_the_range_leaves_nothing() {
        let law = QuotientLaw::new(&[count("1", 1.0)], &[count("1", 1.0)]);
        assert_eq!(law.accepted((-90.0, 100.0), 0.05, (0.0, f64::INFINITY)), AcceptedSet::Empty);
        assert_eq!(law.accepted((90.0, 100.0), 0.05, (0.0, 0.5)), AcceptedSet::Empty);
        assert!(law.accepted((-90.0, 100.0), 0.05, (f64::NEG_INFINITY, f64::INFINITY)).contains(-0.9));
    }

    /// Sums on fine grids, with standard deviations of very different size.
    #[test]
    fn scales_need_not_be_alike() {
        let law = QuotientLaw::new(&[count("1e-9", 1e-3)], &[count("0.5", 1.0)]);
        let AcceptedSet::Between { lower, upper } =
            law.accepted((5e8, 1000.0), 0.05, (f64::NEG_INFINITY, f64::INFINITY))
        else {
            panic!("nothing is accepted")
        };
        // The denominator alone would leave 5e8 / 1006 to 5e8 / 994; the numerator adds 3e6 to 5e8.
        assert!((4.9e5..4.97e5).contains(&lower) && (5.03e5..5.1e5).contains(&upper), "{lower} {upper}");
    }
}
