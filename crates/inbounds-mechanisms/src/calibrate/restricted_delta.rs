//! Discrete Gaussian and generalised Gaussian noise, conditioned on a range with two ends, for epsilon and delta.
//!
//! # Idea
//! The laws of two answers `q < q'` have an increasing likelihood ratio, so that their hockey-stick divergence is that
//! of a threshold: `max over m of F_q(m) - e^epsilon F_q'(m)`, with `F` the distribution functions. These fall in the
//! answer, so the divergence grows with `q'` and falls in `q` at a given `q'`: the largest is that of some pair `(q, q
//! + d)` at the full change `d`, and by reflection of the range none of the other order is larger. Doubles find the
//! variance at which it is delta, with sums of weights from a table; enclosures have to prove it for every `q`.
//!
//! # Invariant
//! The parameter returned is proved; while a proof fails the variance grows, by twice as much each time.

use inbounds_core::{Delta, Enclosure, Epsilon, Rational, Sensitivity, root};

use super::{CalibrationError, proposals::proposals, restricted::conditioned_gaussian};
use crate::noise::weights;

/// Fractional bits of the certificate: divergences down to `1e-30` are seen to `2^-200` of themselves.
const PRECISION: usize = 320;

/// Relative growth of the variance after the first proof that fails.
const BACKOFF: f64 = 1e-9;

/// The least variance parameter that is found, proved to keep epsilon and delta for noise that is conditioned on a
/// range of `width` steps.
///
/// # Guarantee
/// For one cell at the exact hockey-stick divergence; cells that move together share epsilon and delta evenly. Never
/// more than the variance that keeps epsilon alone. Claim: `conditioned-gaussian-hockey-stick`.
///
/// # Errors
/// Those of [`conditioned_gaussian`].
///
/// # Example
/// On a range of a thousand steps, a delta of a millionth spares most of the noise.
/// ```
/// use inbounds_core::{Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate;
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "given", squares: None };
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("1e-6".parse()?)?);
/// let pure = calibrate::conditioned_gaussian(&epsilon, &one, Some(1000)).expect("calibrates");
/// let spent = calibrate::conditioned_gaussian_delta(&epsilon, &delta, &one, Some(1000)).expect("calibrates");
/// assert!(spent.to_f64() < pure.to_f64() / 40.0);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// McGlinchey and Mason, Propositions 2 and 6; Liu, section 5. The divergence: this project.
pub fn conditioned_gaussian_delta(
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<Rational, CalibrationError> {
    let pure = conditioned_gaussian(epsilon, sensitivity, width)?;
    let Some(width) = width.filter(|_| delta.value().is_positive()) else { return Ok(pure) };
    let cells = u128::from(sensitivity.cells).min(sensitivity.l1);
    let part = Rational::ratio(1, cells);
    let (epsilon, delta) = (epsilon.value() * &part, delta.value() * &part);
    let pairs = Pairs { shape: 2, width: width as usize, moved: sensitivity.linf.min(width) as usize };
    let (most, wanted) = (pure.to_f64(), delta.to_f64());
    let holds = |precision: f64| pairs.divergence(0.5 * precision, epsilon.to_f64()) <= wanted;
    let precision = root::largest_that_holds(2.0 / most, |precision| precision <= 1.0 / most || holds(precision));
    for variance in proposals(1.0 / precision, BACKOFF).take_while(|variance| *variance < most) {
        if let Some(exact) = Rational::from_f64(variance)
            && pairs.keep(&(&Rational::ONE / &(&exact + &exact)), &epsilon, &delta)
        {
            return Ok(exact);
        }
    }
    Ok(pure)
}

/// Pairs of answers, told from the lower end, under noise of weights `e^(-c |k|^p)`.
pub(super) struct Pairs {
    pub(super) shape: u32,
    pub(super) width: usize,
    pub(super) moved: usize,
}

impl Pairs {
    /// The largest rate that is found above one that keeps epsilon, proved to keep epsilon and delta; `None` where
    /// delta buys nothing.
    pub(super) fn largest_rate(&self, pure: &Rational, epsilon: &Rational, delta: &Rational) -> Option<Rational> {
        let (least, e, wanted) = (pure.to_f64(), epsilon.to_f64(), delta.to_f64());
        let holds = |rate: f64| rate <= least || self.divergence(rate, e) <= wanted;
        let rate = root::largest_that_holds(2.0 * least, holds);
        for rate in proposals(rate, -BACKOFF).take_while(|rate| *rate > least) {
            if let Some(exact) = Rational::from_f64(rate)
                && self.keep(&exact, epsilon, delta)
            {
                return Some(exact);
            }
        }
        None
    }

    fn power(&self, steps: usize) -> f64 {
        libm::pow(steps as f64, f64::from(self.shape))
    }

    /// The largest divergence in doubles.
    fn divergence(&self, rate: f64, epsilon: f64) -> f64 {
        let weight = |steps: usize| libm::exp(-rate * self.power(steps));
        let mut sum = 0.0;
        let add = |steps: usize| {
            sum += weight(steps);
            sum
        };
        let sums: Vec<f64> = (0..=self.width).map(add).collect();
        let total = |q: usize| sums[q] + sums[self.width - q] - 1.0;
        let below = |q: usize, m: usize| match m.checked_sub(q) {
            Some(beyond) => sums[q] + sums[beyond] - 1.0,
            None => sums[q] - sums[q - m - 1],
        };
        let divergence = |q: usize| {
            let other = q + self.moved;
            let Some(m) = self.threshold(q, rate, epsilon, libm::log(total(other) / total(q))) else { return 0.0 };
            below(q, m) / total(q) - libm::exp(epsilon) * below(other, m) / total(other)
        };
        (0..=self.width - self.moved).map(divergence).fold(0.0, f64::max)
    }

    /// The last measurement that is likelier under `q`, by a factor of `e^epsilon` or more, than under the other
    /// answer; `None` if none is.
    fn threshold(&self, q: usize, rate: f64, epsilon: f64, log_ratio: f64) -> Option<usize> {
        let moved = self.moved as f64;
        let last = if self.shape == 2 {
            let last = (q as f64 + 0.5 * moved - (epsilon - log_ratio) / (2.0 * rate * moved)).floor();
            last.min(self.width as f64) as i128
        } else {
            let far = |m: i128| self.power(m.abs_diff((q + self.moved) as i128) as usize);
            let near = |m: i128| self.power(m.abs_diff(q as i128) as usize);
            let reaches = |m: i128| m < 0 || rate * (far(m) - near(m)) + log_ratio >= epsilon;
            root::bisect_integer(-1, self.width as i128 + 1, reaches)
        };
        usize::try_from(last).ok()
    }

    /// Proves for every pair that `e^-epsilon F_q(m) - F_q'(m) <= e^-epsilon delta` at the threshold `m` at which the
    /// left side is largest: its terms are certainly not negative before, and not positive behind, the measurements
    /// that are compared.
    fn keep(&self, rate: &Rational, epsilon: &Rational, delta: &Rational) -> bool {
        let sums = weights::of_power(self.shape, rate, self.width, PRECISION);
        let one = Enclosure::one(PRECISION);
        let shrink = Enclosure::exp_neg(epsilon, PRECISION);
        let allowed = shrink.mul(&Enclosure::from_rational(delta, PRECISION));
        let totals: Vec<Enclosure> = (0..=self.width).map(|q| sums[q].add(&sums[self.width - q]).sub(&one)).collect();
        let below = |q: usize, m: usize| match m.checked_sub(q) {
            Some(beyond) => sums[q].add(&sums[beyond]).sub(&one),
            None => sums[q].sub(&sums[q - m - 1]),
        };
        let weight = |q: usize, y: usize| match q.abs_diff(y) {
            0 => one.clone(),
            distance => sums[distance].sub(&sums[distance - 1]),
        };
        // Each pair of answers: the threshold in doubles, then a proof at it and at its neighbours.
        let (double, loss) = (rate.to_f64(), epsilon.to_f64());
        (0..=self.width - self.moved).all(|q| {
            let other = q + self.moved;
            let (own, far) = (&totals[q], &totals[other]);
            let log_ratio = libm::log(far.to_f64() / own.to_f64());
            let near = self.threshold(q, double, loss, log_ratio).unwrap_or(0);
            let (first, last) = (near.saturating_sub(1), (near + 1).min(self.width));
            let left = |y: usize| shrink.mul(&weight(q, y)).mul(far);
            let right = |y: usize| weight(other, y).mul(own);
            // Terms of the left side are not negative up to these measurements, and not positive behind them.
            let rises = first == 0 || right(first).certainly_at_most(&left(first));
            let falls = last == self.width || left(last + 1).certainly_at_most(&right(last + 1));
            let bound = allowed.mul(own).mul(far);
            let is_small = |m: usize| {
                let gained = shrink.mul(&below(q, m)).mul(far).sub(&below(other, m).mul(own));
                gained.certainly_at_most(&bound)
            };
            rises && falls && (first..=last).all(is_small)
        })
    }
}
