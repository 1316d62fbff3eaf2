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
    format!(
        "epsilon {}, sensitivity {}, {range}, {kind}\n{}\n\
         In a plan: mechanism = \"clamped\" (the default) or \"conditioned\". Clamping keeps the raw, unbiased measurement \
         in the bundle; conditioning has none.",
        question.epsilon,
        question.sensitivity,
        table(&header, 3, rows),
    )
}
