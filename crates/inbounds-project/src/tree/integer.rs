//! Whole numbers: the least-squares optimum over integers that add up.
//!
//! The optimal cost of a subtree is a discretely convex function of its total, so it is known by its increments, the
//! cost of each further unit, in ascending order; children merge like sorted lists, and the node's own measurement adds
//! `(t - x + 1/2) / V` to the step from `t` to `t + 1`. Only totals in a window around the continuous optimum are
//! looked at.
//!
//! Each child of a node starts at a whole number near the continuous optimum, by the multiplier of that optimum alone;
//! these numbers are optimal for their own total. From there the cheapest next units lead to every other total nearby.
//! Nothing but the increments in the window of each inner node is kept; the way down takes the same steps again.
//!
//! The exchange test of [`super::kkt`] decides whether the windows were wide enough. If not, they are widened around
//! the solution in them.

mod deal;

use self::deal::Windows;
use super::{TreeSolution, feasible, kkt, kkt::Claim};
use crate::{certificate::Status, constraint::tree::TreeSystem};

/// Totals looked at on either side of the continuous optimum, round by round.
const RADII: [f64; 6] = [2.0, 5.0, 20.0, 100.0, 1000.0, 10_000.0];

pub(super) fn solve(system: &TreeSystem) -> TreeSolution {
    let reach = match feasible::reach(system, |position| system.whole_interval(position)) {
        Ok(reach) => reach,
        Err(conflict) => return TreeSolution::infeasible(conflict),
    };
    let continuous = super::project(system);
    if continuous.estimates.is_empty() {
        return continuous;
    }
    let mut center = system.tree().to_positions(continuous.estimates);
    if !super::are_countable(system, &center) {
        return TreeSolution::certified(system, (center, continuous.grid), Claim::Whole);
    }
    let (_, mut multipliers) = kkt::certify_with_multipliers(system, &center, Claim::Bounded);
    let mut best = None;
    // Windows of growing radius around the last solution, until the exchange test certifies one.
    for radius in RADII {
        let Some(estimates) = Windows::new(system, &reach, &center, &multipliers, radius).deal() else { continue };
        let (certificate, new_multipliers) = kkt::certify_with_multipliers(system, &estimates, Claim::Whole);
        let status = certificate.status();
        best = Some(TreeSolution {
            status: status.clone(),
            estimates: system.tree().to_input(estimates.clone()),
            certificate: Some(certificate),
            grid: 1.0,
        });
        if status == Status::Optimal {
            break;
        }
        (center, multipliers) = (estimates, new_multipliers);
    }
    // Without windows that meet, the continuous optimum is returned, and its certificate shows that it is not whole.
    best.unwrap_or_else(|| TreeSolution::certified(system, (center, continuous.grid), Claim::Whole))
}
