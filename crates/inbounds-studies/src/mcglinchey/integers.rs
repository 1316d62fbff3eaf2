//! The rules of least worst-case bias for whole numbers, as they run.

use std::sync::Arc;

use inbounds_core::{Answer, Epsilon, Guarantee, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, FarBias, Range, ShiftedRamp, Thresholded},
    designer::{Answers, Criterion, Designer},
    mechanism::{Measurements, Mechanism},
    noise::DiscreteLaplace,
    registry,
};
use inbounds_plot::{Axis, Figure, Panel, Series};

use super::bias::half_line;
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, simulate},
    picture::{geometric, panel},
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-integers",
    paper: Paper::McGlinchey,
    place: "Section 6, the open problem on the integers",
    claim: "For counts the noise is two-sided geometric; the paper, on the real line, leaves its least worst-case bias open \
            too.",
    statements: &[],
    replicates: 200_000,
    compute,
};

const INVERSE_SCALES: [&str; 6] = ["0.05", "0.1", "0.5", "1", "2", "3"];

/// The bound that answers `q` up to `top` set: the largest `q / (1 + e^(tau q))`.
fn half_line_bound(tau: f64, top: u32) -> f64 {
    (1..=top).map(|q| f64::from(q) / (1.0 + libm::exp(tau * f64::from(q)))).fold(0.0, f64::max)
}

/// The bound on `{0, ..., top}`: the one above, or that of the two ends.
fn interval_bound(tau: f64, top: u32) -> f64 {
    let (a, n) = (libm::exp(-tau), f64::from(top));
    let ends = if top % 2 == 1 {
        n * libm::exp(-tau * (n + 1.0) / 2.0) / (1.0 + a)
    } else {
        n / 2.0 * libm::exp(-tau * n / 2.0)
    };
    ends.max(half_line_bound(tau, top))
}

fn noise(tau: &str) -> Result<DiscreteLaplace, StudyError> {
    Ok(DiscreteLaplace::with_inverse_scale(tau.parse::<Rational>()?)?)
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table =
        Table::new("worst-bias", ["inverse_scale", "top", "clamped", "shifted_ramp", "least", "closed_form"]);
    let mut checks = Vec::new();
    for tau in INVERSE_SCALES {
        let noise = noise(tau)?;
        let closed = half_line_bound(noise.tau(), 1000);
        let range = half_line()?;
        let clamped = Clamped::new(&noise, range).worst_bias();
        let shifted = ShiftedRamp::optimal(&noise, range).worst_bias();
        let least = Thresholded::least_bias(&noise, range, FarBias::Shifted).worst_bias();
        table.push([noise.tau(), f64::INFINITY, clamped, shifted, least, closed].map(Into::into));
        let near = Claim::Is { value: closed, within: 1e-8 * closed };
        checks.push(Check::ours(format!("least worst bias on 0, 1, ..., tau {tau}"), near, least, 0.0));
        checks.push(Check::ours(format!("clamp, tau {tau}"), clamp_bias(noise.tau()), clamped, 0.0));
        let programme = Designer::new(&noise, Answers::HalfLine)?.design(Criterion::WorstBias)?.lower_bound;
        let near = Claim::Is { value: closed, within: 1e-6 * closed };
        checks.push(Check::ours(format!("lower bound of a convex programme, tau {tau}"), near, programme, 0.0));
    }
    for (tau, top) in [("0.05", 20), ("0.5", 5), ("0.5", 8), ("1", 3), ("1", 10), ("2", 4)] {
        let noise = noise(tau)?;
        let range = Range::new(0.0, f64::from(top))?;
        let clamped = Clamped::new(&noise, range).worst_bias();
        let shifted = ShiftedRamp::optimal(&noise, range).worst_bias();
        let least = Thresholded::least_bias(&noise, range, FarBias::None).worst_bias();
        let closed = interval_bound(noise.tau(), top);
        table.push([noise.tau(), f64::from(top), clamped, shifted, least, closed].map(Into::into));
        let near = Claim::Is { value: closed, within: 1e-8 * closed };
        checks.push(Check::ours(format!("least worst bias on 0, ..., {top}, tau {tau}"), near, least, 0.0));
        let programme = Designer::new(&noise, Answers::UpTo(top))?.design(Criterion::WorstBias)?.lower_bound;
        let near = Claim::Is { value: closed, within: 1e-6 * closed };
        checks.push(Check::ours(format!("convex programme on 0, ..., {top}, tau {tau}"), near, programme, 0.0));
    }
    checks.extend(measured(context)?);
    let figure = Figure::row("Counts, noise of epsilon", vec![worst_biases()?, biases()?]);
    let prose = "On the integers, with noise of masses proportional to `e^(-tau |k|)`, the least worst-case bias is the largest \
                 `q / (1 + e^(tau q))` over whole `q`: the same argument, and again it is attained. A convex programme for \
                 arbitrary rules proves the same lower bounds. The mechanisms of this project, drawn a hundred thousand \
                 times and more, have the biases that are computed for them."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// Worst biases of three rules on `{0, 1, ...}`, times epsilon.
fn worst_biases() -> Result<Panel, StudyError> {
    let names = ["clamped", "shifted-ramp", "thresholded"];
    let mut lines = names.map(|_| Vec::new());
    for tau in geometric(0.05, 5.0, 40) {
        let noise = DiscreteLaplace::with_inverse_scale(Rational::from_f64(tau).expect("finite"))?;
        let range = half_line()?;
        let clamped = Clamped::new(&noise, range).worst_bias();
        let shifted = ShiftedRamp::optimal(&noise, range).worst_bias();
        let least = Thresholded::least_bias(&noise, range, FarBias::Shifted).worst_bias();
        for (line, bias) in lines.iter_mut().zip([clamped, shifted, least]) {
            line.push((tau, bias * tau));
        }
    }
    let series = names.into_iter().zip(lines).map(|(name, points)| Series::line(name, points)).collect();
    Ok(panel("Worst bias", Axis::log("epsilon of a count"), Axis::linear("worst bias x epsilon"), series))
}

/// Biases of the mechanisms as they run, at epsilon 1/2.
fn biases() -> Result<Panel, StudyError> {
    let mut series = Vec::new();
    for name in MECHANISMS {
        let mechanism = counts(name)?;
        let points = (0..=12).map(|count: i16| (f64::from(count), mechanism.error_at(i128::from(count)).bias));
        series.push(Series::line(name, points.collect()));
    }
    Ok(panel("Bias at epsilon 1/2", Axis::linear("count"), Axis::linear("bias"), series))
}

const MECHANISMS: [&str; 6] =
    ["clamped", "shifted-ramp", "thresholded", "hard-thresholded", "scale-thresholded", "conditioned"];

/// A mechanism for counts at epsilon 1/2.
fn counts(name: &str) -> Result<Arc<dyn Mechanism>, StudyError> {
    let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "sum-add-remove", squares: None };
    let guarantee = Guarantee::Pure { epsilon: Epsilon::new("0.5".parse()?)? };
    let entry = registry::find(name).expect("registered");
    Ok(entry.calibrate(&guarantee, &one, StepRange::new(Some(0), None)?)?)
}

/// `a / (1 - a^2)`, the bias of the clamp for an answer of 0.
fn clamp_bias(tau: f64) -> Claim {
    Claim::exactly(0.5 / libm::sinh(tau))
}

/// Biases of real mechanisms for counts at epsilon 1/2, by measuring answers again and again.
fn measured(context: &Context<'_>) -> Result<Vec<Check>, StudyError> {
    let answers = [0i128, 2, 9];
    let mut checks = Vec::new();
    for name in MECHANISMS {
        let mechanism = counts(name)?;
        let replicate = |draws: &mut Draws, means: &mut [Mean; 3]| {
            let taken = Measurements::take(mechanism.clone(), Answer::new(answers.to_vec()), draws.entropy());
            for ((mean, &answer), &step) in means.iter_mut().zip(&answers).zip(taken.steps()) {
                mean.add(-mechanism.estimate(step).distance_to(answer));
            }
        };
        let means = simulate(context, name, || [Mean::default(); 3], replicate);
        for (mean, answer) in means.iter().zip(answers) {
            let bias = mechanism.error_at(answer).bias;
            // What is unbiased may be computed as a rounding error.
            let claimed = Claim::exactly(if bias.abs() < 1e-12 { 0.0 } else { bias });
            checks.push(Check::ours(
                format!("{name}: bias at {answer}, epsilon 1/2"),
                claimed,
                mean.value(),
                mean.error(),
            ));
        }
    }
    Ok(checks)
}
