//! Conditioning of the whole vector: what the noisy counts leave to believe of counts that add up.
//!
//! # Which conditioning, and what it costs
//! Two things could be conditioned on lying in the simplex `S = { q : q_k >= 0, sum q = n }`.
//!
//! *The mechanism*, publishing `y` with probability `e^(-tau |y - q|_1) / C(q)` on `S`. The normaliser `C` depends on
//! the secret, so this is not post-processing: its loss is `2 tau + max log C(q') / C(q)` over neighbours, up to twice
//! that of the plain noise, and the scale would have to grow with it. On four categories and three rows at `2 tau = 1`
//! the loss is 1.304, not 1 (a test enumerates it).
//!
//! *The belief after the measurement*, which is what is done here. Plain noise is added and `y` is published; then, for
//! every count equally likely before, the chances of the true counts are
//!
//! ```text
//! P(q | y) = prod_k e^(-tau |y_k - q_k|) / (sum over S of the same),        q in S
//! ```
//!
//! the law of `y` minus noise given that the result is in `S`. It is a function of `y` alone, so by post-processing the
//! loss stays that of the noise. Its mean is the estimate: of all functions of `y` it has the least squared error on
//! average over `S`, and as `S` is convex the mean lies in it. It is never at the boundary.
//!
//! # How it is computed
//! The sum over `S` is a convolution of `K` one-dimensional pieces, each geometric to both sides of `y_k`, so one more
//! category costs one recursion over the partial sums. All pieces are multiplied by `e^(lambda q)`, which changes
//! nothing on `S`, with `lambda` such that the product law has mean `n`: then `S` is in its bulk, and neither cuts at a
//! mass of `e^-46` nor doubles lose anything.

use inbounds_core::root;

use super::geometric::{Piece, REACH, Run};
use crate::StatisticError;

/// Steps a scale beyond which the lattice is coarsened.
const STEPS_PER_SCALE: f64 = 512.0;

/// Steps in what the values lack to the total beyond which the lattice is coarsened: the law is then that wide.
const STEPS_PER_GAP: f64 = 16_384.0;

/// Masses that all recursions for one estimate may touch. A release makes some 1600 estimates, for itself and to
/// describe its errors, each of about a tenth of a second at this limit.
const MOST_MASSES: f64 = (1u64 << 20) as f64;

/// Bisections for the tilt, which need only be near.
const TILT_TOLERANCE: f64 = 1e-6;

/// The mean of the true counts given noisy ones, every vector of counts in the simplex equally likely before, as
/// shares.
///
/// # Law
/// `E[q | y] / n` under the law of the module, on counts `0, 1, ..., n`. Where the scale passes 512 steps, or the
/// values lack more than 16,384 to the total, counts are taken in groups large enough that neither is, which moves an
/// estimate by less than a thousandth of the scale, or a ten-thousandth of what is lacking.
///
/// # Parameters
/// - `values`: noisy counts `y`, finite, two or more.
/// - `scale`: `1 / tau`, of their Laplace noise, in counts, finite and positive.
/// - `total`: `n`, what the counts add up to, at least 1.
///
/// # Guarantee
/// Shares are positive and add up to one. Post-processing: costs no privacy.
///
/// # Example
/// Noisy counts 2 and 0 of one row at `tau = ln 2`: the row is in the first category with odds `2 * 2` to 1.
/// ```
/// use inbounds_statistics::proportion::condition;
/// let shares = condition(&[2.0, 0.0], 1.0 / 2f64.ln(), 1);
/// assert!((shares[0] - 0.8).abs() < 1e-12);
/// ```
pub fn condition(values: &[f64], scale: f64, total: u64) -> Vec<f64> {
    // On the lattice of `points` steps to the total.
    let gap = (total as f64 - values.iter().map(|value| value.max(0.0)).sum::<f64>()).abs();
    let stride = (scale / STEPS_PER_SCALE).max(gap.min(total as f64) / STEPS_PER_GAP).max(1.0);
    let points = ((total as f64 / stride).round() as i64).max(1);
    let unit = total as f64 / points as f64;
    let tau = unit / scale;
    let values: Vec<f64> = values.iter().map(|value| value / unit).collect();
    let tilt = tilt(&values, tau, points);
    let coordinates: Vec<[Option<Piece>; 2]> = values.iter().map(|y| Piece::pair(*y, tau, tilt, points)).collect();
    let means = means(&coordinates, points);
    let sum: f64 = means.iter().sum();
    means.iter().map(|mean| mean / sum).collect()
}

/// Refuses numbers of categories for which an estimate would take far too long: the time grows with the categories and
/// with the width of the laws of their sums, which in scales of the noise is that of one piece and of `sqrt(2 K)`
/// standard deviations.
///
/// # Errors
/// [`StatisticError::SlowConditioning`].
pub(super) fn affordable(categories: usize, scale: f64, total: Option<u64>) -> Result<(), StatisticError> {
    let wide = 2.0 * REACH + 18.0 * (2.0 * categories as f64).sqrt();
    let width = (wide * scale.min(STEPS_PER_SCALE)).min(total.map_or(f64::INFINITY, |total| total as f64 + 1.0));
    if categories as f64 * width <= MOST_MASSES {
        Ok(())
    } else {
        Err(StatisticError::SlowConditioning { categories, scale })
    }
}

/// The `lambda` at which the product of the tilted pieces has mean `n`.
fn tilt(values: &[f64], tau: f64, points: i64) -> f64 {
    let wanted = points as f64;
    let mean = |lambda: f64| {
        let piece_mean = |y: &f64| super::geometric::mean(&Piece::pair(*y, tau, lambda, points));
        values.iter().map(piece_mean).sum::<f64>()
    };
    // At `tau` every piece is flat or rises above its value; below `-tau - log(1 + K/n)` each falls so fast from zero
    // that all together are not `n`.
    let lowest = -tau - libm::log1p(values.len() as f64 / wanted) - 1.0;
    let (low, high) = (lowest, tau);
    // Bisection on a coarse lattice of tilts ends after some twenty steps.
    let cells = ((high - low) / (TILT_TOLERANCE * tau)).min(2f64.powi(60)) as i128;
    let at = |cell: i128| low + (high - low) * cell as f64 / cells as f64;
    at(root::bisect_integer(0, cells, |cell| mean(at(cell)) < wanted))
}

/// Mean of each coordinate given that they add up.
fn means(coordinates: &[[Option<Piece>; 2]], points: i64) -> Vec<f64> {
    let mut suffixes = vec![Run::unit()];
    for pieces in coordinates.iter().skip(1).rev() {
        let (mass, _) = suffixes[suffixes.len() - 1].with(pieces);
        suffixes.push(mass.trimmed());
    }
    let mut prefix = Run::unit();
    let mut means = Vec::with_capacity(coordinates.len());
    for (pieces, suffix) in coordinates.iter().zip(suffixes.iter().rev()) {
        let (mass, moment) = prefix.with(pieces);
        means.push(moment.meeting(suffix, points) / mass.meeting(suffix, points));
        prefix = mass.trimmed();
    }
    means
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All vectors of counts that add up.
    fn simplex(categories: usize, total: i64) -> Vec<Vec<i64>> {
        if categories == 1 {
            return vec![vec![total]];
        }
        let with = |first: i64| {
            let rest = simplex(categories - 1, total - first);
            rest.into_iter().map(move |rest| [vec![first], rest].concat())
        };
        (0..=total).flat_map(with).collect()
    }

    fn distance(y: &[f64], q: &[i64]) -> f64 {
        y.iter().zip(q).map(|(y, q)| (y - *q as f64).abs()).sum()
    }

    /// The definition, by enumeration.
    fn enumerated(values: &[f64], scale: f64, total: u64) -> Vec<f64> {
        let all = simplex(values.len(), total as i64);
        let nearest = all.iter().map(|q| distance(values, q)).fold(f64::INFINITY, f64::min);
        let mut sums = vec![0.0; values.len()];
        let mut mass = 0.0;
        for q in &all {
            let weight = ((nearest - distance(values, q)) / scale).exp();
            mass += weight;
            sums.iter_mut().zip(q).for_each(|(sum, q)| *sum += weight * *q as f64);
        }
        sums.iter().map(|sum| sum / mass / total as f64).collect()
    }

    #[test]
    fn it_is_the_mean_over_the_simplex() {
        let cases: [(&[f64], f64, u64); 9] = [
            (&[3.0, 5.0, 2.0], 2.0, 10),
            (&[-4.0, 15.0, 2.0], 0.7, 10),
            (&[-40.0, -3.0, -200.0], 1.5, 9),
            (&[400.0, 30.0, 200.0, 1.0], 3.0, 9),
            (&[30.0, 30.0, 30.0, 30.0, 30.0], 500.0, 7),
            (&[0.0, 0.0], 1.0, 1),
            (&[2.5, 3.25, -1.75, 4.0], 0.3, 8),
            (&[7.0, 0.0, 0.0, 1.0], 0.01, 8),
            (&[50.0, -50.0], 4.0, 30),
        ];
        for (values, scale, total) in cases {
            let (means, wanted) = (condition(values, scale, total), enumerated(values, scale, total));
            for (mean, wanted) in means.iter().zip(&wanted) {
                assert!((mean - wanted).abs() < 1e-10, "{values:?} {scale} {total}: {mean} {wanted}");
            }
        }
    }

    /// The coarse lattice stays within a thousandth of a scale of the fine one, here by the same code at 512 times the
    /// unit.
    #[test]
    fn coarse_lattices_change_little() {
        let (scale, total) = (4000.0, 20_000);
        let values = [-3000.0, 9000.0, 4000.0, 12_000.0];
        let means = condition(&values, scale, total);
        // Every count divided by 10: scale 400 is not coarsened.
        let fine = condition(&values.map(|value| value / 10.0), scale / 10.0, total / 10);
        let wide = condition(&values.map(|value| value / 40.0), scale / 40.0, total / 40);
        for ((mean, fine), wide) in means.iter().zip(&fine).zip(&wide) {
            assert!((mean - fine).abs() < 1e-3 * scale / total as f64, "{mean} {fine}");
            assert!((mean - wide).abs() > 1e-6 * scale / total as f64, "a test that can fail: {mean} {wide}");
        }
    }

    #[test]
    fn long_vectors_and_large_totals_stay_on_the_simplex() {
        for (categories, scale, total) in [(300usize, 20.0, 500u64), (1000, 200.0, 3), (40, 2.0, 1_000_000_000)] {
            let values: Vec<f64> =
                (0..categories).map(|k| total as f64 * (k % 7) as f64 / categories as f64 / 3.0).collect();
            let shares = condition(&values, scale, total);
            assert!(shares.iter().all(|share| *share > 0.0), "{categories}");
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!(shares[3] >= shares[1] && (shares[1] - shares[8]).abs() < 1e-9 * shares[1]);
        }
    }

    /// Cost of the other conditioning: the loss of drawing the vector from the simplex, over all neighbours.
    #[test]
    fn conditioning_the_mechanism_would_pass_epsilon() {
        let (categories, total, tau) = (4, 3, 0.5);
        let all = simplex(categories, total);
        let gap = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum::<u64>();
        let normaliser = |q: &[i64]| all.iter().map(|y| (-tau * gap(q, y) as f64).exp()).sum::<f64>();
        let mut loss = 0.0f64;
        for (q, other) in all.iter().flat_map(|q| all.iter().map(move |other| (q, other))) {
            if gap(q, other) == 2 {
                let spread = all.iter().map(|y| gap(other, y) as f64 - gap(q, y) as f64).fold(0.0, f64::max);
                loss = loss.max(tau * spread + (normaliser(other) / normaliser(q)).ln());
            }
        }
        assert!((loss - 1.303_6).abs() < 1e-4, "{loss}");
    }
}
