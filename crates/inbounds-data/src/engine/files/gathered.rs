//! The machine that releases: what others read is added up here as if it had been read here.
//!
//! Cells are added. Rows of units are kept as those of files are: which of them depends on no order, so not on who read what first.
//! A table of units is made of their rows, and asked here.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use arrow::array::RecordBatch;

use super::bound::{Bounded, Collector};
use super::cells::Cells;
use super::failure::{Failure, explain};
use super::numbers::read;
use super::per_unit::UnitTable;
use super::program::Program;
use super::threads::is_set;
use super::{FileEngine, begin, end};
use crate::engine::distributed::Asked;
use crate::{Answers, DataError, KeyValue, LearnKeys, LearnedCells, Questions, Tally};

/// Whoever has all pieces read by others.
pub(in crate::engine) trait Gather {
    /// Has all pieces read. States begin as `begin` says, take shares, and end as `end` says; together they take each share once.
    /// `take` returns false for what is no share. Ends early once it is `halted`.
    fn gather<S, T: Send>(
        &self,
        asked: Asked,
        halted: &(impl Fn() -> bool + Sync),
        begin: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, &[u8]) -> bool + Sync,
        end: impl Fn(S) -> T + Sync,
    ) -> Result<Vec<T>, DataError>;
}

impl FileEngine {
    /// Answers all questions from what others read.
    ///
    /// # Errors
    /// Those of [`Engine::answer`](crate::Engine::answer).
    pub(in crate::engine) fn answer_from(
        &self,
        questions: &Questions<'_>,
        from: &impl Gather,
    ) -> Result<Answers, DataError> {
        if let Some(units) = &self.units {
            let batches = self.units_from(units, questions.stop, from)?;
            let run = |program: &Program<'_>| self.run(program, questions.stop, Some(&batches));
            return self.answered(questions, |program| run(program).map_err(|failure| explain(failure, &self.rows)));
        }
        let asked = Asked::Numbers {
            queries: questions.queries.iter().copied().cloned().collect(),
            surveys: questions.surveys.iter().copied().cloned().collect(),
        };
        self.answered(questions, |program| self.tallies_from(program, asked, questions.stop, from))
    }

    /// The keys that rows have, from what others read.
    ///
    /// # Errors
    /// Those of [`Engine::learn`](crate::Engine::learn).
    pub(in crate::engine) fn learn_from(
        &self,
        asked: &LearnKeys,
        stop: Option<&AtomicBool>,
        from: &impl Gather,
    ) -> Result<LearnedCells, DataError> {
        if let Some(units) = &self.units {
            let batches = self.units_from(units, stop, from)?;
            return self.learned(asked, stop, Some(&batches));
        }
        self.learned_by(
            asked,
            |_, _| self.keys_from(asked, stop, from),
            |program, query| self.tallies_from(program, Asked::Counts(query.clone()), stop, from),
        )
    }

    fn keys_from(
        &self,
        asked: &LearnKeys,
        stop: Option<&AtomicBool>,
        from: &impl Gather,
    ) -> Result<BTreeSet<Vec<KeyValue>>, DataError> {
        let stopped = || is_set(stop);
        let take = |keys: &mut BTreeSet<Vec<KeyValue>>, bytes: &[u8]| {
            let Ok(found) = postcard::from_bytes::<Vec<Vec<KeyValue>>>(bytes) else { return false };
            let are_keys = found.iter().all(|key| key.len() == asked.columns.len());
            keys.extend(found);
            are_keys
        };
        let gathered = from.gather(Asked::Keys(asked.clone()), &stopped, BTreeSet::new, take, |keys| keys);
        if stopped() {
            return Err(DataError::Stopped);
        }
        Ok(gathered?.into_iter().flatten().collect())
    }

    fn tallies_from(
        &self,
        program: &Program<'_>,
        asked: Asked,
        stop: Option<&AtomicBool>,
        from: &impl Gather,
    ) -> Result<Vec<Tally>, DataError> {
        let stopped = || is_set(stop);
        let explain = |failure: Failure| explain(failure, &self.rows);
        let bounded = Bounded::of(&program.jobs, &self.memory, |_| false);
        let gathered = from.gather(
            asked,
            &|| stopped() || bounded.iter().any(Bounded::is_over),
            || begin(program, &bounded),
            |(tallies, collectors), bytes| take(program, tallies, collectors, bytes),
            end,
        );
        bounded.iter().try_for_each(Bounded::check).map_err(explain)?;
        if stopped() {
            return Err(DataError::Stopped);
        }
        self.tallies(program, &bounded, gathered?, &stopped).map_err(explain)
    }

    fn units_from(
        &self,
        units: &UnitTable,
        stop: Option<&AtomicBool>,
        from: &impl Gather,
    ) -> Result<Vec<RecordBatch>, DataError> {
        let stopped = || is_set(stop);
        let limits = (self.threads.get(), &self.memory);
        let batches = units.read_from(&self.rows, limits, &stopped, from)?;
        if stopped() { Err(DataError::Stopped) } else { Ok(batches) }
    }
}

/// Takes a share: the numbers of the questions without a bound, then the rows of units of the others; false if it is none.
fn take(program: &Program<'_>, tallies: &mut [Cells], collectors: &mut [Collector<'_>], mut bytes: &[u8]) -> bool {
    let mut unbounded = program.jobs.iter().zip(tallies).filter(|(job, _)| job.bound.is_none());
    unbounded.all(|(_, cells)| cells.add_numbers(|| read(&mut bytes)).is_some())
        && collectors.iter_mut().all(|collector| collector.take_rows(&mut bytes))
        && bytes.is_empty()
}
