//! Keys that were learned from the rows: which cells are published, and which are missed.

use serde::{Deserialize, Serialize};

use crate::Exact;

/// How noise chose the cells of a statistic whose keys nobody listed.
///
/// ```
/// use inbounds_bundle::{AppearanceEntry, Exact, LearnedKeysEntry};
/// let whole = |number: u128| Exact(number.into());
/// let learned = LearnedKeysEntry {
///     threshold: whole(22), delta: Exact("1e-9".parse()?), delta_bound: 5.6e-10, unit_cells: 1, unit_rows_per_cell: 1, unit_rows: 1,
///     longest_text: 256, appears: vec![AppearanceEntry { probability: 0.95, count: whole(24) }],
/// };
/// assert_eq!(
///     learned.sentence("rows"),
///     "Its keys were not listed beforehand: a cell is published, key and all, where its noisy number of rows is at least 22. One of 24 \
///      rows appears with a probability of 95 %. Nothing is known of cells that do not appear, and sums over those that do miss them."
/// );
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct LearnedKeysEntry {
    pub threshold: Exact,
    pub delta: Exact,
    /// A proved upper bound on the probability that a cell of one unit alone is published.
    pub delta_bound: f64,
    /// Most cells in which one unit alone has rows.
    pub unit_cells: u64,
    pub unit_rows_per_cell: u64,
    pub unit_rows: u64,
    /// Most bytes of a text; a longer one is missing.
    pub longest_text: u64,
    pub appears: Vec<AppearanceEntry>,
}

/// How large a cell must be to be published with a probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AppearanceEntry {
    /// The probability.
    pub probability: f64,
    /// The least count with at least this probability.
    pub count: Exact,
}

impl LearnedKeysEntry {
    /// What a reader must know of the cells, which are counts of `what`.
    pub fn sentence(&self, what: &str) -> String {
        let threshold = &self.threshold;
        format!(
            "Its keys were not listed beforehand: a cell is published, key and all, where its noisy number of {what} is at least \
             {threshold}.{} Nothing is known of cells that do not appear, and sums over those that do miss them.",
            self.appearances(what)
        )
    }

    /// How large cells must be to appear; empty where nothing is known of it.
    fn appearances(&self, what: &str) -> String {
        let percent = |probability: f64| (1e4 * probability).round() / 1e2;
        let one = |entry: &AppearanceEntry| {
            format!("of {} {what} appears with a probability of {} %", entry.count, percent(entry.probability))
        };
        match &self.appears[..] {
            [] => String::new(),
            [first, others @ ..] => {
                let others = others
                    .iter()
                    .map(|entry| format!(", one of {} with {} %", entry.count, percent(entry.probability)));
                format!(" One {}{}.", one(first), others.collect::<String>())
            }
        }
    }
}
