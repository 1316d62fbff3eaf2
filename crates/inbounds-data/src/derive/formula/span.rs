//! Where the values of the parts of a formula lie: in doubles, as rows are computed, and exactly. Claim:
//! `formula-range`.

use std::cmp::Ordering;
use std::fmt;

use inbounds_core::Rational;

use super::term::{Function1, Function2};

/// A double or an exact number, with the operations of formulas.
pub(super) trait Endpoint: Clone + PartialOrd + fmt::Display {
    fn from_rational(number: &Rational) -> Self;
    fn between(function: Function2, left: &Self, right: &Self) -> Self;
    fn negative(&self) -> Self;
    fn floor(&self) -> Self;
    fn double(&self) -> f64;
}

impl Endpoint for f64 {
    fn from_rational(number: &Rational) -> Self {
        number.to_f64()
    }

    fn between(function: Function2, left: &Self, right: &Self) -> Self {
        match function {
            Function2::Plus => left + right,
            Function2::Minus => left - right,
            Function2::Times => left * right,
            Function2::Over => left / right,
            Function2::Least => left.min(*right),
            Function2::Greatest => left.max(*right),
        }
    }

    fn negative(&self) -> Self {
        -self
    }

    fn floor(&self) -> Self {
        f64::floor(*self)
    }

    fn double(&self) -> f64 {
        *self
    }
}

impl Endpoint for Rational {
    fn from_rational(number: &Rational) -> Self {
        number.clone()
    }

    fn between(function: Function2, left: &Self, right: &Self) -> Self {
        match function {
            Function2::Plus => left + right,
            Function2::Minus => left - right,
            Function2::Times => left * right,
            Function2::Over => left / right,
            Function2::Least => left.min(right).clone(),
            Function2::Greatest => left.max(right).clone(),
        }
    }

    fn negative(&self) -> Self {
        &Self::ZERO - self
    }

    fn floor(&self) -> Self {
        // Beyond 128 bits the double is whole, and the doubles of the rows are what counts.
        let double = || Self::from_f64(self.to_f64().floor()).unwrap_or(Self::ZERO);
        Rational::floor(self).map_or_else(double, Self::from)
    }

    fn double(&self) -> f64 {
        self.to_f64()
    }
}

/// Where the values of a part lie.
#[derive(Clone)]
pub(super) struct Span<T> {
    pub(super) lower: T,
    pub(super) upper: T,
}

impl<T: Endpoint> Span<T> {
    fn enclosing(mut ends: impl Iterator<Item = T>) -> Self {
        let first = ends.next().expect("at least one end");
        let start = Self { lower: first.clone(), upper: first };
        ends.fold(start, |Self { lower, upper }, end| {
            let above = end.partial_cmp(&upper) == Some(Ordering::Greater);
            let below = end.partial_cmp(&lower) == Some(Ordering::Less);
            Self { lower: if below { end.clone() } else { lower }, upper: if above { end } else { upper } }
        })
    }

    pub(super) fn has_zero(&self) -> bool {
        let zero = T::from_rational(&Rational::ZERO);
        self.lower <= zero && zero <= self.upper
    }

    /// The largest magnitude.
    pub(super) fn magnitude(&self) -> f64 {
        let (lower, upper) = (self.lower.double().abs(), self.upper.double().abs());
        if lower > upper { lower } else { upper }
    }

    pub(super) fn through(self, function: Function1) -> Self {
        match function {
            Function1::Minus => Self { lower: self.upper.negative(), upper: self.lower.negative() },
            Function1::Floor => Self { lower: self.lower.floor(), upper: self.upper.floor() },
            Function1::Abs => {
                let zero = self.has_zero().then(|| T::from_rational(&Rational::ZERO));
                let magnitude = |end: T| if end.double() < 0.0 { end.negative() } else { end };
                Self::enclosing([magnitude(self.lower), magnitude(self.upper)].into_iter().chain(zero))
            }
        }
    }

    /// Every operation is monotone in each of its sides, so that its extremes are at ends.
    pub(super) fn with(&self, function: Function2, other: &Self) -> Self {
        let ends = |end: &T| [T::between(function, end, &other.lower), T::between(function, end, &other.upper)];
        Self::enclosing(ends(&self.lower).into_iter().chain(ends(&self.upper)))
    }
}
