//! The weights that measurements have in a fit of levels or margins.
//!
//! # Idea
//! Levels and margins are sums of the same finest cells, measured with known variances. The weighted least-squares fit
//! of these sums is linear in the measurements, so each published sum is a form of all of them, and its noise has the
//! law of that form. Bounds, whole numbers and shrinkage move the estimates and not these forms, which stay unbiased:
//! they are what intervals are made around.

use std::{collections::HashMap, ops::RangeFrom};

use inbounds_mechanisms::law::Noise;
use inbounds_project::linked::Groupings;

use super::{
    Atoms, Form, Key,
    shape::StatisticShape,
    statistic::{Cell, MeasuredRow},
};
use crate::Refusal;

/// Largest product of the numbers of measurements and of finest cells: a fit is solved once for each measurement.
const MOST: usize = 4_000_000;

/// The linear fit of a statistic's sums, for one measured number a cell.
pub(crate) struct Fit {
    /// The form of each key.
    forms: HashMap<Key, Form>,
}

impl Fit {
    /// Of a statistic with levels or margins: measured numbers of one entry of each cell, by component, and all
    /// published cells.
    pub(super) fn new(
        shape: &StatisticShape,
        cells: &[Cell],
        measured: &[Vec<(&Key, usize)>],
        atoms: &Atoms,
    ) -> Result<Self, Refusal> {
        let statistic = || shape.name.clone();
        let finest = finest(shape, cells)?;
        let count: usize = measured.iter().map(Vec::len).sum();
        if count.saturating_mul(finest.len()) > MOST {
            return Err(Refusal::LargeFit { statistic: statistic(), measured: count, cells: finest.len() });
        }
        let groupings = measured_groupings(shape, &finest, measured)?;
        let measured: Vec<&Vec<(&Key, usize)>> = measured.iter().filter(|rows| !rows.is_empty()).collect();
        let solver =
            Groupings::new(finest.len(), groupings.iter().map(|grouping| grouping.cell_of_finest.clone()).collect());
        let variance = |rows: &&Vec<(&Key, usize)>| {
            let atom = atoms.get(rows[0].1);
            atom.step * atom.step * atom.noise.variance()
        };
        let variances: Vec<f64> = measured.iter().map(variance).collect();
        let least = variances.iter().copied().fold(f64::INFINITY, f64::min);
        let weights: Vec<f64> = variances.iter().map(|variance| least / variance).collect();
        let mut forms: HashMap<Key, Form> = cells.iter().map(|cell| (cell.key.clone(), Form::default())).collect();
        // Published cells by the finest ones that they are sums of.
        let mut published: Vec<Grouping> = Vec::new();
        for key in forms.keys() {
            let columns: Vec<String> = key.keys().cloned().collect();
            if !published.iter().any(|known| known.columns == columns) {
                published.push(Grouping::new(columns, &finest));
            }
        }
        for (place, rows) in measured.iter().enumerate() {
            for (key, atom) in rows.iter() {
                let cell = groupings[place].cells[*key];
                let mut unit: Vec<Vec<f64>> =
                    groupings.iter().map(|grouping| vec![0.0; grouping.cells.len()]).collect();
                unit[place][cell as usize] = 1.0;
                let solved = solver.linear(&unit, &weights);
                for grouping in &published {
                    let mut sums = vec![0.0; grouping.cells.len()];
                    grouping.cell_of_finest.iter().zip(&solved).for_each(|(&cell, value)| sums[cell as usize] += value);
                    for (key, &cell) in &grouping.cells {
                        let weight = sums[cell as usize];
                        if weight.abs() > 1e-10
                            && let Some(form) = forms.get_mut(key)
                        {
                            form.terms.insert(*atom, weight);
                        }
                    }
                }
            }
        }
        Ok(Self { forms })
    }

    /// Of a plan: a form of one measurement for each key, that is the next of `atoms`, where the fit is of a kind that
    /// can be made again. Whether it is too large is left to the release.
    pub(super) fn planned(
        shape: &StatisticShape,
        cells: &[Cell],
        measured: &[Vec<(&Key, usize)>],
        atoms: &mut RangeFrom<usize>,
    ) -> Result<Self, Refusal> {
        let count: usize = measured.iter().map(Vec::len).sum();
        if let Ok(finest) = finest(shape, cells)
            && count.saturating_mul(finest.len()) <= MOST
        {
            measured_groupings(shape, &finest, measured)?;
        }
        let mut forms = HashMap::new();
        for cell in cells {
            let form = || Form::of_atom(atoms.next().unwrap_or_default());
            forms.entry(cell.key.clone()).or_insert_with(form);
        }
        Ok(Self { forms })
    }

    /// The form of a published key.
    pub(super) fn form(&self, key: &Key) -> Option<&Form> {
        self.forms.get(key)
    }
}

/// Groupings by the columns that identify their cells, one a measured vector; all cells of each must be measured.
fn measured_groupings(
    shape: &StatisticShape,
    finest: &[Key],
    measured: &[Vec<(&Key, usize)>],
) -> Result<Vec<Grouping>, Refusal> {
    let mut groupings = Vec::new();
    for rows in measured {
        let Some((first, _)) = rows.first() else { continue };
        let grouping = Grouping::new(first.keys().cloned().collect(), finest);
        if grouping.cells.len() != rows.len() || rows.iter().any(|(key, _)| !grouping.cells.contains_key(*key)) {
            return Err(Refusal::SparseMargins { statistic: shape.name.clone() });
        }
        groupings.push(grouping);
    }
    Ok(groupings)
}

/// Cells that some columns identify.
struct Grouping {
    columns: Vec<String>,
    /// The cell of each finest one.
    cell_of_finest: Vec<u32>,
    cells: HashMap<Key, u32>,
}

impl Grouping {
    fn new(columns: Vec<String>, finest: &[Key]) -> Self {
        let mut cells = HashMap::new();
        let part = |key: &Key| -> Key {
            key.iter().filter(|(column, _)| columns.contains(column)).map(|(c, v)| (c.clone(), v.clone())).collect()
        };
        let cell_of_finest = finest
            .iter()
            .map(|key| {
                let next = cells.len() as u32;
                *cells.entry(part(key)).or_insert(next)
            })
            .collect();
        Self { columns, cell_of_finest, cells }
    }
}

/// The finest cells: those that are published by all columns or, where none are, all combinations of published values.
fn finest(shape: &StatisticShape, cells: &[Cell]) -> Result<Vec<Key>, Refusal> {
    let mut seen = std::collections::HashSet::new();
    let by_all = cells.iter().filter(|cell| cell.key.len() == shape.by.len());
    let published: Vec<Key> = by_all.filter(|cell| seen.insert(&cell.key)).map(|cell| cell.key.clone()).collect();
    if !published.is_empty() {
        return Ok(published);
    }
    let mut all = vec![Key::new()];
    for column in &shape.by {
        let mut values: Vec<&String> = Vec::new();
        for value in cells.iter().filter_map(|cell| cell.key.get(column)) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        let with = |key: &Key, value: &String| {
            let mut key = key.clone();
            key.insert(column.clone(), value.clone());
            key
        };
        all = all.iter().flat_map(|key| values.iter().map(move |value| with(key, value))).collect();
        if all.len() > MOST {
            return Err(Refusal::LargeFit { statistic: shape.name.clone(), measured: cells.len(), cells: all.len() });
        }
    }
    Ok(all)
}

/// Measured numbers of one entry of each cell.
pub(super) fn of_entry<'r>(measured: &'r [Vec<MeasuredRow>], output: Option<&str>) -> Vec<Vec<(&'r Key, usize)>> {
    let is_entry = |row: &&MeasuredRow| output.is_none_or(|output| row.output == output);
    measured.iter().map(|rows| rows.iter().filter(is_entry).map(|row| (&row.key, row.atom)).collect()).collect()
}
