//! The port to whatever reads the rows.

mod files;

pub use files::{Described, FileEngine, first_names, region};
pub(crate) use files::{Partials, UnitGroups};

use std::sync::atomic::AtomicBool;

use inbounds_core::Answer;

use crate::{Column, DataError, LearnKeys, LearnedCells, Query, Survey, Tally, UnitMemory};

/// Everything that is asked of the rows in one pass.
#[derive(Debug, Clone, Default)]
pub struct Questions<'a> {
    /// Questions to tally.
    pub queries: Vec<&'a Query>,
    /// Questions about the rows themselves.
    pub surveys: Vec<&'a Survey>,
    /// A flag with which another thread ends the work: once it is set, there is no answer.
    pub stop: Option<&'a AtomicBool>,
}

/// The answers to [`Questions`]. Private.
pub struct Answers {
    /// One for each query, in their order.
    pub tallies: Vec<Tally>,
    /// One for each survey, in their order: all its counts in one vector, in the order of [`Survey`].
    pub surveys: Vec<Answer>,
}

/// Something that answers questions about private rows with aggregates, never with rows.
pub trait Engine: Send + Sync {
    /// The columns of the data. Public.
    fn columns(&self) -> &[Column];

    /// Those of the columns, the first ones, that the files themselves hold; others are named by folders or made of
    /// others.
    fn columns_of_files(&self) -> &[Column] {
        self.columns()
    }

    /// Sets how much memory the units of the rows may take, which changes no answer; without it there is no limit.
    fn limit_units(&mut self, memory: &UnitMemory);

    /// Checks a query against the columns without reading a row.
    ///
    /// # Errors
    /// Whatever [`Engine::answer`] would refuse before it reads.
    fn check(&self, query: &Query) -> Result<(), DataError>;

    /// Answers all questions, reading the rows once: whatever is asked, it is asked of the same rows.
    ///
    /// # Errors
    /// What [`Engine::check`] finds; for a survey columns that do not exist or have another kind; and files that cannot
    /// be read to their end; [`DataError::Stopped`]; under a limit of [`Engine::limit_units`]
    /// [`DataError::UnitMemory`], which depends on how many units there are, and [`DataError::Spill`]. No other error
    /// depends on the value of a cell.
    fn answer(&self, questions: &Questions<'_>) -> Result<Answers, DataError>;

    /// Checks a question for keys against the columns without reading a row.
    ///
    /// # Errors
    /// Whatever [`Engine::learn`] would refuse before it reads.
    fn check_keys(&self, asked: &LearnKeys) -> Result<(), DataError>;

    /// The keys that rows have, with their numbers of rows: reads the rows twice, which must not change meanwhile.
    ///
    /// # Errors
    /// What [`Engine::check_keys`] finds: [`DataError::Keys`] without columns or with one twice, and those of
    /// [`Engine::answer`]. None depends on the value of a cell, unless there are more distinct keys than the 2^31 that
    /// an answer may have.
    fn learn(&self, asked: &LearnKeys, stop: Option<&AtomicBool>) -> Result<LearnedCells, DataError>;

    /// Answers one query.
    ///
    /// # Errors
    /// Those of [`Engine::answer`].
    fn tally(&self, query: &Query) -> Result<Tally, DataError> {
        let answers = self.answer(&Questions { queries: vec![query], ..Questions::default() })?;
        Ok(answers.tallies.into_iter().next().expect("one answer for each query"))
    }

    /// Answers one survey.
    ///
    /// # Errors
    /// Those of [`Engine::answer`].
    fn survey(&self, survey: &Survey) -> Result<Answer, DataError> {
        let answers = self.answer(&Questions { surveys: vec![survey], ..Questions::default() })?;
        Ok(answers.surveys.into_iter().next().expect("one answer for each survey"))
    }
}
