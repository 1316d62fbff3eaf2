//! Errors in a share.

use thiserror::Error;

/// A share that cannot be counted, or rows of which none can be made. No variant ever holds a cell.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ShareError {
    /// Bytes that are no share.
    #[error("what was handed over as a share is none: hand over what `share` returned, unchanged")]
    NoShare,
    /// Bytes that are no question.
    #[error("what was handed over as a question is none: hand over what `question` returned, unchanged")]
    NoQuestion,
    /// Another program.
    #[error(
        "the question was made by inbounds {theirs}, and this is inbounds {ours}: only the same program everywhere gives the same numbers; \
         install one of the two on all machines"
    )]
    Program {
        /// Version of the program that made it.
        theirs: String,
        /// Version of this program.
        ours: String,
    },
    /// A share of another question.
    #[error(
        "a share belongs to another question: it was made for another release, or another plan; have shares made for the question of this one"
    )]
    OtherQuestion,
    /// A share that does not open.
    #[error("a share does not open: it was altered, or sealed with another key; have it made again")]
    Altered,
    /// Numbers that answer no question of the plan.
    #[error("a share does not answer the questions of this plan: have it made again")]
    NoAnswer,
    /// A part with two contents.
    #[error(
        "two shares of {} are not the same: its rows changed between two readings; let the table be the same whenever it is read, as by \
         writing it to storage first",
        part_name(*part)
    )]
    Differs {
        /// Its number; none for a part without one.
        part: Option<u64>,
    },
    /// Rows of a unit in two parts.
    #[error(
        "rows of one unit may be in two shares, so that more of them would count than the plan says: bring all rows of a unit together \
         first, by the groups of the question, and number the parts, so that one that is read again is recognised"
    )]
    UnitsApart,
    /// Bounds on several sorts of units.
    #[error(
        "shares can be made for one sort of units, and this asks for `{first}` and `{second}`: make one question for each"
    )]
    TwoUnits {
        /// Column of the one.
        first: String,
        /// Column of the other.
        second: String,
    },
    /// Groups of units where there are none.
    #[error(
        "the question asks for no unit of several rows, so rows may be anywhere: there are no groups to bring together"
    )]
    NoUnit,
    /// Rows of other columns than the question is about.
    #[error(
        "the rows have not the columns that the plan was made for: `{column}` {problem}; make all shares of rows of one schema"
    )]
    Columns {
        /// The first one that differs.
        column: String,
        /// The difference.
        problem: String,
    },
    /// No randomness.
    #[error("the operating system gives no randomness: nothing can be sealed")]
    Entropy,
}

fn part_name(part: Option<u64>) -> String {
    part.map_or_else(|| "one part".to_owned(), |part| format!("part {part}"))
}
