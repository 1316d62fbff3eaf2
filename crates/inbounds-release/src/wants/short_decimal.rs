//! Candidate epsilons: decimals of four significant digits.

use inbounds_core::{Epsilon, Rational};

/// Decimals of four significant digits in a decade.
const PER_DECADE: i64 = 9000;

/// The smallest of them.
const FIRST: i64 = 1000;

/// A decimal of four significant digits, by its index among them: 1.000 has index 0, 1.001 index 1. Neighbours differ
/// by at most 0.1 %.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ShortDecimal(i64);

impl ShortDecimal {
    /// A billionth.
    pub(super) const LOWEST: Self = Self(-9 * PER_DECADE);

    /// A million.
    pub(super) const HIGHEST: Self = Self(6 * PER_DECADE);

    /// The one next to a positive number, at most a rounding above it.
    pub(super) fn near(number: f64) -> Self {
        let number = number.clamp(1e-9, 1e6);
        let power = libm::floor(libm::log10(number));
        let digits = (FIRST as f64 * number / libm::pow(10.0, power)).ceil() as i64;
        Self(power as i64 * PER_DECADE + digits - FIRST).clamp(Self::LOWEST, Self::HIGHEST)
    }

    /// The one this many places higher, or lower where it is negative.
    pub(super) fn moved(self, places: i64) -> Self {
        Self(self.0.saturating_add(places)).clamp(Self::LOWEST, Self::HIGHEST)
    }

    /// The one in the middle, rounded down.
    pub(super) fn between(self, other: Self) -> Self {
        Self((self.0 + other.0).div_euclid(2))
    }

    /// The decimal, exactly.
    pub(super) fn epsilon(self) -> Epsilon {
        let (power, place) = (self.0.div_euclid(PER_DECADE), self.0.rem_euclid(PER_DECADE));
        let decimal = format!("{}e{}", FIRST + place, power - 3);
        Epsilon::new(decimal.parse().expect("digits and an exponent")).expect("positive")
    }
}

/// The decimal of fewest digits that is at least a positive number, and at most a part `slack` larger.
pub(super) fn short_above(number: &Rational, slack: &Rational) -> Rational {
    let most = number * &(&Rational::ONE + slack);
    let power = libm::floor(libm::log10(number.to_f64())) as i32;
    let rounded = |digits: i32| -> Option<Rational> {
        let unit: Rational = format!("1e{}", power + 1 - digits).parse().ok()?;
        let units = number / &unit;
        let floor = Rational::from(units.floor()?);
        let ceiling = if floor < units { &floor + &Rational::ONE } else { floor };
        Some(&ceiling * &unit)
    };
    (1..=MOST_DIGITS).filter_map(rounded).find(|rounded| *rounded <= most).unwrap_or_else(|| number.clone())
}

/// Digits of a short decimal, at most.
const MOST_DIGITS: i32 = 9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_decimals_are_in_order() {
        let shown = |number: f64| ShortDecimal::near(number).epsilon().to_string();
        assert_eq!([0.2828427, 1.0, 9.9995, 0.1, 1234.5].map(shown), ["0.2829", "1", "10", "0.1", "1235"]);
        assert_eq!(
            (ShortDecimal::LOWEST.epsilon().to_string(), ShortDecimal::HIGHEST.epsilon().to_string()),
            ("0.000000001".into(), "1000000".into())
        );
        assert_eq!(ShortDecimal::near(1.0).moved(-1).epsilon().to_string(), "0.9999");
        let all: Vec<Epsilon> = (-3..4).map(|places| ShortDecimal::near(1.0).moved(places).epsilon()).collect();
        assert!(all.is_sorted());
        assert_eq!(ShortDecimal::near(1.0).between(ShortDecimal::near(1.0).moved(3)), ShortDecimal::near(1.0).moved(1));
    }

    #[test]
    fn short_decimals_are_above_and_near() {
        let slack = Rational::ratio(1, 200);
        for (number, short) in
            [("0.9973", "1"), ("0.2829", "0.283"), ("0.5", "0.5"), ("1234.5", "1240"), ("1/3", "0.334")]
        {
            assert_eq!(short_above(&number.parse().expect("a number"), &slack).to_string(), short, "{number}");
        }
    }
}
