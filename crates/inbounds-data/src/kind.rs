//! Kinds of columns.

use std::fmt;

use arrow::datatypes::DataType;

/// Kind of a column's content, as far as a plan is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Kind {
    /// Whole numbers.
    Integer,
    /// Fractional numbers: floats and decimals.
    Number,
    /// Strings.
    Text,
    /// True or false.
    Boolean,
    /// Days of the calendar; a time of day is left out.
    Date,
    /// Anything else, such as bytes and nested columns: of no use in a query but for `IS NULL`.
    Other,
}

impl Kind {
    /// A type of Arrow of which each value is one of this kind.
    pub(crate) fn stored(self) -> DataType {
        match self {
            Self::Integer => DataType::Int64,
            Self::Number => DataType::Float64,
            Self::Text => DataType::Utf8,
            Self::Boolean => DataType::Boolean,
            Self::Date => DataType::Date32,
            Self::Other => DataType::Null,
        }
    }

    /// The word for it in plans and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Text => "text",
            Self::Boolean => "boolean",
            Self::Date => "date",
            Self::Other => "other",
        }
    }

    /// `true` if cells that a file stores as `stored` can be read as this kind: texts as any kind but `Other`, numbers
    /// and whole numbers as either of these or as true or false, and cells of another kind as that kind alone.
    pub fn reads(self, stored: Self) -> bool {
        match stored {
            Self::Text => matches!(self, Self::Text | Self::Integer | Self::Number | Self::Boolean | Self::Date),
            Self::Integer | Self::Number => matches!(self, Self::Integer | Self::Number | Self::Boolean),
            Self::Boolean | Self::Date | Self::Other => self == stored,
        }
    }

    pub(crate) fn from_data_type(data_type: &DataType) -> Self {
        match data_type {
            DataType::Dictionary(_, values) => Self::from_data_type(values),
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => Self::Text,
            DataType::Boolean => Self::Boolean,
            DataType::Date32 | DataType::Date64 | DataType::Timestamp(..) => Self::Date,
            integer if integer.is_integer() => Self::Integer,
            number if number.is_floating() || number.is_decimal() => Self::Number,
            _ => Self::Other,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
