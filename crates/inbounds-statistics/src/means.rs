//! What means of a private number of rows have in common, however they are measured.

use inbounds_core::root;

use crate::{ExpectedError, Supposed};

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

/// Errors at the lower end and in the middle of the range, for groups of the supposed sizes. `errors` has bias and RMSE
/// for each of some means and numbers of rows, `interval` the ends of an interval for one, if intervals are asked for.
pub(crate) fn expected_errors(
    (lower, upper): (f64, f64),
    supposed: &Supposed,
    errors: impl Fn(&[(f64, f64)]) -> Vec<(f64, f64)>,
    interval: impl Fn(f64, f64) -> Option<(f64, f64)>,
) -> Vec<ExpectedError> {
    let means = [("at the lower end", lower), ("in the middle", 0.5 * (lower + upper))];
    let sizes = supposed.sizes_up_to(f64::INFINITY);
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
