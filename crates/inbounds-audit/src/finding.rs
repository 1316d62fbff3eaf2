//! Findings of an audit, in words.

use std::fmt;

use serde::Serialize;

use crate::{
    subject::Subject,
    table::{Pair, Row},
};

/// Something that a plan or this program promises and does not keep.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "finding", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Finding {
    /// One unit moves exact answers further than the noise was made for.
    Sensitivity {
        /// Name of the statistic.
        statistic: String,
        /// Which of its vectors.
        vector: String,
        /// Norm of the change.
        norm: Norm,
        /// Sensitivity for which the noise was calibrated.
        calibrated: u128,
        /// Change that was reached.
        reached: u128,
        /// Two such tables.
        example: Example,
    },
    /// One unit loses more than is granted, at the scales that run.
    Loss {
        /// Name of the statistic; none for the whole release.
        statistic: Option<String>,
        /// Epsilon that is granted.
        claimed: f64,
        /// Loss that was reached.
        reached: f64,
        /// Two such tables.
        example: Example,
    },
    /// A key that one unit alone has is published more often than delta allows, at the threshold that runs.
    Delta {
        /// Name of the statistic.
        statistic: String,
        /// Delta that is granted.
        claimed: f64,
        /// Probability that was reached.
        reached: f64,
        /// Two such tables.
        example: Example,
    },
    /// A table is refused, and the other is not or is refused too: what cells hold decides whether there is an answer.
    Refused {
        /// The words of the refusal.
        reason: String,
        /// Two such tables.
        example: Example,
    },
    /// Rows that fail a condition count.
    Condition {
        /// Name of the statistic.
        statistic: String,
    },
    /// Sampled releases distinguish two tables better than epsilon allows.
    Bound {
        /// Name of the statistic; none for the whole release.
        statistic: Option<String>,
        /// Epsilon that is granted.
        claimed: f64,
        /// The lower bound on the true one.
        at_least: f64,
        /// Two such tables.
        example: Example,
    },
    /// Noise is not of the law that the manifest states.
    NoiseLaw {
        /// Name of the statistic.
        statistic: String,
        /// Which of its vectors.
        vector: String,
        /// Largest distance between the distribution of the draws and the law.
        distance: f64,
        /// Largest distance that chance explains.
        allowed: f64,
    },
    /// Two numbers have noise that is not independent.
    NoiseShared {
        /// Statistics and vectors of the two numbers.
        between: [String; 2],
        /// Rank correlation of the noise.
        correlation: f64,
        /// Largest correlation that chance explains.
        allowed: f64,
    },
    /// One seed draws other noise for other rows.
    NoiseOfRows {
        /// Name of the statistic.
        statistic: String,
    },
    /// A published seed is a word that drew noise.
    Seed,
    /// Two tables with the same exact answers give, by one seed, bundles that differ.
    Published {
        /// The file that differs.
        file: String,
        /// Two such tables.
        example: Example,
    },
}

/// Norm of the change of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Norm {
    /// All numbers together.
    L1,
    /// The number that moves most.
    Largest,
    /// Count of the numbers that move.
    Cells,
    /// The sum of squares.
    Squares,
}

/// Two tables of made-up rows that differ in one unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Example {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Rows of the unit in one table.
    pub one: Vec<Vec<Option<String>>>,
    /// Rows of the unit, or of the one in its place, in the other.
    pub other: Vec<Vec<Option<String>>>,
    /// First rows of everybody else, the same in both.
    pub others: Vec<Vec<Option<String>>>,
    /// Number of rows of everybody else.
    pub rows_of_others: usize,
}

/// Most rows of an example that are kept of everybody else.
const MOST: usize = 5;

impl Example {
    pub(crate) fn new(subject: &Subject, pair: &Pair) -> Self {
        let row = |row: &Row| row.iter().map(|cell| cell.as_deref().map(str::to_owned)).collect();
        Self {
            columns: subject.columns.iter().map(|column| column.name.clone()).collect(),
            one: pair.left.iter().map(row).collect(),
            other: pair.right.iter().map(row).collect(),
            others: pair.others.iter().take(MOST).map(row).collect(),
            rows_of_others: pair.others.len(),
        }
    }
}

impl Finding {
    /// Two tables that show it, where there are some.
    pub fn example(&self) -> Option<&Example> {
        match self {
            Self::Sensitivity { example, .. }
            | Self::Loss { example, .. }
            | Self::Delta { example, .. }
            | Self::Refused { example, .. }
            | Self::Bound { example, .. }
            | Self::Published { example, .. } => Some(example),
            Self::Condition { .. }
            | Self::NoiseLaw { .. }
            | Self::NoiseShared { .. }
            | Self::NoiseOfRows { .. }
            | Self::Seed => None,
        }
    }
}

/// The statistic, or all of them.
fn scope(statistic: Option<&String>) -> String {
    statistic.map_or_else(|| "The whole release".to_owned(), |name| format!("`{name}`"))
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sensitivity { statistic, vector, norm, calibrated, reached, .. } => {
                let vector = if vector.is_empty() { String::new() } else { format!(" ({vector})") };
                let moved = match norm {
                    Norm::L1 => format!("by {reached} steps in all, and the noise is made for {calibrated}"),
                    Norm::Largest => format!("one of them by {reached} steps, and the noise is made for {calibrated}"),
                    Norm::Cells => format!("{reached} of them at once, and the noise is made for {calibrated}"),
                    Norm::Squares => {
                        format!("by a sum of squares of {reached} steps, and the noise is made for {calibrated}")
                    }
                };
                write!(formatter, "`{statistic}`{vector}: one unit moves the exact numbers, {moved}.")
            }
            Self::Loss { statistic, claimed, reached, .. } => write!(
                formatter,
                "{}: by the scales of its noise one unit can lose epsilon {reached:.6}, and {claimed} is granted.",
                scope(statistic.as_ref())
            ),
            Self::Delta { statistic, claimed, reached, .. } => write!(
                formatter,
                "`{statistic}`: by its threshold a key of one unit alone is published with probability {reached:.3e}, and delta \
                 {claimed:.3e} is granted."
            ),
            Self::Refused { reason, .. } => {
                write!(formatter, "A table is refused for what its cells hold, which tells of them: {reason}")
            }
            Self::Condition { statistic } => write!(formatter, "`{statistic}`: rows that fail its condition count."),
            Self::Bound { statistic, claimed, at_least, .. } => write!(
                formatter,
                "{}: sampled releases show an epsilon of at least {at_least:.4}, and {claimed} is granted.",
                scope(statistic.as_ref())
            ),
            Self::NoiseLaw { statistic, vector, distance, allowed } => {
                let vector = if vector.is_empty() { String::new() } else { format!(" ({vector})") };
                write!(
                    formatter,
                    "`{statistic}`{vector}: its noise is not of the law that the manifest states: the distributions are \
                     {distance:.3} apart, where chance leaves {allowed:.3}."
                )
            }
            Self::NoiseShared { between: [one, other], correlation, allowed } => write!(
                formatter,
                "The noise of {one} and that of {other} are not independent: their ranks correlate by {correlation:.3}, where \
                 chance leaves {allowed:.3}."
            ),
            Self::NoiseOfRows { statistic } => {
                write!(formatter, "`{statistic}`: what noise is drawn from one seed depends on the rows.")
            }
            Self::Seed => formatter
                .write_str("The seed that the manifest publishes is one of the random words that drew the noise."),
            Self::Published { file, .. } => write!(
                formatter,
                "Two tables with the same exact answers give different bundles by one seed: {file} depends on more than is \
                 measured."
            ),
        }
    }
}
