//! Why numbers were not reconciled. In every case nothing was written.

use std::{fmt, io, path::PathBuf};

use inbounds_bundle::BundleError;
use inbounds_input::{Format, document::DocumentErrors};
#[cfg(feature = "page")]
use inbounds_report::ReportError;
use thiserror::Error;

/// A reconciliation that did not happen.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// The constraints file has mistakes; each has its place.
    #[error(transparent)]
    Constraints(#[from] DocumentErrors),
    /// The caller ended the work.
    #[error("stopped before anything was written")]
    Stopped,
    /// A file could not be read.
    #[error("cannot read `{}`: {source}", .file.display())]
    Unreadable {
        /// The file.
        file: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// Neither CSV nor Parquet.
    #[error("the name of `{}` must end in .csv or .parquet, which states its format", .file.display())]
    UnknownFormat {
        /// The file.
        file: PathBuf,
    },
    /// A Parquet file that cannot be decoded.
    #[error("`{}` is not a complete Parquet file: {problem}", .file.display())]
    Damaged {
        /// The file.
        file: PathBuf,
        /// Message of the decoder.
        problem: String,
    },
    /// A Parquet file, of which this build reads none.
    #[error("`{}` is a Parquet file, and Parquet was left out of this build: build with the feature `parquet`, or write CSV", .file.display())]
    WithoutParquet {
        /// The file.
        file: PathBuf,
    },
    /// The columns are not those of measurements.
    #[error("`{}`: {problem}", .file.display())]
    Columns {
        /// The file.
        file: PathBuf,
        /// Which column is wrong, and how.
        problem: String,
    },
    /// A cell of a table that no row has, and that nothing else determines.
    #[error(
        "`{}`: no row has the cell `{cell}`, and no sum determines it: add its row, with `fixed` if its number is known{remedy}",
        .file.display()
    )]
    CellWithoutRow {
        /// The file.
        file: PathBuf,
        /// Its values.
        cell: String,
        /// A further remedy.
        remedy: String,
    },
    /// No row.
    #[error("`{}` is empty: it has no row with a node", .file.display())]
    Empty {
        /// The file.
        file: PathBuf,
    },
    /// A row that cannot be a measurement, or that contradicts another.
    #[error("`{}`, {place}: {problem}", .file.display())]
    Row {
        /// The file.
        file: PathBuf,
        /// Where it stands.
        place: Place,
        /// The mistake in it.
        problem: Box<Problem>,
    },
    /// Well-formed constraints that no numbers satisfy.
    #[error("no numbers satisfy the constraints: {}", listed(.conflict))]
    Infeasible {
        /// A smallest set of constraints that cannot hold together, each as a node and what is required of it.
        conflict: Vec<(String, String)>,
    },
    /// Whole numbers were asked of a system for which no solver promises them.
    #[error(
        "whole numbers cannot be guaranteed under these constraints: {reason}; leave --integer out, or ask for sums along a \
         tree, tables, ranges or one order"
    )]
    NotUnimodular {
        /// The obstacle.
        reason: String,
    },
    /// Too few replicates for an interval of the level.
    #[error(
        "intervals of level {level} need at least {least} replicates, got {found}: raise --replicates, or set it to 0 for \
         no intervals"
    )]
    Replicates {
        /// Level of the intervals.
        level: f64,
        /// Fewest replicates.
        least: usize,
        /// Replicates asked for.
        found: usize,
    },
    /// A fit was asked for where neither a tree nor a table alone is solved.
    #[error(
        "--fit chooses how the levels of a tree or the margins of a table are solved, and these constraints are more than that: \
         leave it out"
    )]
    Fit,
    /// Residuals where something stands in the way of them.
    #[error("--residuals says that the measurements of a table are residuals of its margins: {reason}")]
    Residuals {
        /// The obstacle.
        reason: &'static str,
    },
    /// A label of totals that no row has.
    #[error("no attribute has the value `{label}` that `--total` names{near}")]
    TotalLabel {
        /// The label.
        label: String,
        /// The value that may be meant, as a question.
        near: String,
    },
    /// Labels of totals where no table has them.
    #[error("`--total` names a value of an attribute, and this file has nodes by name: leave it out")]
    TotalOfTree,
    /// A matrix that the solver did not find.
    #[error("{reason}")]
    Matrix {
        /// The obstacle and its remedy.
        reason: String,
    },
    /// A level that is none.
    #[error("level must be greater than 0 and less than 1, got {level}")]
    Level {
        /// The level asked for.
        level: f64,
    },
    /// The bundle could not be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The page of the bundle could not be drawn.
    #[cfg(feature = "page")]
    #[error(transparent)]
    Report(#[from] ReportError),
}

/// A line of a CSV file or a row of a Parquet file, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Format of the file, by which lines or rows are counted.
    pub format: Format,
    /// The number.
    pub number: u64,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let noun = match self.format {
            Format::Csv => "line",
            Format::Parquet => "row",
        };
        write!(formatter, "{noun} {}", self.number)
    }
}

/// A mistake in a row, with the name of its node.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "each message says what its fields are")]
pub enum Problem {
    #[error("not UTF-8 text; save the file as UTF-8")]
    NotUtf8,
    #[error("{found} fields, but the header has {wanted}")]
    Fields { found: usize, wanted: usize },
    #[error("a row must name its node in the column `node`")]
    NoNode,
    #[error("`{column}` of node `{node}` must be {requirement}, got `{found}`")]
    Number { column: &'static str, node: String, requirement: &'static str, found: String },
    #[error(
        "node `{node}` has a value without a variance: give `variance`, or `law` and `scale`, or `fixed` if the value is \
         exact"
    )]
    MissingVariance { node: String },
    #[error(
        "`law` of node `{node}` must be laplace, discrete-laplace, gaussian or discrete-gaussian, got `{found}`{hint}"
    )]
    Law { node: String, found: String, hint: String },
    #[error("node `{node}` has a law without its scale, or a scale without its law: give both")]
    HalfLaw { node: String },
    #[error(
        "node `{node}` has variance {variance}, but {law} noise of scale {scale} has variance {expected}: leave one of \
         them out"
    )]
    Variance { node: String, variance: f64, law: &'static str, scale: f64, expected: f64 },
    #[error(
        "`{node}` has {found}: of each margin of a margin that has a residual, every cell must have one, all of a margin with the \
         same variance"
    )]
    Residual { node: String, found: &'static str },
    #[error("node `{node}` is fixed without a value: write the exact value in `fixed` or in `value`")]
    FixedNowhere { node: String },
    #[error("node `{node}` is known exactly twice, as {first} and as {second}: keep the right one")]
    Contradiction { node: String, first: f64, second: f64 },
    #[error("node `{node}` has lower = {lower} above upper = {upper}")]
    Bounds { node: String, lower: f64, upper: f64 },
    #[error(
        "node `{parent}`, the parent of `{node}`, may be several nodes, with {parents}: rename one of these, in all of its rows and \
         as a parent"
    )]
    AmbiguousParent { node: String, parent: String, parents: String },
    #[error(
        "node `{node}` has two parents, {first} and {second}: keep one in all of its rows; if they are two nodes, rename one of \
         them"
    )]
    TwoParents { node: String, first: String, second: String },
    #[error(
        "node `{node}` is an orphan: its parent `{parent}` has no row; add one, with an empty `value` if it was not measured"
    )]
    Orphan { node: String, parent: String },
    #[error("node `{node}` is its own ancestor: break the cycle of parents {path}")]
    Cycle { node: String, path: String },
    #[error("a line must name its row in the column `row`")]
    NoRow,
    #[error("`{column}` of row `{row}` must be {requirement}, got `{found}`")]
    RowEntry { column: &'static str, row: String, requirement: &'static str, found: String },
    #[error("the measurements have no node `{node}`{hint}")]
    UnknownNode { node: String, hint: String },
    #[error("row `{row}` has node `{node}` twice: add the two coefficients")]
    RepeatedTriplet { row: String, node: String },
    #[error("row `{row}` has two right-hand sides: keep one, or write two rows")]
    SideTwice { row: String },
    #[error("row `{row}` has no terms in `{triplets}`")]
    NoTerms { row: String, triplets: String },
    #[error("row `{row}` has coefficients but no right-hand side: add its line to `{sides}`")]
    NoSide { row: String, sides: String },
    #[error("node `{node}` has no measurement, and no equality determines it: measure it, fix it, or leave it out")]
    Undetermined { node: String },
    #[error(
        "{what} is {found}, and doubles distinguish neighbouring whole numbers only up to 2^52 in the sum of all nodes, with \
         noise of standard deviations up to 2^40: measure in a larger unit, or leave --integer out"
    )]
    NotCountable { what: String, found: f64 },
    #[error(
        "entry `{node}` is {found}, and the nearest correlation matrix is lost in rounding beyond {most}: a correlation is \
         between -1 and 1, so check the file, or take `unit_diagonal` out"
    )]
    NotACorrelation { node: String, found: f64, most: f64 },
    #[error(
        "two cells of the table have one name, `{name}`: the values of attributes are joined by a comma, so write this one without"
    )]
    SameCell { name: String },
    #[error("a row gives `{inner}` without `{outer}`, in which it lies: give both")]
    NestedAlone { inner: String, outer: String },
    #[error("the margins that were measured have {cells} cells in all, and at most {most} are possible")]
    TooManyCells { cells: usize, most: usize },
    #[error("there are more than {most} names")]
    TooMany { most: usize },
}

/// The constraints in words, the first ten of them.
fn listed(conflict: &[(String, String)]) -> String {
    const SHOWN: usize = 10;
    let mut parts: Vec<String> =
        conflict.iter().take(SHOWN).map(|(node, requirement)| format!("`{node}` {requirement}")).collect();
    if conflict.len() > SHOWN {
        parts.push(format!("and {} more", conflict.len() - SHOWN));
    }
    match parts.len() {
        1 => parts.concat(),
        _ => format!("{} cannot hold together; mend one of them", parts.join(", ")),
    }
}
