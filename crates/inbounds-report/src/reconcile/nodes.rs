//! The estimates of a tree.

use std::path::Path;

use crate::{
    ReportError,
    cells::{Cells, Columns, Sheet},
};

/// Nodes; those of upper levels are shown first.
pub(super) fn read(path: &Path) -> Result<Cells, ReportError> {
    let sheet = Sheet::open(path)?;
    let (node, level, columns) = (sheet.column("node")?, sheet.column("level")?, Columns::of(&sheet)?);
    let mut cells = Cells::default();
    sheet.for_each(|row| {
        let rank = row.required(level)? as u32;
        let keys = if cells.shows(rank) { vec![row.text(node).to_owned()] } else { vec![] };
        cells.take(columns.cell(row, rank, keys)?);
        Ok(())
    })?;
    Ok(cells)
}
