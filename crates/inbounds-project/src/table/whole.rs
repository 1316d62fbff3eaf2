//! Margins made whole, each cell rounded up or down where that is possible, so that sums stay right.
//!
//! Cells of a two-way margin under whole margins are a network, whose cheapest rounding `linear::round` finds exactly. A margin of
//! more attributes is read as a two-way one: all attributes but the last, made whole first, by the last. Its cells are projected
//! once more under these whole sums, so that a rounding next to them exists, and rounded.

use std::collections::HashMap;

use super::{
    axes::{Axes, Layout},
    prices::{Prices, Target},
};
use crate::{certificate::Certificate, constraint::Rows, linear};

/// Cells of one attribute with a whole total.
pub(super) fn line(cells: Vec<f64>, total: f64, certificate: &mut Certificate) -> Vec<f64> {
    let triplets: Vec<_> = (0..cells.len()).map(|cell| (0, cell, 1.0)).collect();
    rounded(cells, &triplets, vec![total], certificate)
}

/// Cells of several attributes whose margins of one attribute are whole and `done`.
pub(super) fn sheet(
    sizes: &[usize],
    axes: Axes,
    cells: Vec<f64>,
    done: &HashMap<Axes, Vec<f64>>,
    certificate: &mut Certificate,
) -> Vec<f64> {
    let last = axes.iter().last().expect("a sheet has attributes");
    let (others, last) = (axes.without(last), Axes::of([last]));
    let rows = Layout::new(sizes, axes, others);
    let columns = Layout::new(sizes, axes, last);
    let outer = match others.count() {
        1 => done[&others].clone(),
        _ => sheet(sizes, others, rows.sums(&cells), done, certificate),
    };
    let sides = [(others, &outer), (last, &done[&last])];
    let targets = sides.map(|(axes, values)| Target { axes, values, soft: false });
    let found = Prices::new(sizes, axes, &cells, &targets).solve();
    certificate.take_in(found.certificate);
    let place = |cell: usize| [(rows.part_of(cell), cell, 1.0), (rows.cells + columns.part_of(cell), cell, 1.0)];
    let triplets: Vec<_> = (0..cells.len()).flat_map(place).collect();
    let right = outer.iter().chain(&done[&last]).copied().collect();
    rounded(found.cells, &triplets, right, certificate)
}

/// The cheapest rounding of cells, all of one weight, that keeps the sums.
fn rounded(
    cells: Vec<f64>,
    triplets: &[(usize, usize, f64)],
    right: Vec<f64>,
    certificate: &mut Certificate,
) -> Vec<f64> {
    // What is a rounding off a whole number is that number, and leaves the problem.
    let size = right.iter().fold(1.0, |size: f64, x| size.max(x.abs()));
    let tidy = |x: f64| if (x - x.round()).abs() <= 1e-11 * size { x.round() } else { x };
    let cells: Vec<f64> = cells.into_iter().map(tidy).collect();
    let rows = Rows::from_triplets(cells.len(), triplets, right).expect("finite coefficients of cells that exist");
    let found = linear::round(&cells, &vec![1.0; cells.len()], &rows).expect("two sums a cell are a network");
    match found.certificate {
        Some(own) => certificate.take_in(own),
        None => certificate.feasible(f64::INFINITY, 1.0),
    }
    if found.estimates.is_empty() { cells } else { found.estimates }
}
