//! Multiplicative noise, whose moments explode.

use inbounds_core::{CoreError, Epsilon};
use inbounds_mechanisms::law::{LogLaplace, Moment};
use inbounds_plot::{Axis, Figure, Series};

use crate::{
    Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    draws::Draws,
    monte_carlo::{Mean, simulate},
    picture::{even, panel},
    statement::mcglinchey as said,
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-log-laplace",
    paper: Paper::McGlinchey,
    place: "Section 3.1, multiplicative noise",
    claim: "A positive answer `Q` that neighbours change by a factor of at most `1 + K`, times `e^L` with Laplace noise `L` of \
            scale `b = K / epsilon`: its mean is finite if and only if `K < epsilon`, its variance if and only if \
            `K < epsilon / 2`, so that both need `epsilon > 2 K`.",
    statements: &[
        &said::EQUATION_10,
        &said::NO_FINITE_K,
        &said::PROPOSITION_3,
        &said::INFINITE_BIAS,
        &said::FINITE_VARIANCE,
        &said::MOMENTS,
    ],
    replicates: 400_000,
    compute,
};

fn number(moment: Moment) -> f64 {
    match moment {
        Moment::Finite(value) => value,
        Moment::Infinite => f64::INFINITY,
    }
}

fn law(scale: f64) -> Result<LogLaplace, CoreError> {
    LogLaplace::new(1.0, scale)
}

/// `(n, mean of the first n draws)` around an answer of 1.
fn running_means(scale: f64, seed: u64) -> Result<Vec<(f64, f64)>, CoreError> {
    const DRAWS: u32 = 2_000_000;
    let (law, mut draws, mut mean) = (law(scale)?, Draws::from_seed(seed), Mean::default());
    let mut next = 10.0;
    let mut points = Vec::new();
    for draw in 1..=DRAWS {
        mean.add(law.quantile(draws.uniform()));
        if f64::from(draw) >= next {
            points.push((f64::from(draw), mean.value()));
            next *= 1.3;
        }
    }
    Ok(points)
}

fn compute(context: &Context<'_>) -> Result<Findings, StudyError> {
    let mut table = Table::new("moments", ["scale", "relative_bias", "relative_rmse", "unbiased_factor"]);
    let (mut biases, mut errors) = (Vec::new(), Vec::new());
    for scale in even(0.01, 1.2, 119) {
        let law = law(scale)?;
        let (bias, rmse) = (number(law.bias()), libm::sqrt(number(law.mse())));
        table.push([scale.into(), bias.into(), rmse.into(), law.unbiased_factor().unwrap_or(f64::NAN).into()]);
        let below = |limit: f64, value: f64| (scale < limit - 0.005).then_some((scale, value));
        biases.extend(below(1.0, bias));
        errors.extend(below(0.5, rmse));
    }
    let mut checks = explosion()?;
    checks.extend(simulated(context)?);
    let mut running = Vec::new();
    for (index, scale) in [0.3, 0.7, 1.2].into_iter().enumerate() {
        let points = running_means(scale, context.seed.wrapping_add(index as u64))?;
        running.push(Series::line(format!("mean of draws, scale {scale}"), points));
    }
    let figure = Figure::row(
        "An answer of 1 times log-Laplace noise",
        vec![
            panel(
                "Errors explode at 1/2 and 1",
                Axis::linear("scale"),
                Axis::log("relative to the answer"),
                vec![Series::line("bias", biases), Series::line("root mean square error", errors)],
            ),
            panel("Means settle only below 1", Axis::log("draws"), Axis::log("mean so far"), running),
        ],
    );
    let prose = "The mean is `Q / (1 - b^2)` below a scale of 1 and infinite from 1 on, so with `b = K / epsilon` the bias is \
                 infinite already at `K = epsilon`; the mean square error is infinite from a scale of 1/2 on. But a factor of \
                 at most `1 + K` changes the logarithm by at most `log(1 + K)`, not `K`: `b = log(1 + K) / epsilon` suffices, \
                 and the mean is finite whenever `epsilon > log(1 + K)`. Where it is finite, publishing `1 - b^2` times the \
                 noisy value leaves no bias at all."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// Where the moments cease to exist.
fn explosion() -> Result<Vec<Check>, StudyError> {
    let infinite = Claim::exactly(f64::INFINITY);
    let bias = |scale| Ok::<_, StudyError>(number(law(scale)?.bias()));
    let square = |scale| Ok::<_, StudyError>(number(law(scale)?.mse()));
    let (one, two) = (Epsilon::new("1".parse()?)?, Epsilon::new("2".parse()?)?);
    let tight = |epsilon| Ok::<_, StudyError>(LogLaplace::scale_for(epsilon, &"1.5".parse()?)?);
    let (finite, needless) = (Claim::Below(f64::INFINITY), "the scale `log(1 + K) / epsilon` keeps epsilon too");
    let (bias_at, square_at) = ("bias at scale", "mean square error at scale");
    Ok(vec![
        Check::reproduced(&said::PROPOSITION_3, format!("{bias_at} 0.99 (K < epsilon)"), finite, bias(0.99)?, 0.0),
        Check::reproduced(&said::PROPOSITION_3, format!("{bias_at} 1 (K = epsilon)"), infinite, bias(1.0)?, 0.0),
        Check::reproduced(&said::INFINITE_BIAS, format!("{bias_at} 1.01 (K > epsilon)"), infinite, bias(1.01)?, 0.0),
        Check::differs(
            &said::INFINITE_BIAS,
            "bias, K = 1.5, epsilon 1",
            infinite,
            bias(tight(&one)?)?,
            0.0,
            needless,
            17,
        ),
        Check::reproduced(&said::FINITE_VARIANCE, format!("{square_at} 0.49"), finite, square(0.49)?, 0.0),
        Check::reproduced(&said::FINITE_VARIANCE, format!("{square_at} 1/2"), infinite, square(0.5)?, 0.0),
        Check::differs(
            &said::MOMENTS,
            "mean square error, K = 1.5, epsilon 2",
            infinite,
            square(tight(&two)?)?,
            0.0,
            needless,
            47,
        ),
        Check::reproduced(
            &said::EQUATION_10,
            "sensitivity of the logarithm, K = 1.5",
            Claim::AtMost(1.5),
            tight(&one)?,
            0.0,
        ),
        Check::reproduced(&said::NO_FINITE_K, NO_FINITE, Claim::Above(1e8), relative_change(10.0, 1e-10), 0.0),
    ])
}

const NO_FINITE: &str = "K for ten numbers of at least 1e-10";

/// The largest relative change of the mean of `n` numbers in `[least, 1]` when one of them is replaced.
fn relative_change(n: f64, least: f64) -> f64 {
    let (smaller, larger) = (least, (1.0 + (n - 1.0) * least) / n);
    (larger - smaller) / smaller
}

/// Moments with enough moments above them for a standard error.
fn simulated(context: &Context<'_>) -> Result<Vec<Check>, StudyError> {
    let mut checks = Vec::new();
    for scale in [0.05, 0.1, 0.2, 0.3] {
        let law = law(scale)?;
        let factor = law.unbiased_factor().expect("a scale below 1 has a mean");
        let empty = || vec![Mean::default(); 3];
        let means = simulate(context, &format!("scale {scale}"), empty, |draws, means| {
            let x = law.quantile(draws.uniform());
            means[0].add(x - 1.0);
            means[1].add(factor * x - 1.0);
            means[2].add((x - 1.0) * (x - 1.0));
        });
        let [bias, unbiased, square] = [means[0], means[1], means[2]];
        let quantity = |quantity: &str| format!("{quantity}, scale {scale}");
        checks.push(Check::ours(quantity("bias"), Claim::exactly(number(law.bias())), bias.value(), bias.error()));
        checks.push(Check::ours(
            quantity("bias of the multiple"),
            Claim::exactly(0.0),
            unbiased.value(),
            unbiased.error(),
        ));
        if scale <= 0.1 {
            let mse = Claim::exactly(number(law.mse()));
            checks.push(Check::ours(quantity("mean square error"), mse, square.value(), square.error()));
        }
    }
    Ok(checks)
}
