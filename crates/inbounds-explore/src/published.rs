//! Distribution of a published number for a candidate truth: quantiles of its law.
//!
//! # Law
//! A measurement `Y` has the law that its mechanism states, and the published number is `X = round(phi(Y))`, where
//! `phi` brings it into the range and a value between grid points is rounded up with a probability of its fraction. Of
//! `n` publications the `i`-th is the quantile of `X` at `(i - 1/2) / n`, so that each stands for `1/n` of all: this is
//! a quantile dotplot (Fernandes et al., CHI 2018). Where `phi` is a clamp or changes nothing, it is monotone and
//! whole, and `phi` of the quantile of `Y` is the quantile of `X`. Elsewhere `Y` is cut into [`CUTS`] pieces of equal
//! probability, each of which stands at its middle, so that a dot may be off by as many parts of `1 / CUTS` in
//! probability as `phi` has monotone pieces. No number is drawn, and no row is read.
//!
//! An estimate that is made of several noisy numbers has no such law. There noise is drawn [`DRAWS`] times from a
//! public seed, and the dots are quantiles of the estimates that come of it.

use inbounds_mechanisms::{law::Noise, mechanism::Mechanism};
use inbounds_release::{CalibratedStatistic, LEVEL, plan::Plan};
use inbounds_statistics::Component;
use serde::Serialize;

/// Pieces of equal probability into which measurements are cut where the way into the range is no clamp.
const CUTS: usize = 10_000;

/// Draws of the noise where no formula gives the law, of all cells of a statistic together; of one cell never fewer
/// than [`FEWEST`].
const DRAWS: usize = 2_000;
const FEWEST: usize = 200;

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
    /// Registered name of the mechanism; none where several make the number.
    pub mechanism: Option<&'static str>,
    /// Rows of the group that is supposed, where the error depends on their number; then bias and error are of draws.
    pub rows: Option<u64>,
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
    /// Of one number of a statistic at a candidate; `None` where no number of it stands by itself.
    pub(crate) fn find(
        plan: &Plan,
        prepared: &CalibratedStatistic,
        truth: Option<f64>,
        publications: usize,
    ) -> Option<Self> {
        match prepared.published_as_estimated() {
            Some(component) => Some(Self::at(component, truth, publications)),
            None => Self::drawn(prepared, truth, supposed_rows(plan, prepared), publications),
        }
    }

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
            mechanism: Some(mechanism.name()),
            rows: None,
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

/// Rows of a cell: as many as the plan expects, alike in all cells, or a hundred.
fn supposed_rows(plan: &Plan, prepared: &CalibratedStatistic) -> u64 {
    const USUAL: u64 = 100;
    let all = plan.data.expect_rows.as_ref().map(|expected| expected.value.0.midpoint(expected.value.1));
    all.map_or(USUAL, |all| (all / prepared.cells().max(1) as u64).max(1))
}

impl PublishedLaw {
    /// Of a statistic whose numbers are made of several: at the candidate, or in the middle of the range, for a group
    /// of `rows` rows. `None` where a number of it is not by itself.
    pub(crate) fn drawn(
        prepared: &CalibratedStatistic,
        truth: Option<f64>,
        rows: u64,
        publications: usize,
    ) -> Option<Self> {
        let (lower, upper) = *prepared.ranges().first()?;
        let middle = match (lower.is_finite(), upper.is_finite()) {
            (true, true) => 0.5 * (lower + upper),
            (true, false) => lower,
            (false, true) => upper,
            (false, false) => 0.0,
        };
        let truth = truth.unwrap_or(middle).clamp(lower, upper);
        let draws = (DRAWS / prepared.cells().max(1)).max(FEWEST);
        let mut drawn = prepared.possible_estimates(truth, rows, draws, LEVEL)?;
        drawn.sort_by(|a, b| a.value.total_cmp(&b.value));
        let mean = |function: &dyn Fn(f64) -> f64| {
            drawn.iter().map(|one| function(one.value)).sum::<f64>() / drawn.len() as f64
        };
        let (bias, rmse) = (mean(&|value| value - truth), mean(&|value| (value - truth).powi(2)).sqrt());
        let end = |end: f64| Some(end).filter(|end| end.is_finite());
        let at = |place: usize| {
            let one = &drawn[((place as f64 + 0.5) / publications as f64 * drawn.len() as f64) as usize];
            let (lower, upper) = one.interval.map_or((None, None), |(lower, upper)| (end(lower), end(upper)));
            Publication { value: one.value, lower, upper }
        };
        Some(Self {
            truth,
            step: 0.0,
            scale: rmse,
            range: (end(lower), end(upper)),
            bias,
            rmse,
            mechanism: None,
            rows: Some(rows),
            publications: (0..publications).map(at).collect(),
        })
    }
}

/// Measurements and what is published of them, in steps, at equal distances of probability; sorted by what is
/// published.
fn published(mechanism: &dyn Mechanism, answer: i128, number: usize) -> Vec<(i128, i128)> {
    let level = |place: usize, number: usize| (place as f64 + 0.5) / number as f64;
    let keeps_order = mechanism.processing().is_none_or(|map| map.record().rule == "clamp");
    if keeps_order {
        let published_at = |place| {
            let measurement = measurement_at(mechanism, answer, level(place, number));
            (measurement, mechanism.estimate(measurement).whole)
        };
        return (0..number).map(published_at).collect();
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
    let mut drawn = Vec::with_capacity(number);
    let mut below = 0.0;
    for (published, measurement, weight) in pieces {
        below += weight / CUTS as f64;
        while drawn.len() < number && below >= level(drawn.len(), number) {
            drawn.push((measurement, published));
        }
    }
    drawn
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

    /// Errors of drawn publications are those that `check` states for the same case. Both are of some 2,000 draws, so
    /// that they differ by 10 % for less than one run in a thousand; the seeds are fixed.
    #[test]
    fn drawn_publications_err_as_check_says() {
        let text = "data.path = 'rows.csv'\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 3 }\n\
                    columns.age = { type = 'number', lower = 0, upper = 100, missing = 'drop' }\n\
                    [[statistic]]\nname = 'alone'\nkind = 'mean'\ncolumn = 'age'\n\
                    [[statistic]]\nname = 'spread'\nkind = 'variance'\ncolumn = 'age'\n\
                    [[statistic]]\nname = 'median'\nkind = 'quantile'\ncolumn = 'age'\nprobabilities = [0.5]\nedges = [0, 10, 20, 30, 40, 50, \
                    60, 70, 80, 90, 100]\n";
        for together in ["together = 'none'\n", ""] {
            let text = text.replace(
                "data.path",
                &format!("{}data.path", if together.is_empty() { "" } else { "privacy.together = 'none'\n" }),
            );
            let text = if together.is_empty() {
                text
            } else {
                text.replace("privacy.together = 'none'\n", "")
                    .replace("epsilon = 3 }", "epsilon = 3, together = 'none' }")
            };
            let place = crate::Place { name: "plan.toml", folder: std::path::Path::new(""), rows: None };
            let (view, tried) = crate::View::prepare(place, &text, &std::collections::BTreeMap::new(), 20);
            let (crate::View::Sound(view), Some(tried)) = (view, tried) else { panic!("a plan: {text}") };
            for (place, case, truth) in [
                (0, "in the middle, group of 100 rows", 50.0),
                (0, "at the lower end, group of 100 rows", 0.0),
                (1, "one value, group of 100 rows", 0.0),
                (1, "evenly spread values, group of 100 rows", 10_000.0 / 12.0),
            ] {
                let expected = &view.report.statistics[place].expected_error;
                let expected = expected
                    .iter()
                    .find(|error| error.case == case)
                    .unwrap_or_else(|| panic!("{case} in {expected:?}"));
                let drawn =
                    PublishedLaw::drawn(&tried.outline.tasks[place].prepared, Some(truth), 100, 20).expect("draws");
                assert!((drawn.rmse / expected.rmse - 1.0).abs() < 0.1, "{case}: {} {}", drawn.rmse, expected.rmse);
                assert!(
                    (drawn.bias - expected.bias).abs() < 0.1 * expected.rmse,
                    "{case}: {} {}",
                    drawn.bias,
                    expected.bias
                );
            }
            let median = PublishedLaw::drawn(&tried.outline.tasks[2].prepared, Some(30.0), 100, 20).expect("draws");
            let middle = median.publications[10].value;
            assert!((middle - 30.0).abs() < 10.0 && median.range == (Some(0.0), Some(100.0)), "{median:?}");
        }
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
