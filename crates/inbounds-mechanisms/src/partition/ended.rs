//! Discrete Laplace noise that ends: the noise of [`KeySelection`](super::KeySelection) with a delta.

use inbounds_core::{Enclosure, Rational, root::bisect_integer};

use super::{KeyNoise, NewCells};
use crate::{
    interval::StepInterval,
    law::discrete_laplace::DiscreteLaplace,
    mechanism::ErrorAt,
    sampler::{Entropy, uniform::uniform_below_wide},
};

/// Binary digits of a mass.
const DIGITS: u32 = 120;

/// All of the mass.
const ONE: u128 = 1 << DIGITS;

/// Most values that a table may have: 12 MiB with its moments.
const LARGEST_TABLE: f64 = (1u32 << 18) as f64;

/// Of counts that may rise and fall at once, the part of the rising delta that falling has: a lower end costs no key.
const FALLING: f64 = 1.0 / 1024.0;

/// Noise on integers between two ends, with masses that are exact in binary.
///
/// # The idea
/// A threshold on noise without end spends delta on the whole tail above it: a key of one unit alone is published with
/// any of its numbers. Noise that has no mass above its largest value `hi` spends it on one point, because a key is
/// published from `T = hi + 1` on and a count of 1 reaches that with `Z = hi` alone. Both keep the same `epsilon`
/// inside, so the count that is published costs nothing beside the choice of its key.
///
/// # The law
/// `p` has mass on the integers from `lo` to `hi`, each a multiple of `2^-120`, with the sum 1. `pi(n) = P(Z > hi - n)`
/// is the probability that a count of `n` is published. With the two divergences of one step, for `E = e^tau`,
///
/// ```text
/// h1 = sum_z max(0, p(z) - E p(z + 1)),      h2 = sum_z max(0, p(z) - E p(z - 1)),
/// ```
///
/// counts that rise by `r` in one cell have `P(S) <= E^r Q(S) + h1 (E^r - 1) / (E - 1)` for the laws `P` of `r + Z` and
/// `Q` of `Z`, by `r` steps of one each, and counts that fall the same with `h2`. Both sums are taken over the integers
/// of the table, with `E` rounded down and each term up, so the bounds hold for the bits that are drawn, whatever
/// rounding made the table.
///
/// # Two tables
/// [`KeyNoise::Symmetric`] is discrete Laplace noise given that it lies between its ends. [`KeyNoise::Optimal`] has
///
/// ```text
/// p(hi - n) = pi(n + 1) - pi(n),      pi(0) = 0,
/// pi(n + 1) = min(E pi(n) + d1, 1 - (1 - pi(n) - d2) / E, 1),
/// ```
///
/// which for `d1 = d2 = delta` is the largest probability that any choice of keys under `(tau, delta)` has at any `n`
/// (Desfontaines, Voss, Gipson and Mandayam, theorem 1). Its divergences are `d1` and `d2`. *Proof.* In the rising part
/// `p(hi - n) = E p(hi - n + 1)`, and `p(hi) = d1`. In the falling part `p(z) = E p(z - 1)` but at the end: the last `q
/// = 1 - pi` is at most `d2` and is `p(lo)`, and the one before it has `p(lo + 1) = (E - 1) q + d2`, so the terms of
/// `h2` there are `q` and `d2 - q`. Where the parts meet, the ratio of two masses lies between `1 / E` and `E` because
/// each part bounds `pi` from above. Claim: `optimal-key-selection`.
///
/// # Example
/// Half of all keys of 109 rows are published, where noise without end needs 133; one row needs the largest value.
/// ```
/// use inbounds_core::{Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::partition::{KeyNoise, KeySelection, NewCells};
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
/// let (epsilon, delta) = (Epsilon::new("0.1".parse()?)?, Delta::new("1e-6".parse()?)?);
/// let calibrate = KeySelection::calibrate(&epsilon, &delta, &one, NewCells::new(1, 1, 1)?, KeyNoise::Optimal);
/// let selection = calibrate.expect("calibrates");
/// let noise = selection.ended().expect("noise with ends");
/// assert_eq!((noise.ends(), selection.least_count(0.5)), ((-109, 108), Some(109)));
/// assert!((noise.mass(108) - 1e-6).abs() < 1e-15 && noise.mass(109) == 0.0);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Desfontaines, Voss, Gipson and Mandayam, *Differentially private partition selection*, PoPETs 2022: theorem 1, and
/// section 4 for the noise with ends where these are whole.
#[derive(Debug, Clone, PartialEq)]
pub struct EndedNoise {
    largest: i128,
    /// `pi(n)` for `n` from 0 to the number of values, in units of [`ONE`].
    reached: Vec<u128>,
    /// Sums of `z p(z)` and of `z^2 p(z)` over the same values.
    moments: Vec<[f64; 2]>,
    /// A proved upper bound on the delta that it spends.
    pub(super) delta_bound: f64,
}

/// `E = e^tau` rounded down, as a multiplier of integers.
struct Growth {
    mantissa: u128,
    shift: u32,
}

impl Growth {
    fn new(tau: &Rational, bits: usize) -> Option<Self> {
        let below = (tau.to_f64() / std::f64::consts::LN_2).ceil() as u32 + 1;
        let shift = 127 - below;
        let inverse = Enclosure::exp_neg(tau, bits).upper();
        let mantissa = (&Rational::from(1u128 << shift) / &inverse).floor()?;
        Some(Self { mantissa: u128::try_from(mantissa).ok()?, shift })
    }

    /// `E x`, rounded down, at most the largest integer.
    fn times(&self, x: u128) -> u128 {
        product_shifted(x, self.mantissa, self.shift)
    }
}

/// `x y / 2^shift`, rounded down; the largest integer where that is more.
fn product_shifted(x: u128, y: u128, shift: u32) -> u128 {
    const LOW: u128 = u64::MAX as u128;
    let (x1, x0, y1, y0) = (x >> 64, x & LOW, y >> 64, y & LOW);
    let (low, cross, other) = (x0 * y0, x1 * y0, x0 * y1);
    let middle = (low >> 64) + (cross & LOW) + (other & LOW);
    let high = x1 * y1 + (cross >> 64) + (other >> 64) + (middle >> 64);
    let low = (middle << 64) | (low & LOW);
    match shift {
        0 => {
            if high == 0 {
                low
            } else {
                u128::MAX
            }
        }
        _ if high >> shift > 0 => u128::MAX,
        _ => (high << (128 - shift)) | (low >> shift),
    }
}

/// Requirements on a table.
struct Asked<'a> {
    tau: &'a Rational,
    delta: &'a Rational,
    new: NewCells,
    growth: Growth,
    bits: usize,
}

impl EndedNoise {
    /// The table of a kind, proved to keep delta; `None` for noise without end, and where the table would be too long
    /// or its masses too coarse for so small a delta.
    pub(super) fn new(kind: KeyNoise, law: &DiscreteLaplace, delta: &Rational, new: NewCells) -> Option<Self> {
        let tau = law.tau();
        if !(1e-6..=40.0).contains(&tau) {
            return None;
        }
        let rising = new.largest_step(tau, delta.to_f64(), if new.is_replaced() { FALLING } else { 0.0 });
        let falling = if new.is_replaced() { FALLING * rising } else { rising };
        let values = -(libm::log(rising) + libm::log(falling)) / tau + 4.0;
        // Roundings are some units for each value, and shall not be seen in delta.
        let is_fine = falling * ONE as f64 > values * (1u64 << 44) as f64;
        if values.is_nan() || values > LARGEST_TABLE || !is_fine {
            return None;
        }
        let zeros = -libm::log2(delta.to_f64().max(f64::MIN_POSITIVE));
        let bits = 320 + (zeros + tau * new.rows_per_cell() as f64 / std::f64::consts::LN_2) as usize;
        let growth = Growth::new(law.inverse_scale(), bits)?;
        let asked = Asked { tau: law.inverse_scale(), delta, new, growth, bits };
        match kind {
            KeyNoise::Unbounded => None,
            KeyNoise::Symmetric => {
                let end = |delta: f64| {
                    let ratio = -libm::expm1(-tau) / ((1.0 + libm::exp(-tau)) * delta);
                    (libm::log(ratio) / tau).ceil().max(1.0) as i128
                };
                // The ends that doubles propose may miss a proof by their rounding.
                (-1..4).find_map(|more| asked.symmetric((end(falling) + more).max(1), (end(rising) + more).max(1)))
            }
            KeyNoise::Optimal => {
                let slack = (16.0 * values) as u128;
                let units = |delta: f64, part: f64| ((delta * (1.0 - part) * ONE as f64) as u128).saturating_sub(slack);
                [2f64.powi(-40), 2f64.powi(-30), 2f64.powi(-20)]
                    .into_iter()
                    .find_map(|part| asked.optimal(units(rising, part), units(falling, part)))
            }
        }
    }

    /// The least and the largest value.
    pub fn ends(&self) -> (i128, i128) {
        (self.largest + 1 - self.values() as i128, self.largest)
    }

    /// Number of values.
    pub fn values(&self) -> usize {
        self.reached.len() - 1
    }

    /// `P(Z = z)` in units of `2^-120`, exact.
    pub fn units(&self, z: i128) -> u128 {
        usize::try_from(self.largest - z)
            .ok()
            .filter(|place| *place < self.values())
            .map_or(0, |place| self.reached[place + 1] - self.reached[place])
    }

    /// `P(Z = z)`.
    pub fn mass(&self, z: i128) -> f64 {
        as_probability(self.units(z))
    }

    /// `P(Z > largest - n)`: with `n` the number of values that suffice.
    pub fn chance_of_the_largest(&self, n: i128) -> f64 {
        as_probability(self.of_largest(n))
    }

    /// `1 - P(Z > largest - n)`, without the rounding of a difference.
    pub fn chance_of_the_rest(&self, n: i128) -> f64 {
        as_probability(ONE - self.of_largest(n))
    }

    fn of_largest(&self, n: i128) -> u128 {
        self.reached[n.clamp(0, self.values() as i128) as usize]
    }

    /// One draw: two words, and a search whose steps depend on the table alone.
    pub(super) fn draw(&self, entropy: &mut dyn Entropy) -> i128 {
        let [high, low] = [entropy.word(), entropy.word()];
        self.at(((u128::from(high) << 64) | u128::from(low)) >> (128 - DIGITS))
    }

    /// One draw given that it is among the `n >= 1` largest values.
    pub(super) fn draw_largest(&self, n: i128, entropy: &mut dyn Entropy) -> i128 {
        self.at(uniform_below_wide(self.of_largest(n), entropy))
    }

    /// The value of a uniform number of units: `hi - j` where `pi(j) <= u < pi(j + 1)`.
    fn at(&self, uniform: u128) -> i128 {
        self.largest + 1 - self.reached.partition_point(|reached| *reached <= uniform) as i128
    }

    /// Mean and root mean square of the noise given that it is among the `n >= 1` largest values.
    pub(super) fn error_of_largest(&self, n: i128) -> ErrorAt {
        let place = n.clamp(1, self.values() as i128) as usize;
        let chance = as_probability(self.reached[place]);
        let [mean, square] = self.moments[place].map(|sum| sum / chance);
        ErrorAt { bias: mean, rmse: square.max(0.0).sqrt() }
    }

    /// All counts from `least` on, of which those at `y` and beyond it, either way, are not rare given that `y` is
    /// published from `threshold` on: `P(Y >= y)` and `P(Y <= y)` are each more than half of `miss`.
    pub(super) fn interval(&self, y: i128, (threshold, least): (i128, i128), miss: f64) -> StepInterval {
        let beyond = y.max(threshold) - threshold;
        let top = self.largest + 1 - threshold;
        let chance = |n: i128| self.chance_of_the_largest(n + top);
        let is_too_small = |n: i128| chance(n - beyond) <= 0.5 * miss * chance(n);
        let is_not_too_large = |n: i128| chance(n) - chance(n - beyond - 1) > 0.5 * miss * chance(n);
        // Beyond this every draw is above y.
        let end = beyond + 2 + self.values() as i128;
        // Both tests turn once: the noise is log-concave, and so the law of Y rises with n.
        let lower = bisect_integer(least - 1, end.max(least), |n| n < least || is_too_small(n)) + 1;
        let upper = bisect_integer(lower, (end + 1).max(lower + 1), is_not_too_large);
        StepInterval { lower: Some(lower), upper: Some(upper.max(lower)) }
    }
}

/// Units as a probability.
fn as_probability(units: u128) -> f64 {
    units as f64 / ONE as f64
}

impl Asked<'_> {
    /// Masses proportional to `a^|z|` between `-below` and `above`; the mass that their rounding leaves is at 0.
    fn symmetric(&self, below: i128, above: i128) -> Option<EndedNoise> {
        let one = Enclosure::one(self.bits);
        let power = |steps: i128| Enclosure::exp_neg(&(self.tau * &Rational::from(steps)), self.bits);
        let ratio = power(1);
        let total = one.add(&ratio).sub(&power(above + 1)).sub(&power(below + 1));
        let peak = &one.sub(&ratio).div(&total).upper() * &Rational::from(ONE);
        let peak = u128::try_from(peak.floor()?).ok()?;
        let ratio = &ratio.upper() * &Rational::from(1u128 << 126);
        let ratio = u128::try_from(ratio.floor()?).ok()?;
        let side = |steps: i128| {
            std::iter::successors(Some(peak), move |mass| Some(product_shifted(*mass, ratio, 126)))
                .skip(1)
                .take(steps as usize)
                .collect::<Vec<u128>>()
        };
        let (upper, lower) = (side(above), side(below));
        let rest = ONE.checked_sub(upper.iter().chain(&lower).sum())?;
        let masses = upper.into_iter().rev().chain([rest]).chain(lower).collect();
        self.proved(masses, above)
    }

    /// The recursion, with every step rounded down, and the values placed so that the mean square is least.
    fn optimal(&self, rising: u128, falling: u128) -> Option<EndedNoise> {
        let shrink = &Enclosure::exp_neg(self.tau, self.bits).upper() * &Rational::from(1u128 << 126);
        let shrink = u128::try_from(shrink.floor()?).ok()? + 1;
        let mut masses = Vec::new();
        let mut reached = 0;
        while reached < ONE && rising > 0 {
            let grown = self.growth.times(reached).saturating_add(rising);
            let missed = (ONE - reached).saturating_sub(falling);
            let missed = if missed == 0 { 0 } else { product_shifted(missed, shrink, 126) + 1 };
            let next = grown.min(ONE.saturating_sub(missed));
            if next <= reached || masses.len() as f64 > LARGEST_TABLE {
                return None;
            }
            masses.push(next - reached);
            reached = next;
        }
        let places = masses.iter().zip(0..);
        let mean: f64 = places.map(|(mass, place): (&u128, i32)| as_probability(*mass) * f64::from(place)).sum();
        let largest = mean.round() as i128;
        self.proved(masses, largest)
    }

    /// The table of masses from the largest value down, if it keeps delta.
    fn proved(&self, masses: Vec<u128>, largest: i128) -> Option<EndedNoise> {
        let [up, down] = self.divergences(&masses);
        let bound =
            self.new.spent(self.tau, [up, down].map(|units| &Rational::from(units) / &Rational::from(ONE)), self.bits);
        if masses.is_empty() || !bound.certainly_at_most(&Enclosure::from_rational(self.delta, self.bits)) {
            return None;
        }
        let (mut reached, mut moments) = (vec![0], vec![[0.0; 2]]);
        for (place, mass) in masses.into_iter().enumerate() {
            let (z, p) = ((largest - place as i128) as f64, as_probability(mass));
            reached.push(reached[place] + mass);
            moments.push([moments[place][0] + z * p, moments[place][1] + z * z * p]);
        }
        let delta_bound = bound.upper().to_f64_up().min(1.0);
        (reached.last() == Some(&ONE)).then_some(EndedNoise { largest, reached, moments, delta_bound })
    }

    /// Both divergences of one step in units, rounded up.
    fn divergences(&self, masses: &[u128]) -> [u128; 2] {
        let over =
            |mass: u128, other: Option<&u128>| mass.saturating_sub(self.growth.times(other.copied().unwrap_or(0)));
        let each = masses.iter().enumerate();
        let rises = each.clone().map(|(place, mass)| over(*mass, place.checked_sub(1).map(|above| &masses[above])));
        let falls = each.map(|(place, mass)| over(*mass, masses.get(place + 1)));
        [rises.sum(), falls.sum()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against products of 40 digits that fit.
    #[test]
    fn products_are_rounded_down() {
        for (x, y, shift) in [(7u128, 9, 2), (ONE, 3 << 100, 100), (u128::MAX, 1 << 126, 126), (ONE - 1, ONE - 1, 120)]
        {
            let exact = &(&Rational::from(x) * &Rational::from(y)) / &Rational::from(1u128 << shift);
            let computed = Rational::from(product_shifted(x, y, shift));
            assert!(computed <= exact && exact < &computed + &Rational::from(1u128), "{x} {y} {shift}");
        }
        assert_eq!(product_shifted(u128::MAX, u128::MAX, 100), u128::MAX, "beyond the largest integer");
        assert_eq!(product_shifted(3, 5, 0), 15);
    }
}
