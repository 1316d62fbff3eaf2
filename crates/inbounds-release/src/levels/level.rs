//! The cells of one level, or of one margin.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use inbounds_core::Answer;
use inbounds_data::{KeyRow, Keys};

use crate::plan;
use crate::plan::Granularity;

/// The cells of one level, or of one margin.
#[derive(Debug, Clone)]
pub(super) struct Level {
    /// Granularity of its cells, in words of the plan.
    pub(super) granularity: Granularity,
    /// Indices of the key columns that distinguish its cells.
    pub(super) columns: Vec<usize>,
    /// The first of the keys that it is made of.
    pub(super) begin: usize,
    /// Cell of each of these, in their order.
    pub(super) cell: CellOfKeys,
    /// The first of these of each cell.
    pub(super) first: Vec<u32>,
}

/// The cell of each key.
#[derive(Debug, Clone)]
pub(super) enum CellOfKeys {
    /// One by one.
    Listed(Vec<u32>),
    /// Keys are the same table at one place after the other: by place and by cell of the table, so that lists of
    /// millions of keys need not be kept for each margin.
    OfTables { of_place: Arc<[u32]>, of_cell: Arc<[u32]>, cells: u32 },
}

impl CellOfKeys {
    /// Number of keys.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Listed(cells) => cells.len(),
            Self::OfTables { of_place, of_cell, .. } => of_place.len() * of_cell.len(),
        }
    }

    pub(super) fn get(&self, key: usize) -> u32 {
        match self {
            Self::Listed(cells) => cells[key],
            Self::OfTables { of_place, of_cell, cells } => {
                of_place[key / of_cell.len()] * cells + of_cell[key % of_cell.len()]
            }
        }
    }

    pub(super) fn all(&self) -> Cow<'_, [u32]> {
        match self {
            Self::Listed(cells) => Cow::Borrowed(cells),
            Self::OfTables { .. } => Cow::Owned((0..self.len()).map(|key| self.get(key)).collect()),
        }
    }
}

impl Level {
    /// The cell of each key from `begin` on is given; cells are numbered in the order of their first keys.
    pub(super) fn new(granularity: Granularity, columns: Vec<usize>, begin: usize, cell: Vec<u32>) -> Self {
        let mut first = Vec::new();
        for (key, &cell) in (0..).zip(&cell) {
            if cell as usize == first.len() {
                first.push(key);
            }
        }
        Self { granularity, columns, begin, cell: CellOfKeys::Listed(cell), first }
    }

    /// The cells of a margin of the tables of a level: `of_place` has the node of the level that each place is part of,
    /// numbered in the order of their first places, and `of_cell` the cell of the margin that each cell of a
    /// table is part of, likewise.
    pub(super) fn of_tables(
        granularity: Granularity,
        columns: Vec<usize>,
        of_place: Arc<[u32]>,
        of_cell: Arc<[u32]>,
    ) -> Self {
        let firsts = |parts: &[u32]| {
            let mut firsts = Vec::new();
            for (place, &part) in (0..).zip(parts) {
                if part as usize == firsts.len() {
                    firsts.push(place);
                }
            }
            firsts
        };
        let (places, cells): (Vec<u32>, Vec<u32>) = (firsts(&of_place), firsts(&of_cell));
        let table = of_cell.len() as u32;
        let first = places.iter().flat_map(|place| cells.iter().map(move |cell| place * table + cell)).collect();
        let cells = cells.len() as u32;
        Self { granularity, columns, begin: 0, cell: CellOfKeys::OfTables { of_place, of_cell, cells }, first }
    }

    pub(super) fn of_prefix(name: &str, keys: &Keys) -> Self {
        let depth = match name {
            plan::Levels::ALL => 0,
            name => keys.columns().iter().position(|column| column == name).map_or(0, |column| column + 1),
        };
        Self::of_columns(Granularity::Level(name.to_owned()), (0..depth).collect(), keys)
    }

    /// The cells that some columns of listed keys distinguish.
    pub(super) fn of_columns(granularity: Granularity, columns: Vec<usize>, keys: &Keys) -> Self {
        let mut cells: HashMap<Vec<u32>, u32> = HashMap::new();
        let mut cell = Vec::with_capacity(keys.len());
        for places in keys.rows().map(KeyRow::places) {
            let next = cells.len() as u32;
            cell.push(*cells.entry(columns.iter().map(|&column| places[column]).collect()).or_insert(next));
        }
        Self::new(granularity, columns, 0, cell)
    }

    /// The cell of each key that it is made of.
    pub(super) fn cell_of_keys(&self) -> Cow<'_, [u32]> {
        self.cell.all()
    }

    /// Number of its cells.
    pub(super) fn cells(&self) -> usize {
        self.first.len()
    }

    /// The sums of the keys' answers over each cell. Private in, private out.
    pub(super) fn sums(&self, answer: &Answer) -> Answer {
        answer.sums_within(self.begin..self.begin + self.cell.len(), &self.cell.all(), self.cells())
    }
}
