//! The estimates of a tree or table.

use std::path::Path;

use crate::{
    ReportError,
    cells::{Cells, Columns, Sheet},
    crosses::TOTAL,
};

/// The attributes by which nodes are labelled.
pub(crate) enum Told {
    /// Their parents.
    Tree,
    /// Values of these attributes.
    Table(Vec<String>),
    /// Their names alone.
    List,
}

/// Nodes, and what they are told by; those of upper levels are shown first.
pub(super) fn read(path: &Path) -> Result<(Cells, Told), ReportError> {
    let sheet = Sheet::open(path)?;
    let attributes = sheet.before("node");
    let parent = sheet.find("parent");
    let (node, level, columns) = (sheet.column("node")?, sheet.column("level")?, Columns::find(&sheet)?);
    let (mut cells, mut depth) = (Cells::default(), 0);
    sheet.for_each(|row| {
        let rank = row.required(level)? as u32;
        let shown = cells.shows(rank);
        let value = |column: usize| Some(row.text(column).to_owned()).filter(|value| !value.is_empty());
        let values: Vec<Option<String>> = match (shown, parent) {
            (false, _) => vec![],
            (true, Some(parent)) => vec![value(parent)],
            (true, None) => (0..attributes.len()).map(value).collect(),
        };
        // A cell is called by its values; its name in the file says by a sign which attributes are summed over.
        let of_table = || values.iter().flatten().cloned().collect::<Vec<_>>().join(", ");
        let name = match attributes.is_empty() {
            true => row.text(node).to_owned(),
            false => Some(of_table()).filter(|name| !name.is_empty()).unwrap_or_else(|| TOTAL.to_owned()),
        };
        depth = depth.max(rank);
        let mut cell = columns.cell(row, rank, if shown { vec![name] } else { vec![] })?;
        cell.values = values;
        cells.take(cell);
        Ok(())
    })?;
    let told = match (attributes.is_empty(), parent.is_some() && depth > 0) {
        (false, _) => Told::Table(attributes),
        (true, true) => Told::Tree,
        (true, false) => Told::List,
    };
    Ok((cells.read(), told))
}
