//! Level by level from the roots down, each level given the one above.
//!
//! Where many small leaves are cut off at zero, one least-squares problem for all levels lets the cut-off parts add up
//! and push the upper levels away from their own measurements. Here an estimate never hears of what is cut off below it:
//!
//! 1. up: each node's value is the best unbiased one from its subtree, its own measurements pooled with the sum of its
//!    children's values, by their variances;
//! 2. down: the roots take the nearest admissible value; then the children of each node divide its estimate among them
//!    by least squares in those values, inside what their subtrees can reach.

use inbounds_project::{
    certificate::{Certificate, Status},
    constraint::tree::{Tree, TreeSystem},
    tree::{Solution, integer, project},
};

use super::{
    model::Model,
    reach::ranges,
    solve::{Cause, Ending, Solved},
};

pub(crate) fn solve(model: &Model, whole: bool, value: &[f64]) -> Solved {
    if model.may_conflict() {
        // A conflict concerns all levels at once, and the solvers of whole trees name the smallest.
        let system = model.with(value.to_vec());
        let at_once = if whole { integer(&system) } else { project(&system) };
        if let Status::Infeasible { .. } = at_once.status {
            return at_once.into();
        }
    }
    let (value, variance) = from_below(model, value);
    let reach = (model.may_conflict() || !model.nonnegative).then(|| ranges(model, whole, true));
    let levels = Levels { model, whole, value, variance, reach };
    let mut solved = Solved {
        ending: Ending::Optimal,
        estimates: vec![0.0; model.nodes()],
        certificate: Certificate::default(),
        grid: f64::INFINITY,
    };
    for level in 0..model.shape.levels() {
        if !levels.solve(level, &mut solved) {
            return solved;
        }
    }
    if whole || adds_up(model, &solved.estimates) { solved } else { on_one_grid(model, solved) }
}

/// Value and variance of each node from its subtree.
fn from_below(model: &Model, measured: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let shape = &model.shape;
    let (mut value, mut variance) = (measured.to_vec(), model.variance.clone());
    let mut sums = vec![(0.0, 0.0); model.nodes()];
    for node in shape.down().rev() {
        let (sum, of_sum) = sums[node];
        if !shape.is_leaf(node) && variance[node] > 0.0 && of_sum < f64::INFINITY {
            if variance[node] == f64::INFINITY {
                (value[node], variance[node]) = (sum, of_sum);
            } else {
                let share = variance[node] / (variance[node] + of_sum);
                value[node] += share * (sum - value[node]);
                variance[node] = share * of_sum;
            }
        }
        if !shape.is_root(node) {
            let (sum, of_sum) = &mut sums[shape.parent[node] as usize];
            *sum += value[node];
            *of_sum += variance[node];
        }
    }
    (value, variance)
}

struct Levels<'a> {
    model: &'a Model,
    whole: bool,
    value: Vec<f64>,
    variance: Vec<f64>,
    /// What subtrees can reach; none if that is zero and above for all.
    reach: Option<(Vec<f64>, Vec<f64>)>,
}

impl Levels<'_> {
    /// Solves the families whose children are on a level; whether that succeeded.
    fn solve(&self, level: usize, solved: &mut Solved) -> bool {
        let shape = &self.model.shape;
        let children = shape.of_level(level);
        let above: &[u32] = if level == 0 { &[] } else { shape.of_level(level - 1) };
        let heads: Vec<u32> = above.iter().copied().filter(|&node| !shape.is_leaf(node as usize)).collect();
        // Both lists are in the order of numbers.
        let head = |node: u32| heads.binary_search(&shape.parent[node as usize]).ok().map(|index| index as u32);
        let parents: Vec<Option<u32>> =
            heads.iter().map(|_| None).chain(children.iter().map(|&node| head(node))).collect();
        let nodes: Vec<usize> = heads.iter().chain(children).map(|&node| node as usize).collect();
        let is_head = |index: usize| index < heads.len();
        let entries = |of_head: &dyn Fn(usize) -> f64, list: &[f64]| -> Vec<f64> {
            let entry = |(index, &node): (usize, &usize)| if is_head(index) { of_head(node) } else { list[node] };
            nodes.iter().enumerate().map(entry).collect()
        };
        let estimates = &solved.estimates;
        let value = entries(&|node| estimates[node], &self.value);
        let variance = entries(&|_| 0.0, &self.variance);
        let tree = Tree::from_parents(&parents).expect("a forest of two levels");
        let system = TreeSystem::new(tree, value, variance).expect("numbers of a model");
        let system = match &self.reach {
            None => system.nonnegative(),
            Some((low, high)) => {
                let low = entries(&|_| f64::NEG_INFINITY, low);
                let high = entries(&|_| f64::INFINITY, high);
                system.boxed(low, high).expect("ranges of a system that has a solution")
            }
        };
        let found = if self.whole { integer(&system) } else { project(&system) };
        if let Ending::Infeasible(conflict) = found.status.clone().into() {
            let of_tree = |cause| match cause {
                Cause::Node(index) => Cause::Node(nodes[index]),
                Cause::Row(row) => Cause::Row(row),
            };
            solved.ending = Ending::Infeasible(conflict.into_iter().map(of_tree).collect());
            solved.estimates.clear();
            return false;
        }
        for (&node, estimate) in nodes.iter().zip(&found.estimates) {
            solved.estimates[node] = *estimate;
        }
        solved.take_in(&found);
        true
    }
}

impl Solved {
    /// The worse of this and a further solution.
    fn take_in(&mut self, found: &Solution) {
        if found.status != Status::Optimal {
            self.ending = found.status.clone().into();
        }
        let Some(certificate) = found.certificate else { return };
        self.certificate.stationarity = self.certificate.stationarity.max(certificate.stationarity);
        self.certificate.feasibility = self.certificate.feasibility.max(certificate.feasibility);
        self.certificate.complementarity = self.certificate.complementarity.max(certificate.complementarity);
        self.grid = self.grid.min(found.grid);
    }
}

/// Whether every node is the sum of its children to the last bit.
fn adds_up(model: &Model, estimates: &[f64]) -> bool {
    let shape = &model.shape;
    let mut sums = vec![0.0; model.nodes()];
    for node in (0..model.nodes()).filter(|&node| !shape.is_root(node)) {
        sums[shape.parent[node] as usize] += estimates[node];
    }
    (0..model.nodes()).all(|node| shape.is_leaf(node) || sums[node] == estimates[node])
}

/// The nearest numbers whose sums hold to the last bit: levels may have been rounded to different grids.
fn on_one_grid(model: &Model, mut solved: Solved) -> Solved {
    let variance = (0..model.nodes()).map(|node| match (model.exact(node), model.shape.is_leaf(node)) {
        (true, _) => 0.0,
        (_, true) => 1.0,
        _ => f64::INFINITY,
    });
    let found = project(&model.measured_as(solved.estimates.clone(), variance.collect()));
    solved.take_in(&found);
    (solved.estimates, solved.grid) = (found.estimates, found.grid);
    solved
}
