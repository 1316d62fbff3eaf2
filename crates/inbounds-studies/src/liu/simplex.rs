//! Projection on the simplex beside the paper's procedures, on its design and on real shares.

use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{At, Axis, Figure, Panel, Reference, Series};
use inbounds_statistics::proportion::{
    Negative, all_but_one, condition, layer_sizes, onto_simplex, rescale, universal_histogram,
};

use super::{
    populations::{PAPER, Population},
    proportions::{EPSILONS, sample},
};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, Tally, simulate},
    picture::panel,
};

pub(super) const STUDY: Study = Study {
    id: "liu-simplex-projection",
    paper: Paper::Liu,
    place: "Beyond the paper: projection on the simplex",
    claim: "Sanitised shares are made to add up by re-scaling, by calculating one from the others, or by a universal histogram. \
            (This project's own claim: the nearest point of the simplex is better than all three, but for re-scaling \
            where the noise is larger than the shares.)",
    statements: &[],
    replicates: 10_000,
    compute,
};

/// Rule that turns noisy shares into shares that add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShareRule {
    Projection,
    Rescaling,
    AllButOne,
    UniversalHistogram,
    Conditioning,
}

impl ShareRule {
    const ALL: [Self; 5] =
        [Self::Projection, Self::Rescaling, Self::AllButOne, Self::UniversalHistogram, Self::Conditioning];

    fn name(self) -> &'static str {
        match self {
            Self::Projection => "simplex projection",
            Self::Rescaling => "re-scaling",
            Self::AllButOne => "all-but-one",
            Self::UniversalHistogram => "universal histogram",
            Self::Conditioning => "conditioning",
        }
    }
}

/// A sample of a population, and noise of scale `1 / (rows epsilon)` for each of its shares.
struct Noised {
    rows: f64,
    noise: Laplace,
    sample: Vec<f64>,
    errors: Vec<f64>,
}

impl Noised {
    /// The shares that a rule makes, all rules of the same noise as far as they can.
    fn shares(&self, rule: ShareRule, draws: &mut Draws) -> Vec<f64> {
        let noisy: Vec<f64> = self.sample.iter().zip(&self.errors).map(|(share, error)| share + error).collect();
        let clamp = |shares: &[f64]| -> Vec<f64> { shares.iter().map(|share| share.clamp(0.0, 1.0)).collect() };
        match rule {
            ShareRule::Projection => onto_simplex(&noisy, &vec![1.0; noisy.len()], 1.0)
                .expect("shares are finite, and weights and total are one"),
            ShareRule::Rescaling => rescale(&clamp(&noisy)),
            ShareRule::AllButOne => all_but_one(&clamp(&noisy[1..]), 0, Negative::Zeroed),
            ShareRule::UniversalHistogram => {
                let layers: Vec<Vec<f64>> = self.layers(draws).iter().map(|layer| clamp(layer)).collect();
                universal_histogram(&layers, &vec![1.0; layers.len()], 2, 1.0)
            }
            ShareRule::Conditioning => {
                let counts: Vec<f64> = noisy.iter().map(|share| share * self.rows).collect();
                condition(&counts, self.noise.scale() * self.rows, self.rows as u64)
            }
        }
    }

    /// Noisy shares of categories, of pairs, of pairs of pairs and so on, epsilon split evenly.
    fn layers(&self, draws: &mut Draws) -> Vec<Vec<f64>> {
        // The root is public.
        let parts = layer_sizes(self.sample.len(), 2).len() - 1;
        let mut shares = self.sample.clone();
        let mut layers = Vec::new();
        for layer in 0..parts {
            if layer > 0 {
                shares = shares.chunks(2).map(|pair| pair.iter().sum()).collect();
            }
            let mut error = |place: usize| if layer == 0 { self.errors[place] } else { draws.laplace(&self.noise) };
            layers.push(shares.iter().enumerate().map(|(k, share)| share + parts as f64 * error(k)).collect());
        }
        layers
    }
}

/// Mean over the categories of the squared error of each rule, and how much less that of the projection is.
#[derive(Clone)]
struct Squares {
    square: Vec<Mean>,
    excess: Vec<Mean>,
}

impl Squares {
    fn new() -> Self {
        let means = vec![Mean::default(); ShareRule::ALL.len()];
        Self { square: means.clone(), excess: means }
    }
}

impl Tally for Squares {
    fn absorb(&mut self, later: Self) {
        self.square.absorb(later.square);
        self.excess.absorb(later.excess);
    }
}

/// One population, number of rows and epsilon.
struct Row {
    population: String,
    categories: usize,
    rows: u32,
    epsilon: f64,
    squares: Squares,
}

impl Row {
    fn simulate(context: &Context<'_>, population: &Population, rows: u32, epsilon: f64) -> Result<Self, StudyError> {
        let size = f64::from(rows);
        let noise = Laplace::with_scale(1.0 / (size * epsilon))?;
        let truth = &population.shares;
        let name = format!("{} {rows} {epsilon}", population.name);
        let squares = simulate(context, &name, Squares::new, |draws, squares| {
            let sample = sample(truth, rows, draws);
            let errors = truth.iter().map(|_| draws.laplace(&noise)).collect();
            let noised = Noised { rows: size, noise, sample, errors };
            let error = |rule| {
                let estimates = noised.shares(rule, draws);
                let squares =
                    estimates.iter().zip(truth).map(|(estimate, truth)| (estimate - truth) * (estimate - truth));
                squares.sum::<f64>() / truth.len() as f64
            };
            let errors = ShareRule::ALL.map(error);
            for (rule, error) in errors.into_iter().enumerate() {
                squares.square[rule].add(error);
                squares.excess[rule].add(error - errors[0]);
            }
        });
        Ok(Self { population: population.name.clone(), categories: truth.len(), rows, epsilon, squares })
    }

    /// `true` if a rule has more squared error than the projection on the same noise; `None` within four standard
    /// errors.
    fn is_worse(&self, rule: ShareRule) -> Option<bool> {
        let excess = &self.squares.excess[rule as usize];
        (excess.value().abs() > 4.0 * excess.error()).then(|| excess.value() > 0.0)
    }

    /// Error of the projection over that of a rule, with the standard error of two rules on one noise.
    fn ratio(&self, rule: ShareRule) -> (f64, f64) {
        let square = self.squares.square[rule as usize].value();
        let ratio = self.rmse(ShareRule::Projection).0 / libm::sqrt(square);
        (ratio, self.squares.excess[rule as usize].error() / (2.0 * ratio * square))
    }

    fn rmse(&self, rule: ShareRule) -> (f64, f64) {
        self.squares.square[rule as usize].root()
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let (populations, substitute) = Population::all(context)?;
    let mut rows = Vec::new();
    for population in &populations {
        for &size in population.sizes {
            for epsilon in EPSILONS {
                rows.push(Row::simulate(context, population, size, epsilon)?);
            }
        }
    }
    let count = |rule, worse| rows.iter().filter(|row| row.is_worse(rule) == Some(worse)).count();
    let against = |rule: ShareRule| {
        let (better, worse) = (count(rule, true), count(rule, false));
        format!("{}: {better} better, {worse} worse, {} even", rule.name(), rows.len() - better - worse)
    };
    let prose = format!(
        "In {} cells, on the same continuous noise, the projection against {}; {}; {}; {}. It is not always best: where the \
         noise is larger than the shares, re-scaling is, because it draws towards equal shares while the projection puts all \
         on a few categories. The mean of what the noisy counts leave to believe (`conditioning`) is much better \
         than both at n = 50 and epsilon 0.1. The table has a row a cell and rule, and says where the projection is worse.",
        rows.len(),
        against(ShareRule::Rescaling),
        against(ShareRule::AllButOne),
        against(ShareRule::UniversalHistogram),
        against(ShareRule::Conditioning),
    );
    Ok(Findings { tables: vec![table(&rows)], figure: Some(figure(&rows)), checks: checks(&rows), prose, substitute })
}

/// Where the projection wins and where it does not.
fn checks(rows: &[Row]) -> Vec<Check> {
    let mut checks = Vec::new();
    for (rule, limit) in
        [(ShareRule::Rescaling, 1.05), (ShareRule::AllButOne, 1.02), (ShareRule::UniversalHistogram, 1.0)]
    {
        let ratios = rows.iter().map(|row| row.ratio(rule));
        let (most, error) = ratios.max_by(|a, b| a.0.total_cmp(&b.0)).expect("there are cells");
        let quantity = format!("largest RMSE of the projection over that of {}, of {} cells", rule.name(), rows.len());
        checks.push(Check::ours(quantity, Claim::AtMost(limit), most, error));
    }
    let excess = |size: u32, epsilon: f64, rule: ShareRule| {
        let cell = |row: &&Row| row.population == PAPER && row.rows == size && row.epsilon == epsilon;
        let row = rows.iter().find(cell).expect("a cell of the paper's design");
        let mean = row.squares.excess[rule as usize];
        (format!("MSE of {} less that of the projection, n = {size}, epsilon {epsilon}", rule.name()), mean)
    };
    let (quantity, mean) = excess(500, 0.1, ShareRule::Rescaling);
    checks.push(Check::ours(quantity, Claim::Above(0.0), mean.value(), mean.error()));
    // There the noise is larger than the shares, and re-scaling draws towards equal ones.
    let (quantity, mean) = excess(50, 0.1, ShareRule::Rescaling);
    checks.push(Check::ours(quantity, Claim::Below(0.0), mean.value(), mean.error()));
    let (quantity, mean) = excess(50, 0.1, ShareRule::Conditioning);
    checks.push(Check::ours(quantity, Claim::Below(0.0), mean.value(), mean.error()));
    checks
}

/// All errors, and how the projection does against each rule.
fn table(rows: &[Row]) -> Table {
    let headings = [
        "population",
        "categories",
        "n",
        "epsilon",
        "rule",
        "rmse",
        "rmse_error",
        "mse_excess",
        "excess_error",
        "projection_is",
    ];
    let mut table = Table::new("rmse", headings);
    for row in rows {
        for rule in ShareRule::ALL {
            let (rmse, error) = row.rmse(rule);
            let excess = &row.squares.excess[rule as usize];
            let verdict = match row.is_worse(rule) {
                Some(true) => "better",
                Some(false) => "worse",
                None => "even",
            };
            let sizes = [row.categories as f64, f64::from(row.rows), row.epsilon].map(Cell::from);
            let numbers = [rmse, error, excess.value(), excess.error()].map(Cell::from);
            let head = std::iter::once(Cell::from(row.population.as_str())).chain(sizes);
            table.push(head.chain([rule.name().into()]).chain(numbers).chain([verdict.into()]).collect::<Vec<Cell>>());
        }
    }
    table
}

/// Errors over that of the projection, the paper's design and the real shares apart.
fn figure(rows: &[Row]) -> Figure {
    let ratios = |of_paper: bool| {
        let points = |rule: ShareRule| {
            let chosen = rows.iter().filter(|row| (row.population == PAPER) == of_paper);
            let point =
                |row: &Row| (f64::from(row.rows) * row.epsilon, row.rmse(rule).0 / row.rmse(ShareRule::Projection).0);
            chosen.map(point).collect()
        };
        ShareRule::ALL[1..].iter().map(|&rule| Series::points(rule.name(), points(rule))).collect()
    };
    let titles = [("Shares 0.1, 0.2, 0.3, 0.4", true), ("Shares of adult and nhanes", false)];
    let panels = titles.map(|(title, of_paper)| Panel {
        references: vec![Reference { at: At::Y(1.0), label: "projection".to_owned() }],
        ..panel(
            title,
            Axis::log("rows times epsilon"),
            Axis::linear("RMSE over that of the projection"),
            ratios(of_paper),
        )
    });
    Figure::row("Error of shares that add up", panels.into())
}
