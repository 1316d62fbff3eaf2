//! The rules of least worst-case bias: where to put the threshold.
//!
//! A threshold is fixed by the bias `B` that it gives an answer at an end; the rule of least worst-case bias keeps the
//! bias of all other answers within `[-B, B]`. For Laplace laws the least such `B` is known in closed form
//! ([`Noise::half_line_minimax`]); for other laws it is searched for.

use inbounds_core::root::{bisect, bisect_integer, largest};

use super::{
    Range, Rule,
    extremes::{stays_within, worst_bias},
    moments::Part,
};
use crate::law::Noise;

/// Bias far from the end of a half line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FarBias {
    /// Estimates beyond the threshold are shifted by the worst bias itself, which leaves them the least error.
    Shifted,
    /// Estimates beyond the threshold are the measurements: no bias at infinity.
    None,
}

/// The rule of least worst-case bias for `noise` on `range`.
///
/// On a half line `(y - c) 1[y >= T]` with `c` the worst bias ([`FarBias::Shifted`]) or zero ([`FarBias::None`]);
/// between two ends the one-bit rule where it is best, the dead-zone clamp otherwise.
pub(super) fn least_bias(noise: &dyn Noise, range: Range, far: FarBias) -> Rule {
    let Some(width) = width(range) else { return Rule::CLAMP };
    let between = width < f64::INFINITY;
    let rule = |bias: f64| {
        let shift = if far == FarBias::Shifted && !between { bias } else { 0.0 };
        with_bias_at_end(noise, width, bias, shift)
    };
    if let Some((bias, threshold)) = noise.half_line_minimax() {
        let coarsest = if between { Rule::OneBit } else { Rule::CLAMP };
        let coarsest_bias = coarsest.error(noise, 0.0, width, false).0;
        return if width < threshold || coarsest_bias >= bias && between { coarsest } else { rule(bias) };
    }
    let keeps = |bias: f64| stays_within(noise, range, rule(bias), bias * (1.0 + 1e-9));
    // The clamp keeps its own bias, which falls to zero where one bit gives the ends of a wide range none.
    let (mut fails, mut holds) = (0.0, Rule::CLAMP.error(noise, 0.0, width, false).0);
    while holds - fails > 1e-10 * holds {
        let middle = fails + (holds - fails) / 2.0;
        if keeps(middle) { holds = middle } else { fails = middle }
    }
    if between && stays_within(noise, range, Rule::OneBit, holds * (1.0 + 1e-9)) { Rule::OneBit } else { rule(holds) }
}

/// The threshold rule whose bias for an answer at an end is `bias`.
fn with_bias_at_end(noise: &dyn Noise, width: f64, bias: f64, shift: f64) -> Rule {
    let half = width / 2.0;
    // The mean estimate for an answer at the end when measurements up to and including `t` give the end itself.
    let mean = |t: f64| {
        let step = noise.spacing();
        let kept = Part::between(noise, t + step, width - t);
        let top = if width < f64::INFINITY { width * noise.sf(width - t - step) } else { 0.0 };
        kept.first - shift * kept.mass + top
    };
    if noise.spacing() == 0.0 {
        let (threshold, _) = bisect(shift, half.min(shift + reach(noise)), |t| mean(t) > bias);
        return Rule::Threshold { threshold, at: threshold - shift, shift };
    }
    let last = half.min(shift + reach(noise)).ceil() as i128;
    let first = shift.floor() as i128;
    let threshold =
        if mean(first as f64) <= bias { first } else { bisect_integer(first, last, |t| mean(t as f64) > bias) + 1 };
    let threshold = threshold as f64;
    if 2.0 * threshold >= width {
        return Rule::OneBit;
    }
    let mass = |k: f64| libm::exp(noise.ln_density(k));
    let at = (bias - mean(threshold)) / (mass(threshold) - mass(width - threshold));
    Rule::Threshold { threshold, at: at.clamp(0.0, threshold), shift }
}

/// The rule `x 1[x >= T]` whose threshold makes Laplace noise unbiased for every answer from the threshold on: `T` is
/// the mean excess `E[N | N > 0]`, the scale `b`.
///
/// On the integers, with mean excess `m = a / (1 - a)` over each step, `T = ceil(m)` is published as `(T - m)(1 + m)`.
pub(super) fn unbiased_beyond(noise: &dyn Noise, range: Range) -> Rule {
    let Some(width) = width(range) else { return Rule::CLAMP };
    let step = noise.spacing();
    let excess = noise.first_moment_between(0.0, f64::INFINITY) / noise.sf(0.0) - step;
    let (threshold, at) =
        if step > 0.0 { (excess.ceil(), (excess.ceil() - excess) * (1.0 + excess)) } else { (excess, excess) };
    if 2.0 * threshold < width { Rule::Threshold { threshold, at, shift: 0.0 } } else { Rule::OneBit }
}

/// The shifted ramp whose largest biases to both sides balance: on a half line the shift `s` with `E(N - s)+ = s`,
/// which is `b W(1/2)` for Laplace noise; between two ends the dead stretch of least worst-case bias.
pub(super) fn shifted_ramp(noise: &dyn Noise, range: Range) -> Rule {
    let Some(width) = width(range) else { return Rule::CLAMP };
    if width == f64::INFINITY {
        let excess = |shift: f64| {
            let start = if noise.spacing() > 0.0 { shift.floor() } else { shift };
            noise.first_moment_between(start, f64::INFINITY) - shift * noise.sf(start)
        };
        let (shift, _) = bisect(0.0, reach(noise), |shift| excess(shift) > shift);
        let threshold = if noise.spacing() > 0.0 { shift.ceil() } else { shift };
        return Rule::Threshold { threshold, at: threshold - shift, shift };
    }
    let worst = |dead: f64| worst_bias(noise, range, Rule::Stretch { dead });
    let one_bit = worst_bias(noise, range, Rule::OneBit);
    let near = |low: f64, high: f64| high - low <= 1e-9 * high;
    let (best, dead) = largest(0.0, width / 2.0 * (1.0 - 1e-6), near, |dead| -worst(dead));
    if -best < one_bit { Rule::Stretch { dead } } else { Rule::OneBit }
}

/// Beyond every threshold of interest: noise exceeds it with probability below `1/5000`.
fn reach(noise: &dyn Noise) -> f64 {
    50.0 * noise.variance().sqrt() + noise.spacing()
}

/// Width of a range, infinite on a half line, `None` without an end.
fn width(range: Range) -> Option<f64> {
    range.finite_end().map(|_| range.upper() - range.lower())
}
