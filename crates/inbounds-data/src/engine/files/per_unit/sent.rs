//! Rows that one machine reads and another makes into units.

use arrow::array::RecordBatch;
use arrow::error::Result as ReaderResult;

use super::super::failure::explain;
use super::super::gathered::Gather;
use super::super::program::{Program, Values};
use super::super::sent::{Arrived, Outbox, take_rows};
use super::super::units::UnitNames;
use super::fold::{BatchRows, IN_A_WORD};
use super::{FoldOf, Reduction, UnitTable};
use crate::engine::distributed::Asked;
use crate::schema::Table;
use crate::{DataError, Kind, UnitMemory};

impl UnitTable {
    /// The rows of the units in batches, of rows that others read. Whoever says that it is to be `stopped` has no use for them.
    pub(in super::super) fn read_from(
        &self,
        rows: &Table,
        (threads, memory): (usize, &UnitMemory),
        stopped: &(impl Fn() -> bool + Sync),
        from: &impl Gather,
    ) -> Result<Vec<RecordBatch>, DataError> {
        let reduction = self.reduction(&mut Program::new(rows));
        let units = Self::units(&reduction, memory);
        let gathered = from.gather(
            Asked::Units(self.per_unit.clone()),
            &|| stopped() || units.has_failed(),
            || units.collector(),
            |collector, mut bytes| {
                let taken = take_rows(&mut bytes, |name, words| {
                    let fits = reduction.fits(words);
                    if fits {
                        collector.add_row(name, &Arrived(words), 0);
                    }
                    fits
                });
                taken && bytes.is_empty()
            },
            |mut collector| collector.finish(),
        );
        units.check().map_err(|failure| explain(failure, rows))?;
        if stopped() {
            return Err(DataError::Stopped);
        }
        gathered?;
        self.batches(&units, threads, stopped).map_err(|failure| explain(failure, rows))
    }
}

impl Reduction {
    /// Sends the rows of a batch.
    pub(in super::super) fn send(&self, values: &Values, sent: &mut Outbox) -> ReaderResult<()> {
        sent.add(&UnitNames::new(values.array(self.unit))?, &BatchRows::new(&self.folds, values));
        Ok(())
    }

    /// Whether these are the words of a row: a bit for each fold that takes it, and what they take.
    fn fits(&self, mut words: &[u64]) -> bool {
        for folds in self.folds.chunks(IN_A_WORD) {
            let Some((&takes, rest)) = words.split_first() else { return false };
            if folds.len() < IN_A_WORD && takes >> folds.len() != 0 {
                return false;
            }
            words = rest;
            for (_, fold) in folds.iter().enumerate().filter(|(place, _)| takes >> place & 1 == 1) {
                let Some(after) = after(&fold.of, words) else { return false };
                words = after;
            }
        }
        words.is_empty()
    }
}

/// The words behind those that a fold takes, if it can take them.
fn after<'w>(of: &FoldOf, words: &'w [u64]) -> Option<&'w [u64]> {
    match of {
        FoldOf::Rows => Some(words),
        FoldOf::Sum { .. } | FoldOf::Mean { .. } | FoldOf::Any { .. } => words.get(1..),
        FoldOf::Extreme { kind: Kind::Text, .. } => {
            let (&length, letters) = words.get(1..)?.split_first()?;
            let length = usize::try_from(length).ok()?;
            let (letters, after) = letters.split_at_checked(length.div_ceil(8))?;
            let letters: &[u8] = bytemuck::cast_slice(letters);
            std::str::from_utf8(&letters[..length]).is_ok().then_some(after)
        }
        FoldOf::Extreme { .. } => words.get(2..),
    }
}
