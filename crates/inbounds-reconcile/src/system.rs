//! A sheet and constraints as one system.

use inbounds_project::ProjectError;

use super::{
    cells::Cells,
    constraints::{Constraints, Placed},
    error::{Problem, ReconcileError},
    options::Options,
    sheet::Sheet,
};
use crate::projection::{Demand, Fit, Lattice, Model, Solver, alike, of_demands, of_tree};

/// The model of a measurements file under constraints.
pub(super) fn model(sheet: &Sheet, placed: &Placed, options: &Options) -> Result<Model, ReconcileError> {
    let (mut value, mut variance) = sheet.pooled();
    let in_file = (0..sheet.nodes()).filter_map(|node| Some((node, sheet.fixed(node)?)));
    for (node, exact) in in_file.chain(placed.fixed.iter().copied()) {
        (value[node], variance[node]) = (exact, 0.0);
    }
    let nonnegative = placed.entry.nonnegative;
    let bounds = bounds(sheet, placed, nonnegative);
    let model =
        Model::new(&sheet.tree.parents(), (value, variance), nonnegative, bounds).map_err(|error| match error {
            ProjectError::Cycle { node } => sheet.wrong_node(node, sheet.tree.cycle(node)),
            other => unreachable!("the sheet has placed every node: {other}"),
        })?;
    if options.integer {
        check_countable(sheet, &model, placed.demands.iter().find_map(|demand| demand.total()))?;
    }
    Ok(model)
}

/// The constraints by number of node.
pub(super) fn placed(sheet: &Sheet, constraints: &Constraints) -> Result<Placed, ReconcileError> {
    let mut placed = constraints.on(sheet)?;
    if let Some(cells) = &sheet.cells {
        let (margins, demand): (usize, Box<dyn Demand>) = if cells.is_nested() {
            (cells.nested_margins().len(), Box::new(cells.nested_sums()))
        } else {
            let lattice = cells.lattice();
            (lattice.margins.len(), Box::new(lattice))
        };
        placed.entry.table = Some(cells.entry(margins));
        placed.demands.push(demand);
    }
    if sheet.states_parents || !placed.demands.is_empty() {
        return Ok(placed);
    }
    let problem = "there is no column `parent`, and no constraint relates the nodes to each other";
    Err(ReconcileError::Columns { file: sheet.file.clone(), problem: problem.to_owned() })
}

/// The solver for a model and what is demanded besides. No node may be hopeless.
pub(super) fn solver(
    sheet: &Sheet,
    model: &Model,
    demands: &[Box<dyn Demand>],
    options: &Options,
) -> Result<Box<dyn Solver>, ReconcileError> {
    let fit = options.fit.unwrap_or_default();
    if demands.is_empty() {
        return Ok(of_tree(model, options.integer, fit));
    }
    if options.residuals {
        return of_residuals(sheet, model, demands, options.integer, fit);
    }
    if options.fit.is_some() && !matches!(demands, [demand] if demand.has_fits()) {
        return Err(ReconcileError::Fit);
    }
    of_demands(model, demands, options.integer, fit).map_err(|node| {
        let name = sheet.names().name(node as u32).to_owned();
        match sheet.cells.as_ref().filter(|_| node >= sheet.with_rows) {
            None => sheet.wrong_node(node, Problem::Undetermined { node: name }),
            Some(cells) => ReconcileError::CellWithoutRow {
                file: sheet.file.clone(),
                cell: name,
                remedy: remedy(cells, sheet.with_rows),
            },
        }
    })
}

/// Remedy where a cell has no row.
fn remedy(cells: &Cells, rows: usize) -> String {
    match cells.may_lie_in(rows) {
        None => "; if some combinations cannot occur, say so in the constraints file: with `nested` where the values of one \
                 attribute lie in those of another, else with `possible`"
            .to_owned(),
        Some((inner, outer)) => format!(
            "; each `{inner}` of the file stands with one `{outer}`: if it cannot be in another, write nested = {{ {inner} = \
             \"{outer}\" }} into the constraints file"
        ),
    }
}

/// The solver for residuals of a table, which no other knows.
fn of_residuals(
    sheet: &Sheet,
    model: &Model,
    demands: &[Box<dyn Demand>],
    integer: bool,
    fit: Fit,
) -> Result<Box<dyn Solver>, ReconcileError> {
    let refused = |reason| Err(ReconcileError::Residuals { reason });
    let ([demand], Some(cells)) = (demands, &sheet.cells) else {
        return refused("no constraint but `nonnegative` can stand beside it");
    };
    if fit == Fit::Joint {
        return refused("the fit is top-down or shrunk");
    }
    if let Some(solver) = demand.solver(model, integer, fit) {
        return Ok(solver);
    }
    let Lattice { sizes, margins, .. } = cells.lattice();
    for (_, nodes) in margins.iter().filter(|(axes, _)| axes.iter().all(|axis| sizes[axis] > 1)) {
        let variance = |node: &u32| model.variance[*node as usize];
        let missing = nodes.iter().find(|node| variance(node) == f64::INFINITY).map(|node| (node, "no residual"));
        let unlike = || nodes.iter().find(|node| !alike(variance(node), variance(&nodes[0])));
        if let Some((&node, found)) = missing.or_else(|| Some((unlike()?, "a variance of its own"))) {
            let name = sheet.names().name(node).to_owned();
            return Err(sheet.wrong_node(node as usize, Problem::Residual { node: name, found }));
        }
    }
    refused("of margins with three attributes or more, all must be part of one, and no whole number can be negative")
}

/// Refuses numbers of a size at which doubles do not distinguish whole numbers: solvers deal units one by one.
fn check_countable(sheet: &Sheet, model: &Model, total: Option<f64>) -> Result<(), ReconcileError> {
    const MOST: f64 = (1_u64 << 52) as f64;
    const MOST_NOISE: f64 = (1_u64 << 40) as f64;
    let refuse = |node: usize, end: &'static str, found: f64| {
        let quantity = format!("the {end} of node `{}`", sheet.names().name(node as u32));
        Err(sheet.wrong_node(node, Problem::NotCountable { what: quantity, found }))
    };
    let (mut sum, mut largest) = (0.0, 0);
    for node in 0..model.nodes() {
        let (value, variance) = (model.value[node], model.variance[node]);
        let (lower, upper) = model.limits(node);
        let ends = [("lower bound", lower), ("upper bound", upper), ("value", value)];
        if let Some(&(end, found)) = ends.iter().find(|(_, end)| end.is_finite() && end.abs() >= MOST) {
            return refuse(node, end, found);
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
