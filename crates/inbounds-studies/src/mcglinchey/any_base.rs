//! Bias that no nonnegative mechanism avoids, whatever the noise it is made of.

use inbounds_core::root;
use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Conditioned},
    law::{Gaussian, GeneralisedGaussian, Laplace, Noise, Staircase},
};
use inbounds_plot::{Axis, Figure, Series};

use super::bias::half_line;
use crate::{
    Cell, Check, Claim, Context, Findings, Paper, Study, StudyError, Table,
    picture::{even, panel},
    statement::mcglinchey as said,
};

pub(super) const STUDY: Study = Study {
    id: "mcglinchey-any-base",
    paper: Paper::McGlinchey,
    place: "Section 5, Lemma 5.1 and Propositions 4 and 6",
    claim: "Square-integrable post-processing of Laplace noise has finite moments and a positive worst bias. Restriction to \
            nonnegative values of any unbiased mechanism with a positive density, not of Laplace noise alone, has a positive \
            bias for every answer.",
    statements: &[&said::LEMMA_5_1, &said::PROPOSITION_4, &said::PROPOSITION_6, &said::PROPOSITION_2],
    replicates: 0,
    compute,
};

/// A function of a law and of an answer.
type Ratio = fn(&dyn Noise, f64) -> f64;

/// An unbiased mechanism on the line, with a positive density.
struct Base {
    name: &'static str,
    noise: Box<dyn Noise>,
    /// The largest `f_t(x) / sqrt(f_0(x) f_2t(x))`, where it is finite for every `t`.
    ratio: Option<Ratio>,
}

fn bases() -> Result<Vec<Base>, StudyError> {
    let step = Staircase::step_of_least_variance(1.0)?;
    let base = |name, noise: Box<dyn Noise>, ratio| Base { name, noise, ratio };
    let bounded: Option<Ratio> = Some(largest_ratio);
    Ok(vec![
        base("Laplace", Box::new(Laplace::with_scale(1.0)?), bounded),
        base("staircase", Box::new(Staircase::new(1.0, 1.0, step)?), bounded),
        base("generalised Gaussian, p = 1.5", Box::new(GeneralisedGaussian::with_shape_and_scale(1.5, 1.0)?), bounded),
        base("Gaussian", Box::new(Gaussian::with_std_dev(1.0)?), bounded),
        base("generalised Gaussian, p = 3", Box::new(GeneralisedGaussian::with_shape_and_scale(3.0, 1.0)?), None),
    ])
}

/// The largest `f_t(x) / sqrt(f_0(x) f_2t(x))` over outputs up to 30 from the answer `t`, about which it is symmetric.
fn largest_ratio(noise: &dyn Noise, t: f64) -> f64 {
    let ln = |x: f64| noise.ln_density(x);
    let at = |y: f64| ln(y) - 0.5 * (ln(y + t) + ln(y - t));
    libm::exp(even(0.0, 30.0, 600).map(at).fold(f64::NEG_INFINITY, f64::max))
}

/// Lower bound that an answer `t` proves for the worst bias `B` of every nonnegative rule.
///
/// By the inequality of Cauchy and Schwarz the means `g` of a nonnegative rule satisfy `g(t) <= c_t sqrt(g(0)
/// g(2t))`, so that `(t - B)^2 <= c_t^2 B (2 t + B)`.
fn lower_bound(t: f64, ratio: f64) -> f64 {
    let possible = |b: f64| (t - b) * (t - b) <= ratio * ratio * b * (2.0 * t + b);
    root::bisect(0.0, t, |b| !possible(b)).0
}

fn compute(_: &Context<'_>) -> Result<Findings, StudyError> {
    let range = half_line()?;
    let mut table = Table::new("biases", ["base", "answer", "restricted_bias", "clamped_bias"]);
    let mut bounds = Table::new("bounds", ["base", "lower_bound", "worst_bias_clamped"]);
    let (mut checks, mut curves) = (moments()?, Vec::new());
    for Base { name, noise, ratio } in bases()? {
        let (restricted, clamped) = (Conditioned::new(&*noise, range), Clamped::new(&*noise, range));
        let far = 4.0 * libm::sqrt(noise.variance());
        let answers = || even(0.0, far, 80);
        for q in answers() {
            table.push([Cell::from(name), q.into(), restricted.bias(q).into(), clamped.bias(q).into()]);
        }
        let least = answers().map(|q| restricted.bias(q)).fold(f64::INFINITY, f64::min);
        let quantity = format!("least bias of restriction up to 4 standard deviations, {name}");
        checks.push(Check::reproduced(&said::PROPOSITION_6, quantity, Claim::Above(0.0), least, 0.0));
        let worst = clamped.worst_bias();
        if let Some(ratio) = ratio {
            let proved = even(0.05, 2.0, 39).map(|t| lower_bound(t, ratio(&*noise, t))).fold(0.0, f64::max);
            let quantity = |quantity: &str| format!("{quantity}, {name}");
            let (positive, above) = (Claim::Above(0.0), Claim::AtLeast(proved));
            let least = quantity("lower bound on the worst bias of every nonnegative rule");
            checks.push(if name == "Laplace" {
                Check::reproduced(&said::PROPOSITION_4, least, positive, proved, 0.0)
            } else {
                Check::ours(least, positive, proved, 0.0)
            });
            checks.push(Check::ours(quantity("worst bias of the ramp against it"), above, worst, 0.0));
            bounds.push([Cell::from(name), proved.into(), worst.into()]);
        }
        curves.push(Series::line(name, answers().map(|q| (q, restricted.bias(q))).collect()));
    }
    checks.push(restricted_loss()?);
    let axes = (Axis::linear("answer"), Axis::linear("bias of restriction"));
    let panel = panel("Unit noise, restricted to nonnegative values", axes.0, axes.1, curves);
    let figure = Figure { panel_size: (640.0, 400.0), ..Figure::row("Restriction of five laws", vec![panel]) };
    let prose = "Restriction is biased upwards for every answer, for all five laws. For post-processing the paper's argument needs \
                 densities whose ratio is bounded; with that of Cauchy and Schwarz in its place the worst bias of every \
                 nonnegative rule is bounded away from zero for Gaussian noise too, and for generalised Gaussian noise of \
                 order `p <= 2`. Restricted staircase noise of epsilon 1 loses `log(2 e - 1) = 1.49`, as Laplace noise does: \
                 less than the 2 of Proposition 2."
        .to_owned();
    Ok(Findings { tables: vec![table, bounds], figure: Some(figure), checks, prose, substitute: None })
}

/// A function of a noisy answer.
type Rule = fn(f64) -> f64;

/// Moments of two rules for the answer 5, over the bound that the proof gives them: `e^(q/b)` times those for 0.
fn moments() -> Result<Vec<Check>, StudyError> {
    let noise = Laplace::with_scale(1.0)?;
    let moment = |rule: Rule, power: i32, q: f64| {
        let step = 0.005;
        let at = |x: f64| rule(x).powi(power) * libm::exp(noise.ln_density(x - q));
        (-40_000..40_000).map(|i| at(step * (f64::from(i) + 0.5)) * step).sum::<f64>()
    };
    let rules: [(&str, Rule); 2] = [("x^2", |x| x * x), ("e^(0.4 |x|)", |x| libm::exp(0.4 * x.abs()))];
    let mut checks = Vec::new();
    for (name, rule) in rules {
        for power in [1, 2] {
            let computed = moment(rule, power, 5.0) / (libm::exp(5.0) * moment(rule, power, 0.0));
            let quantity = format!("moment {power} of {name} for the answer 5, over e^5 times that for 0");
            checks.push(Check::reproduced(&said::LEMMA_5_1, quantity, Claim::AtMost(1.0), computed, 0.0));
        }
    }
    Ok(checks)
}

/// The largest log ratio of densities of restricted staircase noise of epsilon 1, over answers a sensitivity apart.
fn restricted_loss() -> Result<Check, StudyError> {
    let step = Staircase::step_of_least_variance(1.0)?;
    let law = Conditioned::new(Staircase::new(1.0, 1.0, step)?, half_line()?);
    let mut largest = 0.0f64;
    for q in even(0.0, 4.0, 200) {
        for other in even(q, q + 1.0, 20) {
            // Off the edges of the stairs.
            for x in even(0.0, 8.0, 163) {
                largest = largest.max((law.ln_density(x, q) - law.ln_density(x, other)).abs());
            }
        }
    }
    let quantity = "loss of restricted staircase noise of epsilon 1";
    Ok(Check::reproduced(&said::PROPOSITION_2, quantity, Claim::AtMost(2.0), largest, 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For Gaussian noise the ratio is `e^(t^2 / 2)` whatever the output, for Laplace noise `e^t` at the answer.
    #[test]
    fn ratios_are_those_of_the_densities() -> Result<(), StudyError> {
        let gaussian = Gaussian::with_std_dev(1.0)?;
        assert!((largest_ratio(&gaussian, 1.2) - libm::exp(0.72)).abs() < 1e-9);
        assert!((largest_ratio(&Laplace::with_scale(1.0)?, 0.7) - libm::exp(0.7)).abs() < 1e-9);
        assert!(lower_bound(1.0, 1.0) > lower_bound(1.0, 3.0) && lower_bound(1.0, 3.0) > 0.0);
        Ok(())
    }
}
