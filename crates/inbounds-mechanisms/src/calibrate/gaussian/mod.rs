//! Discrete Gaussian noise for `(epsilon, delta)` and for zero-concentrated guarantees.
//!
//! **Idea.** Doubles propose a parameter (`analytic`, and the searches of `concentrated`, `profile` and `smoothed`);
//! exact arithmetic judges it (`concentrated`, `profile`, `smoothed`, `normal`). The proposal is moved towards more
//! noise by 2^-44 of itself, and by eight times as much after each proof that fails.
//!
//! **Invariant.** What is returned has been proved, with rationals and enclosures, to keep the guarantee. An error in
//! doubles can make the noise larger than it need be, and never smaller than it must be.

mod analytic;
mod cells;
mod concentrated;
mod normal;
mod profile;
mod smoothed;
mod vector;

use inbounds_core::{Delta, Epsilon, Guarantee, Rational, Sensitivity, root};

pub use analytic::{continuous_delta, continuous_std_dev};
pub use cells::GaussianVector;
pub use concentrated::concentrated_delta;
pub use vector::{GaussianAccount, composed_delta, largest_precision};

use super::{Calibrated, CalibrationError, Proof, approximate::below_one, pure::LARGEST_EPSILON};

/// The variance parameter of discrete Gaussian noise on each cell, in squared grid steps.
///
/// # Guarantee
/// - **rho**: `sigma^2 = l2^2 / (2 rho)` exactly, with `l2^2` from [`Sensitivity::l2_squared`]; independent discrete
///   Gaussian noise of that parameter on each cell is rho-zCDP. Claim: `discrete-gaussian-zcdp`.
/// - **`(epsilon, delta)`, one cell**: the hockey-stick divergence of the discrete law, proved to be at most delta:
///   term by term up to `sigma` = 128 steps, by bracketed integrals beyond. Claim: `discrete-gaussian-hockey-stick`.
/// - **`(epsilon, delta)`, more cells**: the least variance whose [`composed_delta`] is proved to be at most delta.
///   Claims: `discrete-gaussian-smoothed`, `discrete-gaussian-zcdp`, `zcdp-conversion`.
///
/// Takes about half a millisecond for usual deltas (`benches/calibrate.rs`), and seconds for a delta near 1e-300 or an
/// epsilon of thousands.
///
/// # Errors
/// [`CalibrationError::NeedsDelta`] for a pure guarantee or a delta of zero, [`CalibrationError::ZeroSensitivity`],
/// [`CalibrationError::Unproved`] for an epsilon above 5000, and [`CalibrationError::Variance`] outside the variances
/// that the sampler accepts.
///
/// # Example
/// ```
/// use inbounds_core::{Guarantee, Rational, Rho, Sensitivity};
/// use inbounds_mechanisms::calibrate::gaussian;
/// let rho = Guarantee::ZeroConcentrated { rho: Rho::new("0.125".parse()?)? };
/// let histogram = Sensitivity { l1: 2, linf: 1, cells: 2, rule: "sum-substitute-grouped", squares: None };
/// let calibrated = gaussian::variance_parameter(&rho, &histogram).expect("calibrates");
/// assert_eq!(calibrated.parameter, Rational::from(8u128));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Canonne, Kamath and Steinke (2020), Theorem 14 and its multivariate form for rho.
pub fn variance_parameter(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Calibrated, CalibrationError> {
    let l2_squared = sensitivity.l2_squared();
    if !l2_squared.is_positive() {
        return Err(CalibrationError::ZeroSensitivity);
    }
    let calibrated = match guarantee {
        Guarantee::Pure { .. } => return Err(CalibrationError::NeedsDelta),
        Guarantee::Approximate { delta, .. } if !delta.value().is_positive() => {
            return Err(CalibrationError::NeedsDelta);
        }
        Guarantee::ZeroConcentrated { rho } => zero_concentrated(rho.value(), &l2_squared),
        Guarantee::Approximate { epsilon, delta } => {
            let refused = || CalibrationError::Unproved { epsilon: epsilon.to_string(), l1: sensitivity.l1 };
            if epsilon.value().to_f64() > LARGEST_EPSILON {
                return Err(refused());
            }
            match sensitivity.one_cell() {
                Some(d) => one_cell(epsilon, delta, d).ok_or_else(refused)?,
                None => more_cells(epsilon, delta, sensitivity).ok_or_else(refused)?,
            }
        }
    };
    let variance = calibrated.parameter.to_f64();
    if (1e-6..=1e30).contains(&variance) {
        Ok(calibrated)
    } else {
        Err(CalibrationError::Variance { guarantee: guarantee.to_string(), l1: sensitivity.l1, variance })
    }
}

/// `l2^2 / (2 rho)`.
fn zero_concentrated(rho: &Rational, l2_squared: &Rational) -> Calibrated {
    let parameter = l2_squared / &(rho * &Rational::from(2u128));
    Calibrated { parameter, proof: Proof::ZeroConcentrated }
}

fn more_cells(epsilon: &Epsilon, delta: &Delta, sensitivity: &Sensitivity) -> Option<Calibrated> {
    let of_variance_one = GaussianVector::new(sensitivity, Rational::ONE);
    let (precision, account) = largest_precision(&[of_variance_one], epsilon, delta)?;
    let proof = match account {
        GaussianAccount::ZeroConcentrated => Proof::ZeroConcentrated,
        GaussianAccount::Smoothed => Proof::Smoothed,
    };
    Some(Calibrated { parameter: &Rational::ONE / &precision, proof })
}

fn one_cell(epsilon: &Epsilon, delta: &Delta, d: u128) -> Option<Calibrated> {
    let (e, target) = (epsilon.value().to_f64(), below_one(delta));
    let continuous = continuous_std_dev(e, target, d as f64);
    let variance = continuous * continuous;
    let proposal = if variance <= profile::LARGEST_SUMMED / 2.0 {
        let spread = 2.0 * (continuous + 1.0);
        let too_small = |s: f64| profile::approximate(s, e, d as f64) > target;
        if too_small(1e-6) { root::bisect(1e-6, spread * spread, too_small).1 } else { 1e-6 }
    } else {
        variance
    };
    let parameter = first_proved(
        proposal,
        |s, step| s * (1.0 + step),
        |s| profile::Profile { s, epsilon: epsilon.value(), d }.is_within(delta.value()),
    )?;
    Some(Calibrated { parameter, proof: Proof::HockeyStick })
}

/// The first proved parameter from a proposal on to the safe side; each failed proof widens the step.
fn first_proved(
    proposal: f64,
    moved: impl Fn(f64, f64) -> f64,
    is_proved: impl Fn(&Rational) -> bool,
) -> Option<Rational> {
    let steps = std::iter::successors(Some(2f64.powi(-44)), |step| Some(8.0 * step)).take_while(|step| *step < 0.5);
    steps.filter_map(|step| Rational::from_f64(moved(proposal, step))).find(is_proved)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Their proofs would take hours.
    #[test]
    fn huge_epsilons_are_refused() {
        let epsilon = Epsilon::new("5001".parse().expect("number")).expect("positive");
        let guarantee = Guarantee::Approximate { epsilon, delta: Delta::new(Rational::ratio(1, 2)).expect("a half") };
        for cells in [1, 2] {
            let wide = Sensitivity { l1: 1 << 40, linf: 1 << 40, cells, rule: "test", squares: None };
            assert!(matches!(variance_parameter(&guarantee, &wide), Err(CalibrationError::Unproved { .. })));
        }
    }
}
