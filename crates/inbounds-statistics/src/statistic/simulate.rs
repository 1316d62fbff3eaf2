//! Bias, error and intervals by drawing the noise again around public estimates.

use inbounds_core::monte_carlo;
use inbounds_mechanisms::{
    mechanism::{Measurements, Together},
    sampler::SeededEntropy,
};

use super::{Component, Simulated, measure_public};
use crate::{Estimate, ExpectedError, PossibleEstimate};

/// Settings of a simulation of errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulation {
    /// Level of the intervals, between 0 and 1.
    pub level: f64,
    /// Number of fresh draws of the noise.
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

/// Draws of which the largest errors are beyond the half width of an interval, at the least.
const BEYOND: f64 = 5.0;

impl Simulation {
    /// Most draws that are made for intervals: a smaller chance of a miss than [`Simulation::LEAST_MISS`] is not told.
    const MOST: usize = 100_000;

    /// The smallest chance of a miss for which there are enough draws.
    pub const LEAST_MISS: f64 = BEYOND / Self::MOST as f64;

    /// For intervals of a level: 400 draws, or as many as leave five of them beyond the half width.
    ///
    /// ```
    /// use inbounds_statistics::Simulation;
    /// let draws = |level: f64| Simulation::at(level, 1).replicates;
    /// assert_eq!([0.9, 0.95, 0.99, 0.9999].map(draws), [400, 400, 500, 50_000]);
    /// ```
    pub fn at(level: f64, seed: u64) -> Self {
        let usual = Self::default();
        let enough = libm::ceil(BEYOND / (1.0 - level) * (1.0 - 1e-9)) as usize;
        Self { level, seed, replicates: enough.clamp(usual.replicates, Self::MOST) }
    }

    /// Number of largest absolute errors of raw values to keep for the half width of an interval, which is the smallest
    /// of them. Zero where the replicates are too few for the level.
    fn kept(&self) -> usize {
        monte_carlo::rank(self.level, self.replicates).map_or(0, |rank| self.replicates + 1 - rank)
    }
}

/// The errors of one output in all replicates, as sums and the few largest: outputs may be too many to store them all.
#[derive(Debug, Clone, Default)]
struct Errors {
    count: f64,
    /// Sums of the first, second and fourth powers of the errors of points.
    powers: [f64; 3],
    /// The largest absolute errors of raw values, ascending.
    of_raw: Vec<f64>,
}

/// Estimates with errors from a parametric bootstrap.
///
/// # Law
/// The estimates are taken as the truth, or a better guess if the statistic has one ([`Simulated::reference`]). Noise
/// is drawn `replicates` times and estimates are made again; bias and RMSE are those of the new estimates, with their
/// Monte Carlo standard errors. The half width of an interval is the `ceil(level (replicates + 1))`-th smallest
/// absolute error of the new raw values. The interval is centred on the raw value, moved into the range, and is cut to
/// the range; it is the whole range if there is no raw value or if the rank exceeds the number of replicates.
pub fn simulate<C: Simulated + ?Sized>(
    compound: &C,
    measured: &[Measurements],
    simulation: &Simulation,
) -> Vec<Estimate> {
    let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
    let (raw, point, truth) = (compound.raw(&steps), compound.point(&steps), compound.reference(&steps));
    let answers = compound.answers_at(&truth, &steps);
    let ranges = compound.ranges();
    let outputs = ranges.len();
    let drawn = draw(compound, &[Case { answers, truth }], simulation, simulation.kept());
    let errors = drawn.into_iter().flatten().enumerate();
    errors.map(|(index, errors)| errors.describe(point[index], raw[index], ranges[index % outputs])).collect()
}

/// Bias and RMSE of each output if the outputs of every cell were one of `truths`, for each of them.
///
/// The noise is drawn for 2000 cells or more, so that an RMSE is known to about 2 %.
pub(crate) fn expected<C: Simulated + ?Sized>(compound: &C, truths: &[Vec<f64>]) -> Vec<Vec<(f64, f64)>> {
    let cells = compound.cells();
    let simulation = Simulation { replicates: 2000usize.div_ceil(cells), ..Simulation::default() };
    let everywhere = |truth: &Vec<f64>| Case::at_truth(compound, truth.repeat(cells));
    let drawn = draw(compound, &truths.iter().map(everywhere).collect::<Vec<_>>(), &simulation, 0);
    drawn.iter().zip(truths).map(|(drawn, truth)| together(drawn, truth.len())).collect()
}

/// Bias and RMSE of each output over all cells.
fn together(drawn: &[Errors], outputs: usize) -> Vec<(f64, f64)> {
    let of_output = |output: usize| {
        let sum = |quantity: fn(&Errors) -> f64| drawn.iter().skip(output).step_by(outputs).map(quantity).sum::<f64>();
        let count = sum(|errors| errors.count);
        (sum(|errors| errors.powers[0]) / count, (sum(|errors| errors.powers[1]) / count).sqrt())
    };
    (0..outputs).map(of_output).collect()
}

/// Bias and RMSE of the one output if every cell had these answers, one a component, and the output were the number
/// beside them, for each of some answers, from 2000 cells.
pub(crate) fn errors_of_cells<C: Simulated + ?Sized>(
    compound: &C,
    cells: impl Iterator<Item = (Vec<i128>, f64)>,
) -> Vec<(f64, f64)> {
    const CELLS: usize = 50;
    let case = |(answers, truth): (Vec<i128>, f64)| Case {
        answers: answers.into_iter().map(|answer| vec![answer; CELLS]).collect(),
        truth: vec![truth; CELLS],
    };
    let simulation = Simulation { replicates: 2000 / CELLS, ..Simulation::default() };
    let drawn = draw(compound, &cells.map(case).collect::<Vec<_>>(), &simulation, 0);
    drawn.iter().map(|drawn| together(drawn, 1)[0]).collect()
}

/// Bias and RMSE of each output of every cell if the outputs of all cells were one of `truths`, for each of them.
pub(crate) fn errors_at<C: Simulated + ?Sized>(
    compound: &C,
    truths: Vec<Vec<f64>>,
    simulation: &Simulation,
) -> Vec<Vec<(f64, f64)>> {
    let cases: Vec<Case> = truths.into_iter().map(|truth| Case::at_truth(compound, truth)).collect();
    errors_in(compound, &cases, simulation)
}

/// Bias and RMSE of each output of every cell in each of some cases.
pub(crate) fn errors_in<C: Simulated + ?Sized>(
    compound: &C,
    cases: &[Case],
    simulation: &Simulation,
) -> Vec<Vec<(f64, f64)>> {
    let drawn = draw(compound, cases, simulation, 0);
    drawn.iter().map(|of_case| of_case.iter().map(|errors| (errors.bias().0, errors.rmse().0)).collect()).collect()
}

/// Noisy answers of a case, as often as asked, and what is made of each.
///
/// From draws with seed 0: they describe the mechanism.
pub(crate) fn redrawn<C: Simulated + ?Sized, T>(
    compound: &C,
    case: &Case,
    draws: usize,
    mut made: impl FnMut(&[&[i128]]) -> T,
) -> Vec<T> {
    let simulation = Simulation { replicates: draws, ..Simulation::default() };
    let mut noise = Noise::new(compound, std::slice::from_ref(case), &simulation);
    let one = |replicate| {
        noise.draw(replicate);
        made(&noise.around(0, &case.answers))
    };
    (0..draws).map(one).collect()
}

/// Estimates of the first output of the first cell in a case. Their intervals would take draws of their own.
pub(crate) fn redrawn_points<C: Simulated + ?Sized>(compound: &C, case: &Case, draws: usize) -> Vec<PossibleEstimate> {
    redrawn(compound, case, draws, |noisy| PossibleEstimate { value: compound.point(noisy)[0], interval: None })
}

/// Scenario for all cells.
pub(crate) struct Case {
    /// The exact answers, one vector a component.
    pub(crate) answers: Vec<Vec<i128>>,
    /// The true outputs.
    pub(crate) truth: Vec<f64>,
}

impl Case {
    pub(crate) fn at_truth<C: Simulated + ?Sized>(compound: &C, truth: Vec<f64>) -> Self {
        Self { answers: compound.answers_at(&truth, &[]), truth }
    }
}

/// Errors of estimates that are made from noisy answers, as distances from the truth, cell by cell, in each case; of
/// raw values the `kept` largest.
///
/// All cases have the same noise.
fn draw<C: Simulated + ?Sized>(compound: &C, cases: &[Case], simulation: &Simulation, kept: usize) -> Vec<Vec<Errors>> {
    let mut noise = Noise::new(compound, cases, simulation);
    let mut errors: Vec<Vec<Errors>> = cases.iter().map(|case| vec![Errors::default(); case.truth.len()]).collect();
    for replicate in 0..simulation.replicates {
        noise.draw(replicate);
        for (place, (case, errors)) in cases.iter().zip(&mut errors).enumerate() {
            let drawn = noise.around(place, &case.answers);
            let points = compound.point(&drawn);
            for ((errors, truth), again) in errors.iter_mut().zip(&case.truth).zip(points) {
                errors.note(again - truth);
            }
            // Estimates may take long to make: raw values are only made where they are read.
            let raw = if kept > 0 { compound.raw(&drawn) } else { Vec::new() };
            for ((errors, truth), raw) in errors.iter_mut().zip(&case.truth).zip(raw) {
                errors.keep(raw.map_or(f64::INFINITY, |raw| (raw - truth).abs()), kept);
            }
        }
    }
    errors
}

/// The noise of one replicate after the other, around the answers of several cases.
struct Noise<'a> {
    components: Vec<&'a Component>,
    /// Draws for all statistics with the same vector: of each component, replicate after replicate.
    shared: Option<Vec<Vec<i128>>>,
    /// One for all cases, or one each where what is drawn depends on the answers.
    entropies: Vec<SeededEntropy>,
    /// Noise around zeros, where it does not depend on the answers.
    added: Option<Vec<Vec<i128>>>,
    /// Noisy answers of a case.
    noisy: Vec<Vec<i128>>,
}

impl<'a> Noise<'a> {
    fn new<C: Simulated + ?Sized>(compound: &'a C, cases: &[Case], simulation: &Simulation) -> Self {
        let components = compound.components();
        let is_added = components.iter().all(|component| component.mechanism.adds_noise());
        let entropies = if is_added { 1 } else { cases.len() };
        let entropies = (0..entropies).map(|_| SeededEntropy::from_seed(simulation.seed)).collect();
        let zeros = cases.first().filter(|_| is_added);
        let zeros: Option<Vec<Vec<i128>>> =
            zeros.map(|case| case.answers.iter().map(|answers| vec![0; answers.len()]).collect());
        let cells = zeros.as_ref().and_then(|zeros| zeros.first()).map_or(0, Vec::len);
        let law = components.first().and_then(|component| component.mechanism.noise().as_cube());
        let vector = compound.vector().zip(law).filter(|_| simulation.seed == 0);
        let drawn = vector.and_then(|(vector, law)| vector.drawn((simulation.replicates, cells), law));
        let coordinates: Vec<_> = components.iter().map(|component| component.mechanism.clone()).collect();
        let shared = drawn.map(|vectors| Together::noise_of(&coordinates, &vectors));
        Self { components, shared, entropies, added: zeros.clone(), noisy: zeros.unwrap_or_default() }
    }

    /// Draws the noise that all cases have, in their order.
    fn draw(&mut self, replicate: usize) {
        let Some(added) = &mut self.added else { return };
        let Some(shared) = &self.shared else {
            added.iter_mut().for_each(|noise| noise.fill(0));
            *added = measure_public(&self.components, added, &mut self.entropies[0]);
            return;
        };
        for (noise, drawn) in added.iter_mut().zip(shared) {
            let cells = noise.len();
            noise.copy_from_slice(&drawn[replicate * cells..][..cells]);
        }
    }

    /// Noisy answers of a case.
    fn around(&mut self, case: usize, answers: &[Vec<i128>]) -> Vec<&[i128]> {
        match &self.added {
            None => self.noisy = measure_public(&self.components, answers, &mut self.entropies[case]),
            Some(added) => {
                for ((noisy, noise), answers) in self.noisy.iter_mut().zip(added).zip(answers) {
                    let sums = noisy.iter_mut().zip(noise).zip(answers);
                    sums.for_each(|((noisy, noise), answer)| *noisy = noise + answer);
                }
            }
        }
        self.noisy.iter().map(Vec::as_slice).collect()
    }
}

/// The expected errors of one output in each of some cases.
///
/// From draws with seed 0. It describes the mechanism, before anything is measured.
pub(crate) fn expect<C: Simulated + ?Sized>(
    compound: &C,
    cases: &[Case],
    outputs: &[(String, usize, usize)],
    replicates: usize,
) -> Vec<ExpectedError> {
    let drawn = draw(compound, cases, &Simulation { replicates, ..Simulation::default() }, 0);
    let error = |(name, case, output): &(String, usize, usize)| {
        let errors = &drawn[*case][*output];
        ExpectedError { case: name.clone(), bias: errors.bias().0, rmse: errors.rmse().0, half_width: None }
    };
    outputs.iter().map(error).collect()
}

impl Errors {
    /// Counts the error of a point.
    fn note(&mut self, error: f64) {
        self.count += 1.0;
        self.powers[0] += error;
        self.powers[1] += error * error;
        self.powers[2] += error.powi(4);
    }

    /// Keeps the absolute error of a raw value if it is among the `kept` largest.
    fn keep(&mut self, error: f64, kept: usize) {
        let place = self.of_raw.partition_point(|other| other.total_cmp(&error).is_lt());
        if self.of_raw.len() < kept {
            self.of_raw.insert(place, error);
        } else if place > 0 {
            self.of_raw.copy_within(1..place, 0);
            self.of_raw[place - 1] = error;
        }
    }

    /// Mean error and its Monte Carlo standard error.
    fn bias(&self) -> (f64, f64) {
        monte_carlo::mean_and_error(self.powers[0], self.powers[1], self.count)
    }

    /// Root mean square error and its Monte Carlo standard error.
    fn rmse(&self) -> (f64, f64) {
        monte_carlo::root_mean_square(self.powers[1], self.powers[2], self.count)
    }

    fn describe(self, value: f64, measurement: Option<f64>, range: (f64, f64)) -> Estimate {
        let ((bias, bias_error), (rmse, rmse_error)) = (self.bias(), self.rmse());
        let half = self.of_raw.first().copied().unwrap_or(f64::INFINITY);
        let centre = measurement.filter(|_| half.is_finite()).map(|raw| raw.clamp(range.0, range.1));
        let (lower, upper) =
            centre.map_or(range, |centre| ((centre - half).max(range.0), (centre + half).min(range.1)));
        Estimate {
            measurement,
            value,
            lower: lower.min(value),
            upper: upper.max(value),
            bias_at_estimate: bias,
            bias_error,
            bias_over_interval: None,
            worst_bias: None,
            rmse_at_estimate: rmse,
            rmse_over_interval: None,
            rmse_error,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard error of a bias has the divisor `n - 1`, as everywhere: of the errors 1, 2, 3 and 6 it is
    /// `sqrt(14 / 12)`.
    #[test]
    fn the_error_of_a_bias_is_that_of_a_sample_mean() {
        let mut errors = Errors::default();
        [1.0, 2.0, 3.0, 6.0].iter().for_each(|error| errors.note(*error));
        let estimate = errors.describe(0.0, None, (0.0, 1.0));
        assert_eq!(estimate.bias_at_estimate, 3.0);
        assert!((estimate.bias_error - (14.0f64 / 12.0).sqrt()).abs() < 1e-15, "{}", estimate.bias_error);
    }

    /// The least of the largest errors is the error of the rank, in whatever order they come.
    #[test]
    fn kept_errors_end_at_the_rank() {
        for (level, replicates) in [(0.95, 400), (0.5, 7), (0.01, 9), (0.95, 19), (0.95, 18)] {
            let simulation = Simulation { level, replicates, seed: 0 };
            let mut errors = Errors::default();
            let values: Vec<f64> = (0..replicates).map(|i| (i * 37 % 401 / 2) as f64).collect();
            values.iter().for_each(|value| errors.keep(*value, simulation.kept()));
            let mut sorted = values;
            sorted.sort_by(f64::total_cmp);
            let of_rank = monte_carlo::rank(level, replicates).and_then(|rank| sorted.get(rank - 1));
            assert_eq!(errors.of_raw.first(), of_rank, "{level} {replicates}");
            assert_eq!(errors.of_raw.len(), simulation.kept());
        }
    }
}
