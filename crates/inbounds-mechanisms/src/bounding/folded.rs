//! Noise, reflected at the ends of the range until it falls inside.

use inbounds_core::{CoreError, StepRange};

use super::{Bounding, BoundingBias, GridMap, ProcessingRecord, Range, moments::Part, step_value::StepValue};
use crate::law::Noise;

/// `q + N` reflected at the ends: on `[0, U]` the triangle wave of period `2 U`, on `[0, inf)` the absolute value.
///
/// # Error
/// The error `e` is a function of `N` of period `2 U`, linear between reflections. Laplace noise forgets how far it has
/// gone, so each side of the answer needs one period only: `E[e; N > 0] = E[e; 0 < N <= 2U] / (1 - P(N > 2U | N > 0))`.
/// For noise that remembers, all periods within its reach are summed.
///
/// # Guarantee
/// Post-processing of `q + N`: keeps the guarantee of the plain mechanism, exactly. It is here because others offer it;
/// its bias at an end is that of `|N|`, twice the clamp's.
///
/// # Example
/// ```
/// use inbounds_mechanisms::{bounding::{Bounding, Folded, Range}, law::Laplace};
/// let folded = Folded::new(Laplace::with_scale(3.0)?, Range::new(0.0, f64::INFINITY)?)?;
/// assert_eq!((folded.bias(0.0), folded.mse(0.0)), (3.0, 18.0));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Folded<N> {
    noise: N,
    range: Range,
}

impl<N: Noise> Folded<N> {
    /// Folds `noise` around an answer into `range`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] if the noise has a memory and would be reflected more than ten thousand times, or has
    /// none and forgets less than `1e-12` of itself over the range, where nothing of the range is left in doubles.
    pub fn new(noise: N, range: Range) -> Result<Self, CoreError> {
        let width = range.upper() - range.lower();
        match noise.decay(width) {
            None if reach(&noise) > MOST_REFLECTIONS * width => {
                return Err(CoreError::parameter(
                    "width",
                    width,
                    "at least a ten thousandth of the reach of the noise",
                ));
            }
            Some(lost) if lost < 1e-12 => {
                return Err(CoreError::parameter("width", width, "at least a trillionth of the scale of the noise"));
            }
            _ => {}
        }
        Ok(Self { noise, range })
    }
}

const MOST_REFLECTIONS: f64 = 1e4;

/// Where all but 1e-18 of the noise lies.
fn reach(noise: &dyn Noise) -> f64 {
    -noise.quantile(1e-18)
}

/// `(bias, mse)` of folding for an answer at distances `a` from the lower and `c` from the upper end.
fn error(noise: &dyn Noise, a: f64, c: f64) -> (f64, f64) {
    let up = one_side(noise, c, a + c);
    let down = one_side(noise, a, a + c);
    (up.0 - down.0, up.1 + down.1)
}

/// `periods * width`, nothing before the first period, however wide.
fn beyond(periods: f64, width: f64) -> f64 {
    if periods == 0.0 { 0.0 } else { periods * width }
}

/// `(E[e; N > 0], E[e^2; N > 0])` for the end at distance `first`, the ends `width` apart.
///
/// Beyond the end the noise runs back: on `first + k width <= N <= first + (k + 1) width` the error is
/// `-N + 2 first + k width` for even `k` and `N - (k + 1) width` for odd `k`.
fn one_side(noise: &dyn Noise, first: f64, width: f64) -> (f64, f64) {
    let step = noise.spacing();
    let (end, share) = match noise.decay(2.0 * width) {
        Some(lost) => (2.0 * width, lost),
        None => (reach(noise).min(2.0 * MOST_REFLECTIONS * width), 1.0),
    };
    let mut total = (0.0, 0.0);
    let mut from = 0.0;
    let mut index = 0.0;
    while from < end {
        let (until, slope, deviation) = match (index, index % 2.0) {
            (0.0, _) => (first, 1.0, 0.0),
            (_, 1.0) => (first + index * width, -1.0, 2.0 * first + beyond(index - 1.0, width)),
            _ => (first + index * width, 1.0, -index * width),
        };
        let until = until.min(end);
        let part = Part::between(noise, from + step, until + step);
        total.0 += slope * part.first + deviation * part.mass;
        total.1 += part.second + 2.0 * slope * deviation * part.first + deviation * deviation * part.mass;
        (from, index) = (until, index + 1.0);
    }
    (total.0 / share, total.1 / share)
}

impl<N: Noise> Bounding for Folded<N> {
    fn bias(&self, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        error(&self.noise, a, c).0
    }

    fn mse(&self, q: f64) -> f64 {
        let (a, c) = self.range.distances(q);
        error(&self.noise, a, c).1
    }

    fn range(&self) -> Range {
        self.range
    }
}

/// The map of [`Folded`].
#[derive(Debug)]
pub(super) struct Fold;

impl GridMap for Fold {
    fn value(&self, range: StepRange, measurement: i128) -> StepValue {
        StepValue::whole(fold(range, measurement))
    }

    fn error(&self, noise: &dyn Noise, below: f64, above: f64) -> (f64, f64) {
        error(noise, below, above)
    }

    fn formula(&self, _: &dyn Noise) -> BoundingBias {
        BoundingBias::Folded
    }

    fn record(&self) -> ProcessingRecord {
        ProcessingRecord { rule: "fold", numbers: vec![], estimates: Vec::new() }
    }
}

/// Reflection at the ends until inside.
fn fold(range: StepRange, y: i128) -> i128 {
    match (range.lower(), range.upper()) {
        (Some(lower), Some(upper)) => {
            let width = upper - lower;
            let around = (y - lower).rem_euclid(2 * width);
            lower + around.min(2 * width - around)
        }
        (Some(lower), None) => lower + (y - lower).abs(),
        (None, Some(upper)) => upper - (upper - y).abs(),
        (None, None) => y,
    }
}
