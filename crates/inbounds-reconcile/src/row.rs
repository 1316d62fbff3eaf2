//! One row of a measurements file, and the checks of its node that need no other row.

use inbounds_input::nearest;

use super::error::Problem;
use crate::projection::{Law, Measured};

/// Largest value and variance. The solvers take sums up to 1e100, and there are fewer than 1e10 nodes.
const LARGEST: f64 = 1e90;
const POSSIBLE_VALUE: &str = "a number between -1e90 and 1e90";
const POSSIBLE_VARIANCE: &str = "zero or between 1e-90 and 1e90";
const POSSIBLE_SCALE: &str = "positive, with a variance between 1e-90 and 1e90";

/// A row's statement that its node is known exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fixed {
    No,
    /// The value of the row is exact.
    AtValue,
    At(f64),
}

impl Fixed {
    /// From the word in the column `fixed` of a node.
    pub(super) fn parse(word: &str, node: &str) -> Result<Self, Problem> {
        match word.trim() {
            "" => Ok(Self::No),
            word if word.eq_ignore_ascii_case("false") => Ok(Self::No),
            word if word.eq_ignore_ascii_case("true") => Ok(Self::AtValue),
            digits => digits.parse().map(Self::At).map_err(|_| Problem::Number {
                column: "fixed",
                node: node.to_owned(),
                requirement: "true, false, the exact value, or empty",
                found: digits.to_owned(),
            }),
        }
    }
}

/// One row of the file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Row<'a> {
    /// First byte in a CSV file, number from 1 in a Parquet file.
    pub(super) place: u64,
    pub(super) node: &'a str,
    /// The place of a cell as the column `node` has it, where cells are of tables at places.
    pub(super) at: &'a str,
    /// Empty for a root.
    pub(super) parent: &'a str,
    pub(super) value: Option<f64>,
    pub(super) variance: Option<f64>,
    /// Empty if not stated.
    pub(super) law: &'a str,
    pub(super) scale: Option<f64>,
    pub(super) fixed: Fixed,
    pub(super) lower: Option<f64>,
    pub(super) upper: Option<f64>,
}

/// A row's statements about its node by itself: a measurement, an exact value.
pub(super) fn judge(row: &Row<'_>) -> Result<(Option<Measured>, Option<f64>), Problem> {
    let within = |column, number: Option<f64>, holds: fn(f64) -> bool, requirement| match number {
        Some(number) if !holds(number) => {
            Err(Problem::Number { column, node: row.node.into(), requirement, found: number.to_string() })
        }
        _ => Ok(()),
    };
    within("value", row.value, possible, POSSIBLE_VALUE)?;
    within("variance", row.variance, |x| x == 0.0 || possible_variance(x), POSSIBLE_VARIANCE)?;
    within("scale", row.scale, |x| x > 0.0, POSSIBLE_SCALE)?;
    within("lower", row.lower, |x| x < f64::INFINITY, "a number, or empty")?;
    within("upper", row.upper, |x| x > f64::NEG_INFINITY, "a number, or empty")?;
    let noise = noise(row)?;
    let exact = match row.fixed {
        Fixed::No => row.value.filter(|_| row.variance == Some(0.0)),
        Fixed::AtValue => Some(row.value.ok_or_else(|| Problem::FixedNowhere { node: row.node.into() })?),
        Fixed::At(value) => {
            within("fixed", Some(value), possible, "true, false, or a number between -1e90 and 1e90")?;
            Some(value)
        }
    };
    let Some(value) = row.value.filter(|_| row.variance != Some(0.0)) else { return Ok((None, exact)) };
    let measured = match (row.variance, noise) {
        _ if exact == Some(value) => None,
        (None, None) => return Err(Problem::MissingVariance { node: row.node.into() }),
        (Some(variance), None) => Some(Measured { value, variance, noise: None, step: 1.0 }),
        (stated, Some((law, scale))) => Some(agreed(row, value, stated, law, scale)?),
    };
    Ok((measured, exact))
}

fn possible(value: f64) -> bool {
    value.abs() <= LARGEST
}

fn possible_variance(variance: f64) -> bool {
    (1.0 / LARGEST..=LARGEST).contains(&variance)
}

/// Law and scale of a row, if it states them.
fn noise(row: &Row<'_>) -> Result<Option<(Law, f64)>, Problem> {
    let node = || row.node.to_owned();
    match (row.law, row.scale) {
        ("", None) => Ok(None),
        ("", Some(_)) | (_, None) => Err(Problem::HalfLaw { node: node() }),
        (name, Some(scale)) => match Law::named(name) {
            Some(law) => Ok(Some((law, scale))),
            None => {
                let near = nearest(name, Law::ALL.map(|(known, _)| known));
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                Err(Problem::Law { node: node(), found: name.to_owned(), hint })
            }
        },
    }
}

/// A measurement whose variance follows from its law, and agrees with the stated one to six digits.
fn agreed(row: &Row<'_>, value: f64, stated: Option<f64>, law: Law, scale: f64) -> Result<Measured, Problem> {
    let node = || row.node.to_owned();
    let expected = law.variance(scale);
    if !possible_variance(expected) {
        let found = scale.to_string();
        return Err(Problem::Number { column: "scale", node: node(), requirement: POSSIBLE_SCALE, found });
    }
    match stated {
        Some(variance) if (variance - expected).abs() > 1e-6 * expected => {
            Err(Problem::Variance { node: node(), variance, law: law.name(), scale, expected })
        }
        _ => Ok(Measured { value, variance: expected, noise: Some((law, scale)), step: 1.0 }),
    }
}
