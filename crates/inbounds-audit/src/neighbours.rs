//! Pairs of tables that differ in one privacy unit, under the unit and the relation of the plan.
//!
//! Worst pairs are rarely found by chance alone: the other rows must lie in one corner of all bounds, the unit's rows
//! in the same or in the opposite one, all in one group, as many of them as count or one more. So rows are drawn in a
//! few styles, and the best pair known for a vector is changed a little and tried again.

use std::sync::Arc;

use inbounds_core::Neighbours;
use inbounds_release::plan::Unit;

use crate::{
    cells::{Candidates, Cell},
    draw::Draw,
    subject::Subject,
    table::{Pair, Row},
};

/// Sizes of the rest of the table.
const SIZES: [usize; 9] = [0, 0, 1, 2, 5, 20, 255, 256, 1023];

/// One table in 40 has 5,000 rows besides the unit's.
const LARGE: (usize, usize) = (40, 5000);

/// Names of the unit, and of the other that may take its place.
const NAMES: [&str; 2] = ["900719925", "900719926"];

/// Choice of cells for drawn rows.
#[derive(Clone, Copy)]
enum Style {
    /// All at the same corner of the usual cells.
    Corner(u64),
    /// Usual cells.
    Usual,
    /// Any cells.
    Any,
    /// No cell that counts, so that the exact numbers may stay as they are.
    Odd,
}

/// Generator of tables for a plan.
pub(crate) struct Generator {
    relation: Neighbours,
    unit: Units,
    /// The public number of rows, or of units where each is one row.
    rows: Option<usize>,
    /// Place of the column that says how many each row stands for: a unit is one of them.
    frequency: Option<usize>,
}

/// Form of a privacy unit.
#[derive(Clone, Copy)]
enum Units {
    /// Rows without a unit column, of which one unit has at most this many.
    Rows(usize),
    /// All rows with one name in this column.
    Named {
        /// Place of the column.
        column: usize,
        /// Most rows that count, if not all do.
        most: Option<usize>,
        /// True if blanks around a name change nothing.
        trimmed: bool,
    },
}

impl Generator {
    /// Tables for a plan.
    pub(crate) fn new(subject: &Subject) -> Self {
        let few = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let (most, of_one) = match &subject.plan.privacy.unit {
            Unit::Row | Unit::OneRow { .. } => (None, 1),
            Unit::Column { most, .. } => (Some(few(most.contribution().rows())), 1),
            Unit::Rows { most } => (None, few(most.value)),
        };
        let trimmed = subject.trims_units();
        let unit = subject.unit().map_or(Units::Rows(of_one), |column| Units::Named { column, most, trimmed });
        let rows = subject.outline.design.rows.and_then(|rows| usize::try_from(rows).ok());
        Self { relation: subject.outline.design.neighbours, unit, rows, frequency: subject.frequency() }
    }

    /// A pair from nothing.
    pub(crate) fn pair(&self, columns: &[Candidates], draw: &mut Draw) -> Pair {
        let corner = draw.word();
        let style = style(draw, corner);
        let mut pair = Pair { others: self.others(columns, style, draw), ..Pair::default() };
        let (near, far) = (Style::Corner(corner), Style::Corner(!corner));
        let [one, other] = match draw.below(9) {
            0 | 1 => [near, far],
            2 | 3 => [near, near],
            4 | 5 => [Style::Usual, Style::Usual],
            6 => [Style::Odd, Style::Odd],
            _ => [Style::Any, Style::Any],
        };
        pair.right = self.of_unit(columns, one, 0, draw);
        if self.relation == Neighbours::Substitute {
            pair.left = match (draw.below(3), pair.right.is_empty()) {
                (0, false) => self.odd_cell(columns, &pair.right, draw),
                _ => self.of_unit(columns, other, draw.below(2), draw),
            };
        }
        pair
    }

    /// A pair that differs a little from this one.
    pub(crate) fn near(&self, pair: &Pair, columns: &[Candidates], draw: &mut Draw) -> Pair {
        let mut pair = pair.clone();
        match draw.below(4) {
            0 => {
                let corner = draw.word();
                pair.others = self.others(columns, style(draw, corner), draw);
            }
            1 => pair.right = self.of_unit(columns, Style::Corner(draw.word()), 0, draw),
            _ => {
                let rows = if pair.left.is_empty() || draw.once_in(2) { &mut pair.right } else { &mut pair.left };
                if !rows.is_empty() {
                    *rows = self.other_cell(columns, rows, draw);
                }
            }
        }
        pair
    }

    /// The rows of everybody else.
    fn others(&self, columns: &[Candidates], style: Style, draw: &mut Draw) -> Vec<Row> {
        let units = match self.rows {
            Some(rows) => rows - 1,
            None if draw.once_in(LARGE.0) => LARGE.1,
            None => *draw.one(&SIZES),
        };
        let Units::Named { column, .. } = self.unit else {
            return (0..units).map(|_| row(columns, style, draw)).collect();
        };
        let named = |number: usize| -> Vec<Row> {
            let rows = 1 + draw.below(3);
            (0..rows)
                .map(|_| {
                    let mut row = row(columns, style, draw);
                    row[column] = Some(Arc::from(number.to_string()));
                    row
                })
                .collect()
        };
        (0..units).flat_map(named).collect()
    }

    /// A row that stands for one.
    fn of_one(&self, mut row: Row) -> Row {
        if let Some(column) = self.frequency {
            row[column] = Some(Arc::from("1"));
        }
        row
    }

    /// The rows of one unit; `name` says which name it has.
    fn of_unit(&self, columns: &[Candidates], style: Style, name: usize, draw: &mut Draw) -> Vec<Row> {
        let (column, most, trimmed) = match self.unit {
            Units::Named { column, most, trimmed } => (column, most, trimmed),
            Units::Rows(1) => return vec![self.of_one(row(columns, style, draw))],
            Units::Rows(most) => {
                // As many as there may be, mostly all the same.
                let count = if draw.once_in(4) { 1 + draw.below(most.min(200)) } else { most.min(200) };
                let same = (!draw.once_in(3)).then(|| row(columns, style, draw));
                let drawn = |_| self.of_one(same.clone().unwrap_or_else(|| row(columns, style, draw)));
                return (0..count).map(drawn).collect();
            }
        };
        let few = most.unwrap_or(3).min(200);
        let count = match draw.below(6) {
            0 => 1,
            1 => few + 1,
            2 => 2 * few + 3,
            3 => 40,
            _ => few,
        };
        // Where the number of units is public, every unit is there by a name that can be read.
        let unnamed = self.rows.is_none() && draw.once_in(12);
        let same = draw.once_in(2).then(|| row(columns, style, draw));
        let named = |place: usize| {
            let mut row = same.clone().unwrap_or_else(|| row(columns, style, draw));
            row[column] = match (unnamed, trimmed && draw.once_in(4)) {
                (true, _) => None,
                (false, true) => Some(Arc::from(format!("{}{}", " ".repeat(1 + place % 9), NAMES[name]))),
                (false, false) => Some(Arc::from(NAMES[name])),
            };
            row
        };
        (0..count).map(named).collect()
    }

    /// The same rows but for one cell, which is drawn again.
    fn other_cell(&self, columns: &[Candidates], rows: &[Row], draw: &mut Draw) -> Vec<Row> {
        self.with_cell(columns, rows, draw, |candidates, draw| {
            if draw.once_in(2) { draw.one(&candidates.odd).clone() } else { any(candidates, draw) }
        })
    }

    /// The same rows but for one odd cell.
    fn odd_cell(&self, columns: &[Candidates], rows: &[Row], draw: &mut Draw) -> Vec<Row> {
        self.with_cell(columns, rows, draw, |candidates, draw| draw.one(&candidates.odd).clone())
    }

    fn with_cell(
        &self,
        columns: &[Candidates],
        rows: &[Row],
        draw: &mut Draw,
        cell: impl Fn(&Candidates, &mut Draw) -> Cell,
    ) -> Vec<Row> {
        let mut rows = rows.to_vec();
        if columns.is_empty() {
            // Rows that are counted, and nothing else.
            return rows;
        }
        let column = draw.below(columns.len());
        // The unit keeps its name, and is one.
        let is_kept = matches!(self.unit, Units::Named { column: unit, .. } if unit == column);
        if !is_kept && self.frequency != Some(column) {
            let changed = draw.below(rows.len());
            rows[changed][column] = cell(&columns[column], draw);
        }
        rows
    }
}

fn style(draw: &mut Draw, corner: u64) -> Style {
    match draw.below(4) {
        0 | 1 => Style::Corner(corner),
        2 => Style::Usual,
        _ => Style::Any,
    }
}

fn row(columns: &[Candidates], style: Style, draw: &mut Draw) -> Row {
    let cell = |(place, candidates): (usize, &Candidates)| {
        let usual = &candidates.usual;
        match style {
            Style::Usual => draw.one(usual).clone(),
            Style::Any => any(candidates, draw),
            Style::Odd if draw.once_in(2) => None,
            Style::Odd => draw.one(&candidates.odd).clone(),
            // The two ends of a column of numbers, and any two keys.
            Style::Corner(bits) if (bits >> (place % 64)) & 1 == 0 => usual[0].clone(),
            Style::Corner(_) => usual[usual.len() - 1].clone(),
        }
    };
    columns.iter().enumerate().map(cell).collect()
}

fn any(candidates: &Candidates, draw: &mut Draw) -> Cell {
    let cells = match draw.below(6) {
        0 => &candidates.odd,
        1 if !candidates.near.is_empty() => &candidates.near,
        _ => &candidates.usual,
    };
    draw.one(cells).clone()
}
