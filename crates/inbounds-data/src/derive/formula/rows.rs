//! A formula for many rows at once: one loop for each operation.

use super::term::{Function1, Function2, Term};

/// A part, row by row.
pub(super) enum Rows {
    Same(f64),
    /// A column, not copied until something is done to it.
    Of(usize),
    Computed(Vec<f64>),
}

pub(super) fn of_rows(part: &Term, columns: &[Vec<f64>]) -> Rows {
    match part {
        Term::Column(column) => Rows::Of(*column),
        Term::Number(number) => Rows::Same(number.to_f64()),
        Term::Of(function, inner) => {
            let inner = of_rows(inner, columns);
            match function {
                Function1::Minus => inner.map(columns, |value| -value),
                Function1::Abs => inner.map(columns, f64::abs),
                Function1::Floor => inner.map(columns, f64::floor),
            }
        }
        Term::Between(function, left, right) => {
            let (left, right) = (of_rows(left, columns), of_rows(right, columns));
            match function {
                Function2::Plus => left.with(&right, columns, |left, right| left + right),
                Function2::Minus => left.with(&right, columns, |left, right| left - right),
                Function2::Times => left.with(&right, columns, |left, right| left * right),
                Function2::Over => left.with(&right, columns, |left, right| left / right),
                Function2::Least => left.with(&right, columns, f64::min),
                Function2::Greatest => left.with(&right, columns, f64::max),
            }
        }
    }
}

impl Rows {
    fn slice<'a>(&'a self, columns: &'a [Vec<f64>]) -> Result<&'a [f64], f64> {
        match self {
            Self::Same(value) => Err(*value),
            Self::Of(column) => Ok(&columns[*column]),
            Self::Computed(values) => Ok(values),
        }
    }

    fn map(self, columns: &[Vec<f64>], function: impl Fn(f64) -> f64) -> Self {
        match self.slice(columns) {
            Err(value) => Self::Same(function(value)),
            Ok(values) => Self::Computed(values.iter().map(|&value| function(value)).collect()),
        }
    }

    fn with(self, other: &Self, columns: &[Vec<f64>], function: impl Fn(f64, f64) -> f64) -> Self {
        match (self.slice(columns), other.slice(columns)) {
            (Err(left), Err(right)) => Self::Same(function(left, right)),
            (Ok(left), Err(right)) => Self::Computed(left.iter().map(|&left| function(left, right)).collect()),
            (Err(left), Ok(right)) => Self::Computed(right.iter().map(|&right| function(left, right)).collect()),
            (Ok(left), Ok(right)) => {
                Self::Computed(left.iter().zip(right).map(|(&left, &right)| function(left, right)).collect())
            }
        }
    }
}
