//! The answer of `inbounds audit`.

use inbounds_audit::{Audit, Bound, Example, Finding, Reached};
use inbounds_release::plan::Plan;

use super::{Screen, columns::Table, figures::figure, figures::whole};

/// Most rows of a unit that are shown of an example.
const ROWS: usize = 8;

/// The audit in words: attempts, distances from its limits, and findings.
pub(crate) fn audit(plan: &Plan, audit: &Audit, screen: Screen) -> String {
    let title = plan.title.as_ref().map_or_else(String::new, |title| format!("{title}\n"));
    let mut parts = vec![screen.prose(&format!("{title}{}", head(audit)))];
    let reached = Table::default()
        .words_once("statistic", &audit.reached, |one| one.statistic.clone())
        .words(
            "measured",
            &audit.reached,
            |one| if one.vector.is_empty() { "-".to_owned() } else { one.vector.clone() },
        )
        .figures("reached, % of sensitivity", &audit.reached, per_cent);
    parts.push(format!("How far one unit moves exact numbers\n{}", screen.table(&reached)));
    let bounds = Table::default()
        .words("statistic", &audit.bounds, |one| one.statistic.clone().unwrap_or_else(|| "all together".to_owned()))
        .figures("epsilon granted", &audit.bounds, |one| figure(one.claimed))
        .figures("epsilon of the noise", &audit.bounds, |one| figure(one.loss))
        .figures("epsilon seen in the runs", &audit.bounds, |one: &Bound| figure(one.at_least));
    let note = screen.prose(&sampling(audit));
    parts.push(format!("What measurements show of one unit\n{}", screen.table_with_notes(&bounds, &note)));
    parts.extend(audit.findings.iter().map(|finding| finding_text(finding, screen)));
    parts.push(screen.prose(&verdict(audit)));
    parts.join("\n\n")
}

fn head(audit: &Audit) -> String {
    format!(
        "{} tables of made-up rows were read, in pairs that differ in one privacy unit. No row of the data was read.",
        count(audit.tables)
    )
}

/// Rounded down, so that only what is reached is 100 %.
fn per_cent(one: &Reached) -> String {
    let percent = 100.0 * one.reached as f64 / one.calibrated.max(1) as f64;
    if one.reached > one.calibrated {
        format!("{percent:.2} !")
    } else {
        format!("{:.2}", (100.0 * percent).floor() / 100.0)
    }
}

fn sampling(audit: &Audit) -> String {
    let bundles = match audit.bundles {
        0 => "No pair of tables with the same exact numbers was found, so no bundles were compared.".to_owned(),
        1 => "A pair of bundles of tables with the same exact numbers was compared, byte by byte.".to_owned(),
        pairs => {
            format!("{} pairs of bundles of tables with the same exact numbers were compared, byte by byte.", pairs)
        }
    };
    format!(
        "{} releases of each of two tables, seed {}; all lower bounds hold at once with confidence {} %. The noise of {} numbers \
         was held against its law, and that of {} pairs of numbers against each other. {bundles}",
        count(audit.runs.into()),
        audit.seed,
        100.0 * (1.0 - audit.miss),
        whole(audit.laws),
        whole(audit.noise_pairs)
    )
}

fn verdict(audit: &Audit) -> String {
    match audit.findings.len() {
        0 => "Nothing was found. That is no proof: an audit finds what it tries, and epsilon is proved elsewhere."
            .to_owned(),
        1 => "FOUND: one promise is not kept. Do not release by this plan with this program.".to_owned(),
        findings => format!("FOUND: {findings} promises are not kept. Do not release by this plan with this program."),
    }
}

fn finding_text(finding: &Finding, screen: Screen) -> String {
    let sentence = screen.prose(&format!("FOUND: {finding}"));
    match finding.example() {
        None => sentence,
        Some(example) => format!("{sentence}\n{}", tables(example, screen)),
    }
}

/// The two tables: what differs, and the first of what does not.
fn tables(example: &Example, screen: Screen) -> String {
    let part = |name: &str, rows: &[Vec<Option<String>>], all: usize| {
        let shown = rows.iter().take(ROWS).map(|row| line(row)).collect::<Vec<_>>().join("\n");
        let more = all.saturating_sub(rows.len().min(ROWS));
        match (all, more) {
            (0, _) => format!("{name}: no row"),
            (_, 0) => format!("{name}:\n{shown}"),
            _ => format!("{name}:\n{shown}\n    and {} more", whole(more)),
        }
    };
    let parts = [
        format!("  columns: {}", example.columns.join(", ")),
        part("  the unit in one table", &example.one, example.one.len()),
        part("  the unit in the other", &example.other, example.other.len()),
        part("  everybody else, in both", &example.others, example.rows_of_others),
    ];
    screen.prose(&parts.join("\n"))
}

fn line(row: &[Option<String>]) -> String {
    let cells = row.iter().map(|cell| cell.as_ref().map_or_else(|| "(none)".to_owned(), |cell| format!("{cell:?}")));
    format!("    {}", cells.collect::<Vec<_>>().join(", "))
}

fn count(number: u64) -> String {
    usize::try_from(number).map_or_else(|_| number.to_string(), whole)
}
