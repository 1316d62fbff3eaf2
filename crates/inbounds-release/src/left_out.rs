//! Rows that a statistic leaves out, measured beside it for nothing.
//!
//! # Law
//! A row is a unit that may be added or removed, and it is in the numbers of a statistic or it is left out of them,
//! never both. Noisy counts of the rows that are left out, calibrated to the epsilon of the statistic, therefore cost
//! nothing beside it: for each row the losses of a release add up to the same sum, with the counts in place of the
//! statistics that leave the row out. Statistics that leave out the same rows have one set of counts, with the sum of
//! their epsilons. Claim: `left-out-rows`.
//!
//! This holds for the sum of epsilons. Where rows have several to a unit, where their number is public, where rhos or
//! deltas add up, and where a ledger prices parts of the rows, there are no such counts: diagnostics take a part of
//! epsilon for them. Rows whose key is not listed are counted only where no statistics are kept apart, since they may
//! count in a statistic of other keys.

use std::sync::Arc;

use inbounds_bundle::{Id, LeftOutEntry, Notice, Reason};
use inbounds_core::{Answer, Epsilon, Guarantee, Neighbours, Rational, StepRange};
use inbounds_data::{Keys, LeftOut as Why, Query, Survey};
use inbounds_mechanisms::{
    account::Event,
    mechanism::{Measurements, Mechanism},
    registry,
    sampler::Entropy,
};
use inbounds_statistics::{Design, PrivacyUnit, of_left_out};

use crate::{
    diagnostics::{Diagnostics, count_entry},
    grants::Grants,
    notices::Between,
    plan::Plan,
    prepared_statistic::PreparedStatistic,
    sharing::{self, SharedNoise},
};

/// Lists of keys that are longer are not asked for again.
const MOST_KEYS: usize = 100_000;

/// More than this no count can have: its noise would be too narrow.
const MOST_EPSILON: u128 = 1_000;

/// Counts of the rows that some statistics leave out, all of them the same rows.
#[derive(Debug, Clone)]
pub struct LeftOutRows {
    /// Places of the statistics in the plan.
    pub statistics: Vec<usize>,
    /// The question for the engine.
    pub survey: Survey,
    mechanism: Arc<dyn Mechanism>,
    epsilon: Epsilon,
    /// True if rows are counted whose key is not listed.
    by_key: bool,
    /// The column that says how many rows each line stands for, if a line that does not say it is left out: it counts
    /// as one row.
    frequency: Option<String>,
}

/// The rows that a statistic leaves out, as far as it can be said beforehand which they are.
#[derive(PartialEq)]
struct Lost<'a> {
    filter: Option<&'a str>,
    keys: Option<&'a Keys>,
    columns: Vec<&'a str>,
}

impl<'a> Lost<'a> {
    fn new(plan: &'a Plan, query: &'a Query) -> Self {
        let mut columns: Vec<&str> = query.dropped().collect();
        columns.extend(dropped_frequency(plan));
        columns.sort_unstable();
        columns.dedup();
        Self { filter: query.filter.as_deref(), keys: query.keys.as_ref(), columns }
    }
}

/// The column that says how many rows each line stands for, if a line that does not say it is left out.
fn dropped_frequency(plan: &Plan) -> Option<&str> {
    let frequency = plan.frequency().filter(|frequency| frequency.missing.is_none())?;
    Some(frequency.column.value.as_str())
}

/// The counts that a plan can have for nothing.
pub(crate) fn prepare(
    plan: &Plan,
    tasks: &[PreparedStatistic],
    (together, grants): (&[SharedNoise], &Grants),
    design: &Design,
    diagnostics: Option<&Diagnostics>,
) -> Vec<LeftOutRows> {
    let is_free = design.unit == PrivacyUnit::Row
        && design.neighbours == Neighbours::AddRemove
        && !plan.privacy.delta.value.value().is_positive()
        && plan.privacy.ledger.is_none()
        && diagnostics.is_none()
        && plan.counts_left_out;
    if !is_free {
        return Vec::new();
    }
    let by_key = grants.together().column.is_none();
    let mut groups: Vec<(Lost<'_>, Vec<&PreparedStatistic>)> = Vec::new();
    for task in tasks.iter().filter(|task| task.learned().is_none()) {
        let lost = Lost::new(plan, &task.query);
        match groups.iter_mut().find(|(known, _)| *known == lost) {
            Some((_, same)) => same.push(task),
            None => groups.push((lost, vec![task])),
        }
    }
    let counts = |(lost, tasks): (Lost<'_>, Vec<&PreparedStatistic>)| {
        let keys = lost.keys.filter(|keys| keys.len() <= MOST_KEYS);
        let by_key = by_key && keys.is_some();
        if lost.columns.is_empty() && !by_key || lost.keys.is_some() && keys.is_none() {
            return None;
        }
        let epsilon = epsilon_of(plan, together, &tasks)?;
        let most = Epsilon::new(Rational::from(MOST_EPSILON)).ok()?;
        let epsilon = if epsilon.value() > most.value() { most } else { epsilon };
        // What the statistics sum does not matter, and one of them has all columns.
        let query = Query { bound: None, rows_per_cell: None, products: Vec::new(), ..tasks[0].query.clone() };
        let survey = Survey { left_out: vec![query], ..Survey::default() };
        let range = StepRange::new(Some(0), None).ok()?;
        let guarantee = Guarantee::Pure { epsilon: epsilon.clone() };
        let mechanism = registry::default().calibrate(&guarantee, &of_left_out(Why::ALL.len() as u64), range).ok()?;
        let statistics = tasks.iter().map(|task| task.index).collect();
        let frequency = dropped_frequency(plan).map(str::to_owned);
        Some(LeftOutRows { statistics, survey, mechanism, epsilon, by_key, frequency })
    };
    groups.into_iter().filter_map(counts).collect()
}

/// The sum of what statistics cost; none unless each of them is paid for by epsilon alone, apart from all others.
fn epsilon_of(plan: &Plan, together: &[SharedNoise], tasks: &[&PreparedStatistic]) -> Option<Epsilon> {
    let is_here = |place: &usize| tasks.iter().any(|task| task.index == *place);
    let has_all_members = |task: &&PreparedStatistic| {
        SharedNoise::of_statistic(together, task.index).is_none_or(|shared| shared.statistics.iter().all(is_here))
    };
    if !tasks.iter().all(has_all_members) {
        return None;
    }
    let events = tasks.iter().flat_map(|task| {
        sharing::events(plan, together, task, Event::from_mechanism, |name| task.prepared.events(name))
    });
    let mut epsilons = events.map(|event| match event {
        Event::Pure { epsilon, .. } => Some(epsilon.value().clone()),
        _ => None,
    });
    let sum = epsilons.try_fold(Rational::ZERO, |sum, epsilon| Some(&sum + &epsilon?))?;
    Epsilon::new(sum).ok()
}

impl LeftOutRows {
    /// The mechanism that measures the counts.
    pub fn mechanism(&self) -> &Arc<dyn Mechanism> {
        &self.mechanism
    }

    /// The reasons of which rows are counted.
    fn reasons(&self) -> &'static [Why] {
        // Rows without a listed key are the last.
        if self.by_key { &Why::ALL } else { &Why::ALL[..2] }
    }

    /// The counts that are measured, of the answer of the engine.
    pub(crate) fn answer(&self, answer: Answer) -> Answer {
        answer.first_cells(self.reasons().len())
    }

    /// Measures the exact counts. **The only step that reads them.**
    pub(crate) fn measure(&self, answer: Answer, entropy: &mut dyn Entropy) -> Measurements {
        Measurements::take(self.mechanism.clone(), answer, entropy)
    }

    /// The public record.
    pub(crate) fn entry(&self, plan: &Plan, measured: &Measurements) -> LeftOutEntry {
        let count = |why: Why| {
            let place = self.reasons().iter().position(|known| *known == why)?;
            Some(count_entry(&*self.mechanism, measured.steps()[place]))
        };
        let lost = Lost::new(plan, &self.survey.left_out[0]);
        let has_columns = !lost.columns.is_empty();
        LeftOutEntry {
            statistics: self.statistics.iter().map(|place| plan.statistics[*place].name.value.clone()).collect(),
            columns: lost.columns.iter().map(|&column| column.to_owned()).collect(),
            by: lost.keys.map_or_else(Vec::new, |keys| keys.columns().to_vec()),
            epsilon: self.epsilon.value().into(),
            mechanism: Id::Known(registry::default()),
            inverse_scale: self.mechanism.noise().as_laplace().map(|law| law.inverse_scale().into()),
            unreadable: count(Why::Unreadable).filter(|_| has_columns),
            missing: count(Why::Missing).filter(|_| has_columns),
            unlisted: count(Why::Unlisted),
        }
    }

    /// Notices of rows that are left out: more than a hundredth of all that could count, or of an unknown number any.
    /// False with probability at most `miss`; `counted` are the rows that count, where their number was measured.
    pub(crate) fn notices(
        &self,
        entry: &LeftOutEntry,
        measured: &Measurements,
        counted: Option<Between>,
        miss: f64,
    ) -> Vec<Notice> {
        let each = miss / (Why::ALL.len() + 1) as f64;
        let asked = |(place, why): (usize, &Why)| {
            let (reason, shown) = match why {
                Why::Unreadable => (Reason::Unreadable { columns: entry.columns.clone() }, entry.unreadable?),
                Why::Missing => (Reason::Missing { columns: entry.columns.clone() }, entry.missing?),
                Why::Unlisted => (Reason::Unlisted { by: entry.by.clone() }, entry.unlisted?),
            };
            let rows = Between::of_sum(&*self.mechanism, [measured.steps()[place]].into_iter(), each);
            Some((reason, shown.half_width(), rows))
        };
        let asked: Vec<_> = self.reasons().iter().enumerate().filter_map(asked).collect();
        // Cells are looked at in rows with a listed key, so that a part of theirs is one of these rows, whatever else
        // they lack.
        let rows_looked_at = |reason: &Reason| {
            let is_of_all = matches!(reason, Reason::Unlisted { .. });
            let all = asked.iter().filter(|(other, ..)| is_of_all || !matches!(other, Reason::Unlisted { .. }));
            all.fold((0.0, 0), |(most, rows), (_, _, one)| (most + one.upper.max(0.0), rows + one.rows()))
        };
        let notices = asked.iter().filter_map(|(reason, margin, rows)| {
            let (most, measured) = rows_looked_at(reason);
            let tolerated = counted.map_or(0.0, |counted| TOLERATED * (counted.upper.max(0.0) + most));
            // Of lines that stand for an unknown number of rows no part of all rows can be told.
            let rows_in_all = counted.filter(|_| self.frequency.is_none()).map(|counted| counted.rows() + measured);
            (rows.lower > tolerated).then(|| Notice::LeftOut {
                reason: reason.clone(),
                rows: rows.rows(),
                margin: *margin,
                of: rows_in_all,
                frequency: self.frequency.clone(),
            })
        });
        notices.collect()
    }
}

/// Rows that may be left out, as a part of all, before anybody is told.
const TOLERATED: f64 = 0.01;
