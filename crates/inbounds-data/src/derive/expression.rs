//! The text of an expression: a condition or a formula.

use sqlparser::ast::{BinaryOperator, Expr as Sql, UnaryOperator, Value};
use sqlparser::parser::ParserError;
use sqlparser::tokenizer::Token;

use super::{Formula, FormulaError, dialect};
use crate::DataError;

/// Longest text. A chain of conditions is a tree as deep as the chain is long, and the parser builds it whole.
const LONGEST: usize = 1 << 16;

/// Meaning of an expression: a condition or a number.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A condition, in the language of [`Query::filter`](crate::Query), and the columns that it names, each once.
    Condition {
        /// Its text.
        text: String,
        /// The columns.
        columns: Vec<String>,
    },
    /// A number.
    Formula(Formula),
}

impl Expression {
    /// Reads an expression. A comparison, `AND`, `OR` and the like make it a condition, which is judged only with the
    /// columns at hand; anything else is a formula.
    ///
    /// # Errors
    /// [`FormulaError`] for what is neither.
    ///
    /// # Example
    /// ```
    /// use inbounds_data::Expression;
    /// assert!(matches!(Expression::parse("age >= 65 AND member"), Ok(Expression::Condition { .. })));
    /// assert!(matches!(Expression::parse("12 * rent / least(rooms, 9)"), Ok(Expression::Formula(_))));
    /// assert!(Expression::parse("rent *").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, FormulaError> {
        let sql = parse_sql(text).map_err(|error| FormulaError::Syntax {
            text: text.to_owned(),
            problem: match error {
                DataError::FilterSyntax { problem, .. } => problem,
                other => other.to_string(),
            },
        })?;
        if is_condition(&sql) {
            return Ok(Self::Condition { text: text.to_owned(), columns: columns_of(&sql) });
        }
        Formula::from_sql(&sql).map(Self::Formula)
    }
}

/// The syntax tree of an expression.
pub(crate) fn parse_sql(text: &str) -> Result<Sql, DataError> {
    if text.len() > LONGEST {
        return Err(DataError::FilterLength { bytes: text.len(), most: LONGEST });
    }
    let refuse = |problem: String| DataError::FilterSyntax { filter: text.to_owned(), problem };
    let mut parser = dialect::parser(text).map_err(refuse)?;
    // What the parser says begins with its name.
    let said = |error: ParserError| refuse(error.to_string().trim_start_matches("sql parser error: ").to_owned());
    let sql = parser.parse_expr().map_err(said)?;
    parser.expect_token(&Token::EOF).map_err(said)?;
    Ok(sql)
}

fn is_condition(sql: &Sql) -> bool {
    match sql {
        Sql::Nested(inner) => is_condition(inner),
        Sql::UnaryOp { op, .. } => *op == UnaryOperator::Not,
        Sql::BinaryOp { op, .. } => !matches!(
            op,
            BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply | BinaryOperator::Divide
        ),
        Sql::InList { .. } | Sql::Between { .. } | Sql::Like { .. } | Sql::IsNull(_) | Sql::IsNotNull(_) => true,
        Sql::Value(value) => matches!(value.value, Value::Boolean(_)),
        _ => false,
    }
}

/// The columns that a condition names, each once. Parts that a condition may not have are skipped: its translation
/// refuses them.
pub(crate) fn columns_of(sql: &Sql) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    // By hand, for a chain of conditions is deeper than the stack.
    let mut waiting = vec![sql];
    while let Some(sql) = waiting.pop() {
        match sql {
            Sql::Identifier(name) if !names.contains(&name.value) => names.push(name.value.clone()),
            Sql::Nested(inner) | Sql::IsNull(inner) | Sql::IsNotNull(inner) => waiting.push(inner),
            Sql::UnaryOp { expr, .. } | Sql::InList { expr, .. } => waiting.push(expr),
            Sql::Between { expr, .. } | Sql::Like { expr, .. } => waiting.push(expr),
            Sql::BinaryOp { left, right, .. } => waiting.extend([&**right, left]),
            _ => {}
        }
    }
    names
}
