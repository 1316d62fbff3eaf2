//! Distance between biases under a known total and nonnegativity.
//!
//! The nearest numbers to `y = x + noise` that are nonnegative and have the sum of `x` are `(y_i - t)+` for one `t`.
//! Proofs are in `docs/least-bias.md`, theorems 4 and 5.

use inbounds_project::{ProjectError, total::TotalError};

/// `E max(eta_1, ..., eta_n)` for Laplace noise, in its scale: `sum_(k<=n) (1 - 2^-k) / k - 2^-n / n`.
///
/// `t` never passes the largest noise, so no count loses more than this on average.
pub(super) fn mean_largest(cells: u32) -> f64 {
    let half = |k: u32| libm::pow(2.0, -f64::from(k));
    let sum: f64 = (1..=cells).map(|k| (1.0 - half(k)) / f64::from(k)).sum();
    sum - half(cells) / f64::from(cells)
}

/// The largest difference of two biases is at most this.
///
/// Claim: `projection-bias-spread`. With `psi(x) = E (Err - x)+` for the error `Err` of a count under the total alone,
/// the smallest count gains at most `psi(x_min)`, and the largest loses at most `E max eta` and, for every `m`, at most
/// the mean over the `m` largest counts of what the other counts gain and of how much less than the largest one those
/// `m` lose. The spread is at most the sum of both, and at most `x_max - x_min`.
pub(super) fn spread(counts: &[f64], scale: f64) -> Result<f64, ProjectError> {
    let cells = counts.len() as u32;
    let (law, pair) = (TotalError::new(cells, scale)?, TotalError::new(2, scale)?);
    let mut sorted = counts.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let (most, least) = (sorted[0], sorted[sorted.len() - 1]);
    let gains: Vec<f64> = sorted.iter().map(|&x| law.integrated_sf(x)).collect();
    let (mut others, mut lag) = (gains.iter().sum::<f64>(), 0.0);
    let mut lost = scale * mean_largest(cells);
    for (k, (x, gain)) in sorted.iter().zip(&gains).enumerate() {
        others -= gain;
        if k > 0 {
            lag += 2.0 * f64::from(cells - 1) * pair.integrated_sf(x / 2.0);
        }
        lost = lost.min((others.max(0.0) + lag) / (k + 1) as f64);
    }
    Ok((gains[gains.len() - 1] + lost).min(most - least))
}

/// Two counts: the bias of the first is `psi(x_1) - psi(x_2)`, that of the second its negative.
pub(super) fn spread_of_two(counts: [f64; 2], scale: f64) -> Result<f64, ProjectError> {
    let law = TotalError::new(2, scale)?;
    Ok(2.0 * (law.integrated_sf(counts[0]) - law.integrated_sf(counts[1])).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_noise_has_its_mean() {
        // Of two: half the mean distance, which is 3/2 scales. Of one: none.
        for (cells, expected) in [(1, 0.0), (2, 0.75), (3, 1.125)] {
            assert!((mean_largest(cells) - expected).abs() < 1e-15, "{cells}");
        }
        // By the trapezoidal rule over the survival function.
        let above = |t: f64| 1.0 - (1.0 - 0.5 * (-t).exp()).powi(100);
        let integral: f64 = (0..60_000).map(|i| 0.001 * above(0.001 * (f64::from(i) + 0.5))).sum();
        assert!((mean_largest(100) - integral).abs() < 1e-6);
    }

    /// The bound is attained by two counts of which one is empty and the other far from it, and by equal counts.
    #[test]
    fn the_bound_is_attained() {
        let two = [0.0, 60.0];
        let (bound, exact) = (spread(&two, 1.0).expect("a bound"), spread_of_two(two, 1.0).expect("exact"));
        assert!((bound - 0.75).abs() < 1e-12 && (exact - 0.75).abs() < 1e-12, "{bound} {exact}");
        assert_eq!(spread(&[5.0; 4], 1.0).expect("a bound"), 0.0);
        // What 50 empty counts gain, as many large ones lose: less than a noise's mean each.
        let halves = [vec![0.0; 50], vec![30.0; 50]].concat();
        let psi = TotalError::new(100, 1.0).expect("a law").integrated_sf(0.0);
        assert!((spread(&halves, 1.0).expect("a bound") - 2.0 * psi).abs() < 1e-9);
    }
}
