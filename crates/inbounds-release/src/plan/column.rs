//! The plan's description of the columns of the data.

use std::sync::Arc;

use inbounds_bundle::FileEntry;
use inbounds_core::Rational;
use inbounds_data::{DateFormat, KeyValue, Kind, NumberStyle, SetColumn};
use inbounds_input::document::Spanned;
use inbounds_statistics::Missing;

use super::{Derived, Plan, TakenPerUnit};

/// One `[columns.<name>]` table.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Column {
    /// Name of the column, at its table.
    pub name: Spanned<String>,
    /// Type written in the plan, or that of what it is made of: always there for CSV data, optional for Parquet, which
    /// carries its own.
    pub column_type: Option<Spanned<Kind>>,
    /// Its derivation from others, if the data do not have it.
    pub derived: Option<Derived>,
    /// Number or value taken from the rows of a unit, for a column of units.
    pub per_unit: Option<TakenPerUnit>,
    /// Clipping bounds, those that follow for a formula included; there for each column that is summed or averaged.
    pub bounds: Option<Bounds>,
    /// Treatment of a missing number; there for each column whose numbers a statistic reads.
    pub missing: Option<Missing>,
    /// Public list of the possible values, each once and all of one type; never an empty list.
    pub values: Option<Vec<Spanned<KeyValue>>>,
    /// Format of a cell with several of the values, if there are such: its type is then text.
    pub set: Option<SetOfValues>,
    /// Spelling of its cells.
    pub cells: ColumnCells,
    /// Its label, for people.
    pub label: Option<String>,
    /// The unit of its values, for people.
    pub unit: Option<String>,
    /// Labels of its values, in the order of the text. Values without a label are shown as they are.
    pub labels: Vec<(KeyValue, String)>,
    /// A map of its values.
    pub map: Option<PublicMap>,
}

/// A public file of areas, each with a value of the column.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PublicMap {
    /// The file, by its name in the plan.
    pub file: FileEntry,
    /// The property that is the value.
    pub key: String,
    /// The bytes of the file.
    pub bytes: Arc<[u8]>,
}

/// Spelling of the cells of a column, as far as its table says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnCells {
    /// Codes of a missing value, in place of the list of `[data]`.
    pub missing_values: Option<Spanned<Vec<Spanned<String>>>>,
    /// True if blanks around a text are no part of it.
    pub trim: Option<Spanned<bool>>,
    /// The separator of groups of three digits.
    pub thousands: Option<Spanned<char>>,
    /// The separator of decimals.
    pub decimal: Option<Spanned<char>>,
    /// Marks in numbers besides digits and separators.
    pub number: Option<Spanned<NumberStyle>>,
    /// Format of dates.
    pub date: Option<Spanned<DateFormat>>,
}

/// Format of a cell with several of the listed values.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetOfValues {
    /// Separator between two of them.
    pub separator: String,
    /// Most values of a cell that count; none for as many as there are.
    pub most: Option<Spanned<u64>>,
}

impl Column {
    /// The column as the engine reads it, if its cells hold several values.
    pub fn set(&self) -> Option<SetColumn> {
        let (set, values) = (self.set.as_ref()?, self.values.as_ref()?);
        let options: Vec<String> = values.iter().map(|value| value.value.to_string()).collect();
        let most = set.most.as_ref().map_or(options.len() as u64, |most| most.value);
        let (column, separator) = (self.name.value.clone(), set.separator.clone());
        Some(SetColumn { column, separator, options, most: u32::try_from(most).unwrap_or(u32::MAX) })
    }

    /// `true` if it is known to hold truth values, which are summed as 0 and 1.
    pub(crate) fn is_boolean(&self) -> bool {
        self.column_type.as_ref().is_some_and(|kind| kind.value == Kind::Boolean)
    }

    /// Its name for people: its label, or its name.
    pub fn called(&self) -> &str {
        self.label.as_deref().unwrap_or(&self.name.value)
    }

    /// Name of one of its values for people: the label, or the value as tables write it.
    pub fn value_called(&self, value: &KeyValue) -> String {
        let label = self.labels.iter().find(|(labelled, _)| labelled == value);
        label.map_or_else(|| value.to_string(), |(_, label)| label.clone())
    }
}

impl Plan {
    /// Those of the engine's columns whose values distinguish rows: a cell with several values limits nothing.
    pub(crate) fn limiting(&self, columns: &[inbounds_data::Column]) -> Vec<inbounds_data::Column> {
        let is_set = |name: &str| self.row_column(name).is_some_and(|column| column.set.is_some());
        columns.iter().filter(|column| !is_set(&column.name)).cloned().collect()
    }

    /// Name of a column for people: its label, or its name.
    pub fn called<'n>(&'n self, column: &'n str) -> &'n str {
        self.column(column).map_or(column, Column::called)
    }

    /// Name of a value of a column for people: its label, or the value as tables write it.
    pub fn value_called(&self, column: &str, value: &KeyValue) -> String {
        self.column(column).map_or_else(|| value.to_string(), |column| column.value_called(value))
    }

    /// Name of a column for people, with its unit if it has one.
    pub fn with_unit(&self, column: &str) -> String {
        let unit = self.column(column).and_then(|column| column.unit.as_deref());
        let called = self.called(column);
        unit.map_or_else(|| called.to_owned(), |unit| format!("{called} ({unit})"))
    }
}

/// Bounds to which the values of a column are clipped before a sum: `lower < upper`, both exact.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bounds {
    /// Smallest value after clipping, in the unit of the column.
    pub lower: Spanned<Rational>,
    /// Largest value after clipping, in the unit of the column.
    pub upper: Spanned<Rational>,
}
