//! The engine as a plain loop, for tests.

use inbounds_core::{Answer, Delta, Epsilon, Neighbours, Tally};
use inbounds_mechanisms::registry;
use inbounds_statistics::{Column, ColumnBounds, Design, Missing, PrivacyUnit, Setting, Statistic};

/// A column of doubles with bounds as text, in which nothing is missing that would be dropped.
pub(crate) fn column(name: &str, lower: &str, upper: &str) -> Column {
    let read = |text: &str| text.parse().expect("number");
    let bounds =
        ColumnBounds { lower: read(lower), upper: read(upper), integer: false, missing: Missing::Impute(read(lower)) };
    Column { name: name.into(), bounds }
}

/// A column of whole numbers with bounds as text, in which nothing is missing that would be dropped.
pub(crate) fn whole_column(name: &str, lower: &str, upper: &str) -> Column {
    let Column { name, bounds } = column(name, lower, upper);
    Column { name, bounds: ColumnBounds { integer: true, ..bounds } }
}

/// A whole data set of a public number of rows, one replaced.
pub(crate) fn public_rows(rows: u64, epsilon: &str, mechanism: &str) -> Setting {
    let design = Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(rows) };
    let mechanism = registry::find(mechanism).expect("registered");
    let delta = if mechanism.needs_delta() { "1e-6" } else { "0" };
    Setting {
        design,
        cells: 1,
        grouped: false,
        filtered: false,
        mechanism: mechanism.into(),
        epsilon: Epsilon::new(epsilon.parse().expect("number")).expect("positive"),
        delta: Delta::new(delta.parse().expect("number")).expect("below one"),
        rho_rate: None,
        together: None,
    }
}

/// Cells by public keys, one row added or removed.
pub(crate) fn private_rows(cells: u64, epsilon: &str, mechanism: &str) -> Setting {
    let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
    Setting { design, cells, grouped: cells > 1, ..public_rows(2, epsilon, mechanism) }
}

/// Cells of a public number of rows, one replaced, or of a private one, one added or removed; with clamped noise.
pub(crate) fn clamped(rows: Option<u64>, cells: u64, epsilon: &str) -> Setting {
    match rows {
        Some(rows) => Setting { cells, grouped: cells > 1, ..public_rows(rows, epsilon, "clamped") },
        None => private_rows(cells, epsilon, "clamped"),
    }
}

/// The exact answers to what a statistic asks, over rows with their cell.
pub(crate) fn tally(statistic: &dyn Statistic, rows: &[(usize, Vec<f64>)]) -> Tally {
    let ask = statistic.ask();
    let cells = statistic.cells();
    let steps = |row: &[f64], j: usize| {
        let clip = &ask.clips[j];
        ((row[j] / clip.grid.spacing()).round() as i128).clamp(i128::from(clip.lower), i128::from(clip.upper))
    };
    let total = |quantity: &dyn Fn(&[f64]) -> i128| {
        let mut totals = vec![0; cells];
        rows.iter().for_each(|(cell, row)| totals[*cell] += quantity(row));
        Answer::new(totals)
    };
    Tally {
        counts: total(&|_| 1),
        sums: (0..ask.clips.len()).map(|j| total(&|row| steps(row, j))).collect(),
        products: ask.products.iter().map(|&(j, k)| total(&|row| steps(row, j) * steps(row, k))).collect(),
    }
}

/// Rows of one cell from values of one column.
pub(crate) fn one_column(values: &[f64]) -> Vec<(usize, Vec<f64>)> {
    values.iter().map(|value| (0, vec![*value])).collect()
}
