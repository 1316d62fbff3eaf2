//! The page of a release.

mod cost;
mod estimates;
mod headline;
mod matrix;
mod mechanism;
mod names;
mod sections;
mod statistic;
pub(crate) mod technical;
mod views;
pub(crate) mod words;

use std::path::Path;

use inbounds_bundle::{Notice, ReleaseManifest, StatisticEntry};

use names::Names;

use crate::{
    ReportError,
    document::{self, Page},
    files::Files,
};

/// Lays out the page.
pub(crate) fn page(folder: &Path, manifest: &ReleaseManifest, files: &Files) -> Result<Page, ReportError> {
    let names = Names::of(manifest);
    let cells = estimates::read(&folder.join("estimates.csv"), manifest, &names)?;
    let mut sections = vec![headline::section(manifest, &names, &cells)];
    let statistics = manifest.statistics.iter().zip(&cells).enumerate();
    sections.extend(statistics.map(|(index, (statistic, cells))| statistic::section(index, statistic, &names, cells)));
    sections.extend(manifest.diagnostics.as_ref().map(sections::diagnostics));
    sections.extend([sections::guarantee(manifest), sections::budget(manifest, &names)]);
    sections.push(sections::caveats(manifest));
    sections.push(files.section(words::citation(manifest, &files.digest)));
    let page = Page {
        title: manifest.title.clone().unwrap_or_else(|| "A release of statistics".to_owned()),
        kind: "Differentially private release",
        lead: words::lead(manifest),
        warnings: if manifest.private { vec![] } else { vec![manifest.guarantee.words.clone()] },
        facts: words::facts(manifest),
        notices: notices(manifest, &names),
        sections,
        program: manifest.program.to_string(),
        source: document::OF_BUNDLE,
    };
    Ok(page.warned(files))
}

/// What to know before using the numbers, of all statistics.
fn notices(manifest: &ReleaseManifest, names: &Names) -> Vec<(String, String, Vec<String>)> {
    let of = |(index, statistic): (usize, &StatisticEntry)| {
        let sentences: Vec<String> = statistic.notices.iter().map(Notice::sentence).collect();
        (!sentences.is_empty()).then(|| (statistic::anchor(index), names.statistic(statistic).to_owned(), sentences))
    };
    manifest.statistics.iter().enumerate().filter_map(of).collect()
}
