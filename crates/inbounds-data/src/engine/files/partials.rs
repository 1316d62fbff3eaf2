//! Partial results of rows, as numbers that add up wherever the rows are, and the answers made of them.
//!
//! **Idea.** The cells of all questions, one after another in the order of the questions, are a vector of whole
//! numbers. That of a table is the sum of those of its parts, if of each unit under a bound all rows are in one part:
//! what is kept of a unit depends on its own rows alone. Learned keys are found and counted in each part, because a
//! key is chosen under a bound by its values and not by its place ([`super::bound::CellNames`]), and add up by key.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::sync::atomic::AtomicBool;

use arrow::array::RecordBatch;
use siphasher::sip::SipHasher24;

use super::FileEngine;
use super::cells::{Cells, Shape};
use super::failure::{Failure, explain};
use super::program::Program;
use super::scan::usual;
use super::threads::is_set;
use super::units::{Name, UnitNames};
use crate::share::{Asked, ShareError};
use crate::{Answers, ContributionBound, DataError, KeyValue, LearnKeys, LearnedCells, LearnedKeys, Questions, Source};

/// Partial results of rows. Private, and without a form in which they could be shown.
pub(crate) struct Partials {
    /// The cells of all queries and surveys.
    pub(crate) numbers: Vec<i128>,
    /// For each question for keys those that were found, sorted, with their numbers of rows.
    pub(crate) learned: Vec<Vec<(Vec<KeyValue>, i64)>>,
}

impl FileEngine {
    /// The opened source, with the reduction of its units.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The columns of the rows, whatever is made of their units.
    pub(crate) fn columns_of_rows(&self) -> &[crate::Column] {
        &self.rows.columns
    }

    /// Partial results of the rows.
    ///
    /// # Errors
    /// Those of [`Engine::answer`](crate::Engine::answer) and [`Engine::learn`](crate::Engine::learn).
    pub(crate) fn partials(&self, asked: &Asked, stop: Option<&AtomicBool>) -> Result<Partials, DataError> {
        let explain = |failure: Failure| explain(failure, &self.rows);
        let stopped = || is_set(stop);
        let limits = (self.threads.get(), &self.memory);
        let units = self.units.as_ref().map(|units| units.read(&self.rows, limits, &stopped));
        let units: Option<Vec<RecordBatch>> = units.transpose().map_err(explain)?;
        if stopped() {
            return Err(DataError::Stopped);
        }
        let program = self.program(asked)?;
        let cells = match program.queries.is_empty() {
            true => Vec::new(),
            false => self.run(&program, stop, units.as_deref()).map_err(explain)?,
        };
        let learned = asked.learned.iter().map(|asked| {
            let (keys, cells) = self.learned_counts(asked, stop, units.as_deref())?;
            let counts = cells.iter().flat_map(Cells::counts);
            Ok(keys.into_iter().zip(counts).collect())
        });
        let learned = learned.collect::<Result<_, DataError>>()?;
        Ok(Partials { numbers: cells.iter().flat_map(Cells::numbers).collect(), learned })
    }

    /// Places of the columns of the rows that are read for these questions, and of those that units are read from.
    ///
    /// # Errors
    /// Whatever would be refused before rows are read.
    pub(crate) fn columns_read(
        &self,
        asked: &Asked,
        unit: Option<&str>,
    ) -> Result<(Vec<usize>, Vec<usize>), DataError> {
        asked.learned.iter().try_for_each(|asked| self.check_learned(asked))?;
        let mut program = match &self.units {
            Some(units) => {
                self.program(asked)?;
                let mut program = Program::new(&self.rows);
                units.ask(&mut program);
                program
            }
            None => {
                let mut program = self.program(asked)?;
                for asked in &asked.learned {
                    program.keys_of(asked)?;
                }
                program
            }
        };
        let mut of_units = Program::new(&self.rows);
        if let Some(unit) = unit {
            let bound = ContributionBound::of_rows(unit, 1);
            program.unit(&bound)?;
            of_units.unit(&bound)?;
        }
        Ok((program.columns(), of_units.columns()))
    }

    fn program<'q>(&'q self, asked: &'q Asked) -> Result<Program<'q>, DataError> {
        let mut program = Program::new(self.table());
        asked.queries.iter().try_for_each(|query| program.ask(query))?;
        asked.surveys.iter().try_for_each(|survey| program.survey(survey))?;
        Ok(program)
    }

    /// The answers that these cells add up to; without any cells they are the answers of no rows.
    pub(crate) fn answers_of(&self, questions: &Questions<'_>, numbers: &[i128]) -> Result<Answers, DataError> {
        self.answered(questions, |program| {
            let mut all = super::cells(program);
            let mut rest = numbers.iter().copied();
            let fit = numbers.is_empty() || all.iter_mut().all(|cells| cells.add_numbers(|| rest.next()).is_some());
            if fit && rest.next().is_none() { Ok(all) } else { Err(ShareError::NoAnswer.into()) }
        })
    }

    /// The learned keys that these counts are of.
    pub(crate) fn learned_of(
        &self,
        asked: &LearnKeys,
        counts: &BTreeMap<Vec<KeyValue>, i64>,
    ) -> Result<LearnedCells, DataError> {
        self.check_learned(asked)?;
        let mut cells = Cells::new(&Shape { cells: counts.len(), values: 0, products: Vec::new() });
        let mut rest = counts.values().map(|&count| i128::from(count));
        cells.add_numbers(|| rest.next()).ok_or(ShareError::NoAnswer)?;
        let keys = LearnedKeys::new(asked.columns.clone(), counts.keys().cloned().collect());
        Ok(LearnedCells { keys, counts: cells.into_tally().counts })
    }

    /// The group of each row's unit; none for a row without one.
    ///
    /// # Errors
    /// [`DataError::WrongKind`] and the like for a column that names no units, [`DataError::Engine`] for a batch of
    /// other columns.
    pub(crate) fn unit_groups(
        &self,
        unit: &str,
        batch: &RecordBatch,
        groups: &UnitGroups,
    ) -> Result<Vec<Option<u16>>, DataError> {
        let mut program = Program::new(&self.rows);
        let unit = program.unit(&ContributionBound::of_rows(unit, 1))?;
        let columns = program.columns();
        let read = || {
            let place = |&column: &usize| batch.schema_ref().index_of(&self.rows.columns[column].name);
            let order = columns.iter().map(place).collect::<arrow::error::Result<Vec<_>>>()?;
            let values = program.values(&usual(&batch.project(&order)?)?, &columns)?;
            let names = UnitNames::new(values.array(unit))?;
            Ok((0..names.len()).map(|row| names.name_at(row).map(|name| groups.group(name))).collect())
        };
        read().map_err(|error| explain(Failure::Reader(error), &self.rows))
    }
}

/// Divides units into groups by a hash of their names, as they are read, under a key: a reader who lacks the key cannot
/// tell the group of a name.
#[derive(Clone)]
pub(crate) struct UnitGroups(SipHasher24);

impl UnitGroups {
    /// Number of groups.
    pub(crate) const GROUPS: usize = 1 << 16;

    pub(crate) fn new(key: &[u8; 16]) -> Self {
        Self(SipHasher24::new_with_key(key))
    }

    fn group(&self, name: Name<'_>) -> u16 {
        let mut hasher = self.0;
        match name {
            Name::Integer(unit) => hasher.write(&unit.to_le_bytes()),
            Name::Text(unit) => {
                hasher.write(unit.as_bytes());
                // No text is a number: it has one byte more.
                hasher.write(&[255]);
            }
        }
        (hasher.finish() & 0xffff) as u16
    }
}
