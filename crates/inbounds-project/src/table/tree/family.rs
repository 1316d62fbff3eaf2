//! The table of a parent divided among its children.
//!
//! **Idea.** The children of a parent are one more attribute of its table, and the parent's cells are known sums over
//! it. The information of the subtrees on the children is a distance: a square for each component, over the variance
//! that the subtree leaves of it. The squares of margins, with weights, are such a distance too, so the division is one
//! least-squares problem over nonnegative cells with soft margins and the parent's cells as sums that must be met,
//! which `dual_newton.rs` solves. The linear fit stands for the estimate from the subtree alone: over all divisions of
//! the parent's table the two distances differ by a constant.
//!
//! A root is such a family of one, without a parent.
//!
//! **What zero cuts off** in the cells of a child is noise that its margins know: their squares stand beside those of
//! the cells, so it is taken from other cells of the child as well as from the same cell of other children, and no
//! table above is moved by it.
//!
//! **What can be kept.** Whatever one margin of the children is, some tables without negative cells have it and the
//! parent's cells: within each cell of the margin that is a table of two sides, the children by the parent's cells. Two
//! margins of which neither is part of the other may contradict the parent's cells, so only one, with its own margins,
//! may be known exactly.
//!
//! **Whole numbers.** Cells under whole sums of two sides are a network (`controlled_rounding.rs`). The margins of the
//! first attribute, of the first two and so on are made whole one after the other, each within the cells of the one
//! before: the children by the values of one attribute. A margin that is part of this chain is off its projection by
//! less than one; any other is the sum of the resulting cells.
//!
//! References: Abowd et al. 2022 (TopDown) and Zhu et al. 2023 (BlueDown) solve the same problem for each family, by
//! general solvers.

use std::collections::HashMap;

use super::super::{
    aims::aims,
    axes::{Axes, Layout},
    controlled_rounding,
    dual_newton::{MarginProjection, Target},
    linear::FittedMargin,
    top_down::{TableNumbers, exact},
    variances::summed,
};
use super::{components::Part, linear::TableTreeFit};
use crate::{certificate::Certificate, constraint::Bounds, shrink::Aim, simplex};

/// Weights that differ by less are the same, and those of less than this part of that of a cell are none.
const ROUNDING: f64 = 1e-12;

/// The largest reciprocal of a weight: of one that counts for nothing.
const MOST_GIVE: f64 = 1e12;

/// Context that all families share.
pub(super) struct Families<'a> {
    pub(super) fit: &'a TableTreeFit,
    /// The places of the cells among the numbers of a table.
    table: Part,
    /// The margins of the attributes that have several values, smaller ones first.
    telling: Vec<Axes>,
    numbers: TableNumbers,
    aim: Aim,
}

/// The weights of the estimates of children from their subtrees.
struct Weights {
    /// Of a cell of each child.
    cells: Vec<f64>,
    /// Of each smaller margin, by child.
    margins: Vec<(Axes, Vec<f64>)>,
}

/// A margin of all children, the child changing fastest, and its weight in those of a cell.
struct SoftMargin {
    axes: Axes,
    values: Vec<f64>,
    weight: f64,
    /// The reciprocals of weights by child, if these differ.
    gives: Vec<f64>,
}

impl SoftMargin {
    fn target(&self) -> Target<'_> {
        Target { axes: self.axes, values: &self.values, weight: self.weight, gives: &self.gives }
    }
}

/// One family on its way down.
struct Family<'a> {
    families: &'a Families<'a>,
    /// The parent's margins; none of a root.
    parent: HashMap<Axes, Vec<f64>>,
    /// First position of the children, and how many they are.
    first: usize,
    children: usize,
    /// Numbers of values of the attributes, the children as the last one.
    sizes: Vec<usize>,
    certificate: Certificate,
}

impl<'a> Families<'a> {
    pub(super) fn new(fit: &'a TableTreeFit, numbers: TableNumbers, aim: Aim) -> Self {
        let components = &fit.components;
        let telling = Axes::new(components.all().iter().filter(|&attribute| components.sizes[attribute] > 1)).subsets();
        Self { fit, table: components.part(components.all()), telling, numbers, aim }
    }

    /// The cells of each child of a position that has these cells, one child after the other.
    pub(super) fn divide(&self, position: usize, cells: &[f64]) -> (Vec<f64>, Certificate) {
        let range = self.fit.tree.children(position);
        let (all, sizes) = (self.fit.components.all(), &self.fit.components.sizes);
        let children = range.len();
        if children == 1 {
            return (cells.to_vec(), Certificate::default());
        }
        let parent = all.subsets().into_iter().map(|axes| (axes, Layout::new(sizes, all, axes).sums(cells))).collect();
        let mut family = self.family(range.start, children, parent);
        let wanted = family.wanted(all, &self.table);
        let real = family.project(wanted);
        let cells = match self.numbers {
            TableNumbers::Real => real,
            TableNumbers::Whole => family.integers(real),
        };
        (by_child(&cells, children), family.certificate)
    }

    /// The cells of a root, which have no parent, before they are made whole.
    pub(super) fn root(&self, position: usize) -> (Vec<f64>, Certificate) {
        let mut family = self.family(position, 1, HashMap::new());
        let wanted = family.wanted(self.fit.components.all(), &self.table);
        (family.project(wanted), family.certificate)
    }

    /// The largest margin of a root that is known exactly; that of no attribute if none is.
    pub(super) fn known_of_root(&self, position: usize) -> Axes {
        let known = |axes: &Axes| self.fit.variance_at(position, *axes) == 0.0;
        self.telling.iter().copied().rev().find(known).unwrap_or(Axes::NONE)
    }

    /// Whole numbers next to the cells of a root of which a margin is known exactly: the margins of it and of one more
    /// attribute, of two more and so on, each within the cells of the one before.
    pub(super) fn integer_root(&self, position: usize, cells: &[f64]) -> (Vec<f64>, Certificate) {
        let components = &self.fit.components;
        let (all, sizes) = (components.all(), &components.sizes);
        let sums = |axes: Axes| Layout::new(sizes, all, axes).sums(cells);
        let mut certificate = Certificate::default();
        let mut known = self.known_of_root(position);
        let mut before = exact(&sums(known));
        for attribute in all.less(known).iter() {
            let axes = known.with(attribute);
            let (wanted, layout) = (sums(axes), Layout::new(sizes, axes, known));
            let mut groups: Vec<Vec<usize>> = vec![Vec::new(); layout.cells];
            (0..wanted.len()).for_each(|cell| groups[layout.part_of(cell)].push(cell));
            let mut integers = vec![0.0; wanted.len()];
            // The cells within each cell of the margin before: projected onto its total, then rounded under it.
            for (group, total) in groups.iter().zip(&before) {
                let line: Vec<f64> = group.iter().map(|&cell| wanted[cell]).collect();
                let near = simplex::project(&line, &vec![1.0; line.len()], *total, &Bounds::nonnegative())
                    .expect("finite numbers and a total that is not negative");
                certificate.take_in(near.certificate.unwrap_or_default());
                let rounded = controlled_rounding::line(near.estimates, *total, &mut certificate);
                group.iter().zip(rounded).for_each(|(&cell, rounded)| integers[cell] = rounded);
            }
            (known, before) = (axes, integers);
        }
        (before, certificate)
    }

    fn family(&self, first: usize, children: usize, parent: HashMap<Axes, Vec<f64>>) -> Family<'_> {
        let sizes = [&self.fit.components.sizes[..], &[children]].concat();
        Family { families: self, parent, first, children, sizes, certificate: Certificate::default() }
    }
}

impl Family<'_> {
    /// The attributes of a margin, and the children as one more.
    fn with_children(&self, axes: Axes) -> Axes {
        axes.with(self.sizes.len() - 1)
    }

    fn components(&self) -> &super::components::Components {
        &self.families.fit.components
    }

    /// Variance of a component that the subtree of each child leaves.
    fn below(&self, axes: Axes) -> Vec<f64> {
        let count = self.components().count();
        let of_child = |child: usize| self.families.fit.below[(self.first + child) * count + axes.bits()];
        (0..self.children).map(of_child).collect()
    }

    /// The mean variance of a cell of a margin in the linear fit.
    fn variance(&self, axes: Axes) -> f64 {
        let of_child = |child: usize| self.families.fit.variance_at(self.first + child, axes);
        (0..self.children).map(of_child).sum::<f64>() / self.children as f64
    }

    /// The linear fit of a margin of all children, the child changing fastest.
    fn wanted(&self, axes: Axes, part: &Part) -> Vec<f64> {
        let cells = self.components().cells(axes);
        let mut wanted = vec![0.0; cells * self.children];
        let mut room = [Vec::new(), Vec::new()];
        for child in 0..self.children {
            self.components().join(part, self.families.fit.numbers_at(self.first + child), &mut room);
            for (line, value) in wanted.chunks_exact_mut(self.children).zip(&room[0]) {
                line[child] = *value;
            }
        }
        wanted
    }

    /// The cells of all children.
    fn project(&mut self, values: Vec<f64>) -> Vec<f64> {
        let all = self.components().all();
        let variance = self.variance(all);
        if variance == 0.0 {
            return exact(&values);
        }
        let aimed = match self.families.aim {
            Aim::Fit => values,
            Aim::Shrunk => aims(&FittedMargin { axes: self.with_children(all), values, variance }, false).0,
        };
        let weights = self.weights();
        let largest = weights.cells.iter().copied().fold(0.0, f64::max);
        let is_even = weights.cells.iter().all(|own| (own - largest).abs() <= ROUNDING * largest);
        let slope = |cell: usize| if is_even { 1.0 } else { largest / weights.cells[cell % self.children] };
        let slopes: Vec<f64> = if is_even { Vec::new() } else { (0..aimed.len()).map(slope).collect() };
        let margins = self.margins(&weights, largest);
        let of_parent = self.parent.get(&all).map(|cells| Target::met(all, cells));
        let targets: Vec<Target<'_>> = of_parent.into_iter().chain(margins.iter().map(SoftMargin::target)).collect();
        let outer = self.with_children(all);
        let projection = MarginProjection::new(&self.sizes, outer, &aimed, &targets).weighing(&slopes).solve();
        self.certificate.take_in(projection.certificate);
        projection.cells
    }

    /// The weights of margins that give each component the precision that the subtree of each child has of it.
    ///
    /// A margin `S` of weight `w` gives its component `A` the precision `w / n(S \ A)`. So from the largest margin on,
    /// each weight is the part of the precision of its own component that the larger margins leave, and zero where they
    /// give more.
    fn weights(&self) -> Weights {
        let components = self.components();
        let telling: Vec<Axes> = self.families.telling.iter().copied().rev().collect();
        let mut margins: Vec<(Axes, Vec<f64>)> = Vec::new();
        for &axes in &telling {
            let below = self.below(axes);
            let larger: Vec<(f64, &Vec<f64>)> = margins
                .iter()
                .filter(|(other, _)| other.includes(axes))
                .map(|(other, weights)| (summed(&components.sizes, *other, axes), weights))
                .collect();
            let weight = |child: usize| match below[child] {
                0.0 => f64::INFINITY,
                variance => {
                    let given: f64 = larger.iter().map(|(summed, weights)| weights[child] / summed).sum();
                    (variance.recip() - given).max(0.0)
                }
            };
            margins.push((axes, (0..self.children).map(weight).collect()));
        }
        let (_, cells) = margins.remove(0);
        Weights { cells, margins }
    }

    /// The margins that are to be met as nearly as their weights say, in those of a cell, of which the largest is
    /// given; those that are known exactly, and no others, are met.
    fn margins(&self, weights: &Weights, largest: f64) -> Vec<SoftMargin> {
        let mut margins = Vec::new();
        let weights_of = &weights.margins;
        for (axes, weights) in weights_of {
            let is_known = self.variance(*axes) == 0.0;
            // A margin of one that is met is met, too.
            let is_met = |other: &Axes| other != axes && other.includes(*axes) && self.variance(*other) == 0.0;
            if is_known && weights_of.iter().any(|(other, _)| is_met(other)) {
                continue;
            }
            let most = weights.iter().copied().fold(0.0, f64::max);
            if !is_known && (most <= ROUNDING * largest || most == f64::INFINITY) {
                continue;
            }
            let part = self.components().part(*axes);
            let values = self.wanted(*axes, &part);
            let is_even = weights.iter().all(|own| (own - most).abs() <= ROUNDING * most);
            let gives = match is_known || is_even {
                true => Vec::new(),
                false => weights.iter().map(|own| (largest / own).min(MOST_GIVE)).collect(),
            };
            margins.push(match is_known {
                true => {
                    SoftMargin { axes: self.with_children(*axes), values: exact(&values), weight: f64::INFINITY, gives }
                }
                false => SoftMargin { axes: self.with_children(*axes), values, weight: most / largest, gives },
            });
        }
        margins
    }

    /// Whole numbers next to the cells, with whole margins of the chain of attributes; the child changing fastest.
    fn integers(&mut self, cells: Vec<f64>) -> Vec<f64> {
        let all = self.components().all();
        let sizes = self.sizes.clone();
        let children = sizes.len() - 1;
        let sums = |axes: Axes| Layout::new(&sizes, all.with(children), axes.with(children)).sums(&cells);
        let mut known = Axes::NONE;
        let mut before = match self.variance(Axes::NONE) {
            0.0 => exact(&sums(Axes::NONE)),
            _ => controlled_rounding::line(sums(Axes::NONE), self.parent[&Axes::NONE][0], &mut self.certificate),
        };
        // What is known exactly comes first.
        let is_known = |attribute: &usize| self.variance(Axes::new([*attribute])) == 0.0;
        let (first, others): (Vec<usize>, Vec<usize>) = all.iter().partition(is_known);
        for attribute in first.into_iter().chain(others) {
            let axes = known.with(attribute);
            before = match self.variance(axes) {
                0.0 => exact(&sums(axes)),
                _ => {
                    let wanted = if axes == all { cells.clone() } else { sums(axes) };
                    self.integers_within(axes, known, &wanted, &before)
                }
            };
            known = axes;
        }
        before
    }

    /// A margin made whole within the cells of the one before.
    fn integers_within(&mut self, axes: Axes, known: Axes, wanted: &[f64], before: &[f64]) -> Vec<f64> {
        let outer = self.with_children(axes);
        let targets = [Target::met(axes, &self.parent[&axes]), Target::met(self.with_children(known), before)];
        let near = MarginProjection::new(&self.sizes, outer, wanted, &targets).solve();
        self.certificate.take_in(near.certificate);
        // The cells of the margin that are part of each cell of the one before.
        let layout = Layout::new(&self.sizes, axes, known);
        let mut groups: Vec<Vec<usize>> = vec![Vec::new(); layout.cells];
        for cell in 0..self.parent[&axes].len() {
            groups[layout.part_of(cell)].push(cell);
        }
        let mut integers = vec![0.0; wanted.len()];
        let line = |cell: usize| cell * self.children..(cell + 1) * self.children;
        for (group, cells) in groups.iter().enumerate() {
            let sheet: Vec<f64> = cells.iter().flat_map(|&cell| near.cells[line(cell)].iter().copied()).collect();
            let rows: Vec<f64> = cells.iter().map(|&cell| self.parent[&axes][cell]).collect();
            let columns = &before[line(group)];
            // A table of two sides, children by the parent's cells: controlled rounding under both sums.
            let rounded = controlled_rounding::two_way(sheet, [&rows, columns], &mut self.certificate);
            for (&cell, rounded) in cells.iter().zip(rounded.chunks_exact(self.children)) {
                integers[line(cell)].copy_from_slice(rounded);
            }
        }
        integers
    }
}

/// Cells of which the child changes fastest, one child after the other.
fn by_child(cells: &[f64], children: usize) -> Vec<f64> {
    (0..children).flat_map(|child| cells.iter().skip(child).step_by(children).copied()).collect()
}
