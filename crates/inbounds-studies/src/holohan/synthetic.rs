//! Gaussian naive Bayes on made-up data sets.

use inbounds_plot::{At, Axis, Figure, Reference, Series};

use super::model::{Features, Split, accuracies, accuracy, learn};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table, draws::Draws, picture::panel,
    statement::holohan as said,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-synthetic",
    paper: Paper::Holohan,
    place: "Example 1.3, synthetic data sets",
    claim: "What naive Bayes does on the irises it does on synthetic data sets too: with bounded (here: conditioned) variances it \
            classifies better than with truncated (here: clamped) ones, whatever the data.",
    statements: &[&said::SYNTHETIC],
    replicates: 6_000,
    compute,
};

const EPSILONS: [f64; 9] = [0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0];
/// Epsilons of the checks.
const CHECKED: [f64; 3] = [1.0, 3.0, 10.0];
const RULES: [&str; 3] = ["clamped, zero variance excludes the class", "clamped, smoothed", "conditioned"];

/// A made-up population of three classes.
struct Population {
    name: &'static str,
    /// Rows to learn from, a class.
    rows: [usize; 3],
    /// One feature of a row of a class.
    draw: fn(&mut Draws, usize, usize) -> f64,
}

/// A normal feature, its mean by class and feature.
fn normal(draws: &mut Draws, class: usize, feature: usize) -> f64 {
    let centre = 3.0 + 2.0 * class as f64 * if feature.is_multiple_of(2) { 1.0 } else { 0.5 };
    centre + 0.7 * draws.normal()
}

/// Uniform features, on intervals that overlap.
fn uniform(draws: &mut Draws, class: usize, feature: usize) -> f64 {
    1.0 + 2.0 * ((class + feature) % 3) as f64 + 3.0 * draws.uniform()
}

/// Skewed features: exponentials of different means.
fn skewed(draws: &mut Draws, class: usize, feature: usize) -> f64 {
    -libm::log(draws.uniform()) * (0.4 + 0.8 * ((class + feature) % 3) as f64)
}

const POPULATIONS: [Population; 4] = [
    Population { name: "normal, 40 a class", rows: [40; 3], draw: normal },
    Population { name: "normal, 400 a class", rows: [400; 3], draw: normal },
    Population { name: "uniform, 100 a class", rows: [100; 3], draw: uniform },
    Population { name: "skewed, 50, 100 and 200 a class", rows: [50, 100, 200], draw: skewed },
];

impl Population {
    /// A data set, the same for the same seed; a fifth as many rows to tell as to learn from. Features lie in `[0,
    /// 10]`.
    fn split(&self, seed: u64) -> Split {
        let mut draws = Draws::from_seed(seed);
        let mut row = |class: usize| -> Features {
            std::array::from_fn(|feature| (self.draw)(&mut draws, class, feature).clamp(0.0, 10.0))
        };
        let train = std::array::from_fn(|class| (0..self.rows[class]).map(|_| row(class)).collect());
        let told = |class: usize| (0..self.rows[class] / 4).map(move |_| class);
        let test = (0..3).flat_map(told).map(|class| (row(class), class)).collect();
        Split { train, test, bounds: [(0.0, 10.0); 4] }
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("accuracy", ["data", "epsilon", "variances", "accuracy", "standard_error"]);
    let (mut checks, mut panels) = (Vec::new(), Vec::new());
    for (index, population) in POPULATIONS.iter().enumerate() {
        let split = population.split(context.seed.wrapping_add(index as u64));
        let accuracies = accuracies(context, population.name, &split, &EPSILONS)?;
        let mut lines = RULES.map(|_| Vec::new());
        for (epsilon, means) in EPSILONS.into_iter().zip(&accuracies) {
            for ((rule, mean), line) in RULES.into_iter().zip(means).zip(&mut lines) {
                let name = population.name.into();
                table.push([name, epsilon.into(), rule.into(), mean.value().into(), mean.error().into()]);
                line.push((epsilon, mean.value()));
            }
            if CHECKED.contains(&epsilon) {
                for (rule, better) in ["zero variance excludes", "smoothed"].into_iter().zip(&means[4..]) {
                    let name = population.name;
                    let quantity = format!("{name}: accuracy conditioned less clamped ({rule}), epsilon {epsilon}");
                    let positive = Claim::Above(0.0);
                    checks.push(Check::reproduced(
                        &said::SYNTHETIC,
                        quantity,
                        positive,
                        better.value(),
                        better.error(),
                    ));
                }
            }
        }
        let series = RULES.into_iter().zip(lines).map(|(name, points)| Series::line(name, points)).collect();
        let axes = (Axis::log("epsilon"), Axis::linear("mean accuracy"));
        let mut panel = panel(population.name, axes.0, axes.1, series);
        let baseline = accuracy(&learn(&split), &split);
        panel.references.push(Reference { at: At::Y(baseline), label: "without noise".to_owned() });
        panels.push(panel);
    }
    let figure = Figure { columns: 2, ..Figure::row("Naive Bayes on made-up data", panels) };
    let prose = "The paper does not say which data sets it made up. On four of ours, normal, uniform and skewed, conditioned variances \
                 classify better than clamped ones from epsilon 1 to 10, as on the irises. With 400 rows a class the two are even from 30 on: \
                 how far the range goes depends on the number of rows."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}
