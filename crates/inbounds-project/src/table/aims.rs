//! Numbers that the cells of a margin aim at.

use super::{axes::Axes, linear::FittedMargin};
use crate::shrink::{HALFWAY, LEFT, Shrunk, shrink};

/// Targets of the cells of a margin, and variances for weights if these are not even.
pub(super) fn aims(margin: &FittedMargin, is_part: bool) -> (Vec<f64>, Vec<f64>) {
    let FittedMargin { axes, values, variance } = margin;
    if *axes == Axes::NONE {
        return (values.clone(), Vec::new());
    }
    let shrunk = shrink(values, &vec![*variance; values.len()]);
    if is_part {
        let left = |shrunk: &Shrunk| shrunk.variance + LEFT * variance;
        (shrunk.iter().map(|shrunk| shrunk.value).collect(), shrunk.iter().map(left).collect())
    } else {
        let halfway = |(fit, shrunk): (&f64, &Shrunk)| fit + HALFWAY * (shrunk.value - fit);
        (values.iter().zip(&shrunk).map(halfway).collect(), Vec::new())
    }
}
