//! Public lattices on which answers live.

use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

use crate::{CoreError, Rational};

/// The multiples of `2^exponent`: the possible values of an answer.
///
/// # Example
/// ```
/// use inbounds_core::Grid;
/// let quarters = Grid::power_of_two(-2)?;
/// assert_eq!(quarters.floor(&"1.9".parse()?), Some(7));
/// assert_eq!(quarters.value(7), 1.75);
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    exponent: i32,
}

impl Grid {
    /// The integers.
    pub const INTEGERS: Self = Self { exponent: 0 };

    /// The grid of spacing `2^exponent`.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `-1000 <= exponent <= 1000`, where every spacing and its inverse is a double.
    pub fn power_of_two(exponent: i32) -> Result<Self, CoreError> {
        if (-1000..=1000).contains(&exponent) {
            Ok(Self { exponent })
        } else {
            Err(CoreError::parameter("grid exponent", exponent, "between -1000 and 1000"))
        }
    }

    /// The exponent of two of the spacing.
    pub fn exponent(self) -> i32 {
        self.exponent
    }

    /// Distance between neighbouring grid points, exact.
    pub fn spacing(self) -> f64 {
        libm::ldexp(1.0, self.exponent)
    }

    /// The double nearest to a grid point.
    pub fn value(self, steps: i128) -> f64 {
        // One rounding: the scaling is by a power of two.
        steps as f64 * self.spacing()
    }

    /// Steps of the largest grid point not above an exact value; `None` beyond `2^120` steps.
    pub fn floor(self, value: &Rational) -> Option<i128> {
        self.in_steps(value, RBig::floor)
    }

    /// Steps of the smallest grid point not below an exact value; `None` beyond `2^120` steps.
    pub fn ceil(self, value: &Rational) -> Option<i128> {
        self.in_steps(value, RBig::ceil)
    }

    fn in_steps(self, value: &Rational, round: fn(&RBig) -> IBig) -> Option<i128> {
        let power = RBig::from(UBig::ONE << self.exponent.unsigned_abs() as usize);
        let scaled = if self.exponent < 0 { value.inner() * power } else { value.inner() / power };
        i128::try_from(round(&scaled)).ok().filter(|steps| steps.unsigned_abs() <= 1 << 120)
    }
}

/// A public range of answers in grid steps, either end possibly open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRange {
    lower: Option<i128>,
    upper: Option<i128>,
}

impl StepRange {
    /// No bound at either end.
    pub const UNBOUNDED: Self = Self { lower: None, upper: None };

    /// The range `[lower, upper]`, `None` meaning no bound.
    ///
    /// # Errors
    /// [`CoreError::Bounds`] unless `lower < upper` where both are given.
    pub fn new(lower: Option<i128>, upper: Option<i128>) -> Result<Self, CoreError> {
        match (lower, upper) {
            (Some(l), Some(u)) if l >= u => Err(CoreError::Bounds { lower: l as f64, upper: u as f64 }),
            _ => Ok(Self { lower, upper }),
        }
    }

    /// Lower end, if any.
    pub fn lower(self) -> Option<i128> {
        self.lower
    }

    /// Upper end, if any.
    pub fn upper(self) -> Option<i128> {
        self.upper
    }

    /// `upper - lower` where both ends exist.
    pub fn width(self) -> Option<u128> {
        Some(self.upper?.abs_diff(self.lower?))
    }

    /// `true` if neither end is bounded.
    pub fn is_unbounded(self) -> bool {
        self == Self::UNBOUNDED
    }

    /// The nearest point of the range.
    pub fn clamp(self, steps: i128) -> i128 {
        let raised = self.lower.map_or(steps, |lower| steps.max(lower));
        self.upper.map_or(raised, |upper| raised.min(upper))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_fine_grid_are_exact() {
        let grid = Grid::power_of_two(-40).expect("in range");
        assert_eq!(grid.value(3), 3.0 * 2f64.powi(-40));
        let tenth: Rational = "0.1".parse().expect("number");
        assert_eq!(grid.floor(&tenth), Some((1 << 40) / 10));
        assert_eq!(grid.ceil(&tenth), Some((1 << 40) / 10 + 1));
        assert_eq!(grid.floor(&"-0.1".parse().expect("number")), Some(-(1 << 40) / 10 - 1));
        assert_eq!(grid.floor(&"1e60".parse().expect("number")), None);
    }

    #[test]
    fn ranges_clamp_and_refuse() {
        let range = StepRange::new(Some(0), Some(10)).expect("ordered");
        assert_eq!([range.clamp(-3), range.clamp(4), range.clamp(99)], [0, 4, 10]);
        assert_eq!(range.width(), Some(10));
        assert_eq!(StepRange::new(Some(0), None).expect("open").clamp(i128::MAX), i128::MAX);
        assert!(StepRange::new(Some(3), Some(3)).is_err());
    }
}
