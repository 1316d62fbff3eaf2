//! What a source says of the columns of its files: declared kinds, spellings of cells.

use super::Column;
use crate::cell_rules::CellReader;
use crate::{CellRules, DataError, Kind, RowFormat, Source};

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

/// Applies the declared kinds to columns. Parquet columns have one, and must be readable as the other.
pub(super) fn declare(columns: &mut [Column], declared: &[(String, Kind)], format: RowFormat) -> Result<(), DataError> {
    for (index, (name, kind)) in declared.iter().enumerate() {
        let refuse = |problem| DataError::Declaration { column: name.clone(), problem };
        if declared[..index].iter().any(|(earlier, _)| earlier == name) {
            return Err(refuse("is declared twice"));
        }
        let Some(position) = columns.iter().position(|column| column.name == *name) else {
            let known = columns.iter().map(|column| column.name.as_str());
            return Err(DataError::no_such_column("declared", name, known));
        };
        let column = &mut columns[position];
        match (format.has_types(), *kind, column.kind) {
            (false, Kind::Other, _) => return Err(refuse("must be integer, number, text, boolean or date")),
            (false, declared, _) => column.kind = declared,
            // Every integer is a number; the file's own type, which is narrower, is kept.
            (true, Kind::Number, Kind::Integer) => {}
            (true, declared, actual) if declared.reads(actual) => column.kind = declared,
            (true, declared, actual) => {
                return Err(DataError::DeclaredKind { column: name.clone(), declared, actual });
            }
        }
    }
    Ok(())
}
