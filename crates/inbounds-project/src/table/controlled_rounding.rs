//! Controlled rounding of margins: each cell goes up or down to a whole number where possible, and sums stay right.
//!
//! Cells of a two-way margin under whole margins are a network, whose cheapest rounding `linear::round_sheet` finds
//! exactly, warm-started with the dual variables of `thresholds`. A margin of more attributes is read as a two-way one:
//! all attributes but the last, made whole first, by the last. Its cells are projected once more under these whole
//! sums, so that a rounding next to them exists, and rounded.

use std::collections::HashMap;

use super::{
    axes::{Axes, Layout},
    dual_newton::{MarginProjection, Target},
    thresholds::{Fractions, floor},
};
use crate::{Solution, certificate::Certificate, constraint::Rows, linear};

/// Distance of cells from a whole number that is rounding, as a share of the largest sum.
const ROUNDING: f64 = 1e-11;

/// Cells of one attribute with a whole total.
pub(super) fn line(cells: Vec<f64>, total: f64, certificate: &mut Certificate) -> Vec<f64> {
    let triplets: Vec<_> = (0..cells.len()).map(|cell| (0, cell, 1.0)).collect();
    let cells = tidied(cells, rounding_error([total].iter()));
    let rows =
        Rows::from_triplets(cells.len(), &triplets, vec![total]).expect("finite coefficients of cells that exist");
    let rounded = linear::round(&cells, &vec![1.0; cells.len()], &rows).expect("a sum is a network");
    estimates_or(rounded, cells, certificate)
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
        return two_way(cells, [&done[&others], &done[&last]], certificate);
    }
    let outer = sheet(sizes, others, Layout::new(sizes, axes, others).sums(&cells), done, certificate);
    let sides = [(others, &outer), (last, &done[&last])];
    let targets = sides.map(|(axes, values)| Target::met(axes, values));
    let projection = MarginProjection::new(sizes, axes, &cells, &targets).solve();
    certificate.take_in(projection.certificate);
    two_way(projection.cells, [&outer, &done[&last]], certificate)
}

/// Cells with whole sums of rows and of columns, each rounded up or down.
pub(super) fn two_way(cells: Vec<f64>, sides: [&[f64]; 2], certificate: &mut Certificate) -> Vec<f64> {
    let near = rounding_error(sides.into_iter().flatten());
    let cells = tidied(cells, near);
    let fractions = Fractions::new(&cells, sides);
    let [rows, columns] = &fractions.wanted;
    let rounded =
        linear::round_sheet(&fractions.above, &fractions.places, [rows, columns], &fractions.multipliers(), near);
    let up = estimates_or(rounded, fractions.above, certificate);
    let mut integers: Vec<f64> = cells.iter().map(|cell| floor(*cell)).collect();
    for ([row, column], up) in fractions.places.iter().zip(up) {
        integers[*row as usize * columns.len() + *column as usize] += up;
    }
    integers
}

/// Distance of cells with these sums from a whole number that is rounding.
fn rounding_error<'a>(sums: impl Iterator<Item = &'a f64>) -> f64 {
    ROUNDING * sums.fold(1.0, |size: f64, x| size.max(x.abs()))
}

/// Cells of which each within `near` of a whole number becomes that number, and leaves the problem.
fn tidied(cells: Vec<f64>, near: f64) -> Vec<f64> {
    let tidy = |x: f64| if x == 0.0 || (x - x.round()).abs() > near { x } else { x.round() };
    cells.into_iter().map(tidy).collect()
}

/// The numbers of a rounding, if it is one; otherwise those before it.
fn estimates_or(rounded: Solution, before: Vec<f64>, certificate: &mut Certificate) -> Vec<f64> {
    match rounded.certificate {
        Some(own) => certificate.take_in(own),
        None => certificate.feasible(f64::INFINITY, 1.0),
    }
    if rounded.estimates.is_empty() { before } else { rounded.estimates }
}
