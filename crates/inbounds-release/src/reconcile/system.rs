//! A sheet and constraints as one system.

use inbounds_project::ProjectError;

use super::{
    constraints::{Constraints, Placed},
    error::{Problem, ReconcileError},
    sheet::Sheet,
};
use crate::projection::Model;

/// The system of a measurements file and a constraints file.
pub(super) fn model(sheet: &Sheet, constraints: &Constraints) -> Result<Model, ReconcileError> {
    let placed = constraints.on(sheet)?;
    let (mut value, mut variance) = pooled(sheet);
    let in_file = (0..sheet.nodes()).filter_map(|node| Some((node, sheet.fixed(node)?)));
    for (node, exact) in in_file.chain(placed.fixed.iter().copied()) {
        (value[node], variance[node]) = (exact, 0.0);
    }
    let nonnegative = constraints.nonnegative;
    let bounds = bounds(sheet, &placed, nonnegative);
    Model::new(&sheet.parents(), (value, variance), nonnegative, bounds).map_err(|error| match error {
        ProjectError::Cycle { node } => sheet.wrong_node(node, cycle(sheet, node)),
        other => unreachable!("the sheet has placed every node: {other}"),
    })
}

/// Measurements of each node pooled by their variances.
pub(super) fn pooled(sheet: &Sheet) -> (Vec<f64>, Vec<f64>) {
    let (mut value, mut variance) = (vec![0.0; sheet.nodes()], vec![f64::INFINITY; sheet.nodes()]);
    for (&node, measured) in sheet.of.iter().zip(&sheet.measured) {
        let node = node as usize;
        if variance[node] == f64::INFINITY {
            (value[node], variance[node]) = (measured.value, measured.variance);
        } else {
            let share = variance[node] / (variance[node] + measured.variance);
            value[node] += share * (measured.value - value[node]);
            variance[node] = share * measured.variance;
        }
    }
    (value, variance)
}

fn bounds(sheet: &Sheet, placed: &Placed, nonnegative: bool) -> Option<(Vec<f64>, Vec<f64>)> {
    if !sheet.has_bounds() && placed.bounds.is_empty() {
        return None;
    }
    let least = if nonnegative { 0.0 } else { f64::NEG_INFINITY };
    let (mut lower, mut upper): (Vec<f64>, Vec<f64>) = (0..sheet.nodes()).map(|node| sheet.bounds(node)).unzip();
    lower.iter_mut().for_each(|lower| *lower = lower.max(least));
    for &(node, low, high) in &placed.bounds {
        lower[node] = lower[node].max(low);
        upper[node] = upper[node].min(high);
    }
    Some((lower, upper))
}

/// The cycle that a node lies on, its first names.
fn cycle(sheet: &Sheet, node: usize) -> Problem {
    const SHOWN: usize = 6;
    let name = |node: usize| sheet.names.name(node as u32).to_owned();
    let mut path = vec![name(node)];
    let mut above = sheet.parent(node).map(|parent| parent as usize);
    while let Some(next) = above.filter(|&next| next != node) {
        if path.len() == SHOWN {
            path.push("...".to_owned());
            break;
        }
        path.push(name(next));
        above = sheet.parent(next).map(|parent| parent as usize);
    }
    path.push(name(node));
    Problem::Cycle { node: name(node), path: path.join(" < ") }
}
