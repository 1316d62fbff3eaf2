//! The exact least-squares fit of all measurements of all nodes, in closed form.
//!
//! **Idea.** A margin `S` that is measured with variance `v` measures each of its components `A` as one number of
//! variance `v n(S \ A)` would, with `n` the number of cells that are summed, and components carry no information on
//! one another (see [`super::super::linear()`]). Adding up children commutes with taking components: the component `A`
//! of a parent is the sum of those of its children. So each component is an ordinary tree of numbers that all have the
//! same variances, fitted by two passes: from the leaves each node takes the mean of its own measurement and of the sum
//! of its children, and from the roots the gap between a parent and the sum of its children is divided among them by
//! their variances.
//!
//! **Invariant.** After the first pass `numbers` has the estimates of a node from its own subtree, `below` their
//! variances; after the second one the estimates from all measurements, and `variance` theirs.
//!
//! A component that neither a node's own margins nor all of its children tell is not known there, and its variance is
//! infinite. Where a component of one child is unknown, that of its parent carries no information on the others: the
//! unknown one can balance any values of them.

use super::{
    super::{
        axes::Axes,
        linear::{CONTRADICTION, FittedMargin},
        system::MeasuredMargin,
        variances::{share, summed},
    },
    components::{Components, Part},
    system::TableTree,
};
use crate::{constraint::tree::Tree, numeric::relative};
use std::collections::HashMap;

/// Two things that are known exactly and contradict each other, at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "what is known exactly of the component {axes} of node {node} is not what its margins, or its children, add up to"
)]
#[non_exhaustive]
pub struct TableTreeConflict {
    /// The node, by its place in the input.
    pub node: usize,
    /// The smallest margin in which the two differ.
    pub axes: Axes,
}

/// The linear fit of all tables of a tree.
#[derive(Debug, Clone)]
pub struct TableTreeFit {
    pub(super) components: Components,
    pub(super) tree: Tree,
    /// The position of each node.
    pub(super) positions: Vec<u32>,
    /// The numbers of each position.
    pub(super) numbers: Vec<f64>,
    /// Of each position and component: the variance that the subtree alone leaves, in every direction.
    pub(super) below: Vec<f64>,
    /// The same for all measurements.
    pub(super) variance: Vec<f64>,
}

/// The unbiased least-squares estimates of all margins of all nodes.
///
/// # Contract
/// Minimises `sum over nodes v and measured margins S of v of |M_S x_v - y_{v,S}|^2 / V_{v,S}` over all tables `x` of
/// the leaves, of which inner nodes are the sums; exact margins are kept. The estimates are linear in the measurements,
/// and add up along the tree and along the margins of each table, up to rounding. With `n(S \ A)` the number of cells
/// of `S` that a cell of `A` is the sum of, a component `A` of a node has from below the variance
/// `s_v = 1 / (sum of 1 / (V_{v,S} n(S \ A)) over its measured margins S that include A + 1 / sum of s_c over its
/// children)`, from all measurements that of a tree of such numbers, `w_{v,A}`, and a cell of its margin `S` the
/// variance
/// `sum over A in S of prod_{j in A} (1 - 1/n_j) w_{v,A} / n(S \ A)^2`. Time and memory are linear in
/// `nodes x prod (n_j + 1)`.
///
/// # Errors
/// [`TableTreeConflict`] where exact margins contradict each other.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::Tree, table::{Axes, MeasuredMargin, tree::{self, TableTree}}};
/// // A state of two counties, with men and women of each, all measured with variance 2: as much as a tree of three numbers.
/// let shape = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let cells = |values: [f64; 2]| vec![MeasuredMargin { axes: Axes::new([0]), values: values.to_vec(), variance: 2.0 }];
/// let measured = vec![cells([9.0, 4.0]), cells([3.0, 1.0]), cells([5.0, 2.0])];
/// let fit = tree::linear(&TableTree::new(vec![2], shape, measured)?).expect("nothing is exact");
/// let men = |node| fit.margin(node, Axes::new([0])).expect("it was measured").values[0];
/// assert!((men(0) - (9.0 + 8.0 / 2.0) / 1.5).abs() < 1e-12 && (men(1) + men(2) - men(0)).abs() < 1e-12);
/// assert!((fit.variance(1, Axes::new([0])) - 4.0 / 3.0).abs() < 1e-12);
/// assert!((fit.variance(1, Axes::NONE) - 8.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
///
/// # References
/// Xiao, He, Zhang and Kifer 2023, ResidualPlanner (components of margins); Hay, Rastogi, Miklau and Suciu 2010 (two
/// passes along a tree).
pub fn linear(system: &TableTree) -> Result<TableTreeFit, TableTreeConflict> {
    let TableTree { components, tree, measured } = system;
    let (len, count) = (components.len, components.count());
    let mut numbers = vec![0.0; tree.nodes() * len];
    let mut below = vec![f64::INFINITY; tree.nodes() * count];
    let mut own = Own::new(components);
    // Bottom-up: the own measurements of each node by component, and the sums over its children.
    for position in (0..tree.nodes()).rev() {
        let node = tree.node(position);
        let conflict = |axes| TableTreeConflict { node, axes };
        own.take(&measured[node]).map_err(conflict)?;
        let children = tree.children(position);
        let (head, tail) = numbers.split_at_mut((position + 1) * len);
        let here = &mut head[position * len..];
        let variances = own.variances.clone();
        let of_children = match children.is_empty() {
            true => vec![f64::INFINITY; count],
            false => sums(&below[children.start * count..children.end * count], count),
        };
        if !children.is_empty() {
            let offset = (position + 1) * len;
            for child in tail[children.start * len - offset..children.end * len - offset].chunks_exact(len) {
                here.iter_mut().zip(child).for_each(|(sum, number)| *sum += number);
            }
        }
        // Pool the own measurement of each component with the sum of the children, by inverse variance.
        let shares: Vec<Weights> =
            variances.iter().zip(&of_children).map(|(own, sum)| Weights::new(*own, *sum)).collect();
        for ((here, own), component) in here.iter_mut().zip(&own.numbers).zip(&components.component_of) {
            let weights = shares[*component as usize];
            if weights.is_both_exact && apart(*own, *here, own_size(&measured[node])) {
                return Err(conflict(Axes::from_bits(*component)));
            }
            *here = weights.own * own + weights.sum * *here;
        }
        for (below, weights) in below[position * count..].iter_mut().zip(&shares) {
            *below = weights.variance;
        }
    }
    let variance = down(components, tree, &mut numbers, &below);
    Ok(TableTreeFit {
        components: components.clone(),
        tree: tree.clone(),
        positions: tree.positions(),
        numbers,
        below,
        variance,
    })
}

/// The second pass, and the variance of each component of each position after it.
fn down(components: &Components, tree: &Tree, numbers: &mut [f64], below: &[f64]) -> Vec<f64> {
    let (len, count) = (components.len, components.count());
    let mut variance = below.to_vec();
    let mut gap = vec![0.0; len];
    for position in tree.inner() {
        let children = tree.children(position);
        let all = sums(&below[children.start * count..children.end * count], count);
        let (head, tail) = numbers.split_at_mut((position + 1) * len);
        let offset = (position + 1) * len;
        // The gap between the final numbers of the node and the sums of its children.
        gap.copy_from_slice(&head[position * len..]);
        let of_children = &mut tail[children.start * len - offset..children.end * len - offset];
        for child in of_children.chunks_exact(len) {
            gap.iter_mut().zip(child).for_each(|(gap, number)| *gap -= number);
        }
        for (child, line) in children.clone().zip(of_children.chunks_exact_mut(len)) {
            // A child takes the share of the gap that its variance has in that of the sum.
            let own = &below[child * count..][..count];
            let part = |(own, all): (&f64, &f64)| if *all > 0.0 && *all < f64::INFINITY { own / all } else { 0.0 };
            let parts: Vec<f64> = own.iter().zip(&all).map(part).collect();
            for ((number, gap), component) in line.iter_mut().zip(&gap).zip(&components.component_of) {
                *number += parts[*component as usize] * gap;
            }
            for (component, part) in parts.iter().enumerate().filter(|(_, part)| **part > 0.0) {
                let parent = variance[position * count + component];
                variance[child * count + component] = (own[component] * (1.0 - part) + part * part * parent).max(0.0);
            }
        }
    }
    variance
}

/// Sums over lists of `count` numbers that stand one after the other.
fn sums(lists: &[f64], count: usize) -> Vec<f64> {
    let mut sums = vec![0.0; count];
    lists.chunks_exact(count).for_each(|list| sums.iter_mut().zip(list).for_each(|(sum, number)| *sum += number));
    sums
}

/// The weights of a component's own measurement and of the sum of the children.
#[derive(Clone, Copy)]
struct Weights {
    own: f64,
    sum: f64,
    variance: f64,
    is_both_exact: bool,
}

impl Weights {
    fn new(own: f64, sum: f64) -> Self {
        let both = |own, sum, variance| Self { own, sum, variance, is_both_exact: false };
        match (own == f64::INFINITY, sum == f64::INFINITY) {
            (true, true) => both(0.0, 0.0, f64::INFINITY),
            (true, false) => both(0.0, 1.0, sum),
            (false, true) => both(1.0, 0.0, own),
            (false, false) if own == 0.0 => Self { is_both_exact: sum == 0.0, ..both(1.0, 0.0, 0.0) },
            (false, false) => {
                let part = sum / (own + sum);
                both(part, 1.0 - part, own * part)
            }
        }
    }
}

/// `true` where two known numbers differ by more than rounding, beside numbers of this size.
fn apart(one: f64, other: f64, size: f64) -> bool {
    relative((one - other).abs(), size.max(1.0)) > CONTRADICTION
}

/// The largest sum of the sizes of the cells of a margin.
fn own_size(measured: &[MeasuredMargin]) -> f64 {
    measured.iter().map(|margin| margin.values.iter().map(|value| value.abs()).sum()).fold(0.0, f64::max)
}

/// A node's own measurements, by component.
struct Own<'a> {
    components: &'a Components,
    parts: HashMap<Axes, (Part, Vec<f64>)>,
    numbers: Vec<f64>,
    variances: Vec<f64>,
    /// True for a component without a direction: it is zero, and known to be.
    is_nothing: Vec<bool>,
    room: [Vec<f64>; 2],
}

impl<'a> Own<'a> {
    fn new(components: &'a Components) -> Self {
        let is_nothing = |component: usize| {
            Axes::from_bits(component as u32).iter().any(|attribute| components.sizes[attribute] == 1)
        };
        Self {
            components,
            parts: HashMap::new(),
            numbers: vec![0.0; components.len],
            variances: Vec::new(),
            is_nothing: (0..components.count()).map(is_nothing).collect(),
            room: [Vec::new(), Vec::new()],
        }
    }

    /// Takes the margins of a node; otherwise the smallest component in which two exact ones differ.
    fn take(&mut self, measured: &[MeasuredMargin]) -> Result<(), Axes> {
        let Self { components, parts, numbers, variances, is_nothing, room } = self;
        for margin in measured {
            parts.entry(margin.axes).or_insert_with(|| {
                let summed_cells = |component: u32| summed(&components.sizes, margin.axes, Axes::from_bits(component));
                let among = |component: &u32| margin.axes.includes(Axes::from_bits(*component));
                let count = components.count() as u32;
                let summed =
                    (0..count).map(|component| if among(&component) { summed_cells(component) } else { 0.0 }).collect();
                (components.part(margin.axes), summed)
            });
        }
        // An exact margin settles the components that it has; others do not count any more.
        let mut weights = vec![0.0; components.count()];
        let mut is_exact = is_nothing.clone();
        for margin in measured {
            for (component, summed) in parts[&margin.axes].1.iter().enumerate().filter(|(_, summed)| **summed > 0.0) {
                is_exact[component] |= margin.variance == 0.0;
                weights[component] += (margin.variance * summed).recip();
            }
        }
        // Each component is the mean of the margins that have it, by inverse variance, or the first exact one.
        numbers.fill(0.0);
        let mut is_settled = is_nothing.clone();
        let mut size = 0.0_f64;
        for margin in measured {
            let (part, summed) = &parts[&margin.axes];
            components.split(part, &margin.values, room);
            let mut share = vec![0.0; components.count()];
            let mut settles = Vec::new();
            for (component, summed) in summed.iter().enumerate().filter(|(_, summed)| **summed > 0.0) {
                if !is_exact[component] {
                    share[component] = (margin.variance * summed * weights[component]).recip();
                } else if margin.variance == 0.0 && !is_nothing[component] {
                    if is_settled[component] {
                        settles.push(component);
                    } else {
                        share[component] = 1.0;
                        is_settled[component] = true;
                    }
                }
            }
            // A second exact margin must agree with the first in their common components, up to rounding.
            size = size.max(margin.values.iter().map(|value| value.abs()).sum());
            for (number, &place) in room[0].iter().zip(&part.places) {
                let component = components.component_of[place as usize];
                if settles.contains(&(component as usize)) && apart(numbers[place as usize], *number, size) {
                    return Err(Axes::from_bits(component));
                }
                numbers[place as usize] += share[component as usize] * number;
            }
        }
        let variance = |(weight, is_exact): (&f64, &bool)| if *is_exact { 0.0 } else { weight.recip() };
        *variances = weights.iter().zip(&is_exact).map(variance).collect();
        Ok(())
    }
}

impl TableTreeFit {
    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.tree.nodes()
    }

    /// The variance of each cell of a margin of a node; infinite if measurements do not tell it.
    pub fn variance(&self, node: usize, axes: Axes) -> f64 {
        self.variance_at(self.positions[node] as usize, axes)
    }

    pub(super) fn variance_at(&self, position: usize, axes: Axes) -> f64 {
        let own = &self.variance[position * self.components.count()..];
        let part = |component: Axes| match share(&self.components.sizes, axes, component) {
            0.0 => 0.0,
            share => share * own[component.bits()],
        };
        axes.subsets().into_iter().map(part).sum()
    }

    /// A margin of a node; none if measurements do not tell it.
    ///
    /// # Panics
    /// If there is no such node or attribute.
    pub fn margin(&self, node: usize, axes: Axes) -> Option<FittedMargin> {
        let position = self.positions[node] as usize;
        let variance = self.variance_at(position, axes);
        let part = self.components.part(axes);
        let mut room = [Vec::new(), Vec::new()];
        self.components.join(&part, self.numbers_at(position), &mut room);
        let [values, _] = room;
        (variance < f64::INFINITY).then_some(FittedMargin { axes, values, variance })
    }

    /// Shows the cells of these margins, as far as measurements tell them, node by node: as [`margin`](Self::margin)
    /// for each, in the time of one.
    ///
    /// # Example
    /// ```
    /// use inbounds_project::{constraint::tree::Tree, table::{Axes, MeasuredMargin, tree::{self, TableTree}}};
    /// let cells = MeasuredMargin { axes: Axes::new([0]), values: vec![9.0, 4.0], variance: 2.0 };
    /// let fit = tree::linear(&TableTree::new(vec![2], Tree::from_parents(&[None])?, vec![vec![cells]])?).expect("one says it");
    /// let mut seen = Vec::new();
    /// fit.each_margin(&Axes::new([0]).subsets(), |_node, axes, cells| seen.push((axes, cells.to_vec())));
    /// assert_eq!(seen, [(Axes::NONE, vec![13.0]), (Axes::new([0]), vec![9.0, 4.0])]);
    /// # Ok::<(), inbounds_project::ProjectError>(())
    /// ```
    ///
    /// # Panics
    /// If there is no such attribute.
    pub fn each_margin(&self, margins: &[Axes], mut see: impl FnMut(usize, Axes, &[f64])) {
        let places: Vec<Vec<u32>> = margins.iter().map(|axes| self.components.cells_at(*axes)).collect();
        let (mut numbers, mut cells) = (Vec::with_capacity(self.components.len), Vec::new());
        for (node, &position) in self.positions.iter().enumerate() {
            numbers.clear();
            numbers.extend_from_slice(self.numbers_at(position as usize));
            self.components.unfold(&mut numbers);
            for (&axes, places) in margins.iter().zip(&places) {
                if self.variance_at(position as usize, axes) < f64::INFINITY {
                    cells.clear();
                    cells.extend(places.iter().map(|&place| numbers[place as usize]));
                    see(node, axes, &cells);
                }
            }
        }
    }

    pub(super) fn numbers_at(&self, position: usize) -> &[f64] {
        let len = self.components.len;
        &self.numbers[position * len..(position + 1) * len]
    }
}
