//! Outward-rounded fixed-point intervals, and the exponential on them.
//!
//! Every operation returns an interval that contains the exact result for every choice of points in its operands,
//! so a comparison that holds between enclosures holds between the real numbers they enclose.

use std::cmp::Ordering;

use dashu_base::{BitTest, SquareRoot};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::Rational;

/// A closed interval `[lower, upper] * 2^-bits` that contains a real number.
///
/// # Example
/// The number `e^-1` to about 60 digits, and a comparison that is thereby proved:
/// ```
/// use inbounds_core::{Enclosure, Rational};
/// let e1 = Enclosure::exp_neg(&Rational::ONE, 200);
/// let third = Enclosure::from_rational(&Rational::ratio(1, 3), 200);
/// assert!(third.certainly_at_most(&e1));
/// assert!((e1.to_f64() - (-1f64).exp()).abs() < 1e-16);
/// ```
#[derive(Debug, Clone)]
pub struct Enclosure {
    lower: IBig,
    upper: IBig,
    bits: usize,
}

impl Enclosure {
    /// The narrowest enclosure of a rational with `bits` fractional bits.
    pub fn from_rational(value: &Rational, bits: usize) -> Self {
        let (numerator, denominator) = value.parts();
        let denominator = IBig::from(denominator.clone());
        let scaled = numerator << bits;
        Self { lower: floor_div(&scaled, &denominator), upper: ceil_div(&scaled, &denominator), bits }
    }

    /// The number zero.
    pub fn zero(bits: usize) -> Self {
        Self { lower: IBig::ZERO, upper: IBig::ZERO, bits }
    }

    /// The number one.
    pub fn one(bits: usize) -> Self {
        let one = IBig::ONE << bits;
        Self { lower: one.clone(), upper: one, bits }
    }

    /// `e^-x` for `x >= 0`, with an error of a few units in the last of `bits` fractional bits.
    ///
    /// Halves `x` until it is below `2^-6`, sums the alternating series in fixed point with every rounding counted,
    /// and squares back with outward rounding.
    ///
    /// # Panics
    /// If `x` is negative.
    pub fn exp_neg(x: &Rational, bits: usize) -> Self {
        assert!(*x >= Rational::ZERO, "exp_neg takes x >= 0");
        let (numerator, denominator) = x.parts();
        // e^-x < 2^-(bits + 2) as soon as x >= (bits + 2) ln 2, and ln 2 < 7/10.
        if IBig::from(10u8) * numerator > IBig::from(7u8) * IBig::from(denominator.clone()) * IBig::from(bits + 2) {
            return Self { lower: IBig::ZERO, upper: IBig::ONE, bits };
        }
        let magnitude = numerator.bit_len() as isize - denominator.bit_len() as isize;
        let halvings = usize::try_from(magnitude + 7).unwrap_or(0);
        let work = bits + 64 + halvings;
        let y = floor_div(&(numerator << work), &(IBig::from(denominator.clone()) << halvings));
        let (mut lower, mut upper) = series_exp_neg(&y, work);
        for _ in 0..halvings {
            lower = (&lower * &lower) >> work;
            upper = ceil_shift(&upper * &upper, work);
        }
        Self { lower: lower >> (work - bits), upper: ceil_shift(upper, work - bits), bits }
    }

    /// The ratio of a circle's circumference to its diameter, as `16 atan(1/5) - 4 atan(1/239)` (Machin, 1706).
    pub fn pi(bits: usize) -> Self {
        let work = bits + 64;
        let (fifth, fifth_slack) = arctan_of_inverse(5, work);
        let (small, small_slack) = arctan_of_inverse(239, work);
        let value = fifth * 16 - small * 4;
        let slack = fifth_slack * 16 + small_slack * 4;
        Self { lower: (&value - &slack) >> (work - bits), upper: ceil_shift(value + slack, work - bits), bits }
    }

    /// `self + other`.
    pub fn add(&self, other: &Self) -> Self {
        self.assert_same_bits(other);
        Self { lower: &self.lower + &other.lower, upper: &self.upper + &other.upper, bits: self.bits }
    }

    /// `self - other`.
    pub fn sub(&self, other: &Self) -> Self {
        self.assert_same_bits(other);
        Self { lower: &self.lower - &other.upper, upper: &self.upper - &other.lower, bits: self.bits }
    }

    /// `self * other`.
    pub fn mul(&self, other: &Self) -> Self {
        self.assert_same_bits(other);
        if self.lower >= IBig::ZERO && other.lower >= IBig::ZERO {
            let (lower, upper) = (&self.lower * &other.lower, &self.upper * &other.upper);
            return Self { lower: lower >> self.bits, upper: ceil_shift(upper, self.bits), bits: self.bits };
        }
        let products = [
            &self.lower * &other.lower,
            &self.lower * &other.upper,
            &self.upper * &other.lower,
            &self.upper * &other.upper,
        ];
        let lowest = products.iter().min().expect("four products");
        let highest = products.iter().max().expect("four products");
        Self { lower: lowest >> self.bits, upper: ceil_shift(highest.clone(), self.bits), bits: self.bits }
    }

    /// `self / other` for `self >= 0` and `other > 0`.
    ///
    /// # Panics
    /// If `other` is not certainly positive or `self` not certainly nonnegative.
    pub fn div(&self, other: &Self) -> Self {
        self.assert_same_bits(other);
        assert!(other.lower > IBig::ZERO && self.lower >= IBig::ZERO, "div takes a nonnegative over a positive");
        Self {
            lower: floor_div(&(&self.lower << self.bits), &other.upper),
            upper: ceil_div(&(&self.upper << self.bits), &other.lower),
            bits: self.bits,
        }
    }

    /// `self` times a whole number, which rounds nothing.
    pub fn times(&self, factor: u64) -> Self {
        Self { lower: &self.lower * factor, upper: &self.upper * factor, bits: self.bits }
    }

    /// `self` divided by a whole number above zero.
    pub fn over(&self, divisor: u64) -> Self {
        let divisor = IBig::from(divisor);
        Self { lower: floor_div(&self.lower, &divisor), upper: ceil_div(&self.upper, &divisor), bits: self.bits }
    }

    /// `max(self, 0)`.
    pub fn positive_part(&self) -> Self {
        let clamp = |end: &IBig| end.clone().max(IBig::ZERO);
        Self { lower: clamp(&self.lower), upper: clamp(&self.upper), bits: self.bits }
    }

    /// `self / 2`.
    pub fn half(self) -> Self {
        Self { lower: self.lower >> 1, upper: ceil_shift(self.upper, 1), bits: self.bits }
    }

    /// The square root of `self >= 0`; what lies below zero counts as zero.
    pub fn sqrt(&self) -> Self {
        let root = |value: &IBig| UBig::try_from(value << self.bits).unwrap_or(UBig::ZERO).sqrt();
        Self { lower: root(&self.lower).into(), upper: IBig::from(root(&self.upper)) + IBig::ONE, bits: self.bits }
    }

    /// `self^exponent` by repeated squaring.
    pub fn pow(&self, mut exponent: u64) -> Self {
        let mut result = Self::one(self.bits);
        let mut square = self.clone();
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = result.mul(&square);
            }
            exponent >>= 1;
            if exponent > 0 {
                square = square.mul(&square);
            }
        }
        result
    }

    /// The smallest interval that contains both.
    pub fn hull(&self, other: &Self) -> Self {
        self.assert_same_bits(other);
        Self {
            lower: self.lower.clone().min(other.lower.clone()),
            upper: self.upper.clone().max(other.upper.clone()),
            bits: self.bits,
        }
    }

    /// `true` if no point of `self` is above any point of `other`.
    pub fn certainly_at_most(&self, other: &Self) -> bool {
        self.upper <= other.lower
    }

    /// `true` if no point of `self` is below zero.
    pub fn is_certainly_nonnegative(&self) -> bool {
        self.lower >= IBig::ZERO
    }

    /// `true` if no point of `self` is above zero.
    pub fn is_certainly_nonpositive(&self) -> bool {
        self.upper <= IBig::ZERO
    }

    /// `true` if no point of `self` is above `units` units of the last fractional bit.
    pub fn is_at_most_units(&self, units: u64) -> bool {
        self.upper <= IBig::from(units)
    }

    /// The upper end of the interval, exactly.
    pub fn upper(&self) -> Rational {
        Rational::from_inner(RBig::from_parts(self.upper.clone(), UBig::ONE << self.bits))
    }

    /// The order of the two enclosed numbers where the intervals settle it, else `None`.
    pub fn certain_order(&self, other: &Self) -> Option<Ordering> {
        self.assert_same_bits(other);
        if self.upper < other.lower {
            Some(Ordering::Less)
        } else if self.lower > other.upper {
            Some(Ordering::Greater)
        } else {
            None
        }
    }

    /// A double near the middle of the interval, for messages and tests.
    pub fn to_f64(&self) -> f64 {
        let doubled = &self.lower + &self.upper;
        let denominator = UBig::ONE << (self.bits + 1);
        RBig::from_parts(doubled, denominator).to_f64().value()
    }

    fn assert_same_bits(&self, other: &Self) {
        assert_eq!(self.bits, other.bits, "enclosures of one precision meet");
    }
}

/// `e^-y` for `y = value * 2^-work` in `[0, 2^-5)` known to within one unit, as an interval at precision `work`.
fn series_exp_neg(y: &IBig, work: usize) -> (IBig, IBig) {
    let mut term = IBig::ONE << work;
    let mut sum = term.clone();
    let mut count = 0u32;
    while term > IBig::ZERO {
        count += 1;
        term = ((&term * y) >> work) / IBig::from(count);
        if count % 2 == 1 { sum -= &term } else { sum += &term }
    }
    // Each term is short by less than three units (two floors, and the error carried from the last term shrinks);
    // the tail is below the first omitted term, itself under three units; y was cut by less than one unit.
    let slack = IBig::from(3 * count + 8);
    (&sum - &slack, sum + slack)
}

/// `atan(1 / x)` at precision `work` for `x >= 2`, and a bound on its error.
fn arctan_of_inverse(x: u32, work: usize) -> (IBig, IBig) {
    let mut power = (IBig::ONE << work) / IBig::from(x);
    let mut sum = power.clone();
    let mut count = 0u32;
    while power > IBig::ZERO {
        count += 1;
        power /= IBig::from(x) * IBig::from(x);
        let term = &power / IBig::from(2 * count + 1);
        if count % 2 == 1 { sum -= term } else { sum += term }
    }
    // A power is short by less than two units, a term by less than three; the tail is below the last term.
    (sum, IBig::from(3 * count + 8))
}

fn floor_div(numerator: &IBig, denominator: &IBig) -> IBig {
    let quotient = numerator / denominator;
    if &quotient * denominator > *numerator { quotient - IBig::ONE } else { quotient }
}

fn ceil_div(numerator: &IBig, denominator: &IBig) -> IBig {
    -floor_div(&-numerator, denominator)
}

fn ceil_shift(value: IBig, bits: usize) -> IBig {
    -((-value) >> bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_neg_encloses_and_is_tight() {
        for (numerator, denominator) in [(0, 1), (1, 1), (1, 1_000_000_007), (7, 3), (100, 1), (12345, 678)] {
            let x = Rational::ratio(numerator, denominator);
            let (coarse, fine) = (Enclosure::exp_neg(&x, 128), Enclosure::exp_neg(&x, 512));
            assert!(&coarse.upper - &coarse.lower <= IBig::from(4u8), "{x} is loose");
            // The finer interval lies inside the coarser one.
            let shifted = (&coarse.lower << 384, &coarse.upper << 384);
            assert!(shifted.0 <= fine.lower && fine.upper <= shifted.1, "{x} does not nest");
            let expected = (-x.to_f64()).exp();
            assert!((fine.to_f64() - expected).abs() <= 2e-16 * expected.max(1e-300) * (1.0 + x.to_f64()), "{x}");
        }
    }

    #[test]
    fn huge_arguments_underflow_safely() {
        let tiny = Enclosure::exp_neg(&Rational::ratio(1_000_000, 1), 64);
        assert_eq!((tiny.lower, tiny.upper), (IBig::ZERO, IBig::ONE));
    }

    #[test]
    fn functional_equation_holds_within_the_enclosures() {
        let (x, y) = (Rational::ratio(5, 7), Rational::ratio(11, 3));
        let product = Enclosure::exp_neg(&x, 256).mul(&Enclosure::exp_neg(&y, 256));
        let sum = Enclosure::exp_neg(&(&x + &y), 256);
        assert_eq!(product.certain_order(&sum), None);
        let quotient = sum.div(&Enclosure::exp_neg(&x, 256));
        assert_eq!(quotient.certain_order(&Enclosure::exp_neg(&y, 256)), None);
        let power = Enclosure::exp_neg(&x, 256).pow(13);
        assert_eq!(power.certain_order(&Enclosure::exp_neg(&Rational::ratio(65, 7), 256)), None);
    }

    #[test]
    fn pi_and_roots_enclose_and_are_tight() {
        let pi = Enclosure::pi(256);
        let digits =
            "3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211";
        let below: Rational = format!("{digits}7067982148086").parse().expect("number");
        let above: Rational = format!("{digits}7067982148087").parse().expect("number");
        assert!(Enclosure::from_rational(&below, 500).certainly_at_most(&Enclosure::pi(500)));
        assert!(Enclosure::pi(500).certainly_at_most(&Enclosure::from_rational(&above, 500)));
        let root = pi.sqrt();
        assert_eq!(root.mul(&root).certain_order(&pi), None);
        assert!(&root.upper - &root.lower <= IBig::from(4u8));
        let two = Enclosure::one(256).times(2);
        assert!((two.sqrt().to_f64() - std::f64::consts::SQRT_2).abs() < 1e-15);
        assert_eq!(two.half().certain_order(&Enclosure::one(256)), None);
    }

    #[test]
    fn negative_operands_round_outward() {
        let minus_third = Enclosure::from_rational(&Rational::ratio(-1, 3), 8);
        assert_eq!((minus_third.lower.clone(), minus_third.upper.clone()), (IBig::from(-86), IBig::from(-85)));
        let ninth = minus_third.mul(&minus_third);
        assert!(ninth.lower <= IBig::from(28) && ninth.upper >= IBig::from(29));
        let part = minus_third.over(4);
        assert_eq!((part.lower, part.upper), (IBig::from(-22), IBig::from(-21)));
        assert!(minus_third.positive_part().is_at_most_units(0) && !ninth.is_at_most_units(28));
    }
}
