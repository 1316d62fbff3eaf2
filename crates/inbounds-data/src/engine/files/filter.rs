//! The filter language: a small part of SQL in which nothing can fail on a cell.
//!
//! The text is parsed by an SQL parser, and each node of the syntax tree is translated by hand into a [`Condition`];
//! what is not translated is refused. Both sides of a comparison get the same type here (integer, double, text or
//! Boolean), so no cell is cast. An integer column against a literal with a fraction is compared as doubles:
//! rounding a 64-bit integer to a double is monotone and cannot cross a fraction, so the result is exact.

mod condition;
mod literal;
mod region;
mod unquoted;

use std::borrow::Cow;

use sqlparser::ast::{BinaryOperator, Expr as Sql, Ident, UnaryOperator};

pub(super) use self::condition::Condition;
use self::condition::{Comparison, Constants};
use self::literal::{Literal, literal, refuse};
pub use self::region::region;
use self::unquoted::unquoted_date;
use super::program::NodeId;
use super::read::Way;
use crate::derive::parse_sql;
use crate::schema::Table;
use crate::{Column, DataError, Day, Kind, nfc};

/// Deepest nesting of a filter, far below what the stack can take.
const DEPTH: usize = 200;

/// Translates a filter, or says why not.
pub(super) fn filter(text: &str, table: &Table, read: &mut Read<'_>) -> Result<Condition, DataError> {
    if let Some(date) = unquoted_date(text) {
        return Err(refuse(&date, "a date stands in single quotes, with its year, month and day: '2024-12-31'"));
    }
    let sql = parse_sql(text)?;
    Translator { table, read }.condition(&sql, 0)
}

/// Takes a column, read in some way, into the program.
type Read<'r> = dyn FnMut(&Column, Way) -> Result<NodeId, DataError> + 'r;

struct Translator<'t, 'r, 'p> {
    table: &'t Table,
    read: &'r mut Read<'p>,
}

/// Replacement for operators of other languages. They bind tighter than comparisons, so they are found inside an
/// apparent comparison.
fn operator_remedy(sql: &Sql) -> &'static str {
    foreign(sql).unwrap_or("use =, <>, <, <=, >, >=; there is no arithmetic in a filter")
}

fn foreign(sql: &Sql) -> Option<&'static str> {
    match sql {
        Sql::BinaryOp { op: BinaryOperator::BitwiseAnd | BinaryOperator::PGOverlap, .. } => {
            Some("write AND between two conditions")
        }
        Sql::BinaryOp { op: BinaryOperator::BitwiseOr | BinaryOperator::StringConcat, .. } => {
            Some("write OR between two conditions")
        }
        Sql::BinaryOp { left, right, .. } => foreign(left).or_else(|| foreign(right)),
        Sql::Nested(inner) => foreign(inner),
        _ => None,
    }
}

/// Replacement for an expression that is no literal.
fn literal_remedy(sql: &Sql) -> &'static str {
    match sql {
        Sql::Identifier(_) => {
            "put a text in single quotes, as 'female'; double quotes and no quotes are for names of columns"
        }
        Sql::BinaryOp { .. } => operator_remedy(sql),
        _ => "compare a column with a literal",
    }
}

impl<'t> Translator<'t, '_, '_> {
    /// Something that is true, false or null.
    fn condition(&mut self, sql: &Sql, depth: usize) -> Result<Condition, DataError> {
        if depth > DEPTH {
            return Err(refuse(&"...", "nest at most 200 conditions; an IN list takes the place of many ORs"));
        }
        let depth = depth + 1;
        match sql {
            Sql::Nested(inner) => self.condition(inner, depth),
            Sql::UnaryOp { op: UnaryOperator::Not, expr } => Ok(Condition::Not(Box::new(self.condition(expr, depth)?))),
            Sql::BinaryOp { left, op: BinaryOperator::And, right } => {
                let (left, right) = (self.condition(left, depth)?, self.condition(right, depth)?);
                Ok(Condition::And(Box::new(left), Box::new(right)))
            }
            Sql::BinaryOp { left, op: BinaryOperator::Or, right } => {
                let (left, right) = (self.condition(left, depth)?, self.condition(right, depth)?);
                Ok(Condition::Or(Box::new(left), Box::new(right)))
            }
            Sql::BinaryOp { left, op, right } => self.comparison(sql, left, op, right),
            Sql::InList { expr, list, negated } => self.in_list(expr, list, *negated),
            Sql::Between { expr, negated, low, high } => self.between(expr, *negated, low, high),
            Sql::Like { negated, any: false, expr, pattern, escape_char: None } => self.like(expr, *negated, pattern),
            Sql::IsNull(expr) => Ok(Condition::IsNull(self.any_kind(expr)?)),
            Sql::IsNotNull(expr) => Ok(Condition::Not(Box::new(Condition::IsNull(self.any_kind(expr)?)))),
            Sql::Identifier(name) => {
                let column = self.named(name)?;
                match column.kind {
                    Kind::Boolean => Ok(Condition::Column((self.read)(column, Way::Truth)?)),
                    _ => Err(self.wrong_kind(column, "compare it with a literal")),
                }
            }
            _ => Err(refuse(
                sql,
                "a filter is made of comparisons of a column with a literal, or of two dates, AND, OR and NOT",
            )),
        }
    }

    fn comparison(&mut self, sql: &Sql, left: &Sql, op: &BinaryOperator, right: &Sql) -> Result<Condition, DataError> {
        let comparison = match op {
            BinaryOperator::Eq => Comparison::Equal,
            BinaryOperator::NotEq => Comparison::Unequal,
            BinaryOperator::Lt => Comparison::Less,
            BinaryOperator::LtEq => Comparison::LessOrEqual,
            BinaryOperator::Gt => Comparison::Greater,
            BinaryOperator::GtEq => Comparison::GreaterOrEqual,
            _ => return Err(refuse(sql, operator_remedy(sql))),
        };
        if let Some((left, right)) = self.two_dates(left, right)? {
            return Ok(Condition::Columns { left, comparison, right });
        }
        // A literal on the left is moved to the right, which turns the comparison round.
        let (column, constant, comparison) = if literal(left)?.is_some() && literal(right)?.is_none() {
            (right, left, comparison.turned())
        } else {
            (left, right, comparison)
        };
        let (column, with) = self.sides(column, &[constant])?;
        Ok(Condition::Compare { column, comparison, with, place: 0 })
    }

    /// Two columns of dates, which can be compared day by day.
    fn two_dates(&mut self, left: &Sql, right: &Sql) -> Result<Option<(NodeId, NodeId)>, DataError> {
        if literal(left)?.is_some() || literal(right)?.is_some() {
            return Ok(None);
        }
        match (self.column(left), self.column(right)) {
            (Ok(left), Ok(right)) if left.kind == Kind::Date && right.kind == Kind::Date => {
                Ok(Some(((self.read)(left, Way::Day)?, (self.read)(right, Way::Day)?)))
            }
            _ => Ok(None),
        }
    }

    fn in_list(&mut self, column: &Sql, list: &[Sql], negated: bool) -> Result<Condition, DataError> {
        let (column, list) = self.sides(column, &list.iter().collect::<Vec<_>>())?;
        Ok(Condition::in_list(column, list).negated_if(negated))
    }

    fn between(&mut self, column: &Sql, negated: bool, low: &Sql, high: &Sql) -> Result<Condition, DataError> {
        // In one type, which both literals decide.
        let (column, ends) = self.sides(column, &[low, high])?;
        Ok(Condition::between(column, &ends).negated_if(negated))
    }

    fn like(&mut self, column: &Sql, negated: bool, pattern: &Sql) -> Result<Condition, DataError> {
        let column = self.column(column)?;
        if column.kind != Kind::Text {
            return Err(self.wrong_kind(column, "LIKE takes a text column"));
        }
        let Some(Literal::Text(pattern)) = literal(pattern)? else {
            return Err(refuse(pattern, "LIKE takes a pattern in single quotes"));
        };
        let column = (self.read)(column, Way::Text)?;
        let pattern = nfc(&pattern).into_owned();
        Ok(Condition::Like { column, pattern }.negated_if(negated))
    }

    /// A column and the literals it is compared with, in one type.
    fn sides(&mut self, column: &Sql, literals: &[&Sql]) -> Result<(NodeId, Constants), DataError> {
        let column = self.column(column)?;
        let literals = literals
            .iter()
            .map(|sql| literal(sql)?.ok_or_else(|| refuse(sql, literal_remedy(sql))))
            .collect::<Result<Vec<_>, _>>()?;
        let way = self.common_way(column, &literals)?;
        let reader = self.table.reader(self.table.place(column));
        // A literal text, normalised as the cells that it is compared with.
        let text = |text: String| reader.text(&text).map(Cow::into_owned).unwrap_or(text);
        Ok(((self.read)(column, way)?, Constants::new(way, literals, text)))
    }

    /// The way to read a column that meets these literals.
    fn common_way(&self, column: &Column, literals: &[Literal]) -> Result<Way, DataError> {
        let all = |test: fn(&Literal) -> bool| literals.iter().all(test);
        let numeric = |literal: &Literal| matches!(literal, Literal::Integer(_) | Literal::Number(_));
        match column.kind {
            Kind::Integer if all(|literal| matches!(literal, Literal::Integer(_))) => Ok(Way::Integer),
            Kind::Integer | Kind::Number if all(numeric) => Ok(Way::Number),
            Kind::Integer | Kind::Number => {
                Err(self.wrong_kind(column, "compare it with a number, written without quotes"))
            }
            Kind::Text if all(|literal| matches!(literal, Literal::Text(_))) => Ok(Way::Text),
            Kind::Text => Err(self.wrong_kind(column, "quote the value")),
            Kind::Boolean if all(|literal| matches!(literal, Literal::Boolean(_))) => Ok(Way::Truth),
            Kind::Boolean => Err(self.wrong_kind(column, "compare it with TRUE or FALSE")),
            Kind::Date if all(|literal| matches!(literal, Literal::Text(text) if Day::parse(text).is_some())) => {
                Ok(Way::Day)
            }
            Kind::Date => Err(self.wrong_kind(column, "compare it with a date, written as '2020-12-31'")),
            Kind::Other => Err(self.wrong_kind(column, "only IS NULL and IS NOT NULL can be asked of it")),
        }
    }

    fn column(&self, sql: &Sql) -> Result<&'t Column, DataError> {
        match sql {
            Sql::Identifier(name) => self.named(name),
            Sql::Nested(inner) => self.column(inner),
            Sql::CompoundIdentifier(_) => Err(refuse(sql, "put a column name with a dot in double quotes")),
            Sql::BinaryOp { .. } => Err(refuse(sql, operator_remedy(sql))),
            _ => Err(refuse(sql, "a comparison holds a column against a literal")),
        }
    }

    fn named(&self, name: &Ident) -> Result<&'t Column, DataError> {
        self.table.column("filter", &name.value)
    }

    /// A column of any kind, as what it is.
    fn any_kind(&mut self, sql: &Sql) -> Result<NodeId, DataError> {
        let column = self.column(sql)?;
        (self.read)(column, Way::of_kind(column.kind))
    }

    fn wrong_kind(&self, column: &Column, remedy: &str) -> DataError {
        let format = self.table.format;
        let declare = match column.kind {
            Kind::Text if !self.table.has_types => {
                let why = match format.has_types() {
                    true => "a column that is not declared is text".to_owned(),
                    false => format!("{format} carries no types"),
                };
                format!(", or declare the column in the source ({why})")
            }
            _ => String::new(),
        };
        DataError::FilterKind { column: column.name.clone(), kind: column.kind, remedy: format!("{remedy}{declare}") }
    }
}
