//! The technical parts of a statistic: errors, what could be expected, and mechanisms.

use inbounds_bundle::{ComponentEntry, StatedErrors, StatisticEntry};
use inbounds_mechanisms::mechanism::Mechanism;

use super::{mechanism, names::Names, words};
use crate::{
    cells::{Cell, Cells},
    document::{Column, Entry, Picture, Table},
    errors,
    figures::{bias, figure},
    pictures,
};

/// Most rows of a table of errors: beyond, they are told by the size of the number.
pub(crate) const ROWS: usize = 1000;

/// Number of rows that are shown of a longer table.
pub(crate) const FIRST: usize = 100;

/// Bias and error of each number: the largest over its interval, or simulated at the estimate.
pub(super) fn errors(statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Table {
    let shown = if cells.count <= ROWS { cells.count } else { FIRST };
    let by: Vec<&str> = statistic.by.iter().map(|column| names.column(column)).collect();
    let bounded = cells.shown.iter().all(|cell| cell.over_interval.is_some());
    let [bias, rmse] = statistic.error_names(bounded);
    let mut columns = vec![
        Column::words(if by.is_empty() { "number".to_owned() } else { by.join(", ") }),
        Column::numbers("estimate and interval"),
        Column::numbers("measured"),
        Column::numbers(bias),
        Column::numbers(rmse),
    ];
    // One number for all cells is told once, below.
    let each = cells.single_worst().is_none() && cells.shown.iter().any(|cell| cell.worst_bias.is_some());
    columns.extend(each.then(|| Column::numbers("worst bias")));
    let row = |cell: &Cell| {
        let mut row = entries(cell);
        row.extend(each.then(|| optional(cell.worst_bias.filter(|_| !cell.hidden))));
        row
    };
    Table {
        caption: format!(
            "{}; under each estimate its {}",
            names.axis(statistic.traits().pure_numbers, &statistic.unit),
            words::level(statistic.interval.level)
        ),
        columns,
        rows: cells.shown.iter().take(shown).map(row).collect(),
        note: cells.cut(shown, "estimates.csv"),
    }
}

/// A cell's name, estimate, measurement, bias and error.
pub(crate) fn entries(cell: &Cell) -> Vec<Entry> {
    if cell.hidden {
        let hidden = || Entry::new("–");
        let number = hidden().with_note(&cell.quality);
        return vec![Entry::new(pictures::label(cell)), number, hidden(), hidden(), hidden()];
    }
    let interval =
        cell.interval.map_or_else(String::new, |(lower, upper)| format!("{} to {}", figure(lower), figure(upper)));
    let bias = cell.bias.map(|bias| (bias, cell.bias_error));
    let rmse = cell.rmse.map(|rmse| (rmse, cell.rmse_error));
    let [bias, rmse] = StatedErrors::choose(cell.over_interval, (bias, rmse), cell.tells_nothing).shown();
    vec![
        Entry::new(pictures::label(cell)),
        Entry::new(figure(cell.estimate)).with_note(interval),
        optional(cell.measurement),
        Entry::new(bias),
        Entry::new(rmse),
    ]
}

fn optional(number: Option<f64>) -> Entry {
    Entry::new(number.map_or_else(|| "–".to_owned(), figure))
}

/// Bias and RMSE against the true answer, where they are those of one mechanism.
pub(super) fn curve(
    index: usize,
    statistic: &StatisticEntry,
    axis: &str,
    alone: Option<&dyn Mechanism>,
) -> Option<Picture> {
    let (Some(made), [component]) = (alone, statistic.measured.as_slice()) else { return None };
    let step = mechanism::step(component);
    let points = mechanism::curve(made, step);
    if points.is_empty() {
        return None;
    }
    let ends = [statistic.range.lower, statistic.range.upper];
    let name = if component.processing.is_some() {
        "RMSE of the raw measurement, which has no bias"
    } else {
        "standard deviation of the noise alone"
    };
    let raw = errors::Raw { name, deviation: mechanism::deviation(made, step) };
    Some(errors::curve(&format!("s{}-curve", index + 1), &points, raw, ends, axis))
}

/// Errors that were expected before any row was read.
pub(super) fn expected(statistic: &StatisticEntry, alone: Option<&dyn Mechanism>, names: &Names) -> Table {
    let mut rows: Vec<Vec<Entry>> = statistic
        .expected_error
        .iter()
        .map(|error| {
            vec![Entry::new(&error.case), Entry::new(bias(error.bias, error.rmse)), Entry::new(figure(error.rmse))]
        })
        .collect();
    if let (Some(made), [component]) = (alone, statistic.measured.as_slice()) {
        let raw = mechanism::deviation(made, mechanism::step(component));
        let name =
            if component.processing.is_some() { "raw measurement, anywhere" } else { "the noise, without the range" };
        rows.push(vec![Entry::new(name), Entry::new("0"), Entry::new(figure(raw))]);
    }
    Table {
        caption: format!("Expected error, known before any row was read, {}", names.short_unit(&statistic.unit)),
        columns: vec![Column::words("if the answer is"), Column::numbers("bias"), Column::numbers("RMSE")],
        rows,
        note: String::new(),
    }
}

pub(super) fn measured(statistic: &StatisticEntry) -> Table {
    let row = |component: &ComponentEntry| {
        let again = match mechanism::verdict(component, statistic.learned.as_ref()) {
            Ok(()) => "recalculated: the same".to_owned(),
            Err(why) => format!("not recalculated: {why}"),
        };
        let cells = words::counted(component.cells, "cell");
        vec![
            Entry::new(words::role(component)).with_note(cells),
            Entry::new(component.mechanism.word()).with_note(format!(
                "{}; {}{again}",
                words::mechanism(component),
                exact(component)
            )),
            Entry::new(figure(component.scale)),
            Entry::new(figure(component.sensitivity.l1)),
        ]
    };
    Table {
        caption:
            "Mechanisms. When this page was drawn their noise was recalculated from epsilon, sensitivity and range."
                .to_owned(),
        columns: vec![
            Column::words("measured"),
            Column::words("mechanism"),
            Column::numbers("noise scale"),
            Column::numbers("sensitivity"),
        ],
        rows: statistic.measured.iter().map(row).collect(),
        note: [Some(words::clips(statistic)), words::keys(statistic), words::rule(statistic)]
            .into_iter()
            .flatten()
            .collect::<Vec<_>>()
            .join(" "),
    }
}

/// The exact parameters of the noise, before what else is said of it.
fn exact(component: &ComponentEntry) -> String {
    component.parameters.sentence().map_or_else(String::new, |exact| format!("{exact}; "))
}
