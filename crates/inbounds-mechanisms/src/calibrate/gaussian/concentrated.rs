//! From zero-concentrated guarantees to `(epsilon, delta)`.
//!
//! **Idea.** Every order `alpha > 1` gives a valid delta, and the best order the least. So the order may come from a
//! search in doubles: only the bound at the order that was found needs a proof.
//!
//! **Invariant.** The bound at that order is rounded up at every step, and is one where it would say nothing.

use inbounds_core::{Enclosure, Rational, Rho, root};

use crate::calibrate::continuous::largest;

/// Bounds are not proved below `e^-4000`.
const LARGEST_EXPONENT: u128 = 4000;

/// A proved upper bound on the delta at `epsilon` of every mechanism that is rho-zCDP.
///
/// ```text
/// delta = inf over alpha > 1 of  e^((alpha - 1)(alpha rho - epsilon)) / (alpha - 1) (1 - 1/alpha)^alpha
/// ```
///
/// The order `alpha` is the best that doubles find; the bound at it is evaluated with outward rounding. It is at most
/// one.
///
/// # Example
/// ```
/// use inbounds_core::{Rational, Rho};
/// use inbounds_mechanisms::calibrate::gaussian::concentrated_delta;
/// let rho = Rho::new("0.02".parse()?)?;
/// let delta = concentrated_delta(&rho, &Rational::ONE).to_f64();
/// assert!((delta / 8.825_254_987_221_15e-8 - 1.0).abs() < 1e-12);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
///
/// # References
/// Canonne, Kamath and Steinke (2020), Proposition 12. Claim: `zcdp-conversion`.
pub fn concentrated_delta(rho: &Rho, epsilon: &Rational) -> Rational {
    let (_, order) = ln_delta(rho.value().to_f64(), epsilon.to_f64());
    proved_delta(rho.value(), epsilon, order).unwrap_or(Rational::ONE)
}

/// About the largest rho whose conversion at `epsilon` is `delta`, with no proof.
pub(super) fn propose_rho(epsilon: f64, delta: f64) -> f64 {
    let holds = |rho: f64| ln_delta(rho, epsilon).0 <= libm::log(delta);
    // Where no rho in doubles holds, zero is proposed, of which there is no proof.
    root::largest_that_holds(epsilon.max(1e-6), holds)
}

/// The logarithm of the bound at the best order, and that order less one.
fn ln_delta(rho: f64, epsilon: f64) -> (f64, f64) {
    let value = |log_excess: f64| {
        let excess = libm::exp(log_excess);
        let order = 1.0 + excess;
        excess * (order * rho - epsilon) - log_excess - order * libm::log1p(1.0 / excess)
    };
    let (least, place) = largest(-12.0, 60.0, |log_excess| -value(log_excess));
    (-least, libm::exp(place))
}

/// The bound at the order `1 + excess`, rounded up; `None` where it says nothing.
fn proved_delta(rho: &Rational, epsilon: &Rational, excess: f64) -> Option<Rational> {
    let rise = Rational::from_f64(excess)?;
    let order = &Rational::ONE + &rise;
    let decay = decay_below_log1p_of_inverse(&rise, excess)?;
    let exponent = &(&rise * &(epsilon - &(&order * rho))) + &(&order * &decay);
    if exponent < Rational::ZERO {
        return None;
    }
    // The precision grows with the exponent, and no delta of use is below this.
    let exponent = exponent.min(Rational::from(LARGEST_EXPONENT));
    let bits = 192 + (1.5 * exponent.to_f64()) as usize;
    let bound = &Enclosure::exp_neg(&exponent, bits).upper() / &rise;
    (bound < Rational::ONE).then_some(bound)
}

/// A double `g` with `e^-g >= excess / (1 + excess)`, proved, so that `(1 - 1/alpha)^alpha <= e^(-alpha g)`.
fn decay_below_log1p_of_inverse(rise: &Rational, excess: f64) -> Option<Rational> {
    let target = rise / &(&Rational::ONE + rise);
    let mut guess = libm::log1p(1.0 / excess);
    let mut step = f64::EPSILON;
    for _ in 0..30 {
        let decay = Rational::from_f64(guess)?;
        let bits = 192 + 2 * libm::fabs(libm::log2(excess)) as usize;
        if Enclosure::from_rational(&target, bits).certainly_at_most(&Enclosure::exp_neg(&decay, bits)) {
            return Some(decay);
        }
        guess *= 1.0 - step;
        step *= 2.0;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_at_huge_epsilons_end() {
        let rho = Rho::new(Rational::ONE).expect("positive");
        let delta = concentrated_delta(&rho, &Rational::from(1_000_000u128));
        assert!(delta < "1e-400".parse().expect("number"));
    }

    #[test]
    fn the_search_for_a_rho_ends_where_doubles_hold_none() {
        assert_eq!(propose_rho(1.0, 0.0), 0.0);
        assert_eq!(propose_rho(1e-30, 1e-100), 0.0);
        assert!(propose_rho(1e-9, 1e-100) > 0.0);
    }
}
