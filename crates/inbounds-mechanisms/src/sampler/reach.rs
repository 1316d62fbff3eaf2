//! Limits of conditioned noise, as the samplers need them.
//!
//! **Idea.** Noise is drawn given that the output is in the range. Draws fall to two sides of a border between the
//! steps -1 and 0, so each side has its own number of possible steps: `below` of them down, `above` and the 0 up.
//!
//! **Invariant.** The limits follow from the private answer, so the fast sampler selects a side by masks, not branches,
//! and a limit that is missing is a number too large to matter.

/// Limits of noise to each side of the answer, in steps; `None` for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reach {
    /// Largest step down.
    pub below: Option<u128>,
    /// Largest step up.
    pub above: Option<u128>,
}

impl Reach {
    /// Noise without limits.
    pub const UNLIMITED: Self = Self { below: None, above: None };

    /// The first distance out of reach on one side, as a double with relative error below `2^-52`.
    #[inline]
    pub(super) fn end(side: Option<u128>) -> f64 {
        side.map_or(f64::INFINITY, |steps| {
            i64::try_from(steps).map_or_else(|_| nearest(steps), |steps| steps as f64) + 1.0
        })
    }

    /// Number of possible noises on one side of the border between -1 and 0.
    pub(super) fn count(&self, negative: bool) -> Option<u128> {
        // A reach that no i128 can leave is none.
        if negative { self.below } else { self.above.and_then(|steps| steps.checked_add(1)) }
    }

    /// [`Reach::count`] of the negative side for a mask of all ones, of the other for zero; all ones for no limit.
    #[inline]
    pub(super) fn count_by_mask(&self, negative: u128) -> u128 {
        let [below, above] = [true, false].map(|side| self.count(side).unwrap_or(u128::MAX));
        above ^ ((above ^ below) & negative)
    }
}

/// The nearest double. Out of line, because the conversion is one instruction for 64 signed bits and a function for
/// 128, which the compiler would otherwise call ahead of the decision.
#[cold]
#[inline(never)]
fn nearest(steps: u128) -> f64 {
    steps as f64
}
