//! The rows as a table of the engine: our own list of files, our own types, no inference.
//!
//! CSV is read with every column as text and every file in one piece, so that a quoted line break is safe. Text
//! columns of Parquet are read as views, or as dictionaries where they are key columns and every page is
//! dictionary-encoded: then each distinct value is looked up once and no string is copied.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::config::CsvOptions;
use datafusion::common::{Column as ColumnName, Result, TableReference};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{CsvSource, FileGroup, FileScanConfigBuilder, FileSource, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::object_store::path::Path as ObjectPath;
use datafusion::physical_plan::ExecutionPlan;

use super::convert::convert;
use crate::cell_rules::CellReader;
use crate::schema::{ParquetSchema, Table, TableFile};
use inbounds_input::Format;

use crate::{Column, Kind};

/// The Arrow types in which a query reads the columns.
pub(super) struct ScanColumns {
    types: Vec<(String, DataType)>,
    /// Key columns that are read as dictionaries.
    dictionaries: Vec<String>,
    readers: HashMap<String, Arc<CellReader>>,
}

impl ScanColumns {
    /// The types for a query with these key columns.
    pub(super) fn new(table: &Table, keys: &[String]) -> Self {
        let files = || table.files.iter().filter_map(|file| file.parquet.as_ref());
        let encoded = |index: usize| files().all(|file| file.is_dictionary(&table.columns[index].name));
        let mut types = Vec::with_capacity(table.columns.len());
        let mut dictionaries = Vec::new();
        for (index, column) in table.columns.iter().enumerate() {
            let stored = files().next().map(|file| file.arrow.field(index).data_type().clone());
            let data_type = match stored {
                None => DataType::Utf8View,
                Some(ref stored) if is_text(stored) && keys.contains(&column.name) && encoded(index) => {
                    dictionaries.push(column.name.clone());
                    dictionary()
                }
                Some(ref stored) if is_text(stored) => DataType::Utf8View,
                Some(stored) => stored,
            };
            types.push((column.name.clone(), data_type));
        }
        let readers = table.columns.iter().map(|column| (column.name.clone(), table.reader(column))).collect();
        Self { types, dictionaries, readers }
    }

    /// The Arrow type in which a column is read.
    pub(super) fn data_type(&self, column: &Column) -> DataType {
        let found = self.types.iter().find(|(name, _)| *name == column.name);
        found.map(|(_, data_type)| data_type.clone()).expect("a column of the table")
    }

    /// The column itself.
    pub(super) fn raw(&self, column: &Column) -> Expr {
        Expr::Column(ColumnName::new(None::<TableReference>, column.name.clone()))
    }

    /// How the cells of a column are read.
    pub(super) fn reader(&self, column: &Column) -> Arc<CellReader> {
        self.readers.get(&column.name).cloned().expect("a column of the table")
    }

    /// The column as `kind`, parsed or widened where the file has something else, and null where a value is missing.
    pub(super) fn read(&self, column: &Column, kind: Kind) -> Expr {
        let (raw, reader) = (self.raw(column), self.reader(column));
        match kind {
            Kind::Integer if self.data_type(column) == DataType::Int64 && !reader.has_codes() => raw,
            Kind::Boolean if self.data_type(column) == DataType::Boolean => raw,
            Kind::Other => raw,
            _ => convert(raw, kind, reader),
        }
    }

    fn schema(&self) -> SchemaRef {
        let fields = self.types.iter().map(|(name, data_type)| Field::new(name, data_type.clone(), true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// The schema in which the Parquet reader is to deliver one file.
    fn file_schema(&self, file: &ParquetSchema) -> SchemaRef {
        let field = |field: &Arc<Field>| match Kind::of(field.data_type()) {
            Kind::Text if self.dictionaries.contains(field.name()) => {
                Arc::new(field.as_ref().clone().with_data_type(dictionary()))
            }
            Kind::Text => Arc::new(field.as_ref().clone().with_data_type(DataType::Utf8View)),
            _ => field.clone(),
        };
        let fields: Vec<_> = file.arrow.fields().iter().map(field).collect();
        Arc::new(Schema::new_with_metadata(fields, file.arrow.metadata().clone()))
    }
}

fn is_text(stored: &DataType) -> bool {
    Kind::of(stored) == Kind::Text
}

fn dictionary() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8))
}

/// The files of a table under the types of one query.
pub(super) struct Scan {
    table: Arc<Table>,
    columns: ScanColumns,
    schema: SchemaRef,
}

impl Scan {
    pub(super) fn new(table: Arc<Table>, columns: ScanColumns) -> Self {
        let schema = columns.schema();
        Self { table, columns, schema }
    }

    fn source(&self) -> Arc<dyn FileSource> {
        match self.table.format {
            Format::Parquet => Arc::new(ParquetSource::new(self.schema.clone())),
            Format::Csv => {
                let options = CsvOptions {
                    has_header: Some(true),
                    newlines_in_values: Some(true),
                    truncated_rows: Some(false),
                    ..CsvOptions::default()
                };
                Arc::new(CsvSource::new(self.schema.clone()).with_csv_options(options))
            }
        }
    }

    fn file(&self, file: &TableFile) -> Result<PartitionedFile> {
        let size = fs::metadata(&file.path)?.len();
        let mut partitioned = PartitionedFile::new("", size);
        partitioned.object_meta.location = location(&file.path)?;
        partitioned.arrow_schema = file.parquet.as_ref().map(|parquet| self.columns.file_schema(parquet));
        Ok(partitioned)
    }
}

fn location(path: &Path) -> Result<ObjectPath> {
    Ok(ObjectPath::from_filesystem_path(path).map_err(datafusion::object_store::Error::from)?)
}

impl std::fmt::Debug for Scan {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Scan").field("path", &self.table.path).finish_non_exhaustive()
    }
}

#[async_trait]
impl TableProvider for Scan {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        _filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let files = self.table.files.iter().map(|file| self.file(file)).collect::<Result<Vec<_>>>()?;
        let groups = FileGroup::new(files).split_files(session.config().target_partitions());
        let config = FileScanConfigBuilder::new(ObjectStoreUrl::local_filesystem(), self.source())
            .with_file_groups(groups)
            .with_projection_indices(projection.cloned())?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(config))
    }
}
