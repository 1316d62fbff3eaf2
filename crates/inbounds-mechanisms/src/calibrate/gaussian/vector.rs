//! Vectors of Gaussian noise together: their cost in epsilon and delta, and the least noise that they need.

use inbounds_core::{Delta, Epsilon, Rational, Rho, ids};

use super::{cells::GaussianVector, concentrated, concentrated_delta, first_proved, smoothed};
use crate::calibrate::{approximate::below_one, pure::LARGEST_EPSILON};

ids! {
    /// By which theorem Gaussian noise on many cells keeps epsilon and delta.
    GaussianAccount {
        /// Rhos add, and their sum is converted ([`concentrated_delta`]).
        ZeroConcentrated = "zero-concentrated",
        /// The exact divergence of continuous Gaussian noise, of which the discrete noise is a random rounding.
        Smoothed = "smoothed-gaussian",
    }
}

/// A proved upper bound on the delta at `epsilon` of vectors that are published together: the smaller of two, and at
/// most one.
///
/// # Law
/// With `mu^2 = sum_c l2_c^2 / (sigma_c^2 - t)`, discrete Gaussian noise costs at most what continuous noise does at
/// `mu` (Balle and Wang 2018, Theorem 8), but for factors that vanish like `e^(-4 pi^2 t)` for a `t` of our choice: an
/// exact account of large noise. Claim: `discrete-gaussian-smoothed`, proved in `smoothed.rs`. For small noise
/// [`concentrated_delta`] of the sum of the rhos is less.
///
/// # Example
/// Ten counts that one row moves by one each, all with a standard deviation of 20 rows:
/// ```
/// use inbounds_core::{Rational, Rho, Sensitivity};
/// use inbounds_mechanisms::calibrate::gaussian::{GaussianVector, composed_delta, concentrated_delta, continuous_delta};
/// let count = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "count-add-remove", squares: None };
/// let ten = vec![GaussianVector::new(&count, Rational::from(400u128)); 10];
/// let delta = composed_delta(&ten, &Rational::ONE).to_f64();
/// assert!((delta / 5.097e-12 - 1.0).abs() < 1e-3, "{delta:e}");
/// let least = continuous_delta(1.0, 20.0, 10f64.sqrt());
/// assert!(delta >= least && delta < 1.05 * least, "{least:e}");
/// let rho = Rho::new(Rational::ratio(10, 800))?;
/// assert!(delta < 0.25 * concentrated_delta(&rho, &Rational::ONE).to_f64());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn composed_delta(vectors: &[GaussianVector], epsilon: &Rational) -> Rational {
    let rho = vectors.iter().fold(Rational::ZERO, |sum, vector| &sum + &vector.rho());
    match Rho::new(rho) {
        Ok(rho) => smoothed::delta(vectors, epsilon).min(concentrated_delta(&rho, epsilon)),
        Err(_) => Rational::ZERO,
    }
}

/// The largest factor, to within 2^-44 of itself or so, by which the variances of all vectors can be divided so that
/// their [`composed_delta`] at `epsilon` is proved to be at most `delta`, and by which theorem; `None` where none is
/// proved, as for a delta of zero and an epsilon above 5000.
///
/// # Example
/// ```
/// use inbounds_core::{Delta, Epsilon, Rational, Sensitivity};
/// use inbounds_mechanisms::calibrate::gaussian::{GaussianAccount, GaussianVector, continuous_std_dev, largest_precision};
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("1e-6".parse()?)?);
/// let count = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "count-add-remove", squares: None };
/// let four = vec![GaussianVector::new(&count, Rational::from(100u128)); 4];
/// let (factor, account) = largest_precision(&four, &epsilon, &delta).expect("there is one");
/// let std_dev = 10.0 / factor.to_f64().sqrt();
/// assert!((std_dev / continuous_std_dev(1.0, 1e-6, 2.0) - 1.003).abs() < 1e-3, "{std_dev}");
/// assert_eq!(account, GaussianAccount::Smoothed);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
pub fn largest_precision(
    vectors: &[GaussianVector],
    epsilon: &Epsilon,
    delta: &Delta,
) -> Option<(Rational, GaussianAccount)> {
    let (e, target) = (epsilon.value().to_f64(), below_one(delta));
    if e > LARGEST_EPSILON {
        return None;
    }
    let rho = vectors.iter().fold(Rational::ZERO, |sum, vector| &sum + &vector.rho());
    let by_rho = concentrated::propose_rho(e, target) / rho.to_f64();
    let by_rounding = smoothed::propose_factor(vectors, e, target, by_rho);
    let bound = |account: GaussianAccount, factor: &Rational| match (account, Rho::new(factor * &rho)) {
        (GaussianAccount::ZeroConcentrated, Ok(rho)) => concentrated_delta(&rho, epsilon.value()),
        (GaussianAccount::Smoothed, Ok(_)) => {
            let vectors: Vec<_> = vectors.iter().map(|vector| vector.with_precision(factor)).collect();
            smoothed::delta(&vectors, epsilon.value())
        }
        (_, Err(_)) => Rational::ONE,
    };
    let mut proposals = [(by_rho, GaussianAccount::ZeroConcentrated), (by_rounding, GaussianAccount::Smoothed)];
    proposals.sort_by(|one, other| other.0.total_cmp(&one.0));
    proposals.into_iter().find_map(|(proposal, account)| {
        let is_proved = |factor: &Rational| bound(account, factor) <= *delta.value();
        Some((first_proved(proposal, |factor, step| factor * (1.0 - step), is_proved)?, account))
    })
}
