//! Distribution functions from noisy counts, and their inverses.

use inbounds_project::{
    constraint::{Direction, Order},
    isotonic,
};

/// Where in its bin a quantile lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// As if rows were spread evenly over their bin.
    Linear,
    /// At the upper edge: the first edge below which there are at least as many rows as asked.
    UpperEdge,
}

/// Numbers of rows below the edges `e_1, ..., e_k`, made monotone.
///
/// # Law
/// The `x` nearest to `below` in `sum (x_j - s_j)^2 / v_j` with `0 <= x_1 <= ... <= x_k`; with a known number of rows, which the
/// last is then, within it.
///
/// # Parameters
/// - `below`: noisy numbers `s`, finite, one or more.
/// - `variances`: `v`, as many, finite and positive; the last is not read where `rows` is known.
/// - `rows`: the number of all rows where it is known, positive.
///
/// # Panics
/// If a number is not admissible.
///
/// # Example
/// ```
/// use inbounds_statistics::quantile::monotone;
/// assert_eq!(monotone(&[3.0, 1.0, 6.0], &[1.0, 1.0, 1.0], None), [2.0, 2.0, 6.0]);
/// assert_eq!(monotone(&[7.0, 6.0], &[1.0, 0.0], Some(6.0)), [6.0, 6.0]);
/// ```
pub fn monotone(below: &[f64], variances: &[f64], rows: Option<f64>) -> Vec<f64> {
    let free = below.len() - usize::from(rows.is_some());
    let weights: Vec<f64> = variances[..free].iter().map(|variance| variance.recip()).collect();
    let (chain, highest) = (Order::Chain(Direction::Increasing), rows.unwrap_or(f64::INFINITY));
    let mut monotone = isotonic::project(&below[..free], &weights, &chain, (0.0, highest))
        .expect("finite numbers, positive weights and bounds in order")
        .estimates;
    monotone.extend(rows);
    monotone
}

/// The quantile of probability `p` of rows of which `below[j]` lie below `edges[j + 1]`.
///
/// # Law
/// In the first bin `j` with `below[j] >= p below[k-1]`: the upper edge, or linearly between the edges. Where there are no
/// rows at all, they count as spread evenly over the bins.
///
/// # Parameters
/// - `edges`: increasing, one more than `below` has entries.
/// - `below`: increasing and not negative, as from [`monotone`].
/// - `p`: above 0 and below 1.
///
/// # Panics
/// If there is no bin.
///
/// # Example
/// ```
/// use inbounds_statistics::quantile::{Within, quantile};
/// assert_eq!(quantile(&[0.0, 10.0, 30.0], &[2.0, 8.0], 0.625, Within::Linear), 20.0);
/// assert_eq!(quantile(&[0.0, 10.0, 30.0], &[2.0, 8.0], 0.625, Within::UpperEdge), 30.0);
/// ```
pub fn quantile(edges: &[f64], below: &[f64], p: f64, within: Within) -> f64 {
    let total = below[below.len() - 1];
    if total <= 0.0 {
        let even: Vec<f64> = (1..=below.len()).map(|j| j as f64).collect();
        return quantile(edges, &even, p, within);
    }
    let wanted = p * total;
    let bin = below.iter().position(|rows| *rows >= wanted).unwrap_or(below.len() - 1);
    let (lower, upper) = (edges[bin], edges[bin + 1]);
    match within {
        Within::UpperEdge => upper,
        Within::Linear => {
            let before = if bin == 0 { 0.0 } else { below[bin - 1] };
            // The bin holds rows: fewer than wanted are before it and at least as many as wanted at its end.
            let part = (wanted - before) / (below[bin] - before);
            (lower + part * (upper - lower)).clamp(lower, upper)
        }
    }
}
