//! Files of this machine, or rows in memory, read once for all questions.
//!
//! ```text
//! scan -> batch -> program: columns, steps, keys, bins, conditions, cells -> cells of each question
//!                                                            under a bound -> rows of each unit -> cells
//! ```
//!
//! A [`Program`] is made of the questions before a row is read. Threads then take chunks of the files in turn, decode
//! them in batches, compute for each batch what the program lists, and tally it in cells of their own, which are added
//! up in the end. Questions are not grouped by whatever keys turn up, because memory and work would depend on them,
//! unless keys are learned, which is asked by itself (`learn.rs`). Nothing is written to disk, and memory grows with
//! the rows only under a bound and with learned keys.

mod answers;
mod bins;
mod blocks;
mod bound;
mod cast;
mod cells;
mod clip;
mod days;
mod derived;
mod described;
mod failure;
mod filter;
mod key_index;
mod learn;
mod partials;
mod per_unit;
mod program;
mod read;
mod scan;
mod stored;
#[cfg(test)]
mod tests;
mod threads;
mod units;

use std::num::NonZero;
use std::sync::atomic::{AtomicBool, AtomicUsize};

use arrow::array::RecordBatch;

use self::bound::{Bounded, Collector};
use self::cells::Cells;
pub use self::described::Described;
use self::failure::Failure;
pub use self::filter::region;
pub(crate) use self::partials::{Partials, UnitGroups};
use self::per_unit::UnitTable;
use self::program::Program;
use self::scan::Scan;
pub use self::scan::first_names;
use self::threads::{is_set, on_batches, on_threads};
use crate::schema::Table;
use crate::{DataError, PerUnit, RowFormat, Source, TextLayout, UnitMemory};

/// The engine that reads files of this machine, or rows in memory, in this process.
///
/// # Example
/// Three rows, two listed keys, incomes clipped to 0..=100:
/// ```
/// use inbounds_core::Grid;
/// use inbounds_data::{Clip, FileEngine, Engine, KeyValue, Keys, Kind, Missing, Query, Source};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "state,income\nCA,50\nCA,1e9\nNV,oops\n")?;
/// let source = Source::new(path.display().to_string()).declare("income", Kind::Number);
/// let engine = FileEngine::open(&source)?;
/// let states = ["CA", "OR"].map(|state| vec![KeyValue::Text(state.into())]);
/// let query = Query {
///     keys: Some(Keys::new(vec!["state".into()], states.into())?),
///     values: vec![Clip {
///         column: "income".into(),
///         lower: 0,
///         upper: 100,
///         grid: Grid::INTEGERS,
///         missing: Missing::Drop,
///     }],
///     products: vec![(0, 0)],
///     ..Query::default()
/// };
/// let tally = engine.tally(&query)?;
/// assert_eq!(tally.counts.private_steps(), [2, 0]);
/// assert_eq!(tally.sums[0].private_steps(), [150, 0]);
/// assert_eq!(tally.products[0].private_steps(), [50 * 50 + 100 * 100, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileEngine {
    rows: Table,
    /// Made of the rows, and asked in their place.
    units: Option<UnitTable>,
    threads: NonZero<usize>,
    memory: UnitMemory,
    /// The opened source with the reduction of its units, to be opened again elsewhere.
    source: Source,
}

impl FileEngine {
    /// Finds the files of a source and reads their headers or schemas; reads no row.
    ///
    /// # Errors
    /// [`DataError`] if there is no file, formats are mixed or unknown, a file is unreadable or damaged, headers or
    /// schemas differ, a column name occurs twice, or a declaration contradicts the files.
    pub fn open(source: &Source) -> Result<Self, DataError> {
        let threads = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        let mut engine = Self {
            rows: Table::open(source)?,
            units: None,
            threads,
            memory: UnitMemory::default(),
            source: Source { per_unit: None, ..source.clone() },
        };
        source.per_unit.iter().try_for_each(|per_unit| engine.ask_units(per_unit))?;
        Ok(engine)
    }

    /// From here on questions are of the one row that all rows of each unit are made into. Reads nothing.
    ///
    /// # Errors
    /// [`DataError::UnitColumn`] for a column that cannot be taken from the rows, and errors of the unit; the engine is
    /// then as it was.
    pub fn ask_units(&mut self, per_unit: &PerUnit) -> Result<(), DataError> {
        self.units = Some(UnitTable::new(&self.rows, per_unit)?);
        self.source.per_unit = Some(per_unit.clone());
        Ok(())
    }

    /// The format of the files.
    pub fn format(&self) -> RowFormat {
        self.rows.format
    }

    /// Layout of text, with the separator that the files name.
    pub fn text_layout(&self) -> TextLayout {
        self.rows.text.clone()
    }

    /// The length of all files in bytes.
    pub fn bytes(&self) -> u64 {
        self.rows.files.iter().map(|file| file.location.state().map_or(0, |state| state.bytes)).sum()
    }

    /// This engine with another number of threads than the machine has. The answers do not depend on it.
    pub fn with_threads(mut self, threads: NonZero<usize>) -> Self {
        self.threads = threads;
        self
    }

    /// Table to query: the rows, or the units that they are made into.
    fn table(&self) -> &Table {
        self.units.as_ref().map_or(&self.rows, |units| &units.table)
    }

    /// The rows, or the units that they are made into, in the columns that a program reads; `units` if those have been
    /// read.
    fn scan(
        &self,
        program: &Program<'_>,
        units: Option<&[RecordBatch]>,
        stopped: &(impl Fn() -> bool + Sync),
    ) -> Result<Scan<'_>, Failure> {
        let threads = self.threads.get();
        let batches = match (units, &self.units) {
            (Some(batches), _) => batches.to_vec(),
            (None, Some(units)) => units.read(&self.rows, (threads, &self.memory), stopped)?,
            (None, None) => return Scan::new(&self.rows, program, threads),
        };
        Ok(Scan::of_units(batches, program))
    }

    /// Reads all rows, unless `asked` to stop: once, or once more each time that units turn out not to come in order.
    /// Rows that can be read once are not supposed to come so.
    fn run(
        &self,
        program: &Program<'_>,
        asked: Option<&AtomicBool>,
        units: Option<&[RecordBatch]>,
    ) -> Result<Vec<Cells>, Failure> {
        // A table of units is in no order.
        let is_in_no_order = self.units.is_some() || self.rows.is_read_once();
        let mut is_by_name = vec![is_in_no_order; program.queries.len()];
        loop {
            let bounded = Bounded::from_queries(&program.queries, &self.memory, |place| !is_by_name[place]);
            match self.pass(program, &bounded, (asked, units))? {
                Pass::Whole(cells) => return Ok(cells),
                Pass::Unsorted(places) => places.into_iter().for_each(|place| is_by_name[place] = true),
            }
        }
    }

    /// Reads all rows once, unless `asked` to stop.
    fn pass(
        &self,
        program: &Program<'_>,
        bounded: &[Bounded<'_>],
        (asked, units): (Option<&AtomicBool>, Option<&[RecordBatch]>),
    ) -> Result<Pass, Failure> {
        let stopped = || is_set(asked);
        let threads = self.threads.get();
        let scan = self.scan(program, units, &stopped)?;
        let parts = on_batches(
            &scan,
            (threads, &|| stopped() || bounded.iter().any(Bounded::is_over)),
            || begin(program, bounded),
            |(tallies, collectors), batch| {
                let values = program.values(batch, &scan.columns)?;
                let unbounded = program.queries.iter().zip(&mut *tallies).filter(|(query, _)| query.bound.is_none());
                unbounded.for_each(|(query, tally)| query.tally(&values, tally));
                collectors.iter_mut().try_for_each(|collector| collector.add(&values, tallies))
            },
            end,
        )?;
        bounded.iter().try_for_each(Bounded::check)?;
        let unsorted = bounded.iter().enumerate().filter(|(_, bounded)| bounded.was_unsorted());
        let unsorted: Vec<usize> = unsorted.map(|(place, _)| place).collect();
        if !unsorted.is_empty() && !stopped() {
            return Ok(Pass::Unsorted(unsorted));
        }
        self.totals(program, bounded, parts, &stopped).map(Pass::Whole)
    }

    /// Totals over all rows: the tallies of the threads, and the rows kept of units by name.
    fn totals(
        &self,
        program: &Program<'_>,
        bounded: &[Bounded<'_>],
        parts: Vec<Vec<Cells>>,
        stopped: &(impl Fn() -> bool + Sync),
    ) -> Result<Vec<Cells>, Failure> {
        let mut totals = merged(program, parts);
        bounded.iter().try_for_each(|bounded| self.finish(bounded, &mut totals, stopped))?;
        // What was left out makes the answers wrong.
        if stopped() { Err(Failure::Stopped) } else { Ok(totals) }
    }

    /// Adds the rows that are kept of units by name.
    fn finish(
        &self,
        bounded: &Bounded<'_>,
        totals: &mut [Cells],
        stopped: &(impl Fn() -> bool + Sync),
    ) -> Result<(), Failure> {
        // What these questions tally, in their order.
        let next = AtomicUsize::new(0);
        let parts = on_threads(self.threads.get(), || {
            let mut part: Vec<Cells> = bounded.queries.iter().map(|(_, query)| Cells::new(&query.shape)).collect();
            while let Some(shard) = bounded.next_shard(&next).filter(|_| !stopped()) {
                bounded.finish(shard, &mut part);
            }
            Ok(part)
        })?;
        bounded.check()?;
        for part in parts {
            bounded.queries.iter().zip(&part).for_each(|(&(place, _), part)| totals[place].merge(part));
        }
        Ok(())
    }
}

/// Outcome of reading all rows.
enum Pass {
    Whole(Vec<Cells>),
    /// No answer: of the questions by unit, those at these places need every unit by name.
    Unsorted(Vec<usize>),
}

/// Stores of one thread: the cells of all questions, and the rows of units.
type Reading<'b> = (Vec<Cells>, Vec<Collector<'b>>);

fn begin<'b>(program: &Program<'_>, bounded: &'b [Bounded<'_>]) -> Reading<'b> {
    (cells(program), bounded.iter().map(Bounded::collector).collect())
}

/// The cells, once there are no more rows for the thread.
fn end((tallies, mut collectors): Reading<'_>) -> Vec<Cells> {
    collectors.iter_mut().for_each(Collector::finish);
    tallies
}

/// The cells of all threads together.
fn merged(program: &Program<'_>, parts: Vec<Vec<Cells>>) -> Vec<Cells> {
    let mut totals = cells(program);
    for part in parts {
        totals.iter_mut().zip(&part).for_each(|(total, part)| total.merge(part));
    }
    totals
}

fn cells(program: &Program<'_>) -> Vec<Cells> {
    program.queries.iter().map(|query| Cells::new(&query.shape)).collect()
}
