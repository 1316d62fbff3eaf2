//! Why a statistic cannot be released as described.

use std::fmt;

use inbounds_core::{CoreError, Epsilon};
use inbounds_mechanisms::{
    calibrate::CalibrationError,
    registry::{self, Entry},
};
use thiserror::Error;

/// A broken requirement on a statistic. Public: nothing here was read from rows.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StatisticError {
    /// A sum or mean without bounds on its column.
    #[error("a {kind} needs lower and upper bounds on its column, to clip each row to")]
    NoBounds {
        /// Kind of statistic.
        kind: &'static str,
    },
    /// The declared output range leaves out everything the statistic can be.
    #[error("the declared range has no point in common with [{lower}, {upper}], where the statistic must lie")]
    EmptyRange {
        /// Lower end of the natural range.
        lower: f64,
        /// Upper end of the natural range.
        upper: f64,
    },
    /// One unit can move the answer further than the range is wide.
    #[error(
        "the range is {width} wide but one privacy unit can move the statistic by {sensitivity}: widen the range, or \
         narrow the column's bounds"
    )]
    SensitivityWiderThanRange {
        /// Width of the range in the statistic's unit.
        width: f64,
        /// Largest change of one cell in the statistic's unit.
        sensitivity: f64,
    },
    /// Every row counts and the number of rows is public.
    #[error("the number of rows is public under substitution: publish it, it needs no noise and no epsilon")]
    PublicCount,
    /// A number of units that are rows.
    #[error("the privacy unit is a row, so its units are its rows: take a count")]
    UnitsAreRows,
    /// A ratio by a mechanism that does not clamp plain noise.
    #[error(
        "this mean is a ratio of noisy sums, in range by construction, to which only the clamped mechanisms apply: take one, or a \
         public number of rows"
    )]
    RatioMechanism,
    /// A ratio without a range.
    #[error(
        "this mean is a ratio of noisy sums and lies within the column's bounds by construction: take its natural range; the \
         measurements of both sums are unbiased"
    )]
    UnboundedRatio,
    /// The bounds of a column collapse or overflow on the grid.
    #[error(
        "the column's bounds [{lower}, {upper}] do not fit the grid that epsilon = {epsilon} calls for: their sizes, their width, and their \
         width over epsilon must be between 1e-60 and 1e60, and their width not too small for their size; give the column another unit"
    )]
    Bounds {
        /// Declared lower bound.
        lower: f64,
        /// Declared upper bound.
        upper: f64,
        /// Epsilon of the statistic.
        epsilon: Epsilon,
    },
    /// A column whose bounds leave it one value.
    #[error(
        "column `{column}` has lower = upper or less: its {kind} is known without data; leave it out or widen its bounds"
    )]
    ConstantColumn {
        /// Kind of statistic.
        kind: &'static str,
        /// Name of the column.
        column: String,
    },
    /// A public number of rows that has no variance.
    #[error("a {kind} needs at least 2 rows, and the public number of rows is {rows}")]
    TooFewRows {
        /// Kind of statistic.
        kind: &'static str,
        /// Public number of rows.
        rows: u64,
    },
    /// Bounds that a grid with exact sums of squares cannot distinguish, or whose squares are no doubles.
    #[error(
        "the bounds [{lower}, {upper}] of column `{column}` lie too far from 0 for their width, or span too much or too \
         little, for exact sums of squares: change them, subtract a constant from the column, or change its unit"
    )]
    SquaresTooWide {
        /// Name of the column.
        column: String,
        /// Declared lower bound.
        lower: f64,
        /// Declared upper bound.
        upper: f64,
    },
    /// A mechanism that keeps a range of each measurement, where the range is one of a function of several.
    #[error(
        "this {kind} is made of several noisy sums and kept in its range afterwards: no mechanism but {} applies",
        registry::names(Entry::is_clamped, "\"", "and")
    )]
    SumsMechanism {
        /// Kind of statistic.
        kind: &'static str,
    },
    /// A matrix of fewer than two columns.
    #[error(
        "a {kind} matrix needs at least 2 columns, and this one has {columns}: for one column ask for its variance"
    )]
    TooFewColumns {
        /// Kind of statistic.
        kind: &'static str,
        /// Number of columns.
        columns: usize,
    },
    /// A classifier of fewer than two classes.
    #[error("a classifier needs public keys for at least 2 classes, and has {classes}: list the values of the label")]
    TooFewClasses {
        /// Number of classes.
        classes: u64,
    },
    /// A classifier of nothing.
    #[error("a classifier needs at least one feature with bounds")]
    NoFeatures,
    /// A statistic without an interval for the population.
    #[error(transparent)]
    NoPopulation(#[from] crate::population::NoInterval),
    /// A row that does not fit a model.
    #[error("the model needs {features} finite numbers a row, one a feature; this row has {values} values")]
    Row {
        /// Features of the model.
        features: usize,
        /// Values of the row.
        values: usize,
    },
    /// A column named twice.
    #[error("column `{column}` is named twice: each column of a {kind} may appear once")]
    RepeatedColumn {
        /// Kind of statistic.
        kind: &'static str,
        /// Name of the column.
        column: String,
    },
    /// Too many entries: the noise of each is wider than its range.
    #[error(
        "{entries} entries are more than epsilon = {epsilon} carries: the noise of each would be {noise:.3} times as wide as \
         its range; take fewer columns, more rows or more epsilon"
    )]
    TooManyEntries {
        /// Number of measured entries.
        entries: usize,
        /// Epsilon of the statistic.
        epsilon: Epsilon,
        /// Scale of the noise over the width of the range.
        noise: f64,
    },
    /// Shares of fewer than two categories.
    #[error("shares need at least 2 categories, got {found}: list them as keys")]
    FewCategories {
        /// Categories found.
        found: usize,
    },
    /// Shares within groups by a rule, or of a total, that is of all cells.
    #[error(
        "shares within groups are of what was counted in each group: take the rules simplex, re-scaling, multiple-synthesis or conditioning, and no public total"
    )]
    GroupedShares,
    /// Categories and noise whose conditioning would take hours.
    #[error(
        "conditioning of {categories} categories with noise of scale {scale:.3e} rows would take too long: take \
         the simplex rule, or fewer categories"
    )]
    SlowConditioning {
        /// Categories found.
        categories: usize,
        /// Scale of the noise in rows.
        scale: f64,
    },
    /// A category that is not there.
    #[error("categories count from 0 up to {categories}, got {calculated} as the one to calculate")]
    NoSuchCategory {
        /// The category named.
        calculated: usize,
        /// Number of categories.
        categories: usize,
    },
    /// Edges that divide nothing.
    #[error("edges must be two or more finite numbers, each above the one before, got {found}")]
    Edges {
        /// The list found, in words.
        found: String,
    },
    /// More bins than are of use.
    #[error("a {kind} has at most {most} bins, got {found}: take wider ones")]
    TooManyBins {
        /// Kind of statistic.
        kind: &'static str,
        /// The largest admissible number.
        most: usize,
        /// The number found.
        found: usize,
    },
    /// A bin of whole numbers that has none.
    #[error(
        "the bin from {lower} to {upper} holds no whole number below 2^53, and the column has no others: take a bin for \
         each value, or edges at whole numbers"
    )]
    NoWholeNumber {
        /// Lower edge.
        lower: f64,
        /// Upper edge.
        upper: f64,
    },
    /// A quantile without edges of a column that has no bins of its own.
    #[error(
        "a quantile of `{column}` needs edges: only whole numbers between two bounds have bins of their own, one a value"
    )]
    NoEdges {
        /// Name of the column.
        column: String,
    },
    /// A probability that no quantile has.
    #[error("a probability must be above 0 and below 1, got {found}")]
    Probability {
        /// The probability found.
        found: f64,
    },
    /// A weight of zero, or weights that no grid holds.
    #[error("the weight of {column} must be {requirement}, got {weight}")]
    Weight {
        /// The column.
        column: String,
        /// The admissible set in words.
        requirement: &'static str,
        /// The weight found.
        weight: f64,
    },
    /// A whole number below what makes sense.
    #[error("{name} must be at least {least}, got {found}")]
    AtLeast {
        /// Which number it is.
        name: &'static str,
        /// The smallest admissible one.
        least: u64,
        /// The number found.
        found: u64,
    },
    /// A public number of rows is needed.
    #[error("{quantity} needs a public number of rows: substitute neighbours and one row as the privacy unit")]
    NoRows {
        /// The quantity that needs it.
        quantity: &'static str,
    },
    /// The public number of rows is too small.
    #[error("{quantity} needs at least {least} rows, got {found}")]
    FewRows {
        /// The quantity that needs them.
        quantity: &'static str,
        /// The smallest admissible number.
        least: u64,
        /// The public number of rows.
        found: u64,
    },
    /// A mechanism of which the rule would use the noise alone.
    #[error("{rule} reads raw noisy counts, so that the mechanism {mechanism} would go unused: use {accepted}")]
    RuleMechanism {
        /// The rule.
        rule: RawRule,
        /// The mechanism named.
        mechanism: &'static str,
        /// Mechanisms that it accepts.
        accepted: String,
    },
    /// The part of epsilon for intervals is none.
    #[error("the part of epsilon for intervals must be at least 0 and below 1, got {found}")]
    IntervalShare {
        /// The part.
        found: f64,
    },
    /// A rule of one's own where it does not say which of several numbers it is for.
    #[error(
        "a rule of one's own is for one noisy number, and this statistic is made of several: release counts, sums or shares of a \
         public number of rows with it"
    )]
    RuleOfOneNumber,
    /// No scale meets the guarantee.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// A number is outside its admissible set.
    #[error(transparent)]
    Core(#[from] CoreError),
}

/// A rule that reads noisy counts before any bounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RawRule {
    /// Shares: the nearest point of the simplex.
    Simplex,
    /// Shares: their mean given the noise.
    Conditioning,
    /// Quantiles of a noisy distribution.
    Quantile,
}

impl fmt::Display for RawRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Simplex => "the simplex rule",
            Self::Conditioning => "conditioning",
            Self::Quantile => "a quantile",
        })
    }
}
