//! What the program notices about its own numbers, before anybody uses them.

use inbounds_bundle::Notice;
use inbounds_statistics::Estimate;

/// What shows in the estimates themselves.
pub(crate) fn of_estimates(estimates: &[Estimate]) -> Vec<Notice> {
    let outside = |estimate: &&Estimate| estimate.value < estimate.lower || estimate.value > estimate.upper;
    match estimates.iter().filter(outside).count() {
        0 => Vec::new(),
        estimates => vec![Notice::OutsideInterval { estimates }],
    }
}
