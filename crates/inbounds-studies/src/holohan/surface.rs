//! Increase of noise that the conditioned mechanism needs.

use inbounds_core::{Epsilon, Sensitivity};
use inbounds_mechanisms::{
    calibrate::{self, continuous_conditioned_scale},
    law::{Laplace, Noise},
};
use inbounds_plot::{Axis, Figure, Series};

use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, geometric, panel},
    statement::holohan as said,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-surface",
    paper: Paper::Holohan,
    place: "Figure 3 and Section 5",
    claim: "The conditioned mechanism of epsilon uses the noise of a plain one of some `epsilon' <= epsilon`. On a domain of \
            width 1 the ratio `epsilon / epsilon'` lies between 1 and 2: it is 1 where the sensitivity is the whole width, and \
            tends to 2 where sensitivity and epsilon are small.",
    statements: &[&said::FIGURE_3, &said::DOUBLING],
    replicates: 0,
    compute,
};

const SENSITIVITIES: [f64; 9] = [0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0];
const EPSILONS: [f64; 9] = [0.001, 0.01, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0];

/// The table of this project's reference computation in 50 digits, rows by sensitivity and columns by epsilon.
const REFERENCE: [[&str; 9]; 9] = [
    ["1.9987", "1.9950", "1.9512", "1.8826", "1.7798", "1.6126", "1.3949", "1.1591", "1.0745"],
    ["1.9898", "1.9873", "1.9509", "1.8826", "1.7798", "1.6126", "1.3949", "1.1591", "1.0745"],
    ["1.9498", "1.9477", "1.9235", "1.8733", "1.7789", "1.6126", "1.3949", "1.1591", "1.0745"],
    ["1.8998", "1.8979", "1.8773", "1.8383", "1.7639", "1.6116", "1.3949", "1.1591", "1.0745"],
    ["1.7498", "1.7484", "1.7336", "1.7080", "1.6629", "1.5672", "1.3911", "1.1591", "1.0745"],
    ["1.4999", "1.4992", "1.4916", "1.4789", "1.4573", "1.4133", "1.3271", "1.1574", "1.0745"],
    ["1.2500", "1.2497", "1.2475", "1.2437", "1.2371", "1.2237", "1.1965", "1.1281", "1.0719"],
    ["1.1000", "1.1000", "1.0995", "1.0988", "1.0976", "1.0950", "1.0894", "1.0726", "1.0528"],
    ["1", "1", "1", "1", "1", "1", "1", "1", "1"],
];

/// `epsilon / epsilon'` with `epsilon' = sensitivity / scale`, on a domain of width 1.
fn ratio(sensitivity: f64, epsilon: f64) -> f64 {
    epsilon * continuous_conditioned_scale(epsilon, sensitivity, 1.0) / sensitivity
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("ratio", ["sensitivity", "epsilon", "ratio"]);
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0f64);
    let mut lines = Vec::new();
    for sensitivity in [0.001, 0.1, 0.25, 0.5, 0.75] {
        let points = geometric(0.001, 10.0, 80).map(|epsilon| (epsilon, ratio(sensitivity, epsilon)));
        lines.push(Series::line(format!("sensitivity {sensitivity}"), points.collect()));
    }
    for sensitivity in geometric(0.001, 1.0, 30) {
        for epsilon in geometric(0.001, 10.0, 40) {
            let computed = ratio(sensitivity, epsilon);
            table.push([sensitivity, epsilon, computed].map(Into::into));
            smallest = smallest.min(computed);
            largest = largest.max(computed);
        }
    }
    let mut checks = vec![
        Check::reproduced(&said::FIGURE_3, "smallest ratio on the surface", Claim::AtLeast(1.0), smallest, 0.0),
        Check::reproduced(&said::FIGURE_3, "largest ratio on the surface", Claim::Below(2.0), largest, 0.0),
        Check::reproduced(
            &said::FIGURE_3,
            "ratio, sensitivity 1, epsilon 0.5",
            Claim::exactly(1.0),
            ratio(1.0, 0.5),
            0.0,
        ),
        Check::reproduced(
            &said::FIGURE_3,
            "ratio, sensitivity and epsilon 1e-6",
            Claim::Is { value: 2.0, within: 1e-5 },
            ratio(1e-6, 1e-6),
            0.0,
        ),
        Check::differs(
            &said::DOUBLING,
            "variance at epsilon = 2 epsilon' over that at epsilon'",
            Claim::exactly(2.0),
            Laplace::with_scale(2.0)?.variance() / Laplace::with_scale(1.0)?.variance(),
            0.0,
            "Section 5 calls it a doubling of the noise variance: the scale doubles, the variance is four times as large",
            24,
        ),
    ];
    for sensitivity in [0.001, 0.1, 0.5] {
        let limit = Claim::Is { value: 2.0 - sensitivity, within: 1e-6 };
        let quantity = format!("ratio as epsilon vanishes, sensitivity {sensitivity}: `2 - sensitivity`");
        checks.push(Check::ours(quantity, limit, ratio(sensitivity, 1e-8), 0.0));
    }
    for (sensitivity, row) in SENSITIVITIES.into_iter().zip(REFERENCE) {
        for (epsilon, printed) in EPSILONS.into_iter().zip(row) {
            let quantity = format!("ratio, sensitivity {sensitivity}, epsilon {epsilon}");
            let computed = ratio(sensitivity, epsilon);
            checks.push(Check::ours(quantity, Claim::printed(printed), computed, 0.0));
        }
    }
    checks.extend(on_the_grid()?);
    let widths = [0.1, 0.5, 1.0, 2.0].map(|epsilon| {
        let points = even(0.01, 1.0, 99).map(|sensitivity| (sensitivity, ratio(sensitivity, epsilon)));
        Series::line(format!("epsilon {epsilon}"), points.collect())
    });
    let y = || Axis::linear("epsilon / epsilon'");
    let figure = Figure::row(
        "Noise for conditioning over plain noise, domain of width 1",
        vec![
            panel("By epsilon", Axis::log("epsilon"), y(), lines),
            panel("By sensitivity", Axis::linear("sensitivity"), y(), widths.to_vec()),
        ],
    );
    let prose = "Reproduced: the surface lies between 1 and 2. Its edge at small epsilon is `2 - sensitivity`, its edge at small \
                 sensitivity `epsilon / log((1 + e^epsilon) / 2)`. The scale that the library certifies on a grid of a \
                 thousand steps agrees. Twice the scale is four times the variance, not twice."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// The ratio of the certified scale on a grid fine against the noise, and the proved loss there.
fn on_the_grid() -> Result<Vec<Check>, StudyError> {
    let mut checks = Vec::new();
    for (steps, width, epsilon) in [(1000u128, 10_000u128, "0.1"), (1000, 2000, "1"), (1000, 1000, "1")] {
        let sensitivity = Sensitivity { l1: steps, linf: steps, cells: 1, rule: "sum-add-remove", squares: None };
        let epsilon = Epsilon::new(epsilon.parse()?)?;
        let tau = calibrate::conditioned(&epsilon, &sensitivity, Some(width))?;
        let wanted = epsilon.value().to_f64();
        let computed = wanted / (tau.to_f64() * steps as f64);
        let quantity = |quantity: &str| format!("{quantity}, {steps} of {width} steps, epsilon {wanted}");
        let near = Claim::Is { value: ratio(steps as f64 / width as f64, wanted), within: 1e-3 };
        checks.push(Check::ours(quantity("ratio as certified on a grid"), near, computed, 0.0));
        let loss = calibrate::conditioned_loss(&tau, &sensitivity, Some(width))?;
        checks.push(Check::ours(quantity("its proved loss"), Claim::AtMost(wanted), loss, 0.0));
    }
    Ok(checks)
}
