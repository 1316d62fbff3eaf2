//! The columns of units are taken from columns of the rows, whose types must suit what is taken.

use inbounds_input::document::{Mistakes, given, shorten};

use super::columns::declared_row_type;
use crate::plan::read::{ColumnDraft, Draft, per_unit};
use crate::plan::{Kind, PerUnitWord, TakenPerUnit, per_unit::adds_without_bounds};

pub(super) fn check(draft: &Draft, mistakes: &mut Mistakes) {
    for column in draft.per_unit.iter().flatten().flatten() {
        if let Some(taken) = given(&column.per_unit) {
            check_taken(column, taken, draft, mistakes);
        }
    }
}

fn check_taken(column: &ColumnDraft, taken: &TakenPerUnit, draft: &Draft, mistakes: &mut Mistakes) {
    let header = per_unit::header(&column.name.value);
    let take = taken.take.value;
    if let Some(order) = &taken.order {
        let declared = declared_row_type(&format!("`order` in {header}"), order, "`type`", draft, mistakes);
        if let Some(declared) = declared.filter(|declared| matches!(declared, Kind::Text | Kind::Boolean)) {
            let message = format!(
                "`order` in {header} must name numbers or dates, but `{}` is of type {declared}",
                shorten(&order.value)
            );
            mistakes.note(&order.span, message, "if it holds dates or numbers as text, declare them with `type`");
        }
    }
    let Some(from) = &taken.from else { return };
    let declared = declared_row_type(&format!("`from` in {header}"), from, "`type`", draft, mistakes);
    if let Some(declared) = declared.filter(|declared| !suits(take, *declared)) {
        let needs = if take.adds() { "of numbers or of true and false" } else { "of true and false" };
        let message = format!(
            "take = \"{take}\" in {header} needs a column {needs}, but `{}` is of type {declared}",
            shorten(&from.value)
        );
        mistakes.note(&from.span, message, "name another column, or take something else");
        return;
    }
    let bounded = |column: &ColumnDraft| column.bounds != Ok(None);
    if take.adds()
        && declared == Some(Kind::Number)
        && !bounded(column)
        && !draft.row_column(&from.value).is_some_and(bounded)
    {
        mistakes.note_mistake(adds_without_bounds(&column.name, &from.value));
    }
}

/// `true` if this can be taken from a column of a type.
fn suits(take: PerUnitWord, declared: Kind) -> bool {
    match take {
        PerUnitWord::Sum | PerUnitWord::Mean => matches!(declared, Kind::Integer | Kind::Number | Kind::Boolean),
        PerUnitWord::Any | PerUnitWord::All => declared == Kind::Boolean,
        PerUnitWord::Rows | PerUnitWord::Min | PerUnitWord::Max | PerUnitWord::First | PerUnitWord::Last => true,
    }
}
