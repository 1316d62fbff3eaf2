//! Counts in cells whose keys are learned from the rows.
//!
//! **Invariant.** Private keys are in [`LearnedKeys`] until noise has chosen among them; what is kept here of cells is published.

use inbounds_bundle::{AppearanceEntry, Exact, LearnedKeysEntry};
use inbounds_core::{Answer, Rational};
use inbounds_data::{KeyValue, LearnKeys, LearnedKeys};
use inbounds_mechanisms::{mechanism::Measurements, sampler::Entropy};
use inbounds_statistics::{LearnedCount, Statistic as _};

use crate::plan::{Plan, Statistic};

/// Probabilities at which it is said how large a cell must be to appear.
const CHANCES: [f64; 3] = [0.05, 0.5, 0.95];

/// A count of cells that noise chooses.
#[derive(Debug, Clone)]
pub struct LearnedTable {
    /// The question for the keys.
    pub question: LearnKeys,
    count: LearnedCount,
    /// The keys that were published, in their order; none before noise was drawn.
    rows: Vec<Vec<KeyValue>>,
}

/// The question for the keys of a statistic: columns that list their values keep to them.
fn question(plan: &Plan, statistic: &Statistic, count: &LearnedCount) -> LearnKeys {
    let listed = |column: &str| {
        let values = plan.column(column)?.values.as_ref()?;
        Some((column.to_owned(), values.iter().map(|value| value.value.clone()).collect()))
    };
    LearnKeys {
        filter: statistic.filter.as_ref().map(|filter| filter.value.clone()),
        columns: statistic.by.iter().map(|column| column.value.clone()).collect(),
        longest_text: LearnKeys::LONGEST_TEXT,
        listed: statistic.by.iter().filter_map(|column| listed(&column.value)).collect(),
        bound: plan.privacy.unit.bound(),
        rows_per_cell: count.ask().rows_per_cell,
    }
}

impl LearnedTable {
    /// A calibrated count of what a statistic asks.
    pub(crate) fn new(plan: &Plan, statistic: &Statistic, count: LearnedCount) -> Self {
        Self { question: question(plan, statistic, &count), count, rows: Vec::new() }
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
        Self { question: self.question.clone(), count: self.count.with_cells(rows.len()), rows }
    }

    /// Measures all cells that exist, and keeps those that noise lifts to the threshold.
    pub(crate) fn measure(
        &self,
        keys: LearnedKeys,
        counts: Answer,
        entropy: &mut dyn Entropy,
    ) -> (Measurements, Vec<Vec<KeyValue>>) {
        let chosen = self.count.selection().select(counts, entropy);
        let places: Vec<usize> = chosen.iter().map(|cell| cell.place).collect();
        let rows = keys.published(&places).map_or_else(Vec::new, |keys| keys.rows().to_vec());
        (self.count.measurements(chosen.iter().map(|cell| cell.measurement).collect()), rows)
    }

    /// The public record.
    pub fn entry(&self) -> LearnedKeysEntry {
        let selection = self.count.selection();
        let new = selection.new_cells();
        let delta = selection.guarantee().delta().map_or(Rational::ZERO, |delta| delta.value().clone());
        let appears = |probability: f64| {
            let count = selection.least_count(probability)?;
            Some(AppearanceEntry { probability, count: Exact(Rational::from(count)) })
        };
        LearnedKeysEntry {
            threshold: Exact(Rational::from(selection.threshold())),
            delta: Exact(delta),
            delta_bound: selection.delta_bound(),
            unit_cells: new.cells(),
            unit_rows_per_cell: new.rows_per_cell(),
            unit_rows: new.rows(),
            longest_text: self.question.longest_text as u64,
            appears: CHANCES.into_iter().filter_map(appears).collect(),
        }
    }
}
