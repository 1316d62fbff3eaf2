//! A table of estimates, read once: its cells as they are, up to a number that a page has room for, and all summed up.

use std::path::{Path, PathBuf};

use csv::{Reader, ReaderBuilder, StringRecord};
use inbounds_bundle::{RoundingEntry, UnitEntry};

use crate::{
    ReportError,
    classes::Classes,
    release::Places,
    spread::{Spread, Style},
};

/// Most cells of a table that a page shows: a county table of twelve columns, and what it adds up to, has fewer.
pub(crate) const SHOWN: usize = 50_000;

/// An estimate with what is known of it.
pub(crate) struct Cell {
    /// Cells of a lower rank are shown first, those of one rank in the order of the table.
    pub(crate) rank: u32,
    /// Which output of its cell it is.
    pub(crate) part: usize,
    /// Its keys, or the name of the node.
    pub(crate) keys: Vec<String>,
    /// Its value of each grouping column or attribute, in words; none where it is summed over.
    pub(crate) values: Vec<Option<String>>,
    /// The level or margin that it is a cell of; empty where a statistic has neither.
    pub(crate) granularity: String,
    /// The same as the table has them, where a column has a map.
    pub(crate) raw_values: Vec<String>,
    /// Which number of the cell it is; empty where a cell has one.
    pub(crate) output: String,
    /// Unit of its numbers.
    pub(crate) unit: UnitEntry,
    /// Ends of the bin that it counts, if the table has them.
    pub(crate) bin: Option<(f64, f64)>,
    pub(crate) estimate: f64,
    pub(crate) interval: Option<(f64, f64)>,
    /// The interval for the population that the rows are a sample of, if one was asked for.
    pub(crate) population: Option<(f64, f64)>,
    pub(crate) bias: Option<f64>,
    pub(crate) bias_error: f64,
    pub(crate) rmse: Option<f64>,
    pub(crate) rmse_error: f64,
    /// The largest absolute bias and the largest RMSE over the truths in the interval, where they are known.
    pub(crate) over_interval: Option<(f64, f64)>,
    /// True if the interval is nearly the whole range.
    pub(crate) tells_nothing: bool,
    pub(crate) worst_bias: Option<f64>,
    pub(crate) measurement: Option<f64>,
    /// The multiple that stands for it, and what of, where counts are rounded.
    pub(crate) rounded: Option<(f64, u64)>,
    /// Its words, where they do not follow from number and interval.
    pub(crate) said: Option<Spread>,
    /// The class of its relative error, where the plan has any.
    pub(crate) quality: String,
    /// True if the office does not show numbers of that class.
    pub(crate) hidden: bool,
}

impl Cell {
    /// An estimate of which nothing else is known.
    pub(crate) fn from_estimate(estimate: f64) -> Self {
        Self {
            rank: 0,
            part: 0,
            keys: Vec::new(),
            values: Vec::new(),
            granularity: String::new(),
            raw_values: Vec::new(),
            output: String::new(),
            unit: UnitEntry::default(),
            bin: None,
            estimate,
            interval: None,
            population: None,
            bias: None,
            bias_error: 0.0,
            rmse: None,
            rmse_error: 0.0,
            over_interval: None,
            tells_nothing: false,
            worst_bias: None,
            measurement: None,
            rounded: None,
            said: None,
            quality: String::new(),
            hidden: false,
        }
    }

    /// Its number with the interval, for reading: of a number that is not shown the class alone.
    pub(crate) fn spread(&self, style: Style) -> Spread {
        self.plain_spread(style).of_class(&self.quality, self.hidden)
    }

    /// The same without the class of its quality.
    pub(crate) fn plain_spread(&self, style: Style) -> Spread {
        let (value, interval) = self.number();
        self.said.clone().unwrap_or_else(|| Spread::new(value, interval, style))
    }

    /// Its number with the interval as they are shown: multiples, and ends moved outwards, where counts are rounded.
    pub(crate) fn number(&self) -> (f64, Option<(f64, f64)>) {
        match self.rounded {
            Some((value, to)) => (value, self.interval.map(|ends| RoundingEntry::outwards(to, ends))),
            None => (self.estimate, self.interval),
        }
    }
}

/// Quantities summed over all cells, also over those that are not shown.
pub(crate) struct Summed {
    estimate: f64,
    bias: Option<f64>,
    rmse: Option<f64>,
    measurement: Option<f64>,
}

/// Distance of estimates of one kind from their measurements.
#[derive(Debug, Default, Clone)]
pub(crate) struct Moves {
    /// Estimates that are not their measurement.
    pub(crate) moved: usize,
    /// Estimates that have a measurement.
    pub(crate) measured: usize,
    /// The largest distance.
    pub(crate) farthest: f64,
    squares: f64,
}

impl Moves {
    fn take(&mut self, distance: f64) {
        self.measured += 1;
        self.moved += usize::from(distance > 0.0);
        self.farthest = self.farthest.max(distance);
        self.squares += distance * distance;
    }

    /// Root of the mean of the squared distances.
    pub(crate) fn mean(&self) -> f64 {
        (self.squares / self.measured.max(1) as f64).sqrt()
    }
}

/// The rows of a bin, with their interval. There may be a million bins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Mark {
    pub(crate) estimate: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
    /// Ends of the bin.
    pub(crate) bin: (f64, f64),
}

/// The cells of one statistic, or the nodes of a tree.
#[derive(Default)]
pub(crate) struct Cells {
    /// Those that count bins, in the order of the table.
    pub(crate) marks: Vec<Mark>,
    /// The first of them, at most [`SHOWN`]; none before the table is [read](Self::read).
    pub(crate) shown: Vec<Cell>,
    /// The first of them by rank while the table is read, and how many these are.
    ranked: Vec<Vec<Cell>>,
    kept: usize,
    pub(crate) count: usize,
    /// Distance of estimates from their measurements, by output of a cell.
    pub(crate) parts: Vec<Moves>,
    pub(crate) classes: Classes,
    /// The tables of places, where there are such.
    pub(crate) places: Places,
}

impl Cells {
    /// Sums up a cell that need not be shown.
    pub(crate) fn sum_up(&mut self, part: usize, summed: Summed) {
        self.count += 1;
        if self.parts.len() <= part {
            self.parts.resize(part + 1, Moves::default());
        }
        if let Some(measurement) = summed.measurement {
            self.parts[part].take((summed.estimate - measurement).abs());
        }
        if let (Some(bias), Some(rmse)) = (summed.bias, summed.rmse) {
            self.classes.take(summed.estimate, bias, rmse);
        }
    }

    pub(crate) fn take(&mut self, cell: Cell) {
        let Cell { estimate, bias, rmse, measurement, .. } = cell;
        self.sum_up(cell.part, Summed { estimate, bias, rmse, measurement });
        let (lower, upper) = cell.interval.unwrap_or((estimate, estimate));
        if let Some(bin) = cell.bin.filter(|_| !cell.hidden) {
            self.marks.push(Mark { estimate, lower, upper, bin });
        }
        if self.shows(cell.rank) {
            let rank = cell.rank as usize;
            if self.ranked.len() <= rank {
                self.ranked.resize_with(rank + 1, Vec::new);
            }
            self.ranked[rank].push(cell);
            self.kept += 1;
        }
        if self.kept > SHOWN {
            // The last of the highest rank makes room.
            self.kept -= usize::from(self.ranked.last_mut().is_some_and(|last| last.pop().is_some()));
            while self.ranked.last().is_some_and(Vec::is_empty) {
                self.ranked.pop();
            }
        }
    }

    /// `true` if the next cell is among those shown, if it has this rank.
    pub(crate) fn shows(&self, rank: u32) -> bool {
        self.kept < SHOWN || (rank as usize) + 1 < self.ranked.len()
    }

    /// The cells, once all of the table are taken.
    pub(crate) fn read(mut self) -> Self {
        self.shown = std::mem::take(&mut self.ranked).into_iter().flatten().collect();
        self
    }

    /// The bins, where every cell counts one.
    pub(crate) fn bins(&self) -> &[Mark] {
        if self.marks.len() == self.count { &self.marks } else { &[] }
    }

    /// The worst bias where it is the same for all cells shown.
    pub(crate) fn single_worst(&self) -> Option<f64> {
        let first = self.shown.first()?.worst_bias?;
        self.shown.iter().all(|cell| cell.worst_bias == Some(first)).then_some(first)
    }

    /// Note under a table of the first `rows` cells; empty where these are all.
    pub(crate) fn cut(&self, rows: usize, file: &str) -> String {
        if self.count <= rows {
            return String::new();
        }
        let [rows, count] = [rows, self.count].map(crate::figures::whole);
        format!("These are the first {rows} of {count}; all are in {file}.")
    }
}

/// A CSV table whose columns are found by name.
pub(crate) struct Sheet {
    path: PathBuf,
    reader: Reader<std::fs::File>,
    header: StringRecord,
}

impl Sheet {
    pub(crate) fn open(path: &Path) -> Result<Self, ReportError> {
        let fail = |error: csv::Error| table(path, &error);
        let mut reader = ReaderBuilder::new().buffer_capacity(1 << 18).from_path(path).map_err(fail)?;
        let header = reader.headers().map_err(fail)?.clone();
        Ok(Self { path: path.to_owned(), reader, header })
    }

    /// Place of a column.
    pub(crate) fn column(&self, name: &str) -> Result<usize, ReportError> {
        self.find(name).ok_or_else(|| ReportError::Table {
            path: self.path.clone(),
            problem: format!("there is no column `{name}`"),
        })
    }

    /// Place of a column that need not be there.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.header.iter().position(|known| known == name)
    }

    /// Names of the columns that stand before one.
    pub(crate) fn before(&self, name: &str) -> Vec<String> {
        self.header.iter().take_while(|known| *known != name).map(str::to_owned).collect()
    }

    /// Gives every record to `take`.
    pub(crate) fn for_each(
        mut self,
        mut take: impl FnMut(&Row<'_>) -> Result<(), ReportError>,
    ) -> Result<(), ReportError> {
        let mut record = StringRecord::new();
        loop {
            match self.reader.read_record(&mut record) {
                Ok(true) => take(&Row { sheet: &self.path, header: &self.header, record: &record })?,
                Ok(false) => return Ok(()),
                Err(error) => return Err(table(&self.path, &error)),
            }
        }
    }
}

/// One record.
pub(crate) struct Row<'a> {
    sheet: &'a Path,
    header: &'a StringRecord,
    record: &'a StringRecord,
}

impl Row<'_> {
    pub(crate) fn text(&self, column: usize) -> &str {
        self.record.get(column).unwrap_or_default()
    }

    /// A number; none where the field is empty.
    pub(crate) fn number(&self, column: usize) -> Result<Option<f64>, ReportError> {
        let text = self.text(column);
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| self.wrong(column, &format!("`{text}` is no number")))
    }

    /// A number that must be there.
    pub(crate) fn required(&self, column: usize) -> Result<f64, ReportError> {
        self.number(column)?.ok_or_else(|| self.wrong(column, "there is no number"))
    }

    pub(crate) fn wrong(&self, column: usize, problem: &str) -> ReportError {
        let line = self.record.position().map_or(0, csv::Position::line);
        let name = self.header.get(column).unwrap_or_default();
        ReportError::Table { path: self.sheet.to_owned(), problem: format!("line {line}, column `{name}`: {problem}") }
    }
}

fn table(path: &Path, error: &csv::Error) -> ReportError {
    ReportError::Table { path: path.to_owned(), problem: error.to_string() }
}

/// Columns that estimates of both kinds of bundles have.
pub(crate) struct Columns {
    estimate: usize,
    lower: usize,
    upper: usize,
    bias: usize,
    bias_error: usize,
    rmse: usize,
    rmse_error: usize,
    measurement: usize,
    /// Columns that older bundles do not have.
    over_interval: Option<(usize, usize)>,
    tells_nothing: Option<usize>,
}

impl Columns {
    pub(crate) fn find(sheet: &Sheet) -> Result<Self, ReportError> {
        Ok(Self {
            estimate: sheet.column("estimate")?,
            lower: sheet.column("interval_lower")?,
            upper: sheet.column("interval_upper")?,
            bias: sheet.column("bias_at_estimate")?,
            bias_error: sheet.column("bias_error")?,
            rmse: sheet.column("rmse_at_estimate")?,
            rmse_error: sheet.column("rmse_error")?,
            measurement: sheet.column("measurement")?,
            over_interval: sheet.find("bias_over_interval").zip(sheet.find("rmse_over_interval")),
            tells_nothing: sheet.find("tells_nothing"),
        })
    }

    /// Quantities of a record that are summed.
    pub(crate) fn summed(&self, row: &Row<'_>) -> Result<Summed, ReportError> {
        Ok(Summed {
            estimate: row.required(self.estimate)?,
            bias: row.number(self.bias)?,
            rmse: row.number(self.rmse)?,
            measurement: row.number(self.measurement)?,
        })
    }

    /// The cell of a record.
    pub(crate) fn cell(&self, row: &Row<'_>, rank: u32, keys: Vec<String>) -> Result<Cell, ReportError> {
        let over_interval = match self.over_interval {
            Some((bias, rmse)) => row.number(bias)?.map(f64::abs).zip(row.number(rmse)?),
            None => None,
        };
        let interval = row.number(self.lower)?.zip(row.number(self.upper)?);
        Ok(Cell {
            rank,
            keys,
            interval,
            bias: row.number(self.bias)?,
            bias_error: row.number(self.bias_error)?.unwrap_or(0.0),
            rmse: row.number(self.rmse)?,
            rmse_error: row.number(self.rmse_error)?.unwrap_or(0.0),
            over_interval,
            tells_nothing: self.tells_nothing.is_some_and(|column| row.text(column) == "true"),
            measurement: row.number(self.measurement)?,
            ..Cell::from_estimate(row.required(self.estimate)?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Cells, SHOWN};
    use crate::crosses::tests::cell;

    #[test]
    fn those_of_lower_ranks_are_shown_first_and_those_of_one_in_order() {
        let mut cells = Cells::default();
        for number in 0..SHOWN + 10 {
            cells.take(crate::cells::Cell { rank: (number % 3) as u32, ..cell(&[], number as f64, 0) });
        }
        let cells = cells.read();
        assert_eq!((cells.count, cells.shown.len()), (SHOWN + 10, SHOWN));
        let ranks: Vec<u32> = cells.shown.iter().map(|cell| cell.rank).collect();
        assert!(ranks.is_sorted());
        let firsts: Vec<f64> = cells.shown.iter().take(3).map(|cell| cell.estimate).collect();
        assert_eq!(firsts, [0.0, 3.0, 6.0]);
        let of_last = cells.shown.iter().filter(|cell| cell.rank == 2).map(|cell| cell.estimate).collect::<Vec<_>>();
        assert!(of_last.is_sorted() && of_last[0] == 2.0, "the last are cut");
        assert_eq!(ranks.iter().filter(|rank| **rank < 2).count(), (SHOWN + 10) * 2 / 3, "no lower one is");
    }
}
