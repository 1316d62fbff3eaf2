//! What a statistic may publish were the truth a candidate: quantiles of the law of the published number.
//!
//! # Law
//! A measurement `Y` has the law that its mechanism states, and the published number is `X = round(phi(Y))`, where
//! `phi` brings it into the range and a value between grid points is rounded up with a probability of its fraction. Of
//! `n` publications the `i`-th is the quantile of `X` at `(i - 1/2) / n`, so that each stands for `1/n` of all: this is
//! a quantile dotplot (Fernandes et al., CHI 2018). Where `phi` is a clamp or changes nothing, it is monotone and
//! whole, and `phi` of the quantile of `Y` is the quantile of `X`. Elsewhere `Y` is cut into [`CUTS`] pieces of equal
//! probability, each of which stands at its middle, so that a dot may be off by as many parts of `1 / CUTS` in
//! probability as `phi` has monotone pieces. No number is drawn, and no row is read.

use inbounds_mechanisms::{law::Noise, mechanism::Mechanism};
use inbounds_release::LEVEL;
use inbounds_statistics::Component;
use serde::Serialize;

/// Pieces of equal probability into which measurements are cut where the way into the range is no clamp.
const CUTS: usize = 10_000;

/// The law of the published number at a candidate truth, in the unit of the statistic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PublishedLaw {
    /// The candidate: the point of the grid in the range that is nearest to what was asked for.
    pub truth: f64,
    /// Distance between numbers that can be published.
    pub step: f64,
    /// Scale of the noise.
    pub scale: f64,
    /// Range of the published number; an end without bound is null.
    pub range: (Option<f64>, Option<f64>),
    /// Bias at the candidate, by the formula of the mechanism.
    pub bias: f64,
    /// Root mean square error at the candidate, by the formula of the mechanism.
    pub rmse: f64,
    /// Registered name of the mechanism.
    pub mechanism: &'static str,
    /// Publications of equal probability, from the least to the greatest.
    pub publications: Vec<Publication>,
}

/// One number that may be published, as the bundle would have it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Publication {
    /// The estimate.
    pub value: f64,
    /// Lower end of the 95 % interval beside it; null where it is open.
    pub lower: Option<f64>,
    /// Upper end; null where it is open.
    pub upper: Option<f64>,
}

impl PublishedLaw {
    /// At the candidate nearest to `truth`, or without one a scale above the end of the range, where bounds are felt.
    pub(crate) fn at(component: &Component, truth: Option<f64>, publications: usize) -> Self {
        let mechanism = &*component.mechanism;
        let (step, range) = (component.step(), mechanism.range());
        let answer = match truth {
            Some(truth) => range.clamp((truth / step).round() as i128),
            None => {
                let (end, inside) = mechanism.landmarks();
                let scale = mechanism.noise().scale().ceil() as i128;
                end.map_or(inside, |end| if range.lower().is_some() { end + scale } else { end - scale })
            }
        };
        let answer = range.clamp(answer);
        let error = mechanism.error_at(answer);
        Self {
            truth: component.value(answer),
            step,
            scale: component.scale(),
            range: (range.lower().map(|end| component.value(end)), range.upper().map(|end| component.value(end))),
            bias: error.bias * step,
            rmse: error.rmse * step,
            mechanism: mechanism.name(),
            publications: published(mechanism, answer, publications)
                .into_iter()
                .map(|(measurement, estimate)| {
                    let interval = mechanism.interval(measurement, LEVEL);
                    Publication {
                        value: component.value(estimate),
                        lower: interval.lower.map(|end| component.value(end)),
                        upper: interval.upper.map(|end| component.value(end)),
                    }
                })
                .collect(),
        }
    }
}

/// Measurements and what is published of them, in steps, at equal distances of probability; sorted by what is
/// published.
fn published(mechanism: &dyn Mechanism, answer: i128, number: usize) -> Vec<(i128, i128)> {
    let level = |place: usize, of: usize| (place as f64 + 0.5) / of as f64;
    let keeps_order = mechanism.processing().is_none_or(|map| map.record().rule == "clamp");
    if keeps_order {
        let of = |place| {
            let measurement = measurement_at(mechanism, answer, level(place, number));
            (measurement, mechanism.estimate(measurement).whole)
        };
        return (0..number).map(of).collect();
    }
    // Each piece has two weights: that of the grid point below its estimate, and that of the one above.
    let mut pieces: Vec<(i128, i128, f64)> = Vec::with_capacity(2 * CUTS);
    for place in 0..CUTS {
        let measurement = measurement_at(mechanism, answer, level(place, CUTS));
        let estimate = mechanism.estimate(measurement);
        pieces.push((estimate.whole, measurement, 1.0 - estimate.fraction));
        if estimate.fraction > 0.0 {
            pieces.push((estimate.whole + 1, measurement, estimate.fraction));
        }
    }
    pieces.sort_by_key(|(published, measurement, _)| (*published, *measurement));
    let mut found = Vec::with_capacity(number);
    let mut below = 0.0;
    for (published, measurement, weight) in pieces {
        below += weight / CUTS as f64;
        while found.len() < number && below >= level(found.len(), number) {
            found.push((measurement, published));
        }
    }
    found
}

/// The least measurement `y` with `P(Y <= y) >= level`.
fn measurement_at(mechanism: &dyn Mechanism, answer: i128, level: f64) -> i128 {
    if mechanism.adds_noise() {
        return answer.saturating_add(mechanism.noise().quantile(level) as i128);
    }
    let range = mechanism.range();
    let below = |measurement: i128| not_above(mechanism, answer, measurement);
    let (mut low, mut high, mut stride) = (answer, answer, 1_i128);
    while below(high) < level && range.clamp(high + stride) > high {
        (low, high, stride) = (high, range.clamp(high + stride), 2 * stride);
    }
    stride = 1;
    while below(low) >= level && range.clamp(low - stride) < low {
        (high, low, stride) = (low, range.clamp(low - stride), 2 * stride);
    }
    if below(low) >= level {
        return low;
    }
    // Invariant: `below(low) < level`, and `high` is at or above the quantile.
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if below(middle) >= level { high = middle } else { low = middle }
    }
    high
}

/// `P(Y <= measurement)` of noise that is conditioned on the range, or multiplied.
fn not_above(mechanism: &dyn Mechanism, answer: i128, measurement: i128) -> f64 {
    if let Some((below, _)) = mechanism.tails(measurement, answer) {
        return below;
    }
    let (noise, range) = (mechanism.noise(), mechanism.range());
    let distribution = |end: i128| noise.cdf((end - answer) as f64);
    let outside = range.lower().map_or(0.0, |lower| distribution(lower - 1));
    let all = range.upper().map_or(1.0, distribution) - outside;
    (distribution(measurement) - outside) / all
}

#[cfg(test)]
mod tests {
    use inbounds_core::{Delta, Epsilon, Rational, Sensitivity, StepRange};
    use inbounds_mechanisms::{registry, sampler::SeededEntropy};

    use super::*;

    const SENSITIVITY: Sensitivity = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "given", squares: None };

    fn calibrated(entry: &registry::Entry, range: StepRange) -> Option<std::sync::Arc<dyn Mechanism>> {
        let epsilon = Epsilon::new(Rational::ratio(1, 2)).expect("positive");
        let delta = Delta::new(Rational::ratio(1, 1_000_000)).expect("a delta");
        let delta = if entry.needs_delta() { delta } else { Delta::ZERO };
        entry.calibrate_spending(epsilon, delta, &SENSITIVITY, range).ok()
    }

    /// The published numbers of a mechanism are drawn 20,000 times and compared with 50 quantiles of the stated law:
    /// the largest distance of the two distribution functions at a dot exceeds 0.016 with a probability below 1.5e-4
    /// for each mechanism (Dvoretzky-Kiefer-Wolfowitz with Massart's constant: `2 exp(-2 * 20000 * 0.0155^2)` and half
    /// a thousandth for the cuts); seeds are fixed. A law around a neighbouring answer is rejected.
    #[test]
    fn publications_are_quantiles_of_what_is_drawn() {
        const DRAWS: usize = 20_000;
        let ranges =
            [StepRange::new(Some(0), None), StepRange::new(Some(0), Some(12)), StepRange::new(Some(1), Some(40))];
        let mut tried = 0;
        for range in ranges.map(|range| range.expect("a range")) {
            for entry in registry::MECHANISMS {
                let Some(mechanism) = calibrated(entry, range).filter(|one| one.selection().is_none()) else {
                    continue;
                };
                let mut entropy = SeededEntropy::from_seed(45);
                let drawn = mechanism.measure(&vec![3; DRAWS], &mut entropy);
                let drawn: Vec<i128> =
                    drawn.iter().map(|steps| mechanism.estimate(*steps).round(&mut entropy)).collect();
                let share = |most: i128| drawn.iter().filter(|value| **value <= most).count() as f64 / DRAWS as f64;
                let off = |answer: i128| {
                    let dots = published(&*mechanism, answer, 50);
                    assert_eq!(dots.len(), 50, "{}", entry.name);
                    assert!(dots.is_sorted_by_key(|dot| dot.1), "{}", entry.name);
                    let levels = dots.iter().enumerate().map(|(place, dot)| (dot.1, (place as f64 + 0.5) / 50.0));
                    // At the quantile the distribution function has reached the level, and just before it has not.
                    let off = levels.map(|(value, level)| (level - share(value)).max(share(value - 1) - level));
                    off.fold(0.0, f64::max)
                };
                assert!(off(3) < 0.016, "{} on {range:?}: {}", entry.name, off(3));
                assert!(off(5) > 0.016, "{} on {range:?}: another truth passes, {}", entry.name, off(5));
                tried += 1;
            }
        }
        assert!(tried > 20, "{tried} mechanisms were tried");
    }
}
