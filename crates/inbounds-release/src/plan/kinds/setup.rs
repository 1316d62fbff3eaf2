//! A statistic as its kind sees it after it was read: columns, setting, grouping columns, described classes.

use inbounds_statistics::{Setting, bayes::ClassDistribution};

use crate::plan::columns::Columns;

/// Properties of a prepared statistic that its kind may use.
pub(crate) struct Setup<'a> {
    /// The columns that it reads.
    pub(crate) columns: &'a Columns,
    /// The unit, the cells and the privacy parameters that it was calibrated for.
    pub(crate) setting: &'a Setting,
    /// Names of the grouping columns; empty for a whole statistic.
    pub(crate) key_columns: &'a [String],
    /// Classes of a model as the plan describes them, in the order of the keys; none if it does not.
    pub(crate) classes: &'a [ClassDistribution],
}

impl Setup<'_> {
    /// The public number of rows where each counts exactly once, with a value in every column.
    pub(crate) fn complete_rows(&self) -> Option<u64> {
        self.setting.complete_rows(&self.columns.bounded)
    }
}
