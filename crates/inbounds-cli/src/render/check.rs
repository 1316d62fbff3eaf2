//! The answer of `inbounds check`.

use std::collections::BTreeSet;

use inbounds_release::{
    SampleSize,
    check::{CheckReport, CheckedStatistic},
};

use super::{
    figures::{bias, end, figure, simulated},
    table,
};

/// Cost, noise and expected error of every statistic.
pub(crate) fn check(report: &CheckReport, sizes: Option<&[SampleSize]>) -> String {
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
    let sizes = sizes.map_or_else(String::new, |sizes| by_size(report, sizes));
    format!(
        "{title}The plan is in order. No row was read.\n\n\
         Privacy unit: {}. Neighbours: {}. Epsilon granted {}, needed {}.{delta}\n\n{noise}\n\n\
         Error to expect, in the unit of each statistic\n{errors}{advice}{sizes}",
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
    let row = |(index, error): (usize, &inbounds_bundle::ExpectedErrorEntry)| {
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

/// How estimates approach a population's parameter.
fn by_size(report: &CheckReport, sizes: &[SampleSize]) -> String {
    if sizes.is_empty() {
        return "\n\nNo statistic of the plan has a public number of rows and a population's parameter.".to_owned();
    }
    let none = || "-".to_owned();
    let words = |size: &SampleSize| (size.statistic.clone(), size.population.clone());
    let row = |(index, size): (usize, &SampleSize)| {
        let again = index > 0 && words(&sizes[index - 1]) == words(size);
        let first = |text: &str| if again { String::new() } else { text.to_owned() };
        vec![
            first(&size.statistic),
            first(&size.population),
            size.rows.to_string(),
            size.errors.as_ref().map_or_else(none, |errors| simulated(errors.bias, errors.bias_error)),
            size.errors.as_ref().map_or_else(none, |errors| figure(errors.rmse)),
            size.errors.as_ref().map_or_else(none, |errors| simulated(errors.coverage, errors.coverage_error)),
        ]
    };
    let header = ["statistic", "population", "rows", "bias", "RMSE", "coverage of 95 %"];
    let table = table(&header, 2, sizes.iter().enumerate().map(row));
    let refusal =
        |size: &SampleSize| Some(format!("\n{} over {} rows: {}", size.statistic, size.rows, size.refused.as_ref()?));
    let refused: BTreeSet<String> = sizes.iter().filter_map(refusal).collect();
    let refused: String = refused.into_iter().collect();
    let shown = |statistic: &&CheckedStatistic| sizes.iter().any(|size| size.statistic == statistic.name);
    let names = report.statistics.iter().filter(|statistic| !shown(statistic)).map(|statistic| statistic.name.as_str());
    let left_out = match names.collect::<Vec<_>>()[..] {
        [] => String::new(),
        ref names => format!(
            "\nLeft out: {}. Samples are drawn for means, variances, covariances of two columns and proportions with `where`, \
             over a public number of rows.",
            names.join(", ")
        ),
    };
    format!("\n\nError as an estimate of a population's parameter, sampling included\n{table}{refused}{left_out}")
}

/// The same for a machine.
pub(crate) fn check_json(report: &CheckReport, sizes: Option<&[SampleSize]>) -> String {
    let Some(sizes) = sizes else { return super::json(report) };
    let mut value = serde_json::to_value(report).expect("strings, numbers and lists serialise");
    value["sample_sizes"] = serde_json::to_value(sizes).expect("strings, numbers and lists serialise");
    super::json(&value)
}
