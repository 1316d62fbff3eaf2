//! Exponentials of exact numbers.

use inbounds_core::{Enclosure, Rational};

/// `e^-x` for `x` of either sign.
pub(super) fn exponential_of_minus(x: &Rational, bits: usize) -> Enclosure {
    if *x >= Rational::ZERO {
        Enclosure::exp_neg(x, bits)
    } else {
        Enclosure::one(bits).div(&Enclosure::exp_neg(&(&Rational::ZERO - x), bits))
    }
}
