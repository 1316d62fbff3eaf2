//! Rows of units that one machine reads and another keeps.

use arrow::error::Result;

use super::super::program::{Job, Values};
use super::super::sent::{Arrived, Outbox, take_rows};
use super::super::units::UnitNames;
use super::{Bounded, Collector, Counted, CountedRows, NONE};

impl Bounded<'_> {
    /// Sends the rows of a batch that count.
    pub(in super::super) fn send(&self, values: &Values, sent: &mut Outbox) -> Result<()> {
        let counted = CountedRows(self.jobs.iter().map(|(_, job)| Counted::new(job, values)).collect());
        sent.add(&UnitNames::new(values.array(self.unit))?, &counted);
        Ok(())
    }
}

impl Collector<'_> {
    /// Takes rows that were sent; false if there are no such rows.
    pub(in super::super) fn take_rows(&mut self, bytes: &mut &[u8]) -> bool {
        let Self { bounded, rows, .. } = self;
        take_rows(bytes, |name, words| {
            let fits = fits(&bounded.jobs, words);
            if fits {
                rows.add_row(name, &Arrived(words), 0);
            }
            fits
        })
    }
}

/// Whether these are the words of a row: for each question nothing, or a cell and its steps.
fn fits(jobs: &[(usize, &Job)], mut words: &[u64]) -> bool {
    for (_, job) in jobs {
        let after = match words.split_first() {
            Some((&NONE, rest)) => Some(rest),
            Some((&cell, rest)) if cell < job.shape.cells as u64 => rest.get(job.steps.len()..),
            _ => None,
        };
        let Some(after) = after else { return false };
        words = after;
    }
    words.is_empty()
}
