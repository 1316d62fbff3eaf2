//! Mean and variance of a population, from a private number of rows, by a parametric bootstrap.

use inbounds_core::monte_carlo;
use inbounds_mechanisms::{mechanism::Measurements, sampler::SeededEntropy};

use super::{Interval, interval::check, sampling::SamplingLaw};
use crate::{Simulated, StatisticError, statistic::measure_public};

/// Number of samples that are drawn and measured again.
const REPLICATES: usize = 400;

/// Intervals for the population's variance and mean, `[variance, mean]` for each cell, from a
/// [`PrivateRows`](crate::variance::PrivateRows), which measures both with the number of rows.
///
/// # Law
/// With the estimated mean and number of rows as truth, and as variance the upper end of the variance's own interval,
/// so that a variance estimated too small does not feign precision, a normal sample is drawn and measured 400 times. An
/// interval reaches from the raw value, moved into the range, to both sides by that absolute error of the new raw
/// values whose rank is `ceil(401 level)`; it is cut to the range, and is the range where a raw value is missing.
///
/// # Guarantee
/// Coverage about `level` for normal populations; tests state it. It is a bootstrap: no theorem stands
/// behind it for few rows or little epsilon.
///
/// # Errors
/// [`StatisticError::Core`] unless `0 < level < 1`.
pub(crate) fn private_rows(
    statistic: &impl Simulated,
    measured: &[Measurements],
    level: f64,
    seed: u64,
) -> Result<Vec<[Interval; 2]>, StatisticError> {
    check("variance", 2, level)?;
    let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
    let (raw, ranges) = (statistic.raw(&steps), statistic.ranges());
    let mut truth = statistic.point(&steps);
    for (index, estimate) in statistic.estimate(measured, level, seed).iter().enumerate().step_by(3) {
        truth[index] = estimate.upper;
    }
    let errors = errors_around(statistic, &truth, seed);
    let rank = monte_carlo::rank(level, REPLICATES);
    let interval = |index: usize| {
        let range = ranges[index % 3];
        let half = rank.map_or(f64::INFINITY, |rank| errors[index][rank - 1]);
        let centre = raw[index].filter(|_| half.is_finite()).map(|raw| raw.clamp(range.0, range.1));
        let ends = |centre: f64| ((centre - half).max(range.0), (centre + half).min(range.1));
        let (lower, upper) = centre.map_or(range, ends);
        Interval { lower, upper }
    };
    Ok((0..statistic.cells()).map(|cell| [interval(3 * cell), interval(3 * cell + 1)]).collect())
}

/// Sorted absolute errors of raw values of samples from the population of each cell.
fn errors_around(statistic: &impl Simulated, truth: &[f64], seed: u64) -> Vec<Vec<f64>> {
    let normal = SamplingLaw::normal();
    let shares: Vec<SamplingLaw> =
        truth.chunks(3).map(|cell| SamplingLaw::chi_squared_share((cell[2].max(2.0) - 1.0) as u64, 301)).collect();
    let mut entropy = SeededEntropy::from_seed(seed);
    let mut errors = vec![Vec::with_capacity(REPLICATES); truth.len()];
    for _ in 0..REPLICATES {
        let mut sample = truth.to_vec();
        for (cell, share) in sample.chunks_mut(3).zip(&shares) {
            let rows = cell[2].max(2.0);
            cell[1] += normal.draw(&mut entropy) * (cell[0] / rows).sqrt();
            // The divisor is the number of rows.
            cell[0] *= share.draw(&mut entropy) * (rows - 1.0) / rows;
        }
        let answers = statistic.answers_at(&sample, &[]);
        let drawn = measure_public(&statistic.components(), &answers, &mut entropy);
        let again = statistic.raw(&drawn.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for ((errors, raw), truth) in errors.iter_mut().zip(again).zip(truth) {
            errors.push(raw.map_or(f64::INFINITY, |raw| (raw - truth).abs()));
        }
    }
    errors.iter_mut().for_each(|errors| errors.sort_by(f64::total_cmp));
    errors
}
