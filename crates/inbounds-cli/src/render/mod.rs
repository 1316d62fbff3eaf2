//! Results as text for people and as JSON for machines.

mod advise;
mod audit;
mod check;
mod columns;
mod design;
mod figure;
mod ledger;
mod markdown;
mod peek;
mod predict;
mod reconcile;
mod release;
mod screen;
mod study;
mod wrap;

use inbounds_release::Notice;
use inbounds_report::figures;
use serde::Serialize;

pub(crate) use advise::{advise, refused};
pub(crate) use audit::audit;
pub(crate) use check::{ApprovalPage, More, check, check_json, expected_so_far};
pub(crate) use design::design;
pub(crate) use figure::{compared, figures_made};
pub(crate) use ledger::{ledger, ledger_checked, ledger_checked_json, ledger_json};
pub(crate) use markdown::markdown;
pub(crate) use peek::{peek, peek_json};
pub(crate) use predict::{predict, predict_json};
pub(crate) use reconcile::reconcile;
pub(crate) use release::{release, release_json};
pub(crate) use screen::Screen;
pub(crate) use study::{studies, studies_json, suite, suite_json};

/// Number of rows shown of a long table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// The first twelve.
    First,
    /// All of them.
    All,
}

impl Shown {
    /// Rows shown of a table.
    fn limit(self) -> usize {
        match self {
            Self::First => 12,
            Self::All => usize::MAX,
        }
    }

    /// Note below a table with this number of rows; nothing if all are shown.
    fn more(self, rows: usize) -> Option<String> {
        let more = rows.saturating_sub(self.limit());
        (more > 0).then(|| format!("... and {more} more in the bundle; --all shows them here"))
    }
}

/// Indented JSON.
pub(crate) fn json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).expect("strings, numbers and lists serialise")
}

/// An interval in words.
fn interval(lower: f64, upper: f64) -> String {
    format!("{} to {}", figures::figure(lower), figures::figure(upper))
}

/// A notice among other sentences.
fn note(notice: &Notice) -> String {
    format!("Note: {}", notice.sentence())
}

/// Placeholder for a missing number.
fn none() -> String {
    "-".to_owned()
}
