//! The answer of `inbounds release`.

use inbounds_bundle::{
    ApartEntry, ChosenMechanism, DiagnosticsEntry, JointEntry, ReleaseManifest, SharedNoiseEntry, StatedErrors,
    StatisticEntry, WantsEntry,
};
use inbounds_figures::FiguresMade;
use inbounds_release::{Estimate, Interval, KeyValue, Label, LearnedTable, Release, Released, plan::Plan};
use serde_json::{Map, Value, json};

use super::{Screen, Shown, columns::Table, figure::figures_of_plan, figures::figure, interval, none, note};

/// Estimates on the terminal, with what they cost and where the rest is.
pub(crate) fn release(
    plan: &Plan,
    (release, figures): (&Release, Option<&FiguresMade>),
    shown: Shown,
    screen: Screen,
) -> String {
    let mut parts: Vec<String> = plan.title.iter().map(|title| screen.prose(title)).collect();
    parts.extend(
        release
            .statistics
            .iter()
            .zip(&release.manifest.statistics)
            .map(|(released, entry)| statistic(plan, (released, entry), &release.manifest, (shown, screen))),
    );
    parts.extend(plan.quality.as_ref().map(|quality| screen.prose(&quality.sentence())));
    parts.extend(figures.map(|made| figures_of_plan(made, shown, screen)));
    parts.extend(release.manifest.diagnostics.as_ref().map(|entry| screen.prose(&diagnostics(entry))));
    let promise = &release.manifest.guarantee;
    let mut words = vec![promise.words.clone()];
    words.extend(promise.wants.iter().map(WantsEntry::sentence));
    words.extend(promise.apart.iter().map(ApartEntry::sentence));
    words.extend(promise.joint.iter().map(JointEntry::sentence));
    words.extend(promise.together.iter().map(SharedNoiseEntry::sentence));
    words.extend(promise.chosen.iter().map(ChosenMechanism::sentence));
    words.extend(promise.notices.iter().map(note));
    parts.push(screen.prose(&words.join("\n")));
    parts.extend(release.entered.sentence().map(|sentence| screen.prose(&sentence)));
    parts.push(format!("Bundle: {}", release.folder.display()));
    parts.join("\n\n")
}

/// Measurements of the rows themselves.
fn diagnostics(entry: &DiagnosticsEntry) -> String {
    format!("The rows, epsilon {}\n{}", entry.epsilon, entry.sentences().join("\n"))
}

fn statistic(
    plan: &Plan,
    (released, entry): (&Released, &StatisticEntry),
    manifest: &ReleaseManifest,
    (shown, screen): (Shown, Screen),
) -> String {
    let described = &plan.statistics[released.task.index];
    let columns: Vec<String> = described.columns().into_iter().map(|column| plan.with_unit(&column.value)).collect();
    let what = match columns[..] {
        [] => described.kind.name().to_owned(),
        _ => format!("{} of {}", described.kind.name(), columns.join(", ")),
    };
    let shared = if released.task.shares_noise() { " with others" } else { "" };
    let within: Vec<&str> = described.within().iter().map(|column| plan.called(&column.value)).collect();
    let within = if within.is_empty() { String::new() } else { format!(" within each {}", within.join(" and ")) };
    let of_unit = manifest.most_of_each_unit(entry).map_or_else(String::new, |most| format!(", {most}"));
    let headline = format!(
        "{}: {what}{within}{of_unit}, epsilon {}{shared}",
        described.called(),
        released.task.prepared.epsilon()
    );
    let mut notes: Vec<String> = shown.more(released.estimates.len()).into_iter().collect();
    notes.extend(Some(manifest.about_missing(entry)).filter(|missing| !missing.is_empty()));
    notes.extend(entry.learned.as_ref().map(|learned| learned.sentence(&entry.unit.to_string())));
    if released.estimates.iter().take(shown.limit()).any(outside) {
        notes.insert(0, OUTSIDE.to_owned());
    }
    notes.extend(released.notices.iter().map(note));
    let table = screen.table_with_notes(&estimates(plan, (released, entry), shown), &notes.join("\n"));
    format!("{}\n{table}", screen.prose(&headline))
}

/// A published number: what it is of, and what is said about it.
struct Row<'a> {
    label: Label<'a>,
    estimate: &'a Estimate,
    tells_nothing: bool,
    population: Option<Interval>,
}

impl Row<'_> {
    /// Bias and RMSE: the largest over the interval where they are known, else those at the estimate.
    fn errors(&self) -> [String; 2] {
        let estimate = self.estimate;
        let over_interval = estimate.bias_over_interval.zip(estimate.rmse_over_interval);
        let bias = Some((estimate.bias_at_estimate, estimate.bias_error));
        let rmse = Some((estimate.rmse_at_estimate, estimate.rmse_error));
        StatedErrors::of(over_interval, (bias, rmse), self.tells_nothing).shown()
    }
}

fn estimates(plan: &Plan, (released, entry): (&Released, &StatisticEntry), shown: Shown) -> Table {
    let labels = released.task.labels();
    let level = figure(100.0 * entry.interval.level);
    let holds = if entry.interval.joint { ", all at once" } else { "" };
    // Every cell has the same numbers.
    let outputs = released.task.prepared.outputs().len();
    let named = labels.iter().take(outputs).any(|label| !label.name.is_empty());
    // Simulated errors are those at the estimate, formulas the largest over the interval.
    let bounded = released.estimates.iter().all(|estimate| estimate.bias_over_interval.is_some());
    let [bias, rmse] = entry.error_names(bounded);
    let rows: Vec<Row<'_>> = labels
        .iter()
        .zip(released.estimates.iter().zip(released.tells_nothing()))
        .take(shown.limit())
        .enumerate()
        .map(|(index, (label, (estimate, tells_nothing)))| {
            let population = released.population.get(index).copied().flatten();
            Row { label, estimate, tells_nothing, population }
        })
        .collect();
    let keys = released.task.key_columns().iter().enumerate();
    // The key of a coarser level or margin has fewer values. Where it has none, the level or margin stands in its
    // place.
    let called = |row: &Row<'_>, index: usize, name: &str| match row.label.key.get(index) {
        Some(value) => plan.value_called(name, value),
        None if index == 0 && row.label.key.values().next().is_none() => row
            .label
            .granularity
            .map_or_else(String::new, |all| all.level().map_or_else(|| all.to_string(), str::to_owned)),
        None => String::new(),
    };
    let keyed = keys.fold(Table::default(), |table, (index, name)| {
        table.words(plan.called(name), &rows, |row| called(row, index, name))
    });
    keyed
        .and_if(named, |table| table.words("output", &rows, |row| row.label.name.clone()))
        .figures("estimate", &rows, |row| marked(row.estimate.value, outside(row.estimate)))
        .figures(&format!("{level} % interval{holds}"), &rows, |row| interval(row.estimate.lower, row.estimate.upper))
        .figures(bias, &rows, |row| row.errors()[0].clone())
        .figures("worst bias", &rows, |row| row.estimate.worst_bias.map_or_else(none, figure))
        .figures(rmse, &rows, |row| row.errors()[1].clone())
        .figures(&format!("± {level} %"), &rows, |row| figure(0.5 * (row.estimate.upper - row.estimate.lower)))
        .and_if(plan.quality.is_some(), |table| {
            table.words("quality", &rows, |row| plan.class_of(row.estimate).unwrap_or_default().to_owned())
        })
        .figures("raw measurement", &rows, |row| row.estimate.measurement.map_or_else(none, figure))
        .and_if(!released.population.is_empty(), |table| {
            table.figures(&format!("{level} % for the population"), &rows, |row| {
                row.population.map_or_else(none, |found| interval(found.lower, found.upper))
            })
        })
}

/// Below a table with a marked estimate.
pub(super) const OUTSIDE: &str = "* outside its own interval";

fn outside(estimate: &Estimate) -> bool {
    estimate.value < estimate.lower || estimate.value > estimate.upper
}

/// An estimate, with a mark if it is outside its own interval.
pub(super) fn marked(estimate: f64, outside: bool) -> String {
    format!("{}{}", figure(estimate), if outside { " *" } else { "" })
}

/// The estimates of a statistic with everything that is said of each; keys are what they are.
fn estimates_json(released: &Released) -> Vec<Value> {
    let labels = released.task.labels();
    let key = |label: &Label| -> Map<String, Value> {
        let columns = released.task.key_columns().iter();
        let value = |key: &KeyValue| match key {
            KeyValue::Integer(key) => json!(key),
            KeyValue::Text(key) => json!(key),
            KeyValue::Boolean(key) => json!(key),
            KeyValue::Missing => json!(KeyValue::MISSING),
        };
        let keyed = columns.enumerate().filter_map(|(place, column)| Some((column, label.key.get(place)?)));
        keyed.map(|(column, key)| (column.clone(), value(key))).collect()
    };
    let one = |(index, ((estimate, tells_nothing), label)): (usize, ((&Estimate, bool), Label))| {
        let population = released.population.get(index).copied().flatten();
        json!({
            "by": key(&label),
            "output": (!label.name.is_empty()).then_some(&label.name),
            "estimate": estimate.value,
            "interval_lower": estimate.lower,
            "interval_upper": estimate.upper,
            "bias_at_estimate": estimate.bias_at_estimate,
            "bias_error": estimate.bias_error,
            "rmse_at_estimate": estimate.rmse_at_estimate,
            "rmse_error": estimate.rmse_error,
            "worst_bias": estimate.worst_bias,
            "bias_over_interval": estimate.bias_over_interval,
            "rmse_over_interval": estimate.rmse_over_interval,
            "tells_nothing": tells_nothing,
            "measurement": estimate.measurement,
            "population_lower": population.map(|found| found.lower),
            "population_upper": population.map(|found| found.upper),
        })
    };
    released.estimates.iter().zip(released.tells_nothing()).zip(labels.iter()).enumerate().map(one).collect()
}

/// Where the bundle is, what it cost, and what was released.
pub(crate) fn release_json(plan: &Plan, release: &Release, figures: Option<&FiguresMade>) -> String {
    let statistics: Vec<_> = release
        .statistics
        .iter()
        .map(|released| {
            json!({
                "name": plan.statistics[released.task.index].name.value,
                "cells": released.task.prepared.cells(),
                "learned": released.task.learned().map(LearnedTable::entry),
                "epsilon": released.task.prepared.epsilon().to_string(),
                "estimates": estimates_json(released),
            })
        })
        .collect();
    super::json(&json!({
        "bundle": release.folder,
        "private": release.manifest.private,
        "epsilon_spent": release.manifest.guarantee.epsilon_spent,
        "delta_spent": release.manifest.guarantee.delta_spent,
        "guarantee": release.manifest.guarantee.words,
        "apart": release.manifest.guarantee.apart,
        "joint": release.manifest.guarantee.joint,
        "wants": release.manifest.guarantee.wants,
        "together": release.manifest.guarantee.together,
        "chosen": release.manifest.guarantee.chosen,
        "ledger": release.manifest.guarantee.ledger,
        "ledger_note": release.entered.sentence(),
        "statistics": statistics,
        "figures": figures.map(|made| &made.manifest.figures),
        "figures_refused": figures.map(|made| &made.manifest.refused),
    }))
}
