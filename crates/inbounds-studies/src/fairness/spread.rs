//! Biases of noisy counts on the simplex: their order, how far apart they are, and how this grows with the number of
//! counts.

use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{Axis, Figure, Series};
use inbounds_project::{constraint::Bounds, simplex, total::TotalError};

use super::bounds;
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, Tally, simulate},
    picture::panel,
    statement::fairness as said,
};

pub(super) const STUDY: Study = Study {
    id: "fairness-spread",
    paper: Paper::Fairness,
    place: "Counts under their total",
    claim: "(Abstract.) Post-processing has disparate impacts. For the release of counts the paper gives tight bounds on the \
            unfairness of the usual post-processing, which is the largest difference of two biases, `alpha`. Its formulas could \
            not be read; the bounds below are this project's (theorems 4 and 5 of [least-bias.md](../least-bias.md)).",
    statements: &[&said::DISPARATE],
    replicates: 20_000,
    compute,
};

/// Far from zero, in scales: no noise of a study reaches it.
const FAR: f64 = 1e6;
/// Numbers of counts of which all but one are empty.
const SIZES: [u32; 8] = [2, 3, 5, 10, 30, 100, 300, 1000];

/// The nearest nonnegative numbers with the sum of the counts.
fn released(counts: &[f64], weights: &[f64], noise: &Laplace, draws: &mut Draws) -> Vec<f64> {
    let noisy: Vec<f64> = counts.iter().map(|x| x + draws.laplace(noise)).collect();
    let solution = simplex::project(&noisy, weights, counts.iter().sum(), &Bounds::nonnegative());
    solution.expect("finite counts with a total that they can reach").estimates
}

/// Biases of counts in ascending order, differences of neighbours' biases, and the spread.
#[derive(Clone)]
struct Biases {
    each: Vec<Mean>,
    steps: Vec<Mean>,
    spread: Mean,
}

impl Biases {
    fn new(counts: usize) -> Self {
        Self { each: vec![Mean::default(); counts], steps: vec![Mean::default(); counts - 1], spread: Mean::default() }
    }

    /// The differences are taken replicate by replicate, so that their errors are known.
    fn add(&mut self, errors: &[f64]) {
        self.each.iter_mut().zip(errors).for_each(|(mean, &error)| mean.add(error));
        self.steps.iter_mut().zip(errors.windows(2)).for_each(|(mean, pair)| mean.add(pair[0] - pair[1]));
        self.spread.add(errors[0] - errors[errors.len() - 1]);
    }
}

impl Tally for Biases {
    fn absorb(&mut self, later: Self) {
        self.each.absorb(later.each);
        self.steps.absorb(later.steps);
        self.spread.absorb(later.spread);
    }
}

/// Biases of counts in ascending order, under noise of scale 1.
fn simulated(context: &Context<'_>, name: &str, counts: &[f64]) -> Result<Biases, StudyError> {
    let (noise, weights) = (Laplace::with_scale(1.0)?, vec![1.0; counts.len()]);
    Ok(simulate(
        context,
        name,
        || Biases::new(counts.len()),
        |draws, biases| {
            let estimates = released(counts, &weights, &noise, draws);
            let errors: Vec<f64> = estimates.iter().zip(counts).map(|(estimate, x)| estimate - x).collect();
            biases.add(&errors);
        },
    ))
}

/// Counts in ascending order, in scales of the noise.
fn tables() -> [(&'static str, Vec<f64>); 4] {
    let doubling = (0..12).flat_map(|k| vec![0.125 * f64::from(1_u32 << k); 4]).collect();
    let halves = [vec![0.0; 50], vec![20.0; 50]].concat();
    let steps = (0..20).map(|k| 0.5 * f64::from(k)).collect();
    let noisy = [vec![0.0; 10], vec![0.1; 5], vec![0.5; 5]].concat();
    [("doubling", doubling), ("half empty", halves), ("even steps", steps), ("mostly noise", noisy)]
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("spread", ["table", "counts", "spread", "error", "bound"]);
    let (mut checks, mut biases_drawn) = (of_two(context)?, Vec::new());
    let mut row = |name: &str, size: usize, spread: Mean, bound: f64| {
        let numbers = [size as f64, spread.value(), spread.error(), bound].map(Cell::from);
        table.push(std::iter::once(name.into()).chain(numbers).collect::<Vec<_>>());
    };
    for (name, counts) in tables() {
        let biases = simulated(context, name, &counts)?;
        let bound = bounds::spread(&counts, 1.0)?;
        row(name, counts.len(), biases.spread, bound);
        checks.extend(of_table(name, &counts, &biases, bound));
        if name == "doubling" {
            biases_drawn = counts.iter().zip(&biases.each).map(|(&x, mean)| (x, mean.value())).collect();
        }
    }
    let (mut worst, mut of_bound) = (Vec::new(), Vec::new());
    for size in SIZES {
        let mut counts = vec![0.0; size as usize];
        counts[size as usize - 1] = FAR;
        let name = format!("one of {size}");
        let biases = simulated(context, &name, &counts)?;
        let bound = bounds::spread(&counts, 1.0)?;
        row("all but one empty", counts.len(), biases.spread, bound);
        let (spread, quantity) = (biases.spread, format!("{size} counts, all but one empty: spread over its bound"));
        checks.push(Check::ours(&quantity, Claim::AtMost(1.0), spread.value() / bound, spread.error() / bound));
        checks.push(Check::ours(quantity, Claim::AtLeast(0.45), spread.value() / bound, spread.error() / bound));
        worst.push((f64::from(size), spread.value()));
        of_bound.push((f64::from(size), bound));
    }
    let figure = figure(biases_drawn, worst, of_bound)?;
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose: PROSE.to_owned(), substitute: None })
}

const PROSE: &str = "In continuous noise of scale 1. The smaller a count, the larger its bias, and expected estimates keep the \
    order of the counts, whatever the noise is, as long as it treats all alike: so `alpha` is the bias of the smallest count \
    less that of the largest, and at most the distance of the two. For two counts it is known exactly. It never passes our bound, \
    which is at most the mean of the largest noise and half a mean noise, so grows with the logarithm of the number of counts at \
    most. It is met by two counts of which one is empty and the other far from it; where all of many counts but one are empty it \
    is up to 1.9 times what is found.";

/// Two counts, where the spread is a closed form.
fn of_two(context: &Context<'_>) -> Result<Vec<Check>, StudyError> {
    let mut checks = Vec::new();
    for counts in [[0.0, 1.0], [0.0, 5.0], [1.0, 3.0]] {
        let spread = simulated(context, &format!("{counts:?}"), &counts)?.spread;
        let exact = Claim::exactly(bounds::spread_of_two(counts, 1.0)?);
        checks.push(Check::ours(format!("counts {counts:?}: spread"), exact, spread.value(), spread.error()));
    }
    Ok(checks)
}

/// Claims of theorems 4 and 5 about a table.
///
/// Claim: `projection-bias-order`.
fn of_table(name: &str, counts: &[f64], biases: &Biases, bound: f64) -> Vec<Check> {
    let spread = biases.spread;
    let off = |mean: &Mean, distance: f64| (mean.value() / mean.error()).min((distance - mean.value()) / mean.error());
    let steps = biases.steps.iter().zip(counts.windows(2)).map(|(mean, pair)| (mean, pair[1] - pair[0]));
    // The pair that comes nearest to a contradiction, in standard errors.
    let worst = steps.filter(|(mean, _)| mean.error() > 0.0).map(|(mean, distance)| off(mean, distance));
    let worst = worst.fold(f64::INFINITY, f64::min);
    vec![
        Check::reproduced(
            &said::DISPARATE,
            format!("{name}: spread"),
            Claim::Above(0.0),
            spread.value(),
            spread.error(),
        ),
        Check::ours(format!("{name}: spread"), Claim::AtMost(bound), spread.value(), spread.error()),
        Check::ours(
            format!("{name}: least margin of the order of neighbours, in s.e."),
            Claim::AtLeast(0.0),
            worst,
            1.0,
        ),
    ]
}

fn figure(biases: Vec<(f64, f64)>, worst: Vec<(f64, f64)>, of_bound: Vec<(f64, f64)>) -> Result<Figure, StudyError> {
    let law = TotalError::new(biases.len() as u32, 1.0)?;
    let upper = biases.iter().map(|&(x, _)| (x, law.integrated_sf(x))).collect();
    let count = Axis::log("count (scales of the noise)");
    let left = vec![Series::points("bias, simulated", biases), Series::line("its upper bound", upper)];
    let right = vec![Series::points("spread, simulated", worst), Series::line("bound", of_bound)];
    let axis = |quantity: &str| Axis::linear(format!("{quantity} (scales of the noise)"));
    Ok(Figure::row(
        "Bias of counts that are nonnegative and keep their total",
        vec![
            panel("48 counts, from an eighth to 256 scales", count, axis("bias"), left),
            panel("All but one empty", Axis::log("number of counts"), axis("spread of biases"), right),
        ],
    ))
}
