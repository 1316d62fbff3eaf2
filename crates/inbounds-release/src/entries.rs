//! Entries of the manifest that are known before a release: outputs, measured vectors and bounds of a statistic.

use inbounds_bundle::{
    ClipEntry, ComponentEntry, Exact, Id, MissingRule, OutputEntry, ProcessingEntry, RangeEntry, SensitivityEntry,
    UnitEntry,
};
use inbounds_core::{Named, Rational};
use inbounds_mechanisms::registry::Entry;
use inbounds_statistics::{Clip, ClipMissing, Component, Output, Unit};

use crate::{
    levels::Granularity,
    plan::{Column, Plan, Statistic, StatisticKind},
    prepared_statistic::{CalibratedStatistic, PreparedStatistic},
};

/// The unit of an output, in words.
pub(crate) fn unit(plan: &Plan, statistic: &Statistic, unit: &Unit) -> UnitEntry {
    let columns = statistic.columns();
    let name = |place: &usize| columns.get(*place).map_or("", |column| column.value.as_str());
    // Truth values are pure numbers, and their sum is a number of rows.
    let is_boolean = |name: &&str| plan.column(name).is_some_and(Column::is_boolean);
    match unit {
        Unit::None => UnitEntry::PureNumber,
        Unit::Rows if plan.per_unit.is_some() => UnitEntry::Units,
        Unit::Rows => UnitEntry::Rows,
        Unit::Units => UnitEntry::Units,
        Unit::Columns(_) if matches!(statistic.kind, StatisticKind::Combination(_)) => {
            UnitEntry::combined(&columns.iter().map(|column| column.value.as_str()).collect::<Vec<_>>())
        }
        Unit::Columns(places) => {
            let names: Vec<&str> = places.iter().map(name).filter(|name| !is_boolean(name)).collect();
            match statistic.kind {
                StatisticKind::Sum(_) if names.is_empty() => UnitEntry::Rows,
                _ if names.is_empty() => UnitEntry::PureNumber,
                _ => UnitEntry::product(&names),
            }
        }
    }
}

/// Bounds of a column, on its grid.
pub(crate) fn clip(clip: &Clip) -> ClipEntry {
    ClipEntry {
        lower: clip.grid.value(clip.lower.into()),
        upper: clip.grid.value(clip.upper.into()),
        grid_spacing: clip.grid.spacing(),
        missing: match clip.missing {
            ClipMissing::Drop => MissingRule::Dropped,
            ClipMissing::Impute(steps) => MissingRule::CountedAs(clip.grid.value(steps.into())),
        },
    }
}

/// Published outputs of each cell of a statistic.
pub(crate) fn outputs(plan: &Plan, described: &Statistic, prepared: &CalibratedStatistic) -> Vec<OutputEntry> {
    let entry = |(output, (lower, upper)): (Output, (Option<f64>, Option<f64>))| OutputEntry {
        name: output.quantity.into(),
        unit: unit(plan, described, &output.unit),
        range: RangeEntry { lower, upper },
    };
    prepared.outputs().into_iter().zip(prepared.ends()).map(entry).collect()
}

/// Measured vectors of a statistic; `cells` are the numbers of each.
pub(crate) fn components(task: &PreparedStatistic, cells: impl Iterator<Item = usize>) -> Vec<ComponentEntry> {
    let prepared = &task.prepared;
    let of_components = prepared.measured_levels().into_iter().map(|level| level.map(|(granularity, _)| granularity));
    let named = prepared.components().into_iter().zip(of_components).zip(cells);
    named
        .map(|((one, own), cells)| ComponentEntry {
            level: own.and_then(Granularity::level).map(str::to_owned),
            margin: own.and_then(Granularity::margin).map(<[String]>::to_vec),
            ..component(one, cells, prepared.centre_of(one))
        })
        .collect()
}

fn component(component: &Component, cells: usize, centre: Option<f64>) -> ComponentEntry {
    let mechanism = &component.mechanism;
    let sensitivity = mechanism.sensitivity();
    ComponentEntry {
        role: component.role.clone().into(),
        level: None,
        margin: None,
        cells,
        mechanism: registered(mechanism.name()),
        law: mechanism.noise().kind().into(),
        epsilon: mechanism.guarantee().epsilon().map(|epsilon| epsilon.value().into()),
        delta: mechanism.guarantee().delta().map_or(Exact(Rational::ZERO), |delta| delta.value().into()),
        rho: mechanism.guarantee().rho().map(|rho| rho.value().into()),
        loss_bound: mechanism.loss_bound(),
        scale: component.scale(),
        parameters: mechanism.noise().into(),
        processing: mechanism.processing().map(ProcessingEntry::from),
        grid_spacing: component.grid.spacing(),
        divisor: component.divisor,
        centre,
        sensitivity: SensitivityEntry {
            l1_steps: sensitivity.l1.to_string(),
            linf_steps: sensitivity.linf.to_string(),
            cells: sensitivity.cells,
            squares_steps: sensitivity.squares.clone().map(Exact),
            l1: component.sensitivity(),
            rule: sensitivity.rule.to_owned(),
        },
        range_steps: Some(mechanism.range().into()),
    }
}

/// A mechanism of the registry; every statistic is measured by one.
fn registered(name: &str) -> Id<&'static Entry> {
    Named::named(name).map_or_else(|| Id::Unknown(name.to_owned()), Id::Known)
}
