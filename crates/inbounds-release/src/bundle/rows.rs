//! What the rows of a table are of.

use inbounds_bundle::KindWord;

use crate::{Label, Released, plan::Plan};

/// The unit of what is in that of its statistic.
pub(super) const OWN_UNIT: &str = "unit of the statistic, see release.json";

/// What a row of a table is of.
pub(super) struct Row<'a> {
    pub(super) statistic: &'a str,
    pub(super) kind: KindWord,
    pub(super) columns: &'a [String],
    pub(super) label: Label<'a>,
}

/// The rows of some numbers of a statistic.
pub(super) fn rows_of<'a>(
    plan: &'a Plan,
    released: &'a Released,
    labels: Vec<Label<'a>>,
) -> impl Iterator<Item = Row<'a>> + use<'a> {
    let described = &plan.statistics[released.task.index];
    let (statistic, kind) = (described.name.value.as_str(), described.kind.word());
    let columns = released.task.key_columns();
    labels.into_iter().map(move |label| Row { statistic, kind, columns, label })
}
