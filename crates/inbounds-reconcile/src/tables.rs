//! The tables of the bundle, in blocks of rows, so that no table is ever whole in memory.

use std::{borrow::Cow, ops::Range, sync::Arc};

use arrow_array::{ArrayRef, Float64Array, Int64Array, StringArray, UInt32Array, UInt64Array};
use inbounds_bundle::{
    BundleError, ColumnSink, FileEntry, PartialBundle, ReconcileManifest, TidyColumns, TidyTable, join, write_blocks,
};

use super::{
    error::ReconcileError,
    fairness::FairnessRow,
    outcome::{EstimationError, Node, Outcome},
    sheet::Sheet,
};
/// Rows of a block.
const BLOCK: usize = 1 << 16;

/// Writes all files of the bundle, both large tables at a time, and returns the manifest with their digests.
pub(super) fn write(
    outcome: &Outcome,
    partial: &PartialBundle,
    fairness: &[FairnessRow],
    mut manifest: ReconcileManifest,
) -> Result<ReconcileManifest, ReconcileError> {
    let measurements = Measurements::from_sheet(&outcome.sheet);
    let (measured, estimated) = join(
        || write_table(partial, measurements.len(), |range| measurements.block(range)),
        || write_table(partial, outcome.model.nodes(), |range| estimates(outcome, range)),
    );
    manifest.files.extend(measured?);
    manifest.files.extend(estimated?);
    manifest.files.push(self::fairness(fairness)?.write_csv(partial)?);
    partial.write(ReconcileManifest::FILE, &manifest.to_json())?;
    #[cfg(feature = "page")]
    inbounds_report::put_page(partial)?;
    Ok(manifest)
}

/// Writes a table of `rows` rows, block by block.
fn write_table(
    partial: &PartialBundle,
    rows: usize,
    block: impl Fn(Range<usize>) -> Result<TidyTable, BundleError>,
) -> Result<Vec<FileEntry>, BundleError> {
    let others = (BLOCK..rows).step_by(BLOCK).map(|begin| block(begin..rows.min(begin + BLOCK)));
    write_blocks(partial, block(0..rows.min(BLOCK))?, others)
}

/// The measurements as they were read, in the form of a measurements file: one row a measurement, one for a node
/// without.
struct Measurements<'a> {
    sheet: &'a Sheet,
    /// Measurements sorted by node; none if they are.
    sorted: Option<Vec<u32>>,
    /// Node of each row and its measurement; none if every node has exactly one row.
    rows: Vec<(u32, u32)>,
}

const NOTHING: u32 = u32::MAX;

impl<'a> Measurements<'a> {
    fn from_sheet(sheet: &'a Sheet) -> Self {
        let sorted = (!sheet.measured_nodes.is_sorted()).then(|| {
            let mut order: Vec<u32> = (0..sheet.measured_nodes.len() as u32).collect();
            order.sort_by_key(|&index| sheet.measured_nodes[index as usize]);
            order
        });
        let mut measurements = Self { sheet, sorted, rows: Vec::new() };
        let mut next = 0;
        for node in 0..sheet.nodes() as u32 {
            let before = next;
            while next < sheet.measured_nodes.len() && sheet.measured_nodes[measurements.index(next)] == node {
                measurements.rows.push((node, measurements.index(next) as u32));
                next += 1;
            }
            if next == before {
                measurements.rows.push((node, NOTHING));
            }
        }
        measurements
    }

    fn index(&self, place: usize) -> usize {
        self.sorted.as_ref().map_or(place, |order| order[place] as usize)
    }

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn block(&self, range: Range<usize>) -> Result<TidyTable, BundleError> {
        let sheet = self.sheet;
        let rows = &self.rows[range.clone()];
        let measured = |&(_, index): &(u32, u32)| sheet.measured.get(index as usize);
        let stated = |row: &(u32, u32)| measured(row).and_then(|measured| measured.noise);
        // Figures of the node itself stand in its first row.
        let is_first = |index: usize| {
            let place = range.start + index;
            place == 0 || self.rows[place - 1].0 != self.rows[place].0
        };
        let of_node = |value: &dyn Fn(usize) -> Option<f64>| {
            let entries = rows.iter().enumerate();
            let entries = entries.map(|(index, &(node, _))| value(node as usize).filter(|_| is_first(index)));
            Arc::new(Float64Array::from_iter(entries)) as ArrayRef
        };
        let finite = |bound: f64| bound.is_finite().then_some(bound);
        let mut columns = TidyColumns::new("measurements");
        names(&mut columns, sheet, rows.iter().map(|&(node, _)| node as usize), Naming::AsInput);
        let value = Float64Array::from_iter(rows.iter().map(|row| measured(row).map(|measured| measured.value)));
        columns.push("value", "", "the measurement", Arc::new(value), true);
        let variance = Float64Array::from_iter(rows.iter().map(|row| measured(row).map(|measured| measured.variance)));
        columns.push("variance", "", "variance of its noise", Arc::new(variance), true);
        let law = StringArray::from_iter(rows.iter().map(|row| stated(row).map(|(law, _)| law.name())));
        columns.push("law", "", "law of its noise, if the input stated it", Arc::new(law), true);
        let scale = Float64Array::from_iter(rows.iter().map(|row| stated(row).map(|(_, scale)| scale)));
        columns.push("scale", "", "scale of the law", Arc::new(scale), true);
        columns.push("fixed", "", "exact value of the node", of_node(&|node| sheet.fixed(node)), true);
        columns.push("lower", "", "lower bound of the node", of_node(&|node| finite(sheet.bounds(node).0)), true);
        columns.push("upper", "", "upper bound of the node", of_node(&|node| finite(sheet.bounds(node).1)), true);
        columns.finish()
    }
}

/// Columns by which a table names the node of a row.
#[derive(Clone, Copy, PartialEq)]
enum Naming {
    /// As an input of its kind does.
    AsInput,
    /// A cell of a table by its name, too.
    AndName,
}

/// Names of nodes and of their parents, or their values of attributes.
fn names(columns: &mut TidyColumns, sheet: &Sheet, nodes: impl Iterator<Item = usize> + Clone, naming: Naming) {
    let as_input = naming == Naming::AsInput;
    if let Some(cells) = &sheet.cells {
        if as_input && cells.has_places() {
            let places = || nodes.clone().map(|node| cells.place_and_parent(node));
            let place = StringArray::from_iter(places().map(|place| Some(place?.0)));
            columns.push("node", "", "name of the node that the cell is at", Arc::new(place), false);
            let parent = StringArray::from_iter(places().map(|place| place?.1));
            columns.push("parent", "", "name of its parent; empty for a root", Arc::new(parent), true);
        }
        for (attribute, title) in cells.attributes.iter().enumerate().skip(if as_input { cells.levels() } else { 0 }) {
            let values = StringArray::from_iter(nodes.clone().map(|node| cells.value(node, attribute)));
            let (title, says) = match (as_input, attribute < cells.levels()) {
                (true, _) => (title.into(), SUMMED_OVER),
                (false, false) => (in_estimates(title), SUMMED_OVER),
                (false, true) => {
                    (title.into(), "node of this level that the cell is at or below; empty at nodes above")
                }
            };
            columns.push(&title, "", says, Arc::new(values), true);
        }
    }
    // Input tells nodes that share a name by their parents, so that it can be read again.
    let called = |node: u32| if as_input { sheet.names().plain(node) } else { sheet.names().name(node) };
    if sheet.cells.is_none() || !as_input {
        let name = StringArray::from_iter_values(nodes.clone().map(|node| called(node as u32)));
        columns.push("node", "", "name of the node", Arc::new(name), false);
    }
    if sheet.cells.is_none() {
        let parent = nodes.map(|node| sheet.tree.parent(node).map(called));
        let parent = Arc::new(StringArray::from_iter(parent));
        columns.push("parent", "", "name of its parent; empty for a root", parent, true);
    }
}

const SUMMED_OVER: &str = "value of the attribute; empty where it is summed over";

/// Title of an attribute's column in the estimates: a prefix keeps it distinct from the columns of the estimates.
pub(super) fn in_estimates(attribute: &str) -> Cow<'_, str> {
    if OF_ESTIMATES.contains(&attribute) { format!("attribute_{attribute}").into() } else { attribute.into() }
}

/// The columns of estimates that attributes may be called like.
const OF_ESTIMATES: [&str; 10] = [
    "level",
    "estimate",
    "interval_lower",
    "interval_upper",
    "bias_at_estimate",
    "bias_error",
    "rmse_at_estimate",
    "rmse_error",
    "measurement",
    "measurement_variance",
];

/// One row a node, in the order in which the input names them.
fn estimates(outcome: &Outcome, range: Range<usize>) -> Result<TidyTable, BundleError> {
    let mut columns = TidyColumns::new("estimates");
    names(&mut columns, &outcome.sheet, range.clone(), Naming::AndName);
    let level = UInt32Array::from_iter_values(range.clone().map(|node| outcome.level(node)));
    columns.push("level", "", "steps to the root; in a table, attributes with a value", Arc::new(level), false);
    let nodes: Vec<Node<'_>> = range.map(|node| outcome.node(node)).collect();
    let is_integer = outcome.is_whole();
    let estimate: ArrayRef = if is_integer {
        Arc::new(Int64Array::from_iter_values(nodes.iter().map(|node| node.estimate as i64)))
    } else {
        Arc::new(Float64Array::from_iter_values(nodes.iter().map(|node| node.estimate)))
    };
    columns.push("estimate", "", "value that adds up and satisfies the constraints", estimate, false);
    let mut number = |name: &str, description: &str, entry: &dyn Fn(&Node<'_>) -> Option<f64>| {
        columns.push(name, "", description, Arc::new(Float64Array::from_iter(nodes.iter().map(entry))), true);
    };
    number("interval_lower", "lower end of the interval, valid after the constraint", &|node| {
        node.interval.map(|ends| ends.0)
    });
    number("interval_upper", "upper end of the interval", &|node| node.interval.map(|ends| ends.1));
    let error = |entry: fn(EstimationError) -> f64| move |node: &Node<'_>| node.error.map(entry);
    number(
        "bias_at_estimate",
        "expected estimate minus truth, were the truth the estimate",
        &error(|error| error.bias),
    );
    number("bias_error", "Monte Carlo standard error of the bias", &error(|error| error.bias_error));
    number("rmse_at_estimate", "root mean square error, were the truth the estimate", &error(|error| error.rmse));
    number("rmse_error", "Monte Carlo standard error of the RMSE", &error(|error| error.rmse_error));
    number("measurement", "measurements of the node, pooled", &|node| node.measured.map(|(value, _)| value));
    number("measurement_variance", "variance of the pooled measurement", &|node| node.measured.map(|pooled| pooled.1));
    columns.finish()
}

/// The fairness table.
fn fairness(rows: &[FairnessRow]) -> Result<TidyTable, BundleError> {
    let mut columns = TidyColumns::new("fairness");
    let text = |entry: fn(&FairnessRow) -> &str| Arc::new(StringArray::from_iter_values(rows.iter().map(entry)));
    let number = |entry: fn(&FairnessRow) -> f64| Arc::new(Float64Array::from_iter_values(rows.iter().map(entry)));
    columns.push("nodes", "", "leaves or inner nodes", text(|row| row.nodes), false);
    columns.push("by", "", "what the class is a class of", text(|row| row.by.name()), false);
    columns.push("class", "", "the class", text(|row| &row.class), false);
    let counts = UInt64Array::from_iter_values(rows.iter().map(|row| row.count as u64));
    columns.push("count", "", "nodes in the class", Arc::new(counts), false);
    columns.push("mean_bias", "", "mean bias of the nodes", number(|row| row.mean_bias), false);
    columns.push("mean_bias_error", "", "its Monte Carlo standard error", number(|row| row.mean_bias_error), false);
    columns.push("mean_variance", "", "mean variance of the estimates", number(|row| row.mean_variance), false);
    let measured = Float64Array::from_iter(rows.iter().map(|row| row.mean_measured_variance));
    columns.push("mean_measured_variance", "", "the same of the nodes' own measurements", Arc::new(measured), true);
    columns.finish()
}
