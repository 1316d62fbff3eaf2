//! The answer of `inbounds advise`.

use inbounds_release::advise::{Advice, Question};

use super::{figures::figure, table};

/// The mechanisms side by side.
pub(crate) fn advise(question: &Question, advice: &[Advice]) -> String {
    let range = match (&question.lower, &question.upper) {
        (Some(lower), Some(upper)) => format!("range {lower} to {upper}"),
        (Some(lower), None) => format!("range from {lower} up"),
        (None, Some(upper)) => format!("range up to {upper}"),
        (None, None) => "no range".to_owned(),
    };
    let kind = if question.integer { "whole values" } else { "real values" };
    let rows = advice.iter().map(|row| {
        vec![
            row.plan_name.to_owned(),
            row.summary.to_owned(),
            row.best_by.join(", "),
            figure(row.scale),
            figure(row.worst_bias),
            figure(row.rmse_at_lower),
            figure(row.rmse_in_middle),
        ]
    });
    let header =
        ["mechanism", "what it does", "best by", "scale", "worst bias", "RMSE at the end", "RMSE in the middle"];
    let unbiased: Vec<&str> = advice.iter().filter(|row| row.keeps_measurement).map(|row| row.plan_name).collect();
    format!(
        "epsilon {}, sensitivity {}, {range}, {kind}\n{}\n\
         A plan names one by mechanism = \"...\"; the first is the default. A raw, unbiased measurement stays in the \
         bundle only with: {}.",
        question.epsilon,
        question.sensitivity,
        table(&header, 3, rows),
        unbiased.join(", "),
    )
}
