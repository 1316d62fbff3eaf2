//! What each number of a statistic is: in words, and as data to filter by.

use inbounds_core::{Quantity, Rational};
use inbounds_data::KeyValue;
use inbounds_statistics::{CellEntry, Output};

use crate::task::{Prepared, Task};

/// What a published or measured number is.
#[derive(Debug, Clone, PartialEq)]
pub struct Label<'a> {
    /// Key of its cell.
    pub key: &'a [KeyValue],
    /// Its name in tables; empty where a cell has one number.
    pub name: String,
    /// What it is.
    pub quantity: Quantity,
    /// Edges of its bin.
    pub bin: Option<[f64; 2]>,
    /// Its level, where the statistic has levels.
    pub level: Option<&'a str>,
}

/// A cell, by its key and its bin.
#[derive(Clone)]
struct Cell<'a> {
    key: &'a [KeyValue],
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
    fn label(&self, own: String, quantity: Quantity, level: Option<&'a str>) -> Label<'a> {
        let name = self.bin.as_ref().map_or(own, |bin| bin.name.clone());
        Label { key: self.key, name, quantity, bin: self.bin.as_ref().map(|bin| bin.edges), level }
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
        let levels = self.prepared.level_of_cells();
        let mut labels = Vec::with_capacity(self.prepared.cells() * outputs.len());
        for (place, cell) in self.by_cell().into_iter().enumerate() {
            let level = levels.get(place).copied();
            let of_output = |output: &Output| cell.label(output.quantity.to_string(), output.quantity.clone(), level);
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
            (None, Prepared::Cells(_)) => by_entry(&cells, &entries, &role, None),
            (None, Prepared::Levels(levels)) => {
                let level = levels.measured_levels().nth(component).expect("a measured level");
                by_entry(&cells[level.cells], &entries, &role, Some(level.name))
            }
        }
    }
}

/// The numbers of a vector that has one or several of each cell.
fn by_entry<'a>(cells: &[Cell<'a>], entries: &[CellEntry], role: &Quantity, level: Option<&'a str>) -> Vec<Label<'a>> {
    let of_entry = |cell: &Cell<'a>, entry: &CellEntry| match entry {
        CellEntry::Only | CellEntry::Named(_) => cell.label(entry.to_string(), role.clone(), level),
        CellEntry::Of(quantity) => cell.label(entry.to_string(), quantity.clone(), level),
        CellEntry::Bin(edges) => {
            let bin = Some(Bin { name: entry.to_string(), edges: *edges });
            Cell { bin, ..cell.clone() }.label(String::new(), role.clone(), level)
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
            Label { key: &[], name, quantity: role.clone(), bin: None, level: None }
        }
    }
}
