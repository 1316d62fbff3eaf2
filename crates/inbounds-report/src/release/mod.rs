//! The page of a release.

mod budget;
mod cost;
mod estimates;
mod headline;
mod matrix;
mod mechanism;
mod names;
mod places;
mod sections;
mod statistic;
pub(crate) mod technical;
mod views;
pub(crate) mod words;

use std::path::Path;

use inbounds_bundle::{Notice, ReleaseManifest, StatisticEntry};
use inbounds_plot::{Figure, Panel};

use names::Names;

pub(crate) use places::Places;

use crate::{
    ReportError,
    cells::Cells,
    document::{self, Page},
    files::Files,
};

/// The cells of each statistic, in the order of the manifest.
pub(crate) fn read(folder: &Path, manifest: &ReleaseManifest) -> Result<Vec<Cells>, ReportError> {
    estimates::read(&folder.join("estimates.csv"), manifest, &Names::of(manifest))
}

/// Lays out the page.
pub(crate) fn page(manifest: &ReleaseManifest, files: &Files, cells: &[Cells]) -> Page {
    let names = Names::of(manifest);
    let mut sections = vec![headline::section(manifest, &names, cells)];
    let statistics = manifest.statistics.iter().zip(cells).enumerate();
    sections.extend(statistics.map(|(index, (statistic, cells))| statistic::section(index, statistic, &names, cells)));
    sections.extend(manifest.diagnostics.as_ref().map(sections::diagnostics));
    sections.extend([sections::guarantee(manifest), budget::section(manifest, &names)]);
    sections.push(sections::caveats(manifest));
    sections.push(files.section(words::citation(manifest, &files.digest)));
    let page = Page {
        title: manifest.title.clone().unwrap_or_else(|| "A release of statistics".to_owned()),
        kind: words::kind(manifest),
        lead: words::lead(manifest),
        warnings: if manifest.private { vec![] } else { vec![manifest.guarantee.words.clone()] },
        facts: words::facts(manifest),
        notices: notices(manifest, &names),
        sections,
        program: manifest.program.to_string(),
        source: document::OF_BUNDLE,
    };
    page.warned(files)
}

/// The estimates of a statistic as one drawing; `None` where there is no such statistic.
pub(crate) fn plot(folder: &Path, manifest: &ReleaseManifest, name: &str) -> Result<Option<Figure>, ReportError> {
    let names = Names::of(manifest);
    let cells = read(folder, manifest)?;
    let Some(index) = manifest.statistics.iter().position(|statistic| statistic.name == name) else {
        return Ok(None);
    };
    let statistic = &manifest.statistics[index];
    let pictures = statistic::pictures(index, statistic, &names, &cells[index]);
    let sizes = || pictures.iter().map(|picture| picture.figure.panel_size);
    let largest = |side: fn((f64, f64)) -> f64| sizes().map(side).fold(0.0, f64::max);
    let panel_size = (largest(|size| size.0), largest(|size| size.1));
    let panels: Vec<Panel> = pictures.into_iter().flat_map(|picture| picture.figure.panels).collect();
    let columns = if panels.len() > 1 { 2 } else { 1 };
    let title = names.statistic(statistic).to_owned();
    Ok(Some(Figure { columns, panel_size, ..Figure::row(title, panels) }))
}

/// What to know before using the numbers, of all statistics.
fn notices(manifest: &ReleaseManifest, names: &Names) -> Vec<(String, String, Vec<String>)> {
    let of = |(index, statistic): (usize, &StatisticEntry)| {
        let sentences: Vec<String> = statistic.notices.iter().map(Notice::sentence).collect();
        (!sentences.is_empty()).then(|| (statistic::anchor(index), names.statistic(statistic).to_owned(), sentences))
    };
    manifest.statistics.iter().enumerate().filter_map(of).collect()
}
