//! The answer of `inbounds design`.

use inbounds_advise::design::{DesignQuestion, Designed, RuleErrors, RuleRow};

use super::{Screen, columns::Table, figures::figure};

/// Rows of a rule that are shown; the file and `--json` have all.
const SHOWN: usize = 12;

/// Errors of the rule, against the clamp and the best possible, and the places where it bends.
pub(crate) fn design(question: &DesignQuestion, designed: &Designed, screen: Screen) -> String {
    let upper = question.upper.as_ref().map_or("up".to_owned(), |upper| format!("to {upper}"));
    let headline = format!(
        "{} noise of scale {}, range {} {upper} in steps of {}",
        designed.law,
        figure(designed.scale),
        question.lower,
        question.step,
    );
    let bound = format!(
        "{}: {} is {} at best, this rule is within {:.1e} of it ({})",
        designed.criterion,
        if designed.criterion == "worst-bias" { "the bias" } else { "the mean squared error" },
        figure(designed.lower_bound),
        designed.gap.max(0.0),
        designed.status,
    );
    format!(
        "{}\n{}\n\n{}",
        screen.prose(&headline),
        screen.table_with_notes(&compared(designed), &bound),
        screen.table_with_notes(&rule(question, designed), &beyond(designed)),
    )
}

fn compared(designed: &Designed) -> Table {
    let rules = [("designed", &designed.errors), ("clamp", &designed.clamp)];
    Table::default()
        .words("rule", &rules, |(name, _)| (*name).to_owned())
        .figures("worst bias", &rules, |(_, errors): &(&str, &RuleErrors)| figure(errors.worst_bias))
        .figures("worst RMSE", &rules, |(_, errors)| figure(errors.worst_mse.sqrt()))
        .figures("root mean MSE", &rules, |(_, errors)| figure(errors.mean_mse.sqrt()))
}

fn rule(question: &DesignQuestion, designed: &Designed) -> Table {
    // A solver leaves a hair where the end itself is meant.
    let lower = question.lower.to_f64();
    let settled = |x: f64| if (x - lower).abs() < 1e-9 * designed.scale { lower } else { x };
    let shown: &[RuleRow] = &designed.rule[..designed.rule.len().min(SHOWN)];
    Table::default()
        .figures("measurement", shown, |row| figure(row.measurement))
        .figures("estimate", shown, |row| figure(settled(row.estimate)))
}

/// Treatment of measurements that are not listed.
fn beyond(designed: &Designed) -> String {
    let more = match designed.rule.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("and {more} more: name a file with --out, or take --json\n"),
    };
    let above = match designed.shift_above {
        Some(0.0) => "measurements above stand as they are".to_owned(),
        Some(shift) => format!("measurements above are published less {}", figure(shift)),
        None => "measurements above take the last estimate".to_owned(),
    };
    format!("{more}Measurements below take the first estimate; {above}.")
}
