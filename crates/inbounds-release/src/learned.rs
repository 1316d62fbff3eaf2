//! Counts in cells whose keys are learned from the rows.
//!
//! **Invariant.** Private keys are in [`LearnedKeys`] until noise has chosen among them; what is kept here of cells is
//! published.

use inbounds_bundle::{AppearanceEntry, CandidatesEntry, Exact, LearnedKeysEntry};
use inbounds_core::{Answer, Rational};
use inbounds_data::{KeyDomain, KeyRow, KeySpace, KeyValue, LearnKeys, LearnedKeys};
use inbounds_mechanisms::{
    mechanism::Measurements,
    partition::{KeyCandidates, KeySelection},
    sampler::Entropy,
};
use inbounds_statistics::{LearnedCount, Statistic as _};

use crate::plan::{Plan, Statistic, domain};

/// Probabilities at which it is said how large a cell must be to appear.
const CHANCES: [f64; 3] = [0.05, 0.5, 0.95];

/// A count of cells that noise chooses.
#[derive(Debug, Clone)]
pub struct LearnedTable {
    /// The question for the keys.
    pub question: LearnKeys,
    count: LearnedCount,
    /// All keys that can be, where each of them gets noise.
    space: Option<KeySpace>,
    /// The keys that were published, in their order; none before noise was drawn.
    rows: Vec<Vec<KeyValue>>,
}

/// The question for the keys of a statistic: columns that list their values keep to them.
fn question(plan: &Plan, statistic: &Statistic, count: &LearnedCount) -> LearnKeys {
    LearnKeys {
        filter: statistic.filter.as_ref().map(|filter| filter.value.clone()),
        columns: statistic.by.iter().map(|column| column.value.clone()).collect(),
        longest_text: LearnKeys::LONGEST_TEXT,
        known: statistic.by.iter().filter_map(|column| known(plan, statistic, &column.value)).collect(),
        bound: plan.privacy.unit.bound(),
        rows_per_cell: count.ask().rows_per_cell,
    }
}

/// Known values of a column of `by`: those that it lists and, where all keys get noise, the whole numbers between its
/// bounds.
fn known(plan: &Plan, statistic: &Statistic, name: &str) -> Option<(String, KeyDomain)> {
    let column = plan.column(name)?;
    let kind = column.column_type.as_ref().map(|kind| kind.value);
    let values = column.values.as_ref().map(|values| values.iter().map(|value| value.value.clone()).collect());
    let domain = match statistic.spurious {
        Some(_) => domain(kind, values, column.bounds.as_ref())?,
        None => KeyDomain::of_values(values?),
    };
    Some((name.to_owned(), domain))
}

/// All keys that a statistic can have, where each of them gets noise.
pub(crate) fn space(plan: &Plan, statistic: &Statistic) -> Option<KeySpace> {
    statistic.spurious.as_ref()?;
    let columns =
        statistic.by.iter().map(|column| known(plan, statistic, &column.value)).collect::<Option<Vec<_>>>()?;
    KeySpace::new(columns).ok()
}

impl LearnedTable {
    /// A calibrated count of what a statistic asks; `space` has the keys that it was calibrated for, if it needs no
    /// delta.
    pub(crate) fn new(plan: &Plan, statistic: &Statistic, count: LearnedCount, space: Option<KeySpace>) -> Self {
        Self { question: question(plan, statistic, &count), count, space, rows: Vec::new() }
    }

    /// All keys that can be, where each of them gets noise.
    pub fn space(&self) -> Option<&KeySpace> {
        self.space.as_ref()
    }

    /// The calibrated count.
    pub fn count(&self) -> &LearnedCount {
        &self.count
    }

    /// The keys that were published.
    pub fn rows(&self) -> &[Vec<KeyValue>] {
        &self.rows
    }

    /// The same with the keys that noise chose.
    pub(crate) fn with_rows(&self, rows: Vec<Vec<KeyValue>>) -> Self {
        let (question, space) = (self.question.clone(), self.space.clone());
        Self { question, count: self.count.with_cells(rows.len()), space, rows }
    }

    /// Measures all cells that exist, or all of the space, and keeps those that noise lifts to the threshold.
    pub(crate) fn measure(
        &self,
        keys: LearnedKeys,
        counts: Answer,
        entropy: &mut dyn Entropy,
    ) -> (Measurements, Vec<Vec<KeyValue>>) {
        if let Some(space) = &self.space {
            let chosen = self.count.selection().select_of_space(&keys.ranks(space), counts, entropy);
            let rows = chosen.iter().map(|cell| space.key(cell.rank)).collect();
            return (self.count.measurements(chosen.iter().map(|cell| cell.measurement).collect()), rows);
        }
        let chosen = self.count.selection().select(counts, entropy);
        let places: Vec<usize> = chosen.iter().map(|cell| cell.place).collect();
        let rows = keys.published(&places).map_or_else(Vec::new, |keys| keys.rows().map(KeyRow::to_vec).collect());
        (self.count.measurements(chosen.iter().map(|cell| cell.measurement).collect()), rows)
    }

    /// The public record.
    pub fn entry(&self) -> LearnedKeysEntry {
        let selection = self.count.selection();
        let appears = |probability: f64| {
            let count = selection.least_count(probability)?;
            Some(AppearanceEntry { probability, count: Exact(Rational::from(count)) })
        };
        LearnedKeysEntry {
            threshold: Exact(Rational::from(selection.threshold())),
            candidates: candidates(selection),
            longest_text: self.question.longest_text as u64,
            appears: CHANCES.into_iter().filter_map(appears).collect(),
        }
    }
}

/// The public record of the cells that get noise.
fn candidates(selection: &KeySelection) -> CandidatesEntry {
    match selection.candidates() {
        KeyCandidates::OfRows { new, delta_bound } => CandidatesEntry::OfRows {
            delta: Exact(selection.guarantee().delta().map_or(Rational::ZERO, |delta| delta.value().clone())),
            delta_bound: *delta_bound,
            unit_cells: new.cells(),
            unit_rows_per_cell: new.rows_per_cell(),
            unit_rows: new.rows(),
            unit_replaced: new.is_replaced(),
            noise: selection.kind().into(),
            noise_lower: selection.ended().map(|ended| Exact(Rational::from(ended.ends().0))),
            noise_upper: selection.ended().map(|ended| Exact(Rational::from(ended.ends().1))),
        },
        KeyCandidates::OfSpace { cells, spurious, spurious_bound } => CandidatesEntry::OfSpace {
            space_cells: *cells,
            spurious: Exact(spurious.clone()),
            spurious_bound: *spurious_bound,
        },
    }
}
