//! The cells of a grouped statistic must be public: listed in the plan or in a key file, unless noise decides which are
//! shown.

use crate::plan::{
    Cells, Fit, MarginShares, Plan, largest_margins,
    possible::OfDraft,
    read::{Draft, StatisticDraft},
};
use inbounds_input::document::{Mistakes, Spanned, given, shorten};
use inbounds_project::table::Axes;

/// Most cells a statistic may list through its columns' values.
const MOST_CELLS: u128 = Plan::MOST_CELLS as u128;

/// Most cells of a table with margins whose columns are made of one another.
const MOST_LINKED: u128 = crate::levels::MOST_LINKED as u128;

pub(super) fn check(statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let place = &statistic.place;
    let by = match (&statistic.by, given(&statistic.keys)) {
        (Ok(Some(by)), _) => by,
        (Ok(None), Some(keys)) => {
            let message =
                format!("`keys` in {place} must come with `by`: a key file lists the values of grouping columns");
            mistakes.note(&keys.span, message, "add `by`, or remove `keys`");
            return;
        }
        _ => return,
    };
    check_unit(by, statistic, draft, mistakes);
    // A wrong `keys` has been noted; whether the columns list their values is then beside the point.
    if statistic.keys == Ok(None) && !statistic.learns_keys() {
        check_listed(by, &by.value, statistic, draft, mistakes);
    } else if let (Some(_), Some(levels), Some(_)) =
        (given(&statistic.keys), given(&statistic.levels), given(&statistic.margins))
        && let Some(last) =
            by.value.iter().position(|column| levels.value.last().is_some_and(|last| last.value == column.value))
    {
        // The file lists places; the tables at each have all combinations of listed values.
        check_listed(by, &by.value[last + 1..], statistic, draft, mistakes);
    }
}

fn check_unit(by: &Spanned<Vec<Spanned<String>>>, statistic: &StatisticDraft, draft: &Draft, mistakes: &mut Mistakes) {
    let unit = draft.privacy.as_ref().ok().and_then(|privacy| privacy.unit.as_ref().ok()?.column());
    let Some(unit) = unit else { return };
    for column in by.value.iter().filter(|column| column.value == unit.value) {
        let message = format!(
            "`by` in {} must not name `{}`: it is the privacy unit, and each cell would be one unit",
            statistic.place,
            shorten(&column.value)
        );
        mistakes.note(&column.span, message, "group by another column");
    }
}

/// The columns that list their values do, and their combinations are not too many.
fn check_listed(
    by: &Spanned<Vec<Spanned<String>>>,
    listed: &[Spanned<String>],
    statistic: &StatisticDraft,
    draft: &Draft,
    mistakes: &mut Mistakes,
) {
    if draft.columns.is_err() {
        return;
    }
    // How many values each column has; one for those of which it is not known.
    let mut sizes = vec![1u128; listed.len()];
    for (size, name) in sizes.iter_mut().zip(listed) {
        let declared = draft.column(&name.value);
        // A column that must be declared and is not has been noted as such.
        if declared.is_none() && !draft.may_be_undeclared() {
            continue;
        }
        match declared.map(|column| &column.values) {
            Some(Ok(Some(values))) => *size = values.len() as u128,
            Some(Err(_)) => {}
            Some(Ok(None)) | None => {
                let shown = shorten(&name.value);
                let message = format!(
                    "`by` in {} needs the possible values of `{shown}`, and the plan has none",
                    statistic.place
                );
                let help = format!("add `values` to {}, or a public key file with `keys`", draft.header(&name.value));
                let help = if statistic.kind.as_ref().is_ok_and(|kind| kind.entry.learns_keys) {
                    format!("{help}, or learn_keys = true")
                } else {
                    help
                };
                mistakes.note(&name.span, message, help);
            }
        }
    }
    match possible(listed, statistic, draft).filter(|cells| !cells.are_all() || cells.number() == 0) {
        Some(cells) => check_possible(by, &cells, statistic, mistakes),
        None => check_number(by, &sizes, statistic, draft, mistakes),
    }
}

/// The cells that there can be, where all columns list values.
fn possible(by: &[Spanned<String>], statistic: &StatisticDraft, draft: &Draft) -> Option<Cells> {
    let listed = |name: &Spanned<String>| {
        let values = given(&draft.column(&name.value)?.values)?;
        Some(values.iter().map(|value| value.value.clone()).collect())
    };
    let listed = by.iter().map(listed).collect::<Option<Vec<_>>>()?;
    let columns: Vec<&str> = by.iter().map(|column| column.value.as_str()).collect();
    let files = given(&statistic.possible).map_or(&[][..], |files| &files.value);
    let cells = Cells::new(&columns, listed, &OfDraft(draft));
    Some(files.iter().fold(cells, |cells, file| cells.restricted(&columns, file)))
}

/// `true` if some combinations of values may be no cells: a file lists them, or columns are derived from each other.
pub(super) fn lacks_some(statistic: &StatisticDraft, draft: &Draft) -> bool {
    let is_listed = given(&statistic.keys).is_some();
    is_listed
        || given(&statistic.by)
            .and_then(|by| possible(&by.value, statistic, draft))
            .is_some_and(|cells| !cells.are_all())
}

/// Where columns are made of one another, the combinations that there can be are counted.
fn check_possible(
    by: &Spanned<Vec<Spanned<String>>>,
    cells: &Cells,
    statistic: &StatisticDraft,
    mistakes: &mut Mistakes,
) {
    let place = &statistic.place;
    let has_margins = given(&statistic.margins).is_some() && given(&statistic.levels).is_none();
    if let Some(shares) = given(&statistic.margin_shares)
        .filter(|shares| has_margins && !matches!(shares.value, MarginShares::Even | MarginShares::Given(_)))
    {
        let message = format!("`margin_shares` in {place} must be parts where columns of `by` are made of one another");
        mistakes.note(
            &shares.span,
            message,
            "leave it out for equal parts, or write parts that add up to 1, one a margin",
        );
    }
    if let Some(fit) = given(&statistic.fit).filter(|fit| has_margins && fit.value != Fit::TopDown) {
        let message = format!("`fit` in {place} must be \"top-down\" where columns of `by` are made of one another");
        mistakes.note(&fit.span, message, "leave `fit` out");
    }
    let number = cells.number();
    if number == 0 {
        let message = format!("`by` in {place} has no cell: no row can have listed values of all of its columns");
        mistakes.note(&by.span, message, "mend the `values` of its columns, or the rules by which they are made");
        return;
    }
    let most = if has_margins { MOST_LINKED } else { MOST_CELLS };
    if number > most {
        let message = format!(
            "`by` in {place} must list at most {most} cells where its columns are made of one another{}, got {number}",
            if has_margins { " and it has `margins`" } else { "" }
        );
        let help = "write a statistic for each grouping, with `levels` from the coarsest column to the finest, or group by fewer columns";
        mistakes.note(&by.span, message, help);
    }
}

/// The cells of a table, or of the margins of which they are counted, must not be too many.
fn check_number(
    by: &Spanned<Vec<Spanned<String>>>,
    sizes: &[u128],
    statistic: &StatisticDraft,
    draft: &Draft,
    mistakes: &mut Mistakes,
) {
    let product = |sizes: &mut dyn Iterator<Item = u128>| sizes.fold(1, u128::saturating_mul);
    let of_margin = |axes: &Axes| product(&mut axes.iter().map(|axis| sizes[axis]));
    let margins = given(&statistic.margins).filter(|_| given(&statistic.levels).is_none());
    let unit = draft.privacy.as_ref().ok().and_then(|privacy| privacy.unit.as_ref().ok());
    // Margins are counted one by one where a unit is one row, which then is in the same cells of all of them.
    let has_one_row = unit.is_none_or(|unit| unit.bound().is_none());
    let largest = margins.filter(|_| has_one_row).and_then(|margins| largest_margins(&margins.value, &by.value));
    let cells = match &largest {
        Some(largest) => largest.iter().map(of_margin).fold(0, u128::saturating_add),
        None => product(&mut sizes.iter().copied()),
    };
    if cells <= MOST_CELLS {
        return;
    }
    let (span, key, help) = match (margins, largest) {
        (Some(margins), Some(_)) => {
            (&margins.span, "margins", "list margins of fewer columns, or of columns with fewer values")
        }
        (Some(_), None) => (
            &by.span,
            "by",
            "write a statistic for each few columns, or make one row of each unit with [per_unit]: with several rows a unit the whole \
             table is counted, since each margin would keep other rows",
        ),
        (None, _) => (
            &by.span,
            "by",
            "group by fewer columns, list the cells that matter in a file with `keys`, or publish the large ones of a count with \
             learn_keys = true and `spurious`; if margins of a few columns are enough, list them in `margins`",
        ),
    };
    let message = format!(
        "`{key}` in {} must list at most {} million cells, got {cells}",
        statistic.place,
        MOST_CELLS / 1_000_000
    );
    mistakes.note(span, message, help);
}
