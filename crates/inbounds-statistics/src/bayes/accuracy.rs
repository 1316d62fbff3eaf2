//! What a model will be worth, before epsilon is spent: releases and rows of supposed classes, simulated.

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

use super::{Bayes, Model};
use crate::{compound::Compound, population::SamplingLaw, second_moments::OnGrid};

/// Releases that are simulated.
const RELEASES: usize = 40;

/// Rows that each of them classifies.
const ROWS: usize = 150;

/// The share of rows that a model classifies correctly, for supposed classes; each known to about 0.02.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedAccuracy {
    /// Number of classes.
    pub classes: usize,
    /// Rows of each class.
    pub rows: f64,
    /// The released model.
    pub released: f64,
    /// A model without noise.
    pub without_noise: f64,
    /// Always naming one class.
    pub guess: f64,
}

impl ExpectedAccuracy {
    /// Whether the released model has less than a quarter of what a model without noise gains over a guess.
    pub fn is_useless(&self) -> bool {
        self.released - self.guess < 0.25 * (self.without_noise - self.guess)
    }
}

/// For classes of 100 and of 10,000 rows of normal columns, whose deviation in a class is a sixth of the width of their bounds, as is that of
/// the classes' means about the middle.
pub(super) fn expected(bayes: &Bayes) -> Vec<ExpectedAccuracy> {
    [100.0, 10_000.0].map(|rows: f64| at(bayes, rows.min(bayes.rows_range().1 / bayes.sums.cells as f64))).into()
}

fn at(bayes: &Bayes, rows: f64) -> ExpectedAccuracy {
    let classes = bayes.sums.cells;
    let names: Vec<String> = (0..classes).map(|class| class.to_string()).collect();
    let mut entropy = SeededEntropy::from_seed(0);
    let truth: Vec<f64> = (0..classes).flat_map(|_| outputs(bayes, rows, &mut entropy)).collect();
    let ideal = bayes.model(&names, &truth);
    let new = draw(&ideal, &mut entropy);
    let answers = bayes.answers_at(&truth, &[]);
    let mut released = 0.0;
    for _ in 0..RELEASES {
        let components = bayes.components().into_iter().zip(&answers);
        let drawn: Vec<Vec<i128>> =
            components.map(|(component, answers)| component.mechanism.measure(answers, &mut entropy)).collect();
        let drawn: Vec<&[i128]> = drawn.iter().map(Vec::as_slice).collect();
        released += correct(&bayes.model(&names, &bayes.point(&drawn)), &new) / RELEASES as f64;
    }
    ExpectedAccuracy { classes, rows, released, without_noise: correct(&ideal, &new), guess: 1.0 / classes as f64 }
}

/// Means, variances and rows of a supposed class.
fn outputs(bayes: &Bayes, rows: f64, entropy: &mut dyn Entropy) -> Vec<f64> {
    let normal = SamplingLaw::normal();
    let mut mean = |column: &OnGrid| {
        let (lower, upper) = column.range();
        (column.middle() + normal.draw(entropy) * column.span() / 6.0).clamp(lower, upper)
    };
    let means: Vec<f64> = bayes.features().map(&mut mean).collect();
    let variances = bayes.features().map(|column| (column.span() / 6.0).powi(2));
    means.into_iter().chain(variances).chain([rows.floor().max(1.0)]).collect()
}

/// Rows of a model, class by class in turn.
fn draw(model: &Model, entropy: &mut dyn Entropy) -> Vec<(usize, Vec<f64>)> {
    let normal = SamplingLaw::normal();
    let mut row = |i: usize| {
        let class = i % model.classes.len();
        let described = &model.classes[class];
        let mut value = |(mean, variance): (&f64, &f64)| mean + normal.draw(entropy) * variance.sqrt();
        (class, described.means.iter().zip(&described.variances).map(&mut value).collect())
    };
    (0..ROWS).map(&mut row).collect()
}

fn correct(model: &Model, rows: &[(usize, Vec<f64>)]) -> f64 {
    let right = |(class, row): &&(usize, Vec<f64>)| {
        model.predict(row).is_ok_and(|predicted| predicted == model.classes[*class].name)
    };
    rows.iter().filter(right).count() as f64 / rows.len() as f64
}
