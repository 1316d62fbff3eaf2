//! Findings as files.

use std::{fs, io, path::Path};

use crate::{Findings, Study};

/// Name of the picture of a study, beside the page that shows it.
pub fn picture(study: &Study) -> String {
    format!("{}.svg", study.id)
}

/// Writes the tables and the picture of a study into a folder that exists, and returns the names of the files.
///
/// # Errors
/// Any error of the file system.
pub fn write(study: &Study, findings: &Findings, folder: &Path) -> io::Result<Vec<String>> {
    let table = |table: &crate::Table| (format!("{}-{}.csv", study.id, table.name()), table.to_csv());
    let figure = findings.figure.iter().map(|figure| (picture(study), figure.to_svg()));
    let files: Vec<(String, String)> = findings.tables.iter().map(table).chain(figure).collect();
    for (name, text) in &files {
        fs::write(folder.join(name), text)?;
    }
    Ok(files.into_iter().map(|(name, _)| name).collect())
}
