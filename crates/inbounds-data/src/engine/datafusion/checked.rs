//! A query held against the columns: everything that can be refused is refused here, before a row is read.

use datafusion::logical_expr::{Expr, lit};

use super::cells::Shape;
use super::scan::ScanColumns;
use super::{clip, convert, filter, key_index};
use crate::schema::Table;
use crate::{Clip, Column, ContributionBound, DataError, Keys, Kind, Query};

/// A query that passed all checks, in the engine's terms.
pub(super) struct Checked {
    pub(super) scan: ScanColumns,
    pub(super) filter: Option<Expr>,
    pub(super) shape: Shape,
    /// The cell of a row: an `UInt32`, the number of cells for a row that is in none.
    pub(super) cell: Expr,
    /// The steps of each value: an `Int64`, null for a row that does not count.
    pub(super) steps: Vec<Expr>,
    /// The unit of a row and the number of rows that it may have.
    pub(super) bound: Option<(Expr, u64)>,
}

const NUMERIC: [Kind; 3] = [Kind::Integer, Kind::Number, Kind::Boolean];

impl Checked {
    pub(super) fn new(table: &Table, query: &Query) -> Result<Self, DataError> {
        let scan = ScanColumns::new(table, query.keys.as_ref().map_or(&[], Keys::columns));
        let columns = Columns { table, scan: &scan };
        let filter = query.filter.as_ref().map(|text| filter::filter(text, table, &scan)).transpose()?;
        let cell = query.keys.as_ref().map_or_else(|| Ok(lit(0u32)), |keys| columns.key(keys))?;
        query.check_values()?;
        let steps = query.values.iter().map(|value| columns.steps(value)).collect::<Result<_, _>>()?;
        let bound = query.bound.as_ref().map(|bound| columns.bound(bound)).transpose()?;
        let cells = query.keys.as_ref().map_or(1, Keys::len);
        let shape = Shape { cells, values: query.values.len(), products: query.products.clone() };
        if !shape.fits() {
            return Err(DataError::AnswerSize { cells, sums: shape.sums() });
        }
        Ok(Self { scan, filter, shape, cell, steps, bound })
    }
}

/// The columns of a table as expressions.
struct Columns<'a> {
    table: &'a Table,
    scan: &'a ScanColumns,
}

impl Columns<'_> {
    fn steps(&self, value: &Clip) -> Result<Expr, DataError> {
        let column = self.column("value", &value.column, &NUMERIC)?;
        Ok(clip::steps(self.numeric(column), column.kind, value))
    }

    fn key(&self, keys: &Keys) -> Result<Expr, DataError> {
        let columns = keys.columns().iter().zip(&keys.rows()[0]).map(|(name, value)| {
            let column = self.column("keys", name, &[value.kind()])?;
            Ok(self.scan.raw(column))
        });
        Ok(key_index::key_index(keys, columns.collect::<Result<_, _>>()?))
    }

    fn bound(&self, bound: &ContributionBound) -> Result<(Expr, u64), DataError> {
        if bound.rows == 0 {
            return Err(DataError::NoRowsPerUnit { unit: bound.unit.clone() });
        }
        let column = self.column("bound", &bound.unit, &[Kind::Integer, Kind::Text])?;
        let raw = self.scan.raw(column);
        let unit = if column.kind == Kind::Integer { convert::unit(raw) } else { raw };
        Ok((unit, bound.rows))
    }

    /// A column with numbers; a Boolean of a CSV file is a text until it is read as one.
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
