//! Permitted uses of each type of column. The reader asks with declared types, the schema check with those of the data.

use std::ops::Range;

use inbounds_core::Rational;
use inbounds_input::document::{Complaint, Spanned, shorten};

use super::{KeyValue, Kind};

/// Judges a role and a column's name and type.
pub(super) type Judge = fn(&str, &str, Kind) -> Result<(), Complaint>;

/// Checks that a bound, or a number that stands for a missing value, fits a column of this type.
pub(super) fn number(subject: &str, value: &Rational, column_type: Option<Kind>) -> Result<(), Complaint> {
    match column_type {
        Some(Kind::Integer) if !value.parts().1.is_one() => Err(Complaint::new(
            format!("{subject} must be a whole number in a column of type integer, got {value}"),
            "round it to a whole number",
        )),
        Some(Kind::Integer) if i64::try_from(value.parts().0.clone()).is_err() => Err(Complaint::new(
            format!(
                "{subject} must be a number of 64 bits in a column of type integer, from {} to {}, got {value}",
                i64::MIN,
                i64::MAX
            ),
            "write a nearer number, or type = \"number\"",
        )),
        None | Some(Kind::Integer | Kind::Number) => Ok(()),
        Some(other) => Err(Complaint::new(
            format!("{subject} must be left out for a column of type {other}: only numbers have bounds"),
            "remove it, or mend the type of the column",
        )),
    }
}

/// The listed values that do not fit a column of this type; one complaint where no list would fit it.
pub(super) fn values(subject: &str, list: &[Spanned<KeyValue>], column_type: Kind) -> Vec<(Range<usize>, Complaint)> {
    let remedy = match column_type {
        Kind::Text => "write it in quotes, or mend the type of the column",
        Kind::Integer | Kind::Boolean => "write it without quotes, or mend the type of the column",
        Kind::Number | Kind::Date | Kind::Other => {
            let message =
                format!("{subject} must be left out for a column of type {column_type}: it cannot be a grouping key");
            let complaint =
                Complaint::new(message, of_dates(column_type).unwrap_or("group by an integer, text or boolean column"));
            return list.first().map(|first| (first.span.clone(), complaint)).into_iter().collect();
        }
    };
    let wrong = list.iter().filter(|value| value.value.kind().is_some_and(|kind| kind != column_type));
    wrong
        .map(|value| {
            let shown = shorten(&written(&value.value));
            let message = format!("each entry of {subject} must be of type {column_type}, got {shown}");
            (value.span.clone(), Complaint::new(message, remedy))
        })
        .collect()
}

/// A key value as a plan writes it: text in quotes, so that "1" and 1 differ.
pub(super) fn written(value: &KeyValue) -> String {
    match value {
        KeyValue::Text(text) if text == KeyValue::MISSING => format!("\"'{text}'\""),
        KeyValue::Text(text) => format!("{text:?}"),
        KeyValue::Missing => format!("{:?}", KeyValue::MISSING),
        other => other.to_string(),
    }
}

/// `true` if a column of this type has numbers: truth values are 0 and 1.
pub(super) fn is_numeric(column_type: Kind) -> bool {
    matches!(column_type, Kind::Integer | Kind::Number | Kind::Boolean)
}

/// Checks that a column of this type can name cells or units. `role` says which, as "`by` in statistic `a`".
pub(super) fn key(role: &str, column: &str, column_type: Kind) -> Result<(), Complaint> {
    if matches!(column_type, Kind::Integer | Kind::Text | Kind::Boolean) {
        return Ok(());
    }
    let column = shorten(column);
    Err(Complaint::new(
        format!("{role} must name an integer, text or boolean column, but `{column}` is of type {column_type}"),
        of_dates(column_type).unwrap_or(
            "if it holds codes, which are whole numbers, write type = \"integer\"; otherwise make classes of it with `cut`",
        ),
    ))
}

/// Checks that a column of this type can name privacy units.
pub(super) fn unit(role: &str, column: &str, column_type: Kind) -> Result<(), Complaint> {
    if matches!(column_type, Kind::Integer | Kind::Text) {
        return Ok(());
    }
    let column = shorten(column);
    Err(Complaint::new(
        format!("{role} must name an integer or text column, but `{column}` is of type {column_type}"),
        "name the column that identifies the people or households to protect",
    ))
}

/// Help for a column of dates.
pub(super) fn of_dates(column_type: Kind) -> Option<&'static str> {
    let help =
        "add a column of numbers that are taken from it, with `from`, and take = \"year\", \"month\" or \"age at ...\"";
    (column_type == Kind::Date).then_some(help)
}
