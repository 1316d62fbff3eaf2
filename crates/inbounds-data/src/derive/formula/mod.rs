//! Arithmetic over clipped numbers that cannot fail on a cell.
//!
//! **Idea.** Every column of a formula is clipped to a public range first, so that each part of it has a range too. A
//! part whose divisor may be zero, or which may grow beyond what doubles hold, is refused before a row is read.
//!
//! **Why no row fails.** Ranges are computed in the very doubles, operations and rounding that rows are. Rounding is
//! monotone: where `x` lies in `[a, b]` and `y` in `[c, d]`, the rounded `x * y` lies between the least and the
//! greatest of the rounded products of ends, and so for the other operations. The range of a part holds every value
//! that it takes, to the last bit.

mod error;
mod parse;
mod rows;
mod span;
mod term;

use std::fmt;

use inbounds_core::Rational;
use sqlparser::ast::Expr as Sql;

pub use self::error::{FormulaError, Magnitude};
use self::parse::term;
use self::rows::{Rows, of_rows};
use self::span::{Endpoint, Span};
use self::term::{Function1, Function2, Term};

/// Largest whole number up to which all whole numbers are doubles.
const WHOLE: f64 = (1u64 << 53) as f64;
/// Largest magnitude of any part.
const LARGEST: f64 = 1e300;

/// A number that is computed from the columns of a row: `+`, `-`, `*`, `/`, `abs`, `floor`, `least` and `greatest`.
///
/// # Law
/// Columns are clipped to their ranges and then doubles; each operation rounds to the nearest double, ties to even.
/// Where a column is missing, so is the number.
///
/// # Example
/// ```
/// use inbounds_core::Rational;
/// use inbounds_data::{Expression, NumberRange};
/// let Expression::Formula(formula) = Expression::parse("income - 12 * rent")? else { panic!("a number") };
/// let range = |lower: i128, upper: i128| NumberRange { lower: Rational::from(lower), upper: Rational::from(upper) };
/// assert_eq!(formula.columns(), ["income", "rent"]);
/// assert_eq!(formula.range(&[range(0, 90_000), range(0, 2_000)])?, range(-24_000, 90_000));
/// # Ok::<(), inbounds_data::FormulaError>(())
/// ```
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Formula {
    columns: Vec<String>,
    root: Term,
    /// Its source, as text that gives the same formula.
    text: String,
}

/// Numbers from the one to the other, both included.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct NumberRange {
    /// The least.
    #[serde(with = "crate::records::rational")]
    pub lower: Rational,
    /// The greatest, not less than the least.
    #[serde(with = "crate::records::rational")]
    pub upper: Rational,
}

impl Formula {
    /// Translates a syntax tree.
    pub(super) fn from_sql(sql: &Sql) -> Result<Self, FormulaError> {
        let mut columns = Vec::new();
        let root = term(sql, &mut columns, 0)?;
        if columns.is_empty() {
            return Err(FormulaError::Constant { formula: sql.to_string() });
        }
        Ok(Self { columns, root, text: sql.to_string() })
    }

    /// A text that gives the same formula.
    pub(crate) fn into_text(self) -> String {
        self.text
    }

    /// The columns, each once.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The two columns of which it is the difference, if it is nothing else: the second is taken from the first.
    pub fn difference(&self) -> Option<(&str, &str)> {
        match &self.root {
            Term::Between(Function2::Minus, left, right) => match (&**left, &**right) {
                (Term::Column(left), Term::Column(right)) => Some((&self.columns[*left], &self.columns[*right])),
                _ => None,
            },
            _ => None,
        }
    }

    /// The range of the result where columns have these ranges, computed exactly.
    ///
    /// # Errors
    /// [`FormulaError::Divisor`], [`FormulaError::TooLarge`], and [`FormulaError::Ranges`] unless each column has one.
    pub fn range(&self, ranges: &[NumberRange]) -> Result<NumberRange, FormulaError> {
        if ranges.len() != self.columns.len() || ranges.iter().any(|range| range.lower > range.upper) {
            return Err(FormulaError::Ranges { formula: self.to_string(), ranges: ranges.len() });
        }
        let double = |range: &NumberRange| Span { lower: range.lower.to_f64(), upper: range.upper.to_f64() };
        // First in the doubles of the rows, whose ends are finite if this succeeds.
        self.span(&self.root, &ranges.iter().map(double).collect::<Vec<_>>())?;
        let exact = |range: &NumberRange| Span { lower: range.lower.clone(), upper: range.upper.clone() };
        let Span { lower, upper } = self.span(&self.root, &ranges.iter().map(exact).collect::<Vec<_>>())?;
        Ok(NumberRange { lower, upper })
    }

    /// `true` if the result is whole where these columns are.
    pub fn is_whole(&self, columns: &[bool]) -> bool {
        is_whole(&self.root, columns)
    }

    /// Refuses a formula whose whole parts would not all be exact.
    ///
    /// # Errors
    /// [`FormulaError::TooLarge`], and those of [`Formula::range`].
    pub fn check_whole(&self, ranges: &[NumberRange], columns: &[bool]) -> Result<(), FormulaError> {
        let double = |range: &NumberRange| Span { lower: range.lower.to_f64(), upper: range.upper.to_f64() };
        let ranges: Vec<_> = ranges.iter().map(double).collect();
        let mut waiting = vec![&self.root];
        while let Some(part) = waiting.pop() {
            let magnitude = self.span(part, &ranges)?.magnitude();
            if is_whole(part, columns) && magnitude > WHOLE {
                return Err(self.too_large(part, magnitude, WHOLE));
            }
            match part {
                Term::Of(_, inner) => waiting.push(inner),
                Term::Between(_, left, right) => waiting.extend([&**left, right]),
                Term::Column(_) | Term::Number(_) => {}
            }
        }
        Ok(())
    }

    /// The number of each row, from those of the columns, which are clipped.
    pub(crate) fn of_rows(&self, columns: &[Vec<f64>], rows: usize) -> Vec<f64> {
        match of_rows(&self.root, columns) {
            Rows::Same(value) => vec![value; rows],
            Rows::Of(column) => columns[column].clone(),
            Rows::Computed(values) => values,
        }
    }

    fn span<T: Endpoint>(&self, part: &Term, ranges: &[Span<T>]) -> Result<Span<T>, FormulaError> {
        let span = match part {
            Term::Column(column) => ranges[*column].clone(),
            Term::Number(number) => Span { lower: T::from_rational(number), upper: T::from_rational(number) },
            Term::Of(function, inner) => self.span(inner, ranges)?.through(*function),
            Term::Between(function, left, right) => {
                let (left, divisor) = (self.span(left, ranges)?, self.span(right, ranges)?);
                if *function == Function2::Over && divisor.has_zero() {
                    let (lower, upper) = (divisor.lower.to_string(), divisor.upper.to_string());
                    return Err(FormulaError::Divisor { divisor: self.shown(right), lower, upper });
                }
                left.with(*function, &divisor)
            }
        };
        let magnitude = span.magnitude();
        // Not so for a NaN either.
        if magnitude <= LARGEST { Ok(span) } else { Err(self.too_large(part, magnitude.min(f64::MAX), LARGEST)) }
    }

    fn too_large(&self, part: &Term, magnitude: f64, most: f64) -> FormulaError {
        FormulaError::TooLarge { part: self.shown(part), magnitude: Magnitude(magnitude), most: Magnitude(most) }
    }

    /// A part as it is written.
    fn shown(&self, part: &Term) -> String {
        let inner = |part: &Term| match part {
            Term::Between(Function2::Plus | Function2::Minus | Function2::Times | Function2::Over, ..) => {
                format!("({})", self.shown(part))
            }
            other => self.shown(other),
        };
        match part {
            Term::Column(column) => self.columns[*column].clone(),
            Term::Number(number) => number.to_string(),
            Term::Of(Function1::Minus, operand) => format!("-{}", inner(operand)),
            Term::Of(Function1::Abs, operand) => format!("abs({})", self.shown(operand)),
            Term::Of(Function1::Floor, operand) => format!("floor({})", self.shown(operand)),
            Term::Between(function, left, right) => {
                let sign = match function {
                    Function2::Plus => "+",
                    Function2::Minus => "-",
                    Function2::Times => "*",
                    Function2::Over => "/",
                    Function2::Least => return format!("least({}, {})", self.shown(left), self.shown(right)),
                    Function2::Greatest => return format!("greatest({}, {})", self.shown(left), self.shown(right)),
                };
                format!("{} {sign} {}", inner(left), inner(right))
            }
        }
    }
}

impl fmt::Display for Formula {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.shown(&self.root))
    }
}

fn is_whole(part: &Term, columns: &[bool]) -> bool {
    match part {
        Term::Column(column) => columns[*column],
        Term::Number(number) => number.is_integer(),
        Term::Of(Function1::Floor, _) => true,
        Term::Of(_, inner) => is_whole(inner, columns),
        Term::Between(Function2::Over, ..) => false,
        Term::Between(_, left, right) => is_whole(left, columns) && is_whole(right, columns),
    }
}

#[cfg(test)]
mod tests;
