//! The answer of `inbounds peek`: exact numbers, which are not private.

use inbounds_input::document::shorten;
use inbounds_release::peek::{Kind, Peek, PeekedColumn, PeekedFrequency, PeekedSpellings, PeekedUnits};
use serde_json::json;

use super::{Screen, columns::Table, figures::whole, interval};

/// Warning above and below.
const MARK: &str = "NOT PRIVATE. These numbers are exact, for whoever may see the rows themselves:\n\
                    do not publish, send or keep them.";

/// Exact counts of how the rows are read.
pub(crate) fn peek(peeked: &Peek, screen: Screen) -> String {
    let mut parts = vec![MARK.to_owned(), screen.prose(&rows(peeked))];
    parts.extend(peeked.counting.as_ref().map(|counting| screen.prose(&units(counting, peeked.rows))));
    // Spellings are counted where they are written.
    let words = if peeked.frequency.is_some() { ["line", "lines"] } else { ["row", "rows"] };
    let unusable = |one: &PeekedColumn| {
        let (others, remedy) = (one.others.as_ref()?, remedy_of_number(one.column_type));
        Some(screen.prose(&spellings(&one.column, (others, words), remedy)?))
    };
    if let Some(frequency) = &peeked.frequency {
        let shown = numbers(std::slice::from_ref(&frequency.column));
        parts.push(format!("Lines by what they stand for\n{}", screen.table_with_notes(&shown, &stand_for(frequency))));
        parts.extend(unusable(&frequency.column));
    }
    if !peeked.listed.is_empty() {
        let shown = Table::default()
            .words("keys of", &peeked.listed, |one| one.column.clone())
            .figures("listed", &peeked.listed, |one| count(one.listed))
            .figures("not listed", &peeked.listed, |one| count(one.unlisted))
            .figures("empty", &peeked.listed, |one| count(one.empty));
        let listing_missing = peeked.listed.iter().filter(|one| one.lists_missing);
        let listing_missing: Vec<String> = listing_missing.map(|one| format!("`{}`", one.column)).collect();
        let note = match listing_missing.is_empty() {
            true => "Not listed: another value, or a code for missing.".to_owned(),
            false => format!(
                "Not listed: another value, or a code for missing. Where `missing` is listed, as of {}, empty cells and codes \
                 for missing are listed.",
                listing_missing.join(" and ")
            ),
        };
        parts.push(format!("Rows by their keys\n{}", screen.table_with_notes(&shown, &note)));
        parts.extend(peeked.listed.iter().filter_map(|one| {
            let (others, remedy) = (one.others.as_ref()?, remedy_of_key(one.column_type));
            let sentence = match one.answers {
                true => answers(&one.column, others),
                false => spellings(&one.column, (others, words), remedy),
            };
            Some(screen.prose(&sentence?))
        }));
    }
    if !peeked.columns.is_empty() {
        let shown = numbers(&peeked.columns);
        let note = "Unreadable: no number, or a code for missing; it counts as missing.";
        parts.push(format!("Rows by their numbers\n{}", screen.table_with_notes(&shown, note)));
        parts.extend(peeked.columns.iter().filter_map(unusable));
    }
    parts.push(MARK.to_owned());
    parts.join("\n\n")
}

/// Numbers of columns beside their bounds.
fn numbers(columns: &[PeekedColumn]) -> Table {
    Table::default()
        .words("numbers of", columns, |one| one.column.clone())
        .words("bounds", columns, |one| interval(one.bounds.0, one.bounds.1))
        .figures("below", columns, |one| count(one.below))
        .figures("within", columns, |one| count(one.within))
        .figures("above", columns, |one| count(one.above))
        .figures("empty", columns, |one| count(one.empty))
        .figures("unreadable", columns, |one| count(one.unreadable))
}

/// The rows that lines stand for which have no number within the bounds.
fn stand_for(frequency: &PeekedFrequency) -> String {
    let (lower, upper) = frequency.column.bounds;
    let missing = match frequency.missing {
        Some(rows) => format!("stands for {rows}"),
        None => "is left out".to_owned(),
    };
    format!(
        "A line below the bounds stands for {lower}, one above them for {upper}. One that is empty or unreadable {missing}. \
         Unreadable: no number, or a code for missing."
    )
}

/// Advice on cells that are no listed key, in a column of this type.
fn remedy_of_key(column_type: Kind) -> &'static str {
    match column_type {
        Kind::Text => {
            "List what is a key, or say what it stands for with `recode`; of cells with several answers write type = \"set\"."
        }
        Kind::Integer => {
            "List what is a key. Say what stands beside a number with `marks`, which cells are numbers with `numbers`, and which \
             are missing with `missing_values`."
        }
        Kind::Boolean => TRUTH,
        // Cells of these types are no keys.
        Kind::Number | Kind::Date | Kind::Other => "List what is a key.",
    }
}

/// Advice on cells that are no number, in a column of this type.
fn remedy_of_number(column_type: Kind) -> &'static str {
    match column_type {
        Kind::Integer | Kind::Number => {
            "Say what stands beside a number with `marks`, which cells are numbers with `numbers`, and which are missing with \
             `missing_values`."
        }
        Kind::Boolean => TRUTH,
        // Cells of these types are no numbers.
        Kind::Text | Kind::Date | Kind::Other => "Say which cells are missing with `missing_values`.",
    }
}

/// Advice on cells that are neither true nor false.
const TRUTH: &str = "Say which cells are missing with `missing_values`. Where others stand for true or false, write type = \"text\" \
                     and make a column of it with `recode`, 1 for true and 0 for false.";

/// The cells of a column that the plan cannot use, counted in words for one and several, and what can be done; nothing
/// where there are none.
fn spellings(
    column: &str,
    (others, [one, several]): (&PeekedSpellings, [&'static str; 2]),
    remedy: &str,
) -> Option<String> {
    let listed = named(others)?;
    let word = by_number(others.rows, one, several);
    Some(format!("The plan cannot use {} {word} of `{column}`: {listed}. {remedy}", count(others.rows)))
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
    let (rows, rows_were) = (count(peeked.rows), by_number(peeked.rows, "row was", "rows were"));
    let read = match (&peeked.per_unit, &peeked.frequency) {
        (Some(entry), _) => {
            let units_were = by_number(peeked.rows, "unit was", "units were");
            format!("{}\n{rows} {units_were} read, each of them one row", entry.sentence())
        }
        (None, Some(frequency)) => format!(
            "{} {} read. By `{}` they stand for {rows} {}, which the tables of rows count",
            count(frequency.lines),
            by_number(frequency.lines, "line was", "lines were"),
            frequency.column.column,
            by_number(peeked.rows, "row", "rows"),
        ),
        (None, None) => format!("{rows} {rows_were} read"),
    };
    match (peeked.public_rows, peeked.expected_rows) {
        (Some(rows), _) => format!("{read}; the plan says {}.", count(rows)),
        (None, Some((lower, upper))) => format!("{read}; the plan expects {} to {}.", count(lower), count(upper)),
        (None, None) => format!("{read}."),
    }
}

/// One of two words, by a number.
fn by_number(rows: u64, one: &'static str, several: &'static str) -> &'static str {
    if rows == 1 { one } else { several }
}

fn units(counting: &PeekedUnits, read: u64) -> String {
    let (column, most) = (&counting.column, count(counting.max_rows));
    let rows = by_number(counting.max_rows, "row", "rows");
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
