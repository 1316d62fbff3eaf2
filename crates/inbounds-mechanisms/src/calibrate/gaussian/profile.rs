//! The hockey-stick divergence of discrete Gaussian noise on one cell, proved from above.
//!
//! With `w(x) = e^(-x^2 / (2 s))` and `S(k) = sum_{x >= k} w(x)`, an answer that moves by `d` steps has the divergence
//!
//! ```text
//! delta = (S(k) - e^epsilon S(k + d)) / S(-inf),    k = floor(epsilon s / d - d / 2) + 1,
//! ```
//!
//! because the likelihood ratio rises with the output, so that the best event is everything from some border, which
//! is compared exactly. For a fixed border the divergence grows with the distance, so the largest `d` is the worst.

use inbounds_core::{Enclosure, Rational};

use super::normal::Normal;

/// Variance parameters up to this have their sums taken term by term.
pub(super) const LARGEST_SUMMED: f64 = 128.0 * 128.0;

/// Noise of variance parameter `s` on one cell that moves by at most `d` steps, at `epsilon`.
pub(super) struct Profile<'a> {
    pub(super) s: &'a Rational,
    pub(super) epsilon: &'a Rational,
    pub(super) d: u128,
}

impl Profile<'_> {
    /// Proves that the divergence is at most `delta`.
    pub(super) fn is_within(&self, delta: &Rational) -> bool {
        let Some(bound) = self.divergence(delta) else { return false };
        bound <= *delta
    }

    /// An upper bound on the divergence that is tight where it is near `delta`.
    pub(super) fn divergence(&self, delta: &Rational) -> Option<Rational> {
        let d = Rational::from(self.d);
        let middle = &(&(self.epsilon * self.s) / &d) - &(&d / &Rational::from(2u128));
        let border = middle.floor()?.checked_add(1)?;
        let zeros = -delta.to_f64().max(f64::MIN_POSITIVE).log2();
        let bits = 160 + (3.0 * zeros + 5.0 * self.epsilon.to_f64()) as usize;
        let bound =
            if self.s.to_f64() <= LARGEST_SUMMED { self.summed(border, bits) } else { self.by_integrals(border, bits) };
        Some(bound?.upper())
    }

    /// Term by term, up to where terms vanish in the precision; the rest on both sides is below geometric series.
    fn summed(&self, border: i128, bits: usize) -> Option<Enclosure> {
        let (weights, rest) = self.weights(bits);
        let last = weights.len() as i128 - 1;
        let sum = |range: std::ops::RangeInclusive<i128>| {
            let within = (*range.start()).max(-last)..=(*range.end()).min(last);
            within.fold(Enclosure::zero(bits), |sum, x| sum.add(&weights[x.unsigned_abs() as usize]))
        };
        let shifted = border.checked_add(i128::try_from(self.d).ok()?)?;
        let excess = sum(border..=last).add(&rest.times(2)).sub(&self.growth(bits).mul(&sum(shifted..=last)));
        Some(excess.positive_part().div(&sum(-last..=last)))
    }

    /// `w(0), w(1), ..` until a weight is too small to see, and a bound on the sum of those beyond: they fall faster
    /// than a geometric series, whose ratio is that of the next weight to the last.
    fn weights(&self, bits: usize) -> (Vec<Enclosure>, Enclosure) {
        let inverse = &Rational::ONE / self.s;
        let step = Enclosure::exp_neg(&inverse, bits);
        let mut ratio = Enclosure::exp_neg(&(&inverse / &Rational::from(2u128)), bits);
        let mut weights = vec![Enclosure::one(bits)];
        loop {
            let weight = weights[weights.len() - 1].mul(&ratio);
            ratio = ratio.mul(&step);
            let rest = weight.is_at_most_units(16).then(|| weight.mul(&ratio).div(&Enclosure::one(bits).sub(&ratio)));
            weights.push(weight);
            if let Some(rest) = rest {
                return (weights, rest);
            }
        }
    }

    /// By integrals: with `W(x) = integral_x^inf w` and `s >= 128^2`,
    ///
    /// ```text
    /// |S(k) - W(k - 1/2)| <= sqrt(2 pi s) / (24 s)                                              for every k,
    /// S(k) <= W(k - 1/2) + w'(k + 1/2) / 24                                                     for k - 1/2 >= sqrt(3 s),
    /// S(k) >= W(k - 1/2) + (w'(k - 1/2) - w''(k - 1/2)) / 24                                    for k - 1/2 >= sqrt(3 s),
    /// ```
    ///
    /// since `w(x)` less its integral over `[x - 1/2, x + 1/2]` is `-w''/24` somewhere there, `|w''|` has integral
    /// `4 e^(-1/2) / sqrt(s)` and variation below `4/s`, and `w''` falls beyond `sqrt(3 s)`. And
    /// `S(-inf) >= sqrt(2 pi s)`, by Poisson summation.
    fn by_integrals(&self, border: i128, bits: usize) -> Option<Enclosure> {
        let shifted = border.checked_add(i128::try_from(self.d).ok()?)?;
        let half = Rational::ratio(1, 2);
        let (near, far) = (&Rational::from(border) - &half, &Rational::from(shifted) - &half);
        let general = Enclosure::from_rational(&(&Rational::ONE / &(&Rational::from(24u128) * self.s)), bits);
        let normal = Normal::new(self.s, bits);
        let upper = match self.is_far_out(&near) {
            true => normal.tail(&near).sub(&normal.slope(&(&near + &Rational::ONE)).over(24)),
            false => normal.tail(&near).add(&general),
        };
        let lower = match self.is_far_out(&far) {
            true => normal.tail(&far).sub(&normal.slope(&far).add(&normal.curvature(&far)).over(24)),
            false => normal.tail(&far).sub(&general),
        };
        Some(upper.sub(&self.growth(bits).mul(&lower.positive_part())))
    }

    fn is_far_out(&self, x: &Rational) -> bool {
        x.is_positive() && x * x >= &Rational::from(3u128) * self.s
    }

    /// `e^epsilon`.
    fn growth(&self, bits: usize) -> Enclosure {
        Enclosure::one(bits).div(&Enclosure::exp_neg(self.epsilon, bits))
    }
}

/// The divergence in doubles, term by term, for proposing `s`.
pub(super) fn approximate(s: f64, epsilon: f64, d: f64) -> f64 {
    let border = (epsilon * s / d - d / 2.0).floor() + 1.0;
    let weight = |x: f64| libm::exp(-x * x / (2.0 * s));
    // Of each weight, the part that the other answer does not make up for: 1 - e^(epsilon - (2 x d + d^2) / (2 s)).
    let excess = |x: f64| -weight(x) * libm::expm1(epsilon - d * (x + d / 2.0) / s);
    // Far below zero the weights vanish; above, the sum ends where a term no longer changes it.
    let start = border.max(-(40.0 * s.sqrt()).ceil());
    sum_until_it_stays(start, excess) / (1.0 + 2.0 * sum_until_it_stays(1.0, weight))
}

fn sum_until_it_stays(start: f64, term: impl Fn(f64) -> f64) -> f64 {
    let (mut x, mut sum) = (start, 0.0);
    loop {
        let next = sum + term(x);
        if next == sum && x > 0.0 {
            return sum;
        }
        (x, sum) = (x + 1.0, next);
    }
}
