//! Rows that a query can count, by its condition and its keys alone.
//!
//! A region may hold more rows than the query counts, and never fewer: what is not understood limits nothing. So two
//! regions without a common row belong to queries without one.

use std::collections::BTreeSet;

use inbounds_core::{Cells, Limit, Region, Span, SpanEnd};
use sqlparser::ast::{BinaryOperator, Expr as Sql, Ident};

use super::literal::{Literal, literal};
use crate::{Column, Day, KeyValue, Kind, Query, derive::parse_sql, nfc};

/// Up to here every whole number is a double of its own.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Longer lists of keys limit nothing: they would be written down in full.
const MOST_VALUES: usize = 1_000;

/// The rows that a query can count. `read` says how the cells of a column are read: columns are distinguished by it, so
/// it must differ wherever one cell could be read as two things.
pub fn region(query: &Query, columns: &[Column], read: &dyn Fn(&Column) -> String) -> Region {
    let mut limits = Limits { columns, read, collected: Vec::new() };
    let parsed = query.filter.as_ref().and_then(|text| parse_sql(text).ok());
    if let Some(condition) = &parsed {
        limits.condition(condition);
    }
    if let Some(keys) = &query.keys {
        for (place, name) in keys.columns().iter().enumerate() {
            limits.keys(name, keys.values(place));
        }
    }
    Region::new(limits.collected)
}

struct Limits<'c> {
    columns: &'c [Column],
    read: &'c dyn Fn(&Column) -> String,
    collected: Vec<Limit>,
}

impl Limits<'_> {
    /// Collects the limits that must hold for a condition to be true.
    fn condition(&mut self, sql: &Sql) {
        match sql {
            Sql::Nested(inner) => self.condition(inner),
            Sql::BinaryOp { left, op: BinaryOperator::And, right } => {
                self.condition(left);
                self.condition(right);
            }
            Sql::BinaryOp { left, op, right } => {
                // The column may stand on either side.
                if !self.comparison(left, op, right)
                    && let Some(turned) = turned(op)
                {
                    self.comparison(right, &turned, left);
                }
            }
            Sql::InList { expr, list, negated: false } => self.list(expr, list),
            Sql::Between { expr, negated: false, low, high } => {
                self.comparison(expr, &BinaryOperator::GtEq, low);
                self.comparison(expr, &BinaryOperator::LtEq, high);
            }
            _ => {}
        }
    }

    /// Adds the limit that a comparison sets; `true` if the left side is a column.
    fn comparison(&mut self, column: &Sql, op: &BinaryOperator, with: &Sql) -> bool {
        let Some(column) = self.column(column) else { return false };
        let cells = match (constant(column, with), op) {
            (Some(Constant::Text(text)), BinaryOperator::Eq) => Some(Cells::Texts(BTreeSet::from([text]))),
            (Some(Constant::Number(number)), op) => span(op, number).map(|span| Cells::Numbers(vec![span])),
            _ => None,
        };
        let column = column.clone();
        self.limit(&column, cells);
        true
    }

    fn list(&mut self, column: &Sql, list: &[Sql]) {
        let Some(column) = self.column(column).cloned() else { return };
        let constants: Option<Vec<Constant>> = list.iter().map(|sql| constant(&column, sql)).collect();
        self.limit(&column, constants.and_then(one_of));
    }

    fn keys<'k>(&mut self, name: &str, values: impl Iterator<Item = &'k KeyValue>) {
        let Some(column) = self.columns.iter().find(|column| column.name == name).cloned() else { return };
        let values: BTreeSet<&KeyValue> = values.collect();
        if values.len() > MOST_VALUES {
            return;
        }
        let constants: Option<Vec<Constant>> = values.into_iter().map(|value| of_key(&column, value)).collect();
        self.limit(&column, constants.and_then(one_of));
    }

    fn limit(&mut self, column: &Column, cells: Option<Cells>) {
        let limit = |cells| Limit { column: column.name.clone(), read: (self.read)(column), cells };
        self.collected.extend(cells.map(limit));
    }

    fn column(&self, sql: &Sql) -> Option<&Column> {
        match sql {
            Sql::Identifier(Ident { value, .. }) => self.columns.iter().find(|column| column.name == *value),
            Sql::Nested(inner) => self.column(inner),
            _ => None,
        }
    }
}

/// A constant as the cells of its column are compared with it.
enum Constant {
    Text(String),
    Number(f64),
}

/// A literal that a column can be compared with; `None` for any other, and for numbers that doubles do not tell from
/// others.
fn constant(column: &Column, sql: &Sql) -> Option<Constant> {
    let number = |number: f64| (number.abs() < EXACT).then_some(Constant::Number(number));
    match (column.kind, literal(sql).ok()??) {
        (Kind::Text, Literal::Text(text)) => Some(Constant::Text(nfc(&text).into_owned())),
        (Kind::Integer | Kind::Number, Literal::Integer(value)) => number(value as f64),
        (Kind::Integer | Kind::Number, Literal::Number(value)) => number(value),
        (Kind::Boolean, Literal::Boolean(value)) => Some(Constant::Number(f64::from(u8::from(value)))),
        (Kind::Date, Literal::Text(day)) => number(Day::parse(&day)?.days() as f64),
        _ => None,
    }
}

/// The missing cell is held as one that no other limit has on its own: the empty text, which is no value, or a number
/// above all that are keys. A condition that holds for numbers up to there may count in, but never leaves out, rows
/// whose cell is missing.
fn of_key(column: &Column, value: &KeyValue) -> Option<Constant> {
    match (column.kind, value) {
        (Kind::Text, KeyValue::Missing) => Some(Constant::Text(String::new())),
        (Kind::Integer | Kind::Boolean, KeyValue::Missing) => Some(Constant::Number(f64::MAX)),
        (Kind::Text, KeyValue::Text(text)) => Some(Constant::Text(nfc(text).into_owned())),
        (Kind::Integer, KeyValue::Integer(value)) => {
            let number = *value as f64;
            (number.abs() < EXACT).then_some(Constant::Number(number))
        }
        (Kind::Boolean, KeyValue::Boolean(value)) => Some(Constant::Number(f64::from(u8::from(*value)))),
        _ => None,
    }
}

/// One of some constants, all of which are of one kind.
fn one_of(constants: Vec<Constant>) -> Option<Cells> {
    let (mut texts, mut spans) = (BTreeSet::new(), Vec::new());
    for constant in constants {
        match constant {
            Constant::Text(text) => drop(texts.insert(text)),
            Constant::Number(number) => spans.push(Span::only(number)),
        }
    }
    match (texts.is_empty(), spans.is_empty()) {
        (false, true) => Some(Cells::Texts(texts)),
        (true, false) => Some(Cells::Numbers(spans)),
        _ => None,
    }
}

/// The numbers for which a comparison with one is true; `None` where that is no interval.
fn span(op: &BinaryOperator, number: f64) -> Option<Span> {
    let (closed, open, unbounded) = (SpanEnd::Closed(number), SpanEnd::Open(number), SpanEnd::Unbounded);
    let (lower, upper) = match op {
        BinaryOperator::Eq => (closed, closed),
        BinaryOperator::Lt => (unbounded, open),
        BinaryOperator::LtEq => (unbounded, closed),
        BinaryOperator::Gt => (open, unbounded),
        BinaryOperator::GtEq => (closed, unbounded),
        _ => return None,
    };
    Some(Span { lower, upper })
}

/// A comparison with its sides exchanged; `None` for what is no comparison that limits.
fn turned(op: &BinaryOperator) -> Option<BinaryOperator> {
    Some(match op {
        BinaryOperator::Eq => BinaryOperator::Eq,
        BinaryOperator::Lt => BinaryOperator::Gt,
        BinaryOperator::LtEq => BinaryOperator::GtEq,
        BinaryOperator::Gt => BinaryOperator::Lt,
        BinaryOperator::GtEq => BinaryOperator::LtEq,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Keys;

    fn region_where(filter: &str) -> Region {
        let column = |name: &str, kind| Column { name: name.into(), kind };
        let columns = [
            column("age", Kind::Integer),
            column("income", Kind::Number),
            column("ward", Kind::Text),
            column("open", Kind::Boolean),
            column("born", Kind::Date),
        ];
        let query = Query { filter: Some(filter.to_owned()), ..Query::default() };
        region(&query, &columns, &|column| column.kind.to_string())
    }

    fn apart(one: &str, other: &str) -> bool {
        region_where(one).apart_in(&region_where(other)).is_some()
    }

    #[test]
    fn conditions_that_exclude_each_other_are_apart() {
        for (one, other) in [
            ("age < 18", "age >= 18"),
            ("18 > age", "(age) >= 18 AND income > 3"),
            ("age BETWEEN 0 AND 17", "age BETWEEN 18 AND 64"),
            ("age IN (1, 2)", "age IN (3, 4)"),
            ("age < 17.5", "age >= 18"),
            ("ward = 'a'", "ward IN ('b', 'c')"),
            ("open = TRUE", "open = FALSE"),
            ("born < '2000-01-01'", "born >= '2000-01-01'"),
            ("income < 0.5 AND ward = 'a'", "ward = 'a' AND income >= 0.5"),
        ] {
            assert!(apart(one, other) && apart(other, one), "{one} | {other}");
        }
    }

    #[test]
    fn what_is_not_proved_overlaps() {
        for (one, other) in [
            ("age <= 18", "age >= 18"),
            ("age < 18 OR income > 3", "age >= 18"),
            ("NOT age >= 18", "age >= 18"),
            ("age <> 18", "age = 18"),
            ("age NOT IN (1, 2)", "age IN (1, 2)"),
            ("age NOT BETWEEN 0 AND 17", "age BETWEEN 0 AND 17"),
            ("age IS NULL", "age > 3"),
            ("ward = 'a'", "ward LIKE 'b%'"),
            ("ward = 'a'", "ward = 'a '"),
            ("ward < 'b'", "ward > 'c'"),
            ("open", "open = FALSE"),
            // Literals that doubles do not distinguish from their neighbours.
            ("age < 9007199254740993", "age >= 9007199254740992"),
            ("age < 18", "income >= 18"),
        ] {
            assert!(!apart(one, other) && !apart(other, one), "{one} | {other}");
        }
    }

    /// A missing cell is in no condition, and in no list without it.
    #[test]
    fn the_missing_key_is_apart_from_what_needs_a_value() {
        for (name, kind, value, other, condition) in [
            ("ward", Kind::Text, KeyValue::Text("a".into()), KeyValue::Text("b".into()), "ward IN ('b', 'c')"),
            ("age", Kind::Integer, KeyValue::Integer(7), KeyValue::Integer(8), "age < 7"),
            ("open", Kind::Boolean, KeyValue::Boolean(true), KeyValue::Boolean(false), "open = FALSE"),
        ] {
            let columns = [Column { name: name.into(), kind }];
            let region_with = |filter: Option<&str>, values: &[&KeyValue]| {
                let rows = values.iter().map(|value| vec![KeyValue::clone(value)]).collect();
                let keys = (!values.is_empty()).then(|| Keys::new(vec![name.into()], rows).expect("keys"));
                region(&Query { filter: filter.map(str::to_owned), keys, ..Query::default() }, &columns, &|_| {
                    String::new()
                })
            };
            let listed = region_with(None, &[&value, &KeyValue::Missing]);
            assert_eq!(listed.apart_in(&region_with(Some(condition), &[])), Some(name));
            assert_eq!(listed.apart_in(&region_with(None, &[&other])), Some(name));
            for together in [
                region_with(None, &[&other, &KeyValue::Missing]),
                region_with(None, &[&KeyValue::Missing]),
                region_with(None, &[&value]),
            ] {
                assert_eq!((listed.apart_in(&together), together.apart_in(&listed)), (None, None));
            }
            let is_null = format!("{name} IS NULL");
            assert_eq!(listed.apart_in(&region_with(Some(&is_null), &[])), None);
        }
    }

    #[test]
    fn listed_keys_limit_rows_and_long_lists_do_not() {
        let columns = [Column { name: "ward".into(), kind: Kind::Text }];
        let region_of_wards = |wards: Vec<String>| {
            let keys =
                Keys::new(vec!["ward".into()], wards.into_iter().map(|ward| vec![KeyValue::Text(ward)]).collect());
            let query = Query { keys: Some(keys.expect("keys")), ..Query::default() };
            region(&query, &columns, &|_| String::new())
        };
        assert_eq!(
            region_of_wards(vec!["a".into(), "b".into()]).apart_in(&region_of_wards(vec!["c".into()])),
            Some("ward")
        );
        assert_eq!(region_of_wards(vec!["a".into(), "b".into()]).apart_in(&region_of_wards(vec!["b".into()])), None);
        let many = (0..1_001).map(|ward| ward.to_string()).collect();
        assert_eq!(region_of_wards(many), Region::default());
    }
}
