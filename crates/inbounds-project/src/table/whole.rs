//! Margins made whole, each cell rounded up or down where that is possible, so that sums stay right.
//!
//! Cells of a two-way margin under whole margins are a network, whose cheapest rounding `linear::round_sheet` finds
//! exactly, the sooner for the prices of `thresholds`. A margin of more attributes is read as a two-way one: all
//! attributes but the last, made whole first, by the last. Its cells are projected once more under these whole sums, so
//! that a rounding next to them exists, and rounded.

use std::collections::HashMap;

use super::{
    axes::{Axes, Layout},
    prices::{Prices, Target},
    thresholds::{Fractions, floor},
};
use crate::{Solution, certificate::Certificate, constraint::Rows, linear};

/// Distance of cells from a whole number that is rounding, as a share of the largest sum.
const ROUNDING: f64 = 1e-11;

/// Cells of one attribute with a whole total.
pub(super) fn line(cells: Vec<f64>, total: f64, certificate: &mut Certificate) -> Vec<f64> {
    let triplets: Vec<_> = (0..cells.len()).map(|cell| (0, cell, 1.0)).collect();
    let cells = tidied(cells, rounding([total].iter()));
    let rows =
        Rows::from_triplets(cells.len(), &triplets, vec![total]).expect("finite coefficients of cells that exist");
    let found = linear::round(&cells, &vec![1.0; cells.len()], &rows).expect("a sum is a network");
    taken(found, cells, certificate)
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
    let (others, last) = (axes.without(last), Axes::new([last]));
    if others.count() == 1 {
        return rounded(cells, [&done[&others], &done[&last]], certificate);
    }
    let outer = sheet(sizes, others, Layout::new(sizes, axes, others).sums(&cells), done, certificate);
    let sides = [(others, &outer), (last, &done[&last])];
    let targets = sides.map(|(axes, values)| Target::met(axes, values));
    let found = Prices::new(sizes, axes, &cells, &targets).solve();
    certificate.take_in(found.certificate);
    rounded(found.cells, [&outer, &done[&last]], certificate)
}

/// Cells with whole sums of rows and of columns, each rounded up or down.
pub(super) fn rounded(cells: Vec<f64>, sides: [&[f64]; 2], certificate: &mut Certificate) -> Vec<f64> {
    let near = rounding(sides.into_iter().flatten());
    let cells = tidied(cells, near);
    let fractions = Fractions::new(&cells, sides);
    let [rows, columns] = &fractions.wanted;
    let found = linear::round_sheet(&fractions.above, &fractions.places, [rows, columns], &fractions.prices(), near);
    let up = taken(found, fractions.above, certificate);
    let mut whole: Vec<f64> = cells.iter().map(|cell| floor(*cell)).collect();
    for ([row, column], up) in fractions.places.iter().zip(up) {
        whole[*row as usize * columns.len() + *column as usize] += up;
    }
    whole
}

/// Distance of cells with these sums from a whole number that is rounding.
fn rounding<'a>(sums: impl Iterator<Item = &'a f64>) -> f64 {
    ROUNDING * sums.fold(1.0, |size: f64, x| size.max(x.abs()))
}

/// Cells where what is within `near` of a whole number is that number, and leaves the problem.
fn tidied(cells: Vec<f64>, near: f64) -> Vec<f64> {
    let tidy = |x: f64| if x == 0.0 || (x - x.round()).abs() > near { x } else { x.round() };
    cells.into_iter().map(tidy).collect()
}

/// The numbers of a rounding, if it is one; otherwise those before it.
fn taken(found: Solution, before: Vec<f64>, certificate: &mut Certificate) -> Vec<f64> {
    match found.certificate {
        Some(own) => certificate.take_in(own),
        None => certificate.feasible(f64::INFINITY, 1.0),
    }
    if found.estimates.is_empty() { before } else { found.estimates }
}
