//! The estimates of a release, statistic by statistic.

use std::path::Path;

use inbounds_bundle::{ReleaseManifest, UnitEntry};

use crate::{
    ReportError,
    cells::{Cells, Columns, Sheet},
};

/// The cells of each statistic, in the order of the manifest.
pub(super) fn read(path: &Path, manifest: &ReleaseManifest) -> Result<Vec<Cells>, ReportError> {
    let sheet = Sheet::open(path)?;
    let (name, columns) = (sheet.column("statistic")?, Columns::of(&sheet)?);
    let (worst, unit) = (sheet.column("worst_bias")?, sheet.column("unit")?);
    let output = sheet.find("output");
    let population = sheet.find("population_lower").zip(sheet.find("population_upper"));
    let keys: Vec<Vec<usize>> = manifest
        .statistics
        .iter()
        .map(|statistic| statistic.by.iter().map(|column| sheet.column(&format!("by_{column}"))).collect())
        .collect::<Result<_, _>>()?;
    let mut all: Vec<Cells> = manifest.statistics.iter().map(|_| Cells::default()).collect();
    let mut last = 0;
    sheet.for_each(|row| {
        // Statistics come one after the other.
        let is =
            |index: usize| manifest.statistics.get(index).is_some_and(|statistic| statistic.name == row.text(name));
        let index = if is(last) { Some(last) } else { (0..all.len()).find(|index| is(*index)) };
        last = index.ok_or_else(|| row.wrong(name, "the manifest has no such statistic"))?;
        let labels = if all[last].shows(0) {
            keys[last].iter().copied().chain(output).map(|column| row.text(column).to_owned()).collect()
        } else {
            vec![]
        };
        let mut cell = columns.cell(row, 0, labels)?;
        // Outputs of a cell follow one another.
        cell.part = all[last].count % manifest.statistics[last].outputs.len().max(1);
        cell.worst_bias = row.number(worst)?;
        if let Some((lower, upper)) = population {
            cell.population = row.number(lower)?.zip(row.number(upper)?);
        }
        let unit = UnitEntry::from(row.text(unit).to_owned());
        cell.unit = (unit != manifest.statistics[last].unit).then(|| unit.to_string());
        all[last].take(cell);
        Ok(())
    })?;
    Ok(all)
}
