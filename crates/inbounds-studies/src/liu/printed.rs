//! Formulas and statements that do not hold as printed.

use inbounds_mechanisms::{
    bounding::{Bounding, Conditioned, Range},
    calibrate::continuous_conditioned_loss,
    law::{Laplace, Noise},
};
use inbounds_plot::{Axis, Figure, Series};

use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{geometric, panel},
    statement::liu as said,
};

pub(super) const STUDY: Study = Study {
    id: "liu-printed-formulas",
    paper: Paper::Liu,
    place: "Definition 2, equations (3) and (5), Table 1, Appendix B",
    claim: "Conditioned Laplace noise of scale `Delta / epsilon` is epsilon-differentially private; the law of clamped noise, \
            the density of generalised Gaussian noise, the mean square error of conditioned noise and the largest sample \
            variance are as printed.",
    statements: &[&said::DEFINITION_2_A, &said::DEFINITION_2_B, &said::EQUATION_3, &said::TABLE_1, &said::APPENDIX_B],
    replicates: 0,
    compute,
};

/// The case in which the formulas are evaluated: answer and scale, on `[0, 1]`.
const ANSWER: f64 = 0.3;
const SCALE: f64 = 0.5;

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut checks = losses();
    let mass = Claim::exactly(1.0);
    let why = "the printed upper mass is one minus the right one";
    let quantity = "total mass of the printed law (5)";
    checks.push(Check::differs(&said::DEFINITION_2_B, quantity, mass, printed_mass()?, 0.0, why, 1));
    let right = Conditioned::new(Laplace::with_scale(SCALE)?, Range::new(0.0, 1.0)?).mse(ANSWER);
    let claimed = Claim::exactly(printed_square(0.0));
    let why = "a factor of 1/2 was dropped on the way to the box";
    checks.push(Check::differs(&said::APPENDIX_B, "MSE of conditioning in Appendix B", claimed, right, 0.0, why, 3));
    let claimed = Claim::exactly(printed_square(100.0));
    let why = "the printed form changes when answer and range are shifted, here by 100";
    checks.push(Check::differs(&said::APPENDIX_B, "the same, all shifted by 100", claimed, right, 0.0, why, 3));
    let why = "the terms are positive, and subtracted";
    let quantity = "smallest term in the box, each said to be negative";
    checks.push(Check::differs(&said::APPENDIX_B, quantity, Claim::Below(0.0), smallest_term(), 0.0, why, 5));
    let why = "`Gamma(p/2)` stands for `Gamma(1/p)`";
    for p in [1.0, 2.0, 3.0] {
        let quantity = format!("total mass of the printed density (3), p = {p}");
        let computed = libm::tgamma(1.0 / p) / libm::tgamma(p / 2.0);
        checks.push(Check::differs(&said::EQUATION_3, quantity, mass, computed, 0.0, why, 8));
    }
    for n in [50u32, 51] {
        checks.push(largest_variance(n));
    }
    let (table, figure) = loss_curves();
    let prose = "The mass at an end depends on the private answer, so conditioning is no post-processing: on a half line its loss \
                 at scale `Delta / epsilon` is `log(2 e^epsilon - 1)`, nearly twice epsilon where epsilon is small. Only where the \
                 sensitivity is the whole range does the printed scale keep epsilon."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// The loss of the printed scale on a half line, and where it is right.
fn losses() -> Vec<Check> {
    let why = "the normaliser depends on the answer";
    let loss = |epsilon: f64, width: f64| continuous_conditioned_loss(1.0 / epsilon, 1.0, width);
    let half_line = |epsilon: f64| {
        let quantity = format!("privacy loss of the printed scale, half line, epsilon {epsilon}");
        let (claimed, computed) = (Claim::exactly(epsilon), loss(epsilon, f64::INFINITY));
        Check::differs(&said::DEFINITION_2_A, quantity, claimed, computed, 0.0, why, 2)
    };
    let mut checks: Vec<Check> = [0.1, 0.5, 1.0, 5.0].into_iter().map(half_line).collect();
    let closed = Claim::exactly(libm::log(2.0 * libm::exp(1.0) - 1.0));
    checks.push(Check::ours("the same at epsilon 1, closed form", closed, loss(1.0, f64::INFINITY), 0.0));
    let quantity = "privacy loss of the printed scale, sensitivity the whole range, epsilon 1";
    checks.push(Check::reproduced(&said::DEFINITION_2_A, quantity, Claim::exactly(1.0), loss(1.0, 1.0), 0.0));
    checks
}

/// Mass of the law (5) with its upper mass as printed.
fn printed_mass() -> Result<f64, StudyError> {
    let noise = Laplace::with_scale(SCALE)?;
    let (lower, upper) = (noise.cdf(-ANSWER), noise.sf(1.0 - ANSWER));
    Ok(lower + (1.0 - lower - upper) + (1.0 - upper))
}

/// The boxed mean square error of conditioning on `[c0, c0 + 1]` for the answer `c0 + ANSWER`.
fn printed_square(c0: f64) -> f64 {
    let (s, c1) = (c0 + ANSWER, c0 + 1.0);
    let (below, above) = (libm::exp((c0 - s) / SCALE), libm::exp((s - c1) / SCALE));
    let outside = (below + above) / 2.0;
    let linear = SCALE / 2.0 * ((s - c0) * below + (c1 - s) * above);
    let square = |c: f64| c * c / 4.0 + (c / 2.0 - s) * (c / 2.0 - s);
    2.0 * SCALE * SCALE - (linear + 0.5 * (square(c0) * below + square(c1) * above)) / (1.0 - outside)
}

/// The smallest of the four terms in the box for the answer `ANSWER` on `[0, 1]`.
fn smallest_term() -> f64 {
    let (below, above) = (libm::exp(-ANSWER / SCALE), libm::exp((ANSWER - 1.0) / SCALE));
    let square = |c: f64| c * c / 4.0 + (c / 2.0 - ANSWER) * (c / 2.0 - ANSWER);
    let terms = [ANSWER * below, (1.0 - ANSWER) * above, square(0.0) * below, square(1.0) * above];
    terms.into_iter().fold(f64::INFINITY, f64::min)
}

/// The largest sample variance of `n` values in `[0, 1]`: as the variance is convex, of values at the ends.
fn largest_variance(n: u32) -> Check {
    let size = f64::from(n);
    let variance = |ones: u32| f64::from(ones) * f64::from(n - ones) / (size * (size - 1.0));
    let computed = (0..=n).map(variance).fold(0.0, f64::max);
    let claimed = Claim::exactly(size / (4.0 * (size - 1.0)));
    let quantity = format!("largest sample variance of {n} values in [0, 1]");
    if n.is_multiple_of(2) {
        Check::reproduced(&said::TABLE_1, quantity, claimed, computed, 0.0)
    } else {
        let why = "an odd number of values has no two equal halves";
        Check::differs(&said::TABLE_1, quantity, claimed, computed, 0.0, why, 12)
    }
}

fn loss_curves() -> (Table, Figure) {
    let mut table = Table::new("losses", ["width_over_sensitivity", "epsilon", "loss"]);
    let curve = |width: f64| {
        let points = geometric(0.01, 10.0, 60).map(|epsilon| {
            let loss = continuous_conditioned_loss(1.0 / epsilon, 1.0, width);
            table.push([width, epsilon, loss].map(Cell::from));
            (epsilon, loss / epsilon)
        });
        Series::line(format!("range of {width} sensitivities"), points.collect())
    };
    let series = [1.0, 2.0, 5.0, f64::INFINITY].map(curve).into();
    let axes = (Axis::log("epsilon that is claimed"), Axis::linear("privacy loss over epsilon"));
    let panel = panel("Conditioned noise of scale Delta / epsilon", axes.0, axes.1, series);
    let figure = Figure { panel_size: (640.0, 400.0), ..Figure::row("What the printed scale costs", vec![panel]) };
    (table, figure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values computed apart, at 50 digits.
    #[test]
    fn printed_forms_are_evaluated_as_printed() {
        assert!((printed_mass().expect("a law") - 1.753_403_036_058_393_6).abs() < 1e-14);
        assert!((printed_square(0.0) - 0.259_64).abs() < 5e-6);
        assert!((printed_square(100.0) + 3321.1).abs() < 0.05);
    }
}
