//! A page per paper: what was claimed, what was found, the picture, the command.

use std::fmt::Write;

use crate::{
    Check, Claim, Findings, Paper, Standing, Statement, Study, Verdict, files, registry, statement,
    suite::{Settled, Suite},
};

/// Statements that do not hold as printed, by number.
pub const ERRATA: &str = include_str!("../../../docs/studies/errata.md");

/// The statements of the papers that a suite decides, with their studies and verdicts.
pub fn statements(suite: &Suite) -> String {
    let mut text = format!(
        "# What the papers say\n\nEvery theorem, lemma, proposition, figure, table, printed number and finding of the papers, in \
         this project's words, with the study that computes it and its verdict: *agrees* and *differs* where all numbers of \
         the study on it do, *in part* where some do. {}\n",
        suite.decided(),
    );
    for paper in Paper::ALL {
        let rows: String = statement::by_paper(paper).filter_map(|statement| statement_row(suite, statement)).collect();
        if !rows.is_empty() {
            let head = "| place | section | it says | study | verdict | errata |\n|---|---|---|---|---|---|\n";
            let _ = write!(text, "\n## {}\n\n{head}{rows}", paper.authors());
        }
    }
    text
}

/// A line of the table; none for a statement whose study is not of the suite.
fn statement_row(suite: &Suite, statement: &'static Statement) -> Option<String> {
    let (study, verdict) = match suite.settled(statement)? {
        Settled::Agrees => (ids(statement), "agrees".to_owned()),
        Settled::Differs => (ids(statement), "differs".to_owned()),
        Settled::Partly => (ids(statement), "in part".to_owned()),
        Settled::Skipped => (ids(statement), "not run: its data is missing".to_owned()),
        Settled::Uncomputed(why) => (String::new(), format!("not computed: {why}")),
    };
    let errata: Vec<String> = statement.errata.iter().map(u32::to_string).collect();
    Some(format!(
        "| {} | {} | {} | {study} | {verdict} | {} |\n",
        statement.label,
        statement.section,
        statement.says,
        errata.join(", ")
    ))
}

/// The studies of a statement.
fn ids(statement: &Statement) -> String {
    let ids =
        registry::all().filter(|study| study.statements.contains(&statement)).map(|study| format!("`{}`", study.id));
    ids.collect::<Vec<_>>().join(", ")
}

/// Name of a paper's page.
pub fn name(paper: Paper) -> String {
    format!("{}.md", paper.key())
}

/// Text above the studies of a paper.
pub fn head(paper: Paper) -> String {
    format!(
        "# {}\n\n{}. Computed again by `inbounds study`; this page is its output.\n\n\
         A verdict is *reproduced* if the number found agrees with the claim to the printed digits or, where it is \
         simulated, to four standard errors (s.e.), and *differs* if it contradicts the claim by more. \
         *Holds* marks claims of this project that the paper does not make. The place is where the paper makes the claim; \
         [statements.md](statements.md) lists all that it says. Numbers of errata are those of [errata.md](errata.md).\n",
        paper.authors(),
        paper.citation()
    )
}

/// The section of a study.
pub fn section(study: &Study, findings: &Findings) -> String {
    let mut text =
        format!("\n## {}\n\n`inbounds study run {}`\n\n**Claimed.** {}\n", study.place, study.id, study.claim);
    if let Some(substitute) = &findings.substitute {
        let _ = write!(text, "\n**Not on the paper's data.** {substitute}\n");
    }
    let _ = write!(text, "\n**Found.** {}\n", findings.prose.trim());
    if findings.figure.is_some() {
        let _ = write!(text, "\n![{}: {}]({})\n", study.paper.authors(), study.place, files::picture(study));
    }
    text.push_str(&verdicts(&findings.checks));
    text
}

/// Verdicts: those that differ or are not shown, and all others behind a click where there are many.
fn verdicts(checks: &[Check]) -> String {
    let differs = |check: &Check| matches!(check.verdict, Verdict::Differs { .. });
    let (differ, agree): (Vec<&Check>, Vec<&Check>) = checks.iter().partition(|check| !check.holds() || differs(check));
    let ours = agree.iter().filter(|check| check.verdict == Verdict::Ours).count();
    let counted = |standing: Standing| checks.iter().filter(|check| check.standing() == standing).count();
    let open = match counted(Standing::TooFewReplicates) {
        0 => String::new(),
        open => format!(", {open} with too few replicates to tell"),
    };
    let shown = differ.iter().filter(|check| check.standing() != Standing::TooFewReplicates).count();
    let mut text = format!("\n{} reproduced, {shown} differ, {ours} hold{open}.\n", agree.len() - ours);
    if !differ.is_empty() {
        let _ = write!(text, "\n{}", rows(&differ));
    }
    match agree.len() {
        0 => {}
        1..=10 => {
            let _ = write!(text, "\n{}", rows(&agree));
        }
        _ => {
            let _ = write!(text, "\n<details><summary>What agrees</summary>\n\n{}\n</details>\n", rows(&agree));
        }
    }
    text
}

fn rows(checks: &[&Check]) -> String {
    let head = "| number | place | claimed | found | s.e. | verdict |\n|---|---|---|---|---|---|\n".to_owned();
    checks.iter().fold(head, |text, check| text + &row(check))
}

/// The section of a study that could not run.
pub fn skipped(study: &Study, reason: &str) -> String {
    format!("\n## {}\n\n**Not run.** {reason}\n", study.place)
}

fn row(check: &Check) -> String {
    let error = if check.error > 0.0 { number(check.error, 2) } else { "exact".to_owned() };
    let verdict = match (check.standing(), &check.verdict) {
        (Standing::Fails, _) => "**FAILED**: the numbers do not bear out the verdict".to_owned(),
        (Standing::TooFewReplicates, _) => "too few replicates to tell".to_owned(),
        (Standing::Holds, Verdict::Reproduced { .. }) => "reproduced".to_owned(),
        (Standing::Holds, Verdict::Ours) => "holds".to_owned(),
        (Standing::Holds, Verdict::Differs { why, erratum, .. }) => format!("differs: {why} (erratum {erratum})"),
    };
    let place = check.statement().map_or("this project", |statement| statement.label);
    let (claimed, computed) = (claim(&check.claimed), number(check.computed, 6));
    format!("| {} | {place} | {claimed} | {computed} | {error} | {verdict} |\n", check.quantity)
}

/// A claim in words.
pub fn claim(claim: &Claim) -> String {
    match *claim {
        Claim::Is { value, .. } => number(value, 6),
        Claim::Below(bound) => format!("less than {}", number(bound, 6)),
        Claim::AtMost(bound) => format!("at most {}", number(bound, 6)),
        Claim::Above(bound) => format!("more than {}", number(bound, 6)),
        Claim::AtLeast(bound) => format!("at least {}", number(bound, 6)),
        Claim::Between { low, high } => format!("{} to {}", number(low, 6), number(high, 6)),
    }
}

/// A number with `digits` significant digits, in scientific notation where it is very large or small.
pub fn number(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').expect("scientific notation has an exponent");
    let exponent: i32 = exponent.parse().expect("an exponent is a whole number");
    if !(-5..15).contains(&exponent) {
        return format!("{}e{exponent}", trimmed(mantissa));
    }
    let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
    trimmed(&format!("{value:.decimals$}")).to_owned()
}

/// Without zeros at the end of the decimals.
fn trimmed(number: &str) -> &str {
    if number.contains('.') { number.trim_end_matches('0').trim_end_matches('.') } else { number }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_significant_digits() {
        let formatted =
            [0.0, 1.0, -0.278464542761, 12345.678, 1234567.8, 1.25e-7, 3.0e20].map(|value| number(value, 6));
        assert_eq!(formatted, ["0", "1", "-0.278465", "12345.7", "1234568", "1.25e-7", "3e20"]);
        assert_eq!((number(0.000123456, 2), number(f64::INFINITY, 6)), ("0.00012".to_owned(), "inf".to_owned()));
    }
}
