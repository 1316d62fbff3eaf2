//! Expected accuracy of a model, before epsilon is spent: rows and releases of described classes, simulated.

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

use super::{Bayes, Model};
use crate::{
    Scenario, Simulated, Statistic, population::SamplingLaw, second_moments::OnGrid, statistic::measure_public,
};

/// Samples of rows, each with one release.
const RELEASES: u32 = 100;

/// Rows that each release classifies.
const ROWS: usize = 60;

/// Error of simulated shares.
const UNCERTAIN: f64 = 0.02;

/// Points of the law of a sample variance.
const POINTS: usize = 301;

/// The part of the bounds' width that assumed classes have as standard deviation of their rows, and of their means.
const ASSUMED_DEVIATION: f64 = 1.0 / 6.0;

/// The rows of a class as they are expected to be: normal in each feature, and independent. Public, like the plan.
#[derive(Debug, Clone, PartialEq)]
pub struct ClassDistribution {
    /// Number of rows, 1 or more.
    pub rows: f64,
    /// Mean of each feature, before values are clipped.
    pub means: Vec<f64>,
    /// Standard deviation of each feature, before values are clipped; positive.
    pub deviations: Vec<f64>,
}

/// Shares of new rows that are classified correctly, each known to about 0.02.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedAccuracy {
    /// By the released model.
    pub released: f64,
    /// By a model of the same rows without noise.
    pub without_noise: f64,
    /// By always naming the largest class.
    pub guess: f64,
}

impl ExpectedAccuracy {
    /// `true` if the released model has less than a quarter of the gain over a guess that a model without noise has, or
    /// next to nothing.
    pub fn is_useless(&self) -> bool {
        self.released - self.guess < (0.25 * (self.without_noise - self.guess)).max(UNCERTAIN)
    }
}

impl Bayes {
    /// The accuracy to expect for described classes, in the order of the keys.
    ///
    /// # Law
    /// 100 times a sample of each class is drawn (its mean and variance, as those of normal rows clipped to the
    /// bounds), measured with noise, and 60 new rows are classified, of each class as many as its part of all rows.
    /// Seed 0.
    ///
    /// # Panics
    /// Unless there is one class a cell, each with a mean and a deviation for every feature.
    pub fn expected_accuracy(&self, classes: &[ClassDistribution]) -> ExpectedAccuracy {
        assert_eq!(classes.len(), self.sums.cells(), "one description a class");
        average(self, |_| classes.to_vec())
    }

    /// The same for classes of which nothing is described: for each size of a class in the scenario, normal columns
    /// whose deviation is a sixth of the width of their bounds, with class means that scatter as much about the middle,
    /// drawn anew for each release.
    pub fn expected_accuracy_in_scenario(&self, scenario: &Scenario) -> Vec<(f64, ExpectedAccuracy)> {
        let largest = self.rows_range().1 / self.sums.cells() as f64;
        let sizes = scenario.sizes_up_to(largest.floor().max(1.0));
        let at = |rows: f64| (rows, average(self, |entropy| scattered(self, rows, entropy)));
        sizes.into_iter().map(at).collect()
    }
}

/// Accuracies over releases, each of the classes that `classes` draws for it.
fn average(bayes: &Bayes, classes: impl Fn(&mut dyn Entropy) -> Vec<ClassDistribution>) -> ExpectedAccuracy {
    let names: Vec<String> = (0..bayes.sums.cells()).map(|class| class.to_string()).collect();
    let normal = SamplingLaw::normal();
    let mut entropy = SeededEntropy::from_seed(0);
    let (mut released, mut without_noise, mut guess) = (0.0, 0.0, 0.0);
    for _ in 0..RELEASES {
        let classes = classes(&mut entropy);
        let total: f64 = classes.iter().map(|class| class.rows).sum();
        guess = classes.iter().map(|class| class.rows).fold(0.0, f64::max) / total;
        let sample: Vec<f64> = classes.iter().flat_map(|class| sample(bayes, class, &normal, &mut entropy)).collect();
        let new = new_rows(&classes, total, &normal, &mut entropy);
        let measured = measure(bayes, &sample, &mut entropy);
        let measured: Vec<&[i128]> = measured.iter().map(Vec::as_slice).collect();
        released += correct(&bayes.model(&names, &bayes.point(&measured)), &new);
        without_noise += correct(&bayes.model(&names, &sample), &new);
    }
    let releases = f64::from(RELEASES);
    ExpectedAccuracy { released: released / releases, without_noise: without_noise / releases, guess }
}

fn scattered(bayes: &Bayes, rows: f64, entropy: &mut dyn Entropy) -> Vec<ClassDistribution> {
    let normal = SamplingLaw::normal();
    let mut class = || {
        let mut mean = |column: &OnGrid| {
            let (lower, upper) = column.range();
            (column.middle() + normal.draw(entropy) * column.span() * ASSUMED_DEVIATION).clamp(lower, upper)
        };
        ClassDistribution {
            rows,
            means: bayes.features().map(&mut mean).collect(),
            deviations: bayes.features().map(|column| column.span() * ASSUMED_DEVIATION).collect(),
        }
    };
    (0..bayes.sums.cells()).map(|_| class()).collect()
}

/// Means, variances and number of rows of a sample of a class, clipped to the bounds.
fn sample(bayes: &Bayes, class: &ClassDistribution, normal: &SamplingLaw, entropy: &mut dyn Entropy) -> Vec<f64> {
    let rows = class.rows.round().max(1.0);
    // Of a sample of one row the variance is 0, and that of a model must be positive: a row more is the least that has
    // one.
    let degrees = (rows - 1.0).max(1.0);
    let share = SamplingLaw::chi_squared_share(degrees as u64, POINTS);
    let features = || class.means.iter().zip(&class.deviations).zip(bayes.features());
    let clipped: Vec<(f64, f64)> = features()
        .map(|((mean, deviation), column)| {
            let (lower, upper) = column.range();
            let value = |z: f64| (mean + deviation * z).clamp(lower, upper);
            let centre = normal.expect(value);
            // A class beyond its bounds has one value, which still has a place on the grid.
            (centre, normal.expect(|z| (value(z) - centre).powi(2)).max((1e-9 * column.span()).powi(2)))
        })
        .collect();
    let ends = bayes.features().map(OnGrid::range);
    let means: Vec<f64> = clipped
        .iter()
        .zip(ends)
        .map(|((mean, variance), (lower, upper))| {
            (mean + normal.draw(entropy) * (variance / rows).sqrt()).clamp(lower, upper)
        })
        .collect();
    let largest = bayes.features().map(|column| column.span().powi(2) / 4.0);
    let variances: Vec<f64> = clipped
        .iter()
        .zip(largest)
        .map(|((_, variance), largest)| (variance * share.draw(entropy) * degrees / rows).min(largest))
        .collect();
    means.into_iter().chain(variances).chain([rows]).collect()
}

/// Noisy measurements of classes with these outputs.
pub(super) fn measure(bayes: &Bayes, outputs: &[f64], entropy: &mut dyn Entropy) -> Vec<Vec<i128>> {
    measure_public(&bayes.components(), &bayes.answers_at(outputs, &[]), entropy)
}

/// New rows with the places of their classes, of which each has its part.
fn new_rows(
    classes: &[ClassDistribution],
    total: f64,
    normal: &SamplingLaw,
    entropy: &mut dyn Entropy,
) -> Vec<(usize, Vec<f64>)> {
    let mut bound = 0.0;
    let ends: Vec<f64> = classes
        .iter()
        .map(|class| {
            bound += class.rows / total;
            bound
        })
        .collect();
    let start = (entropy.word() >> 11) as f64 / (1u64 << 53) as f64;
    let row = |i: usize| {
        // Evenly spread over the classes laid end to end, from a random start.
        let place = (i as f64 + start) / ROWS as f64;
        let class = ends.partition_point(|end| *end < place).min(classes.len() - 1);
        let described = &classes[class];
        let mut value = |(mean, deviation): (&f64, &f64)| mean + deviation * normal.draw(entropy);
        (class, described.means.iter().zip(&described.deviations).map(&mut value).collect())
    };
    (0..ROWS).map(row).collect()
}

fn correct(model: &Model, rows: &[(usize, Vec<f64>)]) -> f64 {
    let right = |(class, row): &&(usize, Vec<f64>)| {
        model.predict(row).is_ok_and(|predicted| predicted == model.classes[*class].name)
    };
    rows.iter().filter(right).count() as f64 / rows.len() as f64
}
