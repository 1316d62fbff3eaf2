//! What the projection (P) does to errors, in three kinds of noise.

use inbounds_mechanisms::{
    law::{Gaussian, Laplace, Noise},
    noise::DiscreteLaplace,
    sampler::fill_discrete_laplace,
};
use inbounds_plot::{Axis, Figure, Interval, Marks, Series};
use inbounds_project::{
    constraint::tree::{Tree, TreeSystem},
    tree::{equality, project},
};

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
        let geometric = DiscreteLaplace::with_inverse_scale("1/6".parse()?)?;
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
            Self::Geometric(law) => {
                let mut noise = vec![0; places];
                fill_discrete_laplace(law, draws.entropy(), &mut noise);
                noise.into_iter().map(|noise| noise as f64).collect()
            }
            Self::Gaussian(deviation) => (0..places).map(|_| deviation * draws.normal()).collect(),
        }
    }
}

/// Estimates of noisy counts less the truth.
struct Projected<'a> {
    system: TreeSystem,
    truth: &'a [f64],
}

impl Projected<'_> {
    fn errors(&self, noise: &[f64], sign: f64, of: fn(&TreeSystem) -> Vec<f64>) -> Vec<f64> {
        let noisy = self.truth.iter().zip(noise).map(|(truth, noise)| truth + sign * noise).collect();
        let system = self.system.with_values(noisy).expect("finite counts");
        of(&system).iter().zip(self.truth).map(|(estimate, truth)| estimate - truth).collect()
    }
}

fn plain(system: &TreeSystem) -> Vec<f64> {
    equality(system).estimates
}

fn nonnegative(system: &TreeSystem) -> Vec<f64> {
    project(system).estimates
}

fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.map(f64::abs).fold(0.0, f64::max)
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let nation = Nation::read(context)?;
    let places = nation.parents.len();
    let system = TreeSystem::new(Tree::from_parents(&nation.parents)?, vec![0.0; places], vec![1.0; places])?;
    let projected = Projected { system: system.nonnegative(), truth: &nation.people };
    let mut table = Table::new("means", ["noise", "place", "people", "mean_error", "error"]);
    let [smallest, largest] = nation.extremes();
    let (mut checks, mut series) = (Vec::new(), Vec::new());
    for (index, kind) in Kind::all()?.into_iter().enumerate() {
        let means = means(context, &projected, &kind);
        for place in [0, 1, smallest, largest] {
            let mean = means[place];
            let what = format!("{} noise: mean error of {}", kind.name(), nation.names[place]);
            let of = if index == 0 { &said::THEOREM_7 } else { &said::OTHER_LAWS };
            checks.push(Check::reproduced(of, what, Claim::exactly(0.0), mean.value(), mean.error()));
            let row = [nation.people[place], mean.value(), mean.error()].map(Cell::from);
            let names = [Cell::from(kind.name()), nation.names[place].as_str().into()];
            table.push(names.into_iter().chain(row).collect::<Vec<_>>());
        }
        let bars = (0..=51.min(places - 1)).map(|place| {
            let (y, reach) = (means[place].value(), 4.0 * means[place].error());
            let x = place as f64 + 0.25 * index as f64;
            Interval { x, y, lower: y - reach, upper: y + reach }
        });
        series.push(Series { name: kind.name().to_owned(), marks: Marks::YIntervals(bars.collect()) });
        checks.extend(reflections(context, &projected, &kind));
    }
    checks.extend(in_the_ball(context, &projected, nation.people[smallest]));
    let axes = (Axis::linear("nation and states, in their order"), Axis::linear("mean error (people), 4 s.e."));
    let panel = panel("", axes.0, axes.1, series);
    let figure = Figure { panel_size: (800.0, 360.0), ..Figure::row("Errors of (P) have mean zero", vec![panel]) };
    let prose = "On the tree of the nation, its states and their counties, with noise on every count. Reflected noise gives \
                 reflected errors to the rounding of doubles, whatever the noise, so errors have mean zero where the noise is \
                 symmetric: Laplace, two-sided geometric and Gaussian. In the ball both projections are the same, for noise \
                 spread over all counts and for noise on one alone."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: nation.substitute })
}

/// Mean error of every place.
fn means(context: &Context<'_>, projected: &Projected<'_>, kind: &Kind) -> Vec<Mean> {
    let places = projected.truth.len();
    simulate(
        context,
        kind.name(),
        || vec![Mean::default(); places],
        |draws, means| {
            let errors = projected.errors(&kind.draw(places, draws), 1.0, plain);
            means.iter_mut().zip(errors).for_each(|(mean, error)| mean.add(error));
        },
    )
}

/// Lemma 5 and Corollary 6 on twenty draws.
fn reflections(context: &Context<'_>, projected: &Projected<'_>, kind: &Kind) -> [Check; 2] {
    let (mut draws, places) = (Draws::from_seed(context.seed), projected.truth.len());
    let (mut apart, mut sum) = (0.0f64, 0.0f64);
    for _ in 0..20 {
        let noise = kind.draw(places, &mut draws);
        let [one, other] = [1.0, -1.0].map(|sign| projected.errors(&noise, sign, plain));
        // Ref(P(y)) = 2 x - (x + one), and P(Ref(y)) = x + other.
        let truth = projected.truth.iter();
        let reflected = truth.zip(&one).zip(&other).map(|((x, one), other)| (2.0 * x - (x + one)) - (x + other));
        apart = apart.max(largest(reflected));
        sum = sum.max(largest(one.iter().zip(&other).map(|(one, other)| one + other)));
    }
    let small = Claim::AtMost(1e-6);
    let what = |what: &str| format!("{} noise: {what}", kind.name());
    [
        Check::reproduced(&said::LEMMA_5, what("largest distance of the two orders"), small, apart, 0.0),
        Check::reproduced(&said::COROLLARY_6, what("largest sum of errors of reflected noise"), small, sum, 0.0),
    ]
}

/// Lemma 10 on noise in the ball of some radius: spread over all counts, and on one alone.
fn in_the_ball(context: &Context<'_>, projected: &Projected<'_>, radius: f64) -> Vec<Check> {
    let (mut draws, places) = (Draws::from_seed(context.seed), projected.truth.len());
    let (mut apart, mut least) = (0.0f64, f64::INFINITY);
    let mut hold = |noise: &[f64]| {
        let [one, other] = [plain, nonnegative].map(|of| projected.errors(noise, 1.0, of));
        apart = apart.max(largest(one.iter().zip(&other).map(|(one, other)| one - other)));
        least = one.iter().zip(projected.truth).map(|(error, truth)| truth + error).fold(least, f64::min);
    };
    for _ in 0..20 {
        let noise: Vec<f64> = (0..places).map(|_| draws.uniform() - 0.5).collect();
        let norm: f64 = noise.iter().map(|x| x.abs()).sum();
        hold(&noise.iter().map(|x| x / norm * radius).collect::<Vec<_>>());
        let place = (draws.uniform() * places as f64) as usize;
        hold(&(0..places).map(|other| if other == place { -radius } else { 0.0 }).collect::<Vec<_>>());
    }
    let smallest = (0..places).min_by(|&a, &b| projected.truth[a].total_cmp(&projected.truth[b])).unwrap_or(0);
    hold(&(0..places).map(|other| if other == smallest { -radius } else { 0.0 }).collect::<Vec<_>>());
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
