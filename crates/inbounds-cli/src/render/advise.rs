//! The answer of `inbounds advise`.

use inbounds_advise::{Advice, Question, Ranking, RankingCriterion};

use super::{Screen, columns::Table, figures::figure};

/// The mechanisms side by side, best first, the best figure of each column marked.
pub(crate) fn advise(question: &Question, criterion: RankingCriterion, ranking: &Ranking, screen: Screen) -> String {
    let advice: &[Advice] = &ranking.advice;
    let kind = if question.integer { "whole values" } else { "real values" };
    let delta =
        if question.delta.value().is_positive() { format!(", delta {}", question.delta) } else { String::new() };
    let biased: Vec<&str> = advice.iter().filter(|row| !row.keeps_measurement).map(|row| row.plan_name).collect();
    let for_numbers = match question.numbers {
        1 => String::new(),
        numbers => format!(" for {numbers} numbers of the same rows"),
    };
    let headline = format!(
        "epsilon {}{delta}{for_numbers}, sensitivity {}, {}, {kind}; {}ranked by {}",
        question.epsilon,
        question.sensitivity,
        question.range_in_words(),
        if question.relative { "errors as parts of the answer; " } else { "" },
        criterion.name(),
    );
    let mut usage = format!(
        "A plan names one by mechanism = \"...\"; \"{}\" is the default. All but \"{}\" keep a raw, unbiased measurement in the \
         bundle.",
        inbounds_advise::default_name(),
        biased.join("\", \""),
    );
    let spending: Vec<&str> = advice.iter().filter(|row| row.spends_delta).map(|row| row.plan_name).collect();
    if !spending.is_empty() {
        usage += &format!(
            " \"{}\" {} figures with `spend_delta = true`, which a plan needs for them; the others spend no delta, or always do.",
            spending.join("\", \""),
            if spending.len() == 1 { "has" } else { "have" },
        );
    }
    if question.relative && question.upper.is_none() {
        usage += " The middle is ten times the lower end, and answers go to a thousand times it. The relative error of \"log-laplace\" is the same \
                  at all answers, and that of other noise falls as the answer grows.";
    }
    if question.numbers > 1 {
        usage += " Each number has an equal part of epsilon, but for \"together\": a plan has one vector of noise for statistics that it lists under \
                  `together` in [privacy], or for all that err less by it with together = \"best\".";
    }
    let mut parts = vec![
        format!(
            "{}\n{}",
            screen.prose(&headline),
            screen.table_with_notes(&compared(advice), "* no mechanism has less"),
        ),
        meanings(advice, screen),
        screen.prose(&usage),
    ];
    parts.extend((!ranking.refused.is_empty()).then(|| screen.prose(&refused(ranking))));
    parts.join("\n\n")
}

fn compared(advice: &[Advice]) -> Table {
    let headers = ["worst RMSE", "worst bias", "RMSE at the end", "RMSE in the middle"];
    let table =
        Table::default()
            .words("mechanism", advice, |row| row.plan_name.to_owned())
            .figures("scale", advice, |row| figure(row.scale));
    RankingCriterion::ALL.into_iter().zip(headers).fold(table, |table, (criterion, header)| {
        // The mark stands to the right of the numbers, so that their digits stay below each other.
        table.figures(&format!("{header}  "), advice, |row| {
            let mark = if row.best_by.contains(&criterion.name()) { " *" } else { "  " };
            figure(criterion.figure(row)) + mark
        })
    })
}

/// A line a mechanism: what it does.
fn meanings(advice: &[Advice], screen: Screen) -> String {
    let width = advice.iter().map(|row| row.plan_name.len()).max().unwrap_or(0);
    let line = |row: &Advice| screen.beside(row.plan_name, row.summary, width);
    advice.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The mechanisms that are left out, and why; nothing if there are none.
pub(crate) fn refused(ranking: &Ranking) -> String {
    let lines: Vec<String> =
        ranking.refused.iter().map(|refused| format!("left out: {}: {}", refused.plan_name, refused.reason)).collect();
    lines.join("\n")
}
