//! The fixed point that gives the scale, and what the published algorithm makes of it in doubles.

use inbounds_core::{Epsilon, Sensitivity};
use inbounds_mechanisms::calibrate::{self, continuous_conditioned_loss, continuous_conditioned_scale};
use inbounds_plot::{At, Axis, Figure, Reference, Series};

use super::algorithm::{Form, algorithm_1};
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, geometric, panel},
    statement::holohan as said,
};

pub(super) const STUDY: Study = Study {
    id: "holohan-fixed-point",
    paper: Paper::Holohan,
    place: "Figure 4, Theorem 4.4 and Algorithm 1",
    claim: "The least scale is the fixed point of `f(b) = D / (epsilon - log DeltaC(b) - log(1 - delta))`. There is exactly one \
            between `b0 = D / (epsilon - log(1 - delta))` and `f(b0)`, and bisection there is robust and finds it to machine \
            precision.",
    statements: &[&said::THEOREM_4_4, &said::FIGURE_4, &said::ALGORITHM_1, &said::MACHINE_PRECISION],
    replicates: 0,
    compute,
};

const D: f64 = 1.0;
const WIDTH: f64 = 10.0;

/// Privacy loss of a scale over epsilon; infinite for a scale that is none.
fn loss_over(epsilon: f64, scale: f64) -> f64 {
    if scale > 0.0 { continuous_conditioned_loss(scale, D, WIDTH) / epsilon } else { f64::INFINITY }
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut checks = Vec::new();
    for epsilon in [0.1, 1.0, 5.0] {
        checks.extend(fixed_point(epsilon));
    }
    let (table, returned) = sweep();
    checks.extend(degenerate(&returned));
    checks.extend(small_epsilon()?);
    let prose = "The fixed point is right, and for epsilon above a thousandth Algorithm 1 finds it. It is not robust: it takes \
                 the logarithm of `DeltaC`, which is 1 up to rounding once the scale is large, so for small epsilon it returns \
                 a scale whose privacy loss is above epsilon, or a negative one. How wrong it is depends on which of the two \
                 printed forms of `DeltaC` is evaluated. Where `f(b0)` comes out infinite or negative its loop may not be \
                 entered: then it returns a `b` that it never set. It also returns its last midpoint rather than the safe end. \
                 This project computes the loss without the cancellation, takes the safe end, and certifies the \
                 scale that runs in exact arithmetic."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure(&returned)), checks, prose, substitute: None })
}

/// Where the fixed point lies, and that the algorithm finds it.
fn fixed_point(epsilon: f64) -> Vec<Check> {
    let quantity = |quantity: &str| format!("{quantity}, epsilon {epsilon}");
    let f = |b: f64| Form::Masses.f(b, epsilon, D, WIDTH);
    let (low, exact) = (D / epsilon, continuous_conditioned_scale(epsilon, D, WIDTH));
    let high = f(low);
    let signs: Vec<bool> = even(low, high, 400).map(|b| f(b) >= b).collect();
    let changes = signs.windows(2).filter(|pair| pair[0] != pair[1]).count();
    let within = Claim::Is { value: exact, within: 1e-9 * exact };
    let mut checks = vec![
        Check::reproduced(&said::THEOREM_4_4, quantity("fixed point against b0"), Claim::AtLeast(low), exact, 0.0),
        Check::reproduced(&said::THEOREM_4_4, quantity("fixed point against f(b0)"), Claim::AtMost(high), exact, 0.0),
        Check::reproduced(
            &said::THEOREM_4_4,
            quantity("crossings of f and b"),
            Claim::exactly(1.0),
            changes as f64,
            0.0,
        ),
        Check::reproduced(&said::FIGURE_4, quantity("f at the exact scale"), Claim::exactly(exact), f(exact), 0.0),
    ];
    for form in Form::ALL {
        let computed = algorithm_1(form, epsilon, D, WIDTH).unwrap_or(f64::NAN);
        let quantity = quantity(&format!("scale of Algorithm 1, {}", form.name()));
        checks.push(Check::reproduced(&said::ALGORITHM_1, quantity, within, computed, 0.0));
    }
    checks
}

/// Scales that Algorithm 1 returned for an epsilon, by form.
struct Returned {
    epsilon: f64,
    scales: [Option<f64>; 2],
    exact: f64,
}

fn sweep() -> (Table, Vec<Returned>) {
    let headings = ["epsilon", "form", "algorithm_1_scale", "exact_scale", "algorithm_1_loss_over_epsilon"];
    let mut table = Table::new("losses", headings);
    let mut returned = Vec::new();
    for epsilon in geometric(1e-10, 1.0, 120) {
        let scales = Form::ALL.map(|form| algorithm_1(form, epsilon, D, WIDTH));
        let exact = continuous_conditioned_scale(epsilon, D, WIDTH);
        for (form, scale) in Form::ALL.into_iter().zip(scales) {
            let scale = scale.unwrap_or(f64::NAN);
            let row = [scale, exact, loss_over(epsilon, scale)].map(Cell::from);
            table.push([epsilon.into(), form.name().into()].into_iter().chain(row).collect::<Vec<_>>());
        }
        returned.push(Returned { epsilon, scales, exact });
    }
    (table, returned)
}

/// Where the algorithm returns no positive number.
fn degenerate(returned: &[Returned]) -> Vec<Check> {
    let negative = "where `log DeltaC` rounds to more than epsilon, the scale comes out negative";
    let unset = "`f(b0)` is infinite or negative there, and the loop is not entered";
    let mut checks = Vec::new();
    for (index, form) in Form::ALL.into_iter().enumerate() {
        let quantity = |quantity: &str| format!("{quantity}, epsilon 1e-10 to 1, {}", form.name());
        let scales = || returned.iter().map(|one| one.scales[index]);
        let smallest = scales().flatten().fold(f64::INFINITY, f64::min);
        let least = quantity("smallest scale that Algorithm 1 returns");
        let positive = Claim::Above(0.0);
        checks.push(if smallest > 0.0 {
            Check::ours(least, positive, smallest, 0.0)
        } else {
            Check::differs(&said::ALGORITHM_1, least, positive, smallest, 0.0, negative, 23)
        });
        let missing = scales().filter(Option::is_none).count() as f64;
        let never = quantity("epsilons of 121 for which `b` is never set");
        let none = Claim::exactly(0.0);
        checks.push(if missing > 0.0 {
            Check::differs(&said::ALGORITHM_1, never, none, missing, 0.0, unset, 23)
        } else {
            Check::ours(never, none, missing, 0.0)
        });
    }
    checks
}

/// Where Algorithm 1 loses more than epsilon, and the certified calibration does not.
fn small_epsilon() -> Result<Vec<Check>, StudyError> {
    let mut checks = Vec::new();
    let why = "`log DeltaC` cancels: the scale is too small and the mechanism is not epsilon-differentially private";
    let inaccurate = "`DeltaC` is 1 up to rounding, and its logarithm has lost its digits";
    for text in ["1e-10", "1e-9", "1e-8", "1e-7", "1e-6"] {
        let epsilon = Epsilon::new(text.parse()?)?;
        let wanted = epsilon.value().to_f64();
        let exact = continuous_conditioned_scale(wanted, D, WIDTH);
        for form in Form::ALL {
            let quantity = |quantity: &str| format!("{quantity} of Algorithm 1, epsilon {text}, {}", form.name());
            let Some(computed) = algorithm_1(form, wanted, D, WIDTH) else { continue };
            let (error, small) = ((computed / exact - 1.0).abs(), Claim::AtMost(1e-12));
            let said = &said::MACHINE_PRECISION;
            checks.push(Check::differs(said, quantity("relative error"), small, error, 0.0, inaccurate, 23));
            let loss = loss_over(wanted, computed);
            if loss > 1.0 {
                let quantity = quantity("privacy loss over epsilon");
                checks.push(Check::differs(said, quantity, Claim::AtMost(1.0), loss, 0.0, why, 23));
            }
        }
        checks.extend(certified(&epsilon, text, exact)?);
    }
    Ok(checks)
}

/// The certified calibration, on a grid fine against the noise.
fn certified(epsilon: &Epsilon, text: &str, exact: f64) -> Result<[Check; 2], StudyError> {
    let wanted = epsilon.value().to_f64();
    let (steps, width) = (1u128 << 20, 10u128 << 20);
    let sensitivity = Sensitivity { l1: steps, linf: steps, cells: 1, rule: "sum-add-remove", squares: None };
    let tau = calibrate::conditioned(epsilon, &sensitivity, Some(width))?;
    let proved = calibrate::conditioned_loss(&tau, &sensitivity, Some(width))?;
    let near = Claim::Is { value: exact, within: 1e-5 / wanted };
    let scale = 1.0 / (tau.to_f64() * steps as f64);
    Ok([
        Check::ours(format!("proved loss of this project, epsilon {text}"), Claim::AtMost(wanted), proved, 0.0),
        Check::ours(format!("scale of this project, epsilon {text}"), near, scale, 0.0),
    ])
}

fn figure(returned: &[Returned]) -> Figure {
    let (low, high) = (1.0, Form::Masses.f(1.0, 1.0, D, WIDTH));
    let curve = even(low, high, 200).map(|b| (b, Form::Masses.f(b, 1.0, D, WIDTH))).collect();
    let mut images = panel(
        "Fixed point, epsilon 1",
        Axis::linear("scale b"),
        Axis::linear("f(b)"),
        vec![Series::line("f", curve), Series::line("b", vec![(low, low), (high, high)])],
    );
    let fixed = continuous_conditioned_scale(1.0, D, WIDTH);
    images.references.push(Reference { at: At::X(fixed), label: String::new() });
    let mut series: Vec<Series> = Form::ALL
        .into_iter()
        .enumerate()
        .map(|(index, form)| {
            let point = |one: &Returned| Some((one.epsilon, loss_over(one.epsilon, one.scales[index]?)));
            let points = returned.iter().filter_map(point).filter(|(_, loss)| loss.is_finite()).collect();
            Series::points(format!("Algorithm 1, {} (not private)", form.name()), points)
        })
        .collect();
    let ours = returned.iter().map(|one| (one.epsilon, loss_over(one.epsilon, one.exact))).collect();
    series.push(Series::line("this project", ours));
    let losses = panel(
        "Privacy loss of the scale returned",
        Axis::log("epsilon"),
        Axis::linear("privacy loss / epsilon"),
        series,
    );
    Figure::row("The scale for conditioning, sensitivity 1 on a domain of width 10", vec![images, losses])
}
