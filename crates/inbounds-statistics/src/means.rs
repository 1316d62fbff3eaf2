//! Common parts of means of a private number of rows, however they are measured.

use inbounds_core::root;

use crate::{ExpectedError, Scenario};

/// The means of a range that a test accepts, where these form one interval around an accepted `root`.
pub(crate) fn accepted(root: f64, (lower, upper): (f64, f64), accepts: impl Fn(f64) -> bool) -> (f64, f64) {
    let end = |far: f64| {
        if accepts(far) {
            return far;
        }
        // Bisect on the way from the accepted root to the rejected end, and keep the outer point.
        let (_, outside) = root::bisect(0.0, 1.0, |part| accepts(root + part * (far - root)));
        root + outside * (far - root)
    };
    (end(lower), end(upper))
}

/// Standard deviations of its noise by which a noisy number of rows is above the smallest that is likely.
///
/// Laplace noise passes it with a probability of 9e-4, Gaussian noise, one of several numbers with cube noise and sums
/// of independent numbers with such noise with less.
const FEWER: f64 = 4.5;

/// The smallest likely number of rows, at least 1, given a noisy one and the standard deviation of its noise.
pub(crate) fn fewest_rows(count: f64, deviation: f64) -> f64 {
    (count - FEWER * deviation).max(1.0)
}

/// Parts of an interval at whose ends errors are looked at. An interval is a few scales of the noise wide, over which
/// errors bend slowly.
const PARTS: u32 = 8;

/// The largest absolute bias, with its sign, and the largest RMSE over the means of an interval, in which `value` is.
pub(crate) fn largest_errors((lower, value, upper): (f64, f64, f64), error: impl Fn(f64) -> (f64, f64)) -> (f64, f64) {
    let between = (0..=PARTS).map(|index| lower + (upper - lower) * f64::from(index) / f64::from(PARTS));
    between.chain([value]).map(error).fold((0.0, 0.0), larger)
}

/// Of each the larger one: of biases by their absolute values.
pub(crate) fn larger(largest: (f64, f64), error: (f64, f64)) -> (f64, f64) {
    (if error.0.abs() > largest.0.abs() { error.0 } else { largest.0 }, largest.1.max(error.1))
}

/// Errors at the lower end and in the middle of the range, for groups of the assumed sizes. `errors` has bias and RMSE
/// for each of some means and numbers of rows, `interval` the ends of an interval for one, if intervals are asked for.
pub(crate) fn expected_errors(
    (lower, upper): (f64, f64),
    scenario: &Scenario,
    errors: impl Fn(&[(f64, f64)]) -> Vec<(f64, f64)>,
    interval: impl Fn(f64, f64) -> Option<(f64, f64)>,
) -> Vec<ExpectedError> {
    let means = [("at the lower end", lower), ("in the middle", 0.5 * (lower + upper))];
    let sizes = scenario.sizes_up_to(f64::INFINITY);
    let places = sizes.iter().flat_map(|_| means.map(|(place, _)| place));
    let cases: Vec<(f64, f64)> = sizes.iter().flat_map(|rows| means.map(|(_, mean)| (mean, *rows))).collect();
    let errors = errors(&cases);
    places
        .zip(cases)
        .zip(errors)
        .map(|((place, (mean, rows)), (bias, rmse))| {
            let half_width = interval(mean, rows).map(|(lower, upper)| 0.5 * (upper - lower));
            ExpectedError { case: format!("{place}, group of {rows} rows"), bias, rmse, half_width }
        })
        .collect()
}
