//! From noisy counts to shares that add up to one: rules that read the noisy vector as a whole.
//!
//! All are post-processing and cost no privacy. They take doubles, so that they apply to noise of any law.

use inbounds_project::{ProjectError, constraint::Bounds, simplex};

/// Treatment of a calculated share below zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Negative {
    /// It is kept: shares add up, and one of them may be impossible.
    Kept,
    /// It becomes zero, and the other shares are divided by their sum.
    Zeroed,
}

/// Each value divided by the sum: `x_k = y_k / sum y`.
///
/// Values below zero count as zero; where nothing is left, shares are equal.
///
/// # Example
/// ```
/// use inbounds_statistics::proportion::rescale;
/// assert_eq!(rescale(&[30.0, -2.0, 10.0]), [0.75, 0.0, 0.25]);
/// assert_eq!(rescale(&[-1.0, -2.0]), [0.5, 0.5]);
/// ```
///
/// # References
/// Liu 2019, procedure "re-scaling".
pub fn rescale(values: &[f64]) -> Vec<f64> {
    let positive = |value: &f64| value.max(0.0);
    let total: f64 = values.iter().map(positive).sum();
    // A total that is not a normal number divides nothing reliably.
    if total.is_normal() {
        values.iter().map(|value| positive(value) / total).collect()
    } else {
        vec![1.0 / values.len() as f64; values.len()]
    }
}

/// All shares but one as they are, and that one what they leave of the whole: `x_c = 1 - sum_(k != c) y_k`.
///
/// # Parameters
/// - `others`: noisy shares of all categories but `calculated`, in order.
/// - `calculated`: place of the calculated category among all, at most the number of `others`.
/// - `negative`: what becomes of a calculated share below zero.
///
/// # Example
/// ```
/// use inbounds_statistics::proportion::{Negative, all_but_one};
/// assert_eq!(all_but_one(&[0.25, 0.25], 1, Negative::Kept), [0.25, 0.5, 0.25]);
/// assert_eq!(all_but_one(&[0.75, 0.75], 0, Negative::Kept), [-0.5, 0.75, 0.75]);
/// assert_eq!(all_but_one(&[0.75, 0.75], 0, Negative::Zeroed), [0.0, 0.5, 0.5]);
/// ```
///
/// # Panics
/// If `calculated` is beyond the categories.
///
/// # References
/// Liu 2019, procedure "all-but-one"; the paper is silent on negative shares.
pub fn all_but_one(others: &[f64], calculated: usize, negative: Negative) -> Vec<f64> {
    let left = 1.0 - others.iter().sum::<f64>();
    let (left, mut shares) = match negative {
        Negative::Zeroed if left < 0.0 => (0.0, rescale(others)),
        _ => (left, others.to_vec()),
    };
    shares.insert(calculated, left);
    shares
}

/// The shares nearest to noisy counts, each count weighted by its precision.
///
/// # Law
/// Minimises `sum (x_k - y_k / total)^2 / v_k` over `x_k >= 0` with `sum x_k = 1`.
///
/// # Parameters
/// - `values`: noisy counts `y`.
/// - `variances`: `v`, of their noise, up to a common factor; finite and positive.
/// - `total`: what the counts add up to, positive.
///
/// # Errors
/// [`ProjectError`] if a list has the wrong length or a number is outside its admissible set.
///
/// # Example
/// The more precise count moves less.
/// ```
/// use inbounds_statistics::proportion::onto_simplex;
/// let shares = onto_simplex(&[60.0, 60.0], &[1.0, 3.0], 100.0)?;
/// assert!((shares[0] - 0.55).abs() < 1e-15 && (shares[1] - 0.45).abs() < 1e-15);
/// assert_eq!(onto_simplex(&[120.0, -10.0], &[1.0, 1.0], 100.0)?, [1.0, 0.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// [`inbounds_project::simplex::project`], which is exact.
pub fn onto_simplex(values: &[f64], variances: &[f64], total: f64) -> Result<Vec<f64>, ProjectError> {
    let weights: Vec<f64> = variances.iter().map(|variance| variance.recip()).collect();
    // The simplex has points at every number of categories, so there is a solution.
    let counts = simplex::project(values, &weights, total, &Bounds::nonnegative())?.estimates;
    Ok(counts.iter().map(|count| count / total).collect())
}
