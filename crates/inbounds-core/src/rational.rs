//! Exact rationals: the only numbers that may become a privacy parameter.

use std::{
    fmt,
    ops::{Add, Div, Mul, Sub},
    str::FromStr,
};

use dashu_base::{Approximation, Sign};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::CoreError;

/// An exact rational number. Claim: `exact-arithmetic`.
///
/// Decimal text is read exactly, so `0.1` is one tenth and not the nearest double, and conversions to doubles say
/// which way they round.
///
/// # Example
/// ```
/// use inbounds_core::Rational;
/// let tenth: Rational = "0.1".parse()?;
/// assert_eq!(tenth.clone() + "1/5".parse()?, "3e-1".parse()?);
/// assert!(tenth.to_f64_down() < tenth.to_f64_up());
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rational(RBig);

/// Decimal exponents beyond this size are refused when read: no parameter needs them, and they cost memory.
const LARGEST_DECIMAL_EXPONENT: i64 = 400;

impl Rational {
    /// Zero.
    pub const ZERO: Self = Self(RBig::ZERO);
    /// One.
    pub const ONE: Self = Self(RBig::ONE);

    /// `numerator / denominator`.
    ///
    /// # Panics
    /// If the denominator is zero; callers pass constants or numbers already checked.
    pub fn ratio(numerator: i128, denominator: u128) -> Self {
        Self(RBig::from_parts(IBig::from(numerator), UBig::from(denominator)))
    }

    /// The exact value of a finite double; `None` for NaN and the infinities.
    pub fn from_f64(value: f64) -> Option<Self> {
        RBig::try_from(value).ok().map(Self)
    }

    /// The nearest double.
    pub fn to_f64(&self) -> f64 {
        self.0.to_f64().value()
    }

    /// The largest double not above the value.
    pub fn to_f64_down(&self) -> f64 {
        match self.0.to_f64() {
            Approximation::Inexact(rounded, Sign::Positive) => rounded.next_down(),
            other => other.value(),
        }
    }

    /// The smallest double not below the value.
    pub fn to_f64_up(&self) -> f64 {
        match self.0.to_f64() {
            Approximation::Inexact(rounded, Sign::Negative) => rounded.next_up(),
            other => other.value(),
        }
    }

    /// The value in at most 24 characters, and never less than it: exact where the exact text is so short, else a
    /// decimal of four significant digits, rounded up. For values that are not negative.
    ///
    /// # Example
    /// ```
    /// # use inbounds_core::Rational;
    /// assert_eq!(Rational::ratio(1, 3).rounded_up(), "1/3");
    /// let long: Rational = "9316799390224263601829073939577/9316799390230753890044410038838859072".parse()?;
    /// assert_eq!(long.rounded_up(), "0.000001");
    /// assert!(long < "0.000001".parse()?);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn rounded_up(&self) -> String {
        let exact = self.to_string();
        if exact.len() <= SHORT {
            return exact;
        }
        let double = self.to_f64_up();
        let text = format!("{double:.3e}");
        let decimal = |text: &str| text.parse::<Self>().unwrap_or_else(|_| self.clone());
        let rounded = match decimal(&text) {
            near if near >= *self => near,
            // One unit of the fourth digit more.
            near => {
                let power = text.split_once('e').map_or("0", |(_, power)| power);
                &near + &decimal(&format!("0.001e{power}"))
            }
        };
        let short = rounded.to_string();
        if short.len() <= SHORT { short } else { format!("{:e}", rounded.to_f64()) }
    }

    /// `true` for a value greater than zero.
    pub fn is_positive(&self) -> bool {
        *self > Self::ZERO
    }

    pub(crate) fn from_inner(value: RBig) -> Self {
        Self(value)
    }

    pub(crate) fn inner(&self) -> &RBig {
        &self.0
    }

    /// `true` for a whole number.
    pub fn is_integer(&self) -> bool {
        self.0.is_int()
    }

    /// The largest whole number not above the value; `None` where it has no room in 128 bits.
    pub fn floor(&self) -> Option<i128> {
        i128::try_from(self.0.floor()).ok()
    }

    /// Numerator and denominator in lowest terms, the denominator positive.
    pub fn parts(&self) -> (&IBig, &UBig) {
        (self.0.numerator(), self.0.denominator())
    }
}

impl From<u128> for Rational {
    fn from(value: u128) -> Self {
        Self(RBig::from(UBig::from(value)))
    }
}

impl From<i128> for Rational {
    fn from(value: i128) -> Self {
        Self(RBig::from(IBig::from(value)))
    }
}

macro_rules! forward_operator {
    ($($trait:ident $method:ident),*) => {$(
        impl $trait for Rational {
            type Output = Self;
            fn $method(self, other: Self) -> Self {
                Self($trait::$method(self.0, other.0))
            }
        }
        impl<'a> $trait<&'a Rational> for &'a Rational {
            type Output = Rational;
            fn $method(self, other: Self) -> Rational {
                Rational($trait::$method(&self.0, &other.0))
            }
        }
    )*};
}
forward_operator!(Add add, Sub sub, Mul mul, Div div);

/// Characters of a number that is shown exactly.
const SHORT: usize = 24;

impl fmt::Display for Rational {
    /// A terminating decimal where there is one of at most 17 digits after the point, else `numerator/denominator`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut scaled = self.0.clone();
        for digits in 0..=17 {
            if scaled.is_int() {
                return write_decimal(formatter, scaled.numerator(), digits);
            }
            scaled *= RBig::from(10u8);
        }
        write!(formatter, "{}/{}", self.0.numerator(), self.0.denominator())
    }
}

fn write_decimal(formatter: &mut fmt::Formatter<'_>, scaled: &IBig, digits: usize) -> fmt::Result {
    let text = scaled.to_string();
    let (sign, digits_text) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    if digits == 0 {
        return write!(formatter, "{sign}{digits_text}");
    }
    let padded = format!("{digits_text:0>width$}", width = digits + 1);
    let (integer_part, fraction) = padded.split_at(padded.len() - digits);
    write!(formatter, "{sign}{integer_part}.{fraction}")
}

impl FromStr for Rational {
    type Err = CoreError;

    /// Reads `12`, `-0.5`, `1_000`, `2.5e-3` or `1/3` exactly.
    fn from_str(text: &str) -> Result<Self, CoreError> {
        let refuse = || CoreError::NotANumber { text: text.to_owned() };
        let cleaned = text.trim().replace('_', "");
        if let Some((numerator, denominator)) = cleaned.split_once('/') {
            let (numerator, denominator) = (parse_decimal(numerator), parse_decimal(denominator));
            return match (numerator, denominator) {
                (Some(n), Some(d)) if !d.is_zero() => Ok(Self(n / d)),
                _ => Err(refuse()),
            };
        }
        parse_decimal(&cleaned).map(Self).ok_or_else(refuse)
    }
}

fn parse_decimal(text: &str) -> Option<RBig> {
    let text = text.trim();
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (integer_part, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let unsigned = integer_part.strip_prefix(['+', '-']).unwrap_or(integer_part);
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if unsigned.len() + fraction.len() == 0 || !all_digits(unsigned) || !all_digits(fraction) {
        return None;
    }
    let exponent = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    if exponent.abs() > LARGEST_DECIMAL_EXPONENT {
        return None;
    }
    let digits: UBig = format!("{unsigned}{fraction}").parse().ok()?;
    let magnitude = RBig::from(digits);
    let power = RBig::from(UBig::from(10u8).pow(exponent.unsigned_abs() as usize));
    let magnitude = if exponent < 0 { magnitude / power } else { magnitude * power };
    Some(if integer_part.starts_with('-') { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Rational {
        text.parse().expect(text)
    }

    #[test]
    fn decimals_and_fractions_are_exact() {
        assert_eq!(read("0.1"), Rational::ratio(1, 10));
        assert_eq!(read("-2.50"), Rational::ratio(-5, 2));
        assert_eq!(read("1e-6"), Rational::ratio(1, 1_000_000));
        assert_eq!(read("1_000"), Rational::ratio(1000, 1));
        assert_eq!(read(" 2 / 6 "), Rational::ratio(1, 3));
    }

    #[test]
    fn texts_that_are_no_numbers_are_refused() {
        for text in ["", ".", "nan", "inf", "1/0", "1e", "1e999999999999", "0x10", "1 2", "--1", "1.-2"] {
            assert!(text.parse::<Rational>().is_err(), "{text}");
        }
    }

    #[test]
    fn rounding_to_doubles_brackets_the_value() {
        for text in ["0.1", "1/3", "-0.1", "-1/3", "1e-320", "123456789.123456789"] {
            let exact = read(text);
            let (down, up) = (exact.to_f64_down(), exact.to_f64_up());
            assert!(Rational::from_f64(down).expect("finite") < exact, "{text}");
            assert!(Rational::from_f64(up).expect("finite") > exact, "{text}");
            assert_eq!(down.next_up(), up, "{text}");
        }
        assert_eq!(read("0.5").to_f64_down(), read("0.5").to_f64_up());
    }

    #[test]
    fn floors_round_down_and_say_when_there_is_no_room() {
        for (text, floor) in [("7/2", 3), ("-7/2", -4), ("-3", -3), ("0", 0)] {
            assert_eq!(read(text).floor(), Some(floor), "{text}");
        }
        assert_eq!(read("1e39").floor(), None);
    }

    #[test]
    fn display_is_read_back() {
        for text in ["0", "0.1", "-0.05", "12", "1/3", "0.00000000000000001"] {
            assert_eq!(read(text).to_string(), text);
        }
    }
}
