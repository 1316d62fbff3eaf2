//! A statistic with all that its preparation depends on, from the words of the plan to the library.

use inbounds_statistics::{Column, OutputRange, Setting, StatisticError, bayes::SupposedClass};

use crate::plan::StatisticKind;

/// What a statistic of the plan asks for. Public, like the plan.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) kind: StatisticKind,
    pub(crate) range: OutputRange,
    pub(crate) setting: Setting,
    /// The columns that it reads, in order, with their bounds.
    pub(crate) columns: Vec<Column>,
    /// Whether all columns have type integer.
    pub(crate) whole: bool,
    /// Whether missing values of every column count as some value.
    pub(crate) imputed: bool,
    /// The classes of a model as the plan describes them, in the order of the keys; none if it does not.
    pub(crate) classes: Vec<SupposedClass>,
}

impl Asked {
    /// The one column, with its bounds.
    ///
    /// # Errors
    /// [`StatisticError::NoBounds`].
    pub(crate) fn column(&self, kind: &'static str) -> Result<Column, StatisticError> {
        self.columns.first().cloned().ok_or(StatisticError::NoBounds { kind })
    }

    /// Bounds of a column, as doubles.
    pub(crate) fn ends(&self, column: usize) -> (f64, f64) {
        let bounds = &self.columns[column].bounds;
        (bounds.lower.to_f64(), bounds.upper.to_f64())
    }

    /// The public number of rows that the statistic is of, where there is one.
    pub(crate) fn rows(&self) -> Option<u64> {
        self.kind.planned().rows(self)
    }

    /// The same over another public number of rows.
    pub(crate) fn over_rows(&self, rows: u64) -> Self {
        let mut other = self.clone();
        other.setting.design.rows = Some(rows);
        other
    }
}
