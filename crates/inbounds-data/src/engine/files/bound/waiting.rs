//! Rows that wait to be taken by their shard, column by column.

use super::super::program::Job;
use super::counted::Counted;
use super::names::{Name, Names};

/// The cell of a row that does not count for a question.
const NONE: u32 = u32::MAX;

/// Rows of one shard.
pub(super) struct Waiting {
    hashes: Vec<u64>,
    names: Names,
    /// One for each question.
    jobs: Vec<Rows>,
}

struct Rows {
    cells: Vec<u32>,
    /// `width` for each row.
    steps: Vec<i64>,
    width: usize,
}

impl Waiting {
    pub(super) fn new<'a>(jobs: impl Iterator<Item = &'a Job>) -> Self {
        let rows = |job: &Job| Rows { cells: Vec::new(), steps: Vec::new(), width: job.steps.len() };
        Self { hashes: Vec::new(), names: Names::None, jobs: jobs.map(rows).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.hashes.len()
    }

    pub(super) fn push(&mut self, name: Name<'_>, hash: u64, row: usize, counted: &[Counted<'_>]) {
        self.hashes.push(hash);
        self.names.push(name);
        for (rows, counted) in self.jobs.iter_mut().zip(counted) {
            rows.cells.push(if counted.counts(row) { counted.cells[row] } else { NONE });
            rows.steps.extend(counted.steps.iter().map(|steps| steps.value(row)));
        }
    }

    /// The unit of a row, with its hash.
    pub(super) fn name(&self, row: usize) -> (Name<'_>, u64) {
        (self.names.get(row), self.hashes[row])
    }

    /// Cell and steps of a row, if it counts for a question.
    pub(super) fn row(&self, job: usize, row: usize) -> Option<(u32, &[i64])> {
        let Rows { cells, steps, width } = &self.jobs[job];
        (cells[row] != NONE).then(|| (cells[row], &steps[row * width..][..*width]))
    }

    pub(super) fn clear(&mut self) {
        self.hashes.clear();
        self.names.clear();
        for rows in &mut self.jobs {
            rows.cells.clear();
            rows.steps.clear();
        }
    }
}
