//! The optimality conditions of an ordering.

use crate::{
    certificate::Certificate,
    constraint::Order,
    numeric::{Sum, relative},
};

/// The multiplier of "cell at most its parent" is the sum of `w (y - x)` over the cell's subtree.
///
/// It must be at least zero, zero where cell and parent differ, and zero at every root, where nothing is above. Bounds
/// met by clamping add multipliers `w (clamp(x) - x)`, whose signs are right by construction, so `x` is the vector
/// before clamping.
pub(super) fn kkt(values: &[f64], weights: &[f64], order: &Order, leaves_first: &[usize], x: &[f64]) -> Certificate {
    let mut kkt = Certificate::default();
    let mut multipliers = vec![Sum::default(); x.len()];
    let mut sizes = vec![0.0; x.len()];
    for &cell in leaves_first {
        multipliers[cell].add(weights[cell] * (values[cell] - x[cell]));
        sizes[cell] += weights[cell] * (values[cell].abs() + x[cell].abs());
        let multiplier = relative(multipliers[cell].value(), sizes[cell]);
        let Some(parent) = order.parent(cell, x.len()) else {
            kkt.stationary(multiplier, 1.0);
            continue;
        };
        let (sum, size) = (multipliers[cell], sizes[cell]);
        multipliers[parent].merge(sum);
        sizes[parent] += size;
        let rise = relative(x[parent] - x[cell], x[parent].abs() + x[cell].abs());
        if rise.is_nan() || rise < 0.0 {
            kkt.feasible(rise, 1.0);
        }
        // A push the wrong way, or one without touching, whichever of the two is nearer to zero.
        let wrong = if multiplier >= 0.0 { multiplier.min(rise.abs()) } else { multiplier };
        kkt.complementary(wrong, 1.0);
    }
    kkt
}
