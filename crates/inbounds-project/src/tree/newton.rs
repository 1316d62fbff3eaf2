//! Nonnegative least squares on a tree: Newton's method on the multipliers.
//!
//! Start with all leaves. Solve under equalities, drop every leaf whose unclamped value is negative, repeat. The
//! optimal sum of a subtree as a function of the multiplier is convex: it is the largest of the affine functions that
//! sets of kept leaves give. So every set that contains the optimal one gives multipliers at least as high as the
//! optimal ones; a leaf that is negative at such a multiplier is zero in the optimum, and never comes back. Multipliers
//! only fall, each sweep but the last drops a leaf, and at the end the multipliers are optimal.
//!
//! A sweep reads only the leaves of parents that might lose one. Values spread like an exponential under one parent can
//! take a hundred sweeps; after [`SWEEPS`] the caller turns to [`super::breakpoint`], whose cost does not depend on
//! values.

use super::passes::{Leaves, Passes};
use crate::constraint::tree::TreeSystem;

/// Sweeps before giving up: national trees take 3 to 8.
pub(super) const SWEEPS: usize = 40;

/// Passes whose kept leaves are optimal; none if that takes too many sweeps. The system must be feasible.
pub(super) fn solve(system: &TreeSystem) -> Option<Passes<'_>> {
    let mut passes = Passes::new(system, Leaves::Nonnegative);
    for _ in 0..SWEEPS {
        if !passes.up() {
            return Some(passes);
        }
        passes.down();
    }
    None
}
