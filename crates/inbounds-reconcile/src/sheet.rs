//! Content of a measurements file, row by row and then as a whole.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use inbounds_input::{Format, line_at, nearest};
use inbounds_project::table::TableQueries;

use super::{
    cells::Cells,
    error::{Place, Problem, ReconcileError},
    names::{MOST, Names},
    row::{Row, judge},
    totals::TotalLabels,
};
use crate::projection::Measured;

mod twins;

/// Parent of a root.
const ROOT: u32 = u32::MAX;
/// Parent of a node that no row has placed.
const UNPLACED: u32 = u32::MAX - 1;

/// A whole file: nodes by number in the order in which they are first named, measurements in the order of the rows.
pub(super) struct Sheet {
    pub(super) file: PathBuf,
    pub(super) format: Format,
    pub(super) names: Names,
    parents: Vec<u32>,
    /// First place of each node.
    places: Vec<u64>,
    /// Node of each measurement.
    pub(super) of: Vec<u32>,
    pub(super) measured: Vec<Measured>,
    /// Exact value of each node, NaN where there is none; empty if no row has one. The bounds likewise.
    fixed: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub(super) rows: u64,
    /// True if the file has a column of parents.
    pub(super) states_parents: bool,
    last_parent: Option<u32>,
    /// Nodes that share a name, by the number of the first of them, which comes first.
    twins: BTreeMap<u32, Vec<u32>>,
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
            names: Names::default(),
            parents: Vec::new(),
            places: Vec::new(),
            of: Vec::new(),
            measured: Vec::new(),
            fixed: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            rows: 0,
            states_parents: true,
            last_parent: None,
            twins: BTreeMap::new(),
            cells: None,
            with_rows: 0,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.names.len()
    }

    /// Number of the parent of each node; none for a root.
    pub(super) fn parents(&self) -> Vec<Option<u32>> {
        self.parents.iter().map(|&parent| (parent != ROOT).then_some(parent)).collect()
    }

    /// Number of the parent of a node; none for a root.
    pub(super) fn parent(&self, node: usize) -> Option<u32> {
        (self.parents[node] != ROOT).then_some(self.parents[node])
    }

    /// `true` if any node has a parent.
    pub(super) fn has_parents(&self) -> bool {
        self.parents.iter().any(|&parent| parent != ROOT)
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
        for (&node, measured) in self.of.iter().zip(&self.measured) {
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

    /// Says that nodes are cells of a table with these attributes, if there are any.
    pub(super) fn tell_cells(&mut self, attributes: Vec<String>, labels: &TotalLabels) {
        self.cells = (!attributes.is_empty()).then(|| Cells::new(attributes, labels.clone()));
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
        self.wrong(self.places[node], problem)
    }

    fn take(&mut self, row: &Row<'_>, cell: &[&str]) -> Result<(), Problem> {
        if row.node.is_empty() {
            return Err(Problem::NoNode);
        }
        self.rows += 1;
        let (measured, exact) = judge(row)?;
        let node = self.place(row)?;
        if let Some(cells) = &mut self.cells {
            cells.note(node, row.node, cell.iter().copied())?;
        }
        if let Some(measured) = measured {
            self.of.push(node as u32);
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

    /// The number of the row's node, placed below the row's parent.
    fn place(&mut self, row: &Row<'_>) -> Result<usize, Problem> {
        let node = self.number(row.node)? as usize;
        let parent = match (row.parent, self.last_parent) {
            ("", _) => ROOT,
            // Children of one node mostly stand together.
            (name, Some(last)) if self.names.name(last) == name => last,
            (name, _) => {
                let number = self.number(name)?;
                self.last_parent = Some(number);
                number
            }
        };
        let known = &mut self.parents[node];
        if *known == UNPLACED {
            *known = parent;
            self.places[node] = row.place;
        }
        if self.parents[node] == parent { Ok(node) } else { self.place_twin(node as u32, parent, row) }
    }

    /// The node of the same name below another parent.
    fn place_twin(&mut self, first: u32, parent: u32, row: &Row<'_>) -> Result<usize, Problem> {
        let known = self.twins.get(&first).into_iter().flatten().copied();
        if let Some(twin) = known.into_iter().find(|&twin| self.parents[twin as usize] == parent) {
            return Ok(twin as usize);
        }
        let twin = self.names.another(row.node).ok_or(Problem::TooMany { most: MOST })?;
        self.parents.push(parent);
        self.places.push(row.place);
        self.twins.entry(first).or_insert_with(|| vec![first]).push(twin);
        Ok(twin as usize)
    }

    fn number(&mut self, name: &str) -> Result<u32, Problem> {
        let number = self.names.number(name).ok_or(Problem::TooMany { most: MOST })?;
        if number as usize == self.parents.len() {
            self.parents.push(UNPLACED);
            self.places.push(0);
        }
        Ok(number)
    }

    /// The sheet once all rows are in, every node placed.
    pub(super) fn finish(mut self, nesting: &[(String, String)]) -> Result<Self, ReconcileError> {
        if self.rows == 0 {
            return Err(ReconcileError::Empty { file: self.file });
        }
        if let Some(Err((node, problem))) = self.cells.as_mut().map(|cells| cells.tell_nesting(nesting)) {
            return Err(self.wrong_node(node, problem));
        }
        self.complete().map_err(|problem| self.wrong_node(0, problem))?;
        if let Some((label, cells)) = self.cells.as_ref().and_then(|cells| Some((cells.unread_label()?, cells))) {
            let near =
                nearest(label, cells.values()).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(ReconcileError::TotalLabel { label: label.to_owned(), near });
        }
        let orphan = |&parent: &u32| parent < UNPLACED && self.parents[parent as usize] == UNPLACED;
        if let Some(node) = self.parents.iter().position(orphan) {
            let parent = self.names.name(self.parents[node]).to_owned();
            let problem = Problem::Orphan { node: self.names.name(node as u32).to_owned(), parent };
            return Err(self.wrong_node(node, problem));
        }
        twins::resolve(&mut self)?;
        Ok(self)
    }
}

impl Sheet {
    /// Adds the cells of margins that no row has.
    fn complete(&mut self) -> Result<(), Problem> {
        let Some(mut cells) = self.cells.take() else { return Ok(()) };
        self.with_rows = self.parents.len();
        for values in cells.missing()? {
            let values = || values.iter().map(String::as_str);
            let name = Cells::name(values());
            let node = self.number(&name)? as usize;
            self.parents[node] = ROOT;
            self.places[node] = self.places[0];
            cells.note(node, &name, values())?;
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
