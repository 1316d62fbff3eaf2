//! A column with its public bounds.

use inbounds_core::Rational;

use crate::StatisticError;

/// A column by name, with its public bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Name, for the names of outputs.
    pub name: String,
    /// Public bounds to which rows are clipped.
    pub bounds: ColumnBounds,
}

impl Column {
    /// A column of numbers between two bounds, which are text, such as "0.5" or "1/3", because they are exact.
    ///
    /// # Errors
    /// [`StatisticError::Core`] for text that is no number.
    pub fn new(name: &str, lower: &str, upper: &str, missing: Missing) -> Result<Self, StatisticError> {
        let bounds = ColumnBounds { lower: lower.parse()?, upper: upper.parse()?, integer: false, missing };
        Ok(Self { name: name.to_owned(), bounds })
    }

    /// A column of whole numbers between two bounds.
    ///
    /// # Errors
    /// As [`Column::new`].
    pub fn whole(name: &str, lower: &str, upper: &str, missing: Missing) -> Result<Self, StatisticError> {
        let Self { name, bounds } = Self::new(name, lower, upper, missing)?;
        Ok(Self { name, bounds: ColumnBounds { integer: true, ..bounds } })
    }
}

/// Meaning of a missing value (null, NaN, or text that is no number). There is no default: either choice can make a
/// statistic mislead, and only people who know the data can choose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Missing {
    /// The row is left out of the statistic, so that the number of rows that count is private, also where that of all
    /// rows is public.
    Drop,
    /// The row counts with this value.
    Impute(Rational),
}

/// Public bounds on a column, to which every row is clipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnBounds {
    /// Smallest value kept as it is.
    pub lower: Rational,
    /// Largest value kept as it is.
    pub upper: Rational,
    /// True if the column holds whole numbers, so that sums are exact on the integers.
    pub integer: bool,
    /// The rule for missing values.
    pub missing: Missing,
}

impl ColumnBounds {
    /// Both ends as doubles.
    pub(crate) fn ends(&self) -> (f64, f64) {
        (self.lower.to_f64(), self.upper.to_f64())
    }

    /// `true` if every row counts, because no missing value leaves one out.
    pub(crate) fn keeps_every_row(&self) -> bool {
        self.missing != Missing::Drop
    }
}
