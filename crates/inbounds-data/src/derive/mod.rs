//! Columns that the files do not have: each value is made of the other cells of its row, by a rule that is public.
//!
//! A rule is total: whatever the cells, it gives a value or a missing one, and nothing can fail. What could fail for
//! some cell, such as a division by what may be zero, is refused before a row is read.

mod dialect;
mod expression;
mod formula;
mod possible;

pub use self::expression::Expression;
pub(crate) use self::expression::{columns_of, parse_sql};
pub use self::formula::{Formula, FormulaError, Magnitude, NumberRange};
pub use self::possible::{Rules, Together, together};

use crate::{DatePart, Day, KeyValue};

/// A column that is made of others, row by row.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DerivedColumn {
    /// Its name, which no column of the files has.
    pub name: String,
    /// Rule that makes its values.
    pub rule: Derivation,
}

/// Rule that makes the values of a column from other columns, which may be derived themselves. Public.
///
/// Where an input is missing the result is missing, but for codes that list the missing cell, and for conditions, which
/// follow the logic of SQL: `a IS NULL` is true where `a` is missing.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Derivation {
    /// A whole number that is taken from a date, or its period.
    Taken {
        /// The column of dates.
        from: String,
        /// The part to take.
        part: DatePart,
    },
    /// The time from one date of a row to another, negative where the second comes first.
    Elapsed {
        /// The date from which it is counted.
        from: String,
        /// The date to which it is.
        to: String,
        /// The unit to count.
        unit: DateSpan,
    },
    /// The class of a number or a date.
    Cut {
        /// The column that is cut: of integers, numbers or dates.
        from: String,
        /// Where each class but the first begins.
        cuts: Cuts,
        /// Names of the classes, from the lowest to the highest: one more than there are cuts, all of one kind.
        classes: Vec<KeyValue>,
    },
    /// The outcome of a code.
    Recoded {
        /// The column of codes: integers, texts or Booleans.
        from: String,
        /// Codes, each once, the missing cell perhaps among them, and what they stand for: a value, all of one kind, or
        /// nothing, which is missing.
        codes: Vec<(KeyValue, Option<KeyValue>)>,
        /// Outcome of every other value.
        others: Option<KeyValue>,
    },
    /// The entry of a public list for the values of several columns, or a number that it gives.
    LookedUp {
        /// The columns whose values are looked up: integers, texts or Booleans.
        from: Vec<String>,
        /// Their values, each combination once.
        keys: Vec<Vec<KeyValue>>,
        /// Outcome of each of them, and of every other one without a missing value.
        to: Outcomes,
    },
    /// The truth of a condition, in the language of [`Query::filter`](crate::Query).
    Condition(String),
    /// A number that is computed from others.
    Computed {
        /// The computed formula.
        formula: Formula,
        /// For each column of the formula the range to which its numbers are clipped first; that of a Boolean is 0
        /// to 1.
        ranges: Vec<NumberRange>,
    },
}

/// Outcomes for the rows of a public list.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Outcomes {
    /// Values, all of one kind, or nothing, which is missing.
    Values {
        /// That of each row.
        of: Vec<Option<KeyValue>>,
        /// That of all that the list does not have.
        others: Option<KeyValue>,
    },
    /// Finite numbers, or nothing.
    Numbers {
        /// That of each row.
        of: Vec<Option<f64>>,
        /// That of all that the list does not have.
        others: Option<f64>,
    },
}

impl Outcomes {
    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        match self {
            Self::Values { of: values, .. } => values.len(),
            Self::Numbers { of: numbers, .. } => numbers.len(),
        }
    }
}

/// Unit counted between two dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum DateSpan {
    /// Days: nights between two days.
    Days,
    /// Completed years, as [`DatePart::AgeAt`] counts them.
    Years,
}

/// Where classes begin, in increasing order.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum Cuts {
    /// For numbers: finite.
    Numbers(Vec<f64>),
    /// For dates.
    Days(Vec<Day>),
}

impl Cuts {
    /// Number of cuts.
    pub(crate) fn count(&self) -> usize {
        match self {
            Self::Numbers(cuts) => cuts.len(),
            Self::Days(cuts) => cuts.len(),
        }
    }

    /// As doubles, days as their number since 1970.
    pub(crate) fn as_numbers(&self) -> Vec<f64> {
        match self {
            Self::Numbers(cuts) => cuts.clone(),
            Self::Days(cuts) => cuts.iter().map(|day| day.days() as f64).collect(),
        }
    }
}

impl Derivation {
    /// The values that it can have, each once, where there are few enough to be listed.
    pub fn values(&self) -> Option<Vec<KeyValue>> {
        let all: Vec<&KeyValue> = match self {
            Self::Cut { classes, .. } => classes.iter().collect(),
            Self::Recoded { codes, others, .. } => {
                codes.iter().filter_map(|(_, to)| to.as_ref()).chain(others).collect()
            }
            Self::LookedUp { to: Outcomes::Values { of: values, others }, .. } => {
                values.iter().flatten().chain(others).collect()
            }
            Self::Condition(_) => return Some(vec![KeyValue::Boolean(false), KeyValue::Boolean(true)]),
            Self::Taken { part, .. } => return part.values(),
            Self::Elapsed { .. } | Self::Computed { .. } | Self::LookedUp { .. } => return None,
        };
        let mut seen = std::collections::HashSet::new();
        Some(all.into_iter().filter(|value| seen.insert(*value)).cloned().collect())
    }

    /// `true` if it gives an outcome for a missing cell.
    pub fn names_missing(&self) -> bool {
        match self {
            Self::Recoded { codes, .. } => codes.iter().any(|(code, _)| *code == KeyValue::Missing),
            Self::LookedUp { keys, .. } => keys.iter().flatten().any(|value| *value == KeyValue::Missing),
            Self::Taken { .. }
            | Self::Elapsed { .. }
            | Self::Cut { .. }
            | Self::Condition(_)
            | Self::Computed { .. } => false,
        }
    }

    /// The columns that it is made of.
    ///
    /// # Errors
    /// [`DataError::FilterSyntax`](crate::DataError::FilterSyntax) for a condition that cannot be read.
    pub fn inputs(&self) -> Result<Vec<String>, crate::DataError> {
        match self {
            Self::Taken { from, .. } | Self::Cut { from, .. } | Self::Recoded { from, .. } => Ok(vec![from.clone()]),
            Self::LookedUp { from, .. } => Ok(from.clone()),
            Self::Elapsed { from, to, .. } => Ok(vec![from.clone(), to.clone()]),
            Self::Condition(text) => Ok(columns_of(&parse_sql(text)?)),
            Self::Computed { formula, .. } => Ok(formula.columns().to_vec()),
        }
    }
}
