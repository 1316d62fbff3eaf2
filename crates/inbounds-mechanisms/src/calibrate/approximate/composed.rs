//! Conditioned noise on several cells, as the composition of what each of them keeps.
//!
//! **Claim** `conditioned-vector-composed`. Noise that keeps `(e, d)` in each of `k` cells, independently, diverges at
//! epsilon by at most `1 - (1 - d)^k (1 - D)`, where `D` is the divergence of `k` answers by randomised response at
//! `e`:
//!
//! ```text
//! D = sum over l with (k - 2 l) e > epsilon of C(k, l) (e^(-l e) - e^(epsilon - (k - l) e)) / (1 + e^-e)^k
//! ```
//!
//! That is the optimal composition theorem of Kairouz, Oh and Viswanath (2015). At `e = epsilon/k` it is `D = 0`; with
//! many cells a larger `e` pays. Some are tried: of each, doubles propose the `d` that is left, enclosures prove it,
//! and the exact divergence of one cell says what inverse scale that takes.

use inbounds_core::{Delta, Enclosure, Epsilon, Rational};

use super::exponential::exponential_of_minus;

/// Cells beyond which nothing is tried.
const MOST_CELLS: u64 = 1 << 10;

/// Multiples of an even part of epsilon that are tried.
const MULTIPLES: [f64; 9] = [1.0, 1.02, 1.1, 1.25, 1.5, 2.0, 3.0, 4.5, 7.0];

/// Epsilon and delta of each of `cells` cells that together keep an epsilon and a delta: every pair that is proved.
pub(super) fn parts(epsilon: &Epsilon, delta: &Delta, cells: u64) -> Vec<(Epsilon, Delta)> {
    if cells > MOST_CELLS || !delta.value().is_positive() {
        return Vec::new();
    }
    let even = epsilon.value() / &Rational::from(u128::from(cells));
    let part = |multiple: &f64| {
        let each = &even * &Rational::from_f64(*multiple)?;
        let responses = Responses { cells, each: &each, epsilon: epsilon.value() };
        let wanted = delta.value().to_f64();
        let lost = responses.in_doubles();
        // (1 - delta)/(1 - D) to the power 1/k, less what roundings may add.
        let rest = -libm::expm1((libm::log1p(-wanted) - libm::log1p(-lost)) / cells as f64) * (1.0 - 1e-9);
        let rest = Rational::from_f64(rest).filter(Rational::is_positive)?;
        let is_kept = responses.keep(&rest, delta.value());
        Some((Epsilon::new(each).ok()?, Delta::new(rest).ok()?)).filter(|_| is_kept)
    };
    MULTIPLES.iter().filter_map(part).collect()
}

/// Answers by randomised response.
struct Responses<'a> {
    cells: u64,
    each: &'a Rational,
    epsilon: &'a Rational,
}

impl Responses<'_> {
    /// The numbers of answers against the truth at which the loss is above epsilon: those below this one.
    fn end(&self) -> u64 {
        let spare = &(&Rational::from(u128::from(self.cells)) * self.each) - self.epsilon;
        let twice = self.each + self.each;
        // `l < (k e - epsilon) / (2 e)`.
        let border = &spare / &twice;
        let floor = border.floor().unwrap_or(0).max(0) as u64;
        if border.is_positive() && !border.is_integer() { floor + 1 } else { floor }
    }

    fn in_doubles(&self) -> f64 {
        let (each, epsilon, k) = (self.each.to_f64(), self.epsilon.to_f64(), self.cells as f64);
        let ln_total = k * libm::log1p(libm::exp(-each));
        let ln_choices = |l: f64| libm::lgamma(k + 1.0) - libm::lgamma(l + 1.0) - libm::lgamma(k - l + 1.0);
        let term = |l: u64| {
            let l = l as f64;
            let gained = -libm::expm1(epsilon - (k - 2.0 * l) * each);
            libm::exp(ln_choices(l) - l * each - ln_total) * gained
        };
        (0..self.end()).map(term).sum::<f64>().min(1.0 - 1e-12)
    }

    /// Proves `1 - delta <= (1 - d)^k (1 - D)`.
    fn keep(&self, rest: &Rational, delta: &Rational) -> bool {
        let bits = 256 + 2 * self.cells as usize + (3.0 * self.each.to_f64() * self.cells as f64) as usize;
        let one = Enclosure::one(bits);
        let answer = Enclosure::exp_neg(self.each, bits);
        let boosted =
            exponential_of_minus(&(&(self.each * &Rational::from(u128::from(self.cells))) - self.epsilon), bits);
        // `e^(epsilon - (k - l) e)` is that at `l = 0`, times `e^(l e)`.
        let (mut lost, mut choices, mut near, mut far) = (Enclosure::zero(bits), one.clone(), one.clone(), boosted);
        for l in 0..self.end() {
            lost = lost.add(&choices.mul(&near.sub(&far)));
            choices = choices.times(self.cells - l).over(l + 1);
            near = near.mul(&answer);
            far = far.div(&answer);
        }
        let lost = lost.div(&one.add(&answer).pow(self.cells));
        let kept = one.sub(&Enclosure::from_rational(rest, bits)).pow(self.cells).mul(&one.sub(&lost));
        Enclosure::from_rational(&(&Rational::ONE - delta), bits).certainly_at_most(&kept)
    }
}
