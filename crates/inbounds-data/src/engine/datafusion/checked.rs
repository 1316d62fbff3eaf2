//! A query held against the columns: everything that can be refused is refused here, before a row is read.

use datafusion::logical_expr::{Expr, lit};

use super::bound::Bound;
use super::cells::Shape;
use super::scan::ScanColumns;
use super::{bins, clip, convert, filter, key_index};
use crate::schema::Table;
use crate::{Bins, Clip, Column, ContributionBound, DataError, KeyValue, Keys, Kind, Query, cell_rules::CellReader};

/// A query that passed all checks, in the engine's terms.
pub(super) struct Checked {
    pub(super) scan: ScanColumns,
    pub(super) filter: Option<Expr>,
    pub(super) shape: Shape,
    /// The cell of a row: an `UInt32`, the number of cells for a row that is in none.
    pub(super) cell: Expr,
    /// The steps of each value: an `Int64`, null for a row that does not count.
    pub(super) steps: Vec<Expr>,
    pub(super) bound: Option<Bound>,
}

const NUMERIC: [Kind; 3] = [Kind::Integer, Kind::Number, Kind::Boolean];

impl Checked {
    pub(super) fn new(table: &Table, query: &Query) -> Result<Self, DataError> {
        let shape = Shape { cells: query.cells(), values: query.values.len(), products: query.products.clone() };
        if !shape.fits() {
            return Err(DataError::AnswerSize { cells: shape.cells, sums: shape.sums() });
        }
        let scan = ScanColumns::new(table, query.keys.as_ref().map_or(&[], Keys::columns));
        let columns = Columns { table, scan: &scan };
        let filter = query.filter.as_ref().map(|text| filter::filter(text, table, &scan)).transpose()?;
        let key = query.keys.as_ref().map_or_else(|| Ok(lit(0u32)), |keys| columns.key(keys))?;
        let cell = match &query.bins {
            None => key,
            Some(bins) => columns.cell(bins, key, shape.cells / bins.len())?,
        };
        query.check_values()?;
        let steps = query.values.iter().map(|value| columns.steps(value)).collect::<Result<_, _>>()?;
        let bound = query.bound.as_ref().map(|bound| columns.bound(bound)).transpose()?;
        Ok(Self { scan, filter, shape, cell, steps, bound })
    }
}

/// Refuses a key that no row can have, because its cell would be read as something else.
fn possible(column: &str, key: &KeyValue, reader: &CellReader) -> Result<(), DataError> {
    let found = match key {
        KeyValue::Text(text) => reader.text(text) == Some(text),
        KeyValue::Integer(integer) => !reader.is_whole_code(*integer),
        KeyValue::Boolean(_) => true,
    };
    let problem = || {
        format!(
            "no row can have the key `{key}` of `{column}`: such a cell is missing, or blanks around it are trimmed; \
             remove the key or the blanks"
        )
    };
    if found { Ok(()) } else { Err(DataError::Keys { problem: problem() }) }
}

/// The columns of a table as expressions.
pub(super) struct Columns<'a> {
    pub(super) table: &'a Table,
    pub(super) scan: &'a ScanColumns,
}

impl Columns<'_> {
    fn steps(&self, value: &Clip) -> Result<Expr, DataError> {
        let column = self.column("value", &value.column, &NUMERIC)?;
        Ok(clip::steps(self.numeric(column), column.kind, self.scan.reader(column), value))
    }

    pub(super) fn key(&self, keys: &Keys) -> Result<Expr, DataError> {
        for (place, name) in keys.columns().iter().enumerate() {
            let reader = self.table.reader(self.table.column("keys", name)?);
            keys.rows().iter().try_for_each(|row| possible(name, &row[place], &reader))?;
        }
        let columns = keys.columns().iter().zip(&keys.rows()[0]).map(|(name, value)| {
            let column = self.column("keys", name, &[value.kind()])?;
            Ok((self.scan.raw(column), self.scan.reader(column)))
        });
        Ok(key_index::key_index(keys, columns.collect::<Result<_, _>>()?))
    }

    pub(super) fn cell(&self, bins: &Bins, key: Expr, keys: usize) -> Result<Expr, DataError> {
        let column = self.column("bins", bins.column(), &NUMERIC)?;
        let read = (column.kind, self.scan.reader(column));
        Ok(bins::cell(self.numeric(column), read, bins, key, keys))
    }

    pub(super) fn bound(&self, bound: &ContributionBound) -> Result<Bound, DataError> {
        if bound.rows == 0 {
            return Err(DataError::NoRowsPerUnit { unit: bound.unit.clone() });
        }
        let column = self.column("bound", &bound.unit, &[Kind::Integer, Kind::Text])?;
        let unit = match column.kind {
            Kind::Integer => convert::unit(self.scan.raw(column), self.scan.reader(column)),
            kind => self.scan.read(column, kind),
        };
        Ok(Bound { unit, rows: bound.rows })
    }

    /// A column with numbers; a Boolean may be stored as a text or number until it is read as one.
    fn numeric(&self, column: &Column) -> Expr {
        if column.kind == Kind::Boolean { self.scan.read(column, Kind::Boolean) } else { self.scan.raw(column) }
    }

    fn column(&self, place: &'static str, name: &str, allowed: &[Kind]) -> Result<&Column, DataError> {
        let column = self.table.column(place, name)?;
        if allowed.contains(&column.kind) {
            return Ok(column);
        }
        let required = match allowed {
            [Kind::Integer] => "integer, as its keys are",
            [Kind::Text] => "text, as its keys are",
            [Kind::Boolean] => "boolean, as its keys are",
            [Kind::Integer, Kind::Text] => "integer or text",
            _ => "integer, number or boolean",
        };
        let (column, kind, remedy) = (column.name.clone(), column.kind, self.table.remedy(column));
        Err(DataError::WrongKind { place, column, kind, required, remedy })
    }
}
