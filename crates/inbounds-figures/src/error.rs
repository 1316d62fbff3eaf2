//! Why figures were not made. Everything in these messages is public.

use std::{io, path::PathBuf};

use inbounds_bundle::BundleError;
use inbounds_input::document::DocumentErrors;
use thiserror::Error;

/// Figures that were not made; nothing was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FiguresError {
    /// Mistakes in the file of figures, each with its place.
    #[error(transparent)]
    Document(#[from] DocumentErrors),
    /// The folder is no release.
    #[error(
        "`{}` is no bundle of a release: its release.json cannot be read ({reason}); give the folder that `inbounds release` made",
        .folder.display()
    )]
    NoRelease {
        /// The folder.
        folder: PathBuf,
        /// The system's message.
        reason: String,
    },
    /// A manifest is not what its schema says.
    #[error("`{}` is not as this version knows it: {problem}", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// The error in it.
        problem: String,
    },
    /// A table of the bundle is not what its schema says.
    #[error("`{}` is not as this version knows it: {problem}", .path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The error in it.
        problem: String,
    },
    /// A public table cannot be read.
    #[error("the public table `{}` cannot be used: {problem}", .path.display())]
    PublicTable {
        /// The file.
        path: PathBuf,
        /// The error in it.
        problem: String,
    },
    /// A figure cannot be made of what was published.
    #[error("figure `{figure}`: {refusal}")]
    Refused {
        /// Its name.
        figure: String,
        /// Why.
        refusal: Refusal,
    },
    /// A level that is no level of intervals.
    #[error("the level of intervals must be between 0.5 and 0.9999, got {level}")]
    Level {
        /// The level.
        level: f64,
    },
    /// Two bundles cannot be compared.
    #[error("the two bundles cannot be compared: {reason}")]
    NotComparable {
        /// The difference.
        reason: String,
    },
    /// The output could not be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A file could not be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// Why a figure has no interval that would be valid: what it names is not there, or the law of its noise is not that of
/// sums of the measurements.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// There is no such statistic.
    #[error(
        "there is no statistic `{name}`{}; there are {}", .near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?")),
        listed(.known)
    )]
    NoStatistic {
        /// The name.
        name: String,
        /// The name that may be meant.
        near: Option<String>,
        /// The names of all.
        known: Vec<String>,
    },
    /// The noise was drawn given that the result is in the range.
    #[error(
        "the noise of `{statistic}` ({mechanism}) was drawn so that the result is in its range, so its law depends on the answer and that of a sum \
         is not known; release it with another mechanism, such as \"clamped\""
    )]
    Conditioned {
        /// The statistic.
        statistic: String,
        /// Its mechanism.
        mechanism: String,
    },
    /// The cells were chosen by noise.
    #[error(
        "noise chose which cells of `{statistic}` are published, so the law of their noise depends on the answers; list its keys in the plan to make \
         figures of it"
    )]
    Learned {
        /// The statistic.
        statistic: String,
    },
    /// The measurement is the place of a bin.
    #[error("`{statistic}` was chosen among bins: no noise was added to a number of which a figure could be made")]
    Chosen {
        /// The statistic.
        statistic: String,
    },
    /// The published number is no sum and no quotient of sums of measurements.
    #[error(
        "a number of `{statistic}` ({kind}) is neither a sum of its measurements nor a quotient of two, so no law of its noise follows from theirs; \
         figures are made of counts, sums and means{}", if kind == "proportion" { ", and a share is the `ratio` of two counts" } else { "" }
    )]
    NoLaw {
        /// The statistic.
        statistic: String,
        /// Its kind.
        kind: String,
    },
    /// The manifest states a law that this version cannot make again.
    #[error("the manifest does not say enough of the noise of `{statistic}` (`{law}`) to make its law again")]
    UnknownLaw {
        /// The statistic.
        statistic: String,
        /// The law.
        law: String,
    },
    /// Statistics share measurements, and it is not clear which.
    #[error("the manifest does not say which measurements `{statistic}` has in common with other statistics")]
    SharedUnclear {
        /// The statistic.
        statistic: String,
    },
    /// A cell has no measurement.
    #[error("a number of `{statistic}` does not follow from its measurements")]
    Unmeasured {
        /// The statistic.
        statistic: String,
    },
    /// Residuals of margins were measured.
    #[error("residuals of the margins of `{statistic}` were measured, and figures of such a fit are not built")]
    Residuals {
        /// The statistic.
        statistic: String,
    },
    /// Margins of a table in which some combinations are no cells, and the finest are not published.
    #[error(
        "some combinations of values of `{statistic}` are no cells, and its finest cells are not published, so its fit cannot be made again"
    )]
    SparseMargins {
        /// The statistic.
        statistic: String,
    },
    /// A fit with too many numbers.
    #[error(
        "the fit of `{statistic}` has {measured} measurements and {cells} finest cells; figures are made of fits whose product of the two is at most \
         4,000,000"
    )]
    LargeFit {
        /// The statistic.
        statistic: String,
        /// Its measurements.
        measured: usize,
        /// Its finest cells.
        cells: usize,
    },
    /// A cell that is not published.
    #[error("`{statistic}` has no published cell with {key}")]
    NoCell {
        /// The statistic.
        statistic: String,
        /// The key in words.
        key: String,
    },
    /// A grouping column of which neither a value is given nor the sum is asked for.
    #[error(
        "`{statistic}` is by {columns} too: put them into `by`, give a value in `where`, or write total = true to add up their cells"
    )]
    OpenColumn {
        /// The statistic.
        statistic: String,
        /// The columns.
        columns: String,
    },
    /// A column that the statistic is not grouped by.
    #[error("`{statistic}` is not grouped by `{column}`")]
    NoColumn {
        /// The statistic.
        statistic: String,
        /// The column.
        column: String,
    },
    /// Several numbers a cell.
    #[error("a cell of `{statistic}` has several numbers: add output = {}", .outputs.iter().map(|output| format!("\"{output}\"")).collect::<Vec<_>>().join(" or "))]
    Output {
        /// The statistic.
        statistic: String,
        /// Their names.
        outputs: Vec<String>,
    },
    /// A public table has no row, or several, for a key.
    #[error("the public table `{file}` has {found} for {key}; it must have one")]
    PublicRow {
        /// The file.
        file: String,
        /// Number of its rows, in words.
        found: &'static str,
        /// The key in words.
        key: String,
    },
    /// A public number that is divided by is zero.
    #[error("a public number that is divided by is 0, for {key}")]
    PublicZero {
        /// The key in words.
        key: String,
    },
    /// A public population that is none.
    #[error("the public number that a rate is per must be above 0, and it is {population} for {key}")]
    Population {
        /// The number.
        population: f64,
        /// The key in words.
        key: String,
    },
    /// A mean in a sum.
    #[error(
        "`{kind}` adds numbers up, and `{statistic}` is a quotient of two noisy numbers; give its sum and its count instead"
    )]
    NotLinear {
        /// The kind of the figure.
        kind: &'static str,
        /// The statistic.
        statistic: String,
    },
    /// A noisy population in a standardised rate.
    #[error(
        "the populations of a standardised rate must be public numbers: with noisy ones each class is a quotient, and no law of their sum is known; give \
         per = {{ file = ..., value = ... }}"
    )]
    NoisyPopulation,
    /// A chance of a miss that is too small to be drawn.
    #[error(
        "an interval of this level for so many cells needs more draws than are made; lower `interval`, leave out `joint`, or choose fewer cells"
    )]
    TooRare,
    /// No cell at all.
    #[error("there is no cell to make it of")]
    Empty,
}

fn listed(names: &[String]) -> String {
    const MOST: usize = 12;
    let first: Vec<String> = names.iter().take(MOST).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > MOST { ", ..." } else { "" };
    if first.is_empty() { "none".to_owned() } else { format!("{}{more}", first.join(", ")) }
}
