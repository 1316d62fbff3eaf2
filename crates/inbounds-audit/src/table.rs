//! Tables of rows that are made up, and how they reach the engine: as text of the layout of the plan, or in memory.

use std::{io::Write, path::Path, sync::Arc};

use inbounds_data::{
    ColumnTypes, Kind, MemoryRows, RowForm, RowFormat, TextEncoding, TextLayout,
    arrow::{
        array::{ArrayRef, BooleanArray, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray},
        datatypes::{Field, Schema},
    },
};
use inbounds_release::plan::{Day, Plan};

use crate::{
    AuditError,
    cells::{Candidates, Cell},
};

/// The cells of a row, in the order of the columns.
pub(crate) type Row = Vec<Cell>;

/// Two tables that differ in one privacy unit.
#[derive(Clone, Default)]
pub(crate) struct Pair {
    /// The rows that both have.
    pub(crate) others: Vec<Row>,
    /// The rows of the unit in one of them, none if it is not there.
    pub(crate) left: Vec<Row>,
    /// The rows of the unit in the other.
    pub(crate) right: Vec<Row>,
}

/// One of the two tables of a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

impl Side {
    pub(crate) const BOTH: [Self; 2] = [Self::Left, Self::Right];
}

impl Pair {
    /// The rows of one table. The unit's rows stand among the others, so that order cannot help.
    pub(crate) fn table(&self, side: Side) -> Vec<&Row> {
        let unit = match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        };
        let (before, after) = self.others.split_at(self.others.len() / 2);
        let (first, last) = unit.split_at(unit.len() / 2);
        before.iter().chain(first).chain(after).chain(last).collect()
    }
}

/// Format in which tables reach the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// A file of delimited text.
    Text {
        /// Between fields.
        separator: u8,
        /// Around fields that hold a separator or a line break.
        quote: Option<u8>,
    },
    /// A file of JSON lines.
    Json,
    /// Arrow arrays in memory.
    Memory,
}

impl Form {
    /// The form for the data of a plan.
    pub(crate) fn for_plan(plan: &Plan) -> Self {
        let text = &plan.data.text;
        match plan.data.format.form() {
            RowForm::Delimited => {
                let (separator, quote) = text.signs(plan.data.format);
                Self::Text { separator, quote }
            }
            RowForm::JsonLines => Self::Json,
            RowForm::Arrow | RowForm::Parquet | RowForm::Memory => Self::Memory,
        }
    }

    /// `true` for a cell that can be written and is read back as one cell.
    pub(crate) fn holds(self, cell: &str) -> bool {
        match self {
            Self::Text { separator, quote: None } => {
                !cell.bytes().any(|byte| byte == separator || matches!(byte, b'\n' | b'\r' | 0))
            }
            _ => true,
        }
    }

    /// The plan, of these rows in place of its own.
    ///
    /// # Errors
    /// [`AuditError`] if the file cannot be written.
    pub(crate) fn plan_of(
        self,
        plan: &Plan,
        columns: &[Candidates],
        rows: &[&Row],
        file: &Path,
    ) -> Result<Plan, AuditError> {
        let mut plan = plan.clone();
        // These rows have the columns that others are gathered in.
        plan.data.longer = None;
        let text = match self {
            Self::Memory => {
                let rows = in_memory(columns, rows, plan.data.types)?;
                return Ok(plan.with_rows(rows));
            }
            Self::Text { separator, quote } => delimited(columns, rows, separator, quote)?,
            Self::Json => json_lines(columns, rows),
        };
        let written = std::fs::File::create(file).and_then(|mut file| file.write_all(&text));
        written.map_err(|source| AuditError::Unwritten { path: file.to_owned(), source })?;
        plan.data.path.value = file.to_string_lossy().into_owned();
        // No line of it is left out, and its names are those of the plan.
        let TextLayout { separator, quote, .. } = plan.data.text;
        let header = plan.data.format.is_delimited();
        if plan.data.format.is_decoded() {
            // What such a file is made into before it is read.
            plan.data.format = RowFormat::Csv;
        }
        plan.data.text = TextLayout { separator, quote, encoding: TextEncoding::Utf8, header, ..TextLayout::default() };
        Ok(plan)
    }
}

fn delimited(columns: &[Candidates], rows: &[&Row], separator: u8, quote: Option<u8>) -> Result<Vec<u8>, AuditError> {
    let style = if quote.is_some() { csv::QuoteStyle::Necessary } else { csv::QuoteStyle::Never };
    let mut writer = csv::WriterBuilder::new()
        .delimiter(separator)
        .quote(quote.unwrap_or(b'"'))
        .quote_style(style)
        .from_writer(Vec::new());
    let header = writer.write_record(columns.iter().map(|column| column.name.as_str()));
    let cells = |row: &Row| row.iter().map(|cell| cell.clone().unwrap_or_default()).collect::<Vec<_>>();
    let mut write = |row: &&Row| writer.write_record(cells(row).iter().map(|cell| cell.as_bytes()));
    header.and_then(|()| rows.iter().try_for_each(&mut write)).map_err(AuditError::text)?;
    writer.into_inner().map_err(|error| AuditError::text(error.into_error()))
}

fn json_lines(columns: &[Candidates], rows: &[&Row]) -> Vec<u8> {
    let value = |cell: &Cell, kind: Kind| match (cell, kind) {
        (None, _) => serde_json::Value::Null,
        (Some(text), Kind::Integer | Kind::Number | Kind::Boolean) => {
            serde_json::from_str(text).unwrap_or_else(|_| serde_json::Value::from(text.as_ref()))
        }
        (Some(text), _) => serde_json::Value::from(text.as_ref()),
    };
    let line = |row: &&Row| {
        let cells =
            columns.iter().zip(row.iter()).map(|(column, cell)| (column.name.clone(), value(cell, column.kind)));
        let object: serde_json::Map<String, serde_json::Value> = cells.collect();
        format!("{}\n", serde_json::Value::Object(object))
    };
    rows.iter().map(line).collect::<String>().into_bytes()
}

/// Arrays in the types that a public schema has, in which cells that are none of their kind are nulls; otherwise in
/// those that programs infer from the cells, so that one cell changes the type of its column.
fn in_memory(columns: &[Candidates], rows: &[&Row], types: ColumnTypes) -> Result<MemoryRows, AuditError> {
    let cells = |place: usize| rows.iter().map(move |row| row[place].as_deref());
    let array = |(place, column): (usize, &Candidates)| -> (Field, ArrayRef) {
        let kind = match types {
            ColumnTypes::Public => column.kind,
            ColumnTypes::Declared => inferred(|| cells(place)),
        };
        let array: ArrayRef = match kind {
            Kind::Integer => Arc::new(cells(place).map(|cell| cell?.parse::<i64>().ok()).collect::<Int64Array>()),
            Kind::Number => Arc::new(cells(place).map(|cell| cell?.parse::<f64>().ok()).collect::<Float64Array>()),
            Kind::Boolean => Arc::new(cells(place).map(|cell| cell?.parse::<bool>().ok()).collect::<BooleanArray>()),
            Kind::Date => {
                let days = |cell: Option<&str>| days_since_1970(Day::parse(cell?)?.to_string().as_str());
                Arc::new(cells(place).map(days).collect::<Date32Array>())
            }
            Kind::Text | Kind::Other => Arc::new(cells(place).collect::<StringArray>()),
        };
        (Field::new(&column.name, array.data_type().clone(), true), array)
    };
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.iter().enumerate().map(array).unzip();
    let schema = Arc::new(Schema::new(fields));
    let batch = RecordBatch::try_new(schema.clone(), arrays).expect("as many cells as columns in every row");
    MemoryRows::new("the rows of the audit", schema, &[batch]).map_err(|error| AuditError::Release(error.into()))
}

/// The type that pandas infers: whole numbers, numbers if one is missing or none is a fraction, truth values, or texts.
fn inferred<'c, I: Iterator<Item = Option<&'c str>>>(cells: impl Fn() -> I) -> Kind {
    let all = |is: &dyn Fn(&str) -> bool| cells().flatten().all(is);
    let has_missing = cells().any(|cell| cell.is_none());
    match () {
        () if !has_missing && all(&|cell| cell.parse::<i64>().is_ok()) => Kind::Integer,
        () if all(&|cell| cell.parse::<f64>().is_ok()) => Kind::Number,
        () if !has_missing && all(&|cell| cell.parse::<bool>().is_ok()) => Kind::Boolean,
        () => Kind::Text,
    }
}

/// Days from 1970 to a date of ISO 8601 (Howard Hinnant's algorithm for the proleptic Gregorian calendar).
fn days_since_1970(date: &str) -> Option<i32> {
    let mut parts = date.splitn(3, '-').map(|part| part.parse::<i32>().ok());
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    Some(era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468)
}

#[cfg(test)]
mod tests {
    use super::days_since_1970;

    #[test]
    fn days_are_counted_from_1970() {
        let days = ["1970-01-01", "2000-03-01", "1969-12-31", "2024-02-29"].map(days_since_1970);
        assert_eq!(days, [0, 11_017, -1, 19_782].map(Some));
    }
}
