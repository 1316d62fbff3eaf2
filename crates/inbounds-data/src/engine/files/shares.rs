//! Answers in shares: what some pieces of the files come to on the machine that reads them.
//!
//! A share is the numbers of all cells of the questions without a bound, in their order, and then, for each unit of the others, the rows that
//! count; or the keys that rows have; or the rows that units are made of. Both sides have the questions, so it says nothing else.
//!
//! This is where exact numbers leave a process. They have no form of their own in which they could be printed or kept.

use std::collections::{BTreeSet, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use inbounds_input::FileLocation;

use super::bound::Bounded;
use super::cells::Cells;
use super::failure::{Failure, explain};
use super::learn::Found;
use super::numbers::write;
use super::per_unit::Reduction;
use super::program::{KeyColumns, Program};
use super::scan::{Piece, Scan};
use super::sent::Outbox;
use super::threads::on_batches;
use super::{FileEngine, cells, merged};
use crate::engine::distributed::Asked;
use crate::{DataError, KeyValue, RowFormat, Source, UnitMemory};

/// Bytes of text that are worth as much as a row.
const ROW_OF_TEXT: u64 = 64;
/// Orders for each worker, so that none waits long for the last one.
const ORDERS: u64 = 8;
/// Most rows of an order, unless one piece has more: those of units are all in memory at once.
const MOST_ROWS: u64 = 1 << 22;

impl FileEngine {
    /// What was opened, with what is asked of units.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The files, with their numbers of row groups or record batches.
    pub(in crate::engine) fn files_and_parts(&self) -> impl Iterator<Item = (&FileLocation, usize)> {
        self.rows.files.iter().map(|file| {
            let groups = file.parquet.as_ref().map(|parquet| parquet.metadata.metadata().num_row_groups());
            (&file.location, groups.unwrap_or(file.batches))
        })
    }

    /// What is asked, for some pieces of the files.
    ///
    /// # Errors
    /// Those of [`Engine::answer`](crate::Engine::answer).
    pub(in crate::engine) fn share(
        &self,
        asked: &Asked,
        pieces: &HashSet<Piece>,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, DataError> {
        let explain = |failure| explain(failure, &self.rows);
        let mut program = Program::new(&self.rows);
        match asked {
            Asked::Numbers { queries, surveys } => {
                queries.iter().try_for_each(|query| program.ask(query))?;
                surveys.iter().try_for_each(|survey| program.survey(survey))?;
                self.numbers_of(&program, pieces, stop).map_err(explain)
            }
            Asked::Counts(query) => {
                program.ask_learned(query)?;
                self.numbers_of(&program, pieces, stop).map_err(explain)
            }
            Asked::Keys(asked) => {
                let columns = program.keys_of(asked)?;
                let keys = self.keys_of(&program, &columns, pieces, stop).map_err(explain)?;
                Ok(postcard::to_stdvec(&keys).expect("values of keys are plain data"))
            }
            Asked::Units(per_unit) => {
                let reduction = program.reduction(per_unit)?;
                self.units_of(&program, &reduction, pieces, stop).map_err(explain)
            }
        }
    }

    /// Reads pieces on all threads, each of which begins and ends with a state.
    fn read<S, T: Send>(
        &self,
        program: &Program<'_>,
        (pieces, stop): (&HashSet<Piece>, &AtomicBool),
        begin: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, &super::program::Values, usize) -> arrow::error::Result<()> + Sync,
        end: impl Fn(S) -> T + Sync,
    ) -> Result<Vec<T>, Failure> {
        let stopped = || stop.load(Ordering::Relaxed);
        let threads = self.threads.get();
        let scan = Scan::of_pieces(&self.rows, program, threads, &|piece| pieces.contains(&piece));
        let scan = scan.map_err(Failure::Reader)?;
        let take = |state: &mut S, batch: &arrow::array::RecordBatch| {
            take(state, &program.values(batch, &scan.columns)?, batch.num_rows())
        };
        let parts = on_batches(&scan, (threads, &stopped), begin, take, end)?;
        if stopped() { Err(Failure::Stopped) } else { Ok(parts) }
    }

    fn numbers_of(
        &self,
        program: &Program<'_>,
        pieces: &HashSet<Piece>,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, Failure> {
        // Nothing is kept here.
        let bounded = Bounded::of(&program.jobs, &UnitMemory::default(), |_| false);
        let parts = self.read(
            program,
            (pieces, stop),
            || (cells(program), bounded.iter().map(|_| Outbox::new()).collect::<Vec<_>>()),
            |(tallies, boxes), values, _| {
                let unbounded = program.jobs.iter().zip(tallies).filter(|(job, _)| job.bound.is_none());
                unbounded.for_each(|(job, tally)| job.tally(values, tally));
                bounded.iter().zip(boxes).try_for_each(|(bounded, sent)| bounded.send(values, sent))
            },
            |state| state,
        )?;
        let (parts, boxes): (Vec<Vec<Cells>>, Vec<Vec<Outbox>>) = parts.into_iter().unzip();
        let totals = merged(program, parts);
        let mut bytes = Vec::new();
        let unbounded = program.jobs.iter().zip(&totals).filter(|(job, _)| job.bound.is_none());
        unbounded.flat_map(|(_, cells)| cells.numbers()).for_each(|number| write(number, &mut bytes));
        (0..bounded.len()).for_each(|place| Outbox::write_all(boxes.iter().map(|boxes| &boxes[place]), &mut bytes));
        Ok(bytes)
    }

    fn keys_of(
        &self,
        program: &Program<'_>,
        columns: &KeyColumns,
        pieces: &HashSet<Piece>,
        stop: &AtomicBool,
    ) -> Result<BTreeSet<Vec<KeyValue>>, Failure> {
        let add = |found: &mut Found, values: &_, rows| found.add(columns, values, rows);
        let found = self.read(program, (pieces, stop), || Found::new(columns), add, Found::into_keys)?;
        Ok(found.into_iter().flatten().collect())
    }

    fn units_of(
        &self,
        program: &Program<'_>,
        reduction: &Reduction,
        pieces: &HashSet<Piece>,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, Failure> {
        let add = |sent: &mut Outbox, values: &_, _| reduction.send(values, sent);
        let boxes = self.read(program, (pieces, stop), Outbox::new, add, |sent| sent)?;
        let mut bytes = Vec::new();
        Outbox::write_all(boxes.iter(), &mut bytes);
        Ok(bytes)
    }
}

/// The pieces of all files, divided into orders for so many workers, the largest last.
pub(in crate::engine) fn orders(engine: &FileEngine, workers: usize) -> Vec<Vec<Piece>> {
    let pieces = pieces(engine);
    let all: u64 = pieces.iter().map(|(_, weight)| weight).sum();
    let enough = (all / (ORDERS * workers.max(1) as u64)).clamp(1, MOST_ROWS);
    let mut orders: Vec<(u64, Vec<Piece>)> = Vec::new();
    for (piece, weight) in pieces {
        match orders.last_mut().filter(|(so_far, _)| *so_far < enough) {
            Some((so_far, order)) => {
                *so_far += weight;
                order.push(piece);
            }
            None => orders.push((weight, vec![piece])),
        }
    }
    orders.sort_by_key(|(weight, _)| *weight);
    orders.into_iter().map(|(_, order)| order).collect()
}

/// All pieces, with their rows, or what reading them is worth where nobody knows the rows.
fn pieces(engine: &FileEngine) -> Vec<(Piece, u64)> {
    let table = &engine.rows;
    let mut pieces = Vec::new();
    for (file, found) in table.files.iter().enumerate() {
        // A file that is gone is told by whoever reads it.
        let bytes = || found.location.state().map_or(0, |state| state.bytes);
        let of = |part| Piece { file, part };
        match (table.format, &found.parquet) {
            (RowFormat::Parquet, Some(parquet)) => {
                let rows = parquet.metadata.metadata().row_groups().iter().map(|group| group.num_rows().unsigned_abs());
                pieces.extend(rows.enumerate().map(|(part, rows)| (of(part), rows)));
            }
            (RowFormat::Arrow, _) => {
                let each = bytes() / ROW_OF_TEXT / found.batches.max(1) as u64;
                pieces.extend((0..found.batches).map(|part| (of(part), each)));
            }
            _ => pieces.push((of(0), bytes() / ROW_OF_TEXT)),
        }
    }
    pieces
}
