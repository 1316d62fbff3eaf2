//! The least worst-case bias of any nonnegative mechanism that keeps epsilon, whatever its noise.

use inbounds_plot::{Axis, Figure, Series};

use super::half_line::least_bias;
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{geometric, panel},
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-any-mechanism",
    paper: Paper::McGlinchey,
    place: "Section 6, beyond Laplace noise",
    claim: "The paper shows that restriction and post-processing of Laplace noise have a positive worst-case bias; whether other \
            nonnegative mechanisms of the same epsilon have less is not asked.",
    statements: &[],
    replicates: 0,
    compute,
};

const EPSILONS: [f64; 6] = [0.1, 0.5, 1.0, 2.0, 3.0, 5.0];

/// Steps a sensitivity of the grid of answers.
const STEPS: usize = 20;

/// The bound `k / (1 + e^(k epsilon))` that answers `k` sensitivities apart set, largest over whole `k`.
fn bound(epsilon: f64) -> f64 {
    let last = (8.0 / epsilon).ceil().max(8.0) as u32;
    (1..=last).map(|k| f64::from(k) / (1.0 + libm::exp(f64::from(k) * epsilon))).fold(0.0, f64::max)
}

/// Mean estimates on a grid of answers that change by a factor of at most `e^epsilon` from any answer to another within
/// a sensitivity, and are nowhere more than the bound away from the answer:
/// `m(q) = max over q' of e^(-epsilon ceil|q - q'|) (q' - B)`, for sensitivity 1.
fn means(epsilon: f64) -> Vec<f64> {
    let (least, scales) = (bound(epsilon), (12.0 / epsilon).ceil().max(12.0) as usize);
    let answers = scales * STEPS;
    let mean = |q: usize| {
        let others = (0..=answers).map(|other| {
            let apart = other.abs_diff(q).div_ceil(STEPS) as f64;
            libm::exp(-epsilon * apart) * (other as f64 / STEPS as f64 - least)
        });
        others.fold(0.0, f64::max)
    };
    (0..=answers).map(mean).collect()
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("bounds", ["epsilon", "any_mechanism", "laplace_noise"]);
    let mut lines = [Vec::new(), Vec::new()];
    for epsilon in geometric(0.05, 8.0, 80) {
        let bounds = [bound(epsilon), least_bias() / epsilon];
        table.push([epsilon, bounds[0], bounds[1]].map(Into::into));
        lines.iter_mut().zip(bounds).for_each(|(line, bound)| line.push((epsilon, bound)));
    }
    let mut checks = Vec::new();
    for epsilon in EPSILONS {
        let quantity = |quantity: &str| format!("{quantity}, epsilon {epsilon}");
        let means = means(epsilon);
        let bias = |(step, mean): (usize, &f64)| (mean - step as f64 / STEPS as f64).abs();
        let worst = means.iter().enumerate().map(bias).fold(0.0, f64::max);
        checks.push(Check::ours(quantity("worst bias of the best means"), Claim::exactly(bound(epsilon)), worst, 0.0));
        let steepest = (1..=STEPS).flat_map(|gap| means.iter().zip(&means[gap..]));
        let steepest = steepest.map(|(a, b)| libm::log(b / a).abs()).fold(0.0, f64::max);
        checks.push(Check::ours(quantity("largest log ratio of means"), Claim::AtMost(epsilon), steepest, 0.0));
        let laplace = least_bias() / epsilon;
        checks.push(Check::ours(quantity("worst bias of the best means"), Claim::AtMost(laplace), worst, 0.0));
    }
    let names = ["any mechanism of epsilon", "Laplace noise and the best rule"];
    let series = names.into_iter().zip(lines).map(|(name, points)| Series::line(name, points)).collect();
    let y = Axis::log("worst bias / sensitivity");
    let figure =
        Figure::row("The least worst-case bias on a half line", vec![panel("", Axis::log("epsilon"), y, series)]);
    let prose = "The bound `b W(1/e)` with `b = Delta / epsilon` uses nothing of Laplace noise but that the laws of two answers \
                 differ by a factor of at most `e^(epsilon |q - q'| / Delta)`, so no mechanism with that property does better. If \
                 epsilon is asked of answers within one sensitivity only, the bound is `Delta max k / (1 + e^(k epsilon))` over \
                 whole `k`, and means that attain it are computed here: below epsilon 1 the two hardly differ, and at large \
                 epsilon Laplace noise with the best rule has more bias than it must."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}
