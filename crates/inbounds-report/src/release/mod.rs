//! The page of a release.

mod cost;
mod estimates;
mod guess;
mod mechanism;
mod sections;
pub(crate) mod statistic;
pub(crate) mod words;

use std::path::Path;

use inbounds_bundle::ReleaseManifest;

use crate::{ReportError, document::Page, files::Files};

/// Lays out the page.
pub(crate) fn page(folder: &Path, manifest: &ReleaseManifest, files: &Files) -> Result<Page, ReportError> {
    let cells = estimates::read(&folder.join("estimates.csv"), manifest)?;
    let mut sections = vec![sections::released(manifest), sections::guarantee(manifest), sections::budget(manifest)];
    let statistics = manifest.statistics.iter().zip(&cells).enumerate();
    sections.extend(statistics.map(|(index, (statistic, cells))| statistic::section(index, statistic, cells)));
    sections.push(sections::caveats(manifest));
    sections.push(files.section(words::citation(manifest, &files.digest)));
    let page = Page {
        title: manifest.title.clone().unwrap_or_else(|| "A release of statistics".to_owned()),
        kind: "Differentially private release",
        lead: words::lead(manifest),
        warnings: if manifest.private { vec![] } else { vec![manifest.guarantee.words.clone()] },
        facts: words::facts(manifest),
        sections,
        program: manifest.program.to_string(),
    };
    Ok(page.warned(files))
}
