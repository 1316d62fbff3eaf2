//! Statements of a source about the columns of its files: declared kinds, spellings of cells.

use inbounds_core::planted::{Defect, planted};

use crate::cell_rules::CellReader;
use crate::{CellRules, Column, DataError, Kind, RowFormat, Source};

/// One reader for each column.
pub(super) fn readers(columns: &[Column], source: &Source) -> Result<Vec<CellReader>, DataError> {
    for (name, rules) in &source.own_cells {
        if columns.iter().all(|column| column.name != *name) {
            let known = columns.iter().map(|column| column.name.as_str());
            return Err(DataError::no_such_column("cells", name, known));
        }
        check_rules(name, rules)?;
    }
    if let Some(column) = columns.first() {
        check_rules(&column.name, &source.cells)?;
    }
    // A derived value is no cell, and no spelling of it is missing.
    let rules = |column: &Column| {
        let derived = source.derived.iter().any(|derived| derived.name == column.name);
        if derived { CellRules::default() } else { source.rules_of(&column.name).clone() }
    };
    Ok(columns.iter().map(|column| CellReader::new(&rules(column))).collect())
}

fn check_rules(column: &str, rules: &CellRules) -> Result<(), DataError> {
    rules.check().map_err(|problem| DataError::Declaration { column: column.to_owned(), problem })
}

/// Gives columns their kinds: those that the source declares, and to all others that of the schema where it is public,
/// or text.
///
/// A nested column has no cells that could be read, and is [`Kind::Other`] even if a declaration says otherwise.
pub(super) fn declare(columns: &mut [Column], source: &Source, format: RowFormat) -> Result<(), DataError> {
    let (declared, is_public) = (&source.declared, source.has_types(format));
    let stored: Vec<Kind> = columns.iter().map(|column| column.kind).collect();
    if !is_public {
        columns.iter_mut().filter(|column| column.kind != Kind::Other).for_each(|column| column.kind = Kind::Text);
    }
    for (index, (name, kind)) in declared.iter().enumerate() {
        let refuse = |problem| DataError::Declaration { column: name.clone(), problem };
        if declared[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(refuse("is declared twice"));
        }
        let Some(position) = columns.iter().position(|column| column.name == *name) else {
            let known = columns.iter().map(|column| column.name.as_str());
            return Err(DataError::no_such_column("declared", name, known));
        };
        match (*kind, stored[position]) {
            (Kind::Other, _) if !is_public => return Err(refuse("must be integer, number, text, boolean or date")),
            (Kind::Number, Kind::Integer) if planted(Defect::TypesFromCells) => columns[position].kind = Kind::Integer,
            (declared, actual) if declared.reads(actual) || !is_public && actual != Kind::Other => {
                columns[position].kind = declared;
            }
            (declared, actual) => return Err(DataError::DeclaredKind { column: name.clone(), declared, actual }),
        }
    }
    Ok(())
}
