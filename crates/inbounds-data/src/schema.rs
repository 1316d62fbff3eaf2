//! Columns and kinds: what a plan may know of the rows.
//!
//! Reads headers and footers only. A CSV header is trusted to be one, so what can be told from its first line
//! is checked: data in the place of the header would otherwise turn up as column names in messages.

mod arrow_file;
mod columns;
mod derived;
mod gathered;
mod parquet_file;

use std::path::Path;

use arrow::datatypes::{DataType, FieldRef, SchemaRef};
use inbounds_input::FileLocation;

use self::columns::{declare, readers};
use self::derived::derive;
pub(crate) use self::gathered::Gathered;
pub(crate) use self::parquet_file::ParquetSchema;
use crate::folders::FoundFile;
use crate::{
    CellRules, Clip, Column, ColumnTypes, DataError, Derivation, Kind, MemoryRows, PerUnit, RowForm, RowFormat,
    SetColumn, Source, TextLayout, UnitColumn,
    cell_rules::CellReader,
    text::{self, Header},
    zone::Zone,
};

/// The files of a source, opened as far as that is public.
pub(crate) struct Table {
    /// Path as written in the source, for messages.
    pub(crate) path: String,
    pub(crate) format: RowFormat,
    /// True if the kinds of columns that the data state may be used.
    pub(crate) has_types: bool,
    /// Layout of text files.
    pub(crate) text: TextLayout,
    pub(crate) files: Vec<TableFile>,
    /// Those that the files store, then those that their folders name, then those that are made of others.
    pub(crate) columns: Vec<Column>,
    /// Number of columns that the files store.
    pub(crate) stored: usize,
    /// Columns of the files that are gathered in two others, which stand behind those that folders name.
    pub(crate) gathered: Option<Gathered>,
    /// Rules that make the last columns from others.
    derived: Vec<Derivation>,
    /// Readers for the cells of each column, in the order of the columns.
    readers: Vec<CellReader>,
    /// Number of rows that each row stands for.
    pub(crate) frequency: Option<Clip>,
    /// Columns in which a cell holds several answers.
    sets: Vec<SetColumn>,
}

/// One file of a table.
pub(crate) struct TableFile {
    pub(crate) location: FileLocation,
    /// Schema and encodings of a Parquet file.
    pub(crate) parquet: Option<ParquetSchema>,
    /// Rows in memory, which a source has instead of a file.
    pub(crate) rows: Option<MemoryRows>,
    /// Number of record batches of an Arrow file, or in memory.
    pub(crate) batches: usize,
    /// The cells of the columns that its folders name, in their order.
    pub(crate) folders: Vec<Option<String>>,
}

impl Table {
    pub(crate) fn open(source: &Source) -> Result<Self, DataError> {
        let (source_files, format) = match source.format {
            Some(RowFormat::Memory) => {
                (vec![FoundFile { location: Path::new(&source.path).into(), folders: Vec::new() }], RowFormat::Memory)
            }
            _ => source.files()?,
        };
        let mut text = source.text.clone();
        text.check(format).map_err(|problem| DataError::TextLayout { problem })?;
        let stored = match format.form() {
            RowForm::Delimited => open_delimited(&source_files, &mut text, format)?,
            RowForm::JsonLines => open_declared(&source_files, &gathered::declared(source))?,
            RowForm::Arrow => open_typed(&source_files, source.types, |location, file| {
                let (schema, batches) = arrow_file::footer(location)?;
                file.batches = batches;
                Ok(schema)
            })?,
            RowForm::Parquet => open_typed(&source_files, source.types, |location, file| {
                let parquet = file.parquet.insert(ParquetSchema::read(location)?);
                Ok(parquet.metadata.schema().clone())
            })?,
            RowForm::Memory => open_typed(&source_files, source.types, |_, file| {
                let rows = file.rows.insert(source.rows.clone().ok_or(DataError::NoRows)?);
                file.batches = rows.chunks().len();
                Ok(rows.schema().clone())
            })?,
        };
        let (mut files, mut columns) = stored;
        let stored = columns.len();
        // A column in the files has its own cells, whatever their folders are called.
        let is_stored = |name: &str| columns[..stored].iter().any(|column| column.name == name);
        let named: Vec<bool> = source_files[0].columns().map(|name| !is_stored(name)).collect();
        for (file, source_files) in files.iter_mut().zip(&source_files) {
            let cells = source_files.folders.iter().zip(&named).filter(|(_, named)| **named);
            file.folders = cells.map(|((_, cell), _)| cell.clone()).collect();
        }
        let added = source_files[0].columns().zip(&named).filter(|(_, named)| **named);
        columns.extend(added.map(|(name, _)| Column { name: name.to_owned(), kind: Kind::Text }).collect::<Vec<_>>());
        refuse_duplicates(source_files[0].path(), columns.iter().map(|column| column.name.as_str()))?;
        let gathered = Gathered::from_source(source, &mut columns, (stored, format))?;
        declare(&mut columns, source, format)?;
        let derived = derive(&mut columns, source)?;
        let (path, readers) = (source.path.clone(), readers(&columns, source)?);
        let has_types = source.has_types(format);
        let (frequency, sets) = (source.frequency.clone(), source.sets.clone());
        Ok(Self { path, format, has_types, text, files, columns, stored, gathered, derived, readers, frequency, sets })
    }

    /// The declared columns of a source, without its files.
    pub(crate) fn described(source: &Source) -> Result<Self, DataError> {
        let columns = source.declared.iter().map(|(name, kind)| Column { name: name.clone(), kind: *kind });
        let mut columns: Vec<Column> = columns.collect();
        let stored = columns.len();
        let derived = derive(&mut columns, source)?;
        let readers = readers(&columns, source)?;
        let format = source.format.unwrap_or(RowFormat::Csv);
        let path = source.path.clone();
        let (has_types, files) = (source.has_types(format), Vec::new());
        let (text, frequency, sets) = (source.text.clone(), source.frequency.clone(), source.sets.clone());
        let gathered = None;
        Ok(Self { path, format, has_types, text, files, columns, stored, gathered, derived, readers, frequency, sets })
    }

    /// The columns that are taken from the rows of each unit, as a table in memory. Its cells are read already.
    pub(crate) fn of_units(rows: &Self, per_unit: &PerUnit) -> Result<Self, DataError> {
        let column = |column: &UnitColumn| {
            let taken = column.take.column().map(|name| rows.column("per unit", name)).transpose()?;
            Ok(Column {
                name: column.name.clone(),
                kind: column.take.kind(taken.map_or(Kind::Integer, |taken| taken.kind)),
            })
        };
        let columns = per_unit.columns.iter().map(column).collect::<Result<Vec<Column>, DataError>>()?;
        // Cells are read already; what they are compared with is read as they were.
        let reader = |column: &UnitColumn| {
            let position =
                column.take.column().and_then(|name| rows.columns.iter().position(|column| column.name == name));
            let trim = position.is_some_and(|place| rows.reader(place).trims());
            CellReader::new(&CellRules { trim, ..CellRules::default() })
        };
        let readers = per_unit.columns.iter().map(reader).collect();
        let (path, text, stored) = (rows.path.clone(), rows.text.clone(), columns.len());
        let (files, derived) = (Vec::new(), Vec::new());
        let (format, has_types, frequency, sets) = (RowFormat::Memory, true, None, Vec::new());
        let gathered = None;
        Ok(Self { path, format, has_types, text, files, columns, stored, gathered, derived, readers, frequency, sets })
    }

    /// The rows, if a program holds them.
    pub(crate) fn memory(&self) -> Option<&MemoryRows> {
        self.files.iter().find_map(|file| file.rows.as_ref())
    }

    /// `true` for rows that can be read only once.
    pub(crate) fn is_read_once(&self) -> bool {
        self.memory().is_some_and(MemoryRows::is_read_once)
    }

    /// Description of a column in which a cell holds several answers.
    pub(crate) fn set(&self, name: &str) -> Option<&SetColumn> {
        self.sets.iter().find(|set| set.column == name)
    }

    /// The column of that name.
    pub(crate) fn column(&self, place: &'static str, name: &str) -> Result<&Column, DataError> {
        if let Some(gathered) = self.gathered.as_ref().filter(|gathered| gathered.holds(&self.columns, name)) {
            let [names_to, values_to] = [gathered.names, gathered.values].map(|place| self.columns[place].name.clone());
            return Err(DataError::Gathered { place, column: name.to_owned(), names_to, values_to });
        }
        self.columns.iter().find(|column| column.name == name).ok_or_else(|| {
            if self.format == RowFormat::JsonLines {
                return DataError::Undeclared { place, column: name.to_owned(), format: self.format };
            }
            DataError::no_such_column(place, name, self.columns.iter().map(|column| column.name.as_str()))
        })
    }

    /// Reader for the cells of the column at a place.
    pub(crate) fn reader(&self, place: usize) -> &CellReader {
        &self.readers[place]
    }

    /// The place of a column of the table.
    pub(crate) fn place(&self, column: &Column) -> usize {
        self.columns.iter().position(|known| known.name == column.name).expect("a column of the table")
    }

    /// Rule that makes the column at a place from others, if one does.
    pub(crate) fn derived(&self, place: usize) -> Option<&Derivation> {
        self.derived.get(place.checked_sub(self.columns.len() - self.derived.len())?)
    }

    /// Remedy for the use of a column of the wrong kind.
    pub(crate) fn remedy(&self, column: &Column) -> String {
        match column.kind {
            Kind::Text if !self.has_types => {
                format!("{} columns are text unless the source declares their kind", self.format)
            }
            Kind::Date => "take its year or month, or the age at some date, into a column of its own".to_owned(),
            _ => "use another column".to_owned(),
        }
    }
}

impl TableFile {
    /// The path, as messages show it.
    pub(crate) fn path(&self) -> &Path {
        self.location.path()
    }

    fn new(source_files: &FoundFile) -> Self {
        Self { location: source_files.location.clone(), parquet: None, rows: None, batches: 0, folders: Vec::new() }
    }
}

/// Opens files with a header. A separator that the first file names is that of all, unless the layout has one.
fn open_delimited(
    source_files: &[FoundFile],
    layout: &mut TextLayout,
    format: RowFormat,
) -> Result<(Vec<TableFile>, Vec<Column>), DataError> {
    let Header { names: header, separator } = text::header(&source_files[0].location, layout, format)?;
    layout.separator = layout.separator.or(separator);
    for later in &source_files[1..] {
        let other = text::header(&later.location, layout, format)?.names;
        if let Some(field) = (0..header.len().max(other.len())).find(|&i| header.get(i) != other.get(i)) {
            let (first, file) = (source_files[0].path().to_path_buf(), later.path().to_path_buf());
            return Err(DataError::HeaderDisagrees { first, file, field: field + 1 });
        }
    }
    let columns = header.into_iter().map(|name| Column { name, kind: Kind::Text }).collect();
    Ok((source_files.iter().map(TableFile::new).collect(), columns))
}

/// Files without a header: their columns are those that are declared.
///
/// Whether the lines have cells of a column is not known before they are read, so that a folder of its name is refused:
/// one of the two would be left out in silence.
fn open_declared(
    source_files: &[FoundFile],
    declared: &[(String, Kind)],
) -> Result<(Vec<TableFile>, Vec<Column>), DataError> {
    let mut columns: Vec<Column> = Vec::new();
    for (name, _) in declared {
        if source_files[0].columns().any(|folder| folder == name) {
            return Err(DataError::DeclaredFolder { file: source_files[0].path().to_path_buf(), column: name.clone() });
        }
        if columns.iter().all(|column| column.name != *name) {
            columns.push(Column { name: name.clone(), kind: Kind::Text });
        }
    }
    Ok((source_files.iter().map(TableFile::new).collect(), columns))
}

/// Files that have a schema each, which must name the same columns, and give them the same types where these are read.
fn open_typed(
    source_files: &[FoundFile],
    types: ColumnTypes,
    schema: impl Fn(&FileLocation, &mut TableFile) -> Result<SchemaRef, DataError>,
) -> Result<(Vec<TableFile>, Vec<Column>), DataError> {
    let mut files: Vec<TableFile> = source_files.iter().map(TableFile::new).collect();
    let schemas = files.iter_mut().zip(source_files).map(|(file, source_files)| {
        let schema = schema(&source_files.location, file)?;
        refuse_duplicates(source_files.path(), schema.fields().iter().map(|field| field.name().as_str()))?;
        Ok(schema)
    });
    let schemas = schemas.collect::<Result<Vec<SchemaRef>, DataError>>()?;
    for (schema, file) in schemas.iter().zip(&files).skip(1) {
        if let Some(column) = disagreement(&schemas[0], schema, types) {
            let (first, file) = (files[0].path().to_path_buf(), file.path().to_path_buf());
            return Err(DataError::SchemaDisagrees { first, file, column });
        }
    }
    let column = |field: &FieldRef| Column { name: field.name().clone(), kind: kind_of(field.data_type(), types) };
    let columns = schemas[0].fields().iter().map(column).collect();
    Ok((files, columns))
}

/// The kind of a stored column. Where its type may depend on its cells, whatever has a text of its own is read by it: a
/// column without any value too, and times of day. Times of a zone that is not known lie on no day.
fn kind_of(data_type: &DataType, types: ColumnTypes) -> Kind {
    match data_type {
        DataType::Timestamp(_, Some(zone)) if Zone::named(zone).is_none() => Kind::Other,
        DataType::Null | DataType::Time32(_) | DataType::Time64(_) | DataType::Duration(_) | DataType::Interval(_)
            if types == ColumnTypes::Declared =>
        {
            Kind::Text
        }
        _ => Kind::from_data_type(data_type),
    }
}

/// A column in which two schemas differ: by more than the Arrow layout of a text where types are public, and otherwise
/// by whether it has cells that can be read.
fn disagreement(first: &SchemaRef, other: &SchemaRef, types: ColumnTypes) -> Option<String> {
    let same = |a: &DataType, b: &DataType| {
        let (left, right) = (kind_of(a, types), kind_of(b, types));
        match types {
            ColumnTypes::Public => a == b || (left == Kind::Text && right == Kind::Text),
            ColumnTypes::Declared => (left == Kind::Other) == (right == Kind::Other),
        }
    };
    let odd = |left: &SchemaRef, right: &SchemaRef| {
        left.fields().iter().find_map(|field| {
            let twin = right.field_with_name(field.name());
            let agrees = twin.is_ok_and(|twin| same(field.data_type(), twin.data_type()));
            (!agrees).then(|| field.name().clone())
        })
    };
    odd(first, other).or_else(|| odd(other, first))
}

fn refuse_duplicates<'a>(file: &Path, names: impl Iterator<Item = &'a str>) -> Result<(), DataError> {
    let mut seen = std::collections::HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(DataError::DuplicateColumn { file: file.to_path_buf(), column: name.to_owned() });
        }
    }
    Ok(())
}
