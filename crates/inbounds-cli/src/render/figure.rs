//! The answers of `inbounds figure` and `inbounds compare`.

use inbounds_bundle::{ColumnEntry, ReleaseManifest};
use inbounds_figures::{Extent, FigureCell, FiguresMade, MadeFigure};

use super::{Screen, Shown, columns::Table, figures::figure, none};

/// Figures on the terminal, with what their intervals are, and where the rest is.
pub(crate) fn figures_made((made, release): (&FiguresMade, &ReleaseManifest), shown: Shown, screen: Screen) -> String {
    let mut parts = vec![figures_of_plan((made, release), shown, screen)];
    parts.extend(closing(made, screen));
    parts.join("\n\n")
}

/// Changes on the terminal: differences, each with the change in percent beside it.
pub(crate) fn compared((made, release): (&FiguresMade, &ReleaseManifest), shown: Shown, screen: Screen) -> String {
    let mut parts: Vec<String> = Vec::new();
    if let Some(comparison) = &made.manifest.comparison {
        let level = made.manifest.figures.first().map_or(f64::NAN, |figure| figure.level);
        parts.push(screen.prose(&format!(
            "{} of {} numbers can be told from no change at {} %, each by itself; of numbers that did not change about {} would be by chance. Where all \
             answers are to be right at once, {} can.",
            comparison.told,
            comparison.numbers,
            figure(100.0 * level),
            figure(comparison.by_chance),
            comparison.told_together
        )));
    }
    for pair in made.figures.chunks(2) {
        let [differences, changes] = pair else { continue };
        let rows: Vec<(&FigureCell, &FigureCell)> =
            differences.cells.iter().zip(&changes.cells).take(limit(shown)).collect();
        let table = keys(release, &rows, |row| row.0)
            .figures("difference", &rows, |row| row.0.estimate.map_or_else(none, figure))
            .figures("interval", &rows, |row| extent(row.0))
            .figures("%", &rows, |row| row.1.estimate.map_or_else(none, figure))
            .figures("interval", &rows, |row| extent(row.1))
            .words("significant", &rows, |row| significance(row.0));
        let more = shown.more(differences.cells.len()).unwrap_or_default();
        parts.push(format!("{}\n{}", differences.entry.name, screen.table_with_notes(&table, &more)));
    }
    if let Some(comparison) = &made.manifest.comparison {
        let refused = comparison.refused.iter();
        parts.extend(refused.map(|one| screen.prose(&format!("Not compared: {}: {}", one.statistic, one.reason))));
        let (old, new) = (comparison.only_in_old, comparison.only_in_new);
        if old + new > 0 {
            parts.push(
                screen.prose(&format!("Cells in one release alone: {old} in the old one, {new} in the new one.")),
            );
        }
    }
    parts.extend(closing(made, screen));
    parts.join("\n\n")
}

/// The figures that a plan asks for, below the release that they are made of.
pub(crate) fn figures_of_plan(
    (made, release): (&FiguresMade, &ReleaseManifest),
    shown: Shown,
    screen: Screen,
) -> String {
    let mut parts: Vec<String> = made.figures.iter().map(|one| one_figure((one, release), shown, screen)).collect();
    let refused = made.manifest.refused.iter();
    parts.extend(refused.map(|one| screen.prose(&format!("Not made: figure {}: {}.", one.name, one.reason))));
    parts.join("\n\n")
}

fn one_figure((made, release): (&MadeFigure, &ReleaseManifest), shown: Shown, screen: Screen) -> String {
    let entry = &made.entry;
    let level = figure(100.0 * entry.level);
    let (name, holds) = (made.title(), made.at_once());
    let called = |cell: &FigureCell| format!(", {}", cell.unit_called(|unit| release.unit_called(&unit)));
    let unit = made.cells.first().map(called).unwrap_or_default();
    let rows: Vec<&FigureCell> = made.cells.iter().take(limit(shown)).collect();
    let has_rmse = rows.iter().any(|cell| cell.raw_rmse.is_some());
    let has_quality = rows.iter().any(|cell| cell.quality.is_some());
    let is_told = rows.iter().any(|cell| cell.against.is_some());
    let table = keys(release, &rows, |cell| cell)
        .figures("estimate", &rows, |cell| cell.estimate.map_or_else(none, figure))
        .figures(&format!("{level} % interval"), &rows, |cell| extent(cell))
        .figures("from measurements", &rows, |cell| cell.raw.map_or_else(none, figure))
        .and_if(has_rmse, |table| table.figures("its RMSE", &rows, |cell| cell.raw_rmse.map_or_else(none, figure)))
        .and_if(is_told, |table| table.words("significant", &rows, |cell| significance(cell)))
        .and_if(has_quality, |table| table.words("quality", &rows, |cell| cell.quality.clone().unwrap_or_default()));
    let mut notes: Vec<String> = shown.more(made.cells.len()).into_iter().collect();
    notes.extend(made.notes(release.quality.as_ref()).into_iter().map(str::to_owned));
    let title = format!("{name} ({}{unit}; intervals at {level} %{holds})", entry.kind);
    format!("{}\n{}", screen.prose(&title), screen.table_with_notes(&table, &notes.join("\n")))
}

/// The columns of keys, of those that some row has, by their names for people.
fn keys<R>(release: &ReleaseManifest, rows: &[R], cell: impl Fn(&R) -> &FigureCell) -> Table {
    let mut columns: Vec<String> = rows.iter().flat_map(|row| cell(row).key.keys().cloned()).collect();
    columns.sort_unstable();
    columns.dedup();
    let mut table = Table::default();
    for column in &columns {
        let entry = release.column(column);
        let value_called =
            |written: &String| entry.map_or(written.as_str(), |entry| entry.value_called(written)).to_owned();
        table = table.words(entry.map_or(column, ColumnEntry::called), rows, |row| {
            cell(row).key.get(column).map(value_called).unwrap_or_default()
        });
    }
    let has_outputs = rows.iter().any(|row| !cell(row).output.is_empty());
    table.and_if(has_outputs, |table| table.words("output", rows, |row| cell(row).output.clone()))
}

fn extent(cell: &FigureCell) -> String {
    match cell.extent {
        Extent::Bounded => super::interval(cell.lower, cell.upper),
        Extent::AtLeast => format!("at least {}", figure(cell.lower)),
        Extent::AtMost => format!("at most {}", figure(cell.upper)),
        Extent::Everything => "anything".to_owned(),
        Extent::Contradiction => format!("{} !", super::interval(cell.lower, cell.upper)),
    }
}

fn significance(cell: &FigureCell) -> String {
    cell.significance().unwrap_or("no").to_owned()
}

fn closing(made: &FiguresMade, screen: Screen) -> Vec<String> {
    let not_private = "Warning: NOT PRIVATE. A release came from a seed, so that its noise protects nobody.";
    let warning = (!made.manifest.private).then(|| screen.prose(not_private));
    [warning, Some(format!("Figures: {}", made.folder.display()))].into_iter().flatten().collect()
}

fn limit(shown: Shown) -> usize {
    shown.limit()
}
