//! Measurements, and tables beside them, from files. The files are public, so messages quote them.

mod csv;
mod header;
mod layout;
#[cfg_attr(not(feature = "parquet"), path = "without_parquet.rs")]
mod parquet;
pub(super) mod place;
pub(super) mod text;

use std::path::Path;

use inbounds_input::Format;

use super::{cells::Structure, error::ReconcileError, options::Options, sheet::Sheet};

/// Reads a measurements file, CSV or Parquet by its extension. Its attributes may have a structure.
pub(super) fn read(path: &Path, options: &Options, structure: &Structure) -> Result<Sheet, ReconcileError> {
    let format = Format::from_path(path).ok_or_else(|| ReconcileError::UnknownFormat { file: path.to_owned() })?;
    let sheet = Sheet::new(path, format);
    match format {
        Format::Csv => csv::read(path, options, sheet)?,
        Format::Parquet => parquet::read(path, options, sheet)?,
    }
    .finish(structure)
}
