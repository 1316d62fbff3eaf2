//! Distribution functions from noisy counts, and their inverses.

use inbounds_project::{
    constraint::{Direction, Order},
    isotonic,
};

use crate::StatisticError;

/// Part by which sums of doubles may miss the number of rows that a probability asks for.
const ROUNDING: f64 = 1e-12;

/// The largest double below which every whole number is one.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// Which values a column has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Values {
    /// Any number: within its bin, a quantile is interpolated as if rows were spread evenly.
    Real,
    /// Whole numbers: a quantile is one of them, as if rows were spread evenly over those of its bin.
    Whole,
}

impl Values {
    /// The smallest and the largest value in each of the bins `[e_0, e_1), ..., [e_(k-1), e_k]`; for real values the
    /// edges.
    ///
    /// # Errors
    /// [`StatisticError::NoWholeNumber`] for a bin without a whole number, or one that begins or ends where not every
    /// whole number is a double.
    ///
    /// # Example
    /// ```
    /// use inbounds_statistics::quantile::Values;
    /// assert_eq!(Values::Real.in_bins(&[0.5, 2.5, 3.0]).expect("valid"), [(0.5, 2.5), (2.5, 3.0)]);
    /// assert_eq!(Values::Whole.in_bins(&[0.5, 2.0, 3.0]).expect("valid"), [(1.0, 1.0), (2.0, 3.0)]);
    /// assert!(Values::Whole.in_bins(&[0.2, 0.7, 3.0]).is_err());
    /// ```
    pub fn in_bins(self, edges: &[f64]) -> Result<Vec<(f64, f64)>, StatisticError> {
        let bins = edges.len().saturating_sub(1);
        let ends = |bin: usize| {
            let (lower, upper) = (edges[bin], edges[bin + 1]);
            if self == Self::Real {
                return Ok((lower, upper));
            }
            // All bins but the last are open above.
            let highest = if bin + 1 == bins { upper.floor() } else { upper.ceil() - 1.0 };
            let exact = lower.abs() < WHOLE && upper.abs() < WHOLE;
            if exact && lower.ceil() <= highest {
                Ok((lower.ceil(), highest))
            } else {
                Err(StatisticError::NoWholeNumber { lower, upper })
            }
        };
        (0..bins).map(ends).collect()
    }

    /// The value in the middle of a bin, that at half of its rows.
    pub(super) fn middle(self, bin: (f64, f64)) -> f64 {
        self.at(bin, 0.5)
    }

    /// The value at a part, above 0 and at most 1, of the rows of a bin that has values between these two.
    fn at(self, (lowest, highest): (f64, f64), part: f64) -> f64 {
        match self {
            Self::Real => (lowest + part * (highest - lowest)).clamp(lowest, highest),
            Self::Whole => {
                let values = highest - lowest + 1.0;
                lowest + (part * values * (1.0 - ROUNDING)).ceil().clamp(1.0, values) - 1.0
            }
        }
    }
}

/// Numbers of rows below the edges `e_1, ..., e_k`, made monotone.
///
/// # Law
/// The `x` nearest to `below` in `sum (x_j - s_j)^2 / v_j` with `0 <= x_1 <= ... <= x_k`; with a known number of rows,
/// which the last is then, within it.
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

/// The quantile of probability `p` of rows of which `below[j]` lie in the first `j + 1` bins: the smallest value with
/// at least `p` of the rows at or below it.
///
/// # Law
/// It lies in the first bin `j` with `below[j] >= p below[k-1]`, and there, as counts of bins do not say where, at the
/// part `(p below[k-1] - below[j-1]) / (below[j] - below[j-1])` of the bin's rows. Where there are no rows at all, they
/// count as spread evenly over the bins.
///
/// # Parameters
/// - `bins`: smallest and largest value of each, as from [`Values::in_bins`]; as many as `below` has entries.
/// - `below`: not negative at its end. It need not increase: the first bin that reaches the probability counts.
/// - `p`: above 0 and below 1.
///
/// # Panics
/// If there is no bin.
///
/// # Example
/// ```
/// use inbounds_statistics::quantile::{Values, quantile};
/// assert_eq!(quantile(&[(0.0, 10.0), (10.0, 30.0)], &[2.0, 8.0], 0.625, Values::Real), 20.0);
/// assert_eq!(quantile(&[(0.0, 0.0), (1.0, 1.0)], &[2.0, 8.0], 0.625, Values::Whole), 1.0);
/// assert_eq!(quantile(&[(0.0, 9.0), (10.0, 13.0)], &[2.0, 8.0], 0.625, Values::Whole), 11.0);
/// ```
pub fn quantile(bins: &[(f64, f64)], below: &[f64], p: f64, values: Values) -> f64 {
    let (bin, part) = place(below, p);
    values.at(bins[bin], part)
}

/// Running sums of counts that need not be whole: the numbers of rows below the edges.
pub(super) fn running_sums(counts: &[f64]) -> Vec<f64> {
    let add = |rows: &mut f64, count: &f64| {
        *rows += count;
        Some(*rows)
    };
    counts.iter().scan(0.0, add).collect()
}

/// The bin that a quantile lies in, and the part of its rows at or below it.
pub(super) fn place(below: &[f64], p: f64) -> (usize, f64) {
    let (bins, total) = (below.len(), below[below.len() - 1]);
    if total <= 0.0 {
        let wanted = p * bins as f64;
        let bin = ((wanted * (1.0 - ROUNDING)).ceil() as usize).clamp(1, bins) - 1;
        return (bin, (wanted - bin as f64).clamp(0.0, 1.0));
    }
    let wanted = p * total * (1.0 - ROUNDING);
    let bin = below.iter().position(|rows| *rows >= wanted).unwrap_or(bins - 1);
    let before = if bin == 0 { 0.0 } else { below[bin - 1] };
    // The bin holds rows: fewer than wanted are before it and at least as many as wanted at its end.
    (bin, ((p * total - before) / (below[bin] - before)).clamp(0.0, 1.0))
}
