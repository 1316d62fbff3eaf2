//! Random systems, of every kind that breaks solvers.

use inbounds_project::constraint::tree::{Tree, TreeSystem};

use crate::draws::Draws;

/// The content of a random system.
#[derive(Clone, Copy)]
pub(crate) struct Kind {
    /// Share of nodes that are not measured.
    pub(crate) unmeasured: f64,
    /// Share of nodes known exactly.
    pub(crate) invariant: f64,
    /// Variances are powers of ten up to this exponent, either way.
    pub(crate) decades: i32,
    /// True if values are whole, so that many tie.
    pub(crate) ties: bool,
    /// True if nodes have boxes around the truth.
    pub(crate) boxes: bool,
}

pub(crate) const PLAIN: Kind = Kind { unmeasured: 0.0, invariant: 0.0, decades: 0, ties: false, boxes: false };
pub(crate) const TIES: Kind = Kind { ties: true, ..PLAIN };
pub(crate) const MIXED: Kind = Kind { unmeasured: 0.25, invariant: 0.15, decades: 1, ties: true, boxes: false };
pub(crate) const EXTREME: Kind = Kind { decades: 9, invariant: 0.1, unmeasured: 0.1, ..PLAIN };
pub(crate) const BOXED: Kind = Kind { boxes: true, ..MIXED };
pub(crate) const KINDS: [Kind; 5] = [PLAIN, TIES, MIXED, EXTREME, BOXED];

/// A case with everything needed to solve it another way.
pub(crate) struct Case {
    pub(crate) parents: Vec<Option<u32>>,
    pub(crate) value: Vec<f64>,
    pub(crate) variance: Vec<f64>,
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    pub(crate) boxes: bool,
}

impl Case {
    pub(crate) fn unbounded(&self) -> TreeSystem {
        let tree = Tree::from_parents(&self.parents).expect("a tree");
        TreeSystem::new(tree, self.value.clone(), self.variance.clone()).expect("a system")
    }

    pub(crate) fn system(&self) -> TreeSystem {
        if self.boxes {
            self.unbounded().boxed(self.lower.clone(), self.upper.clone()).expect("boxes")
        } else {
            self.unbounded().nonnegative()
        }
    }

    pub(crate) fn leaves(&self) -> Vec<usize> {
        (0..self.parents.len()).filter(|&node| !self.parents.contains(&Some(node as u32))).collect()
    }

    /// True if a leaf is part of a node.
    pub(crate) fn below(&self, leaf: usize, node: usize) -> bool {
        let mut at = Some(leaf as u32);
        while let Some(ancestor) = at {
            if ancestor as usize == node {
                return true;
            }
            at = self.parents[ancestor as usize];
        }
        false
    }
}

/// A ragged forest of `nodes` nodes, numbered at random.
pub(crate) fn parents(dice: &mut Draws, nodes: usize) -> Vec<Option<u32>> {
    let mut name: Vec<u32> = (0..nodes as u32).collect();
    for index in (1..nodes).rev() {
        name.swap(index, dice.between(0, index + 1));
    }
    let reach = 1 + dice.between(0, nodes);
    let mut parents = vec![None; nodes];
    for index in 1..nodes {
        if !dice.chance(0.05) {
            let parent = index.saturating_sub(1 + dice.between(0, reach.min(index)));
            parents[name[index] as usize] = Some(name[parent]);
        }
    }
    parents
}

/// A feasible case: a true table of nonnegative whole numbers, many of them zero, and noisy measurements of it.
pub(crate) fn case(dice: &mut Draws, nodes: usize, kind: Kind) -> Case {
    let parents = parents(dice, nodes);
    let mut case = Case {
        value: vec![0.0; nodes],
        variance: vec![1.0; nodes],
        lower: vec![0.0; nodes],
        upper: vec![f64::INFINITY; nodes],
        boxes: kind.boxes,
        parents,
    };
    let leaves = case.leaves();
    let scale = if dice.chance(0.2) { 1e6 } else { 5.0 };
    let counts: Vec<f64> =
        leaves.iter().map(|_| if dice.chance(0.5) { 0.0 } else { (scale * dice.unit()).round() }).collect();
    for node in 0..nodes {
        let parts = leaves.iter().zip(&counts).filter(|&(&leaf, _)| case.below(leaf, node));
        let truth: f64 = parts.map(|(_, count)| count).sum();
        let noise = 3.0 * dice.laplace();
        case.value[node] = if kind.ties { (truth + noise).round() } else { truth + noise };
        case.variance[node] = variance(dice, kind);
        if case.variance[node] == 0.0 {
            case.value[node] = truth;
        }
        if kind.boxes {
            case.lower[node] = bound(dice, truth, -1.0);
            case.upper[node] = bound(dice, truth, 1.0);
        }
    }
    case
}

fn variance(dice: &mut Draws, kind: Kind) -> f64 {
    if dice.chance(kind.unmeasured) {
        f64::INFINITY
    } else if dice.chance(kind.invariant) {
        0.0
    } else {
        10_f64.powi(dice.between(0, 2 * kind.decades as usize + 1) as i32 - kind.decades)
    }
}

/// A bound beside the truth, or none.
fn bound(dice: &mut Draws, truth: f64, side: f64) -> f64 {
    if dice.chance(0.4) { side * f64::INFINITY } else { truth + side * dice.between(0, 3) as f64 }
}
