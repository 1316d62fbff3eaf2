//! The page of a release.

mod budget;
mod cost;
mod estimates;
mod figures;
mod headline;
mod maps;
mod matrix;
mod mechanism;
mod names;
mod places;
mod sections;
mod series;
mod statistic;
pub(crate) mod technical;
mod views;
pub(crate) mod words;

use std::path::Path;

use inbounds_bundle::{Language, Notice, ReleaseManifest, StatisticEntry};
#[cfg(feature = "export")]
use inbounds_core::Named;
use inbounds_figures::FiguresMade;
use inbounds_plot::{Figure, Graphic, Panel};

use names::Names;

pub(crate) use maps::Maps;
pub(crate) use places::Places;

#[cfg(feature = "export")]
use crate::edition::{Edition, file_name};
use crate::{
    ReportError,
    cells::Cells,
    document::{self, Block, Page, Section},
    files::Files,
    methods,
};

/// The cells of each statistic, in the order of the manifest.
pub(crate) fn read(folder: &Path, manifest: &ReleaseManifest) -> Result<Vec<Cells>, ReportError> {
    estimates::read(&folder.join("estimates.csv"), manifest, &Names::new(manifest))
}

/// Lays out the page.
pub(crate) fn page(
    manifest: &ReleaseManifest,
    files: &Files,
    (cells, figures, maps): (&[Cells], Option<&FiguresMade>, &Maps),
    language: Option<Language>,
) -> Page {
    let names = Names::new(manifest);
    let language = methods::language(manifest, language);
    let mut sections = vec![headline::section(manifest, &names, cells)];
    let statistics = manifest.statistics.iter().zip(cells).enumerate();
    sections.extend(
        statistics.map(|(index, (statistic, cells))| statistic::section(index, statistic, (&names, maps), cells)),
    );
    sections.extend(figures.map(|made| figures::section(made, manifest.quality.as_ref(), (&names, maps))));
    let paragraph = methods::paragraph(manifest, tell_nothing(cells), &files.digest, language);
    sections.push(Section {
        id: "methods".to_owned(),
        title: methods::speaker(language).heading().to_owned(),
        blocks: vec![Block::Spoken(paragraph)],
    });
    sections.extend(manifest.diagnostics.as_ref().map(sections::diagnostics));
    sections.extend([sections::guarantee(manifest), budget::section(manifest, &names)]);
    sections.push(sections::caveats(manifest));
    sections.push(files.section(words::citation(manifest, &files.digest)));
    let page = Page {
        title: title(manifest),
        kind: words::kind(manifest),
        lead: words::lead(manifest),
        warnings: if manifest.private { vec![] } else { vec![manifest.guarantee.words.clone()] },
        sure: headline::how_sure(manifest, &names, cells, language),
        facts: words::about(manifest),
        notices: notices(manifest, &names),
        sections,
        program: manifest.program.to_string(),
        source: document::OF_BUNDLE,
    };
    page.warned(files)
}

/// Count of numbers whose interval is nearly their whole range.
fn tell_nothing(cells: &[Cells]) -> usize {
    cells.iter().flat_map(|cells| &cells.shown).filter(|cell| cell.tells_nothing).count()
}

fn title(manifest: &ReleaseManifest) -> String {
    manifest.title.clone().unwrap_or_else(|| "A release of statistics".to_owned())
}

/// Published content of a release, for every file format.
#[cfg(feature = "export")]
pub(crate) fn edition(
    folder: &Path,
    manifest: &ReleaseManifest,
    files: &Files,
    language: Option<Language>,
) -> Result<Edition, ReportError> {
    let names = Names::new(manifest);
    let (cells, figures, maps) = (read(folder, manifest)?, FiguresMade::open(folder)?, Maps::read(folder, manifest)?);
    let language = methods::language(manifest, language);
    let statistics = || manifest.statistics.iter().zip(&cells).enumerate();
    let pictures = |(index, (statistic, cells)): (usize, (&StatisticEntry, &Cells))| {
        let drawn = statistic::pictures(index, statistic, (&names, &maps), cells).into_iter().enumerate();
        let stem = file_name(&statistic.name);
        let named = |(number, picture): (usize, document::Picture)| {
            (format!("{stem}-{}-{}", index + 1, number + 1), picture.graphic)
        };
        drawn.map(named).collect::<Vec<_>>()
    };
    Ok(Edition {
        title: title(manifest),
        warnings: if manifest.private { vec![] } else { vec![manifest.guarantee.words.clone()] },
        about: words::about(manifest),
        language: language.name(),
        sure: headline::how_sure(manifest, &names, &cells, language).map(|sure| sure.words),
        heading: methods::speaker(language).heading(),
        methods: methods::sentences(manifest, tell_nothing(&cells), &files.digest, language),
        sheets: statistics()
            .map(|(_, (statistic, cells))| statistic::sheet(statistic, &names, cells, manifest.quality.as_ref()))
            .chain(
                figures
                    .iter()
                    .flat_map(|made| made.figures.iter().map(|made| figures::sheet(made, manifest.quality.as_ref()))),
            )
            .collect(),
        pictures: statistics().flat_map(pictures).collect(),
    })
}

/// The estimates of a statistic as one drawing; `None` where there is no such statistic.
pub(crate) fn plot(folder: &Path, manifest: &ReleaseManifest, name: &str) -> Result<Option<Figure>, ReportError> {
    let names = Names::new(manifest);
    let cells = read(folder, manifest)?;
    let Some(index) = manifest.statistics.iter().position(|statistic| statistic.name == name) else {
        return Ok(None);
    };
    let statistic = &manifest.statistics[index];
    // A map has no axes, and stands by itself.
    let figure = |picture: document::Picture| match picture.graphic {
        Graphic::Figure(figure) => Some(figure),
        Graphic::Map(_) => None,
    };
    let pictures = statistic::pictures(index, statistic, (&names, &Maps::default()), &cells[index]);
    let pictures: Vec<Figure> = pictures.into_iter().filter_map(figure).collect();
    let sizes = || pictures.iter().map(|figure| figure.panel_size);
    let largest = |side: fn((f64, f64)) -> f64| sizes().map(side).fold(0.0, f64::max);
    let panel_size = (largest(|size| size.0), largest(|size| size.1));
    let panels: Vec<Panel> = pictures.into_iter().flat_map(|figure| figure.panels).collect();
    let columns = if panels.len() > 1 { 2 } else { 1 };
    let title = names.statistic(statistic).to_owned();
    Ok(Some(Figure { columns, panel_size, ..Figure::row(title, panels) }))
}

/// Notices of all statistics, to read before using the numbers.
fn notices(manifest: &ReleaseManifest, names: &Names) -> Vec<(String, String, Vec<String>)> {
    let notices_of = |(index, statistic): (usize, &StatisticEntry)| {
        let sentences: Vec<String> = statistic.notices.iter().map(Notice::sentence).collect();
        (!sentences.is_empty()).then(|| (statistic::anchor(index), names.statistic(statistic).to_owned(), sentences))
    };
    manifest.statistics.iter().enumerate().filter_map(notices_of).collect()
}
