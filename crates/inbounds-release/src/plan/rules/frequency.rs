//! `frequency` in [data]: rows that stand for several.

use inbounds_core::Rational;
use inbounds_input::document::{Mistakes, given, shorten};

use super::columns::declared_row_type;
use crate::plan::read::Draft;
use crate::plan::{Frequency, Kind, Unit};

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
    let found = declared_row_type(role, column, "`type`, `lower` and `upper`", draft, mistakes);
    if let Some(kind) = found.filter(|kind| *kind != Kind::Integer) {
        mistakes.note(&column.span, format!("{role} must name a column of type integer, and `{name}` is {kind}"), HELP);
    }
    let Some(described) = draft.row_column(&column.value) else { return };
    let most = Rational::from(i128::from(Frequency::MOST));
    match &described.bounds {
        Err(_) => {}
        Ok(Some(bounds)) if bounds.lower.value < Rational::ZERO || bounds.upper.value > most => {
            let message = format!("{role} needs a column between 0 and {}, and `{name}` is not", Frequency::MOST);
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
