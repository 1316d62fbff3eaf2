//! The answer of `inbounds design`.

use inbounds_release::design::{DesignQuestion, Designed, RuleErrors, RuleRow};

use super::{figures::figure, table};

/// Rows of a rule that are shown; the file and `--json` have all.
const SHOWN: usize = 12;

/// What the rule attains, against the clamp and the best possible, and where it bends.
pub(crate) fn design(question: &DesignQuestion, designed: &Designed) -> String {
    let errors = |name: &str, errors: &RuleErrors| {
        let figures = [errors.worst_bias, errors.worst_mse.sqrt(), errors.mean_mse.sqrt()];
        std::iter::once(name.to_owned()).chain(figures.map(figure)).collect::<Vec<String>>()
    };
    let compared = table(
        &["rule", "worst bias", "worst RMSE", "root mean MSE"],
        1,
        [errors("designed", &designed.errors), errors("clamp", &designed.clamp)],
    );
    // A solver leaves a hair where the end itself is meant.
    let lower = question.lower.to_f64();
    let settled = |x: f64| if (x - lower).abs() < 1e-9 * designed.scale { lower } else { x };
    let row = |row: &RuleRow| vec![figure(row.measurement), figure(settled(row.estimate))];
    let shown = table(&["measurement", "estimate"], 0, designed.rule.iter().take(SHOWN).map(row));
    let more = match designed.rule.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\nand {more} more: name a file with --out, or take --json"),
    };
    let above = match designed.shift_above {
        Some(0.0) => "measurements above stand as they are".to_owned(),
        Some(shift) => format!("measurements above are published less {}", figure(shift)),
        None => "measurements above take the last estimate".to_owned(),
    };
    let upper = question.upper.as_ref().map_or("up".to_owned(), |upper| format!("to {upper}"));
    format!(
        "{} noise of scale {}, range {} {upper} in steps of {}\n{compared}\n{}: {} is {} at best, this rule is within {:.1e} \
         of it ({})\n\n{shown}{more}\nMeasurements below take the first estimate; {above}.",
        designed.law,
        figure(designed.scale),
        question.lower,
        question.step,
        designed.criterion,
        if designed.criterion == "worst-bias" { "the bias" } else { "the mean squared error" },
        figure(designed.lower_bound),
        designed.gap.max(0.0),
        designed.status,
    )
}
