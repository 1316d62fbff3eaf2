//! The column that holds the names of gathered columns.

use inbounds_data::{Kind, Longer};
use inbounds_input::document::{Spanned, fill, given};

use super::column::ColumnDraft;
use super::labels::typed;
use crate::plan::KeyValue;

/// Gives the column of names the values that it can have, where the plan does not list them, and a type that these fit.
pub(super) fn complete(longer: Option<&Spanned<Longer>>, columns: &mut [ColumnDraft]) {
    let Some(longer) = longer else { return };
    let Some(column) = columns.iter_mut().find(|column| column.name.value == longer.value.names_to) else { return };
    let typed_all = |kind: Kind| -> Option<Vec<Spanned<KeyValue>>> {
        let one = |name: &String| Some(Spanned::new(typed(name, kind)?, longer.span.clone()));
        longer.value.columns.iter().map(one).collect()
    };
    let declared = given(&column.column_type).map(|kind| kind.value);
    let kinds = declared.map_or(vec![Kind::Integer, Kind::Text], |kind| vec![kind]);
    let Some((kind, values)) = kinds.into_iter().find_map(|kind| Some((kind, typed_all(kind)?))) else { return };
    fill(&mut column.column_type, Some(Spanned::new(kind, longer.span.clone())));
    fill(&mut column.values, Some(values));
}
