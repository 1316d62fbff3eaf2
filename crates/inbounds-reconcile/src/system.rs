//! A sheet and constraints as one system.

use inbounds_project::ProjectError;

use super::{
    constraints::{Constraints, Placed},
    error::{Problem, ReconcileError},
    sheet::Sheet,
};
use crate::projection::{Demands, Model};

/// The system of a measurements file and a constraints file, for whole numbers or not.
pub(super) fn model(sheet: &Sheet, constraints: &Constraints, whole: bool) -> Result<Model, ReconcileError> {
    if !sheet.states_parents && !constraints.is_general() {
        let problem = "there is no column `parent`, and no constraint says what nodes have to do with each other";
        return Err(ReconcileError::Columns { file: sheet.file.clone(), problem: problem.to_owned() });
    }
    let placed = constraints.on(sheet)?;
    let (mut value, mut variance) = pooled(sheet);
    let in_file = (0..sheet.nodes()).filter_map(|node| Some((node, sheet.fixed(node)?)));
    for (node, exact) in in_file.chain(placed.fixed.iter().copied()) {
        (value[node], variance[node]) = (exact, 0.0);
    }
    if let Some(places) = placed.matrix.as_ref().filter(|places| places.unit_diagonal) {
        for node in (0..sheet.nodes()).filter(|&node| places.of[node].0 == places.of[node].1) {
            (value[node], variance[node]) = (1.0, 0.0);
        }
    }
    if placed.matrix.as_ref().is_some_and(|places| places.unit_diagonal) {
        check_correlations(sheet, &value)?;
    }
    let nonnegative = constraints.nonnegative;
    let bounds = bounds(sheet, &placed, nonnegative);
    let model = Model::new(&sheet.parents(), (value, variance), nonnegative, bounds).map_err(|error| match error {
        ProjectError::Cycle { node } => sheet.wrong_node(node, cycle(sheet, node)),
        other => unreachable!("the sheet has placed every node: {other}"),
    })?;
    if whole {
        check_countable(sheet, &model, placed.total)?;
    }
    let Placed { rows, total, orders, matrix, .. } = placed;
    let demands = Demands { rows, total, orders, matrix, whole };
    if demands.is_empty() || model.hopeless().is_some() {
        return Ok(model);
    }
    let undetermined =
        |node: usize| sheet.wrong_node(node, Problem::Undetermined { node: sheet.names.name(node as u32).to_owned() });
    model.under(demands).map_err(undetermined)
}

/// Refuses what whole numbers in doubles cannot tell apart: solvers deal units one by one.
fn check_countable(sheet: &Sheet, model: &Model, total: Option<f64>) -> Result<(), ReconcileError> {
    const MOST: f64 = (1_u64 << 52) as f64;
    const MOST_NOISE: f64 = (1_u64 << 40) as f64;
    let refuse = |node: usize, what: &'static str, found: f64| {
        let what = format!("the {what} of node `{}`", sheet.names.name(node as u32));
        Err(sheet.wrong_node(node, Problem::NotCountable { what, found }))
    };
    let (mut sum, mut largest) = (0.0, 0);
    for node in 0..model.nodes() {
        let (value, variance) = (model.value[node], model.variance[node]);
        let (lower, upper) = model.limits(node);
        let ends = [("lower bound", lower), ("upper bound", upper), ("value", value)];
        if let Some(&(what, found)) = ends.iter().find(|(_, end)| end.is_finite() && end.abs() >= MOST) {
            return refuse(node, what, found);
        }
        let deviation = libm::sqrt(variance);
        if deviation.is_finite() && deviation > MOST_NOISE {
            return refuse(node, "standard deviation", deviation);
        }
        sum += value.abs();
        if value.abs() > model.value[largest].abs() {
            largest = node;
        }
    }
    match total.filter(|total| total.abs() >= MOST) {
        Some(found) => Err(sheet.wrong_node(0, Problem::NotCountable { what: "the known total".to_owned(), found })),
        None if sum >= MOST => refuse(largest, "value", model.value[largest]),
        None => Ok(()),
    }
}

/// Refuses entries beside which the ones on the diagonal are lost in rounding.
fn check_correlations(sheet: &Sheet, value: &[f64]) -> Result<(), ReconcileError> {
    const MOST: f64 = 1e6;
    match value.iter().position(|value| value.abs() > MOST) {
        None => Ok(()),
        Some(node) => {
            let name = sheet.names.name(node as u32).to_owned();
            Err(sheet.wrong_node(node, Problem::NotACorrelation { node: name, found: value[node], most: MOST }))
        }
    }
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
