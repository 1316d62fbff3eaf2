//! Short decimals to look for an epsilon among.

use inbounds_core::{Epsilon, Rational};

/// Decimals of four significant digits within a power of ten.
const A_POWER: i64 = 9000;

/// The smallest of them.
const FIRST: i64 = 1000;

/// A decimal of four significant digits, by its place among them: 1.000 is the 0th, 1.001 the next. Neighbours are at
/// most 0.1 % apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rung(i64);

impl Rung {
    /// A billionth.
    pub(super) const LOWEST: Self = Self(-9 * A_POWER);

    /// A million.
    pub(super) const HIGHEST: Self = Self(6 * A_POWER);

    /// The one next to a positive number, at most a rounding above it.
    pub(super) fn near(number: f64) -> Self {
        let number = number.clamp(1e-9, 1e6);
        let power = libm::floor(libm::log10(number));
        let digits = (FIRST as f64 * number / libm::pow(10.0, power)).ceil() as i64;
        Self(power as i64 * A_POWER + digits - FIRST).clamp(Self::LOWEST, Self::HIGHEST)
    }

    /// So many places higher, or lower.
    pub(super) fn moved(self, places: i64) -> Self {
        Self(self.0.saturating_add(places)).clamp(Self::LOWEST, Self::HIGHEST)
    }

    /// The one in the middle, rounded down.
    pub(super) fn between(self, other: Self) -> Self {
        Self((self.0 + other.0).div_euclid(2))
    }

    /// The decimal, exactly.
    pub(super) fn epsilon(self) -> Epsilon {
        let (power, place) = (self.0.div_euclid(A_POWER), self.0.rem_euclid(A_POWER));
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
        let whole = Rational::from(units.floor()?);
        let whole = if whole < units { &whole + &Rational::ONE } else { whole };
        Some(&whole * &unit)
    };
    (1..=MOST_DIGITS).filter_map(rounded).find(|rounded| *rounded <= most).unwrap_or_else(|| number.clone())
}

/// Digits of a short decimal, at most.
const MOST_DIGITS: i32 = 9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rungs_are_decimals_in_order() {
        let shown = |number: f64| Rung::near(number).epsilon().to_string();
        assert_eq!([0.2828427, 1.0, 9.9995, 0.1, 1234.5].map(shown), ["0.2829", "1", "10", "0.1", "1235"]);
        assert_eq!(
            (Rung::LOWEST.epsilon().to_string(), Rung::HIGHEST.epsilon().to_string()),
            ("0.000000001".into(), "1000000".into())
        );
        assert_eq!(Rung::near(1.0).moved(-1).epsilon().to_string(), "0.9999");
        let all: Vec<Epsilon> = (-3..4).map(|places| Rung::near(1.0).moved(places).epsilon()).collect();
        assert!(all.is_sorted());
        assert_eq!(Rung::near(1.0).between(Rung::near(1.0).moved(3)), Rung::near(1.0).moved(1));
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
