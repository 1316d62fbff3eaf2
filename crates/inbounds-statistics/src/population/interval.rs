//! Intervals by inverting a test; the method is in the module's documentation.

use inbounds_core::{CoreError, root};

use super::{Measured, sampling::SamplingLaw};
use crate::StatisticError;

/// An interval for a parameter of a population.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Smallest parameter that the test does not reject.
    pub lower: f64,
    /// Largest parameter that the test does not reject.
    pub upper: f64,
}

impl Interval {
    /// `true` if a parameter lies in the interval.
    pub fn contains(&self, parameter: f64) -> bool {
        self.lower <= parameter && parameter <= self.upper
    }
}

/// Knowledge of the spread of the population for a mean's interval.
#[derive(Debug, Clone, Copy)]
pub enum KnownVariance<'a> {
    /// Nothing but the bounds: the variance is at most `(upper - mean)(mean - lower)`.
    Bounds,
    /// A measured variance of the same rows: its upper limit at a fifth of the error probability is taken.
    Measured(&'a Measured<'a>),
}

/// The population's proportion, from a measured proportion: the mean, over `rows` rows, of a column that is 0 or 1.
///
/// # Guarantee
/// Coverage at least `level` for every proportion and every mechanism, exactly: the number of ones is binomial. Claim:
/// `population-proportion-interval`.
///
/// # Errors
/// [`StatisticError::Core`] unless `0 < level < 1`; [`StatisticError::TooFewRows`] below two rows.
///
/// # Example
/// Of 50 rows a fifth are ones; noise of scale 0.02 beside a standard error of 0.057 widens the interval of Clopper and
/// Pearson, `[0.10, 0.34]`, a little.
/// ```
/// use inbounds_statistics::{Column, Describe, Mean, Missing, population::{self, Measured}};
/// let column = Column::whole("insured", "0", "1", Missing::Impute(0u128.into()))?;
/// let share = Mean::new(column).among_rows(50).epsilon("1")?;
/// let measured = Measured { component: share.statistic().components()[0], steps: 10 };
/// let interval = population::proportion(&measured, 50, 0.95).expect("valid");
/// assert!((interval.lower - 0.0893).abs() < 1e-4 && (interval.upper - 0.3495).abs() < 1e-4, "{interval:?}");
/// # Ok::<(), inbounds_statistics::StatisticError>(())
/// ```
///
/// # References
/// Without noise: Clopper and Pearson 1934.
pub fn proportion(measured: &Measured, rows: u64, level: f64) -> Result<Interval, StatisticError> {
    let miss = check("proportion", rows, level)?;
    let law = |p: f64| SamplingLaw::binomial_share(rows, p);
    Ok(invert(
        (0.0, 1.0),
        (miss / 2.0, miss / 2.0),
        &Tails {
            above: |p| law(p).expect(|share| measured.above(share)),
            below: |p| law(p).expect(|share| measured.below(share)),
        },
    ))
}

/// The population's mean, from a measured mean over `rows` rows of a column within `bounds`.
///
/// # Guarantee
/// Coverage about `level`: the mean of the sample is taken to be normal around the population's. With
/// [`KnownVariance::Measured`] the variance is at most its upper limit except with a fifth of the error probability,
/// under the law of [`variance`].
///
/// # Errors
/// Those of [`proportion`].
pub fn mean(
    measured: &Measured,
    rows: u64,
    bounds: (f64, f64),
    spread: KnownVariance,
    level: f64,
) -> Result<Interval, StatisticError> {
    let all = check("mean", rows, level)?;
    let (known, miss) = match spread {
        KnownVariance::Bounds => (None, all),
        KnownVariance::Measured(variance) => (Some(largest_variance(variance, rows, bounds, all / 5.0)), 0.8 * all),
    };
    let law = SamplingLaw::normal();
    let deviation = |mean: f64| {
        let largest = (bounds.1 - mean) * (mean - bounds.0);
        (known.map_or(largest, |known| known.min(largest)).max(0.0) / rows as f64).sqrt()
    };
    let sample = |mean: f64, z: f64| (mean + deviation(mean) * z).clamp(bounds.0, bounds.1);
    Ok(invert(
        bounds,
        (miss / 2.0, miss / 2.0),
        &Tails {
            above: |mean| law.expect(|z| measured.above(sample(mean, z))),
            below: |mean| law.expect(|z| measured.below(sample(mean, z))),
        },
    ))
}

/// The population's variance, from a measured variance (divisor `rows - 1`) of a column within `bounds`.
///
/// # Guarantee
/// Coverage at least `level` for a normal population: the variance of the sample is then chi-squared over `rows - 1`. A
/// population with heavier tails needs wider intervals, one with lighter tails is covered more often.
///
/// # Errors
/// Those of [`proportion`].
pub fn variance(measured: &Measured, rows: u64, bounds: (f64, f64), level: f64) -> Result<Interval, StatisticError> {
    let miss = check("variance", rows, level)?;
    Ok(variance_limits(measured, rows, bounds, (miss / 2.0, miss / 2.0)))
}

/// The population's covariance, from measured variance, covariance and variance of two columns with bounds.
///
/// # Law
/// Of a normal population with correlation `r` the covariance of the sample is `sqrt(v w) ((1 + r) A - (1 - r) B) / 2`
/// with independent `A` and `B`, chi-squared over `rows - 1`. The variances `v`, `w` are at most their upper limits
/// except with a tenth of the error probability each; the test is made at these, where the spread is largest.
///
/// # Guarantee
/// Coverage at least `level` for a normal population.
///
/// # Errors
/// Those of [`proportion`].
pub fn covariance(
    [first, both, second]: [&Measured; 3],
    rows: u64,
    bounds: [(f64, f64); 2],
    level: f64,
) -> Result<Interval, StatisticError> {
    let miss = check("covariance", rows, level)?;
    let largest = [(first, bounds[0]), (second, bounds[1])]
        .map(|(variance, bounds)| largest_variance(variance, rows, bounds, miss / 10.0));
    let scale = (largest[0] * largest[1]).sqrt();
    let law = SamplingLaw::chi_squared_share(rows - 1, 41);
    let expect = |r: f64, function: &dyn Fn(f64) -> f64| {
        law.expect(|a| law.expect(|b| function(0.5 * scale * ((1.0 + r) * a - (1.0 - r) * b))))
    };
    let in_steps = invert(
        (-1.0, 1.0),
        (0.4 * miss, 0.4 * miss),
        &Tails {
            above: |r| expect(r, &|covariance| both.above(covariance)),
            below: |r| expect(r, &|covariance| both.below(covariance)),
        },
    );
    Ok(Interval { lower: in_steps.lower * scale, upper: in_steps.upper * scale })
}

/// The upper limit of a variance alone.
fn largest_variance(measured: &Measured, rows: u64, bounds: (f64, f64), miss: f64) -> f64 {
    variance_limits(measured, rows, bounds, (0.0, miss)).upper
}

fn variance_limits(measured: &Measured, rows: u64, bounds: (f64, f64), misses: (f64, f64)) -> Interval {
    let law = SamplingLaw::chi_squared_share(rows - 1, 301);
    invert(
        (0.0, 0.25 * (bounds.1 - bounds.0).powi(2)),
        misses,
        &Tails {
            above: |variance| law.expect(|share| measured.above(variance * share)),
            below: |variance| law.expect(|share| measured.below(variance * share)),
        },
    )
}

/// Probabilities of a measurement at least, and at most, as large as the one made: rising and falling in the parameter.
struct Tails<A, B> {
    above: A,
    below: B,
}

/// Into how many parts the range of a parameter is divided: ends are outward by at most one.
const PLACES: i128 = 1 << 22;

/// All parameters in the range at which neither probability is below its miss.
fn invert(
    range: (f64, f64),
    (miss_below, miss_above): (f64, f64),
    tails: &Tails<impl Fn(f64) -> f64, impl Fn(f64) -> f64>,
) -> Interval {
    let at = |place: i128| range.0 + (range.1 - range.0) * (place as f64 / PLACES as f64);
    let rejects_low = |place: i128| (tails.above)(at(place)) < miss_below;
    let rejects_high = |place: i128| (tails.below)(at(place)) < miss_above;
    // A measurement so far out that no parameter explains it leaves the end that explains it best. Else the last
    // rejected place is taken, so that the interval is never too narrow.
    let lower = if rejects_low(0) { root::bisect_integer(0, PLACES, rejects_low) } else { 0 };
    let lower = if lower == PLACES - 1 && rejects_low(PLACES) { PLACES } else { lower };
    let accepts_high = |place: i128| !rejects_high(place);
    let upper = match (accepts_high(PLACES), accepts_high(0)) {
        (true, _) => PLACES,
        (false, false) => 0,
        (false, true) => root::bisect_integer(0, PLACES, accepts_high) + 1,
    };
    Interval { lower: at(lower), upper: at(upper) }
}

/// The error probability of a level.
pub(super) fn check(kind: &'static str, rows: u64, level: f64) -> Result<f64, StatisticError> {
    if rows < 2 {
        return Err(StatisticError::TooFewRows { kind, rows });
    }
    if level > 0.0 && level < 1.0 {
        Ok(1.0 - level)
    } else {
        Err(CoreError::parameter("level", level, "greater than 0 and less than 1").into())
    }
}
