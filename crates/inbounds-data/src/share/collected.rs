//! Merges the partial results of the workers, and answers from their sum.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use siphasher::sip128::{Hasher128, SipHasher24};

use super::{Asked, Content, Part, ShareError, ShareQuestion};
use crate::engine::UnitGroups;
use crate::{
    Answers, Column, DataError, Engine, FileEngine, KeyValue, LearnKeys, LearnedCells, Query, Questions, UnitMemory,
};

/// Sum of the shares of a question so far. **Private.**
///
/// # Law
/// Let the rows of a table be divided into parts, in any way where no unit is bounded, and with all rows of a unit in
/// one part where one is. For the shares of all parts, in any order and each any number of times, the answers are
/// those of a [`FileEngine`] of the whole table, integer by integer. Claim: `answers-from-shares`.
pub struct Shares {
    question: ShareQuestion,
    /// Hash of the partial result of each part, to detect another reading of the part.
    parts: HashMap<Part, u128>,
    /// The part with each group of units.
    groups: Vec<Option<Part>>,
    /// The sum of all cells; empty before the first share.
    numbers: Vec<i128>,
    learned: Vec<BTreeMap<Vec<KeyValue>, i64>>,
}

/// Hand-written: the derived one would print private numbers.
impl fmt::Debug for Shares {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shares").finish_non_exhaustive()
    }
}

impl Shares {
    /// No shares yet, which answer as no rows do.
    pub fn new(question: ShareQuestion) -> Self {
        let learned = question.record.asked.learned.iter().map(|_| BTreeMap::new()).collect();
        let groups = if question.unit().is_some() { vec![None; UnitGroups::GROUPS] } else { Vec::new() };
        Self { question, parts: HashMap::new(), groups, numbers: Vec::new(), learned }
    }

    /// Counts a share, once: false for one whose part has been counted.
    ///
    /// # Errors
    /// [`ShareError`]: what is no share of this question, or was altered; two contents of one part; rows of one unit
    /// in two parts. What was counted before stays as it was.
    pub fn add(&mut self, share: &[u8]) -> Result<bool, ShareError> {
        let Content { part, groups, numbers, learned } = self.question.record.secret.open(share)?;
        let hash = hash_of(&groups, &numbers, &learned);
        if let Some(known) = self.parts.get(&part) {
            return if *known == hash { Ok(false) } else { Err(ShareError::Differs { part: part.number() }) };
        }
        let is_free = |group: &u16| self.groups.get(usize::from(*group)).is_some_and(Option::is_none);
        if !groups.iter().all(is_free) {
            return Err(ShareError::UnitsApart);
        }
        let is_same = self.parts.is_empty() || self.numbers.len() == numbers.len();
        if !is_same || learned.len() != self.learned.len() {
            return Err(ShareError::NoAnswer);
        }
        let sums = match self.parts.is_empty() {
            true => numbers,
            false => {
                let sums = self.numbers.iter().zip(numbers).map(|(sum, number)| sum.checked_add(number));
                sums.collect::<Option<Vec<i128>>>().ok_or(ShareError::NoAnswer)?
            }
        };
        for (total, counts) in self.learned.iter().zip(&learned) {
            let fits = |(key, count): &(Vec<KeyValue>, i64)| total.get(key).unwrap_or(&0).checked_add(*count).is_some();
            if !counts.iter().all(fits) {
                return Err(ShareError::NoAnswer);
            }
        }
        self.numbers = sums;
        for (total, counts) in self.learned.iter_mut().zip(learned) {
            counts.into_iter().for_each(|(key, count)| *total.entry(key).or_default() += count);
        }
        groups.iter().for_each(|group| self.groups[usize::from(*group)] = Some(part));
        self.parts.insert(part, hash);
        Ok(true)
    }

    /// Number of parts that were counted.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    fn asked(&self) -> &Asked {
        &self.question.record.asked
    }
}

impl Part {
    fn number(self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(number),
            Self::Unnumbered(_) => None,
        }
    }
}

/// A hash of what is in a share.
fn hash_of(groups: &[u16], numbers: &[i128], learned: &[Vec<(Vec<KeyValue>, i64)>]) -> u128 {
    let mut hasher = SipHasher24::new();
    groups.hash(&mut hasher);
    numbers.hash(&mut hasher);
    hasher.write_usize(learned.len());
    for counts in learned {
        hasher.write(&postcard::to_stdvec(counts).expect("keys are plain data"));
    }
    hasher.finish128().as_u128()
}

/// The engine whose rows are elsewhere, and are known by their shares. What it says of columns and questions is what
/// the schema says.
pub struct SharedEngine {
    here: FileEngine,
    shares: Arc<Shares>,
}

impl FileEngine {
    /// An engine of rows that have the columns of this one, and of which these are the shares.
    pub fn with_shares(self, shares: Arc<Shares>) -> SharedEngine {
        SharedEngine { here: self, shares }
    }
}

impl Engine for SharedEngine {
    fn columns(&self) -> &[Column] {
        self.here.columns()
    }

    fn columns_of_files(&self) -> &[Column] {
        self.here.columns_of_files()
    }

    /// Units are where the rows are.
    fn limit_units(&mut self, _: &UnitMemory) {}

    fn check(&self, query: &Query) -> Result<(), DataError> {
        self.here.check(query)
    }

    fn check_keys(&self, asked: &LearnKeys) -> Result<(), DataError> {
        self.here.check_keys(asked)
    }

    /// The keys of a question that the shares were asked.
    fn learn(&self, asked: &LearnKeys, _: Option<&AtomicBool>) -> Result<LearnedCells, DataError> {
        let place = self.shares.asked().learned.iter().position(|known| known == asked);
        let place = place.ok_or(ShareError::NoAnswer)?;
        self.here.learned_of(asked, &self.shares.learned[place])
    }

    /// The answers to the questions that the shares were asked, and to no others.
    fn answer(&self, questions: &Questions<'_>) -> Result<Answers, DataError> {
        if !self.shares.asked().is(questions) {
            return Err(ShareError::NoAnswer.into());
        }
        self.here.answers_of(questions, &self.shares.numbers)
    }
}
