//! The table of each place, where a statistic has the margins of a table at every level.

use std::collections::{HashMap, HashSet};

use inbounds_bundle::StatisticEntry;

use super::names::{Names, style};
use crate::{
    cells::Cell,
    document::{Block, Column, Entry, Table},
    figures::whole,
    spread::Spread,
};

/// Most places that a page shows a table of.
const PLACES: usize = 100;

/// Most cells that a page shows in all of them.
const CELLS: usize = 20_000;

/// The tables of the first places, coarse levels first.
#[derive(Default)]
pub(crate) struct Places {
    shown: Vec<Place>,
    /// By level and by the values that identify the place.
    known: HashMap<(String, Vec<String>), usize>,
    /// Number of cells that are kept.
    cells: usize,
    /// Places beyond those shown, each counted once.
    others: HashSet<(String, Vec<String>)>,
    /// That of the cell before.
    last: Option<Last>,
}

/// The place of a cell: those of one follow one another.
struct Last {
    level: String,
    /// Its values, as the table has them.
    values: Vec<String>,
    index: Option<usize>,
}

struct Place {
    level: String,
    values: Vec<String>,
    cells: Vec<PlaceCell>,
}

/// A cell of a margin of a place: of each column of the table its value, none where it is summed over.
struct PlaceCell {
    values: Vec<Option<String>>,
    estimate: f64,
    interval: Option<(f64, f64)>,
    quality: String,
    hidden: bool,
}

/// The columns of the tables; none where a statistic has no tables at places.
pub(super) fn columns(statistic: &StatisticEntry) -> Vec<&str> {
    let both = statistic.measured.iter().filter(|component| component.level.is_some());
    let margins = both.filter_map(|component| component.margin.as_ref());
    let largest = margins.max_by_key(|margin| margin.len());
    let is_of_table = |column: &&String| largest.is_some_and(|margin| margin.contains(column));
    statistic.by.iter().filter(is_of_table).map(String::as_str).collect()
}

impl Places {
    /// The place of a cell of a level, whose `values` stand beside their columns; `table` are the columns of the
    /// tables. None if its cells are not shown.
    pub(super) fn place(
        &mut self,
        table: &[&str],
        level: &str,
        values: &[(&str, &str)],
        names: &Names,
    ) -> Option<usize> {
        let of_place = || values.iter().filter(|(column, _)| !table.contains(column));
        let is_last = |last: &&Last| last.level == level && of_place().map(|(_, value)| *value).eq(&last.values);
        if let Some(last) = self.last.as_ref().filter(is_last) {
            return last.index.filter(|_| self.cells < CELLS);
        }
        let key = (level.to_owned(), of_place().map(|(column, value)| names.value(column, value)).collect::<Vec<_>>());
        let index = match self.known.get(&key) {
            Some(index) => Some(*index),
            None if self.shown.len() < PLACES => {
                self.shown.push(Place { level: key.0.clone(), values: key.1.clone(), cells: Vec::new() });
                self.known.insert(key, self.shown.len() - 1);
                Some(self.shown.len() - 1)
            }
            None => {
                self.others.insert(key);
                None
            }
        };
        let values = of_place().map(|(_, value)| (*value).to_owned()).collect();
        self.last = Some(Last { level: level.to_owned(), values, index });
        index.filter(|_| self.cells < CELLS)
    }

    /// Takes a cell of the place at an index. Only the first number of each cell is shown.
    pub(super) fn take(&mut self, index: usize, table: &[&str], values: &[(&str, &str)], names: &Names, cell: &Cell) {
        self.cells += 1;
        let value =
            |column: &&str| values.iter().find(|(name, _)| name == column).map(|(_, value)| names.value(column, value));
        let values = table.iter().map(value).collect();
        let ((estimate, interval), hidden) = (cell.number(), cell.hidden);
        self.shown[index].cells.push(PlaceCell { values, estimate, interval, quality: cell.quality.clone(), hidden });
    }

    /// A table for each place, folded.
    pub(super) fn blocks(&self, statistic: &StatisticEntry, names: &Names) -> Vec<Block> {
        let table = columns(statistic);
        let Some((last, rows)) = table.split_last() else { return Vec::new() };
        let mut all: Vec<Block> = Vec::new();
        for place in &self.shown {
            let title = match place.values[..] {
                [] => place.level.clone(),
                _ => format!("{}: {}", place.level, place.values.join(", ")),
            };
            let shown = place.table(&title, (rows, last), statistic, names);
            all.push(Block::Folded(title, vec![Block::Table(shown)]));
        }
        if !self.others.is_empty() || self.cells == CELLS {
            let more = format!(
                "Tables of {} more places, or parts of those shown, are in estimates.csv.",
                whole(self.others.len())
            );
            all.push(Block::Paragraph(more));
        }
        let title = format!("The table of each place ({} shown)", whole(self.shown.len()));
        if self.shown.is_empty() { Vec::new() } else { vec![Block::Folded(title, all)] }
    }
}

impl Place {
    /// Rows are the combinations of all columns but the last, and columns its values, with their totals at the edges.
    fn table(&self, title: &str, (rows, last): (&[&str], &str), statistic: &StatisticEntry, names: &Names) -> Table {
        let style = style(statistic, &statistic.unit);
        let mut down: Vec<Vec<Option<String>>> = Vec::new();
        let mut across: Vec<Option<String>> = Vec::new();
        for cell in &self.cells {
            let (of_last, of_rows) = cell.values.split_last().expect("a table has a column");
            // Sums over some of the columns of a row have no row of their own.
            let is_row = of_rows.iter().all(Option::is_some) || of_rows.iter().all(Option::is_none);
            if is_row && !down.iter().any(|known| known == of_rows) {
                down.push(of_rows.to_vec());
            }
            if !across.contains(of_last) {
                across.push(of_last.clone());
            }
        }
        // Totals last.
        down.sort_by_key(|row| row.first().is_some_and(Option::is_none));
        across.sort_by_key(Option::is_none);
        let find = |row: &[Option<String>], column: &Option<String>| {
            self.cells
                .iter()
                .find(|cell| cell.values.split_last().is_some_and(|(last, rows)| last == column && rows == row))
        };
        let total = || "all".to_owned();
        let entry = |row: &Vec<Option<String>>| {
            let name: Vec<String> = row.iter().flatten().cloned().collect();
            let mut entries = vec![Entry::new(if name.is_empty() { total() } else { name.join(", ") })];
            entries.extend(across.iter().map(|column| match find(row, column) {
                None => Entry::new("–"),
                Some(cell) => {
                    let spread = Spread::new(cell.estimate, cell.interval, style).of_class(&cell.quality, cell.hidden);
                    let beside = spread.beside().to_owned();
                    Entry::new(spread.value).with_note(beside)
                }
            }));
            entries
        };
        let heading = rows.iter().map(|column| names.column(column)).collect::<Vec<_>>().join(", ");
        let mut columns = vec![Column::words(if heading.is_empty() { names.column(last).to_owned() } else { heading })];
        columns.extend(across.iter().map(|value| Column::numbers(value.clone().unwrap_or_else(total))));
        let of_last = names.column(last);
        Table {
            caption: format!("{title}, by {of_last}: estimates, with the distance of the ends of their intervals"),
            columns,
            rows: down.iter().map(entry).collect(),
            note: String::new(),
        }
    }
}
