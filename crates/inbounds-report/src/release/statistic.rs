//! One statistic: pictures, numbers, what its range cost, and how it was measured.

use inbounds_bundle::{ComponentEntry, MissingEntry, StatisticEntry};
use inbounds_mechanisms::mechanism::Mechanism;

use super::{cost::cost, mechanism, words};
use crate::{
    cells::{Cell, Cells},
    document::{Block, Column, Entry, Section, Table},
    figures::{bias, figure, simulated},
    pictures,
};

pub(super) fn section(index: usize, statistic: &StatisticEntry, cells: &Cells) -> Section {
    let mut blocks = vec![Block::Paragraph(format!(
        "{}. {}",
        words::what(statistic),
        words::range(&statistic.range, &words::short_unit(&statistic.unit))
    ))];
    let missing: Vec<String> = statistic.missing.iter().map(MissingEntry::sentence).collect();
    blocks.extend((!missing.is_empty()).then(|| Block::Paragraph(missing.join(" "))));
    blocks.extend(statistic.notices.iter().map(|notice| Block::Paragraph(notice.sentence())));
    let alone = mechanism::alone(statistic);
    let pictures = pictures(index, statistic, cells, alone.as_deref());
    if !pictures.is_empty() {
        blocks.push(Block::Pictures(pictures));
    }
    blocks.push(Block::Table(numbers(statistic, cells)));
    blocks.push(Block::Heading("What staying in bounds cost"));
    blocks.extend(cost(statistic, cells).into_iter().map(Block::Paragraph));
    blocks.push(Block::Table(expected(statistic, alone.as_deref())));
    blocks.push(Block::Heading("How it was measured"));
    blocks.push(Block::Table(measured(statistic)));
    Section { id: format!("statistic-{}", index + 1), title: statistic.name.clone(), blocks }
}

fn pictures(
    index: usize,
    statistic: &StatisticEntry,
    cells: &Cells,
    alone: Option<&dyn Mechanism>,
) -> Vec<crate::document::Picture> {
    let unit = &words::short_unit(&statistic.unit);
    let id = |what: &str| format!("s{}-{what}", index + 1);
    let mut pictures = pictures::estimates(
        &id("estimates"),
        cells,
        unit,
        Some(statistic.interval.level),
        statistic.keeps_measurements(),
    );
    if let (Some(made), [component]) = (alone, statistic.measured.as_slice()) {
        let step = mechanism::step(component);
        let points = mechanism::curve(made, step);
        if !points.is_empty() {
            let ends = [statistic.range.lower, statistic.range.upper];
            let name = if component.processing.is_some() {
                "RMSE of the raw measurement, which has no bias"
            } else {
                "standard deviation of the noise alone"
            };
            let raw = pictures::Raw { name, deviation: mechanism::deviation(made, step) };
            pictures.push(pictures::curve(&id("curve"), &points, raw, ends, unit));
        }
    }
    let classes = cells.classes.named();
    let long = statistic.projection.is_some() || pictures.is_empty();
    let one_unit = cells.shown.iter().all(|cell| cell.unit.is_none());
    if long && one_unit && !classes.is_empty() {
        pictures.push(pictures::sizes(&id("sizes"), &classes, unit, "cells"));
    }
    pictures
}

fn numbers(statistic: &StatisticEntry, cells: &Cells) -> Table {
    let first = if statistic.by.is_empty() { "cell".to_owned() } else { statistic.by.join(", ") };
    let mut columns = vec![
        Column::words(first),
        Column::numbers("estimate and interval"),
        Column::numbers("measured"),
        Column::numbers("bias there"),
        Column::numbers("RMSE there"),
    ];
    // One number for all cells is told once, below.
    let each = cells.single_worst().is_none() && cells.shown.iter().any(|cell| cell.worst_bias.is_some());
    if each {
        columns.push(Column::numbers("worst bias"));
    }
    let population = cells.shown.iter().any(|cell| cell.population.is_some());
    if population {
        columns.push(Column::numbers("for the population"));
    }
    let row = |cell: &Cell| {
        let mut row = entries(cell);
        if each {
            row.push(optional(cell.worst_bias));
        }
        if population {
            let interval = cell.population.map(|(lower, upper)| format!("{} to {}", figure(lower), figure(upper)));
            row.push(Entry::of(interval.unwrap_or_default()));
        }
        row
    };
    Table {
        caption: format!(
            "{}, {}; under each estimate its {} % interval",
            statistic.name,
            words::short_unit(&statistic.unit),
            figure(100.0 * statistic.interval.level)
        ),
        columns,
        rows: cells.shown.iter().map(row).collect(),
        note: cells.cut("estimates.csv"),
    }
}

/// A cell's name, estimate, measurement, bias and error.
pub(crate) fn entries(cell: &Cell) -> Vec<Entry> {
    let interval =
        cell.interval.map_or_else(String::new, |(lower, upper)| format!("{} to {}", figure(lower), figure(upper)));
    let bias = cell.bias.map_or_else(String::new, |value| match (cell.bias_error, cell.rmse) {
        (0.0, Some(rmse)) => bias(value, rmse),
        (error, _) => simulated(value, error),
    });
    vec![
        Entry::of(pictures::label(cell))
            .with_note(cell.unit.as_ref().map_or_else(String::new, |unit| format!("in {unit}"))),
        Entry::of(figure(cell.estimate)).with_note(interval),
        optional(cell.measurement),
        Entry::of(bias),
        Entry::of(cell.rmse.map_or_else(String::new, |rmse| simulated(rmse, cell.rmse_error))),
    ]
}

fn optional(number: Option<f64>) -> Entry {
    Entry::of(number.map_or_else(|| "–".to_owned(), figure))
}

/// What could be expected before any row was read.
fn expected(statistic: &StatisticEntry, alone: Option<&dyn Mechanism>) -> Table {
    let mut rows: Vec<Vec<Entry>> = statistic
        .expected_error
        .iter()
        .map(|error| {
            vec![Entry::of(&error.case), Entry::of(bias(error.bias, error.rmse)), Entry::of(figure(error.rmse))]
        })
        .collect();
    if let (Some(made), [component]) = (alone, statistic.measured.as_slice()) {
        let raw = mechanism::deviation(made, mechanism::step(component));
        let name =
            if component.processing.is_some() { "raw measurement, anywhere" } else { "the noise, without the range" };
        rows.push(vec![Entry::of(name), Entry::of("0"), Entry::of(figure(raw))]);
    }
    Table {
        caption: format!("Error of an estimate known before any row was read, {}", words::short_unit(&statistic.unit)),
        columns: vec![Column::words("were the answer"), Column::numbers("bias"), Column::numbers("RMSE")],
        rows,
        note: String::new(),
    }
}

fn measured(statistic: &StatisticEntry) -> Table {
    let row = |component: &ComponentEntry| {
        let again = match mechanism::verdict(component) {
            Ok(()) => "calculated anew: the same".to_owned(),
            Err(why) => format!("not calculated anew: {why}"),
        };
        let cells = words::counted(component.cells, "cell");
        vec![
            Entry::of(words::role(component)).with_note(cells),
            Entry::of(component.mechanism.word()).with_note(format!(
                "{}; {}{again}",
                words::mechanism(component),
                exact(component)
            )),
            Entry::of(figure(component.scale)),
            Entry::of(figure(component.sensitivity.l1)),
        ]
    };
    Table {
        caption:
            "Mechanisms. When this page was drawn their noise was calculated anew from epsilon, sensitivity and range."
                .to_owned(),
        columns: vec![
            Column::words("measured"),
            Column::words("mechanism"),
            Column::numbers("noise scale"),
            Column::numbers("sensitivity"),
        ],
        rows: statistic.measured.iter().map(row).collect(),
        note: words::clips(statistic),
    }
}

/// The exact parameter of the noise, before what else is said of it.
fn exact(component: &ComponentEntry) -> String {
    let inverse = component.inverse_scale_per_step.as_ref().map(|scale| format!("inverse scale {scale} a step"));
    let variance =
        component.variance_parameter_in_steps.as_ref().map(|variance| format!("σ² = {variance} squared steps"));
    let stairs = component
        .staircase
        .as_ref()
        .map(|shape| format!("stairs of {} steps, {} of them high", shape.stair, shape.high));
    inverse.or(variance).or(stairs).map_or_else(String::new, |exact| format!("{exact}; "))
}
