//! Distance of the residuals from the noise, and its dependence on the number of counties.

use std::f64::consts::{E, PI};

use inbounds_mechanisms::law::{Laplace, Noise};
use inbounds_plot::{Axis, Figure, Series};
use inbounds_project::total::TotalError;

use super::{histogram, release::Release};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Sample, simulate},
    picture::{geometric, panel},
    places::State,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-distance",
    paper: Paper::Zhu,
    place: "Theorem 14, Figures 5 and 6",
    claim: "The residuals after the projection converge in distribution to the Laplace noise before it as the number `n` of \
            counties grows, and the Wasserstein distance between the two falls quickly.",
    statements: &[&said::THEOREM_14, &said::FIGURE_5, &said::FIGURE_6],
    replicates: 40_000,
    compute,
};

const SCALE: f64 = 10.0;
/// States and their numbers of counties in 2010.
const STATES: [(&str, usize); 7] = [("DE", 3), ("RI", 5), ("CT", 8), ("NH", 10), ("AZ", 15), ("NM", 33), ("TX", 254)];
/// Numbers of counties for the exact curve, and distances in scales from an independent computation.
const EXACT: [(u32, Option<f64>); 12] = [
    (2, Some(0.25)),
    (3, Some(0.141_620_244_863_574_86)),
    (5, Some(0.090_189_506_916_193_83)),
    (10, Some(0.052_338_883_576_180_995)),
    (15, Some(0.037_368_962_080_427_57)),
    (33, Some(0.018_648_011_292_320_354)),
    (100, Some(0.006_646_380_320_933_09)),
    (254, Some(0.002_717_719_169_265_674)),
    (1_000, None),
    (3_000, None),
    (10_000, None),
    (100_000, None),
];

/// The function whose mean differs most between the residuals and the noise among all that change no faster than their
/// argument (Kantorovich and Rubinstein): `|v|` up to the crossing of the survival functions, and falling again from
/// there.
struct Potential {
    crossing: f64,
}

impl Potential {
    fn at(&self, v: f64) -> f64 {
        v.abs() - 2.0 * (v.abs() - self.crossing).max(0.0)
    }
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut checks = exact_checks()?;
    let headings = ["state", "counties", "distance_in_scales", "simulated", "error", "expansion"];
    let mut table = Table::new("distances", headings);
    let (mut simulated, mut substitute) = (Vec::new(), None);
    for (code, counties) in STATES {
        let state = State::read(context, code, counties)?;
        let law = TotalError::new(counties as u32, SCALE)?;
        let exact = law.wasserstein_to_noise() / SCALE;
        let computed = distance(context, &state, &law)?;
        let quantity = format!("{code}, {counties} counties: distance in scales");
        checks.push(Check::ours(quantity, Claim::exactly(exact), computed.value(), computed.error()));
        let numbers = [counties as f64, exact, computed.value(), computed.error(), expansion(counties as f64)];
        table.push(std::iter::once(code.into()).chain(numbers.map(Cell::from)).collect::<Vec<_>>());
        simulated.push((counties as f64, computed.value()));
        substitute = substitute.or(state.substitute);
    }
    checks.push(spread(context)?);
    for (counties, _) in EXACT {
        let exact = TotalError::new(counties, 1.0)?.wasserstein_to_noise();
        let n = f64::from(counties);
        table.push([Cell::from("any"), n.into(), exact.into(), f64::NAN.into(), f64::NAN.into(), expansion(n).into()]);
    }
    let prose = "The law of the residual under a known total is known exactly, so the distance is a closed form: `n W / lambda` \
                 tends to `2 / e = 0.7358`, with `2/e - 4 / (3 sqrt(pi n))` from a few dozen counties on. The distance thus \
                 vanishes as `1 / n`. The simulated distances are those of the largest county of real states, in continuous \
                 noise: the mean difference, before and after the projection, of the function that attains the distance."
        .to_owned();
    let figure = Some(figure(simulated)?);
    Ok(Findings { tables: vec![table], figure, checks, prose, substitute })
}

/// The first two terms of the distance for many counties, in scales.
fn expansion(n: f64) -> f64 {
    (2.0 / E - 4.0 / (3.0 * libm::sqrt(PI * n))) / n
}

fn exact_checks() -> Result<Vec<Check>, StudyError> {
    let mut checks = Vec::new();
    let (mut before, mut slowest) = (f64::INFINITY, 0.0f64);
    for (counties, table) in EXACT {
        let distance = TotalError::new(counties, 1.0)?.wasserstein_to_noise();
        if let Some(table) = table {
            let quantity = format!("distance in scales, {counties} counties");
            checks.push(Check::ours(quantity, Claim::exactly(table), distance, 0.0));
        }
        slowest = slowest.max(distance / before);
        before = distance;
    }
    let quantity = "largest ratio of a distance to that of fewer counties";
    checks.push(Check::reproduced(&said::FIGURE_5, quantity, Claim::Below(1.0), slowest, 0.0));
    let quantity = "distance in scales, 100000 counties";
    checks.push(Check::reproduced(&said::THEOREM_14, quantity, Claim::AtMost(1e-5), before, 0.0));
    checks.extend(densities()?);
    let n = 100_000.0;
    let limit = Claim::Is { value: 2.0 / E, within: 0.003 };
    checks.push(Check::ours("n times the distance, 100000 counties", limit, n * before, 0.0));
    Ok(checks)
}

/// Densities that approach that of the noise, at its peak, where they are furthest from it.
fn densities() -> Result<Vec<Check>, StudyError> {
    let gap = |counties: u32| Ok::<_, StudyError>((TotalError::new(counties, 1.0)?.pdf(0.0) - 0.5).abs());
    let gaps = [5, 33, 254, 10_000].map(gap).into_iter().collect::<Result<Vec<_>, _>>()?;
    let slowest = gaps.windows(2).map(|pair| pair[1] / pair[0]).fold(0.0, f64::max);
    let quantity = "largest ratio of a peak's distance from that of the noise to that of fewer counties";
    Ok(vec![
        Check::reproduced(&said::FIGURE_6, quantity, Claim::Below(1.0), slowest, 0.0),
        Check::reproduced(&said::FIGURE_6, "the distance at 10000 counties", Claim::AtMost(0.01), gaps[3], 0.0),
    ])
}

/// Gap between the residuals of Arizona's largest county and the exact law.
fn spread(context: &Context<'_>) -> Result<Check, StudyError> {
    let state = State::read(context, "AZ", 15)?;
    let law = TotalError::new(15, SCALE)?;
    let release = Release::new(&state.people, Laplace::with_scale(SCALE)?);
    let county = state.largest();
    let sample = simulate(context, "spread", Sample::default, |draws, sample| {
        sample.0.push(release.draw(draws).nonnegative[county]);
    });
    let usual = Claim::AtMost(histogram::usual_gap(sample.0.len()));
    let computed = histogram::gap(&sample, |v| law.sf(v));
    Ok(Check::ours("AZ, largest county: largest gap of the residuals from the exact law", usual, computed, 0.0))
}

/// The distance of the largest county's residuals, in scales.
///
/// The noise of the same replicate stands for the noise in general, which takes most of the randomness away.
fn distance(context: &Context<'_>, state: &State, law: &TotalError) -> Result<Mean, StudyError> {
    let release = Release::new(&state.people, Laplace::with_scale(SCALE)?);
    let potential = Potential { crossing: law.crossing().unwrap_or(0.0) };
    let county = state.largest();
    Ok(simulate(context, state.code, Mean::default, |draws, mean| {
        let errors = release.draw(draws);
        mean.add((potential.at(errors.nonnegative[county]) - potential.at(errors.before[county])) / SCALE);
    }))
}

fn figure(simulated: Vec<(f64, f64)>) -> Result<Figure, StudyError> {
    let noise = Laplace::with_scale(1.0)?;
    let mut laws = vec![Series::line("Laplace noise", histogram::curve(4.0, 100, |x| libm::exp(noise.ln_density(x))))];
    for counties in [2, 5, 33] {
        let law = TotalError::new(counties, 1.0)?;
        laws.push(Series::line(format!("{counties} counties"), histogram::curve(4.0, 100, |x| law.pdf(x))));
    }
    let curve = |function: fn(f64) -> f64| {
        geometric(2.0, 100_000.0, 60).map(f64::round).map(|n| (n, function(n))).collect::<Vec<_>>()
    };
    let exact = |n: f64| TotalError::new(n as u32, 1.0).map_or(f64::NAN, |law| law.wasserstein_to_noise());
    let distances = vec![
        Series::points("simulated, largest county", simulated),
        Series::line("exact distance", curve(exact)),
        Series::line("2 / (e n)", curve(|n| 2.0 / (E * n))),
    ];
    Ok(Figure::row(
        "The residuals approach the noise",
        vec![
            panel("Their law", Axis::linear("residual (scales)"), Axis::linear("density (1 / scale)"), laws),
            panel("Wasserstein distance", Axis::log("counties n"), Axis::log("distance (scales)"), distances),
        ],
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::Draws;

    /// The simulated distance sees a law that is off: the noise itself has distance zero, not that of three cells.
    #[test]
    fn the_potential_tells_laws_apart() {
        let law = TotalError::new(3, 1.0).expect("admissible");
        let potential = Potential { crossing: law.crossing().expect("three cells") };
        let noise = Laplace::with_scale(1.0).expect("a scale");
        let mut draws = Draws::from_seed(11);
        let mut mean = Mean::default();
        (0..40_000).for_each(|_| mean.add(potential.at(draws.laplace(&noise)) - potential.at(draws.laplace(&noise))));
        assert!(mean.value().abs() < 4.0 * mean.error());
        assert!((mean.value() - law.wasserstein_to_noise()).abs() > 4.0 * mean.error());
    }
}
