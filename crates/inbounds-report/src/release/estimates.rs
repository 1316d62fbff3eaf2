//! The estimates of a release, statistic by statistic.

use std::path::Path;

use inbounds_bundle::{ReleaseManifest, UnitEntry};
use inbounds_core::Quantity;

use super::{names::Names, places};
use crate::{
    ReportError,
    cells::{Cells, Columns, Sheet},
};

/// The cells of each statistic, in the order of the manifest.
pub(super) fn read(path: &Path, manifest: &ReleaseManifest, names: &Names) -> Result<Vec<Cells>, ReportError> {
    // Places of the columns of the table; `None` for one that the table lacks.
    let sheet = Sheet::open(path)?;
    let (name, columns) = (sheet.column("statistic")?, Columns::find(&sheet)?);
    let (worst, unit) = (sheet.column("worst_bias")?, sheet.column("unit")?);
    let output = sheet.find("output");
    let bin = sheet.find("bin_lower").zip(sheet.find("bin_upper"));
    let (level, margin) = (sheet.find("level"), sheet.find("margin"));
    let (quality, rounded) = (sheet.find("quality"), sheet.find("rounded"));
    let population = sheet.find("population_lower").zip(sheet.find("population_upper"));
    let keys: Vec<Vec<usize>> = manifest
        .statistics
        .iter()
        .map(|statistic| statistic.by.iter().map(|column| sheet.column(&format!("by_{column}"))).collect())
        .collect::<Result<_, _>>()?;
    let mut all: Vec<Cells> = manifest.statistics.iter().map(|_| Cells::default()).collect();
    let tables: Vec<Vec<&str>> = manifest.statistics.iter().map(places::columns).collect();
    let has_maps = manifest.columns.iter().any(|column| column.map.is_some());
    let mut last = 0;
    sheet.for_each(|row| {
        // Statistics come one after the other.
        let is =
            |index: usize| manifest.statistics.get(index).is_some_and(|statistic| statistic.name == row.text(name));
        let index = if is(last) { Some(last) } else { (0..all.len()).find(|index| is(*index)) };
        last = index.ok_or_else(|| row.wrong(name, "the manifest has no such statistic"))?;
        let shown = all[last].shows(0);
        let table = &tables[last];
        let by = manifest.statistics[last].by.iter().zip(&keys[last]);
        let values = by.map(|(name, place)| (name.as_str(), row.text(*place))).filter(|(_, value)| !value.is_empty());
        let values: Vec<(&str, &str)> = values.collect();
        let words_in = |column: Option<usize>| column.map(|column| row.text(column)).filter(|words| !words.is_empty());
        // Outputs of a cell follow one another.
        let part = all[last].count % manifest.statistics[last].outputs.len().max(1);
        let bin = match bin {
            Some((lower, upper)) => row.number(lower)?.zip(row.number(upper)?),
            None => output.and_then(|output| edges(row.text(output))),
        };
        let place = match words_in(level) {
            Some(level) if !table.is_empty() && part == 0 => all[last].places.place(table, level, &values, names),
            _ => None,
        };
        // A cell that no picture, table of a place or list shows enters the sums only.
        if !shown && bin.is_none() && place.is_none() {
            all[last].sum_up(part, columns.summed(row)?);
            return Ok(());
        }
        let labels = if shown { labels(names, &values, words_in(level), words_in(margin)) } else { vec![] };
        let mut cell = columns.cell(row, 0, labels)?;
        (cell.part, cell.bin) = (part, bin);
        if let Some(output) = output.filter(|_| shown) {
            // Bins go by their edges, which the table alone has.
            let entry = manifest.statistics[last].outputs.get(cell.part).map(|output| &output.name);
            let known = entry.filter(|entry| entry.known().is_some_and(|known| *known != Quantity::Statistic));
            cell.output = known.map_or_else(|| row.text(output).to_owned(), |entry| names.quantity(entry));
        }
        cell.worst_bias = row.number(worst)?;
        // Columns that only some releases have.
        if let (Some(column), Some(entry)) = (rounded, &manifest.statistics[last].rounding) {
            cell.rounded = row.number(column)?.map(|value| (value, entry.to));
        }
        if let (Some(column), Some(classes)) = (quality, &manifest.quality) {
            row.text(column).clone_into(&mut cell.quality);
            cell.hidden = classes.hides(&cell.quality);
        }
        if let Some((lower, upper)) = population {
            cell.population = row.number(lower)?.zip(row.number(upper)?);
        }
        if shown {
            cell.unit = UnitEntry::from(row.text(unit).to_owned());
            let value = |(column, place): (&String, &usize)| {
                Some(row.text(*place)).filter(|value| !value.is_empty()).map(|value| names.value(column, value))
            };
            cell.values = manifest.statistics[last].by.iter().zip(&keys[last]).map(value).collect();
            if has_maps {
                cell.raw_values = keys[last].iter().map(|place| row.text(*place).to_owned()).collect();
            }
            cell.granularity = words_in(level).or(words_in(margin)).unwrap_or_default().to_owned();
        }
        if let Some(place) = place {
            all[last].places.take(place, table, &values, names, &cell);
        }
        all[last].take(cell);
        Ok(())
    })?;
    Ok(all.into_iter().map(Cells::read).collect())
}

/// Labels of a cell: its values, which in a margin stand beside their columns, since others have values of other
/// columns. A cell without values has the name of its level or margin.
fn labels(names: &Names, values: &[(&str, &str)], level: Option<&str>, margin: Option<&str>) -> Vec<String> {
    match (values, level.or(margin)) {
        ([], Some(all)) => vec![all.to_owned()],
        _ => {
            let called = |(column, value): &(&str, &str)| match margin {
                Some(_) => format!("{} {}", names.column(column), names.value(column, value)),
                None => names.value(column, value),
            };
            values.iter().map(called).collect()
        }
    }
}

/// The edges of a bin from its name, for tables of versions that had no columns for them.
fn edges(name: &str) -> Option<(f64, f64)> {
    let (lower, upper) = name.split_once(" to ")?;
    lower.parse().ok().zip(upper.parse().ok())
}
