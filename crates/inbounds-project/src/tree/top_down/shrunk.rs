//! Targets of families where numbers are shrunk: empirical Bayes, level by level.
//!
//! The linear fit and its variances are found on the way down (see [`super::super::covariance`]). All inner nodes of a
//! level, and all of its leaves, are numbers from one prior. An inner node aims at its shrunk number, with the weight
//! of its posterior variance and a quarter of the variance that its subtree leaves; a leaf halfway between the linear
//! fit and its shrunk number, with the weight it has anyway. Weights of inner nodes let sure zeros stay where they are,
//! and the quarter keeps what zeros do not take from being left to a few large nodes alone.

use std::ops::Range;

use super::Down;
use crate::{
    shrink::{HALFWAY, LEFT, shrink},
    tree::{part::Part, passes::multiplier_and_split},
};

/// The linear fit of each position, and its variance.
struct Linear {
    estimate: Vec<f64>,
    variance: Vec<f64>,
    /// True where the family of a position divides its estimate by measurements alone.
    shrinks: Vec<bool>,
}

impl<F: Fn(usize) -> (f64, f64)> Down<'_, F> {
    /// Target of each position; empty where some may be negative, so that there is nothing to shrink to.
    pub(super) fn shrunk(&self) -> Vec<Part> {
        let tree = self.system.tree();
        let mut aims: Vec<Part> = (0..tree.nodes()).map(|position| self.part(position)).collect();
        if !self.plain() && (0..tree.nodes()).any(|position| (self.interval)(position).0 < 0.0) {
            return Vec::new();
        }
        // Level by level from the top: the inner nodes of a level have one prior, and its leaves another.
        let linear = self.linear();
        let mut level = tree.roots();
        while let Some(below) = self.below(&level) {
            for leaves in [false, true] {
                let shrinks = |position: &usize| {
                    let variance = linear.variance[*position];
                    tree.is_leaf(*position) == leaves
                        && linear.shrinks[*position]
                        && variance > 0.0
                        && variance.is_finite()
                };
                // The nodes to shrink: neither exact nor in a family with unmeasured leaves.
                let members: Vec<usize> = below.clone().filter(shrinks).collect();
                let at_members =
                    |numbers: &[f64]| -> Vec<f64> { members.iter().map(|&member| numbers[member]).collect() };
                // Leaves aim halfway to their shrunk number; inner nodes at it, with the posterior variance.
                for (&member, shrunk) in
                    members.iter().zip(shrink(&at_members(&linear.estimate), &at_members(&linear.variance)))
                {
                    let (aim, fit) = (&mut aims[member], linear.estimate[member]);
                    if leaves {
                        aim.mean = fit + HALFWAY * (shrunk.value - fit);
                    } else {
                        aim.mean = shrunk.value;
                        aim.variance = shrunk.variance + LEFT * aim.variance;
                    }
                }
            }
            level = below;
        }
        aims
    }

    /// The children of a level, which are the next one.
    fn below(&self, level: &Range<usize>) -> Option<Range<usize>> {
        let tree = self.system.tree();
        let last = level.clone().rev().find(|&position| !tree.is_leaf(position))?;
        Some(level.end..tree.children(last).end)
    }

    fn linear(&self) -> Linear {
        let tree = self.system.tree();
        let nodes = tree.nodes();
        let mut linear = Linear { estimate: vec![0.0; nodes], variance: vec![0.0; nodes], shrinks: vec![false; nodes] };
        for root in tree.roots() {
            let part = self.part(root);
            linear.estimate[root] = part.mean;
            linear.variance[root] = if part.free > 0.0 { f64::INFINITY } else { part.variance };
        }
        for position in tree.inner() {
            let sum = self.passes.nodes[position].sum;
            let (estimate, above) = (linear.estimate[position], linear.variance[position]);
            let (multiplier, split) = multiplier_and_split(sum, estimate);
            for child in tree.children(position) {
                let part = self.part(child);
                linear.estimate[child] = part.at(multiplier, split);
                let gain = if sum.variance > 0.0 { part.variance / sum.variance } else { 0.0 };
                linear.variance[child] = match (sum.free > 0.0, part.free > 0.0) {
                    (_, true) => f64::INFINITY,
                    (true, false) => part.variance,
                    (false, false) if gain == 0.0 => 0.0,
                    (false, false) => gain * (sum.variance - part.variance).max(0.0) + gain * gain * above,
                };
                // An exact node keeps its value.
                linear.shrinks[child] = sum.free == 0.0 && part.variance > 0.0;
            }
        }
        linear
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        constraint::tree::{Tree, TreeSystem},
        tree::{
            TreeCovariance, equality,
            passes::{Leaves, Passes},
        },
    };

    #[test]
    fn the_linear_fit_and_its_variances_are_those_of_the_solver_for_equalities() {
        let parents = [None, Some(0), Some(0), Some(1), Some(1), Some(2), Some(2), Some(2), None, Some(8)];
        let value = vec![20.0, 9.0, 14.0, 5.0, 1.0, 3.0, 8.0, 4.0, 2.0, 5.0];
        for zeros in [vec![], vec![2], vec![0, 4]] {
            let mut variance = vec![1.0, 2.0, 0.5, 3.0, 1.0, 4.0, 1.0, 2.0, 5.0, 1.0];
            zeros.iter().for_each(|&node: &usize| variance[node] = 0.0);
            let tree = Tree::from_parents(&parents).expect("a tree");
            let system = TreeSystem::new(tree, value.clone(), variance).expect("a system");
            let mut passes = Passes::new(&system, Leaves::All);
            passes.up();
            let interval = |position: usize| system.interval(position);
            let down = Down { system: &system, passes: &passes, reach: &[], interval: &interval, aims: Vec::new() };
            let Linear { estimate, variance, .. } = down.linear();
            let all = [(estimate, equality(&system).estimates), (variance, TreeCovariance::new(&system).variances())];
            for (computed, wanted) in all {
                for (computed, wanted) in computed.iter().zip(system.tree().to_positions(wanted)) {
                    assert!((computed - wanted).abs() < 1e-12, "{computed} for {wanted}");
                }
            }
        }
    }
}
