//! The answer of `inbounds peek`: exact numbers, which are not private.

use inbounds_input::document::shorten;
use inbounds_release::peek::{Peek, PeekedSpellings, PeekedUnits};
use serde_json::json;

use super::{Screen, columns::Table, figures::whole, interval};

/// Warning above and below.
const MARK: &str = "NOT PRIVATE. These numbers are exact, for whoever may see the rows themselves:\n\
                    do not publish, send or keep them.";

/// Exact counts of how the rows are read.
pub(crate) fn peek(peeked: &Peek, screen: Screen) -> String {
    let mut parts = vec![MARK.to_owned(), rows(peeked)];
    parts.extend(peeked.counting.as_ref().map(|counting| screen.prose(&units(counting, peeked.rows))));
    if !peeked.listed.is_empty() {
        let shown = Table::default()
            .words("keys of", &peeked.listed, |one| one.column.clone())
            .figures("listed", &peeked.listed, |one| count(one.listed))
            .figures("not listed", &peeked.listed, |one| count(one.unlisted))
            .figures("empty", &peeked.listed, |one| count(one.empty));
        let note = "Not listed: another value, or a code for missing.";
        parts.push(format!("Rows by their keys\n{}", screen.table_with_notes(&shown, note)));
        parts.extend(peeked.listed.iter().filter_map(|one| {
            let remedy = "List what is a key, or say what it stands for with `recode`; of cells with several answers write \
                          type = \"set\".";
            let others = one.others.as_ref()?;
            let sentence = if one.answers { answers(&one.column, others) } else { spellings(&one.column, others, remedy) };
            Some(screen.prose(&sentence?))
        }));
    }
    if !peeked.columns.is_empty() {
        let shown = Table::default()
            .words("numbers of", &peeked.columns, |one| one.column.clone())
            .words("bounds", &peeked.columns, |one| interval(one.bounds.0, one.bounds.1))
            .figures("below", &peeked.columns, |one| count(one.below))
            .figures("within", &peeked.columns, |one| count(one.within))
            .figures("above", &peeked.columns, |one| count(one.above))
            .figures("empty", &peeked.columns, |one| count(one.empty))
            .figures("unreadable", &peeked.columns, |one| count(one.unreadable));
        let note = "Unreadable: no number, or a code for missing; it counts as missing.";
        parts.push(format!("Rows by their numbers\n{}", screen.table_with_notes(&shown, note)));
        parts.extend(peeked.columns.iter().filter_map(|one| {
            let remedy = "Say what stands beside a number with `marks`, which cells are numbers with `numbers`, and which are \
                          missing with `missing_values`.";
            Some(screen.prose(&spellings(&one.column, one.others.as_ref()?, remedy)?))
        }));
    }
    parts.push(MARK.to_owned());
    parts.join("\n\n")
}

/// The cells of a column that the plan cannot use, and what can be done; nothing where there are none.
fn spellings(column: &str, others: &PeekedSpellings, remedy: &str) -> Option<String> {
    let listed = named(others)?;
    Some(format!("The plan cannot use {} rows of `{column}`: {listed}. {remedy}", count(others.rows)))
}

/// The answers in the cells of a column that are no options of the plan, with the rows that have them; nothing where
/// there are none.
fn answers(column: &str, others: &PeekedSpellings) -> Option<String> {
    let listed = named(others)?;
    Some(format!(
        "Answers of `{column}` that the plan does not list, and that count in no cell: {listed}. List in `values` what is an \
         answer; an answer that contains the separator is here in parts."
    ))
}

/// The most frequent spellings, with the rows that have them.
fn named(others: &PeekedSpellings) -> Option<String> {
    let named = others.most_frequent.iter().map(|one| format!("`{}` ({})", shorten(&one.cell), count(one.rows)));
    let named: Vec<String> = named.collect();
    let (last, first) = named.split_last()?;
    Some(match (first, others.others) {
        ([], 0) => last.clone(),
        (first, 0) => format!("{} and {last}", first.join(", ")),
        (_, 1) => format!("{} and 1 more spelling", named.join(", ")),
        (_, more) => format!("{} and {} more spellings", named.join(", "), count(more)),
    })
}

fn rows(peeked: &Peek) -> String {
    let read = match &peeked.per_unit {
        None => format!("{} rows were read", count(peeked.rows)),
        Some(entry) => format!("{}\n{} units were read, each of them one row", entry.sentence(), count(peeked.rows)),
    };
    match (peeked.public_rows, peeked.expected_rows) {
        (Some(rows), _) => format!("{read}; the plan says {}.", count(rows)),
        (None, Some((lower, upper))) => format!("{read}; the plan expects {} to {}.", count(lower), count(upper)),
        (None, None) => format!("{read}."),
    }
}

fn units(counting: &PeekedUnits, read: u64) -> String {
    let (column, most) = (&counting.column, count(counting.max_rows));
    let rows = if counting.max_rows == 1 { "row" } else { "rows" };
    match read.saturating_sub(counting.rows) {
        0 => format!("All can count: each has a readable `{column}`, and no unit has more than {most} {rows}."),
        left_out => format!(
            "{} of them are left out, and {} can count: a row needs a readable `{column}`, and at most {most} {rows} of a \
             unit can count. The tables below are of all {} rows.",
            count(left_out),
            count(counting.rows),
            count(read)
        ),
    }
}

fn count(rows: u64) -> String {
    usize::try_from(rows).map_or_else(|_| rows.to_string(), whole)
}

/// The counts as JSON, marked in the same way.
pub(crate) fn peek_json(peeked: &Peek) -> String {
    super::json(&json!({ "not_private": MARK.replace('\n', " "), "counts": peeked }))
}
