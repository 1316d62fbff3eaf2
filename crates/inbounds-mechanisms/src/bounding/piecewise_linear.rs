//! A tabulated rule on the steps of a grid, with its errors summed over the noise.

use inbounds_core::{StepRange, root};

use super::{
    BoundingBias, GridMap, ProcessingRecord, Range,
    moments::{Piece, error_moments},
    rule::fraction_variance,
    step_value::StepValue,
};
use crate::law::Noise;

/// A map that is linear between evenly spaced places, the knots; all lengths are in steps from the lower end of the
/// range, or from its upper end where it has no other.
///
/// # Law
/// ```text
/// phi(x) = v_i + (v_(i+1) - v_i) (x - x_i) / h    for x_i <= x <= x_(i+1), x_i = first + i h, i = 0, ..., n
/// phi(x) = v_0  for x < x_0,  v_n  for x > x_n               towards an end of the range
/// phi(x) = x + v_0 - x_0,     x + v_n - x_n                  towards a side without an end
/// ```
///
/// # Error
/// Bias `E phi(q + N) - q` and mean square error are sums over the law of the noise: term by term over the knots'
/// places where the grid has few of them, by partial moments of each piece where it has many. Noise beyond 30 standard
/// deviations inside the table is left out, less than `1e-18` of it. An estimate between two steps is rounded at
/// random, and counts so; where there are many steps each piece is charged the largest variance of rounding, a quarter
/// of a squared step.
///
/// # Guarantee
/// Post-processing of `q + N`: keeps the guarantee of the noise, whatever the table. Claim: `own-rule-loss`.
///
/// # Example
/// A table that leaves every measurement as it is, but never below zero, is the clamp; its bias at zero is `a / (1 -
/// a^2)`.
/// ```
/// use inbounds_mechanisms::{bounding::{GridMap, PiecewiseLinear}, noise::DiscreteLaplace};
/// let noise = DiscreteLaplace::with_inverse_scale("1".parse()?)?;
/// let clamp = PiecewiseLinear::new(0.0, 1.0, vec![0.0, 1.0]).expect("finite");
/// let a = f64::exp(-1.0);
/// assert!((clamp.error(&noise, 0.0, f64::INFINITY).0 - a / (1.0 - a * a)).abs() < 1e-15);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PiecewiseLinear {
    first: f64,
    spacing: f64,
    values: Vec<f64>,
}

/// Steps inside the table that are summed one by one.
const MOST_STEPS: f64 = 16_384.0;

/// Standard deviations of noise that are summed.
const REACH: f64 = 30.0;

/// Standard deviations from the table at which it is no longer felt.
const FELT: f64 = 45.0;

/// Answers at which the largest bias is looked for, before the best is refined.
const ANSWERS: f64 = 1024.0;

/// Where an answer lies, and which sides of the range are open.
#[derive(Clone, Copy)]
struct Place {
    answer: f64,
    open_below: bool,
    open_above: bool,
}

impl Place {
    /// Of distances to both ends; one of them is finite.
    fn new(below: f64, above: f64) -> Self {
        let (open_below, open_above) = (below == f64::INFINITY, above == f64::INFINITY);
        Self { answer: if open_below { -above } else { below }, open_below, open_above }
    }
}

impl PiecewiseLinear {
    /// Its name in records.
    pub const NAME: &'static str = "table";

    /// The map of these values at `first`, `first + spacing` and so on.
    ///
    /// `None` unless there are two values, all numbers are finite and below 2^52 in size, and the spacing is positive.
    pub fn new(first: f64, spacing: f64, values: Vec<f64>) -> Option<Self> {
        let map = Self { first, spacing, values };
        let is_small = |x: &f64| x.abs() < 2f64.powi(52);
        let is_sound = map.values.len() >= 2
            && spacing > 0.0
            && [first, spacing, map.last()].iter().chain(&map.values).all(is_small);
        is_sound.then_some(map)
    }

    /// The last knot.
    fn last(&self) -> f64 {
        self.first + self.spacing * (self.values.len() - 1) as f64
    }

    /// Shifts of measurements beyond the first and beyond the last knot, on an open side.
    fn shifts(&self) -> (f64, f64) {
        (self.values[0] - self.first, self.values[self.values.len() - 1] - self.last())
    }

    /// The value inside the table.
    fn inside(&self, x: f64) -> f64 {
        let place = ((x - self.first) / self.spacing).clamp(0.0, (self.values.len() - 1) as f64);
        let (index, part) = (place.floor(), place - place.floor());
        let from = self.values[index as usize];
        if part == 0.0 { from } else { from + part * (self.values[index as usize + 1] - from) }
    }

    /// The error below the first knot or above the last, from this much noise on.
    fn beyond(&self, from: f64, open: bool, shift: f64, (value, answer): (f64, f64)) -> Piece {
        let (slope, deviation, at) = if open { (1.0, shift, shift) } else { (0.0, value - answer, value) };
        Piece { from, slope, deviation, rounding: fraction_variance(at) }
    }

    /// The pieces between knots that the noise reaches around an answer.
    fn pieces(&self, answer: f64, (low, high): (f64, f64)) -> Vec<Piece> {
        let most = (self.values.len() - 2) as f64;
        let index = |x: f64| ((x - self.first) / self.spacing).floor().clamp(0.0, most) as usize;
        let piece = |index: usize| {
            let (knot, value) = (self.first + self.spacing * index as f64, self.values[index]);
            let slope = (self.values[index + 1] - value) / self.spacing;
            let deviation = value + slope * (answer - knot) - answer;
            let rounding = match slope {
                0.0 => fraction_variance(value),
                1.0 => fraction_variance(value - knot),
                _ => 0.25,
            };
            Piece { from: knot.ceil().max(low) - answer, slope, deviation, rounding }
        };
        (index(low)..=index(high)).map(piece).collect()
    }

    /// `(bias, mse)` for an answer.
    fn error_at(&self, noise: &dyn Noise, place: Place) -> (f64, f64) {
        let Place { answer, open_below, open_above } = place;
        let (shift_below, shift_above) = self.shifts();
        let (low_value, high_value) = (self.values[0], self.values[self.values.len() - 1]);
        let (from, to) = (self.first.floor() + 1.0, self.last().ceil() - 1.0);
        let reach = (REACH * noise.variance().sqrt()).ceil() + 1.0;
        let (low, high) = (from.max(answer - reach), to.min(answer + reach));
        let lowest = self.beyond(f64::NEG_INFINITY, open_below, shift_below, (low_value, answer));
        let highest = self.beyond(to + 1.0 - answer, open_above, shift_above, (high_value, answer));
        let plain = |from: f64, slope: f64| Piece { from, slope, deviation: 0.0, rounding: 0.0 };
        if high - low >= MOST_STEPS {
            let between = [
                vec![plain(from - answer, 1.0)],
                self.pieces(answer, (low, high)),
                vec![plain(high + 1.0 - answer, 1.0)],
            ];
            let pieces = [vec![lowest], between.concat(), vec![highest]].concat();
            return error_moments(noise, &pieces);
        }
        // What the tails add: the bias of noise that is left alone between them, the square of no error there.
        let tails = |slope: f64| error_moments(noise, &[lowest, plain(from - answer, slope), highest]);
        let (mut bias, mut mse) = (tails(1.0).0, tails(0.0).1);
        let mut x = low;
        while x <= high {
            let step = x - answer;
            let mass = libm::exp(noise.ln_density(step));
            let value = self.inside(x);
            let moved = value - x;
            bias += moved * mass;
            mse += ((moved + step) * (moved + step) + fraction_variance(value)) * mass;
            x += 1.0;
        }
        (bias, mse)
    }
}

impl GridMap for PiecewiseLinear {
    fn value(&self, range: StepRange, measurement: i128) -> StepValue {
        let Some(origin) = range.lower().or(range.upper()) else { return StepValue::whole(measurement) };
        let x = measurement.saturating_sub(origin) as f64;
        let (below, above) = self.shifts();
        if x < self.first && range.lower().is_none() {
            return StepValue::offset(measurement, below);
        }
        if x > self.last() && range.upper().is_none() {
            return StepValue::offset(measurement, above);
        }
        let value = StepValue::offset(origin, self.inside(x));
        // Interpolation rounds: an end of the range is not passed by a hair.
        let above = range.upper().filter(|upper| value.whole >= *upper);
        let below = range.lower().filter(|lower| value.whole < *lower);
        above.or(below).map_or(value, StepValue::whole)
    }

    fn error(&self, noise: &dyn Noise, below: f64, above: f64) -> (f64, f64) {
        self.error_at(noise, Place::new(below, above))
    }

    /// Over all answers of a short range, and a thousand of a long one with the best refined: noise smooths the bias
    /// over its own scale.
    fn worst_bias(&self, noise: &dyn Noise, range: Range) -> f64 {
        let (open_below, open_above) = (range.lower() == f64::NEG_INFINITY, range.upper() == f64::INFINITY);
        if open_below && open_above {
            return 0.0;
        }
        let felt = (FELT * noise.variance().sqrt()).ceil() + 1.0;
        let low = if open_below { self.first.floor().min(0.0) - felt } else { 0.0 };
        let high = match (open_below, open_above) {
            (true, _) => 0.0,
            (false, true) => self.last().ceil().max(0.0) + felt,
            (false, false) => range.upper(),
        };
        let size = |answer: f64| self.error_at(noise, Place { answer, open_below, open_above }).0.abs();
        let stride = ((high - low) / ANSWERS).ceil().max(1.0);
        let count = ((high - low) / stride).ceil() as usize;
        let answer = |index: usize| (low + stride * index as f64).min(high);
        let sizes: Vec<f64> = (0..=count).map(|index| size(answer(index))).collect();
        let best = (0..=count).max_by(|one, other| sizes[*one].total_cmp(&sizes[*other])).unwrap_or(0);
        if stride == 1.0 {
            return sizes[best];
        }
        let (from, to) = (answer(best.saturating_sub(1)), answer((best + 1).min(count)));
        let (_, place) = root::largest(from, to, |low, high| high - low < 1.0, |answer| size(answer.round()));
        size(place.round()).max(sizes[best])
    }

    fn reach(&self, range: StepRange) -> f64 {
        match (range.lower(), range.upper()) {
            (Some(_), Some(_)) => f64::INFINITY,
            (Some(_), None) => self.last().max(0.0),
            (None, _) => (-self.first).max(0.0),
        }
    }

    fn formula(&self, _: &dyn Noise) -> BoundingBias {
        BoundingBias::Tabulated
    }

    fn record(&self) -> ProcessingRecord {
        let numbers = vec![("first", self.first), ("spacing", self.spacing)];
        ProcessingRecord { rule: PiecewiseLinear::NAME, numbers, estimates: self.values.clone() }
    }
}
