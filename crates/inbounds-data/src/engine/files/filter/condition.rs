//! Conditions in three-valued logic over columns that were read in one way each.

use std::collections::HashSet;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Datum, Float64Array, Int64Array, Scalar, StringViewArray};
use arrow::compute::kernels::cmp::{eq, gt, gt_eq, lt, lt_eq, neq};
use arrow::compute::{and_kleene, cast, is_null, like, not, or_kleene};
use arrow::datatypes::{ArrowNativeType, DataType, Float64Type, Int64Type};
use arrow::error::Result;

use super::super::program::{NodeId, Values};
use super::super::read::Way;
use super::literal::Literal;
use crate::Day;

/// A condition that a row meets, does not meet, or that is null for it.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Condition {
    /// A column of truth values.
    Column(NodeId),
    /// True for a null cell. Never null itself.
    IsNull(NodeId),
    Not(Box<Condition>),
    And(Box<Condition>, Box<Condition>),
    Or(Box<Condition>, Box<Condition>),
    /// A column compared with the constant at a place.
    Compare {
        column: NodeId,
        comparison: Comparison,
        with: Constants,
        place: usize,
    },
    /// Two columns that are read alike.
    Columns {
        left: NodeId,
        comparison: Comparison,
        right: NodeId,
    },
    /// A column whose values are among some.
    In {
        column: NodeId,
        list: Listed,
    },
    /// A text of a pattern in which `%` stands for any letters and `_` for one.
    Like {
        column: NodeId,
        pattern: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Comparison {
    Equal,
    Unequal,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison with its sides exchanged.
    pub(super) fn turned(self) -> Self {
        match self {
            Self::Equal | Self::Unequal => self,
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Greater => Self::Less,
            Self::GreaterOrEqual => Self::LessOrEqual,
        }
    }
}

/// Constants of one type.
#[derive(Debug, Clone, PartialEq)]
pub(in super::super) enum Constants {
    Integers(Vec<i64>),
    Numbers(Vec<f64>),
    Texts(Vec<String>),
    Truths(Vec<bool>),
}

impl Constants {
    /// Literals in the type in which a column is read, which all of them have or can take; texts as `text` reads them.
    pub(super) fn new(way: Way, literals: Vec<Literal>, text: impl Fn(String) -> String) -> Self {
        let mut constants = match way {
            Way::Integer | Way::Day | Way::Hour => Self::Integers(Vec::new()),
            Way::Text => Self::Texts(Vec::new()),
            Way::Truth => Self::Truths(Vec::new()),
            _ => Self::Numbers(Vec::new()),
        };
        for literal in literals {
            match (&mut constants, literal) {
                (Self::Integers(all), Literal::Integer(value)) => all.push(value),
                // A literal that is compared with dates is a date.
                (Self::Integers(all), Literal::Text(day)) => all.extend(Day::parse(&day).map(Day::days)),
                (Self::Numbers(all), Literal::Integer(value)) => all.push(value as f64),
                // -0 as 0, like the cells.
                (Self::Numbers(all), Literal::Number(value)) => all.push(value + 0.0),
                (Self::Texts(all), Literal::Text(value)) => all.push(text(value)),
                (Self::Truths(all), Literal::Boolean(value)) => all.push(value),
                _ => unreachable!("literals of the type of their column"),
            }
        }
        constants
    }

    fn scalar(&self, place: usize) -> Scalar<ArrayRef> {
        let array: ArrayRef = match self {
            Self::Integers(all) => std::sync::Arc::new(Int64Array::from(vec![all[place]])),
            Self::Numbers(all) => std::sync::Arc::new(Float64Array::from(vec![all[place]])),
            Self::Texts(all) => std::sync::Arc::new(StringViewArray::from(vec![all[place].as_str()])),
            Self::Truths(all) => std::sync::Arc::new(BooleanArray::from(vec![all[place]])),
        };
        Scalar::new(array)
    }
}

/// Constants to look values up in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) enum Listed {
    Integers(HashSet<i64>),
    /// Bits of doubles.
    Numbers(HashSet<u64>),
    Texts(HashSet<String>),
    Truths(HashSet<bool>),
}

impl Condition {
    pub(super) fn in_list(column: NodeId, list: Constants) -> Self {
        let list = match list {
            Constants::Integers(all) => Listed::Integers(all.into_iter().collect()),
            Constants::Numbers(all) => Listed::Numbers(all.into_iter().map(f64::to_bits).collect()),
            Constants::Texts(all) => Listed::Texts(all.into_iter().collect()),
            Constants::Truths(all) => Listed::Truths(all.into_iter().collect()),
        };
        Self::In { column, list }
    }

    /// From the first constant to the second, both included.
    pub(super) fn between(column: NodeId, ends: &Constants) -> Self {
        let end = |comparison, place| Self::Compare { column, comparison, with: ends.clone(), place };
        Self::And(Box::new(end(Comparison::GreaterOrEqual, 0)), Box::new(end(Comparison::LessOrEqual, 1)))
    }

    pub(super) fn negated_if(self, negated: bool) -> Self {
        if negated { Self::Not(Box::new(self)) } else { self }
    }

    /// Truth value of the condition for each row.
    pub(in super::super) fn evaluate(&self, values: &Values) -> Result<BooleanArray> {
        match self {
            Self::Column(column) => Ok(values.array(*column).as_boolean().clone()),
            Self::IsNull(column) => is_null(values.array(*column)),
            Self::Not(inner) => not(&inner.evaluate(values)?),
            Self::And(left, right) => and_kleene(&left.evaluate(values)?, &right.evaluate(values)?),
            Self::Or(left, right) => or_kleene(&left.evaluate(values)?, &right.evaluate(values)?),
            Self::Compare { column, comparison, with, place } => {
                let constant = with.scalar(*place);
                on_values(values.array(*column), |cells| compare(*comparison, cells, &constant))
            }
            Self::Columns { left, comparison, right } => {
                let right: &dyn Array = values.array(*right);
                compare(*comparison, values.array(*left), &right)
            }
            Self::In { column, list } => on_values(values.array(*column), |cells| Ok(list.has(cells))),
            Self::Like { column, pattern } => {
                let pattern = StringViewArray::new_scalar(pattern);
                on_values(values.array(*column), |texts| like(&texts, &pattern))
            }
        }
    }
}

fn compare(comparison: Comparison, cells: &dyn Array, constant: &dyn Datum) -> Result<BooleanArray> {
    let cells: &dyn Datum = &cells;
    match comparison {
        Comparison::Equal => eq(cells, constant),
        Comparison::Unequal => neq(cells, constant),
        Comparison::Less => lt(cells, constant),
        Comparison::LessOrEqual => lt_eq(cells, constant),
        Comparison::Greater => gt(cells, constant),
        Comparison::GreaterOrEqual => gt_eq(cells, constant),
    }
}

/// Result for each cell, found once for each value where a column is a dictionary; texts arrive as views.
fn on_values(cells: &ArrayRef, test: impl Fn(&dyn Array) -> Result<BooleanArray>) -> Result<BooleanArray> {
    match cells.data_type() {
        DataType::Dictionary(..) => {
            let dictionary = cells.as_any_dictionary();
            let of_values = test(&cast(dictionary.values(), &DataType::Utf8View)?)?;
            let keys = cast(dictionary.keys(), &DataType::Int64)?;
            let of_key = |key: Option<i64>| {
                let place = key?.as_usize();
                of_values.is_valid(place).then(|| of_values.value(place))
            };
            Ok(keys.as_primitive::<Int64Type>().iter().map(of_key).collect())
        }
        DataType::Utf8 | DataType::LargeUtf8 => test(&cast(cells, &DataType::Utf8View)?),
        _ => test(cells),
    }
}

impl Listed {
    fn has(&self, cells: &dyn Array) -> BooleanArray {
        match self {
            Self::Integers(all) => {
                cells.as_primitive::<Int64Type>().iter().map(|cell| cell.map(|cell| all.contains(&cell))).collect()
            }
            Self::Numbers(all) => {
                let has = |cell: f64| all.contains(&cell.to_bits());
                cells.as_primitive::<Float64Type>().iter().map(|cell| cell.map(has)).collect()
            }
            Self::Texts(all) => cells.as_string_view().iter().map(|cell| cell.map(|cell| all.contains(cell))).collect(),
            Self::Truths(all) => cells.as_boolean().iter().map(|cell| cell.map(|cell| all.contains(&cell))).collect(),
        }
    }
}
