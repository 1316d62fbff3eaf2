//! Variances and covariances of the estimates under equalities.
//!
//! Notation of [`super::passes`]. Given its parent's estimate, child `c` has variance `V_c (S - V_c) / S` and moves
//! with the parent by the gain `V_c / S`; two children have covariance `-V_c V_d / S`. So with `P` the variance of an
//! estimate, `P_root = V_root` and `P_c = V_c (S - V_c) / S + (V_c / S)^2 P_parent`: one pass down. One unmeasured leaf
//! is the limit of a large `V_c`; estimates that rest on an even split over several have infinite variance.

use super::part::Part;
use super::passes::{Leaves, Passes};
use crate::constraint::tree::TreeSystem;

/// Variances and covariances of [`equality`](super::equality)'s estimates, when each measurement has the variance
/// stated, independent of the others, and is unbiased.
///
/// # Example
/// Two counties and their state, each measured with variance 1: `2/3` for each estimate.
/// ```
/// use inbounds_project::{constraint::tree::{Tree, TreeSystem}, tree::TreeCovariance};
/// let tree = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let covariance = TreeCovariance::new(&TreeSystem::new(tree, vec![5.0, 1.0, 3.0], vec![1.0; 3])?);
/// assert!((covariance.variance(1) - 2.0 / 3.0).abs() < 1e-15);
/// assert!((covariance.covariance(1, 2) + 1.0 / 3.0).abs() < 1e-15);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
#[derive(Debug, Clone)]
pub struct TreeCovariance {
    position: Vec<u32>,
    parent: Vec<u32>,
    roots: usize,
    /// Variance of each estimate, by position.
    variance: Vec<f64>,
    /// Gain of each position from its parent.
    gain: Vec<f64>,
    /// Variance of what each position sends, unmeasured leaves left out.
    sent: Vec<f64>,
    /// Variance of what it sends together with its siblings; infinite with unmeasured leaves.
    total: Vec<f64>,
}

impl TreeCovariance {
    /// In `O(n)` time and memory.
    pub fn new(system: &TreeSystem) -> Self {
        let tree = system.tree();
        let mut passes = Passes::new(system, Leaves::All);
        passes.up();
        let sent = |position: usize| match passes.nodes.get(position) {
            Some(node) => node.sent,
            None => Part::measured(system.value[position], system.variance[position]),
        };
        let mut covariance = Self {
            position: tree.positions(),
            parent: tree.parents(),
            roots: tree.roots().len(),
            variance: vec![0.0; tree.nodes()],
            gain: vec![0.0; tree.nodes()],
            sent: vec![0.0; tree.nodes()],
            total: vec![0.0; tree.nodes()],
        };
        for root in tree.roots() {
            let sent = sent(root);
            covariance.variance[root] = if sent.free > 0.0 { f64::INFINITY } else { sent.variance };
        }
        for position in tree.inner() {
            let children = tree.children(position);
            let parts: Vec<Part> = children.clone().map(sent).collect();
            covariance.spread(position, children.start, &parts, passes.nodes[position].sum);
        }
        covariance
    }

    /// Variances of the children of a position from its own.
    fn spread(&mut self, position: usize, first: usize, parts: &[Part], sum: Part) {
        let above = self.variance[position];
        for (index, part) in parts.iter().enumerate() {
            let child = first + index;
            let follow = |gain: f64, left: f64| if gain == 0.0 { left } else { left + gain * gain * above };
            let others = || others(parts, index, sum.variance);
            let (gain, variance) = if sum.free == 0.0 {
                let gain = if sum.variance > 0.0 { part.variance / sum.variance } else { 0.0 };
                (gain, follow(gain, gain * others()))
            } else if part.free == 0.0 {
                (0.0, part.variance)
            } else if sum.free == 1.0 {
                // The only unmeasured leaf is the rest of the parent.
                (1.0, follow(1.0, others()))
            } else {
                (part.free / sum.free, f64::INFINITY)
            };
            (self.gain[child], self.variance[child], self.sent[child]) = (gain, variance, part.variance);
            self.total[child] = if sum.free > 0.0 { f64::INFINITY } else { sum.variance };
        }
    }

    /// Variance of the estimate of a node; infinite if the measurements do not determine it.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn variance(&self, node: usize) -> f64 {
        self.variance[self.position[node] as usize]
    }

    /// Variances of all estimates, in the order of the input.
    pub fn variances(&self) -> Vec<f64> {
        self.position.iter().map(|&position| self.variance[position as usize]).collect()
    }

    /// Covariance of the estimates of two nodes, in time proportional to their depths; NaN if the measurements do not
    /// determine both.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn covariance(&self, one: usize, other: usize) -> f64 {
        let (mut one, mut other) = (self.position[one] as usize, self.position[other] as usize);
        if self.variance[one].max(self.variance[other]) == f64::INFINITY {
            return f64::NAN;
        }
        let mut gain = 1.0;
        // Positions are breadth-first, so the later of two distinct nodes is never an ancestor of the earlier.
        while one != other {
            if one < other {
                std::mem::swap(&mut one, &mut other);
            }
            if one < self.roots {
                return 0.0;
            }
            if other >= self.roots && self.parent[one] == self.parent[other] {
                return gain * self.of_siblings(one, other);
            }
            gain *= self.gain[one];
            one = self.parent[one] as usize;
        }
        gain * self.variance[one]
    }

    fn of_siblings(&self, one: usize, other: usize) -> f64 {
        let (gains, above) = (self.gain[one] * self.gain[other], self.variance[self.parent[one] as usize]);
        let shared = if gains == 0.0 { 0.0 } else { gains * above };
        let apart = if self.total[one] == f64::INFINITY {
            self.gain[one] * self.sent[other] + self.gain[other] * self.sent[one]
        } else {
            self.gain[one] * self.sent[other]
        };
        shared - apart
    }
}

/// Variance of all parts but one, without taking the larger part away from the sum.
fn others(parts: &[Part], index: usize, total: f64) -> f64 {
    if parts[index].variance < total / 2.0 {
        return total - parts[index].variance;
    }
    parts.iter().enumerate().filter(|&(other, _)| other != index).map(|(_, part)| part.variance).sum()
}
