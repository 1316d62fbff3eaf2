//! Why levels cannot be measured.

use inbounds_statistics::StatisticError;
use thiserror::Error;

use crate::plan::Granularity;

/// A level or margin, told from words.
fn called(granularity: &Granularity) -> String {
    match granularity {
        Granularity::Level(level) => format!("level `{level}`"),
        Granularity::Margin(columns) if columns.is_empty() => "the total".to_owned(),
        Granularity::Margin(columns) => format!("margin `{}`", columns.join(", ")),
        Granularity::Both { level, margin } if margin.is_empty() => format!("the totals of level `{level}`"),
        Granularity::Both { level, margin } => format!("margin `{}` of level `{level}`", margin.join(", ")),
    }
}

/// Why levels cannot be measured. Public: nothing here was read from rows.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum LevelsError {
    /// A level by itself cannot be.
    #[error(transparent)]
    Statistic(#[from] StatisticError),
    /// A table in which some combinations are no cells, with too many cells.
    #[error(
        "a table with `margins` in which some combinations of values are no cells must have at most {} cells, got {cells}",
        super::MOST_LINKED
    )]
    Linked {
        /// Number of cells.
        cells: usize,
    },
    /// The same with shares that are to be solved.
    #[error(
        "`margin_shares`, and `level_shares` beside it, must be parts where some combinations of values are no cells"
    )]
    LinkedShares,
    /// The same with another fit.
    #[error("`fit` must be \"top-down\" where some combinations of values are no cells")]
    LinkedFit,
    /// A public total of a table in which some combinations of values are no cells.
    #[error("total = \"rows\" is not for margins where some combinations of values are no cells")]
    LinkedTotal,
    /// A table at every place with too many columns.
    #[error(
        "with `levels` and `margins`, at most 8 columns of `by` may come after that of the last level, got {columns}"
    )]
    TableColumns {
        /// Number of columns.
        columns: usize,
    },
    /// Public numbers that contradict each other.
    #[error("{one} and {other} contradict each other: at {place} they are {first} and {second}")]
    Contradiction {
        /// Description of the first public number.
        one: String,
        /// Description of the second public number.
        other: String,
        /// Where they do.
        place: String,
        /// Sum of the first.
        first: u64,
        /// Value of the second.
        second: u64,
    },
    /// Public numbers of more rows than there are.
    #[error("{numbers} add up to {sum}, and [privacy] says that there are {rows} rows")]
    MoreThanAllRows {
        /// Description of the public numbers.
        numbers: String,
        /// Their sum.
        sum: u64,
        /// The public number of rows.
        rows: u64,
    },
    /// A file of public numbers without one of a cell.
    #[error("{file} must have a number for each cell, and has none for {cell}")]
    PublicCell {
        /// The file, in backticks.
        file: String,
        /// The cell.
        cell: String,
    },
    /// A file of public numbers with one for what is no cell.
    #[error("{file} has a number for {cell}, which is no cell of the statistic")]
    PublicNoCell {
        /// The file, in backticks.
        file: String,
        /// The key that it names.
        cell: String,
    },
    /// Public numbers of two margins at a level, of which neither is part of the other.
    #[error(
        "{one} and {other} cannot both be met: they are of {} and of {}, of which neither is part of the other, and whole numbers \
         that are not negative may contradict both", called(.first), called(.second)
    )]
    PublicApart {
        /// Where one is from.
        one: String,
        /// Level or margin of the one.
        first: Box<Granularity>,
        /// Where the other is from.
        other: String,
        /// Level or margin of the other.
        second: Box<Granularity>,
    },
    /// Public numbers of several columns within a larger margin of one table.
    #[error(
        "{one} are of {}, which is part of a margin of more columns, and could not be met exactly",
        called(.granularity)
    )]
    PublicWithin {
        /// Where they are from.
        one: String,
        /// Level or margin of the numbers.
        granularity: Granularity,
    },
    /// Nothing that is left to measure.
    #[error("all that `levels` and `margins` would measure is public")]
    AllKnown,
    /// A part of epsilon for a number that is public.
    #[error("`{shares}` must give 0 to {}, which is public", called(.granularity))]
    KnownShare {
        /// The level or margin.
        granularity: Granularity,
        /// The key of the plan that divides epsilon.
        shares: &'static str,
    },
    /// Noise that solvers cannot weigh.
    #[error(
        "the noise of {} must have a scale between {least} and {most} {unit}, got {scale:.3e}: change the epsilon of the \
         statistic, or `{shares}`", called(.granularity)
    )]
    Scale {
        /// The level or margin.
        granularity: Granularity,
        /// The key of the plan that divides epsilon.
        shares: &'static str,
        /// The least scale that can be weighed.
        least: f64,
        /// The largest one.
        most: f64,
        /// The level's noise scale.
        scale: f64,
        /// The unit of the three.
        unit: &'static str,
    },
}
