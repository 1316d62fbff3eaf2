//! The files that offices take: a workbook, tables with their metadata, pictures and the methods.
//!
//! What goes into them is laid out as plain data, `Edition`, by the modules of the two kinds of bundles.

mod metadata;
mod workbook;

use std::{fs, path::Path};

use inbounds_bundle::{BundleError, Destination, FileEntry, Language, PartialBundle};
use rust_xlsxwriter::XlsxError;
use thiserror::Error;

use crate::{
    ReportError,
    bundle::{self, Manifest},
    edition::Edition,
    reconcile, release,
};

/// Why there are no files.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The bundle cannot be read.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The files cannot be written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// The workbook holds what Excel has no room for.
    #[error("the workbook cannot be made: {0}")]
    Workbook(#[from] XlsxError),
    /// A picture cannot be drawn as points.
    #[error("the picture `{name}` cannot be drawn: {problem}")]
    Picture {
        /// Its file.
        name: String,
        /// What the drawing said.
        problem: String,
    },
}

/// Writes the files of a bundle into a new folder, complete or not at all, and returns their names.
///
/// `tables.xlsx` has a sheet for each statistic, `estimates.csv` is that of the bundle with its description
/// `estimates.csv-metadata.json` in CSV on the Web beside it, `methods.txt` tells how the numbers were made in the
/// language of the plan or in `language`, and each picture is there as SVG and as PNG. The same bundle gives the same
/// bytes.
///
/// # Errors
/// [`ExportError`]; nothing is left at `out`.
pub fn export(folder: &Path, out: &Path, language: Option<Language>) -> Result<Vec<String>, ExportError> {
    let opened = bundle::open(folder)?;
    let files = opened.files(folder)?;
    let mut edition = match &opened.manifest {
        Manifest::Release(manifest) => release::edition(folder, manifest, &files, language)?,
        Manifest::Reconcile(manifest) => reconcile::edition(folder, manifest)?,
    };
    edition.warnings.extend(files.warning());
    let (_, written) = Destination::claim(out)?.commit(|partial| edition.write(folder, partial))?;
    Ok(written)
}

impl Edition {
    fn write(&self, bundle: &Path, partial: &PartialBundle) -> Result<Vec<String>, ExportError> {
        let estimates = bundle.join("estimates.csv");
        let table = fs::read(&estimates).map_err(|source| ReportError::Unreadable { path: estimates, source })?;
        let mut written: Vec<FileEntry> = vec![
            partial.write("tables.xlsx", &workbook::workbook(self)?)?,
            partial.write("estimates.csv", &table)?,
            partial.write("estimates.csv-metadata.json", &metadata::metadata(self, &table))?,
            partial.write("methods.txt", (self.methods.join(" ") + "\n").as_bytes())?,
        ];
        for (name, figure) in &self.pictures {
            written.push(partial.write(&format!("{name}.svg"), figure.to_svg().as_bytes())?);
            let points = figure.to_png().map_err(|problem| ExportError::Picture { name: name.clone(), problem })?;
            written.push(partial.write(&format!("{name}.png"), &points)?);
        }
        Ok(written.into_iter().map(|file| file.name).collect())
    }
}
