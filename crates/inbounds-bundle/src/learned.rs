//! Keys that were learned from the rows: which cells are published, and which are missed.

use inbounds_mechanisms::partition::KeyNoise;
use serde::{Deserialize, Serialize};

use crate::{
    Exact, Id,
    figures::{figure, group_digits},
};

/// Selection of cells by noise, for a statistic whose keys were not listed.
///
/// ```
/// use inbounds_bundle::{AppearanceEntry, CandidatesEntry, Exact, LearnedKeysEntry};
/// use inbounds_mechanisms::partition::KeyNoise;
/// let exact = |number: u128| Exact(number.into());
/// let learned = LearnedKeysEntry {
///     threshold: exact(22),
///     candidates: CandidatesEntry::OfRows {
///         delta: Exact("1e-9".parse()?), delta_bound: 5.6e-10, unit_cells: 1, unit_rows_per_cell: 1, unit_rows: 1,
///         unit_replaced: false, noise: KeyNoise::Unbounded.into(), noise_lower: None, noise_upper: None,
///     },
///     longest_text: 256, appears: vec![AppearanceEntry { probability: 0.95, count: exact(24) }],
/// };
/// assert_eq!(
///     learned.sentence("rows"),
///     "Its keys were not listed beforehand: a cell is published, key and all, where its noisy number of rows is at least 22. One of 24 \
///      rows appears with a probability of at least 95 %. Nothing is known of cells that do not appear, and sums over those that do miss them."
/// );
/// let same = [0.05, 0.5, 0.95].map(|probability| AppearanceEntry { probability, count: exact(24) });
/// assert_eq!(LearnedKeysEntry { appears: same.to_vec(), ..learned.clone() }.sentence("rows"), learned.sentence("rows"));
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct LearnedKeysEntry {
    pub threshold: Exact,
    /// The cells that get noise.
    #[serde(flatten)]
    pub candidates: CandidatesEntry,
    /// Most bytes of a text; a longer one is missing.
    pub longest_text: u64,
    pub appears: Vec<AppearanceEntry>,
}

/// Which cells get noise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub enum CandidatesEntry {
    /// Those whose key some row has.
    OfRows {
        delta: Exact,
        /// A proved upper bound on the probability that a cell of one unit alone is published.
        delta_bound: f64,
        /// Most cells in which one unit alone has rows.
        unit_cells: u64,
        unit_rows_per_cell: u64,
        unit_rows: u64,
        /// True if neighbours replace the rows of a unit.
        #[serde(default)]
        unit_replaced: bool,
        /// The noise that chose.
        #[serde(default = "unbounded")]
        noise: Id<KeyNoise>,
        /// Its least value, where it has one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        noise_lower: Option<Exact>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        noise_upper: Option<Exact>,
    },
    /// All of a public space of keys.
    OfSpace {
        /// Number of possible keys.
        space_cells: u64,
        /// Largest expected number of published cells without rows.
        spurious: Exact,
        /// A proved upper bound on their expected number.
        spurious_bound: f64,
    },
}

/// That of bundles which do not say it.
fn unbounded() -> Id<KeyNoise> {
    KeyNoise::Unbounded.into()
}

/// Size from which a cell is published with a given probability.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AppearanceEntry {
    /// The probability.
    pub probability: f64,
    /// The least count with at least this probability.
    pub count: Exact,
}

impl CandidatesEntry {
    /// Where the noise ends, and whether it is that of the optimal selection.
    fn ends(&self) -> String {
        let Self::OfRows { noise, noise_lower: Some(lower), noise_upper: Some(upper), .. } = self else {
            return String::new();
        };
        let of_optimal = match noise {
            Id::Known(KeyNoise::Optimal) => " is that of optimal partition selection, and",
            Id::Known(KeyNoise::Unbounded | KeyNoise::Symmetric) | Id::Unknown(_) => "",
        };
        format!(" The noise{of_optimal} lies between {lower} and {upper}.")
    }

    /// Sentence on published cells without rows, where there can be some.
    fn spurious(&self, noun: &str) -> String {
        match self {
            Self::OfRows { .. } => String::new(),
            Self::OfSpace { space_cells, spurious_bound, .. } => format!(
                " All {} cells that can be get noise, so a published cell may have no {noun}: at most {} such cells are expected.",
                group_digits(&space_cells.to_string()),
                figure(*spurious_bound)
            ),
        }
    }
}

impl LearnedKeysEntry {
    /// Notes for the reader on the cells, counts of `noun`.
    pub fn sentence(&self, noun: &str) -> String {
        let threshold = &self.threshold;
        format!(
            "Its keys were not listed beforehand: a cell is published, key and all, where its noisy number of {noun} is at least \
             {threshold}.{}{} Nothing is known of cells that do not appear, and sums over those that do miss them.{}",
            self.candidates.ends(),
            self.appearances(noun),
            self.candidates.spurious(noun)
        )
    }

    /// Sizes from which cells appear, in words; empty where they are not known.
    fn appearances(&self, noun: &str) -> String {
        let percent = |entry: &AppearanceEntry| (1e4 * entry.probability).round() / 1e2;
        // Of one number of rows the largest probability says all.
        let same_count = self.appears.chunk_by(|before, after| before.count == after.count);
        let told: Vec<&AppearanceEntry> = same_count.filter_map(<[_]>::last).collect();
        match &told[..] {
            [] => String::new(),
            [first, others @ ..] => {
                let others =
                    others.iter().map(|entry| format!(", one of {} with at least {} %", entry.count, percent(entry)));
                format!(
                    " One of {} {noun} appears with a probability of at least {} %{}.",
                    first.count,
                    percent(first),
                    others.collect::<String>()
                )
            }
        }
    }
}
