//! Where the columns of a measurements file stand.

use std::path::Path;

use inbounds_input::nearest;

use super::super::error::ReconcileError;

/// The columns of a measurements file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Column {
    Node,
    Parent,
    Value,
    Variance,
    Law,
    Scale,
    Fixed,
    Lower,
    Upper,
}

pub(super) const COLUMNS: [(&str, Column); 9] = [
    ("node", Column::Node),
    ("parent", Column::Parent),
    ("value", Column::Value),
    ("variance", Column::Variance),
    ("law", Column::Law),
    ("scale", Column::Scale),
    ("fixed", Column::Fixed),
    ("lower", Column::Lower),
    ("upper", Column::Upper),
];

/// Position of each column in the file; `node` and `value` must be there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout([Option<usize>; COLUMNS.len()]);

impl Layout {
    pub(super) fn of<'h>(path: &Path, header: impl IntoIterator<Item = &'h str>) -> Result<Self, ReconcileError> {
        let mut layout = Self([None; COLUMNS.len()]);
        let wrong = |problem| ReconcileError::Columns { file: path.to_owned(), problem };
        for (position, name) in header.into_iter().enumerate() {
            let Some((_, column)) = COLUMNS.into_iter().find(|(known, _)| *known == name) else {
                let near = nearest(name, COLUMNS.map(|(known, _)| known));
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let known = COLUMNS.map(|(known, _)| known).join(", ");
                return Err(wrong(format!("unknown column `{name}`{near}; the columns are {known}")));
            };
            if layout.0[column as usize].replace(position).is_some() {
                return Err(wrong(format!("the column `{name}` occurs twice")));
            }
        }
        for (name, column) in COLUMNS.iter().filter(|(_, column)| matches!(column, Column::Node | Column::Value)) {
            if layout.position(*column).is_none() {
                return Err(wrong(format!("there is no column `{name}`")));
            }
        }
        Ok(layout)
    }

    pub(super) fn position(self, column: Column) -> Option<usize> {
        self.0[column as usize]
    }
}
