//! The scale for `(epsilon, delta)`.

use inbounds_core::root;
use inbounds_mechanisms::{
    bounding::{Conditioned, Range},
    calibrate::{
        continuous::{conditioned_delta, conditioned_delta_scale, conditioned_scale, laplace_delta, laplace_scale},
        continuous_conditioned_loss,
    },
    law::{Laplace, Noise},
};
use inbounds_plot::{Axis, Figure, Series};

use super::density::hockey_stick;
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, geometric, panel},
    statement::holohan as said,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-delta",
    paper: Paper::Holohan,
    place: "Theorem 3.5, equation (2.1) and what is said of them",
    claim: "For `(epsilon, delta)` the least scale is the fixed point of `f`, with `epsilon - log(1 - delta)` in the place of \
            epsilon. The noise of the bounded mechanism never has less variance than that of the plain one.",
    statements: &[&said::THEOREM_3_5, &said::EQUATION_2_1, &said::OPTIMAL, &said::VARIANCE],
    replicates: 0,
    compute,
};

/// The scale of Theorem 3.5: that of a pure guarantee of `epsilon - log(1 - delta)`.
fn published(epsilon: f64, delta: f64, width: f64) -> f64 {
    conditioned_scale(epsilon - libm::log1p(-delta), 1.0, width)
}

/// Width of the domain, epsilon, delta, and the exact scale of a reference computation in 50 digits, for sensitivity 1.
const REFERENCE: [(f64, f64, f64, &str); 8] = [
    (1.0, 0.1, 1e-3, "8.229887"),
    (1.0, 1.0, 0.01, "0.852126"),
    (10.0, 0.1, 0.1, "3.220373"),
    (10.0, 1.0, 1e-6, "1.608799"),
    (10.0, 1.0, 1e-3, "1.526202"),
    (f64::INFINITY, 0.1, 1e-3, "16.016826"),
    (f64::INFINITY, 1.0, 0.01, "1.355317"),
    (f64::INFINITY, 0.0, 0.1, "4.745611"),
];

fn domain(width: f64) -> String {
    if width.is_finite() { format!("width {width}") } else { "half line".to_owned() }
}

/// The largest hockey-stick divergence over pairs of answers a sensitivity of 1 apart, by integrating densities.
fn delta_by_integration(scale: f64, epsilon: f64, width: f64) -> Result<f64, StudyError> {
    let range = Range::new(0.0, width)?;
    let law = Conditioned::new(Laplace::with_scale(scale)?, range);
    let last = if width.is_finite() { width - 1.0 } else { 12.0 * scale };
    if last <= 0.0 {
        return Ok(hockey_stick(&law, epsilon, 0.0, 1.0));
    }
    let best = even(0.0, last, 60).map(|q| (hockey_stick(&law, epsilon, q, 1.0), q));
    let (_, near) = best.fold((0.0, 0.0), |best, one| if one.0 > best.0 { one } else { best });
    let (low, high) = ((near - last / 60.0).max(0.0), (near + last / 60.0).min(last));
    Ok(root::largest(low, high, |low, high| high - low < 1e-7, |q| hockey_stick(&law, epsilon, q, 1.0)).0)
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let headings = ["width", "epsilon", "delta", "published", "exact", "plain_published", "plain_exact"];
    let mut table = Table::new("scales", headings);
    let mut checks = Vec::new();
    for (width, epsilon, delta, reference) in REFERENCE {
        let domain = domain(width);
        let quantity = |quantity: &str| format!("{quantity}, {domain}, epsilon {epsilon}, delta {delta}");
        let exact = conditioned_delta_scale(epsilon, delta, 1.0, width);
        let theirs = published(epsilon, delta, width);
        let plain = [1.0 / (epsilon - libm::log1p(-delta)), laplace_scale(epsilon, delta, 1.0)];
        table.push([width, epsilon, delta, theirs, exact, plain[0], plain[1]].map(Into::into));
        let why = "sufficient, not necessary: the exact divergence allows less noise";
        let printed = Claim::exactly(theirs);
        checks.push(Check::differs(&said::OPTIMAL, quantity("least scale"), printed, exact, 0.0, why, 21));
        checks.push(Check::ours(quantity("least scale"), Claim::printed(reference), exact, 0.0));
        let near = Claim::Is { value: delta, within: 1e-6 * delta };
        checks.push(Check::ours(quantity("divergence there"), near, delta_by_integration(exact, epsilon, width)?, 0.0));
        let less = delta_by_integration(0.999 * exact, epsilon, width)?;
        checks.push(Check::ours(quantity("divergence at a thousandth less"), Claim::Above(delta), less, 0.0));
        checks.push(Check::reproduced(
            &said::THEOREM_3_5,
            quantity("divergence at the published scale"),
            Claim::AtMost(delta),
            delta_by_integration(theirs, epsilon, width)?,
            0.0,
        ));
        let computed = laplace_delta(epsilon, plain[0], 1.0);
        let quantity = quantity("divergence of plain noise at its published scale");
        checks.push(Check::reproduced(&said::EQUATION_2_1, quantity, Claim::AtMost(delta), computed, 0.0));
    }
    checks.extend(against_plain()?);
    let figure = figure();
    let prose = "With `delta > 0` the published scale keeps the guarantee and wastes noise: up to three quarters of it for \
                 epsilon 0, nothing for delta 0. The exact divergence of the worst pair has a closed form on a half line and for \
                 a sensitivity as wide as the domain, and is a search over one number otherwise; integrating the densities \
                 confirms it. For the plain law the exact scale is `D / (epsilon - 2 log(1 - delta))`. With exact scales on \
                 both sides the bounded mechanism can have *less* noise than the plain one."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// Corollary 4.5 where delta is large, and where it is zero. The variances are those of the noise, before conditioning.
fn against_plain() -> Result<Vec<Check>, StudyError> {
    let (epsilon, delta) = (0.1, 0.1);
    let (bounded, plain) = (conditioned_delta_scale(epsilon, delta, 1.0, 1.0), laplace_scale(epsilon, delta, 1.0));
    let why = "holds for delta = 0 only: with a delta conditioning can need less noise than the plain law";
    let at = "width 1, epsilon 0.1, delta 0.1";
    let kept = Claim::Is { value: delta, within: 1e-12 };
    let variance = |scale: f64| Ok::<_, StudyError>(Laplace::with_scale(scale)?.variance());
    let pure = geometric(0.01, 10.0, 60).map(|epsilon| conditioned_scale(epsilon, 1.0, 10.0) * epsilon);
    let least = variance(pure.fold(f64::INFINITY, f64::min))? / variance(1.0)?;
    let claimed = Claim::AtLeast(variance(plain)?);
    Ok(vec![
        Check::differs(
            &said::VARIANCE,
            format!("bounded noise variance, {at}"),
            claimed,
            variance(bounded)?,
            0.0,
            why,
            22,
        ),
        Check::reproduced(&said::VARIANCE, RATIO, Claim::AtLeast(1.0), least, 0.0),
        Check::reproduced(&said::OPTIMAL, AT_ZERO, Claim::exactly(1.0), pure_loss(), 0.0),
        Check::ours(format!("bounded scale, {at}"), Claim::printed("1.7662"), bounded, 0.0),
        Check::ours(format!("plain scale, {at}"), Claim::printed("3.2183"), plain, 0.0),
        Check::ours(format!("plain divergence at its scale, {at}"), kept, laplace_delta(epsilon, plain, 1.0), 0.0),
    ])
}

const RATIO: &str = "least ratio of noise variances, width 10, delta 0";
const AT_ZERO: &str = "privacy loss of the fixed point, width 10, delta 0, epsilon 1";

/// With `delta = 0` the fixed point spends epsilon, no less.
fn pure_loss() -> f64 {
    let fixed = published(1.0, 0.0, 10.0);
    continuous_conditioned_loss(fixed, 1.0, 10.0)
}

fn figure() -> Figure {
    let saved = [0.0, 0.1, 1.0].map(|epsilon| {
        let share = |delta: f64| conditioned_delta_scale(epsilon, delta, 1.0, 10.0) / published(epsilon, delta, 10.0);
        Series::line(
            format!("epsilon {epsilon}"),
            geometric(1e-6, 0.2, 50).map(|delta| (delta, share(delta))).collect(),
        )
    });
    let at_scale = [1.0, 2.0, f64::INFINITY].map(|width| {
        let points = geometric(0.5, 1.7, 80).map(|scale| (scale, conditioned_delta(1.0, scale, 1.0, width)));
        let points = points.filter(|(_, delta)| *delta > 1e-9).collect();
        Series::line(domain(width), points)
    });
    let exact = panel(
        "Least scale against the published one, width 10",
        Axis::log("delta"),
        Axis::linear("exact / published"),
        saved.to_vec(),
    );
    let divergence = panel("Exact delta at epsilon 1", Axis::linear("scale"), Axis::log("delta"), at_scale.to_vec());
    Figure::row("What delta buys when it is accounted for exactly, sensitivity 1", vec![exact, divergence])
}
