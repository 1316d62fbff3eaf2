//! Noisy counts of how the rows were read, for a share of epsilon.
//!
//! One vector of counts over the same rows: the rows that were read, the rows with a listed key in each grouping
//! column, and for each column of numbers the rows below, within and above its bounds. No condition applies, so that
//! the counts say what a plan makes of the data and not of a part of it. They are measured together for the sensitivity
//! that they have together ([`of_survey`]), which is what makes them cheap.

use std::sync::Arc;

use inbounds_bundle::{CountEntry, DiagnosticsEntry, Id, ListedEntry, NumbersEntry, RowsAre, RowsEntry};
use inbounds_core::{Answer, Epsilon, Guarantee, StepRange};
use inbounds_data::{Bounded, Keys, Survey};
use inbounds_mechanisms::{
    account::Event,
    interval::sum_radius,
    mechanism::{Measurements, Mechanism},
    registry,
    sampler::Entropy,
};
use inbounds_statistics::{Design, of_survey};
use serde::Serialize;

use crate::{
    notices::{Between, RowsRead},
    plan::{Mistake, Plan},
    prepared_statistic::PreparedStatistic,
    released::LEVEL,
};

/// Rows that are assumed where neither the plan nor its expectation says how many there are.
const ASSUMED_ROWS: u64 = 10_000;

/// Calibrated diagnostics.
#[derive(Debug, Clone)]
pub struct Diagnostics {
    /// The question for the engine.
    pub survey: Survey,
    mechanism: Arc<dyn Mechanism>,
    epsilon: Epsilon,
    rows_are: RowsAre,
    /// The public number of rows, where there is one; else the rows are counted.
    rows: Option<u64>,
}

/// Power of diagnostics.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CheckedDiagnostics {
    /// Their cost, exact.
    pub epsilon: String,
    /// Laplace scale of each count, in rows.
    pub scale: f64,
    /// Rows that this supposes.
    pub rows: u64,
    /// Per cent of the rows that must lack a listed key to be told from none; a hundred or more if even all cannot.
    pub unlisted_percent: f64,
    /// Per cent of a column that must be missing to be told from none.
    pub missing_percent: f64,
}

/// Questions about the rows themselves, from the columns that the statistics read.
pub(crate) fn survey(plan: &Plan, tasks: &[PreparedStatistic], design: &Design) -> Survey {
    let mut listed: Vec<(String, Vec<Vec<inbounds_data::KeyValue>>)> = Vec::new();
    for keys in tasks.iter().filter_map(|task| task.query.keys.as_ref()) {
        for (place, column) in keys.columns().iter().enumerate() {
            let entry = match listed.iter().position(|(name, _)| name == column) {
                Some(entry) => entry,
                None => {
                    listed.push((column.clone(), Vec::new()));
                    listed.len() - 1
                }
            };
            listed[entry].1.extend(keys.values(place).map(|value| vec![value.clone()]));
        }
    }
    let distinct = |(column, mut values): (String, Vec<Vec<inbounds_data::KeyValue>>)| {
        values.sort();
        values.dedup();
        Keys::new(vec![column], values).expect("values of one column of keys that were accepted")
    };
    Survey {
        rows: design.rows.is_none(),
        listed: listed.into_iter().map(distinct).collect(),
        bounded: bounded(plan),
        empty: false,
        left_out: Vec::new(),
        bound: plan.privacy.unit.bound_on_rows(),
    }
}

/// The columns whose numbers are read, with their bounds, or else the outer edges of their bins.
fn bounded(plan: &Plan) -> Vec<Bounded> {
    let mut bounded: Vec<Bounded> = Vec::new();
    for statistic in &plan.statistics {
        for column in statistic.columns() {
            let bounds = plan.column(&column.value).and_then(|column| column.bounds.as_ref());
            let edges = statistic.edges().and_then(|edges| edges.value.first().zip(edges.value.last()));
            let bounds = bounds.map(|bounds| (&bounds.lower.value, &bounds.upper.value)).or(edges);
            let known = bounded.iter().any(|one| one.column == column.value);
            if let Some((lower, upper)) = bounds.filter(|_| !known) {
                let (lower, upper) = (lower.to_f64(), upper.to_f64());
                bounded.push(Bounded { column: column.value.clone(), lower, upper });
            }
        }
    }
    bounded
}

impl Diagnostics {
    /// Calibrates the counts to their share of epsilon; `None` where the plan asks for none.
    pub(crate) fn prepare(
        plan: &Plan,
        granted: &Epsilon,
        design: &Design,
        survey: &Survey,
    ) -> Result<Option<Self>, Mistake> {
        let Some(share) = &plan.privacy.diagnostics else { return Ok(None) };
        let refuse =
            |message: String| plan.mistake(share.span.clone(), message, Some("remove `diagnostics`".to_owned()));
        if survey.counts() == 0 {
            return Err(refuse("`diagnostics` has nothing to count: no column is grouped by or read".to_owned()));
        }
        let epsilon = granted.share(&share.value).map_err(|error| refuse(error.to_string()))?;
        let (listed, bounded) = (survey.listed.len() as u64, survey.bounded.len() as u64);
        let sensitivity = of_survey(design, survey.rows, listed, bounded);
        let range = StepRange::new(Some(0), design.rows.map(i128::from)).map_err(|error| refuse(error.to_string()))?;
        let guarantee = Guarantee::Pure { epsilon: epsilon.clone() };
        let mechanism = registry::default().calibrate(&guarantee, &sensitivity, range);
        let mechanism = mechanism.map_err(|error| refuse(error.to_string()))?;
        let rows_are = plan.rows_are();
        Ok(Some(Self { survey: survey.clone(), mechanism, epsilon, rows_are, rows: design.rows }))
    }

    /// The mechanism that measures the counts.
    pub fn mechanism(&self) -> &Arc<dyn Mechanism> {
        &self.mechanism
    }

    /// Cost of the measurement.
    pub(crate) fn event(&self) -> Event {
        Event::new("diagnostics".to_owned(), self.mechanism.guarantee().clone())
    }

    /// Measures the exact counts. **The only step that reads them.**
    pub(crate) fn measure(&self, answer: Answer, entropy: &mut dyn Entropy) -> Measurements {
        Measurements::take(self.mechanism.clone(), answer, entropy)
    }

    /// The rows that were read, where they were measured, in an interval that misses with probability at most `miss`.
    pub(crate) fn rows_read(&self, measured: &Measurements, miss: f64) -> Option<RowsRead> {
        let rows = measured.steps().first().filter(|_| self.survey.rows)?;
        let between = |miss: f64| Between::of_sum(&*self.mechanism, [*rows].into_iter(), miss);
        Some(RowsRead { certain: between(miss), shown: between(1.0 - LEVEL) })
    }

    /// The rows that the counts leave of all, in an interval for the noise of all of them.
    fn left(&self, rows: &RowsEntry, counts: [CountEntry; 3]) -> CountEntry {
        let (all, own) = match rows {
            RowsEntry::Public { rows } => (i64::try_from(*rows).unwrap_or(i64::MAX), 0),
            RowsEntry::Measured { rows } => (rows.measured, 1),
        };
        let measured = counts.iter().fold(all, |left, count| left.saturating_sub(count.measured));
        let radius = sum_radius(self.mechanism.noise(), counts.len() + own, 1.0 - LEVEL);
        let (near, most) = (measured.max(0) as f64, self.rows.map_or(f64::INFINITY, |rows| rows as f64));
        let interval = ((near - radius).floor().max(0.0) as u64, (near + radius).ceil().min(most) as u64);
        CountEntry { measured, interval }
    }

    /// The public record.
    pub(crate) fn entry(&self, measured: &Measurements) -> DiagnosticsEntry {
        let mut counts = measured.steps().iter().map(|steps| count_entry(&*self.mechanism, *steps));
        let mut next = || counts.next().expect("as many counts as the survey asks for");
        let sensitivity = self.mechanism.sensitivity();
        let rows = self.rows.map_or_else(|| RowsEntry::Measured { rows: next() }, |rows| RowsEntry::Public { rows });
        let listed = self.survey.listed.iter();
        let listed = listed.map(|keys| ListedEntry { column: keys.columns()[0].clone(), rows: next() }).collect();
        let columns = self.survey.bounded.iter().map(|bounded| {
            let [below, within, above] = [next(), next(), next()];
            let missing = Some(self.left(&rows, [below, within, above]));
            let bounds = (bounded.lower, bounded.upper);
            NumbersEntry { column: bounded.column.clone(), bounds, below, within, above, missing }
        });
        DiagnosticsEntry {
            epsilon: self.epsilon.value().into(),
            mechanism: Id::Known(registry::default()),
            inverse_scale: self.mechanism.noise().as_laplace().map(|law| law.inverse_scale().into()),
            sensitivity: u64::try_from(sensitivity.l1).unwrap_or(u64::MAX),
            rule: sensitivity.rule.to_owned(),
            rows_are: self.rows_are,
            rows,
            most_a_unit: self.survey.bound.as_ref().map(|bound| bound.rows),
            listed,
            columns: columns.collect(),
        }
    }

    /// Their power: parts of the rows that noise passes in one of twenty releases.
    pub(crate) fn checked(&self, plan: &Plan) -> CheckedDiagnostics {
        let expected = plan.data.expect_rows.as_ref().map(|expected| expected.value.0.max(1));
        let rows = self.rows.or(expected).unwrap_or(ASSUMED_ROWS);
        // Compared with the rows, which may be measured too.
        let own = usize::from(self.survey.rows);
        let percent =
            |counts: usize| 100.0 * sum_radius(self.mechanism.noise(), counts + own, 1.0 - LEVEL) / rows as f64;
        CheckedDiagnostics {
            epsilon: self.epsilon.to_string(),
            scale: self.mechanism.noise().scale(),
            rows,
            unlisted_percent: percent(1),
            missing_percent: percent(3),
        }
    }
}

/// A noisy count with its interval.
pub(crate) fn count_entry(mechanism: &dyn Mechanism, steps: i128) -> CountEntry {
    let interval = mechanism.interval(steps, LEVEL);
    let end = |end: Option<i128>| end.and_then(|end| u64::try_from(end).ok()).unwrap_or(0);
    let measured = i64::try_from(steps).unwrap_or(if steps < 0 { i64::MIN } else { i64::MAX });
    CountEntry { measured, interval: (end(interval.lower), end(interval.upper)) }
}
