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

use super::{error::ReconcileError, options::Options, sheet::Sheet};

/// Reads a measurements file, CSV or Parquet by its extension. `nesting` are the attributes that lie in another, each
/// with that.
pub(super) fn read(path: &Path, options: &Options, nesting: &[(String, String)]) -> Result<Sheet, ReconcileError> {
    let format = Format::of(path).ok_or_else(|| ReconcileError::UnknownFormat { file: path.to_owned() })?;
    let sheet = Sheet::new(path, format);
    match format {
        Format::Csv => csv::read(path, options, sheet)?,
        Format::Parquet => parquet::read(path, options, sheet)?,
    }
    .finish(nesting)
}
