//! Gaussian naive Bayes with noisy means and variances: three classes, four features.

use inbounds_mechanisms::{
    bounding::{Clamped, Conditioned, Range},
    calibrate::{continuous_conditioned_loss, continuous_conditioned_scale},
    law::Laplace,
};

use crate::{
    Context, StudyError,
    draws::Draws,
    monte_carlo::{Mean, simulate},
    published_scale,
};

/// Four measurements.
pub(super) type Features = [f64; 4];

/// Rows to learn from, by class, rows to tell, with their class, and public bounds of the features.
pub(super) struct Split {
    pub(super) train: [Vec<Features>; 3],
    pub(super) test: Vec<(Features, usize)>,
    pub(super) bounds: [(f64, f64); 4],
}

/// Largest variance that is told from others: the domain is `[0, 1e10]`.
const CEILING: f64 = 1e10;

/// Measurements of one feature in one class.
pub(super) struct Cell {
    mean: f64,
    pub(super) variance: f64,
    mean_noise: Laplace,
    pub(super) clamped: Clamped<Laplace>,
    conditioned: Conditioned<Laplace>,
    published: Conditioned<Laplace>,
    /// Largest change of the variance, and the scale of plain noise for that.
    change: f64,
    clamped_scale: f64,
}

/// Mean and variance of each feature in each class.
pub(super) type Model = [[(f64, f64); 4]; 3];

/// Mean and variance of each feature, the divisor of the variance the number of flowers.
pub(super) fn moments(flowers: &[Features]) -> [(f64, f64); 4] {
    let count = flowers.len() as f64;
    std::array::from_fn(|feature| {
        let values = || flowers.iter().map(|flower| flower[feature]);
        let mean = values().sum::<f64>() / count;
        (mean, values().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count)
    })
}

pub(super) fn learn(split: &Split) -> Model {
    std::array::from_fn(|class| moments(&split.train[class]))
}

/// An eighth of epsilon for each mean and variance of a class; the classes are disjoint.
///
/// The mean of `n` values within a width `R` changes by at most `R / n` when one is replaced, their variance by
/// `(n - 1) R^2 / n^2`.
pub(super) fn cells(split: &Split, exact: &Model, epsilon: f64) -> Result<Vec<Cell>, StudyError> {
    let (share, range) = (epsilon / 8.0, Range::new(0.0, CEILING)?);
    let mut cells = Vec::new();
    for (flowers, row) in split.train.iter().zip(exact) {
        let count = flowers.len() as f64;
        for (&(mean, variance), (low, high)) in row.iter().zip(split.bounds) {
            let width = high - low;
            let change = (count - 1.0) * width * width / (count * count);
            let least = continuous_conditioned_scale(share, change, CEILING);
            cells.push(Cell {
                mean,
                variance,
                mean_noise: Laplace::with_scale(width / count / share)?,
                clamped: Clamped::new(Laplace::with_scale(change / share)?, range),
                conditioned: Conditioned::new(Laplace::with_scale(least)?, range),
                published: published_scale::conditioned(share, change, range)?,
                change,
                clamped_scale: change / share,
            });
        }
    }
    Ok(cells)
}

impl Cell {
    /// Loss that conditioning at the scale of plain noise spends on the variance, as a multiple of the granted loss.
    pub(super) fn published_loss(&self) -> f64 {
        let scale = self.clamped_scale;
        continuous_conditioned_loss(scale, self.change, CEILING) * scale / self.change
    }
}

/// The constant that scikit-learn adds to variances: a billionth of the largest over all rows.
fn smoothing(split: &Split) -> f64 {
    1e-9 * moments(&split.train.concat()).iter().map(|(_, variance)| *variance).fold(0.0, f64::max)
}

/// Noisy models from the same draws: clamped, clamped and smoothed, conditioned, conditioned at the published scale.
fn noisy(cells: &[Cell], smoothing: f64, draws: &mut Draws) -> [Model; 4] {
    let mut models = [[[(0.0, 0.0); 4]; 3]; 4];
    for (index, cell) in cells.iter().enumerate() {
        let mean = cell.mean + draws.laplace(&cell.mean_noise);
        let uniform = draws.uniform();
        let clamped = cell.clamped.quantile(uniform, cell.variance);
        let variances = [
            clamped,
            clamped + smoothing,
            cell.conditioned.quantile(uniform, cell.variance),
            cell.published.quantile(uniform, cell.variance),
        ];
        for (model, variance) in models.iter_mut().zip(variances) {
            model[index / 4][index % 4] = (mean, variance);
        }
    }
    models
}

/// Share of flowers whose species the model tells; a class with a variance of zero is never chosen, and the first of
/// the likeliest classes is.
pub(super) fn accuracy(model: &Model, split: &Split) -> f64 {
    let total: f64 = split.train.iter().map(|flowers| flowers.len() as f64).sum();
    let constant: [f64; 3] = std::array::from_fn(|class| {
        let logs = model[class].iter().map(|(_, variance)| -0.5 * libm::log(*variance));
        libm::log(split.train[class].len() as f64 / total) + logs.sum::<f64>()
    });
    let told = |flower: &Features| {
        let mut best = (0, f64::NEG_INFINITY);
        for class in 0..3 {
            let cells = model[class].iter().zip(flower);
            let distance: f64 = cells.map(|((mean, variance), x)| (x - mean) * (x - mean) / variance).sum();
            let excluded = model[class].iter().any(|(_, variance)| *variance == 0.0);
            let likelihood = if excluded { f64::NEG_INFINITY } else { constant[class] - 0.5 * distance };
            if likelihood > best.1 {
                best = (class, likelihood);
            }
        }
        best.0
    };
    let right = split.test.iter().filter(|(flower, species)| told(flower) == *species).count();
    right as f64 / split.test.len() as f64
}

/// At every epsilon the mean accuracies of the noisy models, in their order, and how much better conditioning is than
/// each clamp.
pub(super) fn accuracies(
    context: &Context<'_>,
    name: &str,
    split: &Split,
    epsilons: &[f64],
) -> Result<Vec<[Mean; 6]>, StudyError> {
    let (exact, smoothing) = (learn(split), smoothing(split));
    let cells = epsilons.iter().map(|&epsilon| cells(split, &exact, epsilon)).collect::<Result<Vec<_>, _>>()?;
    let empty = || vec![[Mean::default(); 6]; epsilons.len()];
    Ok(simulate(context, name, empty, |draws, accuracies| {
        for (cells, means) in cells.iter().zip(accuracies) {
            let [excluding, smoothed, conditioned, published] =
                noisy(cells, smoothing, draws).map(|model| accuracy(&model, split));
            let numbers =
                [excluding, smoothed, conditioned, published, conditioned - excluding, conditioned - smoothed];
            means.iter_mut().zip(numbers).for_each(|(mean, number)| mean.add(number));
        }
    }))
}
