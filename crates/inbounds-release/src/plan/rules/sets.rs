//! Columns of type `set`: several answers in one cell.

use inbounds_input::document::{Mistakes, Spanned, column_header, given, shorten};

use crate::plan::read::{Draft, StatisticDraft};
use crate::plan::{KeyValue, Sharing, Unit};

/// Checks the needs of each column of several answers.
pub(super) fn check_columns(draft: &Draft, mistakes: &mut Mistakes) {
    for column in draft.columns.iter().flatten() {
        let Some(set) = given(&column.set) else { continue };
        let header = column_header(&column.name.value);
        if given(&column.derived).is_some() {
            let message =
                format!("{header} of type set must be a column of the data, whose cells hold several answers");
            mistakes.note(&column.name.span, message, "make it of type text, or name the column that holds them");
        }
        let options = match &column.values {
            Err(_) => continue,
            Ok(Some(options)) => options,
            Ok(None) => {
                let message = format!("{header} of type set must have `values`: the options that a cell can hold");
                mistakes.note(&column.name.span, message, "list the options, such as values = [\"1\", \"2\", \"3\"]");
                continue;
            }
        };
        let is_divided = |option: &&Spanned<KeyValue>| match &option.value {
            KeyValue::Text(text) => text.contains(set.separator.as_str()),
            _ => false,
        };
        if let Some(option) = options.iter().find(is_divided) {
            let message = format!(
                "`values` in {header} must be answers without the separator {:?}, at which cells are divided, got {:?}: no row \
                 would have it",
                set.separator,
                shorten(&option.value.to_string())
            );
            let help = "write another `separator`; where answers contain the separator themselves, list the part of the answer \
                        that no other one has, and call it by its name in `labels`";
            mistakes.note(&option.span, message, help);
        }
        let options = options.len();
        if let Some(most) = set.most.as_ref().filter(|most| most.value > options as u64) {
            let message = format!("`max_options` in {header} must be at most {options}, the number of its options");
            mistakes.note(&most.span, message, "leave it out if a person can choose all of them");
        }
    }
}

/// A set is counted as it stands in the rows: what is taken of a unit is one text.
pub(super) fn check_units(draft: &Draft, mistakes: &mut Mistakes) {
    let is_set = |name: &str| draft.row_column(name).is_some_and(|column| given(&column.set).is_some());
    let taken = draft.per_unit.iter().flatten().flatten().filter_map(|column| given(&column.per_unit)?.from.as_ref());
    for from in taken.filter(|from| is_set(&from.value)) {
        let message = format!("`{}` is of type set, of which [per_unit] can take nothing", shorten(&from.value));
        mistakes.note(&from.span, message, "declare it with type = \"text\", if whole cells are meant");
    }
}

/// Refuses statistics that are impossible by the options of a cell.
pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let is_set = |name: &str| draft.column(name).is_some_and(|column| given(&column.set).is_some());
    let by = given(&statistic.by).map_or(&[][..], |by| &by.value);
    let sets: Vec<_> = by.iter().filter(|column| is_set(&column.value)).collect();
    let Some(set) = sets.first() else { return };
    let (place, name) = (&statistic.place, shorten(&set.value));
    if let Some(second) = sets.get(1) {
        let message =
            format!("`by` in {place} must have one column of type set, got `{name}` and `{}`", shorten(&second.value));
        mistakes.note(&second.span, message, "ask for one of them in each statistic");
    }
    let is_made_of_it =
        |column: &&Spanned<String>| column.value != set.value && draft.origins(&column.value).contains(&set.value);
    if let Some(made) = by.iter().find(is_made_of_it) {
        let made_name = shorten(&made.value);
        let message =
            format!("`by` in {place} must not cross `{name}` with `{made_name}`, which is made of its whole cells");
        mistakes.note(&made.span, message, "group by one of them");
    }
    if statistic.kind.as_ref().is_ok_and(|kind| !kind.entry.adds_up) {
        let message = format!(
            "{place} must be a count, a sum or a mean by `{name}`: a row is in the cell of each of its answers"
        );
        mistakes.note(&set.span, message, "count the rows of each answer, and all rows, and divide");
    }
    for (key, written) in [
        ("levels", given(&statistic.levels).map(|key| &key.span)),
        ("margins", given(&statistic.margins).map(|key| &key.span)),
        ("learn_keys", given(&statistic.learn_keys).filter(|key| key.value.is_some()).map(|key| &key.span)),
    ] {
        if let Some(span) = written {
            let message = format!("`{key}` in {place} must be left out by `{name}`: its cells do not add up to rows");
            mistakes.note(span, message, format!("remove `{key}`, or group by other columns"));
        }
    }
    let privacy = draft.privacy.as_ref();
    if let Ok(Ok(Unit::Column { .. } | Unit::OneRow { .. })) = privacy.map(|privacy| &privacy.unit) {
        let message = format!("`by` in {place} names `{name}`, which holds several answers, and `unit` names a column");
        let help = "with one row a person write unit = \"row\"; with at most k rows unit = { max_rows = k }";
        mistakes.note(&set.span, message, help);
    }
    let options = draft.column(&set.value).map_or(0, |column| given(&column.values).map_or(0, Vec::len)) as u64;
    if let Ok(Ok(Unit::Rows { most })) = privacy.map(|privacy| &privacy.unit)
        && most.value.checked_mul(2 * options.max(1)).is_none()
    {
        let message = format!("`max_rows` in `unit` is too large for the answers of `{name}`");
        mistakes.note(&most.span, message, "write the most rows that one person can have");
    }
    let own = statistic.name.as_ref().map(|name| name.value.as_str()).unwrap_or_default();
    if let Some(Sharing::Named(groups)) = privacy.ok().and_then(|privacy| given(&privacy.together)) {
        let named = groups.iter().flat_map(|group| &group.value).find(|named| named.value == own);
        if let Some(named) = named {
            let message = format!("`together` in [privacy] must not name {place}: a row moves several of its cells");
            mistakes.note(&named.span, message, "remove the name");
        }
    }
}
