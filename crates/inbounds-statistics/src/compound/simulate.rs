//! Bias, error and intervals by drawing the noise again around public estimates.

use inbounds_mechanisms::{mechanism::Measurements, sampler::SeededEntropy};

use super::Compound;
use crate::{Estimate, ExpectedError};

/// How errors are simulated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulation {
    /// Level of the intervals, between 0 and 1.
    pub level: f64,
    /// How often noise is drawn again.
    pub replicates: usize,
    /// Seed of these draws. They protect nothing, so it is public.
    pub seed: u64,
}

impl Default for Simulation {
    /// 95 %, from 400 draws.
    fn default() -> Self {
        Self { level: 0.95, replicates: 400, seed: 0 }
    }
}

/// What the replicates of one output come to.
#[derive(Debug, Clone, Default)]
struct Errors {
    of_points: Vec<f64>,
    of_raw: Vec<f64>,
}

/// Estimates with errors from a parametric bootstrap.
///
/// # Law
/// With the estimates as truth, noise is drawn `replicates` times and estimates are made again: bias and RMSE are those of
/// the new estimates, with their Monte Carlo errors. An interval reaches to both sides of the raw value (moved into the
/// range) by the `ceil(level (replicates + 1))`-th of the sorted absolute errors of the new raw values, and is cut to the
/// range; where the raw value is missing, or the rank is beyond the replicates, it is the range.
pub fn simulate<C: Compound + ?Sized>(
    compound: &C,
    measured: &[Measurements],
    simulation: &Simulation,
) -> Vec<Estimate> {
    let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
    let (raw, point) = (compound.raw(&steps), compound.point(&steps));
    let answers = compound.answers_at(&point, &steps);
    let ranges = compound.ranges();
    let outputs = ranges.len();
    draw(compound, &answers, &point, simulation)
        .into_iter()
        .enumerate()
        .map(|(index, errors)| errors.describe(point[index], raw[index], ranges[index % outputs], simulation))
        .collect()
}

/// Errors that estimates make around `truth` when noise is drawn around `answers`, cell by cell.
fn draw<C: Compound + ?Sized>(
    compound: &C,
    answers: &[Vec<i128>],
    truth: &[f64],
    simulation: &Simulation,
) -> Vec<Errors> {
    let mut entropy = SeededEntropy::from_seed(simulation.seed);
    let mut errors = vec![Errors::default(); truth.len()];
    for _ in 0..simulation.replicates {
        let components = compound.components();
        let drawn: Vec<Vec<i128>> = components
            .iter()
            .zip(answers)
            .map(|(component, answers)| component.mechanism.measure(answers, &mut entropy))
            .collect();
        let drawn: Vec<&[i128]> = drawn.iter().map(Vec::as_slice).collect();
        for (((errors, truth), again), raw) in
            errors.iter_mut().zip(truth).zip(compound.point(&drawn)).zip(compound.raw(&drawn))
        {
            errors.of_points.push(again - truth);
            errors.of_raw.push(raw.map_or(f64::INFINITY, |raw| (raw - truth).abs()));
        }
    }
    errors
}

/// The error to expect of one output, were the exact answers these and the estimates' truth `truth`.
///
/// 400 draws of seed 0; a statement about the mechanism, before anything is measured.
pub(crate) fn expect<C: Compound + ?Sized>(
    compound: &C,
    case: String,
    answers: &[Vec<i128>],
    truth: &[f64],
    output: usize,
) -> ExpectedError {
    let errors = &draw(compound, answers, truth, &Simulation::default())[output];
    ExpectedError { case, bias: errors.bias(), rmse: errors.mean_square().sqrt() }
}

impl Errors {
    fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        self.of_points.iter().map(|error| of(*error)).sum::<f64>() / self.of_points.len() as f64
    }

    fn bias(&self) -> f64 {
        self.mean(|error| error)
    }

    fn mean_square(&self) -> f64 {
        self.mean(|error| error * error)
    }

    fn describe(
        mut self,
        value: f64,
        measurement: Option<f64>,
        range: (f64, f64),
        simulation: &Simulation,
    ) -> Estimate {
        let count = self.of_points.len() as f64;
        let (bias, square) = (self.bias(), self.mean_square());
        let fourth = self.mean(|error| error.powi(4));
        let rmse = square.sqrt();
        let rank = (simulation.level * (count + 1.0)).ceil() as usize;
        self.of_raw.sort_by(f64::total_cmp);
        let half = self.of_raw.get(rank.wrapping_sub(1)).copied().unwrap_or(f64::INFINITY);
        let centre = measurement.filter(|_| half.is_finite()).map(|raw| raw.clamp(range.0, range.1));
        let (lower, upper) =
            centre.map_or(range, |centre| ((centre - half).max(range.0), (centre + half).min(range.1)));
        Estimate {
            measurement,
            value,
            lower: lower.min(value),
            upper: upper.max(value),
            bias_at_estimate: bias,
            bias_error: ((square - bias * bias).max(0.0) / count).sqrt(),
            worst_bias: None,
            rmse_at_estimate: rmse,
            // By the delta method on the mean square.
            rmse_error: if rmse > 0.0 {
                ((fourth - square * square).max(0.0) / count).sqrt() / (2.0 * rmse)
            } else {
                0.0
            },
        }
    }
}
