//! Which rows of a batch count for a question, and with what.

use arrow::array::{Array, Int64Array};

use super::super::program::{Job, Values};

/// The rows of a batch that count for a question.
pub(super) struct Counted<'a> {
    unlisted: u32,
    pub(super) cells: &'a [u32],
    pub(super) steps: Vec<&'a Int64Array>,
}

impl<'a> Counted<'a> {
    pub(super) fn new(job: &Job, values: &'a Values) -> Self {
        let unlisted = u32::try_from(job.shape.cells).expect("fewer than 2^31 cells");
        let steps = job.steps.iter().map(|&id| values.steps(id)).collect();
        Self { unlisted, cells: values.numbers(job.cell), steps }
    }

    pub(super) fn counts(&self, row: usize) -> bool {
        self.cells[row] < self.unlisted && self.steps.iter().all(|steps| steps.is_valid(row))
    }
}
