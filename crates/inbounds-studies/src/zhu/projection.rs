//! Effect of the projection (P) on errors, in three kinds of noise.

use inbounds_mechanisms::{
    law::{Gaussian, Laplace, Noise},
    noise::DiscreteLaplace,
};
use inbounds_plot::{Axis, Figure, Interval, Marks, Series};

use super::nation::{self, Experiment, Run};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, simulate},
    picture::panel,
    places::Nation,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-projection",
    paper: Paper::Zhu,
    place: "Lemma 5, Corollary 6, Theorem 7 and Lemma 10",
    claim: "The projection (P) and reflection across the truth commute, so that errors of reflected noise cancel, and (P) adds no \
            bias for any symmetric noise. Where the noise lies in the `l1` ball whose radius is the smallest count, (P) is \
            nonnegative and equal to (P+).",
    statements: &[&said::LEMMA_5, &said::COROLLARY_6, &said::THEOREM_7, &said::OTHER_LAWS, &said::LEMMA_10],
    replicates: 1_000,
    compute,
};

/// Noises of the same variance.
#[derive(Debug, Clone)]
enum Kind {
    Laplace(Laplace),
    Geometric(DiscreteLaplace),
    Gaussian(f64),
}

impl Kind {
    fn all() -> Result<[Self; 3], StudyError> {
        let geometric = nation::noise()?;
        let deviation = libm::sqrt(geometric.variance());
        Ok([
            Self::Laplace(Laplace::with_scale(deviation / std::f64::consts::SQRT_2)?),
            Self::Geometric(geometric),
            Self::Gaussian(Gaussian::with_std_dev(deviation)?.std_dev()),
        ])
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Laplace(_) => "Laplace",
            Self::Geometric(_) => "geometric",
            Self::Gaussian(_) => "Gaussian",
        }
    }

    fn draw(&self, places: usize, draws: &mut Draws) -> Vec<f64> {
        match self {
            Self::Laplace(law) => (0..places).map(|_| draws.laplace(law)).collect(),
            Self::Geometric(law) => draws.geometric(law, places),
            Self::Gaussian(deviation) => (0..places).map(|_| deviation * draws.normal()).collect(),
        }
    }
}

fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(f64::abs).fold(0.0, f64::max)
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let experiment = Experiment::new(Nation::read(context)?)?;
    let nation = &experiment.nation;
    let mut table = Table::new("means", ["noise", "place", "people", "mean_error", "error"]);
    let [smallest, largest] = nation.extremes();
    let (mut checks, mut series) = (Vec::new(), Vec::new());
    for (index, kind) in Kind::all()?.into_iter().enumerate() {
        let means = means(context, &experiment, &kind);
        for place in [0, 1, smallest, largest] {
            let mean = means[place];
            let quantity = format!("{} noise: mean error of {}", kind.name(), nation.names[place]);
            let statement = if index == 0 { &said::THEOREM_7 } else { &said::OTHER_LAWS };
            checks.push(Check::reproduced(statement, quantity, Claim::exactly(0.0), mean.value(), mean.error()));
            let row = [nation.people[place], mean.value(), mean.error()].map(Cell::from);
            let names = [Cell::from(kind.name()), nation.names[place].as_str().into()];
            table.push(names.into_iter().chain(row).collect::<Vec<_>>());
        }
        let bars = (0..=51.min(means.len() - 1)).map(|place| {
            let (y, reach) = (means[place].value(), 4.0 * means[place].error());
            let x = place as f64 + 0.25 * index as f64;
            Interval { x, y, lower: y - reach, upper: y + reach }
        });
        series.push(Series { name: kind.name().to_owned(), marks: Marks::YIntervals(bars.collect()) });
        checks.extend(reflections(context, &experiment, &kind));
    }
    checks.extend(in_the_ball(context, &experiment, nation.people[smallest]));
    let axes = (Axis::linear("nation and states, in their order"), Axis::linear("mean error (people), 4 s.e."));
    let panel = panel("", axes.0, axes.1, series);
    let figure = Figure { panel_size: (800.0, 360.0), ..Figure::row("Errors of (P) have mean zero", vec![panel]) };
    let prose = "On the tree of the nation, its states and their counties, with noise on every count. Reflected noise gives \
                 reflected errors to the rounding of doubles, whatever the noise, so errors have mean zero where the noise is \
                 symmetric: Laplace, two-sided geometric and Gaussian. In the ball both projections are the same, for noise \
                 spread over all counts and for noise on one alone."
        .to_owned();
    let substitute = nation.substitute.clone();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute })
}

/// Mean error of every place.
fn means(context: &Context<'_>, experiment: &Experiment, kind: &Kind) -> Vec<Mean> {
    let places = experiment.nation.people.len();
    simulate(
        context,
        kind.name(),
        || vec![Mean::default(); places],
        |draws, means| {
            let errors = experiment.plain(&kind.draw(places, draws));
            means.iter_mut().zip(errors).for_each(|(mean, error)| mean.add(error));
        },
    )
}

/// Lemma 5 and Corollary 6 on twenty draws.
fn reflections(context: &Context<'_>, experiment: &Experiment, kind: &Kind) -> [Check; 2] {
    let (mut draws, truth) = (Draws::from_seed(context.seed), &experiment.nation.people);
    let (mut apart, mut sum) = (0.0f64, 0.0f64);
    for _ in 0..20 {
        let noise = kind.draw(truth.len(), &mut draws);
        let reflected: Vec<f64> = noise.iter().map(|noise| -noise).collect();
        let [one, other] = [noise, reflected].map(|noise| experiment.plain(&noise));
        // Ref(P(y)) = 2 x - (x + one), and P(Ref(y)) = x + other.
        let orders = truth.iter().zip(&one).zip(&other);
        apart = apart.max(largest(orders.map(|((x, one), other)| (2.0 * x - (x + one)) - (x + other))));
        sum = sum.max(largest(one.iter().zip(&other).map(|(one, other)| one + other)));
    }
    let small = Claim::AtMost(1e-6);
    let quantity = |quantity: &str| format!("{} noise: {quantity}", kind.name());
    [
        Check::reproduced(&said::LEMMA_5, quantity("largest distance of the two orders"), small, apart, 0.0),
        Check::reproduced(&said::COROLLARY_6, quantity("largest sum of errors of reflected noise"), small, sum, 0.0),
    ]
}

/// Lemma 10 on noise in the ball of some radius: spread over all counts, and on one alone.
fn in_the_ball(context: &Context<'_>, experiment: &Experiment, radius: f64) -> Vec<Check> {
    let (mut draws, truth) = (Draws::from_seed(context.seed), &experiment.nation.people);
    let places = truth.len();
    let (mut apart, mut least) = (0.0f64, f64::INFINITY);
    let mut hold = |noise: Vec<f64>| {
        let Run { plain, nonnegative, .. } = experiment.run(noise);
        apart = apart.max(largest(plain.iter().zip(&nonnegative).map(|(one, other)| one - other)));
        least = plain.iter().zip(truth).map(|(error, truth)| truth + error).fold(least, f64::min);
    };
    for _ in 0..20 {
        let noise: Vec<f64> = (0..places).map(|_| draws.uniform() - 0.5).collect();
        let norm: f64 = noise.iter().map(|x| x.abs()).sum();
        hold(noise.iter().map(|x| x / norm * radius).collect());
        let place = (draws.uniform() * places as f64) as usize;
        hold((0..places).map(|other| if other == place { -radius } else { 0.0 }).collect());
    }
    let smallest = (0..places).min_by(|&a, &b| truth[a].total_cmp(&truth[b])).unwrap_or(0);
    hold((0..places).map(|other| if other == smallest { -radius } else { 0.0 }).collect());
    vec![
        Check::reproduced(
            &said::LEMMA_10,
            "noise in the ball: largest distance of (P) and (P+)",
            Claim::AtMost(1e-6),
            apart,
            0.0,
        ),
        Check::reproduced(
            &said::LEMMA_10,
            "noise in the ball: smallest count of (P)",
            Claim::AtLeast(-1e-6),
            least,
            0.0,
        ),
    ]
}
