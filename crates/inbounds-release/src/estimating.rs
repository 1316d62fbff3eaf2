//! Estimates of all statistics, several at a time.
//!
//! The time of a statistic of cells is that of its errors, which one thread computes, by simulation or quadrature;
//! levels and margins divide their replicates among all threads by themselves. So the former go first, each on one
//! thread, and the latter follow one by one. Seeds are drawn in plan order before either, so the numbers do not depend
//! on the number of threads.

use inbounds_mechanisms::{
    mechanism::Measurements,
    sampler::{Entropy, SeededEntropy},
};
use inbounds_statistics::{ExpectedError, population::Interval};

use crate::{
    assumed_rows::AssumedRows,
    estimated::Estimated,
    notices,
    prepared_statistic::{CalibratedStatistic, PreparedStatistic},
    progress::{Progress, Silent, Step},
    released::Released,
    threads::on_threads,
};

/// Estimates in plan order. The rounding seed is published, so that anyone can redo them from the measurements.
pub(crate) fn estimate_all(
    measured: Vec<(PreparedStatistic, Vec<Measurements>)>,
    rounding_seed: u64,
    progress: &dyn Progress,
) -> Vec<Released> {
    progress.begin(Step::Solving);
    let mut seeds = SeededEntropy::from_seed(rounding_seed);
    let pending: Vec<Pending> = measured.into_iter().map(|measured| Pending::new(measured, &mut seeds)).collect();
    let of_cells = on_threads(&pending, |pending| match pending.task.prepared {
        CalibratedStatistic::Cells(_) | CalibratedStatistic::Learned(_) => Some(pending.results(&Silent)),
        CalibratedStatistic::Levels(_) => None,
    });
    let all = pending.into_iter().zip(of_cells);
    all.map(|(pending, results)| {
        let results = results.unwrap_or_else(|| pending.results(progress));
        pending.released(results)
    })
    .collect()
}

/// A statistic with measurements and without estimates.
struct Pending {
    task: PreparedStatistic,
    measured: Vec<Measurements>,
    /// For what is rounded and simulated.
    seed: u64,
    /// For its intervals for the population, if the plan asks for them.
    population_seed: Option<u64>,
}

/// Results of its measurements, and their expected errors.
struct Results {
    estimated: Estimated,
    population: Vec<Option<Interval>>,
    expected: Vec<ExpectedError>,
    worst_bias: Option<f64>,
}

impl Pending {
    fn new((task, measured): (PreparedStatistic, Vec<Measurements>), seeds: &mut SeededEntropy) -> Self {
        let seed = seeds.word();
        let population_seed = task.population.then(|| seeds.word());
        Self { task, measured, seed, population_seed }
    }

    fn results(&self, progress: &dyn Progress) -> Results {
        let PreparedStatistic { prepared, coverage, .. } = &self.task;
        let mut estimated = prepared.estimate_watched(&self.measured, *coverage, self.seed, progress);
        let steps: Vec<&[i128]> = self.measured.iter().map(Measurements::steps).collect();
        estimated.notices.extend(notices::of_estimates(&estimated.estimates, &prepared.ends()));
        estimated.notices.extend(notices::of_doubts(prepared.doubts(&steps)));
        let population = self.population_seed.map_or_else(Vec::new, |seed| {
            let intervals = prepared.population_intervals(&self.measured, self.task.level_of_number(), seed);
            intervals.expect("what has no interval was refused before rows were read")
        });
        let scenario = AssumedRows::Usual.for_task(&self.task);
        let expected = [self.task.errors_expected(&scenario), prepared.worst_cases(&scenario)].concat();
        Results { estimated, population, expected, worst_bias: prepared.worst_bias() }
    }

    fn released(self, results: Results) -> Released {
        let Self { task, measured, .. } = self;
        let Results { estimated: Estimated { estimates, projection, notices }, population, expected, worst_bias } =
            results;
        Released { task, measured, estimates, projection, rounded: None, population, expected, worst_bias, notices }
    }
}
