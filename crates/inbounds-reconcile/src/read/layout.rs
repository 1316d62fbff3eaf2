//! Where the columns of a measurements file stand.

use std::path::Path;

use inbounds_input::nearest;

use super::super::{error::ReconcileError, tables::OF_ESTIMATES};

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

/// Position of each column in the file. Either `node` is there, or every column that is none of these is an attribute of a table.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    known: [Option<usize>; COLUMNS.len()],
    /// Positions and names of the attributes; empty if nodes are named.
    pub(super) attributes: Vec<(usize, String)>,
}

impl Layout {
    pub(super) fn of<'h>(path: &Path, header: impl IntoIterator<Item = &'h str>) -> Result<Self, ReconcileError> {
        let mut layout = Self { known: [None; COLUMNS.len()], attributes: Vec::new() };
        let wrong = |problem| ReconcileError::Columns { file: path.to_owned(), problem };
        for (position, name) in header.into_iter().enumerate() {
            let twice = match COLUMNS.into_iter().find(|(known, _)| *known == name) {
                Some((_, column)) => layout.known[column as usize].replace(position).is_some(),
                None => {
                    let twice = layout.attributes.iter().any(|(_, other)| other == name);
                    layout.attributes.push((position, name.to_owned()));
                    twice
                }
            };
            if twice {
                return Err(wrong(format!("the column `{name}` occurs twice")));
            }
        }
        let named = layout.position(Column::Node).is_some() || layout.position(Column::Parent).is_some();
        let slip = |name: &str| nearest(name, COLUMNS.map(|(known, _)| known)).filter(|near| named || *near != "node");
        for (_, name) in &layout.attributes {
            let near = slip(name);
            if named || near.is_some() {
                let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                let known = COLUMNS.map(|(known, _)| known).join(", ");
                return Err(wrong(format!("unknown column `{name}`{near}; the columns are {known}")));
            }
        }
        if let Some((_, name)) = layout.attributes.iter().find(|(_, name)| OF_ESTIMATES.contains(&name.as_str())) {
            return Err(wrong(format!("the attribute `{name}` is called like a column of the estimates; rename it")));
        }
        let is_missing = |column| layout.position(column).is_none();
        let no_node = is_missing(Column::Node) && (named || layout.attributes.is_empty());
        let missing = no_node.then_some("node").or_else(|| is_missing(Column::Value).then_some("value"));
        match missing {
            Some(missing) => Err(wrong(format!("there is no column `{missing}`"))),
            None => Ok(layout),
        }
    }

    pub(super) fn position(&self, column: Column) -> Option<usize> {
        self.known[column as usize]
    }

    /// The names of the attributes.
    pub(super) fn attributes(&self) -> Vec<String> {
        self.attributes.iter().map(|(_, name)| name.clone()).collect()
    }
}
