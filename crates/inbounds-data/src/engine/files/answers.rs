//! The port to this engine: questions become a program, and what it tallies their answers.

use std::sync::atomic::AtomicBool;

use inbounds_core::Answer;
use inbounds_core::planted::{Defect, kept_rows, planted};

use super::cells::Cells;
use super::program::Program;
use super::{FileEngine, failure};
use crate::engine::{Answers, Questions};
use crate::schema::Table;
use crate::{Column, DataError, Engine, Keys, LearnKeys, LearnedCells, Query, Survey, Tally, UnitMemory};

impl Engine for FileEngine {
    fn columns(&self) -> &[Column] {
        &self.table().columns
    }

    fn columns_of_files(&self) -> &[Column] {
        let Table { columns, stored, .. } = self.table();
        &columns[..*stored]
    }

    fn limit_units(&mut self, memory: &UnitMemory) {
        self.memory = memory.clone();
    }

    fn check(&self, query: &Query) -> Result<(), DataError> {
        Program::new(self.table()).ask(query)
    }

    fn check_keys(&self, asked: &LearnKeys) -> Result<(), DataError> {
        self.check_learned(asked)
    }

    fn learn(&self, asked: &LearnKeys, stop: Option<&AtomicBool>) -> Result<LearnedCells, DataError> {
        self.learned(asked, stop, None)
    }

    fn answer(&self, questions: &Questions<'_>) -> Result<Answers, DataError> {
        let explain = |failure| failure::explain(failure, &self.rows);
        self.answered(questions, |program| self.run(program, questions.stop, None).map_err(explain))
    }
}

impl FileEngine {
    /// The answers to all questions, whose program is `read` in some way.
    pub(super) fn answered<'q>(
        &'q self,
        questions: &Questions<'q>,
        read: impl FnOnce(&Program<'q>) -> Result<Vec<Cells>, DataError>,
    ) -> Result<Answers, DataError> {
        let mut program = Program::new(self.table());
        questions.queries.iter().try_for_each(|query| program.ask(query))?;
        questions.surveys.iter().try_for_each(|survey| program.survey(survey))?;
        let mut tallies: Vec<Tally> = read(&program)?.into_iter().map(Cells::into_tally).collect();
        if planted(Defect::EmptyRefused) && kept_rows() == 0 {
            return Err(DataError::NoRows);
        }
        let surveyed = tallies.split_off(tallies.len() - questions.surveys.len());
        let surveys = questions.surveys.iter().zip(surveyed).map(|(survey, tally)| counts(survey, tally)).collect();
        let mut tallies = tallies.into_iter();
        let mut of_query = |query: &&Query| match query.keys.as_ref().and_then(Keys::margins) {
            None => tallies.next().expect("one tally for each query"),
            Some(margins) => Tally::one_after_another(&tallies.by_ref().take(margins.len()).collect::<Vec<_>>()),
        };
        Ok(Answers { tallies: questions.queries.iter().map(&mut of_query).collect(), surveys })
    }
}

/// All counts of a survey, in the order of its documentation.
fn counts(survey: &Survey, tally: Tally) -> Answer {
    let rows = survey.rows.then_some(tally.counts);
    let counts: Vec<Answer> = rows.into_iter().chain(tally.sums).collect();
    Answer::side_by_side(&counts)
}
