//! What a measurements file says, row by row and then as a whole.

use std::path::{Path, PathBuf};

use inbounds_input::{Format, line_at};

use super::{
    Law,
    error::{Place, Problem, ReconcileError},
    names::{MOST, Names},
};
use crate::projection::Measured;

/// Parent of a root.
const ROOT: u32 = u32::MAX;
/// Parent of a node that no row has placed.
const UNPLACED: u32 = u32::MAX - 1;

/// Largest value and variance. The solvers take sums up to 1e100, and there are fewer than 1e10 nodes.
const LARGEST: f64 = 1e90;
const POSSIBLE_VALUE: &str = "a number between -1e90 and 1e90";
const POSSIBLE_VARIANCE: &str = "zero or between 1e-90 and 1e90";
const POSSIBLE_SCALE: &str = "positive, with a variance between 1e-90 and 1e90";

/// Whether a row says that its node is known exactly.
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

/// A whole file: nodes by number in the order in which they are first named, measurements in the order of the rows.
pub(super) struct Sheet {
    pub(super) file: PathBuf,
    pub(super) format: Format,
    pub(super) names: Names,
    parents: Vec<u32>,
    /// First place of each node.
    places: Vec<u64>,
    /// Node of each measurement.
    pub(super) of: Vec<u32>,
    pub(super) measured: Vec<Measured>,
    /// Exact value of each node, NaN where there is none; empty if no row has one. The bounds likewise.
    fixed: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    pub(super) rows: u64,
    /// Whether the file has a column of parents.
    pub(super) states_parents: bool,
    last_parent: Option<u32>,
}

impl Sheet {
    pub(super) fn new(file: &Path, format: Format) -> Self {
        Self {
            file: file.to_owned(),
            format,
            names: Names::default(),
            parents: Vec::new(),
            places: Vec::new(),
            of: Vec::new(),
            measured: Vec::new(),
            fixed: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            rows: 0,
            states_parents: true,
            last_parent: None,
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.names.len()
    }

    /// Number of the parent of each node; none for a root.
    pub(super) fn parents(&self) -> Vec<Option<u32>> {
        self.parents.iter().map(|&parent| (parent != ROOT).then_some(parent)).collect()
    }

    /// Number of the parent of a node; none for a root.
    pub(super) fn parent(&self, node: usize) -> Option<u32> {
        (self.parents[node] != ROOT).then_some(self.parents[node])
    }

    /// Whether any node has a parent.
    pub(super) fn has_parents(&self) -> bool {
        self.parents.iter().any(|&parent| parent != ROOT)
    }

    /// The exact value of a node as the file states it.
    pub(super) fn fixed(&self, node: usize) -> Option<f64> {
        self.fixed.get(node).copied().filter(|value| !value.is_nan())
    }

    /// The bounds of a node as the file states them; infinite where it does not.
    pub(super) fn bounds(&self, node: usize) -> (f64, f64) {
        (
            self.lower.get(node).copied().unwrap_or(f64::NEG_INFINITY),
            self.upper.get(node).copied().unwrap_or(f64::INFINITY),
        )
    }

    /// Whether any row states a bound.
    pub(super) fn has_bounds(&self) -> bool {
        !self.lower.is_empty() || !self.upper.is_empty()
    }

    /// Takes in a row.
    pub(super) fn add(&mut self, row: &Row<'_>) -> Result<(), ReconcileError> {
        self.take(row).map_err(|problem| self.wrong(row.place, problem))
    }

    /// An error at a place of this file.
    pub(super) fn wrong(&self, place: u64, problem: Problem) -> ReconcileError {
        let number = match self.format {
            Format::Csv => line_at(&self.file, place),
            Format::Parquet => place,
        };
        let place = Place { format: self.format, number };
        ReconcileError::Row { file: self.file.clone(), place, problem: Box::new(problem) }
    }

    /// An error at the first row of a node.
    pub(super) fn wrong_node(&self, node: usize, problem: Problem) -> ReconcileError {
        self.wrong(self.places[node], problem)
    }

    fn take(&mut self, row: &Row<'_>) -> Result<(), Problem> {
        if row.node.is_empty() {
            return Err(Problem::NoNode);
        }
        self.rows += 1;
        let (measured, exact) = judge(row)?;
        let node = self.place(row)?;
        if let Some(measured) = measured {
            self.of.push(node as u32);
            self.measured.push(measured);
        }
        if let Some(exact) = exact {
            let known = entry(&mut self.fixed, node, f64::NAN);
            if !known.is_nan() && *known != exact {
                return Err(Problem::Contradiction { node: row.node.into(), first: *known, second: exact });
            }
            *known = exact;
        }
        if row.lower.is_some() || row.upper.is_some() {
            let low = entry(&mut self.lower, node, f64::NEG_INFINITY);
            *low = low.max(row.lower.unwrap_or(f64::NEG_INFINITY));
            let high = entry(&mut self.upper, node, f64::INFINITY);
            *high = high.min(row.upper.unwrap_or(f64::INFINITY));
            let (lower, upper) = (self.lower[node], self.upper[node]);
            if lower > upper {
                return Err(Problem::Bounds { node: row.node.into(), lower, upper });
            }
        }
        Ok(())
    }

    /// The number of the row's node, placed below the row's parent.
    fn place(&mut self, row: &Row<'_>) -> Result<usize, Problem> {
        let node = self.number(row.node)? as usize;
        let parent = match (row.parent, self.last_parent) {
            ("", _) => ROOT,
            // Children of one node mostly stand together.
            (name, Some(last)) if self.names.name(last) == name => last,
            (name, _) => {
                let number = self.number(name)?;
                self.last_parent = Some(number);
                number
            }
        };
        let known = &mut self.parents[node];
        if *known == UNPLACED {
            *known = parent;
            self.places[node] = row.place;
        } else if *known != parent {
            let name = |parent: u32| match parent {
                ROOT => "none (a root)".to_owned(),
                _ => format!("`{}`", self.names.name(parent)),
            };
            let (first, second) = (name(self.parents[node]), name(parent));
            return Err(Problem::TwoParents { node: row.node.into(), first, second });
        }
        Ok(node)
    }

    fn number(&mut self, name: &str) -> Result<u32, Problem> {
        let number = self.names.number(name).ok_or(Problem::TooMany { most: MOST })?;
        if number as usize == self.parents.len() {
            self.parents.push(UNPLACED);
            self.places.push(0);
        }
        Ok(number)
    }

    /// The sheet once all rows are in, every node placed.
    pub(super) fn finish(self) -> Result<Self, ReconcileError> {
        if self.rows == 0 {
            return Err(ReconcileError::Empty { file: self.file });
        }
        let orphan = |&parent: &u32| parent < UNPLACED && self.parents[parent as usize] == UNPLACED;
        if let Some(node) = self.parents.iter().position(orphan) {
            let parent = self.names.name(self.parents[node]).to_owned();
            let problem = Problem::Orphan { node: self.names.name(node as u32).to_owned(), parent };
            return Err(self.wrong_node(node, problem));
        }
        Ok(self)
    }
}

/// The entry of a node in a list that grows when it is first needed.
fn entry(list: &mut Vec<f64>, node: usize, nothing: f64) -> &mut f64 {
    if list.len() <= node {
        list.resize(node + 1, nothing);
    }
    &mut list[node]
}

/// What a row says of its node by itself: a measurement, an exact value.
fn judge(row: &Row<'_>) -> Result<(Option<Measured>, Option<f64>), Problem> {
    let within = |column, number: Option<f64>, holds: fn(f64) -> bool, requirement| match number {
        Some(found) if !holds(found) => {
            Err(Problem::Number { column, node: row.node.into(), requirement, found: found.to_string() })
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
        (Some(variance), None) => Some(Measured { value, variance, noise: None }),
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
                let near = inbounds_input::nearest(name, Law::ALL.map(|(known, _)| known));
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
        _ => Ok(Measured { value, variance: expected, noise: Some((law, scale)) }),
    }
}
