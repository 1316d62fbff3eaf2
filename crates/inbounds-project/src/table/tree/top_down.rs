//! From the roots down: the table of each root first, then family by family.

use std::{num::NonZero, thread};

use super::{
    super::{
        axes::{Axes, Layout},
        linear::FittedMargin,
        top_down::{TableNumbers, TableRefusal, solve},
    },
    family::Families,
    linear::TableTreeFit,
};
use crate::{
    certificate::{Certificate, Status},
    shrink::Aim,
};

/// Estimates of all tables of a tree.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TableTreeSolution {
    /// Status of the solver.
    pub status: Status,
    /// The cells of the table of each node, node by node, the last attribute moving fastest.
    pub cells: Vec<f64>,
    /// Certificate of each projection, given the ones before.
    pub certificate: Certificate,
}

/// Why tables cannot be solved from the roots down.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableTreeRefusal {
    /// A table whose cells no measurement tells.
    #[error("the cells of node {0} are told by no measurement")]
    Untold(usize),
    /// A margin that is exact in some nodes of a family alone.
    #[error("the margin {1} of node {0} is exact, and that of another node of its family is not")]
    Partly(usize, Axes),
    /// Exact margins of which neither is part of the other.
    #[error("of node {0} two margins are exact of which neither is part of the other")]
    Exact(usize),
    /// A root that cannot be solved, or an exact cell that is negative or not whole.
    #[error("node {0}: {1}")]
    Table(usize, TableRefusal),
}

/// Estimates of all tables that are not negative and add up.
///
/// # Contract
/// From the roots on, the children of each node divide its cells: with `X` the table of the parent, `x_c` that of child
/// `c`, `y_c` its linear fit, `M_S` the sums that a margin `S` is, and `n(S \ A)` as in [`linear`](super::linear()),
/// they minimise
///
/// ```text
/// sum over children c and margins S of w_{c,S} |M_S (x_c - y_c)|^2    over x >= 0 with sum_c x_c = X
/// w_{c,A} = max(0, 1 / s_{c,A} - sum over larger S of w_{c,S} / n(S \ A))
/// ```
///
/// where `s_{c,A}` is the variance that the subtree of `c` leaves of its component `A`: the square distance in which
/// the children's own measurements, theirs and those below them, know them, except where larger margins say more of a
/// component than is known. Margins that are known exactly are met. A root is the same without a parent.
///
/// `Whole` estimates are whole numbers next to those: the totals, then the margins of the first attribute, of the first
/// two and so on, those that are known first, are projected under the parent's and under the one before, and rounded so
/// that both are kept. Every table is the sum of its children, exactly for whole numbers and otherwise up to rounding.
///
/// # Errors
/// [`TableTreeRefusal`]: all cells have to be told; what is exact of a node has to be one margin and those of it, and
/// the same of all nodes of a family.
///
/// # Example
/// ```
/// use inbounds_project::{constraint::tree::Tree, table::{Axes, MeasuredMargin, TableNumbers, tree::{self, TableTree}}};
/// let shape = Tree::from_parents(&[None, Some(0), Some(0)])?;
/// let cells = |values: [f64; 2]| vec![MeasuredMargin { axes: Axes::new([0]), values: values.to_vec(), variance: 2.0 }];
/// let measured = vec![cells([9.0, 4.0]), cells([3.0, -3.0]), cells([5.0, 5.0])];
/// let fit = tree::linear(&TableTree::new(vec![2], shape, measured)?).expect("nothing is exact");
/// let found = tree::top_down(&fit, TableNumbers::Whole).expect("cells were measured");
/// assert_eq!(found.cells, [9.0, 3.0, 4.0, 0.0, 5.0, 3.0]);
/// # Ok::<(), inbounds_project::ProjectError>(())
/// ```
pub fn top_down(fit: &TableTreeFit, numbers: TableNumbers) -> Result<TableTreeSolution, TableTreeRefusal> {
    solved(fit, numbers, Aim::Fit)
}

/// [`top_down()`] with margins that aim at shrunk numbers, as in [`shrunk_from`](super::super::shrunk_from): in each
/// family a margin of the children is taken for numbers from one law.
///
/// # Errors
/// As [`top_down()`].
pub fn shrunk(fit: &TableTreeFit, numbers: TableNumbers) -> Result<TableTreeSolution, TableTreeRefusal> {
    solved(fit, numbers, Aim::Shrunk)
}

fn solved(fit: &TableTreeFit, numbers: TableNumbers, aim: Aim) -> Result<TableTreeSolution, TableTreeRefusal> {
    check(fit, numbers)?;
    let (tree, components) = (&fit.tree, &fit.components);
    let table = components.cells(components.all());
    let mut cells = vec![0.0; tree.nodes() * table];
    let mut certificate = Certificate::default();
    let families = Families::new(fit, numbers, aim);
    for root in tree.roots() {
        let (mut root_cells, own) = families.root(root);
        certificate.take_in(own);
        if numbers == TableNumbers::Whole && families.known_of_root(root).count() > 1 {
            let (integers, own) = families.integer_root(root, &root_cells);
            certificate.take_in(own);
            root_cells = integers;
        } else if numbers == TableNumbers::Whole {
            // Margins that agree, and of which none is negative, are projected to themselves and rounded.
            let margins = margins(fit, root, &root_cells);
            let solved = solve(&components.sizes, &margins, numbers, Aim::Fit)
                .map_err(|refusal| TableTreeRefusal::Table(tree.node(root), refusal))?;
            certificate.take_in(solved.certificate);
            root_cells = solved.margins.into_iter().last().expect("a table has margins");
        }
        cells[root * table..(root + 1) * table].copy_from_slice(&root_cells);
    }
    let mut next = tree.roots();
    // Level by level; the families of a level share nothing.
    while !next.is_empty() {
        let parents: Vec<usize> = next.clone().filter(|&position| !tree.is_leaf(position)).collect();
        let Some((first, last)) = parents.first().zip(parents.last()) else { break };
        let children = tree.children(*first).start..tree.children(*last).end;
        let (above, below) = cells.split_at_mut(children.start * table);
        certificate.take_in(divide(&families, &parents, above, &mut below[..children.len() * table], table));
        next = children;
    }
    let cells = (0..tree.nodes()).flat_map(|node| {
        let position = fit.positions[node] as usize;
        &cells[position * table..(position + 1) * table]
    });
    Ok(TableTreeSolution { status: certificate.status(), cells: cells.copied().collect(), certificate })
}

/// Fewer cells than these are divided by one thread: others would take longer to begin.
const ALONE: usize = 200_000;

/// Divides the tables of the parents of a level among their children, on all processors.
fn divide(families: &Families<'_>, parents: &[usize], above: &[f64], below: &mut [f64], table: usize) -> Certificate {
    let most = if below.len() < ALONE { 1 } else { parents.len() };
    let threads = thread::available_parallelism().map_or(1, NonZero::get).min(most);
    // One part of the output for each family, so that threads share nothing.
    let mut rooms = Vec::with_capacity(parents.len());
    let mut rest = below;
    for &parent in parents {
        let (own, others) = rest.split_at_mut(families.fit.tree.children(parent).len() * table);
        rooms.push((parent, own));
        rest = others;
    }
    let one = |(parent, room): (usize, &mut [f64])| {
        let (cells, certificate) = families.divide(parent, &above[parent * table..(parent + 1) * table]);
        room.copy_from_slice(&cells);
        certificate
    };
    if threads < 2 {
        return rooms.into_iter().map(one).fold(Certificate::default(), both);
    }
    // Each thread takes the next family that waits, until none is left.
    let waiting = std::sync::Mutex::new(rooms.into_iter());
    thread::scope(|scope| {
        let work = || {
            let mut certificate = Certificate::default();
            loop {
                let next = waiting.lock().expect("no family panics").next();
                let Some(family) = next else { return certificate };
                certificate.take_in(one(family));
            }
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let done = running.into_iter().map(|thread| thread.join().expect("no family panics"));
        done.fold(Certificate::default(), both)
    })
}

fn both(mut one: Certificate, other: Certificate) -> Certificate {
    one.take_in(other);
    one
}

/// All margins of the cells of a position, smaller ones first, with the variances of the fit.
fn margins(fit: &TableTreeFit, position: usize, cells: &[f64]) -> Vec<FittedMargin> {
    let (all, sizes) = (fit.components.all(), &fit.components.sizes);
    let margin = |axes: Axes| {
        let values = Layout::new(sizes, all, axes).sums(cells);
        FittedMargin { axes, values, variance: fit.variance_at(position, axes) }
    };
    all.subsets().into_iter().map(margin).collect()
}

/// Checks that [`top_down()`] accepts a fit, without solving.
///
/// # Errors
/// [`TableTreeRefusal`], as [`top_down()`].
pub fn check(fit: &TableTreeFit, numbers: TableNumbers) -> Result<(), TableTreeRefusal> {
    let (tree, components) = (&fit.tree, &fit.components);
    let all = components.all();
    // An attribute of one value distinguishes nothing.
    let telling = Axes::new(all.iter().filter(|&attribute| components.sizes[attribute] > 1));
    let exact = |position: usize| -> Vec<Axes> {
        telling.subsets().into_iter().filter(|axes| fit.variance_at(position, *axes) == 0.0).collect()
    };
    let is_family = |position: usize| !tree.roots().contains(&position);
    let mut before: Option<(usize, Vec<Axes>)> = None;
    let parents = tree.parents();
    for position in 0..tree.nodes() {
        // Each table must be determined by measurements, and its largest exact margin must have all others; exact cells
        // must be admissible.
        let node = tree.node(position);
        if fit.variance_at(position, all) == f64::INFINITY {
            return Err(TableTreeRefusal::Untold(node));
        }
        let exact = exact(position);
        if exact.last().is_some_and(|known| !exact.iter().all(|axes| known.includes(*axes))) {
            return Err(TableTreeRefusal::Exact(node));
        }
        for axes in &exact {
            let values =
                super::super::top_down::exact(&fit.margin(node, *axes).map_or_else(Vec::new, |margin| margin.values));
            let is_wrong = |x: &f64| *x < 0.0 || (numbers == TableNumbers::Whole && x.fract() != 0.0);
            if values.iter().any(is_wrong) {
                return Err(TableTreeRefusal::Table(node, TableRefusal::Exact(*axes)));
            }
        }
        // Siblings must have the same exact margins.
        if let Some((other, known)) = &before
            && is_family(position)
            && is_family(*other)
            && parents[*other] == parents[position]
            && *known != exact
        {
            let apart =
                known.iter().find(|axes| !exact.contains(axes)).or(exact.iter().find(|axes| !known.contains(axes)));
            return Err(TableTreeRefusal::Partly(node, apart.copied().unwrap_or(Axes::NONE)));
        }
        before = Some((position, exact));
    }
    Ok(())
}
