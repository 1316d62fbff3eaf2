//! The fixed point that gives the scale, and what the published algorithm makes of it in doubles.

use inbounds_core::{Epsilon, Sensitivity};
use inbounds_mechanisms::calibrate::{self, continuous_conditioned_loss, continuous_conditioned_scale};
use inbounds_plot::{At, Axis, Figure, Reference, Series};

use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, geometric, panel},
};

pub(super) const STUDY: Study = Study {
    id: "holohan-fixed-point",
    paper: Paper::Holohan,
    place: "Figure 4, Section 4 and Algorithm 1",
    claim: "The least scale is the fixed point of `f(b) = D / (epsilon - log DeltaC(b) - log(1 - delta))`. `f` does not \
            increase, so the fixed point lies between `b0 = D / (epsilon - log(1 - delta))` and `f(b0)`, and bisection there is \
            robust and finds it to machine precision.",
    replicates: 0,
    compute,
};

/// `DeltaC(b)` as printed: the mass inside the domain for an answer `d` from the end, over that for one at the end.
fn mass_ratio(scale: f64, d: f64, width: f64) -> f64 {
    let gone = |length: f64| libm::exp(-length / scale);
    (2.0 - gone(d) - gone(width - d)) / (1.0 - gone(width))
}

/// `f(b)` as printed, for `delta = 0`.
fn f(scale: f64, epsilon: f64, d: f64, width: f64) -> f64 {
    d / (epsilon - libm::log(mass_ratio(scale, d, width)))
}

/// Algorithm 1 as printed, for `delta = 0`: bisection until the interval shrinks no more, then its middle.
fn algorithm_1(epsilon: f64, d: f64, width: f64) -> f64 {
    let mut left = d / epsilon;
    let mut right = f(left, epsilon, d, width);
    let mut before = 2.0 * (right - left);
    while before > right - left {
        before = right - left;
        let middle = (right + left) / 2.0;
        let image = f(middle, epsilon, d, width);
        if image >= middle {
            left = middle;
        }
        if image <= middle {
            right = middle;
        }
    }
    (right + left) / 2.0
}

const D: f64 = 1.0;
const WIDTH: f64 = 10.0;

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut checks = Vec::new();
    for epsilon in [0.1, 1.0, 5.0] {
        let what = |what: &str| format!("{what}, epsilon {epsilon}");
        let (low, exact) = (D / epsilon, continuous_conditioned_scale(epsilon, D, WIDTH));
        let high = f(low, epsilon, D, WIDTH);
        let images: Vec<f64> = even(low, high, 400).map(|b| f(b, epsilon, D, WIDTH)).collect();
        let steepest = images.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::NEG_INFINITY, f64::max);
        checks.push(Check::reproduced(what("largest increase of f"), Claim::AtMost(0.0), steepest, 0.0));
        checks.push(Check::reproduced(what("fixed point against b0"), Claim::AtLeast(low), exact, 0.0));
        checks.push(Check::reproduced(what("fixed point against f(b0)"), Claim::AtMost(high), exact, 0.0));
        checks.push(Check::reproduced(
            what("f at the exact scale"),
            Claim::exactly(exact),
            f(exact, epsilon, D, WIDTH),
            0.0,
        ));
        let found = algorithm_1(epsilon, D, WIDTH);
        checks.push(Check::reproduced(what("scale of Algorithm 1"), Claim::exactly(exact), found, 0.0));
    }
    let mut table =
        Table::new("losses", ["epsilon", "algorithm_1_scale", "exact_scale", "algorithm_1_loss_over_epsilon"]);
    let (mut theirs, mut ours, mut smallest) = (Vec::new(), Vec::new(), f64::INFINITY);
    for epsilon in geometric(1e-10, 1.0, 120) {
        let (scale, exact) = (algorithm_1(epsilon, D, WIDTH), continuous_conditioned_scale(epsilon, D, WIDTH));
        let share = |scale: f64| {
            if scale > 0.0 { continuous_conditioned_loss(scale, D, WIDTH) / epsilon } else { f64::INFINITY }
        };
        smallest = smallest.min(scale);
        table.push([epsilon, scale, exact, share(scale)].map(Into::into));
        theirs.push((epsilon, share(scale)));
        ours.push((epsilon, share(exact)));
    }
    let why = "where `log DeltaC` rounds to more than epsilon, the scale comes out negative";
    let what = "smallest scale that Algorithm 1 returns, epsilon 1e-10 to 1";
    checks.push(Check::differs(what, Claim::Above(0.0), smallest, 0.0, why, Some(23)));
    checks.extend(small_epsilon()?);
    let x = || Axis::linear("scale b");
    let (low, high) = (1.0, f(1.0, 1.0, D, WIDTH));
    let curve = even(low, high, 200).map(|b| (b, f(b, 1.0, D, WIDTH))).collect();
    let fixed = continuous_conditioned_scale(1.0, D, WIDTH);
    let mut images = panel(
        "Fixed point, epsilon 1",
        x(),
        Axis::linear("f(b)"),
        vec![Series::line("f", curve), Series::line("b", vec![(low, low), (high, high)])],
    );
    images.references.push(Reference { at: At::X(fixed), label: String::new() });
    let losses = panel(
        "Privacy loss of the scale returned",
        Axis::log("epsilon"),
        Axis::linear("privacy loss / epsilon"),
        vec![Series::points("Algorithm 1 in doubles (not private)", theirs), Series::line("this project", ours)],
    );
    let figure = Figure::row("The scale for conditioning, sensitivity 1 on a domain of width 10", vec![images, losses]);
    let prose = "The fixed point is right, and for epsilon above a thousandth Algorithm 1 finds it. It is not robust: it takes \
                 the logarithm of `DeltaC`, which is 1 up to rounding once the scale is large, so for small epsilon it returns \
                 a scale whose privacy loss is far above epsilon, or a negative one. It also returns the middle of its last interval rather than \
                 the safe end. This project computes the loss without the cancellation, takes the safe end, and certifies the \
                 scale that runs in exact arithmetic."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// Where Algorithm 1 loses more than epsilon, and the certified calibration does not.
fn small_epsilon() -> Result<Vec<Check>, StudyError> {
    let mut checks = Vec::new();
    let why = "`log DeltaC` cancels: the scale is too small and the mechanism is not epsilon-differentially private";
    let inaccurate = "`DeltaC` is 1 up to rounding, and its logarithm has lost its digits";
    for text in ["1e-9", "1e-8", "1e-7", "1e-6"] {
        let epsilon = Epsilon::new(text.parse()?)?;
        let wanted = epsilon.value().to_f64();
        let (found, exact) = (algorithm_1(wanted, D, WIDTH), continuous_conditioned_scale(wanted, D, WIDTH));
        let what = format!("relative error of Algorithm 1, epsilon {text}");
        checks.push(Check::differs(what, Claim::AtMost(1e-12), (found / exact - 1.0).abs(), 0.0, inaccurate, Some(23)));
        let loss = continuous_conditioned_loss(found, D, WIDTH);
        if loss > wanted {
            let what = format!("privacy loss of Algorithm 1, epsilon {text}");
            checks.push(Check::differs(what, Claim::AtMost(wanted), loss, 0.0, why, Some(23)));
        }
        let (steps, width) = (1u128 << 20, 10u128 << 20);
        let sensitivity = Sensitivity { l1: steps, linf: steps, cells: 1, rule: "sum-add-remove", squares: None };
        let tau = calibrate::conditioned(&epsilon, &sensitivity, Some(width))?;
        let proved = calibrate::conditioned_loss(&tau, &sensitivity, Some(width))?;
        checks.push(Check::ours(
            format!("proved loss of this project, epsilon {text}"),
            Claim::AtMost(wanted),
            proved,
            0.0,
        ));
        let near = Claim::Is { value: exact, within: 1e-5 / wanted };
        let scale = 1.0 / (tau.to_f64() * steps as f64);
        checks.push(Check::ours(format!("scale of this project, epsilon {text}"), near, scale, 0.0));
    }
    Ok(checks)
}
