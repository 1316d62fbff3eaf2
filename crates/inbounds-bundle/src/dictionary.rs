//! Columns of texts that repeat, which are in memory once and in files as texts.

use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema};

/// The schema of the values, where texts that repeat are kept once.
pub(crate) fn plain(schema: &Schema) -> Schema {
    let field = |field: &Arc<Field>| field.as_ref().clone().with_data_type(values(field.data_type()).clone());
    Schema::new(schema.fields().iter().map(field).collect::<Vec<Field>>())
}

/// The type of the values of a column.
pub(crate) fn values(kind: &DataType) -> &DataType {
    if let DataType::Dictionary(_, values) = kind { values } else { kind }
}
