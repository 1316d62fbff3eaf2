//! Content of a measurements file, row by row and then as a whole.

use std::path::{Path, PathBuf};

use inbounds_input::{Format, line_at, nearest};
use inbounds_project::table::TableQueries;

use super::{
    cells::{Cells, Structure},
    error::{Place, Problem, ReconcileError},
    names::Names,
    row::{Row, judge},
    totals::TotalLabels,
};
use crate::projection::Measured;

mod named_tree;
mod twins;

pub(super) use named_tree::NamedTree;

/// A whole file: nodes by number in the order in which they are first named, measurements in the order of the rows.
pub(super) struct Sheet {
    pub(super) file: PathBuf,
    pub(super) format: Format,
    /// The nodes; those of a table have no parents.
    pub(super) tree: NamedTree,
    /// Node of each measurement.
    pub(super) measured_nodes: Vec<u32>,
    pub(super) measured: Vec<Measured>,
    /// Exact value of each node, NaN where there is none; empty if no row has one. The bounds likewise.
    fixed: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub(super) rows: u64,
    /// True if the file has a column of parents.
    pub(super) states_parents: bool,
    /// Which cell of a table each node is, if they are.
    pub(super) cells: Option<Cells>,
    /// Number of nodes with a row, where others are cells of margins without one.
    pub(super) with_rows: usize,
}

impl Sheet {
    pub(super) fn new(file: &Path, format: Format) -> Self {
        Self {
            file: file.to_owned(),
            format,
            tree: NamedTree::default(),
            measured_nodes: Vec::new(),
            measured: Vec::new(),
            fixed: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            rows: 0,
            states_parents: true,
            cells: None,
            with_rows: 0,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.tree.len()
    }

    /// The names of the nodes.
    pub(super) fn names(&self) -> &Names {
        &self.tree.names
    }

    /// The exact value of a node as the file states it.
    pub(super) fn fixed(&self, node: usize) -> Option<f64> {
        self.fixed.get(node).copied().filter(|value| !value.is_nan())
    }

    /// The bounds of a node as the file states them; infinite where it does not.
    pub(super) fn bounds(&self, node: usize) -> (f64, f64) {
        (
            self.lower.get(node).copied().unwrap_or(f64::NEG_INFINITY),
            self.upper.get(node).copied().unwrap_or(f64::INFINITY),
        )
    }

    /// `true` if any row states a bound.
    pub(super) fn has_bounds(&self) -> bool {
        !self.lower.is_empty() || !self.upper.is_empty()
    }

    /// Measurements of each node pooled by their variances; variance infinite where there is none.
    pub(super) fn pooled(&self) -> (Vec<f64>, Vec<f64>) {
        let (mut value, mut variance) = (vec![0.0; self.nodes()], vec![f64::INFINITY; self.nodes()]);
        for (&node, measured) in self.measured_nodes.iter().zip(&self.measured) {
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

    /// The same of measurements of the nodes themselves: of residuals only that of the total is one.
    pub(super) fn pooled_of_nodes(&self) -> (Vec<f64>, Vec<f64>) {
        let (value, mut variance) = self.pooled();
        if let Some(cells) = self.cells.as_ref().filter(|cells| cells.queries == TableQueries::Residuals) {
            let others = variance.iter_mut().enumerate().filter(|(node, _)| cells.count(*node) > 0);
            others.for_each(|(_, variance)| *variance = f64::INFINITY);
        }
        (value, variance)
    }

    /// Says that the measurements are residuals.
    pub(super) fn tell_residuals(&mut self) -> Result<(), ReconcileError> {
        let refused = |reason| Err(ReconcileError::Residuals { reason });
        let Some(cells) = &mut self.cells else { return refused("the file must have a column for each attribute") };
        let others = |node: usize| cells.count(node) > 0;
        if !self.lower.is_empty()
            || !self.upper.is_empty()
            || (0..self.fixed.len()).any(|node| others(node) && !self.fixed[node].is_nan())
        {
            return refused("bounds and exact values are those of cells; only the total may be `fixed`");
        }
        cells.queries = TableQueries::Residuals;
        Ok(())
    }

    /// Says that nodes are cells of a table with these attributes, if there are any, or of one at each of several
    /// places.
    pub(super) fn tell_cells(&mut self, attributes: Vec<String>, labels: &TotalLabels, at_places: bool) {
        self.cells = (!attributes.is_empty()).then(|| Cells::new(attributes, labels.clone(), at_places));
    }

    /// The values of the attributes of a row, with `*` in place of labels of totals.
    pub(super) fn read_cell<'a>(&mut self, values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
        let Some(cells) = &mut self.cells else { return Vec::new() };
        values.enumerate().map(|(attribute, value)| cells.read(attribute, value)).collect()
    }

    /// Takes in a row; `cell` are the values of the attributes, if nodes are cells of a table.
    pub(super) fn add(&mut self, row: &Row<'_>, cell: &[&str]) -> Result<(), ReconcileError> {
        self.take(row, cell).map_err(|problem| self.wrong(row.place, problem))
    }

    /// An error at a place of this file.
    pub(super) fn wrong(&self, place: u64, problem: Problem) -> ReconcileError {
        let number = match self.format {
            Format::Csv => line_at(&self.file, place),
            Format::Parquet => place,
        };
        let place = Place { format: self.format, number };
        ReconcileError::Row { file: self.file.clone(), place, problem: Box::new(problem) }
    }

    /// An error at the first row of a node.
    pub(super) fn wrong_node(&self, node: usize, problem: Problem) -> ReconcileError {
        self.wrong(self.tree.first(node), problem)
    }

    fn take(&mut self, row: &Row<'_>, cell: &[&str]) -> Result<(), Problem> {
        if row.node.is_empty() {
            return Err(Problem::NoNode);
        }
        self.rows += 1;
        let (measured, exact) = judge(row)?;
        let node = self.place(row, cell)?;
        if let Some(measured) = measured {
            self.measured_nodes.push(node as u32);
            self.measured.push(measured);
        }
        if let Some(exact) = exact {
            let known = entry(&mut self.fixed, node, f64::NAN);
            if !known.is_nan() && *known != exact {
                return Err(Problem::Contradiction { node: row.node.into(), first: *known, second: exact });
            }
            *known = exact;
        }
        if row.lower.is_some() || row.upper.is_some() {
            let low = entry(&mut self.lower, node, f64::NEG_INFINITY);
            *low = low.max(row.lower.unwrap_or(f64::NEG_INFINITY));
            let high = entry(&mut self.upper, node, f64::INFINITY);
            *high = high.min(row.upper.unwrap_or(f64::INFINITY));
            let (lower, upper) = (self.lower[node], self.upper[node]);
            if lower > upper {
                return Err(Problem::Bounds { node: row.node.into(), lower, upper });
            }
        }
        Ok(())
    }

    /// The number of the row's node.
    fn place(&mut self, row: &Row<'_>, cell: &[&str]) -> Result<usize, Problem> {
        let Some(cells) = &mut self.cells else { return self.tree.place(row.node, row.parent, row.place) };
        let place = cells.take_place(row)?;
        // Places that share a name have longer ones once all rows are in, and the cells with them.
        let numbered = place.map(|place| Cells::name_at(&place.to_string(), cell.iter().copied()));
        let node = self.tree.place(numbered.as_deref().unwrap_or(row.node), "", row.place)?;
        if let Some(place) = place {
            cells.note_place(node, place);
        }
        cells.note(node, row.node, cell.iter().copied())?;
        Ok(node)
    }

    /// The sheet once all rows are in, every node placed.
    pub(super) fn finish(mut self, structure: &Structure) -> Result<Self, ReconcileError> {
        if self.rows == 0 {
            return Err(ReconcileError::Empty { file: self.file });
        }
        self.finish_places()?;
        if let Some(Err((node, problem))) = self.cells.as_mut().map(|cells| cells.tell_structure(structure)) {
            return Err(self.wrong_node(node, problem));
        }
        self.complete().map_err(|problem| self.wrong_node(0, problem))?;
        if let Some((label, cells)) = self.cells.as_ref().and_then(|cells| Some((cells.unread_label()?, cells))) {
            let near =
                nearest(label, cells.values()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(ReconcileError::TotalLabel { label: label.to_owned(), near });
        }
        self.tree.finish().map_err(|(node, problem)| self.wrong_node(node, problem))?;
        Ok(self)
    }

    /// Makes places attributes of the cells at them, and names the cells by the names that places have in the end.
    fn finish_places(&mut self) -> Result<(), ReconcileError> {
        let Some(cells) = &mut self.cells else { return Ok(()) };
        if let Some(attribute) = cells.description() {
            let problem = format!(
                "each node has one value of the column `{attribute}`, which describes nodes and is no attribute of a table: leave it out"
            );
            return Err(ReconcileError::Columns { file: self.file.clone(), problem });
        }
        if let Err((first, problem)) = cells.finish_places() {
            return Err(self.wrong(first, problem));
        }
        let Some(cells) = self.cells.as_ref().filter(|cells| cells.has_places()) else { return Ok(()) };
        let mut tree = NamedTree::default();
        for node in 0..self.tree.len() {
            let name = cells.name_of_node(node);
            if tree.place(&name, "", self.tree.first(node)) != Ok(node) {
                return Err(self.wrong_node(node, Problem::SameCell { name }));
            }
        }
        self.tree = tree;
        Ok(())
    }

    /// Adds the cells of margins that no row has.
    fn complete(&mut self) -> Result<(), Problem> {
        let Some(mut cells) = self.cells.take() else { return Ok(()) };
        self.with_rows = self.tree.len();
        for codes in cells.missing()? {
            let name = cells.add(&codes);
            if self.tree.place(&name, "", self.tree.first(0))? + 1 != cells.nodes() {
                return Err(Problem::SameCell { name });
            }
        }
        self.cells = Some(cells);
        Ok(())
    }
}

/// The entry of a node in a list that grows when it is first needed.
fn entry(list: &mut Vec<f64>, node: usize, nothing: f64) -> &mut f64 {
    if list.len() <= node {
        list.resize(node + 1, nothing);
    }
    &mut list[node]
}
