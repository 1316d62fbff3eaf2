//! Discrete generalised Gaussian noise, conditioned on a range with two ends, for pure guarantees.
//!
//! # Idea
//! Between answers `q < q'`, told from the lower end of a range of `R` steps, the log ratio at a measurement `y` is
//! `c (|y - q'|^p - |y - q|^p) + ln(C(q')/C(q))` with the normaliser `C`, and falls in `y`: it is largest at `y = 0`,
//! where it is `g(q') - g(q)` with `g(q) = c q^p + ln C(q)`, and by symmetry as large at `y = R` the other way round. A
//! log ratio of two laws is somewhere zero or more, so `g` does not fall, and the loss is `max over q of g(q + d) -
//! g(q)` at the full change `d`. All `q` are proved one by one: unlike for Gaussian noise `g` need not be convex.

use inbounds_core::{Delta, Enclosure, Epsilon, Rational, Sensitivity, root};

use super::{
    CalibrationError,
    proposals::{MOST_PROOFS, even_moves, proposals},
    restricted::two_ends,
    restricted_delta::Pairs,
};
use crate::noise::{DiscreteGeneralisedGaussian, weights};

/// Fractional bits of the certificate, beside those that epsilon takes.
const PRECISION: usize = 320;

/// Largest epsilon, for the precision.
const LARGEST_EPSILON: f64 = 80.0;

/// The least noise of this shape that is found, proved to keep epsilon for noise that is conditioned on a range of
/// `width` steps.
///
/// # Guarantee
/// For one cell at the exact loss, which is attained at an end of the range; cells that move together share epsilon
/// evenly, each at the largest move of one. Claim: `conditioned-generalised-gaussian-loss`.
///
/// # Errors
/// [`CalibrationError::ZeroSensitivity`], [`CalibrationError::NeedsBothEnds`] for a range with an open end or more than
/// [`WIDEST`](super::WIDEST) steps, and [`CalibrationError::Shape`] for a shape or a scale outside what the sampler
/// accepts.
///
/// # Example
/// Where one unit can move an answer through the whole range of `R` steps, the loss is `c R^p`.
/// ```
/// use inbounds_core::{Epsilon, Sensitivity};
/// use inbounds_mechanisms::calibrate;
/// let all = Sensitivity { l1: 10, linf: 10, cells: 1, rule: "given", squares: None };
/// let law = calibrate::conditioned_generalised_gaussian(3, &Epsilon::new("1".parse()?)?, &all, Some(10));
/// assert!((law.expect("calibrates").rate().to_f64() - 1e-3).abs() < 1e-12);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// McGlinchey and Mason, Propositions 2 and 6, whose factor of two in epsilon this makes exact; Liu, equation (3) and
/// section 5.
pub fn conditioned_generalised_gaussian(
    shape: u32,
    epsilon: &Epsilon,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<DiscreteGeneralisedGaussian, CalibrationError> {
    let (loss, cells) = Loss::at_largest_move(shape, sensitivity, width)?;
    let total = epsilon.value() * &Rational::ratio(1, cells);
    let target = total.to_f64();
    let refused = |rate: f64| CalibrationError::Shape { shape, scale: libm::pow(rate, -1.0 / f64::from(shape)) };
    // The first term of the loss alone, at the upper end.
    let first = target / loss.kernel();
    if !(target <= LARGEST_EPSILON && DiscreteGeneralisedGaussian::SHAPES.contains(&shape)) {
        return Err(refused(first));
    }
    let rate = root::largest_that_holds(first, |rate| loss.at(rate) <= target);
    for rate in proposals(rate, -1e-14).take(MOST_PROOFS) {
        let exact = Rational::from_f64(rate).ok_or_else(|| refused(first))?;
        if loss.is_at_most(&exact, &total) {
            return DiscreteGeneralisedGaussian::new(shape, exact).map_err(|_| refused(rate));
        }
    }
    Err(CalibrationError::Unproved { epsilon: total.to_string(), l1: sensitivity.l1 })
}

/// The same for epsilon and delta.
///
/// # Guarantee
/// For one cell at the exact hockey-stick divergence, that of a threshold between a pair of answers at the full change;
/// cells that move together share epsilon and delta evenly. Never more noise than epsilon alone takes. Claim:
/// `conditioned-generalised-gaussian-loss`.
///
/// # Errors
/// Those of [`conditioned_generalised_gaussian`].
///
/// # Example
/// On a range of two hundred steps, a delta of a hundredth spares more than half of the noise.
/// ```
/// use inbounds_core::{Delta, Epsilon, Sensitivity};
/// use inbounds_mechanisms::{calibrate, law::Noise};
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "given", squares: None };
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("0.01".parse()?)?);
/// let pure = calibrate::conditioned_generalised_gaussian(3, &epsilon, &one, Some(200)).expect("calibrates");
/// let spent = calibrate::conditioned_generalised_gaussian_delta(3, &epsilon, &delta, &one, Some(200));
/// assert!(spent.expect("calibrates").variance() < 0.25 * pure.variance());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn conditioned_generalised_gaussian_delta(
    shape: u32,
    epsilon: &Epsilon,
    delta: &Delta,
    sensitivity: &Sensitivity,
    width: Option<u128>,
) -> Result<DiscreteGeneralisedGaussian, CalibrationError> {
    let pure = conditioned_generalised_gaussian(shape, epsilon, sensitivity, width)?;
    if !delta.value().is_positive() {
        return Ok(pure);
    }
    let (loss, cells) = Loss::at_largest_move(shape, sensitivity, width)?;
    let part = Rational::ratio(1, cells);
    let pairs = Pairs { shape, width: loss.width as usize, moved: loss.moved as usize };
    let largest = pairs.largest_rate(pure.rate(), &(epsilon.value() * &part), &(delta.value() * &part));
    let Some(rate) = largest else { return Ok(pure) };
    let scale = libm::pow(rate.to_f64(), -1.0 / f64::from(shape));
    DiscreteGeneralisedGaussian::new(shape, rate).map_err(|_| CalibrationError::Shape { shape, scale })
}

/// The loss of one cell as a function of the rate.
struct Loss {
    shape: u32,
    moved: u128,
    width: u128,
}

impl Loss {
    /// Of a cell at the largest move, and how many cells move together.
    fn at_largest_move(
        shape: u32,
        sensitivity: &Sensitivity,
        width: Option<u128>,
    ) -> Result<(Self, u128), CalibrationError> {
        let width = two_ends(width)?;
        let (moved, cells) = even_moves(sensitivity, width)?;
        Ok((Self { shape, moved, width }, cells))
    }

    fn power(&self, steps: u128) -> f64 {
        libm::pow(steps as f64, f64::from(self.shape))
    }

    fn kernel(&self) -> f64 {
        self.power(self.width) - self.power(self.width - self.moved)
    }

    /// In doubles.
    fn at(&self, rate: f64) -> f64 {
        let mut sum = 0.0;
        let add = |steps: u128| {
            sum += libm::exp(-rate * self.power(steps));
            sum
        };
        let sums: Vec<f64> = (0..=self.width).map(add).collect();
        let normaliser = |q: u128| sums[q as usize] + sums[(self.width - q) as usize] - 1.0;
        let log_ratio = |q: u128| {
            let other = q + self.moved;
            rate * (self.power(other) - self.power(q)) + libm::log(normaliser(other) / normaliser(q))
        };
        (0..=self.width - self.moved).map(log_ratio).fold(0.0, f64::max)
    }

    /// Proves `e^-epsilon C(q + d) <= e^(-c ((q + d)^p - q^p)) C(q)` for every `q`.
    fn is_at_most(&self, rate: &Rational, epsilon: &Rational) -> bool {
        let bits = PRECISION + (3.0 * epsilon.to_f64()) as usize;
        let sums = weights::of_power(self.shape, rate, self.width as usize, bits);
        let one = Enclosure::one(bits);
        let normaliser = |q: usize| sums[q].add(&sums[self.width as usize - q]).sub(&one);
        // What is common to all moves, and what each has beyond.
        let first = Enclosure::exp_neg(&(rate * &Rational::from(self.moved.pow(self.shape))), bits);
        let shrink = Enclosure::exp_neg(epsilon, bits);
        let moves = weights::Powers::new(self.shape, self.moved, rate, bits);
        moves.take((self.width - self.moved) as usize + 1).enumerate().all(|(q, beyond)| {
            let left = shrink.mul(&normaliser(q + self.moved as usize));
            left.certainly_at_most(&first.mul(&beyond).mul(&normaliser(q)))
        })
    }
}
