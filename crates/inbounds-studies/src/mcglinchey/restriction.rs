//! The privacy of restriction.

use inbounds_core::CoreError;
use inbounds_mechanisms::{
    bounding::Conditioned,
    calibrate::{continuous_conditioned_loss, continuous_conditioned_scale},
    law::Laplace,
};
use inbounds_plot::{Axis, Figure, Series};

use super::bias::half_line;
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, geometric, panel},
    published_scale,
    statement::mcglinchey as said,
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-restriction",
    paper: Paper::McGlinchey,
    place: "Proposition 2",
    claim: "Restricting Laplace noise of scale `Delta / epsilon` to nonnegative values is `2 epsilon`-differentially private, \
            so that for epsilon one should take the scale `2 Delta / epsilon`.",
    statements: &[&said::PROPOSITION_2, &said::SCALE_TO_TAKE],
    replicates: 0,
    compute,
};

/// The largest log ratio of densities over answers up to 8 scales from the end and changes up to the sensitivity, 1.
///
/// Log densities are piecewise linear in the output with kinks at the answers, so that outputs 0, both answers and one
/// beyond are all that matters.
fn loss_by_enumeration(law: &Conditioned<Laplace>) -> f64 {
    let scale = 1.0;
    let mut largest = 0.0f64;
    for q in even(0.0, 8.0, 400) {
        for other in even(q, q + scale, 20) {
            for x in [0.0, q, other, other + scale] {
                let ratio = law.ln_density(x, q) - law.ln_density(x, other);
                largest = largest.max(ratio.abs());
            }
        }
    }
    largest
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let range = half_line()?;
    let mut table = Table::new("loss", ["mechanism", "epsilon", "loss", "least_scale"]);
    let (mut losses, mut scales) = (Vec::new(), Vec::new());
    for epsilon in geometric(0.05, 10.0, 60) {
        let loss = continuous_conditioned_loss(1.0 / epsilon, 1.0, f64::INFINITY);
        let scale = continuous_conditioned_scale(epsilon, 1.0, f64::INFINITY);
        table.push([published_scale::NAME.into(), epsilon.into(), loss.into(), scale.into()]);
        losses.push((epsilon, loss / epsilon));
        scales.push((epsilon, scale * epsilon));
    }
    let mut checks = Vec::new();
    let loss = |epsilon: f64| -> Result<f64, CoreError> {
        Ok(loss_by_enumeration(&published_scale::conditioned(epsilon, 1.0, range)?))
    };
    for epsilon in [0.1, 0.5, 1.0, 5.0] {
        let (computed, quantity) = (loss(epsilon)?, |quantity: &str| format!("{quantity}, epsilon {epsilon}"));
        let (at_scale, twice) = (quantity("loss at scale 1 / epsilon"), Claim::AtMost(2.0 * epsilon));
        checks.push(Check::reproduced(&said::PROPOSITION_2, at_scale, twice, computed, 0.0));
        let closed = libm::log(2.0 * libm::exp(epsilon) - 1.0);
        checks.push(Check::ours(quantity("the same, `log(2 e^epsilon - 1)`"), Claim::exactly(closed), computed, 0.0));
        let least = continuous_conditioned_scale(epsilon, 1.0, f64::INFINITY);
        let why = "`2 epsilon` is never attained, and less noise does: `Delta / log((1 + e^epsilon) / 2)`";
        let printed = Claim::exactly(2.0 / epsilon);
        checks.push(Check::differs(&said::SCALE_TO_TAKE, quantity("scale to take"), printed, least, 0.0, why, 16));
        let achieved = loss_by_enumeration(&Conditioned::new(Laplace::with_scale(least)?, range));
        checks.push(Check::ours(quantity("loss at the least scale"), Claim::exactly(epsilon), achieved, 0.0));
    }
    let epsilon = || Axis::log("epsilon");
    let figure = Figure::row(
        "Restriction of Laplace noise to a half line",
        vec![
            panel(
                "What scale 1 / epsilon loses (not private)",
                epsilon(),
                Axis::linear("privacy loss / epsilon"),
                vec![Series::line("exact", losses), Series::line("Proposition 2", vec![(0.05, 2.0), (10.0, 2.0)])],
            ),
            panel(
                "What epsilon needs",
                epsilon(),
                Axis::linear("scale x epsilon / sensitivity"),
                vec![Series::line("exact", scales), Series::line("Proposition 2", vec![(0.05, 2.0), (10.0, 2.0)])],
            ),
        ],
    );
    let prose = "The bound is valid and not tight. The largest log ratio of densities, found by trying pairs of answers and \
                 outputs, is `log(2 e^epsilon - 1)`: below `2 epsilon`, above `epsilon`. At scale `Delta / epsilon` \
                 restriction is therefore not epsilon-differentially private; at `Delta / log((1 + e^epsilon) / 2)` it is, \
                 exactly."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}
