//! Measurements from CSV: comma-separated UTF-8 with a header line.

use std::{fs::File, path::Path};

use ::csv::{ErrorKind, ReaderBuilder, StringRecord};

use super::{
    super::{
        cells::Cells,
        error::{Problem, ReconcileError},
        options::Options,
        row::{Fixed, Row},
        sheet::Sheet,
    },
    layout::{Column, Layout},
};

pub(super) fn read(path: &Path, options: &Options, mut sheet: Sheet) -> Result<Sheet, ReconcileError> {
    let unreadable = |source| ReconcileError::Unreadable { file: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let mut reader = ReaderBuilder::new().flexible(true).buffer_capacity(1 << 20).from_reader(file);
    let failed = |sheet: &Sheet, error: ::csv::Error| {
        let place = error.position().map_or(0, ::csv::Position::byte);
        match error.into_kind() {
            ErrorKind::Io(source) => unreadable(source),
            _ => sheet.wrong(place, Problem::NotUtf8),
        }
    };
    let header = reader.headers().map_err(|error| failed(&sheet, error))?.clone();
    if header.is_empty() {
        return Err(ReconcileError::Empty { file: path.to_owned() });
    }
    // Some programs put a mark of byte order at the beginning.
    let layout = Layout::from_header(path, header.iter().map(|name| name.trim_start_matches('\u{feff}')), options)?;
    let values = layout.values();
    sheet.states_parents = layout.position(Column::Parent).is_some();
    sheet.tell_cells(layout.attributes(), &options.totals, layout.has_places());
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| failed(&sheet, error))? {
        let place = record.position().map_or(0, ::csv::Position::byte);
        if record.len() != header.len() {
            return Err(sheet.wrong(place, Problem::Fields { found: record.len(), wanted: header.len() }));
        }
        let known = || layout.attributes.iter().map(|&(position, _)| record.get(position).unwrap_or_default());
        for &(value, label) in &values {
            let cell = sheet.read_cell(known().chain(label));
            let at = layout.position(Column::Node).and_then(|node| record.get(node));
            let name = Cells::name_of_row(at, &cell);
            let fields = Fields { layout: &layout, record: &record, name: name.as_deref(), value };
            let row = row(place, &fields).map_err(|problem| sheet.wrong(place, problem))?;
            sheet.add(&row, &cell)?;
        }
    }
    Ok(sheet)
}

struct Fields<'r> {
    layout: &'r Layout,
    record: &'r StringRecord,
    /// The name of a cell of a table.
    name: Option<&'r str>,
    /// Where its measurement stands.
    value: Option<usize>,
}

impl<'r> Fields<'r> {
    /// The field of a column, empty if there is none.
    fn text(&self, column: Column) -> &'r str {
        let position = if column == Column::Value { self.value } else { self.layout.position(column) };
        position.and_then(|position| self.record.get(position)).unwrap_or_default()
    }

    fn node(&self) -> &'r str {
        self.name.unwrap_or_else(|| self.text(Column::Node))
    }

    fn number(&self, column: Column, name: &'static str) -> Result<Option<f64>, Problem> {
        match self.text(column).trim() {
            "" => Ok(None),
            text => text.parse().map(Some).map_err(|_| Problem::Number {
                column: name,
                node: self.node().to_owned(),
                requirement: "a number, or empty",
                found: text.to_owned(),
            }),
        }
    }
}

fn row<'r>(place: u64, fields: &Fields<'r>) -> Result<Row<'r>, Problem> {
    Ok(Row {
        place,
        node: fields.node(),
        at: fields.text(Column::Node),
        parent: fields.text(Column::Parent),
        value: fields.number(Column::Value, "value")?,
        variance: fields.number(Column::Variance, "variance")?,
        law: fields.text(Column::Law).trim(),
        scale: fields.number(Column::Scale, "scale")?,
        fixed: Fixed::parse(fields.text(Column::Fixed), fields.node())?,
        lower: fields.number(Column::Lower, "lower")?,
        upper: fields.number(Column::Upper, "upper")?,
    })
}
