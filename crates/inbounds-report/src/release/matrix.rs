//! Covariances and correlations as a matrix, each entry with its interval and a colour for how far it is from none.

use inbounds_bundle::{MatrixEntries, StatisticEntry};

use super::{names::Names, views, words};
use crate::{
    cells::{Cell, Cells},
    document::{Block, Matrix, Tile},
    pictures,
    spread::Style,
};

/// Most columns of a matrix that a page has room for.
const WIDEST: usize = 12;

/// Matrices that are not folded: what more groups have stands in tables.
const OPEN: usize = 1;

/// `true` if a statistic is a matrix that a page has room for.
pub(super) fn shows(statistic: &StatisticEntry) -> bool {
    let columns = statistic.columns.len();
    // Over a private number of rows the means and that number follow the entries.
    statistic.traits().drawing.matrix().is_some()
        && (2..=WIDEST).contains(&columns)
        && statistic.outputs.len() >= columns * (columns + 1) / 2
}

/// A matrix a group, the first open.
pub(super) fn blocks(statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Block> {
    if !shows(statistic) {
        return vec![];
    }
    let mut matrices: Vec<Block> = views::groups(statistic, cells)
        .into_iter()
        .map(|group| Block::Matrix(matrix(statistic, names, group)))
        .collect();
    let more = matrices.split_off(matrices.len().min(OPEN));
    if !more.is_empty() {
        matrices.push(Block::Folded("The matrices of other groups".to_owned(), more));
    }
    matrices
}

/// Place of an entry in the upper triangle, row by row.
fn place(columns: usize, row: usize, column: usize) -> usize {
    let (row, column) = (row.min(column), row.max(column));
    row * columns - row * (row + 1) / 2 + column
}

fn matrix(statistic: &StatisticEntry, names: &Names, group: &[Cell]) -> Matrix {
    let columns = statistic.columns.len();
    let entries = statistic.traits().drawing.matrix().unwrap_or(MatrixEntries::Covariances);
    let at = |row: usize, column: usize| &group[place(columns, row, column)];
    let tile = |row: usize, column: usize| {
        let cell = at(row, column);
        let spread = cell.spread(Style::Plain);
        let part = match entries {
            // The variances on the diagonal are of another kind.
            MatrixEntries::Correlations if row == column => 0.0,
            MatrixEntries::Correlations => cell.estimate,
            MatrixEntries::Covariances => cell.estimate / (at(row, row).estimate * at(column, column).estimate).sqrt(),
        };
        let part = if cell.hidden { 0.0 } else { part };
        Tile { value: spread.value, interval: spread.interval, shade: Tile::shade(part) }
    };
    let by = if statistic.by.is_empty() { String::new() } else { format!(", {}", pictures::group(&group[0])) };
    let level = words::level(statistic.interval.level);
    let note = match entries {
        MatrixEntries::Correlations => {
            "The diagonal has the variances. The deeper the colour of another number, the further from no correlation."
        }
        MatrixEntries::Covariances => {
            "The diagonal has the variances. The deeper the colour, the larger the covariance beside the variances of its two columns."
        }
    };
    Matrix {
        caption: format!("{}{by}; under each estimate its {level}", names.statistic(statistic)),
        names: statistic.columns.iter().map(|column| names.across(column)).collect(),
        entries: (0..columns).map(|row| (0..columns).map(|column| tile(row, column)).collect()).collect(),
        note: note.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::place;

    #[test]
    fn entries_follow_one_another_in_the_upper_triangle() {
        let mut next = 0;
        for row in 0..5 {
            for column in row..5 {
                assert_eq!((place(5, row, column), place(5, column, row)), (next, next));
                next += 1;
            }
        }
    }
}
