//! Means, limits and sensitivities, by formula and by trying every small data set.

use inbounds_core::root;
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned, Range},
    law::{Gaussian, Laplace, Noise},
};
use inbounds_plot::{Axis, Figure, Series};

use super::sensitivity;
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, panel},
    statement::liu as said,
};

pub(super) const STUDY: Study = Study {
    id: "liu-formulas",
    paper: Paper::Liu,
    place: "Equations (2), (3), (6), (7), (9) and (10), sensitivities, limits",
    claim: "Each statistic gets noise of its sensitivity over epsilon, and the sensitivity of a vector is the sum of those of its \
            statistics; generalised Gaussian noise has the scale of equation (3). Means of both mechanisms are as printed, for \
            two ends and for one. As the scale grows the truncated law becomes uniform and the BIT law a two-point law.",
    statements: &[
        &said::EQUATION_2,
        &said::SUMMED_SENSITIVITY,
        &said::EQUATION_3_SCALE,
        &said::SENSITIVITIES,
        &said::SHARES_SENSITIVITY,
        &said::TABLE_1,
        &said::LIMITS,
        &said::EQUATIONS_6_7,
        &said::REMARK_3,
        &said::APPENDIX_B_BIT,
        &said::FOOTNOTE_2,
    ],
    replicates: 0,
    compute,
};

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let mut checks = sensitivity::checks();
    checks.push(summed_loss()?);
    checks.extend(generalised()?);
    checks.extend(means()?);
    checks.extend(one_end()?);
    checks.extend(bounds()?);
    let (table, figure) = limits(&mut checks)?;
    let prose = "Means and limits are as printed. Three slips bear on privacy: noise of each statistic's own sensitivity over epsilon \
                 spends epsilon once for each of them; the scale of equation (3) is too small, for Laplace noise it would be \
                 `epsilon delta_1` in place of `delta_1 / epsilon`; and shares move by `2/n` where a row comes or goes, not by \
                 `1/n`. The sum of sensitivities is an upper bound that shares do not attain. Sensitivities are found by trying \
                 every small data set and every neighbour."
        .to_owned();
    Ok(Findings { tables: vec![table], figure: Some(figure), checks, prose, substitute: None })
}

/// The loss of two statistics that both move by their sensitivity, each with noise of that over epsilon 1.
fn summed_loss() -> Result<Check, StudyError> {
    let loss: f64 = [1.0, 3.0]
        .into_iter()
        .map(|sensitivity| {
            let noise = Laplace::with_scale(sensitivity)?;
            Ok::<_, StudyError>(noise.ln_density(-1.0) - noise.ln_density(-1.0 - sensitivity))
        })
        .sum::<Result<f64, _>>()?;
    let quantity = "loss of two statistics with noise of their own sensitivities over epsilon 1";
    let why = "the scale must be the sensitivity of the whole vector over epsilon";
    Ok(Check::differs(&said::EQUATION_2, quantity, Claim::AtMost(1.0), loss, 0.0, why, 37))
}

/// The scale of generalised Gaussian noise: of order 1, and of order 2 by the probability of a loss above epsilon.
fn generalised() -> Result<[Check; 2], StudyError> {
    const EPSILON: f64 = 0.5;
    const DELTA: f64 = 0.05;
    let why = "the condition has epsilon on the wrong side: right is `epsilon b^p - delta_p^p`";
    // Order 1: no a_j, so that the condition is on b alone; a loss of epsilon needs delta_1 / b <= epsilon.
    let least = root::bisect(0.0, 100.0, |b| 1.0 / b > EPSILON).1;
    let first = Check::differs(
        &said::EQUATION_3_SCALE,
        "least scale, p = 1, delta 0, epsilon 0.5, sensitivity 1",
        Claim::exactly(EPSILON),
        least,
        0.0,
        why,
        35,
    );
    // Order 2, one statistic of sensitivity 1: noise N(0, b^2 / 2), a = 2 |N|, loss (2 |N| + 1) / b^2 at most.
    let noise = |b: f64| Gaussian::with_std_dev(b / std::f64::consts::SQRT_2);
    let beyond = |b: f64, a: f64| Ok::<_, StudyError>(2.0 * noise(b)?.sf(0.5 * a.max(0.0)));
    let scale = root::bisect(1e-3, 100.0, |b| beyond(b, b * b - EPSILON).map_or(true, |p| p >= DELTA)).1;
    let exceeded = beyond(scale, EPSILON * scale * scale - 1.0)?;
    let quantity = "probability of a loss above epsilon at the printed scale, p = 2, epsilon 0.5, delta 0.05";
    let second = Check::differs(&said::EQUATION_3_SCALE, quantity, Claim::AtMost(DELTA), exceeded, 0.0, why, 35);
    Ok([first, second])
}

/// Equations (6) and (7) as printed, for the answer `s` on `[c0, c1]`.
fn printed_means(s: f64, (c0, c1): (f64, f64), scale: f64) -> [f64; 2] {
    let (below, above) = (libm::exp((c0 - s) / scale), libm::exp((s - c1) / scale));
    let width = |end: f64, gone: f64| if gone == 0.0 { 0.0 } else { (scale + end) / 2.0 * gone };
    let numerator = width(s - c0, below) - width(c1 - s, above);
    [s + numerator / (1.0 - 0.5 * below - 0.5 * above), s + scale / 2.0 * (below - above)]
}

fn both(range: Range, scale: f64) -> Result<(Conditioned<Laplace>, Clamped<Laplace>), StudyError> {
    let noise = Laplace::with_scale(scale)?;
    Ok((Conditioned::new(noise, range), Clamped::new(noise, range)))
}

/// The means by integrating quantiles, which are not computed from them.
fn means() -> Result<Vec<Check>, StudyError> {
    const POINTS: u32 = 200_000;
    let (s, scale) = (0.3, 0.5);
    let (conditioned, clamped) = both(Range::new(0.0, 1.0)?, scale)?;
    let mean = |quantile: &dyn Fn(f64) -> f64, power: i32| {
        let at = |i: u32| {
            (quantile((f64::from(i) + 0.5) / f64::from(POINTS)) - if power == 2 { s } else { 0.0 }).powi(power)
        };
        (0..POINTS).map(at).sum::<f64>() / f64::from(POINTS)
    };
    let printed = printed_means(s, (0.0, 1.0), scale);
    let near = |value: f64| Claim::Is { value, within: 1e-7 };
    // Appendix B: 2 lambda^2 (1 - p1 - p2) + 2 lambda ((c0 - s) p1 + (s - c1) p2).
    let (p1, p2) = (0.5 * libm::exp(-s / scale), 0.5 * libm::exp((s - 1.0) / scale));
    let square = 2.0 * scale * scale * (1.0 - p1 - p2) + 2.0 * scale * (-s * p1 + (s - 1.0) * p2);
    let [truncated, bit] = ["mean of truncation, answer 0.3, scale 0.5, [0, 1]", "mean of BIT, the same"];
    let of_conditioned = |p: f64| conditioned.quantile(p, s);
    let of_clamped = |p: f64| clamped.quantile(p, s);
    Ok(vec![
        Check::reproduced(&said::EQUATIONS_6_7, truncated, near(printed[0]), mean(&of_conditioned, 1), 0.0),
        Check::reproduced(&said::EQUATIONS_6_7, bit, near(printed[1]), mean(&of_clamped, 1), 0.0),
        Check::reproduced(&said::APPENDIX_B_BIT, "MSE of BIT, the same", near(square), mean(&of_clamped, 2), 0.0),
    ])
}

/// Remark 3: the means for one end, their order, and a bound in its proof.
fn one_end() -> Result<Vec<Check>, StudyError> {
    let (scale, mut checks) = (0.5, Vec::new());
    for (name, range, ends) in [
        ("[0, inf)", Range::new(0.0, f64::INFINITY)?, (0.0, f64::INFINITY)),
        ("(-inf, 1]", Range::new(f64::NEG_INFINITY, 1.0)?, (f64::NEG_INFINITY, 1.0)),
    ] {
        let (conditioned, clamped) = both(range, scale)?;
        let printed = printed_means(0.3, ends, scale);
        let computed = [0.3 + conditioned.bias(0.3), 0.3 + clamped.bias(0.3)];
        for (mechanism, (printed, computed)) in ["truncation", "BIT"].into_iter().zip(printed.into_iter().zip(computed))
        {
            let quantity = format!("mean of {mechanism}, answer 0.3, scale 0.5, {name}");
            checks.push(Check::reproduced(&said::REMARK_3, quantity, Claim::exactly(printed), computed, 0.0));
        }
        let ratio = even(-0.9, 0.9, 36).map(|s| if ends.0 == 0.0 { s + 1.0 } else { s });
        let least = ratio.map(|s| conditioned.bias(s) / clamped.bias(s)).fold(f64::INFINITY, f64::min);
        let quantity = format!("least ratio of the biases, {name}");
        checks.push(Check::reproduced(&said::REMARK_3, quantity, Claim::Above(1.0), least, 0.0));
    }
    let normaliser = 1.0 - 0.5 * libm::exp(-0.3 / scale);
    let quantity = "mass inside, said to be below 1/2, answer 0.3, scale 0.5, [0, inf)";
    let why = "it is at least 1/2; the conclusion does not need it";
    checks.push(Check::differs(&said::REMARK_3, quantity, Claim::Below(0.5), normaliser, 0.0, why, 7));
    Ok(checks)
}

/// The mass of normal data of variances 1 and 2 within the bounds of the first simulation.
fn bounds() -> Result<Vec<Check>, StudyError> {
    let inside = |variance: f64, bound: f64| {
        let outside = 2.0 * Gaussian::with_std_dev(libm::sqrt(variance))?.sf(bound);
        let quantity = format!("mass of normal data of variance {variance} within {bound}");
        Ok(Check::reproduced(&said::FOOTNOTE_2, quantity, Claim::Above(0.99), 1.0 - outside, 0.0))
    };
    [(1.0, 3.0), (2.0, 4.5)].into_iter().map(|(variance, bound)| inside(variance, bound)).collect()
}

/// Definition 2 at large scales: distances from the uniform and the two-point law.
fn limits(checks: &mut Vec<Check>) -> Result<(Table, Figure), StudyError> {
    let range = Range::new(0.0, 1.0)?;
    let mut table = Table::new("limits", ["scale", "truncated_from_uniform", "bit_from_two_points"]);
    let (mut uniform, mut two_points) = (Vec::new(), Vec::new());
    for scale in [0.1, 0.3, 1.0, 3.0, 10.0, 100.0, 1e6] {
        let (conditioned, clamped) = both(range, scale)?;
        let answer = 0.3;
        let off = |p: f64| (conditioned.quantile(p, answer) - p).abs();
        let from_uniform = even(0.0, 1.0, 200).map(off).fold(0.0, f64::max);
        let (low, high) = clamped.atoms(answer);
        let from_ends = (low - 0.5).abs().max((high - 0.5).abs());
        table.push([scale, from_uniform, from_ends].map(Cell::from));
        uniform.push((scale, from_uniform));
        two_points.push((scale, from_ends));
        if scale == 1e6 {
            let near = Claim::AtMost(1e-5);
            let quantity = "largest distance of a quantile of truncation from the uniform one, scale 1e6";
            checks.push(Check::reproduced(&said::LIMITS, quantity, near, from_uniform, 0.0));
            let quantity = "largest distance of the mass at an end from 1/2, BIT, scale 1e6";
            checks.push(Check::reproduced(&said::LIMITS, quantity, near, from_ends, 0.0));
        }
    }
    let series =
        vec![Series::line("truncation, from uniform", uniform), Series::line("BIT, from two points", two_points)];
    let axes = (Axis::log("scale"), Axis::log("largest distance"));
    let panel = panel("Answer 0.3 on [0, 1]", axes.0, axes.1, series);
    let figure = Figure { panel_size: (640.0, 400.0), ..Figure::row("What large scales leave", vec![panel]) };
    Ok((table, figure))
}
