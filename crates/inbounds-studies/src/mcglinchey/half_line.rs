//! The rules of least worst-case bias on a half line.

use inbounds_core::{Rational, root};
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, FarBias, Rule, ShiftedRamp, Thresholded},
    designer::{Answers, Criterion, Designer},
    noise::DiscreteLaplace,
};
use inbounds_plot::{At, Axis, Figure, Reference, Series};

use super::bias::{Named, curves, half_line, noise, simulated, table, unit};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, panel},
    statement::mcglinchey as said,
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-half-line",
    paper: Paper::McGlinchey,
    place: "Section 6, the open problem on the half line",
    claim: "Any square-integrable post-processing of Laplace noise has a strictly positive worst-case bias over nonnegative \
            answers; the paper leaves open how small it can be.",
    statements: &[&said::PROPOSITION_5],
    replicates: 200_000,
    compute,
};

/// The root of `w e^w = 1/e`, and so the largest `t / (1 + e^t)`, at `t = 1 + w`.
pub(super) fn least_bias() -> f64 {
    root::bisect(0.0, 1.0, |w| w * libm::exp(w + 1.0) < 1.0).0
}

/// The bound `t / (1 + e^t)` that an answer `t` scales from the end sets to the worst bias of every rule.
fn bound(t: f64) -> f64 {
    t / (1.0 + libm::exp(t))
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let (range, unit, w) = (half_line()?, unit()?, least_bias());
    let ramp = Clamped::new(unit, range);
    let shifted = ShiftedRamp::optimal(unit, range);
    let least = Thresholded::least_bias(unit, range, FarBias::Shifted);
    let hard = Thresholded::least_bias(unit, range, FarBias::None);
    let beyond = Thresholded::unbiased_beyond(unit, range);
    let value = |rule: Rule| move |q: f64, uniform: f64| rule.value(range, q + noise(uniform, &unit));
    let estimates = [Rule::CLAMP, shifted.rule(), least.rule(), hard.rule(), beyond.rule()].map(value);
    let laws: [&dyn Bounding; 5] = [&ramp, &shifted, &least, &hard, &beyond];
    let names =
        ["ramp", "best translated ramp", "least bias, shifted", "least bias, hard threshold", "threshold at the scale"];
    let mechanisms: Vec<Named<'_>> =
        (0..5).map(|index| Named { name: names[index], law: laws[index], estimate: &estimates[index] }).collect();
    let mut table = table();
    let (biases, errors) = curves(&mechanisms, even(0.0, 6.0, 240), &mut table);

    let (highest, at) = root::largest(0.0, 6.0, |low, high| high - low < 1e-9, bound);
    let mut checks = vec![
        Check::ours("largest lower bound, `W(1/e)`", Claim::exactly(w), highest, 0.0),
        Check::ours("the answer that sets it, `1 + W(1/e)`", Claim::Is { value: 1.0 + w, within: 1e-6 }, at, 0.0),
        Check::reproduced(&said::PROPOSITION_5, "least worst bias of any rule", Claim::Above(0.0), highest, 0.0),
    ];
    let worst = [0.5, shift_of_ramp(), w, w, libm::exp(-1.0)];
    for (Named { name, law, .. }, worst) in mechanisms.iter().zip(worst) {
        let near = Claim::Is { value: worst, within: 1e-8 };
        checks.push(Check::ours(format!("worst bias: {name}"), near, law.worst_bias(), 0.0));
    }
    checks.push(Check::ours("bias at 40: least bias, shifted", Claim::exactly(-w), least.bias(40.0), 0.0));
    for (Named { name, law, .. }, printed) in mechanisms.iter().zip(["2.0000", "2.1237", "2.0775", "2.2390", "2.0000"])
    {
        let worst = even(0.0, 40.0, 1600).map(|q| law.mse(q)).fold(0.0, f64::max);
        checks.push(Check::ours(format!("worst mean square error: {name}"), Claim::printed(printed), worst, 0.0));
    }
    let vanishes = Claim::Is { value: 0.0, within: 1e-12 };
    checks.push(Check::ours("bias at 40: least bias, hard threshold", vanishes, hard.bias(40.0), 0.0));
    checks.push(Check::ours("bias at 1.5: threshold at the scale", vanishes, beyond.bias(1.5), 0.0));
    let lattice = designed(&mut checks)?;
    checks.extend(simulated(context, &mechanisms[2..], &[0.0, 0.7, 1.5, 4.0]));

    let scales = |quantity: &str| Axis::linear(format!("{quantity} (scales)"));
    let mut bounds = panel(
        "What no rule can avoid",
        scales("answer"),
        scales("lower bound on the worst bias"),
        vec![Series::line("lower bound t / (1 + e^t)", even(0.0, 6.0, 120).map(|t| (t, bound(t))).collect())],
    );
    bounds.references.push(Reference { at: At::Y(w), label: "W(1/e)".to_owned() });
    let mut bias = panel("Bias", scales("answer"), scales("bias"), biases);
    bias.references = [w, -w].map(|y| Reference { at: At::Y(y), label: String::new() }).to_vec();
    let error = panel("Error", scales("answer"), scales("root mean square error"), errors);
    let figure = Figure::row("Rules for nonnegative answers, Laplace noise of scale 1", vec![bias, error, bounds]);
    let prose = "The open problem has an answer: the least worst-case bias of any nonnegative function of an answer plus Laplace \
                 noise of scale `b` is `b W(1/e) = 0.278465 b`. Since the law at `q` has at most `e^(q/b)` times the density of \
                 the law at 0, the mean estimate grows at most that fast, so a bias of at most `B` everywhere needs \
                 `q - B <= e^(q/b) B`. Publishing 0 below `b (1 + W)` and `x - b W` from there on attains it, and so do other \
                 rules; one of them has no bias far from 0. The proof is in [least-bias.md](../least-bias.md). On fine \
                 lattices a convex programme, which knows nothing of it, finds the same number."
        .to_owned();
    Ok(Findings { tables: vec![table, lattice], figure: Some(figure), checks, prose, substitute: None })
}

/// The root of `alpha e^alpha = 1/2`.
fn shift_of_ramp() -> f64 {
    root::bisect(0.0, 1.0, |alpha| alpha * libm::exp(alpha) < 0.5).0
}

/// The least worst bias by convex programming on lattices, with its proved lower bound, in scales.
fn designed(checks: &mut Vec<Check>) -> Result<Table, StudyError> {
    let mut table = Table::new("lattice", ["steps_per_scale", "designed_rule", "proved_lower_bound"]);
    for steps in [5u32, 10, 20] {
        let tau = &Rational::ONE / &Rational::from(u128::from(steps));
        let design = Designer::new(&DiscreteLaplace::with_inverse_scale(tau)?, Answers::HalfLine)?
            .design(Criterion::WorstBias)?;
        let scales = |bias: f64| bias / f64::from(steps);
        let (computed, proved) = (scales(design.errors.worst_bias), scales(design.lower_bound));
        table.push([f64::from(steps).into(), computed.into(), proved.into()]);
        // The bound by the best whole number of steps.
        let lattice = (1..4 * steps).map(|q| bound(f64::from(q) / f64::from(steps)));
        let closed = lattice.fold(0.0, f64::max);
        let quantity = |quantity: &str| format!("{quantity}, {steps} steps a scale");
        checks.push(Check::ours(quantity("designed rule"), Claim::Is { value: closed, within: 1e-7 }, computed, 0.0));
        checks.push(Check::ours(
            quantity("lower bound of the programme"),
            Claim::Is { value: closed, within: 1e-7 },
            proved,
            0.0,
        ));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_have_their_printed_digits() {
        assert!((least_bias() - 0.278_464_542_761_073_8).abs() < 1e-15);
        assert!((shift_of_ramp() - 0.351_733_711_249_195_84).abs() < 1e-15);
    }
}
