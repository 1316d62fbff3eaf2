//! A plan's promise, and noise that hides all numbers: public choices, judged before anybody uses the numbers.

use inbounds_bundle::{Notice, Secret, is_weak};
use inbounds_core::{Neighbours, Quantity, Rational};
use inbounds_statistics::{Component, Estimate, ExpectedError};

use crate::{
    PreparedStatistic,
    grants::Spent,
    plan::{Plan, Unit},
    prepared_statistic::CalibratedStatistic,
};

/// Part of epsilon, at most, that makes a split fine.
const FINE: f64 = 0.1;

/// Secret that the guarantee of a plan hides.
pub(crate) fn secret(plan: &Plan) -> Secret {
    match (&plan.privacy.unit, plan.privacy.neighbours) {
        (Unit::Row, Neighbours::AddRemove) => match &plan.data.frequency {
            Some(column) => Secret::PresenceOfCounted { column: column.value.clone() },
            None => Secret::Presence,
        },
        (Unit::Row, Neighbours::Substitute) => Secret::Values,
        (Unit::Rows { most }, Neighbours::AddRemove) => Secret::PresenceOfRows { rows: most.value },
        (Unit::Rows { most }, Neighbours::Substitute) => Secret::ValuesOfRows { rows: most.value },
        (Unit::Column { column, .. } | Unit::OneRow { column }, Neighbours::AddRemove) => {
            Secret::PresenceOfUnit { column: column.value.clone() }
        }
        (Unit::Column { column, .. } | Unit::OneRow { column }, Neighbours::Substitute) => {
            Secret::ValuesOfUnit { column: column.value.clone() }
        }
    }
}

/// Notices about the guarantee's assumptions on the data, and about epsilon and delta of the whole release and their
/// division.
pub(crate) fn of_budget(plan: &Plan, spent: &Spent, tasks: &[&PreparedStatistic]) -> Vec<Notice> {
    let (epsilon, delta) = (spent.epsilon.to_f64_up(), spent.delta.to_f64_up());
    let weak = is_weak(epsilon, delta).then(|| Notice::WeakGuarantee { secret: secret(plan), epsilon, delta });
    let least = tasks.iter().map(|task| task.prepared.epsilon().value()).min().map_or(epsilon, Rational::to_f64);
    // What is not spent is not split. Equal parts of tenths come out a rounding above or below.
    let fine = tasks.len() > 1 && least <= FINE * epsilon * (1.0 + 1e-9);
    let split = fine.then_some(Notice::FineSplit { statistics: tasks.len(), epsilon, least });
    let types = plan.data.has_public_types().then_some(Notice::PublicTypes);
    types.into_iter().chain(weak).chain(split).chain(of_delta(plan, tasks)).collect()
}

/// The statistics that may spend delta and have none in any of their numbers; noise that is shared has none either, for
/// a better reason.
fn of_delta(plan: &Plan, tasks: &[&PreparedStatistic]) -> Option<Notice> {
    let spends = |task: &&&PreparedStatistic| {
        let components = task.prepared.components();
        components.into_iter().any(|component| component.mechanism.guarantee().delta().is_some())
    };
    let may = tasks.iter().filter(|task| plan.statistics[task.index].spend_delta.value && !task.shares_noise());
    let unspent = may.filter(|task| !spends(task)).map(|task| plan.statistics[task.index].name.value.clone());
    let statistics: Vec<String> = unspent.collect();
    (!statistics.is_empty()).then_some(Notice::DeltaUnspent { statistics })
}

/// Notice of an expected error so large that the middle of the range, published without any data, has it too, averaged
/// over the range.
pub(crate) fn of_expected(task: &PreparedStatistic, expected: &[ExpectedError]) -> Option<Notice> {
    let (Some(lower), Some(upper)) = task.prepared.shared_ends() else { return None };
    let width = upper - lower;
    let rmse = expected.iter().map(|error| error.rmse).reduce(f64::min)?;
    (rmse >= width / libm::sqrt(12.0)).then_some(Notice::NoiseExceedsRange { rmse, width })
}

/// Notice about noise that is a factor: its relative error, and where noise that is added would err less.
pub(crate) fn of_factor(task: &PreparedStatistic) -> Option<Notice> {
    let components = task.prepared.components();
    let component = components.first()?;
    let relative = component.mechanism.relative_error()?;
    let epsilon = component.mechanism.guarantee().epsilon()?.value().to_f64();
    let lower = component.mechanism.range().lower();
    // Standard deviation of Laplace noise of the same epsilon.
    let added = libm::sqrt(2.0) * component.sensitivity() / epsilon;
    Some(Notice::NoiseIsFactor {
        log_scale: relative.log_scale,
        relative_rmse: relative.rmse,
        added_is_better_above: relative.rmse.map(|rmse| (added / rmse).max(component.end(lower, 0.0))),
    })
}

/// Fewer cells with biases of one sign are not worth a sentence.
const MANY: usize = 20;

/// Notice of the error of a sum over cells that are kept in their range one by one: of counts and sums alone, which
/// people add up.
pub(crate) fn of_cells(task: &PreparedStatistic, expected: &[ExpectedError]) -> Option<Notice> {
    let prepared = &task.prepared;
    if !matches!(prepared, CalibratedStatistic::Cells(_)) {
        return None;
    }
    let is_added = |component: &&Component| matches!(component.role, Quantity::Count { .. } | Quantity::Sum);
    let cells = prepared.cells();
    if cells < MANY || !prepared.components().iter().all(is_added) || task.query.bins.is_some() {
        return None;
    }
    let bias = prepared.worst_bias()?;
    let rmse = expected.iter().map(|error| error.rmse).reduce(f64::max)?;
    (cells as f64 * bias > rmse).then_some(Notice::BiasAddsUp { cells, bias })
}

/// Notice of wide intervals where the range has no two ends: most are wider to either side than their estimate is
/// large. Only for statistics of one number a cell: entries of a matrix may be small.
pub(crate) fn of_intervals(task: &PreparedStatistic, estimates: &[Estimate]) -> Option<Notice> {
    let open = !matches!(task.prepared.shared_ends(), (Some(_), Some(_)));
    if task.prepared.outputs().len() != 1 || !open {
        return None;
    }
    let total = estimates.len();
    let lost = |estimate: &&Estimate| 0.5 * (estimate.upper - estimate.lower) > estimate.value.abs();
    let estimates = estimates.iter().filter(lost).count();
    (2 * estimates > total).then_some(Notice::LostInNoise { estimates, of: total })
}
