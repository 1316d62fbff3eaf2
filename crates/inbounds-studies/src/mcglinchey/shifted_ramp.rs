//! Ramps that start further in.

use inbounds_core::root::largest;
use inbounds_mechanisms::bounding::{Bounding, Clamped, Range, Rule, Ruled, ShiftedRamp, Thresholded};
use inbounds_mechanisms::law::Laplace;
use inbounds_plot::{Axis, Figure, Series};

use super::bias::{Named, curves, half_line, noise, simulated, table, unit};
use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError,
    picture::{even, panel},
    statement::mcglinchey as said,
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-shifted-ramp",
    paper: Paper::McGlinchey,
    place: "Theorem 4.1",
    claim: "Among the translated ramps `max(x - alpha, 0)` the worst-case absolute bias over all nonnegative answers is least \
            for `alpha = b W(1/2)`, the root of `alpha e^alpha = 1/2` for scale 1, where it is `alpha` itself.",
    statements: &[&said::THEOREM_4_1, &said::REMARK_4_1, &said::DECREASING],
    replicates: 200_000,
    compute,
};

/// The translated ramp.
fn ramp(alpha: f64, range: Range) -> Result<Ruled<Laplace>, StudyError> {
    Ok(Thresholded::with_threshold(unit()?, range, alpha, alpha)?)
}

const DECREASE: &str = "largest increase of the mean from an alpha to the next, alpha and answers up to 2";

/// Largest change of the mean estimate as `alpha` grows by a twentieth, over answers.
fn largest_increase(range: Range) -> Result<f64, StudyError> {
    let ramps = even(0.0, 2.0, 40).map(|alpha| ramp(alpha, range)).collect::<Result<Vec<_>, _>>()?;
    let change = |pair: &[Ruled<Laplace>], q: f64| pair[1].bias(q) - pair[0].bias(q);
    let of_answer = |q: f64| ramps.windows(2).map(|pair| change(pair, q)).fold(f64::NEG_INFINITY, f64::max);
    Ok(even(0.0, 2.0, 40).map(of_answer).fold(f64::NEG_INFINITY, f64::max))
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let (range, unit) = (half_line()?, unit()?);
    let clamped = Clamped::new(unit, range);
    let optimal = ShiftedRamp::optimal(unit, range);
    let Rule::Threshold { shift, .. } = optimal.rule() else {
        unreachable!("a ramp on a half line is a threshold rule")
    };
    let far = ramp(1.0, range)?;
    let value = |rule: Rule| move |q: f64, uniform: f64| rule.value(range, q + noise(uniform, &unit));
    let (at_zero, at_best, at_one) = (value(Rule::CLAMP), value(optimal.rule()), value(far.rule()));
    let mechanisms = [
        Named { name: "alpha = 0, the ramp", law: &clamped, estimate: &at_zero },
        Named { name: "alpha = W(1/2)", law: &optimal, estimate: &at_best },
        Named { name: "alpha = 1", law: &far, estimate: &at_one },
    ];
    let mut table = table();
    let (biases, _) = curves(&mechanisms, even(0.0, 6.0, 120), &mut table);

    let worst = |alpha: f64| ramp(alpha, range).map_or(f64::INFINITY, |law| law.worst_bias());
    let narrow = |low: f64, high: f64| high - low < 1e-12;
    let (least, computed) = largest(0.0, 2.0, narrow, |alpha| -worst(alpha));
    // The root of alpha e^alpha = 1/2.
    let (root, _) = inbounds_core::root::bisect(0.0, 1.0, |alpha| alpha * libm::exp(alpha) < 0.5);
    let near = Claim::Is { value: root, within: 1e-8 };
    let mut checks = vec![
        Check::reproduced(&said::THEOREM_4_1, "alpha of least worst bias, by search", near, computed, 0.0),
        Check::reproduced(&said::THEOREM_4_1, "the least worst bias, by search", near, -least, 0.0),
        Check::reproduced(&said::REMARK_4_1, "the same against that of the ramp", Claim::Below(0.5), -least, 0.0),
        Check::reproduced(&said::DECREASING, DECREASE, Claim::Below(0.0), largest_increase(range)?, 0.0),
        Check::ours("shift of the library's ramp", Claim::exactly(root), shift, 0.0),
        Check::ours("its worst bias", near, optimal.worst_bias(), 0.0),
        Check::ours("its bias at 0", Claim::exactly(root), optimal.bias(0.0), 0.0),
        Check::ours("its bias at 40", Claim::exactly(-root), optimal.bias(40.0), 0.0),
        Check::ours("worst bias of alpha = 0", Claim::exactly(0.5), worst(0.0), 0.0),
    ];
    checks.extend(simulated(context, &mechanisms[1..], &[0.0, 0.35, 1.0, 3.0]));
    let worsts = even(0.0, 1.0, 100).map(|alpha| (alpha, worst(alpha))).collect();
    let figure = Figure::row(
        "Translated ramps on a half line, scale 1",
        vec![
            panel("Bias", Axis::linear("answer (scales)"), Axis::linear("bias (scales)"), biases),
            panel(
                "Largest absolute bias",
                Axis::linear("alpha (scales)"),
                Axis::linear("worst bias (scales)"),
                vec![Series::line("worst of all answers", worsts)],
            ),
        ],
    );
    let prose = "Confirmed: a search over `alpha`, which knows nothing of the theorem, ends at `W(1/2) = 0.351734`. The bias is \
                 then `alpha` for an answer of 0 and `-alpha` far away. It is the least among ramps only: see the rules of \
                 least worst-case bias below."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}
