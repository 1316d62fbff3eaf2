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

/// Errors at the lower end and in the middle of the range, for groups of the supposed sizes. `error` is bias and RMSE, `interval` has its
/// ends, for a mean and a number of rows.
pub(crate) fn expected_errors(
    (lower, upper): (f64, f64),
    supposed: &Supposed,
    error: impl Fn(f64, f64) -> (f64, f64),
    interval: impl Fn(f64, f64) -> (f64, f64),
) -> Vec<ExpectedError> {
    let means = [("at the lower end", lower), ("in the middle", 0.5 * (lower + upper))];
    let sizes = supposed.sizes_up_to(f64::INFINITY);
    let cases = sizes.into_iter().flat_map(|rows| means.map(|(place, mean)| (rows, place, mean)));
    cases
        .map(|(rows, place, mean)| {
            let (bias, rmse) = error(mean, rows);
            let (lower, upper) = interval(mean, rows);
            let half_width = Some(0.5 * (upper - lower));
            ExpectedError { case: format!("{place}, group of {rows} rows"), bias, rmse, half_width }
        })
        .collect()
}
