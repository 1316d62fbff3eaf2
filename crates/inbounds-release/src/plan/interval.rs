//! The intervals that a plan asks for.

use inbounds_core::Rational;

/// Which intervals a statistic has.
///
/// # Law
/// With `joint` the interval of every number of the statistic holds, all at once, with probability `level` at least;
/// without it that is so of each by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntervalChoice {
    /// The probability, from 0.5 to 0.9999.
    pub level: Rational,
    /// True if all intervals of a statistic hold at once.
    pub joint: bool,
}

impl IntervalChoice {
    /// The least and the greatest level.
    pub(crate) fn levels() -> (Rational, Rational) {
        (Rational::ratio(1, 2), Rational::ratio(9999, 10_000))
    }
}

impl Default for IntervalChoice {
    /// 95 %, of each number by itself.
    fn default() -> Self {
        Self { level: Rational::ratio(95, 100), joint: false }
    }
}
