//! Answers in shares: what some pieces of the files come to on one machine, and how another one adds them up.
//!
//! A share is the numbers of all cells of all questions, in their order, and nothing else: both sides have the questions. A number
//! takes seven bits a byte, least first, its sign in the lowest bit, so that a cell without rows takes one byte.
//!
//! This is where exact numbers leave a process. They have no form of their own in which they could be printed or kept.

use std::collections::HashSet;
use std::fs;
use std::sync::atomic::{AtomicBool, Ordering};

use super::cells::Cells;
use super::failure::{Failure, explain};
use super::program::Program;
use super::scan::{Piece, Scan};
use super::{FileEngine, cells, on_batches};
use crate::{Answers, DataError, Query, Questions, RowFormat, Source, Survey};

/// Bytes of text that are worth as much as a row.
const ROW_OF_TEXT: u64 = 64;
/// Orders for each worker, so that none waits long for the last one.
const ORDERS: u64 = 8;

impl FileEngine {
    /// What was opened, with what is asked of units.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The files, with their numbers of row groups or record batches.
    pub(in crate::engine) fn files_and_parts(&self) -> impl Iterator<Item = (&std::path::Path, usize)> {
        self.rows.files.iter().map(|file| {
            let groups = file.parquet.as_ref().map(|parquet| parquet.metadata.metadata().num_row_groups());
            (file.path.as_path(), groups.unwrap_or(file.batches))
        })
    }

    /// What the questions come to in some pieces of the files.
    ///
    /// # Errors
    /// Those of [`Engine::answer`](crate::Engine::answer).
    pub(in crate::engine) fn share(
        &self,
        queries: &[Query],
        surveys: &[Survey],
        pieces: &HashSet<Piece>,
        stop: &AtomicBool,
    ) -> Result<Vec<u8>, DataError> {
        let mut program = Program::new(&self.rows);
        queries.iter().try_for_each(|query| program.ask(query))?;
        surveys.iter().try_for_each(|survey| program.survey(survey))?;
        let totals = self.cells_of(&program, pieces, stop).map_err(|failure| explain(failure, &self.rows))?;
        let mut bytes = Vec::new();
        totals.iter().flat_map(Cells::numbers).for_each(|number| write(number, &mut bytes));
        Ok(bytes)
    }

    fn cells_of(
        &self,
        program: &Program<'_>,
        pieces: &HashSet<Piece>,
        stop: &AtomicBool,
    ) -> Result<Vec<Cells>, Failure> {
        let stopped = || stop.load(Ordering::Relaxed);
        let threads = self.threads.get();
        let scan = Scan::of_pieces(&self.rows, program, threads, &|piece| pieces.contains(&piece));
        let scan = scan.map_err(Failure::Reader)?;
        let parts = on_batches(
            &scan,
            (threads, &stopped),
            || cells(program),
            |tallies, batch| {
                let values = program.values(batch, &scan.columns)?;
                program.jobs.iter().zip(tallies).for_each(|(job, tally)| job.tally(&values, tally));
                Ok(())
            },
            |tallies| tallies,
        )?;
        if stopped() {
            return Err(Failure::Stopped);
        }
        let mut totals = cells(program);
        parts.iter().for_each(|part| merge(&mut totals, part));
        Ok(totals)
    }

    /// Answers all questions from shares that others read: `gather` is told what a state begins with and how it takes a share, false if
    /// that is none, and returns the states that together have all shares.
    pub(in crate::engine) fn answer_from<'q>(
        &'q self,
        questions: &Questions<'q>,
        gather: impl FnOnce(
            &(dyn Fn() -> Totals + Sync),
            &(dyn Fn(&mut Totals, &[u8]) -> bool + Sync),
        ) -> Result<Vec<Totals>, DataError>,
    ) -> Result<Answers, DataError> {
        self.answered(questions, |program| {
            let begin = || Totals(cells(program));
            let parts = gather(&begin, &|Totals(totals), bytes| add(totals, bytes))?;
            let mut totals = cells(program);
            parts.iter().for_each(|Totals(part)| merge(&mut totals, part));
            Ok(totals.into_iter().map(Cells::into_tally).collect())
        })
    }
}

/// What shares come to so far. Private, and without a form in which it could be shown.
pub(in crate::engine) struct Totals(Vec<Cells>);

fn merge(totals: &mut [Cells], part: &[Cells]) {
    totals.iter_mut().zip(part).for_each(|(total, part)| total.merge(part));
}

/// Adds a share; false if it is none, and then the totals are of no use.
fn add(totals: &mut [Cells], mut bytes: &[u8]) -> bool {
    totals.iter_mut().all(|cells| cells.add_numbers(|| read(&mut bytes)).is_some()) && bytes.is_empty()
}

fn write(number: i128, bytes: &mut Vec<u8>) {
    let mut rest = (number << 1 ^ number >> 127) as u128;
    while rest >= 128 {
        bytes.push(rest as u8 | 128);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// The next number, in its shortest form; `None` if there is none.
fn read(bytes: &mut &[u8]) -> Option<i128> {
    let mut found: u128 = 0;
    for place in 0.. {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u128::from(byte & 127);
        if place > 18 || bits << (7 * place) >> (7 * place) != bits || (byte == 0 && place > 0) {
            return None;
        }
        found |= bits << (7 * place);
        if byte < 128 {
            break;
        }
    }
    Some((found >> 1) as i128 ^ -((found & 1) as i128))
}

/// The pieces of all files, divided into orders for so many workers, the largest last.
pub(in crate::engine) fn orders(engine: &FileEngine, workers: usize) -> Vec<Vec<Piece>> {
    let pieces = pieces(engine);
    let all: u64 = pieces.iter().map(|(_, weight)| weight).sum();
    let enough = (all / (ORDERS * workers.max(1) as u64)).max(1);
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
        let bytes = || fs::metadata(&found.path).map_or(0, |found| found.len());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_they_were_written() {
        let sides = [0, 1, 63, 64, 127, 128, 1 << 62, 1 << 100, i128::MAX - 1, i128::MAX];
        let numbers: Vec<i128> = sides.into_iter().flat_map(|number| [number, -number, -number - 1]).collect();
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| write(*number, &mut bytes));
        let mut rest = bytes.as_slice();
        assert_eq!(numbers.iter().map(|_| read(&mut rest)).collect::<Option<Vec<_>>>(), Some(numbers));
        assert!(rest.is_empty());
        assert_eq!(bytes[..2], [0, 0], "an empty cell takes one byte");
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for bytes in [vec![], vec![128], vec![128, 0], vec![255; 30], [vec![255; 18], vec![7]].concat()] {
            assert_eq!(read(&mut bytes.as_slice()), None, "{bytes:?}");
        }
    }
}
