//! Figures of a plan, rehearsed before anything is spent: each operand of each key is found among the numbers that the
//! statistics will have.

use inbounds_bundle::RangeEntry;
use inbounds_figures::{FiguresFile, PlannedNumber, PlannedStatistic, StatisticShape};
use inbounds_input::document::Mistake;

use crate::{
    Label, Labels,
    entries::{clip, components, outputs},
    plan::Plan,
    prepared_statistic::{CalibratedStatistic, PreparedStatistic},
};

/// Figures that no release of the plan could make.
pub(crate) fn mistakes(plan: &Plan, tasks: &[PreparedStatistic]) -> Vec<Mistake> {
    let Some(figures) = &plan.figures else { return Vec::new() };
    let is_named = |task: &&PreparedStatistic| names(figures, &plan.statistics[task.index].name.value);
    let statistics = tasks.iter().filter(is_named).map(|task| planned(plan, task)).collect();
    let refused = figures.rehearse(statistics).into_iter();
    refused.map(|(span, error)| plan.mistake(span, error.to_string(), None)).collect()
}

fn names(figures: &FiguresFile, statistic: &str) -> bool {
    figures.statistics().any(|named| named.statistic == statistic)
}

/// The numbers that a statistic will have.
fn planned(plan: &Plan, task: &PreparedStatistic) -> PlannedStatistic {
    let described = &plan.statistics[task.index];
    let prepared = &task.prepared;
    let measured: Vec<Labels<'_>> =
        (0..prepared.components().len()).map(|component| task.measured_labels(component)).collect();
    let (lower, upper) = prepared.shared_ends();
    let bounds = match &prepared.ask().clips[..] {
        [only] => Some(clip(only)),
        _ => None,
    };
    let shape = StatisticShape {
        name: described.name.value.clone(),
        kind: described.kind.word().into(),
        by: task.key_columns().to_vec(),
        is_learned: task.learned().is_some(),
        is_fitted: matches!(prepared, CalibratedStatistic::Levels(_)),
        bounds: bounds.map(|bounds| (bounds.lower, bounds.upper)),
        range: RangeEntry { lower, upper },
        outputs: outputs(plan, described, prepared),
        measured: components(task, measured.iter().map(Labels::len)),
    };
    let numbers = |labels: &Labels<'_>| labels.iter().map(|label| number(task, &label)).collect();
    PlannedStatistic { shape, published: numbers(&task.labels()), measured: measured.iter().map(numbers).collect() }
}

/// A number as the tables of the bundle will name it.
fn number(task: &PreparedStatistic, label: &Label<'_>) -> PlannedNumber {
    let columns = task.key_columns().iter().enumerate();
    let value = |(place, column): (usize, &String)| Some((column.clone(), label.key.get(place)?.to_string()));
    let key = columns.filter_map(value).filter(|(_, value)| !value.is_empty()).collect();
    PlannedNumber { key, output: label.name.clone() }
}
