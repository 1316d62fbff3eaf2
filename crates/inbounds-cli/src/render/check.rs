//! The answer of `inbounds check`.

use std::collections::BTreeSet;

use inbounds_release::check::{CheckReport, CheckedStatistic};

use super::{
    figures::{bias, end, figure},
    table,
};

/// Cost, noise and expected error of every statistic.
pub(crate) fn check(report: &CheckReport) -> String {
    let title = report.title.as_deref().map_or(String::new(), |title| format!("{title}\n"));
    let delta = if report.delta == "0" {
        String::new()
    } else {
        format!("\nDelta granted {}, needed {}.", report.delta, report.delta_cost)
    };
    let noise = table(
        &["statistic", "measures", "mechanism", "cells", "epsilon", "sensitivity", "noise scale"],
        3,
        report.statistics.iter().flat_map(noise_rows),
    );
    let errors = table(
        &["statistic", "where the truth is", "range", "bias", "RMSE", "worst bias"],
        3,
        report.statistics.iter().flat_map(error_rows),
    );
    let advice = |statistic: &CheckedStatistic| Some(format!("\n{}: {}", statistic.name, statistic.advice.as_ref()?));
    let advice: String = report.statistics.iter().filter_map(advice).collect();
    format!(
        "{title}The plan is in order. No row was read.\n\n\
         Privacy unit: {}. Neighbours: {}. Epsilon granted {}, needed {}.{delta}\n\n{noise}\n\n\
         Error to expect, in the unit of each statistic\n{errors}{advice}",
        report.privacy_unit, report.neighbours, report.epsilon, report.epsilon_cost,
    )
}

fn noise_rows(statistic: &CheckedStatistic) -> Vec<Vec<String>> {
    let row = |(index, noise): (usize, &inbounds_release::check::CheckedNoise)| {
        let first = |text: &str| if index == 0 { text.to_owned() } else { String::new() };
        // Each level has cells and epsilon of its own; other measurements share those of the statistic.
        let (measures, cells, epsilon) = match (&noise.level, &noise.epsilon) {
            (Some(level), Some(epsilon)) => {
                (format!("{}, level {level}", noise.measures), noise.cells.to_string(), epsilon.clone())
            }
            _ => (noise.measures.clone(), first(&statistic.cells.to_string()), first(&statistic.epsilon)),
        };
        vec![
            first(&statistic.name),
            measures,
            noise.mechanism.clone(),
            cells,
            epsilon,
            figure(noise.sensitivity),
            figure(noise.scale),
        ]
    };
    statistic.noise.iter().enumerate().map(row).collect()
}

fn error_rows(statistic: &CheckedStatistic) -> Vec<Vec<String>> {
    let of_output = |(lower, upper)| format!("{} to {}", end(lower, "-inf"), end(upper, "inf"));
    let ranges = statistic.outputs.iter().map(|output| of_output((output.range.lower, output.range.upper)));
    let range = match ranges.collect::<BTreeSet<_>>() {
        differ if differ.len() > 1 => "of each output".to_owned(),
        _ => of_output(statistic.range),
    };
    let row = |(index, error): (usize, &inbounds_release::bundle::ExpectedErrorEntry)| {
        let first = |text: &str| if index == 0 { text.to_owned() } else { String::new() };
        vec![
            first(&statistic.name),
            error.case.clone(),
            first(&range),
            bias(error.bias, error.rmse),
            figure(error.rmse),
            first(&statistic.worst_bias.map_or_else(|| "-".to_owned(), figure)),
        ]
    };
    statistic.expected_error.iter().enumerate().map(row).collect()
}
