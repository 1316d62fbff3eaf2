//! The figures and words of notices about rows.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{
    Reason,
    figures::{percent, thousands},
};

/// Source of the reference number of rows, with which others are compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "known", rename_all = "kebab-case")]
pub enum KnownRows {
    /// The plan says it, and the rows agree.
    Public {
        /// Number of rows.
        rows: u64,
    },
    /// Diagnostics measured the rows that were read.
    Read {
        /// As measured.
        rows: u64,
        /// Half the width of a 95 % interval for them; `None` in bundles of versions that did not write it.
        #[serde(default)]
        margin: Option<u64>,
    },
    /// Another statistic of the same `where` measured them.
    Statistic {
        /// Its name.
        name: String,
        /// As measured.
        rows: u64,
        /// Half the width of a 95 % interval for them; `None` in bundles of versions that did not write it.
        #[serde(default)]
        margin: Option<u64>,
        /// True if this statistic may have lost rows too, to listed keys or missing values, so that there are at least
        /// as many.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        partial: bool,
    },
    /// The number that the curator expects, by the plan.
    Expected {
        /// Least number.
        lower: u64,
        /// Largest number.
        upper: u64,
    },
}

/// An end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// The lower one.
    Lower,
    /// The upper one.
    Upper,
}

impl fmt::Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
        })
    }
}

impl End {
    /// Which bin is at this end.
    pub(super) fn bin(self) -> &'static str {
        match self {
            Self::Lower => "first",
            Self::Upper => "last",
        }
    }

    /// Where the bin at this end lies, seen from its inner edge.
    pub(super) fn side_of_edge(self) -> &'static str {
        match self {
            Self::Lower => "below",
            Self::Upper => "above",
        }
    }
}

/// The sentence about rows that a statistic is not of; how many it is of comes with its margin.
pub(super) fn lost(
    (counted, margin): (u64, Option<u64>),
    reference: &KnownRows,
    by: &[String],
    missing: &[String],
) -> String {
    let part = format!("{} of {}", with_margin(counted, margin), words(reference));
    match (needed(by, missing), single(reference)) {
        (None, _) => format!("About {part} are in these numbers."),
        (Some(_), Some(rows)) if by.is_empty() => {
            let percent = percent(rows.saturating_sub(counted), rows);
            let cause = match missing {
                [one] => format!("`{one}` is missing"),
                several => format!("the rows have no value of {}", columns(several, "or")),
            };
            // A whole that is itself a part hides some of what is missing.
            let about = match reference {
                KnownRows::Statistic { partial: true, .. } => "At least about",
                _ => "About",
            };
            format!("{about} {percent} % of {cause}: these numbers are of about {part}.")
        }
        (Some(needed), _) => format!("About {part} have {needed}; the others are in none of these numbers."),
    }
}

/// The sentence about rows that were measured beside the statistic that leaves them out; `frequency` is the column that
/// says how many rows each line stands for.
pub(super) fn left_out(
    reason: &Reason,
    (rows, margin): (u64, u64),
    total: Option<u64>,
    frequency: Option<&str>,
) -> String {
    let as_one =
        frequency.map_or_else(String::new, |column| format!(", a line without a readable `{column}` counted as one,"));
    let counted = format!("{} (± {} {})", rows_in_words(rows), thousands(margin), crate::notice_level::at_level());
    let (have, are, do_not) = match rows {
        1 => ("has", "is", "does not"),
        _ => ("have", "are", "do not"),
    };
    let about = match total {
        Some(total) => format!("About {} %", percent(rows, total)),
        None => format!("About {counted}{as_one}"),
    };
    let in_rows = total.map_or_else(String::new, |_| match rows {
        1 => format!(" This is about {counted}."),
        _ => format!(" These are about {counted}."),
    });
    match (reason, total) {
        (Reason::Unreadable { columns: names }, Some(_)) => format!(
            "{about} of {} could not be read as the plan says, and is in none of these numbers.{in_rows} `inbounds peek` shows the \
             curator how cells are read.",
            columns(names, "or")
        ),
        (Reason::Unreadable { columns: names }, None) => format!(
            "{about} {have} a cell of {} that could not be read as the plan says, and {are} in none of these numbers. `inbounds peek` \
             shows the curator how cells are read.",
            columns(names, "or")
        ),
        (Reason::Missing { columns: names }, Some(_)) => {
            format!("{about} of {} is missing, and is in none of these numbers.{in_rows}", columns(names, "or"))
        }
        (Reason::Missing { columns: names }, None) => {
            format!("{about} {have} no value of {}, and {are} in none of these numbers.", columns(names, "or"))
        }
        (Reason::Unlisted { by }, Some(_)) => {
            format!("{about} of the rows do not have {}, and are in none of these numbers.{in_rows}", listed(by))
        }
        (Reason::Unlisted { by }, None) => {
            format!("{about} {do_not} have {}, and {are} in none of these numbers.", listed(by))
        }
    }
}

/// The sentence about rows of which there may be none, with the question that most often explains it.
pub(super) fn none(by: &[String], groups: usize, at_most: u64, filtered: bool) -> String {
    // Noise alone makes this number, so that it can be far more than the rows of any data.
    let most = match at_most {
        0 => "none is counted".to_owned(),
        1 => "the noise hides whether there is one".to_owned(),
        several => format!("the noise hides whether there are none or up to {}", thousands(several)),
    };
    let bound = match by {
        [] => format!("There may be no rows here at all: {most}."),
        _ if groups == 1 => format!("There may be no rows here at all: {most} in the listed group."),
        _ => format!(
            "There may be no rows here at all: {most} in the {} listed groups together.",
            thousands(groups as u64)
        ),
    };
    let question = match (by, filtered) {
        ([], false) => String::new(),
        ([], true) => " If there should be more than that: does `where` fit the data?".to_owned(),
        (by, false) => {
            format!(
                " If there should be more than that: are the values of {} listed as the data spell them?",
                columns(by, "and")
            )
        }
        (by, true) => format!(
            " If there should be more than that: are the values of {} listed as the data spell them, and does `where` fit the data?",
            columns(by, "and")
        ),
    };
    bound + &question
}

/// Requirement for a row to count, in words, if there is one.
fn needed(by: &[String], missing: &[String]) -> Option<String> {
    let value = (!missing.is_empty()).then(|| format!("a value of {}", columns(missing, "and")));
    let parts: Vec<String> = (!by.is_empty()).then(|| listed(by)).into_iter().chain(value).collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

/// The sentence about lost rows where only some rows of a unit count, so that counts do not say which part is missing.
pub(super) fn lost_beside_units(
    (counted, margin): (u64, Option<u64>),
    reference: &KnownRows,
    (by, missing): (&[String], &[String]),
    most: u64,
) -> String {
    let rows_in_all = match reference {
        // Diagnostics count the rows that are left of each unit.
        KnownRows::Read { rows, margin } => format!("about {} that can count", rows_with_margin(*rows, *margin)),
        KnownRows::Public { .. } | KnownRows::Statistic { .. } | KnownRows::Expected { .. } => words(reference),
    };
    let part = format!("{} of {rows_in_all}", with_margin(counted, margin));
    let needed = needed(by, missing).map_or_else(String::new, |needed| format!(": those that have {needed}"));
    let rows = if most == 1 { "row of each unit counts" } else { "rows of each unit count" };
    format!(
        "About {part} are in these numbers{needed}. At most {most} {rows}: the others are in no number here, and no interval \
         covers them."
    )
}

/// A measured number of rows with half the width of its interval.
fn with_margin(counted: u64, margin: Option<u64>) -> String {
    format!("{}{}", thousands(counted), margin_of(margin))
}

/// The same with its noun.
fn rows_with_margin(rows: u64, margin: Option<u64>) -> String {
    format!("{}{}", rows_in_words(rows), margin_of(margin))
}

fn margin_of(margin: Option<u64>) -> String {
    margin.map_or_else(String::new, |margin| format!(" (± {} {})", thousands(margin), crate::notice_level::at_level()))
}

/// "1 row", "2 rows".
fn rows_in_words(rows: u64) -> String {
    if rows == 1 { "1 row".to_owned() } else { format!("{} rows", thousands(rows)) }
}

fn words(reference: &KnownRows) -> String {
    match reference {
        KnownRows::Public { rows } => rows_in_words(*rows),
        KnownRows::Read { rows, margin } => format!("about {} that were read", rows_with_margin(*rows, *margin)),
        KnownRows::Statistic { name, rows, margin, .. } => {
            format!("about {} of `{name}`", rows_with_margin(*rows, *margin))
        }
        KnownRows::Expected { lower, upper } => {
            format!("the {} to {} rows that the plan expects", thousands(*lower), thousands(*upper))
        }
    }
}

/// The number of rows, where it is one number.
fn single(reference: &KnownRows) -> Option<u64> {
    match reference {
        KnownRows::Public { rows } | KnownRows::Read { rows, .. } | KnownRows::Statistic { rows, .. } => Some(*rows),
        KnownRows::Expected { .. } => None,
    }
}

/// "a listed `plan`", "listed values of `sex` and `age`".
pub(super) fn listed(by: &[String]) -> String {
    match by {
        [one] => format!("a listed `{one}`"),
        several => format!("listed values of {}", columns(several, "and")),
    }
}

/// Names in backticks, the last one after a conjunction.
pub(super) fn columns(names: &[String], conjunction: &str) -> String {
    match names {
        [] => String::new(),
        [one] => format!("`{one}`"),
        [before @ .., last] => {
            let before: Vec<String> = before.iter().map(|name| format!("`{name}`")).collect();
            format!("{} {conjunction} `{last}`", before.join(", "))
        }
    }
}
