//! Partial results of rows that are elsewhere, each computed by the holder of the rows.
//!
//! **Idea.** Answers are exact integers, so it does not matter where rows are read. A [`ShareQuestion`] says what is
//! asked of rows of a schema. Each holder of some of the rows makes a [`SealedShare`] of them, the sealed partial
//! result, by the same program that reads files; [`Shares`] adds up what comes back, in any order, and an
//! [`Engine`](crate::Engine) answers from the sum. Which rows go where, who reads them, and what happens when a machine
//! is lost is left to engines that exist.
//!
//! **Invariants.** A share is one of *this* question: it is sealed under a key that was drawn for the question and
//! travels with it, so that it cannot be read, altered or made without it, and no share of another question opens.
//! Each part of the rows counts once, however often its share comes. Under a bound on the rows of a unit no unit is
//! in two parts: each share says which groups of units it has, and no two may have the same.

mod collected;
mod error;
mod question;
mod seal;

use serde::{Deserialize, Serialize};

pub use self::collected::{SharedEngine, Shares};
pub use self::error::ShareError;
pub use self::question::ShareQuestion;
pub use self::seal::SealedShare;
use crate::{DataError, KeyValue, LearnKeys, PerUnit, Query, Questions, Survey};

/// Everything that is asked of rows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    /// Questions to tally.
    pub queries: Vec<Query>,
    /// Questions about the rows themselves.
    pub surveys: Vec<Survey>,
    /// Keys that are learned.
    pub learned: Vec<LearnKeys>,
}

impl Asked {
    /// Collects these questions, and these for keys.
    pub fn new(questions: &Questions<'_>, learned: impl IntoIterator<Item = LearnKeys>) -> Self {
        Self {
            queries: questions.queries.iter().copied().cloned().collect(),
            surveys: questions.surveys.iter().copied().cloned().collect(),
            learned: learned.into_iter().collect(),
        }
    }

    fn is(&self, questions: &Questions<'_>) -> bool {
        self.queries.iter().eq(questions.queries.iter().copied())
            && self.surveys.iter().eq(questions.surveys.iter().copied())
    }

    /// The column whose rows of one value must meet in one part, if there is one.
    fn unit(&self, per_unit: Option<&PerUnit>) -> Result<Option<String>, DataError> {
        let queries = self.queries.iter().map(|query| &query.bound);
        let surveys = self.surveys.iter().map(|survey| &survey.bound);
        let bounds = queries.chain(surveys).chain(self.learned.iter().map(|asked| &asked.bound)).flatten();
        // Of a table of units none is bounded.
        let mut units = per_unit.map(|per_unit| &per_unit.unit).into_iter().chain(bounds.map(|bound| &bound.unit));
        let first = units.next();
        match units.find(|unit| Some(*unit) != first) {
            None => Ok(first.cloned()),
            Some(other) => {
                Err(ShareError::TwoUnits { first: first.cloned().unwrap_or_default(), second: other.clone() }.into())
            }
        }
    }
}

/// Which part of the rows a share is of. Shares of one part are one share, which counts once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    /// The part of this number, as engines number their partitions: the same rows whenever it is read.
    Number(u64),
    /// A part without a number: each reading of it counts as another part, and only a copy of the same share is
    /// recognised.
    Unnumbered([u8; 16]),
}

impl Part {
    /// A part without a number.
    ///
    /// # Errors
    /// [`ShareError::Entropy`] if the operating system gives no randomness.
    pub fn unnumbered() -> Result<Self, ShareError> {
        Ok(Self::Unnumbered(seal::random()?))
    }
}

/// Content of a share. Private.
#[derive(Serialize, Deserialize)]
struct Content {
    part: Part,
    /// The groups of units that it has rows of, ascending.
    groups: Vec<u16>,
    numbers: Vec<i128>,
    learned: Vec<Vec<(Vec<KeyValue>, i64)>>,
}
