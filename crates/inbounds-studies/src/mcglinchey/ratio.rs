//! Ratio of the bias of conditioning to that of clamping, at equal privacy.

use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    calibrate::continuous_conditioned_scale,
    law::Laplace,
};
use inbounds_plot::{Axis, Figure, Series};

use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, panel},
    statement::mcglinchey as said,
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-ratio",
    paper: Paper::McGlinchey,
    place: "Equation (9)",
    claim: "On `[0, inf)` conditioning with noise of scale `2 Delta / epsilon` has more than twice the bias of clamping with \
            scale `Delta / epsilon`, for every answer.",
    statements: &[&said::EQUATION_9],
    replicates: 0,
    compute,
};

const EPSILONS: [f64; 4] = [0.1, 0.5, 1.0, 5.0];

/// Biases of conditioning over those of clamping, for an answer `q` and unit sensitivity.
struct Ratios {
    /// At the published scale `2 / epsilon`.
    published: f64,
    /// At the least scale that keeps epsilon.
    exact: f64,
}

fn ratios(epsilon: f64, q: f64) -> Result<Ratios, StudyError> {
    let half_line = Range::new(0.0, f64::INFINITY)?;
    let clamped = Clamped::new(Laplace::with_scale(1.0 / epsilon)?, half_line).bias(q);
    let conditioned = |scale| Ok::<_, StudyError>(Conditioned::new(Laplace::with_scale(scale)?, half_line).bias(q));
    Ok(Ratios {
        published: conditioned(2.0 / epsilon)? / clamped,
        exact: conditioned(continuous_conditioned_scale(epsilon, 1.0, f64::INFINITY))? / clamped,
    })
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("ratios", ["epsilon", "answer_times_epsilon", "published_scale", "exact_scale"]);
    let mut checks = Vec::new();
    let mut lines = [Vec::new(), Vec::new()];
    for epsilon in EPSILONS {
        let mut smallest = Ratios { published: f64::INFINITY, exact: f64::INFINITY };
        let mut points = [Vec::new(), Vec::new()];
        for units in even(0.0, 2.0, 40) {
            let computed = ratios(epsilon, units / epsilon)?;
            table.push([epsilon.into(), units.into(), computed.published.into(), computed.exact.into()]);
            points[0].push((units, computed.published));
            points[1].push((units, computed.exact));
            smallest.published = smallest.published.min(computed.published);
            smallest.exact = smallest.exact.min(computed.exact);
        }
        let least = |quantity: &str| format!("smallest ratio, {quantity}, epsilon {epsilon}");
        let (quantity, above) = (least("published scale"), Claim::Above(2.0));
        checks.push(Check::reproduced(&said::EQUATION_9, quantity, above, smallest.published, 0.0));
        let closed = 2.0 * epsilon / libm::log1p(libm::expm1(epsilon) / 2.0);
        checks.push(Check::ours(least("exact scale"), Claim::exactly(closed), smallest.exact, 0.0));
        for (lines, points) in lines.iter_mut().zip(points) {
            lines.push(Series::line(format!("epsilon {epsilon}"), points));
        }
    }
    let sharp = ratios(1.0, 0.0)?.published;
    let why = "the bound is true but not sharp: the ratio is at least 4, attained by an answer of 0";
    let quantity = "largest lower bound";
    checks.push(Check::differs(&said::EQUATION_9, quantity, Claim::exactly(2.0), sharp, 0.0, why, 15));
    let answer = || Axis::linear("answer (units of sensitivity / epsilon)");
    let ratio = || Axis::linear("bias of conditioning / bias of clamping");
    let [published, exact] = lines;
    let figure = Figure::row(
        "Conditioning against clamping on a half line",
        vec![
            panel("Scale 2 / epsilon", answer(), ratio(), published),
            panel("Least scale that keeps epsilon", answer(), ratio(), exact),
        ],
    );
    let prose = "Twice is true and four is sharp. The scale `2 Delta / epsilon` is more than privacy needs: at the least scale \
                 that keeps epsilon, `Delta / log((1 + e^epsilon) / 2)`, the ratio is smallest for an answer of 0, where it \
                 is `2 epsilon / log((1 + e^epsilon) / 2)`, between 2 and 4."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}
