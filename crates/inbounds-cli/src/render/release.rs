//! The answer of `inbounds release`.

use inbounds_release::{Estimate, Release, Released, plan::Plan};
use serde_json::json;

use super::{
    figures::{bias, figure, simulated},
    table,
};

/// Cells shown of each statistic; the bundle has all.
const SHOWN: usize = 12;

/// Estimates on the terminal, with what they cost and where the rest is.
pub(crate) fn release(plan: &Plan, release: &Release) -> String {
    let mut parts = Vec::new();
    if let Some(title) = &plan.title {
        parts.push(title.clone());
    }
    parts.extend(release.statistics.iter().map(|released| statistic(plan, released)));
    parts.push(format!("{}\n\nBundle: {}", release.manifest.guarantee.words, release.folder.display()));
    parts.join("\n\n")
}

fn statistic(plan: &Plan, released: &Released) -> String {
    let described = &plan.statistics[released.task.index];
    let columns: Vec<&str> = described.columns().into_iter().map(|column| column.value.as_str()).collect();
    let what = match columns[..] {
        [] => described.kind.name().to_owned(),
        _ => format!("{} of {}", described.kind.name(), columns.join(", ")),
    };
    let mut header: Vec<&str> = released.task.key_columns().iter().map(String::as_str).collect();
    let keys = header.len();
    let labels = released.task.labels();
    let named = labels.iter().any(|label| !label.name.is_empty());
    header.extend(named.then_some("output"));
    let words = header.len();
    header.extend(["estimate", "95 % interval", "bias there", "worst bias", "RMSE", "raw measurement"]);
    let with_population = !released.population.is_empty();
    header.extend(with_population.then_some("95 % for the population"));
    let rows = released.estimates.iter().zip(&labels).enumerate().take(SHOWN).map(|(index, (estimate, label))| {
        let mut row: Vec<String> = label.key.iter().map(ToString::to_string).collect();
        // The key of a coarser level is shorter.
        row.resize(keys, String::new());
        row.extend(named.then(|| label.name.clone()));
        row.extend([
            figure(estimate.value),
            format!("{} to {}", figure(estimate.lower), figure(estimate.upper)),
            shown_bias(estimate),
            estimate.worst_bias.map_or_else(|| "-".to_owned(), figure),
            simulated(estimate.rmse_at_estimate, estimate.rmse_error),
            estimate.measurement.map_or_else(|| "-".to_owned(), figure),
        ]);
        row.extend(with_population.then(|| {
            let interval = released.population[index];
            interval
                .map_or_else(|| "-".to_owned(), |found| format!("{} to {}", figure(found.lower), figure(found.upper)))
        }));
        row
    });
    let shown = table(&header, words, rows);
    let hidden = labels.len().saturating_sub(SHOWN);
    let more = if hidden == 0 { String::new() } else { format!("\n... and {hidden} more in the bundle") };
    let notices: String = released.notices.iter().map(|notice| format!("\nNote: {}", notice.sentence())).collect();
    format!("{}: {what}, epsilon {}\n{shown}{more}{notices}", described.name.value, released.task.prepared.epsilon())
}

fn shown_bias(estimate: &Estimate) -> String {
    match estimate.bias_error {
        0.0 => bias(estimate.bias_at_estimate, estimate.rmse_at_estimate),
        error => simulated(estimate.bias_at_estimate, error),
    }
}

/// Where the bundle is and what it cost.
pub(crate) fn release_json(plan: &Plan, release: &Release) -> String {
    let statistics: Vec<_> = release
        .statistics
        .iter()
        .map(|released| {
            json!({
                "name": plan.statistics[released.task.index].name.value,
                "cells": released.task.cells(),
                "epsilon": released.task.prepared.epsilon().to_string(),
            })
        })
        .collect();
    super::json(&json!({
        "bundle": release.folder,
        "private": release.manifest.private,
        "epsilon_spent": release.manifest.guarantee.epsilon_spent,
        "delta_spent": release.manifest.guarantee.delta_spent,
        "guarantee": release.manifest.guarantee.words,
        "statistics": statistics,
    }))
}
