//! Grids of doubles on which sums are exact.

/// Bits between the largest sum and the grid.
const BITS: i32 = 50;

/// A public grid of doubles whose sums are exact.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    pub(super) step: f64,
    /// Adding and subtracting this rounds to the nearest multiple of the step.
    magic: f64,
}

impl Grid {
    /// The grid for numbers whose absolute values sum to at most `scale`.
    pub(super) fn for_sums_to(scale: f64) -> Self {
        let (_, exponent) = libm::frexp(scale);
        let step = libm::ldexp(1.0, exponent - BITS);
        Self { step, magic: 1.5 * libm::ldexp(step, 52) }
    }

    /// The whole numbers.
    pub(super) fn whole() -> Self {
        Self { step: 1.0, magic: 1.5 * libm::ldexp(1.0, 52) }
    }

    /// A size that the largest sum has for which the grid was made.
    pub(super) fn scale(self) -> f64 {
        libm::ldexp(self.step, BITS - 1)
    }

    /// The nearest multiple inside bounds; beyond a bound off the grid, the first one inside.
    #[inline(always)]
    pub(super) fn inside(self, value: f64, (lower, upper): (f64, f64)) -> f64 {
        let nearest = self.nearest(value);
        if nearest > upper {
            (upper / self.step).floor() * self.step
        } else if nearest < lower {
            (lower / self.step).ceil() * self.step
        } else {
            nearest
        }
    }

    /// The narrowest interval between multiples that holds another.
    pub(super) fn outward(self, (lower, upper): (f64, f64)) -> (f64, f64) {
        ((lower / self.step).floor() * self.step, (upper / self.step).ceil() * self.step)
    }

    #[inline(always)]
    pub(super) fn nearest(self, value: f64) -> f64 {
        value + self.magic - self.magic
    }
}
