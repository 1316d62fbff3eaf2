//! What each number of a statistic is: in words, and as data to filter by.

use inbounds_core::{Quantity, Rational};
use inbounds_data::KeyValue;
use inbounds_statistics::{CellEntry, Output};

use crate::{
    levels::Granularity,
    task::{Prepared, Task},
};

/// The values of grouping columns that tell a cell apart: all of them, or those of some columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key<'a> {
    row: &'a [KeyValue],
    /// The columns that count, in ascending order; all if none are named.
    columns: Option<&'a [usize]>,
}

impl<'a> Key<'a> {
    /// The key of a cell that no column tells apart.
    pub(crate) const NONE: Self = Self { row: &[], columns: None };

    /// All values of a public key.
    pub(crate) fn whole(row: &'a [KeyValue]) -> Self {
        Self { row, columns: None }
    }

    /// The values of some columns of it, which are in ascending order.
    pub(crate) fn part(row: &'a [KeyValue], columns: &'a [usize]) -> Self {
        Self { row, columns: Some(columns) }
    }

    /// The value of the grouping column at a place, if that tells the cell apart.
    pub fn get(self, place: usize) -> Option<&'a KeyValue> {
        let counts = self.columns.is_none_or(|columns| columns.binary_search(&place).is_ok());
        self.row.get(place).filter(|_| counts)
    }

    /// Its values, in the order of their columns.
    pub fn values(self) -> impl Iterator<Item = &'a KeyValue> {
        (0..self.row.len()).filter_map(move |place| self.get(place))
    }
}

/// What a published or measured number is.
#[derive(Debug, Clone, PartialEq)]
pub struct Label<'a> {
    /// Key of its cell.
    pub key: Key<'a>,
    /// Its name in tables; empty where a cell has one number.
    pub name: String,
    /// What it is.
    pub quantity: Quantity,
    /// Edges of its bin.
    pub bin: Option<[f64; 2]>,
    /// Its level or margin, where the statistic has some.
    pub granularity: Option<&'a Granularity>,
}

/// A cell, by its key and its bin.
#[derive(Clone)]
struct Cell<'a> {
    key: Key<'a>,
    bin: Option<Bin>,
}

/// A bin, with the name that it has in tables.
#[derive(Clone)]
struct Bin {
    name: String,
    edges: [f64; 2],
}

impl<'a> Cell<'a> {
    /// One of its numbers, which goes by its bin if it has one, and else by what it is.
    fn label(&self, own: String, quantity: Quantity, granularity: Option<&'a Granularity>) -> Label<'a> {
        let name = self.bin.as_ref().map_or(own, |bin| bin.name.clone());
        Label { key: self.key, name, quantity, bin: self.bin.as_ref().map(|bin| bin.edges), granularity }
    }
}

impl Task {
    /// Every cell in order; bins change fastest.
    fn by_cell(&self) -> Vec<Cell<'_>> {
        let keys = self.keys();
        match self.prepared.ask().edges.filter(|_| self.prepared.cells() > keys.len()) {
            None => keys.into_iter().map(|key| Cell { key, bin: None }).collect(),
            Some(edges) => {
                let bin = |pair: &[Rational]| Bin {
                    name: format!("{} to {}", pair[0], pair[1]),
                    edges: [pair[0].to_f64(), pair[1].to_f64()],
                };
                let bins: Vec<Bin> = edges.windows(2).map(bin).collect();
                let of_key = |key| bins.iter().map(move |bin| Cell { key, bin: Some(bin.clone()) });
                keys.into_iter().flat_map(of_key).collect()
            }
        }
    }

    /// What each estimate is, in their order.
    pub fn labels(&self) -> Vec<Label<'_>> {
        let outputs = self.prepared.outputs();
        let of_cells = self.prepared.granularity_of_cells();
        let mut labels = Vec::with_capacity(self.prepared.cells() * outputs.len());
        for (place, cell) in self.by_cell().into_iter().enumerate() {
            let own = of_cells.get(place).copied();
            let of_output = |output: &Output| cell.label(output.quantity.to_string(), output.quantity.clone(), own);
            labels.extend(outputs.iter().map(of_output));
        }
        labels
    }

    /// What each measured number of a component is, in their order.
    pub fn measured_labels(&self, component: usize) -> Vec<Label<'_>> {
        let cells = self.by_cell();
        let role = self.prepared.components()[component].role.clone();
        let entries = self.prepared.entries(component);
        match (self.prepared.spans(component), &self.prepared) {
            (Some(spans), _) => {
                spans.into_iter().map(|span| of_span(&cells[span.clone()], span.start, &role)).collect()
            }
            (None, Prepared::Cells(_) | Prepared::Learned(_)) => by_entry(&cells, &entries, &role, None),
            (None, Prepared::Levels(levels)) => {
                let level = levels.measured_levels().nth(component).expect("a measured level");
                by_entry(&cells[level.cells], &entries, &role, Some(level.granularity))
            }
        }
    }
}

/// The numbers of a vector that has one or several of each cell.
fn by_entry<'a>(
    cells: &[Cell<'a>],
    entries: &[CellEntry],
    role: &Quantity,
    own: Option<&'a Granularity>,
) -> Vec<Label<'a>> {
    let of_entry = |cell: &Cell<'a>, entry: &CellEntry| match entry {
        CellEntry::Only | CellEntry::Named(_) => cell.label(entry.to_string(), role.clone(), own),
        CellEntry::Of(quantity) => cell.label(entry.to_string(), quantity.clone(), own),
        CellEntry::Bin(edges) => {
            let bin = Some(Bin { name: entry.to_string(), edges: *edges });
            Cell { bin, ..cell.clone() }.label(String::new(), role.clone(), own)
        }
    };
    cells.iter().flat_map(|cell| entries.iter().map(move |entry| of_entry(cell, entry))).collect()
}

/// A number measured of several cells, which goes by their places; that of one cell has its key.
fn of_span<'a>(cells: &[Cell<'a>], start: usize, role: &Quantity) -> Label<'a> {
    match cells {
        [cell] => cell.label(String::new(), role.clone(), None),
        several => {
            let name = format!("cells {} to {}", start + 1, start + several.len());
            Label { key: Key::NONE, name, quantity: role.clone(), bin: None, granularity: None }
        }
    }
}
