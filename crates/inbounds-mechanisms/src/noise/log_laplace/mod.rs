//! Discrete log-Laplace noise: multiplicative, for answers above zero.

mod sums;

use inbounds_core::{Enclosure, Guarantee, Rational, Sensitivity, StepRange};

use super::{About, DiscreteLaplace, Drawn, GridLaw, NoiseKind, Parameter, Promise, Record};
use crate::{
    calibrate::CalibrationError,
    law::{Accuracy, Noise, forward_noise, log_laplace::least_scale},
    mechanism::StepValue,
    sampler::Entropy,
};

/// Places among geometric cells by which one unit moves the answer of one cell, at most: the fineness of the cells.
///
/// One place is lost where an answer and its neighbour lie badly in their cells, so that the loss is at least
/// `1 - 1/4096` of epsilon.
const PLACES: u32 = 1 << 12;

/// Fractional bits in which a place is decided first: answers are below `2^127` steps, so that 128 bits are left, and a
/// place is missed by these with a probability of some `2^-100`.
const PRECISION: usize = 256;

/// A measurement in steps is at most this.
const LARGEST: f64 = (1u128 << 120) as f64;

/// Least and largest relative change of one cell that is calibrated for.
const CHANGES: std::ops::RangeInclusive<f64> = 1e-9..=1e9;

/// Multiplicative noise for whole answers `q >= l > 0`, in steps.
///
/// # Law
/// The answer lies in cell `i` of public geometric cells, `l e^(i s) <= q < l e^((i + 1) s)`, and
/// ```text
/// Y = i + N,    P(N = k) = (1 - a)/(1 + a) a^|k|,  a = exp(-tau)        the place, with discrete Laplace noise
/// V = c l e^((Y + 1/2) s)                                               its value in steps
/// X = V, rounded up or down at random to a whole step, so that E X = V  what is published
/// ```
/// with `c = (1 - a e^s)(1 - a e^-s)/(1 - a)^2 = 1/E e^(s N)` where `2 s < tau`, so that `X` is unbiased but for the
/// half cell by which `q` may be off its middle, and `c = 1`, with `q` the median of `V`, elsewhere. The scale of
/// `ln V` is `b = s/tau`; the mean of `V` is finite for `b < 1` and its variance for `b < 1/2`.
///
/// Integers decide whether `q` is in a cell: `e^(-i s)` is enclosed until it is above or below `l/q`, which it
/// never meets for `i > 0`, since a power of `e` with a rational exponent other than zero is irrational (Lindemann).
///
/// As a [`Noise`] it is the law of `N`, in places; [`GridLaw::scale`] alone is in steps: `b l`, the scale at the lower
/// end.
///
/// # Example
/// ```
/// use inbounds_core::{Epsilon, Guarantee, Sensitivity, StepRange};
/// use inbounds_mechanisms::noise::DiscreteLogLaplace;
/// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "count", squares: None };
/// let pure = Guarantee::Pure { epsilon: Epsilon::new("2".parse()?)? };
/// let law = DiscreteLogLaplace::for_range(&pure, &one, StepRange::new(Some(1), None)?).expect("calibrates");
/// assert!((law.log_scale() - 2f64.ln() / 2.0).abs() < 1e-12);
/// assert_eq!((law.place(1), law.place(2)), (0, 4095));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// McGlinchey and Mason, section 3.1 and Proposition 3; the scale is sharper than theirs, `log(1 + K)` for `K`.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscreteLogLaplace {
    lower: i128,
    cell: Rational,
    width: f64,
    places: DiscreteLaplace,
    factor: f64,
}

impl DiscreteLogLaplace {
    /// The least noise that keeps the guarantee for answers of the range.
    ///
    /// # Guarantee
    /// One unit moves `n = min(cells, l1)` answers at most, by `d_1 + ... + d_n <= l1` steps, and `ln q` of each by
    /// `ln(1 + d_j / l)` or less. These are concave in `d_j`, so together they move by at most `n ln(1 + K)` with
    /// `K = l1/(n l)`. The width of a cell is the least double `s` with `4096 s >= ln(1 + K)`, decided by enclosures. A
    /// move of `x` in `ln q` is one of `ceil(x/s)` places or fewer, so all together move by at most `4096 n + n - 1`
    /// places, and by 4096 for `n = 1`; there 4096 or 4095 is attained, between `l` and `l + l1`. The noise of the
    /// places is that of any vector of integers that moves so far. An answer outside the range is moved to its nearest
    /// end first, which moves no two answers apart. Claim: `log-laplace-places`.
    ///
    /// # Errors
    /// [`CalibrationError::NeedsPositiveRange`], [`CalibrationError::RelativeChange`],
    /// [`CalibrationError::HeavyTail`] without an upper end where `b >= 1/2`, and those of discrete Laplace noise.
    pub fn for_range(
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Self, CalibrationError> {
        let lower = range.lower().filter(|lower| *lower > 0).ok_or(CalibrationError::NeedsPositiveRange)?;
        let cells = u128::from(sensitivity.cells).min(sensitivity.l1);
        // No answer moves further than its range is wide.
        let most =
            |steps: u128, cells: u128| range.width().map_or(steps, |width| steps.min(width.saturating_mul(cells)));
        let (l1, linf) = (most(sensitivity.l1, cells), most(sensitivity.linf, 1).min(sensitivity.l1));
        if l1 == 0 || cells == 0 {
            return Err(CalibrationError::ZeroSensitivity);
        }
        let over = |steps: u128, cells: u128| {
            &Rational::from(steps) / &(&Rational::from(cells) * &Rational::from(lower.unsigned_abs()))
        };
        let change = over(l1, cells);
        if !CHANGES.contains(&change.to_f64()) || !CHANGES.contains(&over(linf, 1).to_f64()) {
            return Err(CalibrationError::RelativeChange { change: change.to_f64() });
        }
        let width = least_scale(&Rational::from(u128::from(PLACES)), &change);
        let cell = Rational::from_f64(width).expect("a finite width");
        let moved = Sensitivity {
            l1: cells * u128::from(PLACES) + cells - 1,
            linf: places_of(&cell, width, &over(linf, 1)),
            cells: sensitivity.cells,
            rule: sensitivity.rule,
            squares: None,
        };
        let places = DiscreteLaplace::calibrate(guarantee, &moved)?;
        let law = Self::new(lower, cell, places);
        if range.upper().is_none() && !law.has_variance() {
            return Err(CalibrationError::HeavyTail { scale: law.log_scale(), change: change.to_f64() });
        }
        Ok(law)
    }

    fn new(lower: i128, cell: Rational, places: DiscreteLaplace) -> Self {
        let width = cell.to_f64();
        let law = Self { lower, cell, width, places, factor: 1.0 };
        let factor = if law.has_variance() {
            let (missing, tau) = (|rate: f64| -libm::expm1(-rate), law.places.tau());
            missing(tau - width) / missing(tau) * (missing(tau + width) / missing(tau))
        } else {
            1.0
        };
        Self { factor, ..law }
    }

    /// `b`, the scale of the logarithm.
    pub fn log_scale(&self) -> f64 {
        self.width / self.places.tau()
    }

    /// `true` if `b < 1/2`, so that the variance is finite on a half line.
    pub fn has_variance(&self) -> bool {
        2.0 * self.width < self.places.tau()
    }

    /// `c`, by which values are corrected for their bias; 1 where they are not.
    pub fn correction(&self) -> f64 {
        self.factor
    }

    /// The lower end `l`, in steps.
    pub fn lower(&self) -> i128 {
        self.lower
    }

    /// The width `s` of a cell, exact.
    pub fn cell(&self) -> &Rational {
        &self.cell
    }

    /// The same as a double.
    pub(crate) fn width(&self) -> f64 {
        self.width
    }

    /// The law of the noise of places.
    pub fn places(&self) -> &DiscreteLaplace {
        &self.places
    }

    /// The place of an answer: the largest `i` with `l e^(i s) <= q`; 0 for an answer below the lower end.
    pub fn place(&self, answer: i128) -> i128 {
        if answer <= self.lower {
            return 0;
        }
        let ratio = &Rational::from(self.lower) / &Rational::from(answer);
        let mut place = (libm::log(answer as f64 / self.lower as f64) / self.width) as i128;
        while !self.reaches(place, &ratio) {
            place -= 1;
        }
        while self.reaches(place + 1, &ratio) {
            place += 1;
        }
        place
    }

    /// Tests that `e^(-place s) >= ratio`, for a ratio below 1: the answer `l / ratio` is in this cell or a later one.
    fn reaches(&self, place: i128, ratio: &Rational) -> bool {
        if place <= 0 {
            return true;
        }
        let exponent = &self.cell * &Rational::from(place);
        let mut bits = PRECISION;
        loop {
            let (edge, ratio) = (Enclosure::exp_neg(&exponent, bits), Enclosure::from_rational(ratio, bits));
            if ratio.certainly_at_most(&edge) {
                return true;
            }
            if edge.certainly_at_most(&ratio) {
                return false;
            }
            bits *= 2;
        }
    }

    /// `V` of a noisy place, in steps, at most `2^120`.
    pub fn value(&self, place: i128) -> f64 {
        let value = self.factor * self.lower as f64 * libm::exp((place as f64 + 0.5) * self.width);
        value.min(LARGEST)
    }

    /// The first place whose value is at least `steps`; minus infinity for no steps or fewer.
    pub(crate) fn first_at(&self, steps: f64) -> f64 {
        if steps <= 0.0 {
            return f64::NEG_INFINITY;
        }
        if steps > LARGEST {
            return f64::INFINITY;
        }
        let guess = (libm::log(steps / (self.factor * self.lower as f64)) / self.width - 0.5).ceil();
        let mut place = guess as i128;
        while self.value(place) < steps {
            place += 1;
        }
        while self.value(place - 1) >= steps {
            place -= 1;
        }
        place as f64
    }

    /// Turns answers into measurements in steps: `X`.
    pub(crate) fn measure(&self, range: StepRange, answers: &mut [i128], entropy: &mut dyn Entropy) {
        answers.iter_mut().for_each(|answer| *answer = self.place(range.clamp(*answer)));
        super::GridNoise::Laplace(self.places.clone()).add_in_place(answers, entropy);
        // What is left reads the noisy place alone.
        answers.iter_mut().for_each(|place| *place = StepValue::offset(0, self.value(*place)).round(entropy));
    }
}

/// The least number of places of width `cell` that is a relative change or more: the least `k` with
/// `e^(-k s) <= 1/(1 + change)`.
fn places_of(cell: &Rational, width: f64, change: &Rational) -> u128 {
    let inverse = Enclosure::from_rational(&(&Rational::ONE / &(&Rational::ONE + change)), PRECISION);
    let suffices =
        |places: u128| Enclosure::exp_neg(&(cell * &Rational::from(places)), PRECISION).certainly_at_most(&inverse);
    // Where the enclosure does not decide, one place more is on the safe side.
    let mut places = (libm::log1p(change.to_f64()) / width) as u128;
    while places > 1 && suffices(places - 1) {
        places -= 1;
    }
    while !suffices(places) {
        places += 1;
    }
    places
}

forward_noise!([] DiscreteLogLaplace => |law| law.places);

impl GridLaw for DiscreteLogLaplace {
    fn about() -> About {
        About {
            word: "log-laplace",
            law: "discrete-log-laplace",
            promise: Promise::Pure,
            drawn: Drawn::Placed,
            record: Record::Object {
                key: "log_laplace",
                parameters: &[
                    Parameter { key: "lower_steps", before: "geometric cells from ", after: " steps" },
                    Parameter { key: "cell", before: "each wider by a factor of exp(", after: ")" },
                    Parameter {
                        key: "inverse_scale_per_place",
                        before: "discrete Laplace noise on the place, of inverse scale ",
                        after: "",
                    },
                ],
            },
        }
    }

    /// # Errors
    /// Always: without a range there are no cells. [`DiscreteLogLaplace::for_range`] has one.
    fn calibrate(_guarantee: &Guarantee, _sensitivity: &Sensitivity) -> Result<Self, CalibrationError> {
        Err(CalibrationError::NeedsPositiveRange)
    }

    fn kind(&self) -> NoiseKind {
        NoiseKind::LogLaplace
    }

    fn parameters(&self) -> Vec<Rational> {
        vec![Rational::from(self.lower), self.cell.clone(), self.places.inverse_scale().clone()]
    }

    /// `b l`, in steps: what the noise of the smallest answer is.
    fn scale(&self) -> f64 {
        self.log_scale() * self.lower as f64
    }

    fn ln_kernel(&self, x: f64) -> f64 {
        self.places.ln_kernel(x)
    }

    fn ln_exponential_moment(&self, rate: f64) -> f64 {
        self.places.ln_exponential_moment(rate)
    }

    fn exponential_rate(&self) -> f64 {
        self.places.exponential_rate()
    }

    /// Noise of places.
    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]) {
        self.places.fill(entropy, noise);
    }
}
