//! Statistics of the replicates of a simulation: means and roots with their standard errors, and ranks that cover.
//!
//! Every simulated bias and root mean square error that is published comes from these functions, so that its standard
//! error has one definition: the sample variance has the divisor `n - 1`.

/// The mean of `count` numbers from their sum and their sum of squares, and its Monte Carlo standard error.
///
/// # Law
/// With `s^2 = (squares - sum^2 / n) / (n - 1)`, which is unbiased for the variance of one number, the error is
/// `s / sqrt(n)`. It is infinite for a single number, which says nothing of its own spread.
///
/// # Example
/// ```
/// use inbounds_core::monte_carlo::mean_and_error;
/// // 1, 2, 3 and 6 have the mean 3 and the variance 14 / 3.
/// let (mean, error) = mean_and_error(12.0, 50.0, 4.0);
/// assert!(mean == 3.0 && (error - (14.0f64 / 12.0).sqrt()).abs() < 1e-15);
/// assert_eq!(mean_and_error(5.0, 25.0, 1.0), (5.0, f64::INFINITY));
/// ```
pub fn mean_and_error(sum: f64, squares: f64, count: f64) -> (f64, f64) {
    let mean = sum / count;
    if count < 2.0 {
        return (mean, f64::INFINITY);
    }
    let variance = (squares / count - mean * mean).max(0.0) * (count / (count - 1.0));
    (mean, libm::sqrt(variance / count))
}

/// The root mean square of `count` numbers from the sums of their second and fourth powers, and its Monte Carlo
/// standard error to first order.
///
/// # Example
/// ```
/// use inbounds_core::monte_carlo::root_mean_square;
/// assert_eq!(root_mean_square(16.0, 128.0, 4.0).0, 2.0);
/// assert_eq!(root_mean_square(0.0, 0.0, 4.0), (0.0, 0.0));
/// ```
pub fn root_mean_square(squares: f64, fourths: f64, count: f64) -> (f64, f64) {
    let (square, error) = mean_and_error(squares, fourths, count);
    let root = libm::sqrt(square);
    (root, if root > 0.0 { error / (2.0 * root) } else { 0.0 })
}

/// Which of the sorted numbers is passed by one more draw of their law with probability at most `1 - level`:
/// `ceil(level (n + 1))`, counted from 1; `None` if even the largest of so few does not reach the level.
///
/// # Law
/// `n + 1` independent draws of one law are exchangeable, so one of them is above the `k`-th smallest of the others
/// with probability at most `(n + 1 - k) / (n + 1)`, whatever the law.
///
/// # Example
/// ```
/// use inbounds_core::monte_carlo::rank;
/// assert_eq!((rank(0.95, 400), rank(0.95, 19), rank(0.95, 18)), (Some(381), Some(19), None));
/// ```
pub fn rank(level: f64, count: usize) -> Option<usize> {
    // A product that should be whole may come out a last bit above it.
    let rank = libm::ceil(level * (count as f64 + 1.0) - 1e-9) as usize;
    (rank <= count).then_some(rank)
}
