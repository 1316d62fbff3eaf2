//! Labels of each number of a statistic: in words, and as data to filter by.

use std::{borrow::Cow, ops::Range};

use inbounds_core::{Quantity, Rational};
use inbounds_statistics::CellEntry;

use crate::{
    cell_keys::CellKeys,
    key::Key,
    levels::Granularity,
    prepared_statistic::{CalibratedStatistic, PreparedStatistic},
};

/// Label of a published or measured number.
#[derive(Debug, Clone, PartialEq)]
pub struct Label<'a> {
    /// Key of its cell.
    pub key: Key<'a>,
    /// Its name in tables; empty where a cell has one number.
    pub name: String,
    /// Quantity of the number.
    pub quantity: Quantity,
    /// Edges of its bin.
    pub bin: Option<[f64; 2]>,
    /// Its level or margin, where the statistic has some.
    pub granularity: Option<&'a Granularity>,
}

/// Labels of the numbers of a vector, in their order. Each is made on request, since there may be millions.
pub struct Labels<'a> {
    keys: CellKeys<'a>,
    /// The bins of each key, which change faster; empty without bins.
    bins: Vec<Bin>,
    numbered: Numbered,
}

/// Which numbers a vector has.
enum Numbered {
    /// Of each of some cells the same.
    ByCell { cells: Range<usize>, entries: Vec<Entry> },
    /// One of several cells each.
    BySpan { spans: Vec<Range<usize>>, role: Quantity },
}

/// A number that each cell has.
struct Entry {
    /// Its name, unless the cell has a bin that it goes by.
    name: String,
    quantity: Quantity,
    /// The edges of a bin of its own, by which it is named.
    edges: Option<[f64; 2]>,
}

impl Entry {
    fn new(entry: &CellEntry, role: &Quantity) -> Self {
        let (quantity, edges) = match entry {
            CellEntry::Only | CellEntry::Named(_) | CellEntry::Run(_) => (role, None),
            CellEntry::Of(quantity) => (quantity, None),
            CellEntry::Bin(edges) => (role, Some(*edges)),
        };
        Self { name: entry.to_string(), quantity: quantity.clone(), edges }
    }
}

/// A bin, with the name that it has in tables.
struct Bin {
    name: String,
    edges: [f64; 2],
}

impl<'a> Labels<'a> {
    /// Count of the numbers.
    pub fn len(&self) -> usize {
        match &self.numbered {
            Numbered::ByCell { cells, entries } => cells.len() * entries.len(),
            Numbered::BySpan { spans, .. } => spans.len(),
        }
    }

    /// `true` if there is no number.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Label of the number at a place.
    ///
    /// # Panics
    /// If there is no such number.
    pub fn get(&self, place: usize) -> Label<'a> {
        assert!(place < self.len(), "there is no number {place}");
        Label {
            key: self.key(place),
            name: self.name(place).into_owned(),
            quantity: self.quantity(place).clone(),
            bin: self.bin(place),
            granularity: self.granularity(place),
        }
    }

    /// Labels of all numbers.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Label<'a>> {
        (0..self.len()).map(|place| self.get(place))
    }

    /// [`Label::key`] and [`Label::granularity`] of numbers that follow one another.
    pub(crate) fn keys(&self, places: Range<usize>) -> impl Iterator<Item = (Key<'a>, Option<&'a Granularity>)> {
        let mut level = 0;
        places.map(move |place| match (self.cell(place), &self.numbered) {
            (None, _) => (Key::NONE, None),
            (Some(cell), Numbered::ByCell { .. }) => self.keys.next(&mut level, self.key_of(cell)),
            (Some(cell), Numbered::BySpan { .. }) => (self.keys.next(&mut level, self.key_of(cell)).0, None),
        })
    }

    /// [`Label::key`].
    pub(crate) fn key(&self, place: usize) -> Key<'a> {
        self.cell(place).map_or(Key::NONE, |cell| self.keys.get(self.key_of(cell)).0)
    }

    /// [`Label::granularity`].
    pub(crate) fn granularity(&self, place: usize) -> Option<&'a Granularity> {
        match &self.numbered {
            Numbered::ByCell { .. } => self.cell(place).and_then(|cell| self.keys.get(self.key_of(cell)).1),
            Numbered::BySpan { .. } => None,
        }
    }

    /// [`Label::name`].
    pub(crate) fn name(&self, place: usize) -> Cow<'_, str> {
        match (&self.numbered, self.bin_of_cell(place)) {
            (Numbered::ByCell { entries, .. }, bin) => {
                let entry = &entries[place % entries.len()];
                Cow::Borrowed(bin.filter(|_| entry.edges.is_none()).map_or(&entry.name, |bin| &bin.name))
            }
            (Numbered::BySpan { .. }, Some(bin)) => Cow::Borrowed(&bin.name),
            // A number measured of several cells goes by their places; that of one cell has its key.
            (Numbered::BySpan { spans, .. }, None) => match &spans[place] {
                span if span.len() == 1 => Cow::Borrowed(""),
                span => Cow::Owned(format!("cells {} to {}", span.start + 1, span.end)),
            },
        }
    }

    /// [`Label::quantity`].
    pub(crate) fn quantity(&self, place: usize) -> &Quantity {
        match &self.numbered {
            Numbered::ByCell { entries, .. } => &entries[place % entries.len()].quantity,
            Numbered::BySpan { role, .. } => role,
        }
    }

    /// [`Label::bin`].
    pub(crate) fn bin(&self, place: usize) -> Option<[f64; 2]> {
        let own = match &self.numbered {
            Numbered::ByCell { entries, .. } => entries[place % entries.len()].edges,
            Numbered::BySpan { .. } => None,
        };
        own.or_else(|| self.bin_of_cell(place).map(|bin| bin.edges))
    }

    /// The cell of a number; none if it is of several.
    fn cell(&self, place: usize) -> Option<usize> {
        match &self.numbered {
            // Most have one, and a division for each of millions of numbers is a wait.
            Numbered::ByCell { cells, entries } if entries.len() == 1 => Some(cells.start + place),
            Numbered::ByCell { cells, entries } => Some(cells.start + place / entries.len()),
            Numbered::BySpan { spans, .. } => Some(spans[place].start).filter(|_| spans[place].len() == 1),
        }
    }

    /// The key of a cell.
    fn key_of(&self, cell: usize) -> usize {
        if self.bins.is_empty() { cell } else { cell / self.bins.len() }
    }

    /// The bin of the cell of a number.
    fn bin_of_cell(&self, place: usize) -> Option<&Bin> {
        if self.bins.is_empty() {
            return None;
        }
        self.cell(place).map(|cell| &self.bins[cell % self.bins.len()])
    }
}

impl PreparedStatistic {
    /// The keys, the bins of each, of which there are none if cells have none, and all cells.
    fn cells(&self) -> (CellKeys<'_>, Vec<Bin>, Range<usize>) {
        let keys = self.cell_keys();
        let edges = self.prepared.ask().edges.filter(|_| self.prepared.cells() > keys.len());
        let bin = |pair: &[Rational]| Bin {
            name: format!("{} to {}", pair[0], pair[1]),
            edges: [pair[0].to_f64(), pair[1].to_f64()],
        };
        let bins: Vec<Bin> = edges.map_or_else(Vec::new, |edges| edges.windows(2).map(bin).collect());
        let cells = 0..keys.len() * bins.len().max(1);
        (keys, bins, cells)
    }

    /// Labels of the estimates, in their order.
    pub fn labels(&self) -> Labels<'_> {
        let outputs = self.prepared.outputs().into_iter();
        let entry = |quantity: Quantity| Entry { name: quantity.to_string(), quantity, edges: None };
        let entries = outputs.map(|output| entry(output.quantity)).collect();
        let (keys, bins, cells) = self.cells();
        Labels { keys, bins, numbered: Numbered::ByCell { cells, entries } }
    }

    /// Labels of the measured numbers of a component, in their order.
    pub fn measured_labels(&self, component: usize) -> Labels<'_> {
        let role = self.prepared.components()[component].role.clone();
        let (keys, bins, cells) = self.cells();
        let numbered = match (self.prepared.spans(component), &self.prepared) {
            (Some(spans), _) => Numbered::BySpan { spans, role },
            (None, prepared) => {
                let cells = match prepared {
                    CalibratedStatistic::Cells(_) | CalibratedStatistic::Learned(_) => cells,
                    CalibratedStatistic::Levels(levels) => {
                        levels.measured_levels().nth(component).expect("a measured level").cells
                    }
                };
                let entries = self.prepared.entries(component);
                let entries = entries.iter().map(|entry| Entry::new(entry, &role)).collect();
                Numbered::ByCell { cells, entries }
            }
        };
        Labels { keys, bins, numbered }
    }
}
