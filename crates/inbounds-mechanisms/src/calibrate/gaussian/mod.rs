//! Discrete Gaussian noise for `(epsilon, delta)` and for zero-concentrated guarantees.
//!
//! **Idea.** Doubles propose a parameter (`analytic`, and the searches of `concentrated` and `profile`); exact
//! arithmetic judges it (`concentrated`, `profile`, `normal`). The proposal is moved towards more noise by 2^-44 of
//! itself, and by eight times as much after each proof that fails.
//!
//! **Invariant.** What is returned has been proved, with rationals and enclosures, to keep the guarantee. An error in
//! doubles can make the noise larger than it need be, and never smaller than it must be.

mod analytic;
mod concentrated;
mod normal;
mod profile;

use inbounds_core::{Delta, Epsilon, Guarantee, Rational, Rho, Sensitivity, root};

pub use analytic::{continuous_delta, continuous_std_dev};
pub use concentrated::concentrated_delta;

use super::{Calibrated, CalibrationError, Proof, approximate::below_one, pure::LARGEST_EPSILON};

/// The variance parameter of discrete Gaussian noise on each cell, in squared grid steps.
///
/// # Guarantee
/// - **rho**: `sigma^2 = l2^2 / (2 rho)` exactly, with `l2^2` from [`Sensitivity::l2_squared`]; independent discrete
///   Gaussian noise of that parameter on each cell is rho-zCDP. Claim: `discrete-gaussian-zcdp`.
/// - **`(epsilon, delta)`, one cell**: the hockey-stick divergence of the discrete law, proved to be at most delta:
///   term by term up to `sigma` = 128 steps, by bracketed integrals beyond. Claim: `discrete-gaussian-hockey-stick`.
/// - **`(epsilon, delta)`, more cells**: the largest rho whose conversion ([`concentrated_delta`]) is proved to be at most
///   delta, then as for rho. The proof is [`Proof::ZeroConcentrated`]. Claims: `discrete-gaussian-zcdp`, `zcdp-conversion`.
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
                None => by_conversion(epsilon, delta, &l2_squared).ok_or_else(refused)?,
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

fn by_conversion(epsilon: &Epsilon, delta: &Delta, l2_squared: &Rational) -> Option<Calibrated> {
    Some(zero_concentrated(largest_rho(epsilon, delta)?.value(), l2_squared))
}

/// The largest rho, to within 2^-44 of itself or so, whose conversion ([`concentrated_delta`]) at `epsilon` is proved to be at most
/// `delta`; `None` where none is proved, as for a delta of zero and an epsilon above 5000.
///
/// # Example
/// ```
/// use inbounds_core::{Delta, Epsilon};
/// use inbounds_mechanisms::calibrate::gaussian::{concentrated_delta, largest_rho};
/// let (epsilon, delta) = (Epsilon::new("1".parse()?)?, Delta::new("1e-6".parse()?)?);
/// let rho = largest_rho(&epsilon, &delta).expect("there is one");
/// assert!((rho.value().to_f64() - 0.024_356).abs() < 1e-6, "{rho}");
/// assert!(concentrated_delta(&rho, epsilon.value()) <= *delta.value());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Canonne, Kamath and Steinke (2020), Proposition 12. Claim: `zcdp-conversion`.
pub fn largest_rho(epsilon: &Epsilon, delta: &Delta) -> Option<Rho> {
    if epsilon.value().to_f64() > LARGEST_EPSILON {
        return None;
    }
    let proposed = concentrated::propose_rho(epsilon.value().to_f64(), below_one(delta));
    let is_proved = |rho: &Rational| {
        Rho::new(rho.clone()).is_ok_and(|rho| concentrated_delta(&rho, epsilon.value()) <= *delta.value())
    };
    Rho::new(first_proved(proposed, |rho, step| rho * (1.0 - step), is_proved)?).ok()
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
