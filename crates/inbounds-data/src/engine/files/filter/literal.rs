//! The constants of a filter.

use sqlparser::ast::{Expr as Sql, UnaryOperator, Value};

use crate::DataError;

pub(super) enum Literal {
    Integer(i64),
    Number(f64),
    Text(String),
    Boolean(bool),
}

/// The literal that `sql` is, or `None` if it is something else.
pub(super) fn literal(sql: &Sql) -> Result<Option<Literal>, DataError> {
    match sql {
        Sql::Nested(inner) => literal(inner),
        Sql::Value(value) => of_value(sql, &value.value).map(Some),
        Sql::UnaryOp { op: UnaryOperator::Minus, expr } => signed(sql, expr, "-"),
        Sql::UnaryOp { op: UnaryOperator::Plus, expr } => signed(sql, expr, ""),
        _ => Ok(None),
    }
}

fn signed(sql: &Sql, number: &Sql, sign: &str) -> Result<Option<Literal>, DataError> {
    match number {
        Sql::Value(value) => match &value.value {
            Value::Number(digits, false) => of_number(sql, &format!("{sign}{digits}")).map(Some),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

fn of_value(sql: &Sql, value: &Value) -> Result<Literal, DataError> {
    match value {
        Value::Number(digits, false) => of_number(sql, digits),
        Value::SingleQuotedString(text) => Ok(Literal::Text(text.clone())),
        Value::Boolean(value) => Ok(Literal::Boolean(*value)),
        Value::Null => Err(refuse(sql, "write IS NULL or IS NOT NULL")),
        _ => Err(refuse(sql, "a literal is a number, a text in single quotes, TRUE or FALSE")),
    }
}

fn of_number(sql: &Sql, digits: &str) -> Result<Literal, DataError> {
    if let Ok(integer) = digits.parse() {
        return Ok(Literal::Integer(integer));
    }
    match digits.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(Literal::Number(number)),
        _ => Err(refuse(sql, "a number must be a finite decimal")),
    }
}

/// Says what is not allowed, and what is.
pub(super) fn refuse(construct: &impl ToString, remedy: &'static str) -> DataError {
    DataError::FilterRefused { construct: construct.to_string(), remedy }
}
