//! The filter language: a small part of SQL in which nothing can fail on a cell.
//!
//! The text is parsed by the engine's SQL parser, and each node of the syntax tree is translated by hand; what is not
//! translated is refused. Both sides of a comparison get the same type here (integer, double, text or Boolean), so
//! the engine never casts a cell. An integer column against a literal with a fraction is compared as doubles:
//! rounding a 64-bit integer to a double is monotone and cannot cross a fraction, so the result is exact.

mod literal;

use datafusion::common::ScalarValue;
use datafusion::logical_expr::expr::{InList, Like};
use datafusion::logical_expr::{Between, BinaryExpr, Expr, Operator, lit, not};
use datafusion::sql::sqlparser::ast::{BinaryOperator, Expr as Sql, Ident, UnaryOperator};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::parser::Parser;
use datafusion::sql::sqlparser::tokenizer::Token;

use self::literal::{Literal, literal};
use super::scan::ScanColumns;
use crate::schema::Table;
use crate::{Column, DataError, Kind};

/// Deepest nesting of a filter, far below what the stack can take.
const DEPTH: usize = 200;

/// Translates a filter, or says why not.
pub(super) fn filter(text: &str, table: &Table, scan: &ScanColumns) -> Result<Expr, DataError> {
    if text.len() > LONGEST {
        return Err(DataError::FilterLength { bytes: text.len(), most: LONGEST });
    }
    let refuse = |problem: String| DataError::FilterSyntax { filter: text.to_owned(), problem };
    let mut parser = Parser::new(&GenericDialect {}).try_with_sql(text).map_err(|error| refuse(error.to_string()))?;
    let sql = parser.parse_expr().map_err(|error| refuse(error.to_string()))?;
    parser.expect_token(&Token::EOF).map_err(|error| refuse(error.to_string()))?;
    Translator { table, scan }.condition(&sql, 0)
}

/// Longest filter text. A chain of conditions is a tree as deep as the chain is long, and the parser builds it whole.
const LONGEST: usize = 1 << 16;

struct Translator<'a> {
    table: &'a Table,
    scan: &'a ScanColumns,
}

fn refuse(construct: &impl ToString, remedy: &'static str) -> DataError {
    DataError::FilterRefused { construct: construct.to_string(), remedy }
}

/// What to write in place of operators that other languages have. They bind tighter than comparisons, so they are found
/// inside what looks like one.
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

/// What to write in place of something that is no literal.
fn literal_remedy(sql: &Sql) -> &'static str {
    match sql {
        Sql::Identifier(_) => {
            "put a text in single quotes, as 'female'; double quotes and no quotes are for names of columns"
        }
        Sql::BinaryOp { .. } => operator_remedy(sql),
        _ => "compare a column with a literal",
    }
}

impl Translator<'_> {
    /// Something that is true, false or null.
    fn condition(&self, sql: &Sql, depth: usize) -> Result<Expr, DataError> {
        if depth > DEPTH {
            return Err(refuse(&"...", "nest at most 200 conditions; an IN list takes the place of many ORs"));
        }
        let depth = depth + 1;
        match sql {
            Sql::Nested(inner) => self.condition(inner, depth),
            Sql::UnaryOp { op: UnaryOperator::Not, expr } => Ok(not(self.condition(expr, depth)?)),
            Sql::BinaryOp { left, op: BinaryOperator::And, right } => {
                Ok(self.condition(left, depth)?.and(self.condition(right, depth)?))
            }
            Sql::BinaryOp { left, op: BinaryOperator::Or, right } => {
                Ok(self.condition(left, depth)?.or(self.condition(right, depth)?))
            }
            Sql::BinaryOp { left, op, right } => self.comparison(sql, left, op, right),
            Sql::InList { expr, list, negated } => self.in_list(expr, list, *negated),
            Sql::Between { expr, negated, low, high } => self.between(expr, *negated, low, high),
            Sql::Like { negated, any: false, expr, pattern, escape_char: None } => self.like(expr, *negated, pattern),
            Sql::IsNull(expr) => Ok(self.any_kind(self.column(expr)?).is_null()),
            Sql::IsNotNull(expr) => Ok(self.any_kind(self.column(expr)?).is_not_null()),
            Sql::Identifier(name) => {
                let column = self.named(name)?;
                match column.kind {
                    Kind::Boolean => Ok(self.scan.read(column, Kind::Boolean)),
                    _ => Err(self.wrong_kind(column, "compare it with a literal")),
                }
            }
            _ => Err(refuse(sql, "a filter is made of comparisons of a column with a literal, AND, OR and NOT")),
        }
    }

    fn comparison(&self, sql: &Sql, left: &Sql, op: &BinaryOperator, right: &Sql) -> Result<Expr, DataError> {
        let operator = match op {
            BinaryOperator::Eq => Operator::Eq,
            BinaryOperator::NotEq => Operator::NotEq,
            BinaryOperator::Lt => Operator::Lt,
            BinaryOperator::LtEq => Operator::LtEq,
            BinaryOperator::Gt => Operator::Gt,
            BinaryOperator::GtEq => Operator::GtEq,
            _ => return Err(refuse(sql, operator_remedy(sql))),
        };
        // A literal on the left is moved to the right, which turns the comparison round.
        let (column, literals, operator) = if literal(left)?.is_some() && literal(right)?.is_none() {
            (right, left, operator.swap().expect("a comparison"))
        } else {
            (left, right, operator)
        };
        let (side, mut values) = self.sides(column, &[literals])?;
        let value = values.pop().expect("one literal");
        Ok(Expr::BinaryExpr(BinaryExpr::new(Box::new(side), operator, Box::new(value))))
    }

    fn in_list(&self, column: &Sql, list: &[Sql], negated: bool) -> Result<Expr, DataError> {
        let (side, values) = self.sides(column, &list.iter().collect::<Vec<_>>())?;
        Ok(Expr::InList(InList::new(Box::new(side), values, negated)))
    }

    fn between(&self, column: &Sql, negated: bool, low: &Sql, high: &Sql) -> Result<Expr, DataError> {
        let (side, values) = self.sides(column, &[low, high])?;
        let [low, high] = <[Expr; 2]>::try_from(values).expect("two literals");
        Ok(Expr::Between(Between::new(Box::new(side), negated, Box::new(low), Box::new(high))))
    }

    fn like(&self, column: &Sql, negated: bool, pattern: &Sql) -> Result<Expr, DataError> {
        let column = self.column(column)?;
        if column.kind != Kind::Text {
            return Err(self.wrong_kind(column, "LIKE takes a text column"));
        }
        let Some(Literal::Text(pattern)) = literal(pattern)? else {
            return Err(refuse(pattern, "LIKE takes a pattern in single quotes"));
        };
        let side = self.scan.read(column, Kind::Text);
        Ok(Expr::Like(Like::new(negated, Box::new(side), Box::new(lit(pattern)), None, false)))
    }

    /// A column and the literals it is held against, in one type.
    fn sides(&self, column: &Sql, literals: &[&Sql]) -> Result<(Expr, Vec<Expr>), DataError> {
        let column = self.column(column)?;
        let literals = literals
            .iter()
            .map(|sql| literal(sql)?.ok_or_else(|| refuse(sql, literal_remedy(sql))))
            .collect::<Result<Vec<_>, _>>()?;
        let kind = self.common_kind(column, &literals)?;
        let (data_type, reader) = (self.scan.data_type(column), self.scan.reader(column));
        let scalar = |literal: Literal| match (literal, kind) {
            (Literal::Text(text), _) => {
                // As the cells that it is held against are.
                let text = reader.text(&text).map_or(text.clone(), str::to_owned);
                ScalarValue::Utf8(Some(text)).cast_to(&data_type).expect("a text fits every layout of texts")
            }
            (Literal::Boolean(value), _) => ScalarValue::Boolean(Some(value)),
            (Literal::Integer(value), Kind::Integer) => ScalarValue::Int64(Some(value)),
            (Literal::Integer(value), _) => ScalarValue::Float64(Some(value as f64)),
            (Literal::Number(value), _) => ScalarValue::Float64(Some(value)),
        };
        let values = literals.into_iter().map(|literal| lit(scalar(literal))).collect();
        Ok((self.scan.read(column, kind), values))
    }

    /// The kind in which a column meets its literals.
    fn common_kind(&self, column: &Column, literals: &[Literal]) -> Result<Kind, DataError> {
        let all = |test: fn(&Literal) -> bool| literals.iter().all(test);
        let numeric = |literal: &Literal| matches!(literal, Literal::Integer(_) | Literal::Number(_));
        match column.kind {
            Kind::Integer if all(|literal| matches!(literal, Literal::Integer(_))) => Ok(Kind::Integer),
            Kind::Integer | Kind::Number if all(numeric) => Ok(Kind::Number),
            Kind::Integer | Kind::Number => {
                Err(self.wrong_kind(column, "compare it with a number, written without quotes"))
            }
            Kind::Text if all(|literal| matches!(literal, Literal::Text(_))) => Ok(Kind::Text),
            Kind::Text => Err(self.wrong_kind(column, "quote the value")),
            Kind::Boolean if all(|literal| matches!(literal, Literal::Boolean(_))) => Ok(Kind::Boolean),
            Kind::Boolean => Err(self.wrong_kind(column, "compare it with TRUE or FALSE")),
            Kind::Other => Err(self.wrong_kind(column, "only IS NULL and IS NOT NULL can be asked of it")),
        }
    }

    fn column(&self, sql: &Sql) -> Result<&Column, DataError> {
        match sql {
            Sql::Identifier(name) => self.named(name),
            Sql::Nested(inner) => self.column(inner),
            Sql::CompoundIdentifier(_) => Err(refuse(sql, "put a column name with a dot in double quotes")),
            Sql::BinaryOp { .. } => Err(refuse(sql, operator_remedy(sql))),
            _ => Err(refuse(sql, "a comparison holds a column against a literal")),
        }
    }

    fn named(&self, name: &Ident) -> Result<&Column, DataError> {
        self.table.column("filter", &name.value)
    }

    fn any_kind(&self, column: &Column) -> Expr {
        self.scan.read(column, column.kind)
    }

    fn wrong_kind(&self, column: &Column, remedy: &str) -> DataError {
        let declare = match (self.table.format, column.kind) {
            (inbounds_input::Format::Csv, Kind::Text) => ", or declare the column in the source (CSV carries no types)",
            _ => "",
        };
        DataError::FilterKind { column: column.name.clone(), kind: column.kind, remedy: format!("{remedy}{declare}") }
    }
}
