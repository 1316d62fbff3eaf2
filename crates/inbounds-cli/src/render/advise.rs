//! The answer of `inbounds advise`.

use inbounds_release::advise::{Advice, Criterion, Question, Ranking};

use super::{figures::figure, table};

/// The mechanisms side by side, best first, the best figure of each column marked.
pub(crate) fn advise(question: &Question, criterion: Criterion, ranking: &Ranking) -> String {
    let advice: &[Advice] = &ranking.advice;
    let kind = if question.integer { "whole values" } else { "real values" };
    let rows = advice.iter().map(|row| {
        let marked = |criterion: Criterion| {
            let mark = if row.best_by.contains(&criterion.name()) { " *" } else { "  " };
            figure(criterion.of(row)) + mark
        };
        let mut cells = vec![row.plan_name.to_owned(), figure(row.scale)];
        cells.extend(Criterion::ALL.map(marked));
        cells
    });
    let header = ["mechanism", "scale", "worst RMSE  ", "worst bias  ", "RMSE at the end  ", "RMSE in the middle  "];
    let width = advice.iter().map(|row| row.plan_name.len()).max().unwrap_or(0);
    let meanings: Vec<String> =
        advice.iter().map(|row| format!("  {:width$}  {}", row.plan_name, row.summary)).collect();
    let biased: Vec<&str> = advice.iter().filter(|row| !row.keeps_measurement).map(|row| row.plan_name).collect();
    format!(
        "epsilon {}{}, sensitivity {}, {}, {kind}; ranked by {}\n{}\n* no mechanism has less\n\n{}\n\n\
         A plan names one by mechanism = \"...\"; \"{}\" is the default. All but \"{}\" keep a raw, unbiased measurement in the \
         bundle.{}",
        question.epsilon,
        if question.delta.value().is_positive() { format!(", delta {}", question.delta) } else { String::new() },
        question.sensitivity,
        question.range_in_words(),
        criterion.name(),
        table(&header, 1, rows),
        meanings.join("\n"),
        inbounds_release::advise::default_name(),
        biased.join("\", \""),
        if ranking.refused.is_empty() { String::new() } else { format!("\n\n{}", refused(ranking)) },
    )
}

/// The mechanisms that are left out, and why; nothing if there are none.
pub(crate) fn refused(ranking: &Ranking) -> String {
    let lines: Vec<String> =
        ranking.refused.iter().map(|refused| format!("left out: {}: {}", refused.plan_name, refused.reason)).collect();
    lines.join("\n")
}
