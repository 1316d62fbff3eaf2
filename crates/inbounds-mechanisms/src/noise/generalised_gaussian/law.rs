//! The generalised Gaussian law on the integers.

use std::{fmt, sync::Arc};

use inbounds_core::{CoreError, Rational};

use crate::law::{Accuracy, GeneralisedGaussian, Noise, lattice};

/// Generalised Gaussian noise on the integers.
///
/// # Law
/// `P(N = k) = exp(-c |k|^p) / sum_j exp(-c |j|^p)`, shape `p` a whole number from 3 to 6 and rate `c` an exact
/// positive rational, per step to the power `p`; the scale is `b = c^(-1/p)` steps. Shape 1 would be discrete Laplace
/// noise and shape 2 discrete Gaussian noise, which have laws of their own here.
///
/// # Accuracy
/// All figures are sums over a table of the mass, as far as it is above `e^-120` of that at zero: a relative error
/// below `1e-12`.
///
/// # Example
/// At a scale of 10 the variance is that of the continuous law, `b^2 Gamma(3/p)/Gamma(1/p)`, to some `1e-6`.
/// ```
/// use inbounds_core::Rational;
/// use inbounds_mechanisms::{law::{GeneralisedGaussian, Noise}, noise::DiscreteGeneralisedGaussian};
/// let noise = DiscreteGeneralisedGaussian::new(3, Rational::ratio(1, 1000))?;
/// let continuous = GeneralisedGaussian::with_shape_and_scale(3.0, 10.0)?;
/// assert!((noise.variance() / continuous.variance() - 1.0).abs() < 1e-3);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Liu, Eq. (3), with its errata; on the integers: this project.
#[derive(Clone)]
pub struct DiscreteGeneralisedGaussian {
    shape: u32,
    rate: Rational,
    continuous: GeneralisedGaussian,
    table: Arc<Table>,
}

/// Masses and their sums, by distance.
struct Table {
    /// `P(N = k)`.
    mass: Vec<f64>,
    /// `P(N > k)`.
    tail: Vec<f64>,
    /// `P(N = 0)/2 + P(0 < N <= k)`.
    half: Vec<f64>,
    /// `E[N^2; 0 < N <= k]`.
    squares: Vec<f64>,
}

/// Exponent beyond which masses are left out.
const DEEPEST: f64 = 120.0;

/// Longest table.
const LONGEST: f64 = (1 << 17) as f64;

/// Largest rate: at the next step hardly anything is left.
const LARGEST_RATE: f64 = 700.0;

impl DiscreteGeneralisedGaussian {
    /// Shapes of the law.
    pub const SHAPES: std::ops::RangeInclusive<u32> = 3..=6;

    /// The law of shape `p` and rate `c`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless the shape is one of [`Self::SHAPES`], and the rate at most 700 and so large that
    /// masses above `e^-120` of the first reach over at most `2^17` steps, that is, a scale of some 26,000 steps.
    pub fn new(shape: u32, rate: Rational) -> Result<Self, CoreError> {
        if !Self::SHAPES.contains(&shape) {
            return Err(CoreError::parameter("shape", f64::from(shape), "a whole number from 3 to 6"));
        }
        let c = rate.to_f64();
        let power = f64::from(shape);
        let last = libm::pow(DEEPEST / c, 1.0 / power).ceil();
        if !(c > 0.0 && c <= LARGEST_RATE && last <= LONGEST) {
            return Err(CoreError::parameter("rate", c, "at most 700, and with a scale below some 26,000 steps"));
        }
        let continuous = GeneralisedGaussian::with_shape_and_scale(power, libm::pow(c, -1.0 / power))?;
        Ok(Self { shape, rate, continuous, table: Arc::new(Table::new(power, c, last as usize)) })
    }

    /// The shape `p`.
    pub fn shape(&self) -> u32 {
        self.shape
    }

    /// The exact rate `c`.
    pub fn rate(&self) -> &Rational {
        &self.rate
    }

    /// `-c |x|^p`.
    pub(super) fn exponent(&self, x: f64) -> f64 {
        -self.rate.to_f64() * libm::pow(x.abs(), f64::from(self.shape))
    }

    /// The largest rate at which moments are bounded: there the table still falls by `e^-60` at its end.
    pub(super) fn largest_exponential_rate(&self) -> f64 {
        let last = (self.table.mass.len() - 1) as f64;
        0.5 * self.rate.to_f64() * libm::pow(last, f64::from(self.shape - 1))
    }

    /// `E exp(rate N)`, from the table; `0 < rate` up to the largest.
    pub(super) fn exponential_moment(&self, rate: f64) -> f64 {
        let mass = &self.table.mass;
        let one = |(k, mass): (usize, &f64)| 2.0 * mass * libm::cosh(rate * k as f64);
        mass[0] + mass.iter().enumerate().skip(1).map(one).sum::<f64>()
    }

    /// The place of a distance in the table, which is beyond its end where nothing is left.
    fn place(&self, distance: f64) -> usize {
        (distance.floor() as usize).min(self.table.mass.len() - 1)
    }

    /// `sum of f(k)` over the whole `s < k <= t` in the table.
    fn sum(&self, s: f64, t: f64, f: impl Fn(usize) -> f64) -> f64 {
        let (from, to) = (self.place(s) + 1, self.place(t));
        (from..=to).map(f).sum()
    }
}

impl Table {
    fn new(power: f64, rate: f64, last: usize) -> Self {
        let weight = |k: usize| libm::exp(-rate * libm::pow(k as f64, power));
        let mut mass: Vec<f64> = (0..=last).map(weight).collect();
        let side: f64 = mass[1..].iter().rev().sum();
        let total = 1.0 + 2.0 * side;
        mass.iter_mut().for_each(|weight| *weight /= total);
        let mut tail = vec![0.0; last + 1];
        for k in (0..last).rev() {
            tail[k] = tail[k + 1] + mass[k + 1];
        }
        let (mut half, mut squares) = (vec![0.5 * mass[0]], vec![0.0]);
        for k in 1..=last {
            half.push(half[k - 1] + mass[k]);
            squares.push(squares[k - 1] + (k as f64) * (k as f64) * mass[k]);
        }
        Self { mass, tail, half, squares }
    }
}

impl PartialEq for DiscreteGeneralisedGaussian {
    /// The table follows from shape and rate.
    fn eq(&self, other: &Self) -> bool {
        self.shape == other.shape && self.rate == other.rate
    }
}

impl fmt::Debug for DiscreteGeneralisedGaussian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, rate, .. } = self;
        f.debug_struct("DiscreteGeneralisedGaussian").field("shape", shape).field("rate", rate).finish_non_exhaustive()
    }
}

impl Noise for DiscreteGeneralisedGaussian {
    fn ln_density(&self, x: f64) -> f64 {
        if x.fract() != 0.0 {
            return f64::NEG_INFINITY;
        }
        self.exponent(x) + libm::log(self.table.mass[0])
    }

    fn cdf(&self, x: f64) -> f64 {
        // P(N <= x) = P(N >= -floor(x)) = P(N > -floor(x) - 1).
        self.sf(-x.floor() - 1.0)
    }

    fn sf(&self, x: f64) -> f64 {
        let k = x.floor();
        let tail = |k: f64| self.table.tail[self.place(k)];
        if k >= 0.0 { tail(k) } else { 1.0 - tail(-k - 1.0) }
    }

    fn quantile(&self, p: f64) -> f64 {
        if (0.0..=1.0).contains(&p) { lattice::quantile(self, p, self.continuous.quantile(p)) } else { f64::NAN }
    }

    fn variance(&self) -> f64 {
        2.0 * self.half_second_moment(f64::INFINITY)
    }

    fn spacing(&self) -> f64 {
        1.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        self.table.half[self.place(t)]
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        self.sum(s, t, |k| k as f64 * self.table.mass[k])
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        self.table.squares[self.place(t)]
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        // E (N - s)+ - E (N - t)+ is the sum of P(N > j) over s <= j < t; casts of infinity saturate.
        let end = |x: f64| (x as usize).min(self.table.tail.len());
        self.table.tail[end(s)..end(t)].iter().sum()
    }

    fn accuracy(&self) -> Accuracy {
        Accuracy::Quadrature { relative_error: 1e-12 }
    }
}
