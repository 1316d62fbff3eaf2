//! `frequency` in [data]: rows that stand for several.

use inbounds_core::{Neighbours, Rational};
use inbounds_data::Derivation;
use inbounds_input::document::{Mistakes, Spanned, given, shorten};

use super::columns::declared_row_type;
use crate::plan::read::Draft;
use crate::plan::{Frequency, Kind, Missing, Unit};

const HELP: &str = "write type = \"integer\", and the least and largest number of rows that one row stands for: lower = 0 and upper = 500";

pub(super) fn check(draft: &Draft, mistakes: &mut Mistakes) {
    let Some(column) = draft.frequency() else { return };
    let (role, name) = ("`frequency` in [data]", shorten(&column.value));
    if given(&draft.per_unit).is_some() {
        let message = format!("{role} must be left out with [per_unit], which makes one row of all rows of a unit");
        mistakes.note(&column.span, message, "write the table with one row for each of the rows that it stands for");
        return;
    }
    if let Ok(Ok(Unit::Column { .. } | Unit::OneRow { .. })) = draft.privacy.as_ref().map(|privacy| &privacy.unit) {
        let message =
            format!("{role} must be left out where `unit` names a column: a row stands for rows of one unit then");
        mistakes.note(
            &column.span,
            message,
            "write unit = \"row\", or unit = { max_rows = 5 } for any 5 of the rows that rows stand for",
        );
    }
    let declared = declared_row_type(role, column, "`type`, `lower` and `upper`", draft, mistakes);
    if let Some(kind) = declared.filter(|kind| *kind != Kind::Integer) {
        mistakes.note(&column.span, format!("{role} must name a column of type integer, and `{name}` is {kind}"), HELP);
    }
    if let Ok(Ok(Neighbours::Substitute)) = draft.privacy.as_ref().map(|privacy| privacy.neighbours) {
        let message = format!(
            "{role} must be left out with neighbours = \"substitute\": the sum of clipped numbers is not public"
        );
        mistakes.note(&column.span, message, "write neighbours = \"add-remove\"");
    }
    check_uses(column, draft, mistakes);
    let Some(described) = draft.row_column(&column.value) else { return };
    if let Some(missing) = given(&described.missing)
        && let Missing::Impute(rows) = &missing.value
        && *rows != Rational::ZERO
        && *rows != Rational::ONE
    {
        let message = format!("`missing` of `{name}` must be \"drop\", 0 or 1: {role} gives one person that many rows");
        mistakes.note(&missing.span, message, "write missing = \"drop\", or leave it out");
    }
    let most = Rational::from(i128::from(Frequency::MOST));
    match &described.bounds {
        Err(_) => {}
        Ok(Some(bounds))
            if bounds.lower.value < Rational::ZERO
                || bounds.lower.value > Rational::ONE
                || bounds.upper.value > most =>
        {
            let message =
                format!("{role} needs `lower` 0 or 1 and `upper` at most {}, and `{name}` has others", Frequency::MOST);
            mistakes.note(&bounds.lower.span, message, HELP);
        }
        Ok(Some(_)) => {}
        Ok(None) => {
            let message = format!(
                "{role} needs bounds, and `{name}` has none: they are public, and nobody is read from beyond them"
            );
            mistakes.note(&column.span, message, HELP);
        }
    }
}

/// One person more changes the number of a row, and with it what anything made of that number says of all others in the
/// row.
fn check_uses(frequency: &Spanned<String>, draft: &Draft, mistakes: &mut Mistakes) {
    let own = draft.origins(&frequency.value);
    let is_made_of_it = |name: &str| draft.origins(name).iter().any(|origin| own.contains(origin));
    let help = "a statistic may not read the number of people in a row: one more of them would move all others; read another column";
    for statistic in draft.statistics.iter().flatten() {
        let by = given(&statistic.by).map_or(&[][..], |by| &by.value);
        for column in by.iter().chain(statistic.columns()).filter(|column| is_made_of_it(&column.value)) {
            let message =
                format!("{} must not read `{}`, by `frequency` of [data]", statistic.place, shorten(&column.value));
            mistakes.note(&column.span, message, help);
        }
        if let Some(filter) = given(&statistic.filter) {
            let named = Derivation::Condition(filter.value.clone()).inputs().unwrap_or_default();
            if let Some(column) = named.iter().find(|name| is_made_of_it(name)) {
                let message = format!(
                    "`where` in {} must not read `{}`, by `frequency` of [data]",
                    statistic.place,
                    shorten(column)
                );
                mistakes.note(&filter.span, message, help);
            }
        }
    }
}
