//! Noise of the three numbers that a cell's mean and variance are made of, at few points that stand for its whole law.
//!
//! # Law
//! The law of each measured number is cut into `K` parts of equal probability on either side of zero. Point `i` has the
//! middles of the parts `(i, a i, a^2 i)` modulo `K`, a rank-1 lattice, whose dual has no short vector, and all eight
//! ways to give these signs: noise is symmetric, its numbers independent. Cube noise, whose numbers are not, is drawn,
//! with seed 0, and mirrored in the same ways. Each number is then scaled so that its mean square over the points is
//! its variance.
//!
//! # Guarantee
//! Products of two different numbers are zero on average and squares have their variances, so that whatever is linear
//! in the noise has exactly its mean square: the first order of every error is exact. The rest is known to some parts
//! in a thousand, and a change of epsilon scales the points, so that errors fall smoothly with it.

use inbounds_mechanisms::{law::Noise, sampler::SeededEntropy};

use crate::{Component, statistic::measure_public};

/// Numbers that a cell is made of, at most.
const NUMBERS: usize = 3;

/// Number of points before they are mirrored, and the multiplier of their lattice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fineness(usize, usize);

impl Fineness {
    /// To look around.
    pub(crate) const COARSE: Self = Self(127, 102);
    /// To state an error.
    pub(crate) const FINE: Self = Self(1021, 928);

    /// Another.
    #[cfg(test)]
    pub(crate) fn new(points: usize, multiplier: usize) -> Self {
        Self(points, multiplier)
    }
}

/// Sizes of the noise of each measured number, point by point.
pub(super) type Magnitudes = [Vec<f64>; NUMBERS];

/// The size of the noise of one number at each of the parts, in its unit.
fn parts(component: &Component, Fineness(points, _): Fineness) -> Vec<f64> {
    let noise = component.mechanism.noise();
    let middle = |part: usize| noise.quantile(0.5 + 0.5 * (part as f64 + 0.5) / points as f64);
    scaled(component, (0..points).map(middle).collect())
}

/// Steps of a number's noise, in its unit, with its variance.
fn scaled(component: &Component, steps: Vec<f64>) -> Vec<f64> {
    let square = steps.iter().map(|steps| steps * steps).sum::<f64>() / steps.len() as f64;
    let variance = component.mechanism.noise().variance();
    // Noise that is next to never other than zero is zero at all points.
    let factor = if square > 0.0 { libm::sqrt(variance / square) } else { 0.0 } * component.step();
    steps.into_iter().map(|steps| steps * factor).collect()
}

/// Noise of numbers, up to three, each a component of its own or all of the one that there is.
pub(super) fn magnitudes(components: &[&Component], fineness: Fineness) -> Magnitudes {
    let Fineness(points, multiplier) = fineness;
    let are_one_vector = components.iter().any(|component| component.mechanism.noise().as_cube().is_some());
    if are_one_vector {
        let zeros = vec![vec![0; points]; components.len()];
        let drawn = measure_public(components, &zeros, &mut SeededEntropy::from_seed(0));
        let of_number = |place: usize| match (components.get(place), drawn.get(place)) {
            (Some(component), Some(steps)) => scaled(component, steps.iter().map(|steps| *steps as f64).collect()),
            _ => vec![0.0; points],
        };
        return std::array::from_fn(of_number);
    }
    let parts: Vec<Vec<f64>> = components.iter().map(|component| parts(component, fineness)).collect();
    std::array::from_fn(|place| {
        let stride = multiplier.pow(place as u32) % points;
        let of_number = if parts.len() == 1 { parts.first() } else { parts.get(place) };
        (0..points).map(|point| of_number.map_or(0.0, |parts| parts[point * stride % points])).collect()
    })
}

/// The same noise twice.
#[derive(Debug, Clone)]
pub(crate) struct Clouds {
    /// To look around.
    pub(crate) coarse: Cloud,
    /// To state an error.
    pub(crate) fine: Cloud,
}

impl Clouds {
    /// The noise by how fine it is.
    pub(crate) fn new(cloud: impl Fn(Fineness) -> Cloud) -> Self {
        Self { coarse: cloud(Fineness::COARSE), fine: cloud(Fineness::FINE) }
    }
}

/// Noise of the number of rows, of the sum of `v` and of the sum of `v^2` less a part of the number of rows, where `v`
/// is the distance of a value from the middle of its bounds as a part of their width.
#[derive(Debug, Clone)]
pub(crate) struct Cloud {
    points: Vec<[f64; NUMBERS]>,
    /// Number subtracted from the square of each row.
    offset: f64,
}

/// Properties of the rows of a cell: all that the law of its measurements depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rows {
    /// Their number.
    pub(crate) rows: f64,
    /// The mean of `v`, between `-1/2` and `1/2`.
    pub(crate) deviation: f64,
    /// The variance of `v`, between 0 and `1/4 - deviation^2`.
    pub(crate) variance: f64,
}

impl Cloud {
    /// Mirrors noise in all ways, and makes the three numbers of it.
    pub(super) fn new(
        magnitudes: &Magnitudes,
        offset: f64,
        numbers: impl Fn([f64; NUMBERS]) -> [f64; NUMBERS],
    ) -> Self {
        let [first, second, third] = magnitudes;
        let sizes = first.iter().zip(second).zip(third).map(|((first, second), third)| [*first, *second, *third]);
        let signed = |sizes: [f64; NUMBERS], ways: usize| -> [f64; NUMBERS] {
            std::array::from_fn(|place| if ways >> place & 1 == 0 { sizes[place] } else { -sizes[place] })
        };
        let points = sizes.flat_map(|sizes| (0..1 << NUMBERS).map(move |ways| signed(sizes, ways)));
        Self { points: points.map(numbers).collect(), offset }
    }

    /// Bias and RMSE of a function of the published mean and variance, which `error` holds against the truth.
    fn errors(&self, group: &Rows, error: impl Fn(f64, f64) -> f64) -> (f64, f64) {
        let &Rows { rows, deviation, variance } = group;
        let square = variance + deviation * deviation - self.offset;
        let (mut sum, mut squares) = (0.0, 0.0);
        for [count, first, second] in &self.points {
            let inverse = 1.0 / (rows + count).max(1.0);
            let mean = ((rows * deviation + first) * inverse).clamp(-0.5, 0.5);
            let spread = self.offset + (rows * square + second) * inverse - mean * mean;
            let error = error(mean, spread.clamp(0.0, 0.25));
            sum += error;
            squares += error * error;
        }
        let points = self.points.len() as f64;
        (sum / points, libm::sqrt(squares / points))
    }

    /// Bias and RMSE of the published mean, inside a part of the bounds, as a part of their width.
    pub(crate) fn of_mean(&self, rows: &Rows, (lower, upper): (f64, f64)) -> (f64, f64) {
        self.errors(rows, |mean, _| mean.clamp(lower, upper) - rows.deviation)
    }

    /// Bias and RMSE of the published variance, as a part of the squared width.
    pub(crate) fn of_variance(&self, rows: &Rows) -> (f64, f64) {
        self.errors(rows, |_, variance| variance - rows.variance)
    }

    /// Bias and RMSE of its root, as a part of the width.
    pub(crate) fn of_root(&self, rows: &Rows) -> (f64, f64) {
        let truth = rows.variance.sqrt();
        self.errors(rows, |_, variance| variance.sqrt() - truth)
    }
}
