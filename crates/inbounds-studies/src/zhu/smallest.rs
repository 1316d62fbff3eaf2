//! Effect of nonnegativity on a lone small county, as its count grows, against the bound of Theorem 11.

use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{Axis, Figure, Series};
use inbounds_project::total::TotalError;

use super::{
    ball,
    histogram::{cumulated, curve},
    release::Release,
};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    monte_carlo::{Mean, Sample, simulate},
    picture::panel,
    places::State,
    statement::zhu as said,
};

pub(super) const STUDY: Study = Study {
    id: "zhu-smallest-county",
    paper: Paper::Zhu,
    place: "Theorem 11, one small county",
    claim: "The bias that nonnegativity adds is at most the largest possible error times the probability that Laplace noise leaves \
            the `l1` ball whose radius is the smallest count `r_m`.",
    statements: &[&said::THEOREM_11],
    replicates: 20_000,
    compute,
};

const SCALE: f64 = 10.0;
/// Smallest counts that are tried, in scales.
const RATIOS: [f64; 9] = [0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0];
/// Those whose residuals are drawn.
const DRAWN: [f64; 3] = [0.0, 1.0, 4.0];
/// Curves end where they fall below this, in scales.
const LEAST_DRAWN: f64 = 1e-9;
const REACH: f64 = 50.0;
const CELLS: usize = 200;

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let state = State::read(context, "AZ", 15)?;
    let cells = state.people.len() as u32;
    let law = TotalError::new(cells, SCALE)?;
    let noise = Laplace::with_scale(SCALE)?;
    let headings =
        ["smallest_in_scales", "bias", "bias_error", "exact_bias", "bound", "published_bound", "others_exact_bias"];
    let mut table = Table::new("bias", headings);
    let (mut checks, mut laws, mut simulated) = (Vec::new(), Vec::new(), Vec::new());
    for ratio in RATIOS {
        let mut people = state.people.clone();
        people[state.smallest()] = ratio * SCALE;
        let release = Release::new(&people, noise);
        let sample = simulate(context, &format!("{ratio} scales"), Sample::default, |draws, sample| {
            sample.0.push(release.draw(draws).nonnegative[state.smallest()]);
        });
        let mut bias = Mean::default();
        sample.0.iter().for_each(|&x| bias.add(x));
        let exact = law.integrated_sf(ratio * SCALE);
        let claimed = Claim::exactly(exact);
        let quantity = format!("bias of the smallest county at r_m = {ratio} scales");
        checks.push(Check::ours(quantity, claimed, bias.value(), bias.error()));
        let bound = law.nonnegative_bias_bound(&people)?;
        let published = published_bound(&people, ratio);
        let quantity = format!("simulated bias at r_m = {ratio} scales against the bound");
        let (at_most, computed, error) = (Claim::AtMost(published), bias.value(), bias.error());
        checks.push(Check::reproduced(&said::THEOREM_11, quantity, at_most, computed, error));
        let others = -exact / f64::from(cells - 1);
        table.push([ratio, bias.value(), bias.error(), exact, bound, published, others].map(Cell::from));
        // On a logarithmic axis, what cannot be told from zero has no place.
        if bias.value() > 4.0 * bias.error() {
            simulated.push((ratio, bias.value() / SCALE));
        }
        if DRAWN.contains(&ratio) {
            laws.push(Series::line(format!("r_m = {ratio} scales, simulated"), cumulated(&sample, REACH, CELLS)));
        }
    }
    checks.extend(decrease(&law, &state)?);
    laws.push(Series::line("exact law far from zero", curve(REACH, CELLS, |x| 1.0 - law.sf(x))));
    let figure = figure(&law, &state, laws, simulated)?;
    let prose = format!(
        "{} with its smallest county set to `r_m`, in continuous noise of scale {SCALE}. All other counties are so large that \
         the smallest alone can be cut off at zero, so its residual is `max(Err, -r_m)` for the exact law of `Err`, and its \
         bias `E (Err - r_m)+`: a closed form, which the simulation meets. It falls by a factor of `e` with each scale. \
         The published bound takes the whole `l1` ball of noise and says nothing before `r_m` is some 40 scales; the bound \
         cell by cell falls as fast as the bias does, and says something from about 14 on.",
        state.code
    );
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: state.substitute })
}

/// Theorem 11: the largest possible error times the probability that the noise leaves the `l1` ball of radius `r_m`.
fn published_bound(people: &[f64], ratio: f64) -> f64 {
    let farthest = people.iter().sum::<f64>() - ratio * SCALE;
    farthest * ball::laplace_outside(people.len() as u32, ratio)
}

/// Exact statements about the bias.
fn decrease(law: &TotalError, state: &State) -> Result<Vec<Check>, StudyError> {
    let bias = |ratio: f64| law.integrated_sf(ratio * SCALE);
    let half = Claim::exactly(law.mean_absolute() / 2.0);
    let mut people = state.people.clone();
    people[state.smallest()] = 20.0 * SCALE;
    let bound = law.nonnegative_bias_bound(&people)?;
    Ok(vec![
        Check::ours("exact bias at r_m = 0, half the mean absolute error", half, bias(0.0), 0.0),
        Check::ours("exact bias at 20 scales, against the bound cell by cell", Claim::AtMost(bound), bias(20.0), 0.0),
        Check::ours("exact bias at 20 scales, in scales", Claim::Below(1e-8), bias(20.0) / SCALE, 0.0),
        Check::reproduced(
            &said::THEOREM_11,
            "exact bias at 50 scales against the bound",
            Claim::AtMost(published_bound(&people, 50.0)),
            bias(50.0),
            0.0,
        ),
    ])
}

fn figure(
    law: &TotalError,
    state: &State,
    laws: Vec<Series>,
    simulated: Vec<(f64, f64)>,
) -> Result<Figure, StudyError> {
    let (mut exact, mut ours, mut published) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..=100 {
        let ratio = f64::from(step) / 2.0;
        let mut people = state.people.clone();
        people[state.smallest()] = ratio * SCALE;
        let numbers =
            [law.integrated_sf(ratio * SCALE), law.nonnegative_bias_bound(&people)?, published_bound(&people, ratio)];
        for (curve, number) in [&mut exact, &mut ours, &mut published].into_iter().zip(numbers) {
            if number >= LEAST_DRAWN * SCALE {
                curve.push((ratio, number / SCALE));
            }
        }
    }
    let residuals = panel(
        format!("Residuals of the smallest of {} counties", state.people.len()),
        Axis::linear("residual after the projection (people)"),
        Axis::linear("probability of at most this"),
        laws,
    );
    let curves = vec![
        Series::points("bias, simulated, beyond 4 s.e.", simulated),
        Series::line("bias, exact", exact),
        Series::line("bound cell by cell", ours),
        Series::line("published bound", published),
    ];
    let smallest = Axis::linear("smallest count r_m (scales of the noise)");
    let bias = panel("Its bias", smallest, Axis::log("bias (scales of the noise)"), curves);
    Ok(Figure::row("The smallest county as its count grows", vec![residuals, bias]))
}
