//! The rules of least worst-case bias between two ends.

use inbounds_core::{Rational, root};
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, FarBias, Range, ShiftedRamp, Thresholded},
    calibrate::continuous_conditioned_scale,
    designer::{Answers, Criterion, Designer},
    law::Laplace,
    noise::DiscreteLaplace,
};
use inbounds_plot::{At, Axis, Figure, Reference, Series};

use super::{
    bias::{Named, curves, noise, simulated, table, unit},
    half_line::least_bias,
};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, panel},
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-interval",
    paper: Paper::McGlinchey,
    place: "Sections 3 and 6, between two ends",
    claim: "For answers in `[0, U]` boundary inflated truncation and truncation are both biased; the least worst-case bias of \
            any rule is not asked.",
    statements: &[],
    replicates: 200_000,
    compute,
};

/// The least worst bias on `[0, width]` for noise of scale 1: `(width / 2) e^(-width / 2)`, and at least `W(1/e)` where
/// the interval is wider than `1 + W(1/e)`.
fn least_on(width: f64) -> f64 {
    let pair = 0.5 * width * libm::exp(-0.5 * width);
    let w = least_bias();
    if width >= 1.0 + w { pair.max(w) } else { pair }
}

/// Where one bit stops being the best: the larger root of `(v / 2) e^(-v / 2) = W(1/e)`.
fn turning_point() -> f64 {
    root::bisect(2.0, 8.0, |width| 0.5 * width * libm::exp(-0.5 * width) > least_bias()).0
}

struct Worst {
    clamped: f64,
    shifted: f64,
    least: f64,
}

fn worst(width: f64) -> Result<Worst, StudyError> {
    let (unit, range) = (unit()?, Range::new(0.0, width)?);
    Ok(Worst {
        clamped: Clamped::new(unit, range).worst_bias(),
        shifted: ShiftedRamp::optimal(unit, range).worst_bias(),
        least: Thresholded::least_bias(unit, range, FarBias::None).worst_bias(),
    })
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut widths = Table::new("widths", ["width", "clamped", "stretched_clamp", "least", "closed_form"]);
    let mut series = [Vec::new(), Vec::new(), Vec::new()];
    let mut checks =
        vec![Check::ours("width from which one bit is not best", Claim::printed("3.88475"), turning_point(), 0.0)];
    for width in even(0.2, 12.0, 59) {
        let Worst { clamped, shifted, least } = worst(width)?;
        widths.push([width, clamped, shifted, least, least_on(width)].map(Into::into));
        for (series, bias) in series.iter_mut().zip([clamped, shifted, least]) {
            series.push((width, bias));
        }
    }
    for width in [0.5, 1.0, 2.0, 3.0, 3.8, 4.0, 5.0, 8.0, 20.0] {
        let near = Claim::Is { value: least_on(width), within: 1e-8 };
        checks.push(Check::ours(format!("worst bias of the best rule, width {width}"), near, worst(width)?.least, 0.0));
        let clamp = Claim::exactly(-0.5 * libm::expm1(-width));
        let quantity = format!("worst bias of the clamp, width {width}");
        checks.push(Check::ours(quantity, clamp, worst(width)?.clamped, 0.0));
    }
    designed(&mut checks)?;
    let restricted = against_conditioning(&mut checks)?;

    let (range, unit) = (Range::new(0.0, 5.0)?, unit()?);
    let best = Thresholded::least_bias(unit, range, FarBias::None);
    let (clamped, conditioned) = (Clamped::new(unit, range), Conditioned::new(unit, range));
    let rule = best.rule();
    let mechanisms = [
        Named { name: "clamp", law: &clamped, estimate: &|q, uniform| (q + noise(uniform, &unit)).clamp(0.0, 5.0) },
        Named { name: "least bias", law: &best, estimate: &|q, uniform| rule.value(range, q + noise(uniform, &unit)) },
        Named { name: "conditioned", law: &conditioned, estimate: &|q, uniform| conditioned.quantile(uniform, q) },
    ];
    let mut table = table();
    let (biases, _) = curves(&mechanisms, even(0.0, 5.0, 200), &mut table);
    checks.extend(simulated(context, &mechanisms, &[0.0, 0.5, 1.3, 2.5]));

    let names = ["clamp", "stretched clamp", "least bias"];
    let lines = names.into_iter().zip(series).map(|(name, points)| Series::line(name, points)).collect();
    let scales = |quantity: &str| Axis::linear(format!("{quantity} (scales)"));
    let mut wide = panel(
        "Worst bias; left of the line one bit is best",
        scales("width of the range"),
        scales("worst bias"),
        lines,
    );
    wide.references.push(Reference { at: At::X(turning_point()), label: String::new() });
    let narrow = panel("Bias, range 5 scales wide", scales("answer"), scales("bias"), biases);
    let figure = Figure::row("Rules between two ends, Laplace noise of scale 1", vec![wide, narrow]);
    let prose = "Between two ends `U` apart the least worst-case bias is `(U/2) e^(-U / 2b)` for `U` up to `3.88475 b`, by \
                 publishing the nearer end, one bit; and `b W(1/e)` beyond, by a clamp that publishes an end from `s` short of \
                 it on. Conditioning on the range at the least scale that keeps epsilon is worse than the clamp in worst bias \
                 wherever it was tried, and better in worst mean square error only where the sensitivity is as large as the \
                 range and epsilon small."
        .to_owned();
    let tables = vec![widths, table, restricted];
    Ok(Findings { tables, figure: Some(figure), checks, prose, substitute: None })
}

/// Lower bounds by convex programming, on 20 steps a scale.
fn designed(checks: &mut Vec<Check>) -> Result<(), StudyError> {
    const STEPS: u32 = 20;
    let tau = &Rational::ONE / &Rational::from(u128::from(STEPS));
    let noise = DiscreteLaplace::with_inverse_scale(tau)?;
    for width in [1u32, 2, 3, 5] {
        let design = Designer::new(&noise, Answers::UpTo(width * STEPS))?.design(Criterion::WorstBias)?;
        let computed = design.lower_bound / f64::from(STEPS);
        // The lattice moves the answer by less than a part in a thousand.
        let near = Claim::Is { value: least_on(f64::from(width)), within: 3e-4 };
        checks.push(Check::ours(format!("lower bound of a convex programme, width {width}"), near, computed, 0.0));
    }
    Ok(())
}

/// Conditioning at its least scale against clamping, at equal epsilon on `[0, 1]`.
fn against_conditioning(checks: &mut Vec<Check>) -> Result<Table, StudyError> {
    let headings = [
        "sensitivity",
        "epsilon",
        "plain_scale",
        "conditioned_scale",
        "worst_bias_conditioned",
        "worst_bias_clamped",
        "worst_bias_least",
        "worst_mse_conditioned",
        "worst_mse_clamped",
    ];
    let mut table = Table::new("conditioning", headings);
    let range = Range::new(0.0, 1.0)?;
    let largest_mse = |law: &dyn Bounding| even(0.0, 0.5, 200).map(|q| law.mse(q)).fold(0.0, f64::max);
    let mut least_excess = f64::INFINITY;
    for sensitivity in [0.01, 0.1, 0.25, 0.5, 1.0] {
        for epsilon in [0.1, 0.5, 1.0, 2.0, 5.0] {
            let plain = sensitivity / epsilon;
            let scale = continuous_conditioned_scale(epsilon, sensitivity, 1.0);
            let (noise, wider) = (Laplace::with_scale(plain)?, Laplace::with_scale(scale)?);
            let (clamped, conditioned) = (Clamped::new(noise, range), Conditioned::new(wider, range));
            let best = Thresholded::least_bias(noise, range, FarBias::None);
            let biases = [conditioned.worst_bias(), clamped.worst_bias(), best.worst_bias()];
            least_excess = least_excess.min(biases[0] / biases[1]);
            let errors = [largest_mse(&conditioned), largest_mse(&clamped)];
            let row = [[sensitivity, epsilon, plain, scale].as_slice(), &biases, &errors].concat();
            table.push(row.into_iter().map(Into::into).collect::<Vec<_>>());
            if (sensitivity, epsilon) == (1.0, 0.1) {
                checks.push(Check::ours(
                    "worst bias conditioned, D = U, epsilon 0.1",
                    Claim::printed("0.49167"),
                    biases[0],
                    0.0,
                ));
                checks.push(Check::ours("worst bias clamped, the same", Claim::printed("0.47581"), biases[1], 0.0));
                checks.push(Check::ours("worst error conditioned, the same", Claim::printed("0.3250"), errors[0], 0.0));
                checks.push(Check::ours("worst error clamped, the same", Claim::printed("0.4679"), errors[1], 0.0));
            }
        }
    }
    let quantity = "smallest ratio of worst biases, conditioned to clamped, over the table";
    checks.push(Check::ours(quantity, Claim::Above(1.0), least_excess, 0.0));
    Ok(table)
}
