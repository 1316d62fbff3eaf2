//! One statistic: its numbers in a picture and a table, and its technical parts on demand.

use inbounds_bundle::{Drawing, StatisticEntry};

use super::{
    cost::cost,
    matrix, mechanism,
    names::{Names, style},
    technical,
    views::{self, View},
    words,
};
use crate::{
    cells::{Cell, Cells},
    document::{Block, Column, Entry, Picture, Section, Table},
    errors,
    figures::whole,
    pictures::{self, Moved, Subject},
    spread::Spread,
};

/// Most cells that a picture shows one by one, where it is the only one, and where there are several.
const ONE_BY_ONE: [usize; 2] = [26, 10];

/// Most pictures that are not folded.
const OPEN: usize = 4;

/// Most rows of a table that are not folded.
const ROWS: usize = 10;

/// The anchor of a statistic's section.
pub(super) fn anchor(index: usize) -> String {
    format!("statistic-{}", index + 1)
}

pub(super) fn section(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Section {
    let named =
        if statistic.label.is_some() { format!(" Its name in the plan is {}.", statistic.name) } else { String::new() };
    let mut blocks = vec![Block::Paragraph(format!(
        "{}. {}{named}",
        words::what(statistic, names),
        words::range(&statistic.range, &names.axis(statistic.traits().pure_numbers, &statistic.unit))
    ))];
    blocks.extend(words::learned(statistic).map(Block::Paragraph));
    if !statistic.notices.is_empty() {
        blocks.push(Block::Notices(statistic.notices.iter().map(inbounds_bundle::Notice::sentence).collect()));
    }
    blocks.extend(Some(names.about_missing(statistic)).filter(|missing| !missing.is_empty()).map(Block::Paragraph));
    let mut drawn = drawn(index, statistic, names, cells);
    let folded = drawn.split_off(drawn.len().min(OPEN));
    // Beside more than a row of pictures a table would not fit on a screen.
    let [open, all] = tables(statistic, names, cells, drawn.len() > 2);
    blocks.extend(matrix::blocks(statistic, names, cells));
    // Five columns are too many for half of the page.
    let wide = statistic.keeps_measurements() && cells.shown.iter().any(|cell| cell.population.is_some());
    if drawn.len() == 1 && !wide {
        blocks.push(Block::Pair(vec![Block::Pictures(drawn)], open));
    } else {
        if !drawn.is_empty() {
            blocks.push(Block::Pictures(drawn));
        }
        blocks.extend(open);
    }
    if !folded.is_empty() {
        blocks.push(Block::Folded("More pictures".to_owned(), vec![Block::Pictures(folded)]));
    }
    blocks.extend(all);
    blocks.extend(cells.places.blocks(statistic, names));
    blocks.extend(technical(index, statistic, names, cells));
    Section { id: anchor(index), title: names.statistic(statistic).to_owned(), blocks }
}

/// The pictures of the estimates, each with an axis of its own.
fn drawn(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Picture> {
    match statistic.traits().drawing {
        Drawing::Densities => return densities(index, statistic, names, cells),
        // The matrix is the picture.
        Drawing::Matrix(_) if matrix::shows(statistic) => return vec![],
        Drawing::Matrix(_) | Drawing::Points | Drawing::Bars | Drawing::Bins | Drawing::SharedAxis => {}
    }
    let views = views::views(statistic, cells);
    // A single number needs no picture.
    let several = views.iter().filter(|view| view.marks.len() > 1).count();
    let most = ONE_BY_ONE[usize::from(several > 1)];
    let draw = |(number, view): (usize, View)| {
        picture(&format!("s{}-{}", index + 1, number + 1), statistic, names, view, most)
    };
    views
        .into_iter()
        .filter(|view| view.marks.len() > 1)
        .enumerate()
        .filter_map(|(number, view)| draw((number, view)))
        .collect()
}

fn picture(id: &str, statistic: &StatisticEntry, names: &Names, view: View, most: usize) -> Option<Picture> {
    let drawing = statistic.traits().drawing;
    let subject = Subject {
        title: view.output.map_or_else(String::new, |output| names.quantity(output)),
        axis: names.axis(statistic.traits().pure_numbers, view.unit),
        style: style(statistic, view.unit),
        bars: drawing.has_bars(),
        level: Some(statistic.interval.level),
        moved: match (statistic.keeps_measurements(), &statistic.projection) {
            (false, _) => Moved::Nothing,
            (true, None) => Moved::IntoRange,
            (true, Some(_)) => Moved::ToAgree,
        },
    };
    let binned = drawing == Drawing::Bins && statistic.by.is_empty();
    let across = statistic.column.as_ref().filter(|_| binned).map(|column| names.across(column));
    let histogram = across.and_then(|across| pictures::histogram(id, &subject, &view.marks, &across));
    if histogram.is_some() {
        return histogram;
    }
    if view.marks.len() > most {
        return Some(pictures::ranked(id, &subject, view.marks));
    }
    let name: fn(&Cell) -> String = if view.output.is_none() { pictures::label } else { pictures::group };
    Some(pictures::cells(id, &subject, &view.cells, name))
}

/// All pictures of the estimates, also of those that the page shows in words or in a table alone.
pub(super) fn pictures(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Picture> {
    let of_page = drawn(index, statistic, names, cells);
    if !of_page.is_empty() {
        return of_page;
    }
    let views = views::views(statistic, cells).into_iter().enumerate();
    let draw = |(number, view)| picture(&format!("s{}-{number}", index + 1), statistic, names, view, ONE_BY_ONE[0]);
    views.filter_map(draw).collect()
}

/// The distributions by which a naive Bayes model tells classes apart, a picture a column.
fn densities(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Picture> {
    let columns = &statistic.columns;
    let groups = views::groups(statistic, cells);
    let draw = |(place, column): (usize, &String)| {
        // A class has the means of all columns, then their variances, then its number of rows.
        let class = |cells: &&[Cell]| {
            let (mean, variance) = (cells.get(place)?, cells.get(columns.len() + place)?);
            Some(pictures::Density { class: pictures::group(mean), mean: mean.estimate, variance: variance.estimate })
        };
        let classes: Vec<_> = groups.iter().filter_map(class).collect();
        let bounds = statistic.clips.get(place).map(|clip| (clip.lower, clip.upper));
        pictures::densities(&format!("s{}-{}", index + 1, place + 1), &names.across(column), &classes, bounds)
    };
    columns.iter().enumerate().filter_map(draw).collect()
}

/// The first rows of the table of numbers, and all of them folded if those are not all.
fn tables(statistic: &StatisticEntry, names: &Names, cells: &Cells, crowded: bool) -> [Vec<Block>; 2] {
    let model = crowded || statistic.traits().drawing == Drawing::Densities || matrix::shows(statistic);
    if !model && cells.count <= ROWS {
        return [vec![Block::Table(numbers(statistic, names, cells, ROWS))], vec![]];
    }
    let title = match cells.count {
        count if count > cells.shown.len() => {
            format!("The first {} of {} numbers", whole(cells.shown.len()), whole(count))
        }
        count => format!("All {} numbers", whole(count)),
    };
    let all = Block::Folded(title, vec![Block::Table(numbers(statistic, names, cells, usize::MAX))]);
    let open = if model { vec![] } else { vec![Block::Table(numbers(statistic, names, cells, ROWS))] };
    [open, vec![all]]
}

/// Names, estimates and intervals, with the raw measurements where there are any.
fn numbers(statistic: &StatisticEntry, names: &Names, cells: &Cells, rows: usize) -> Table {
    let by: Vec<&str> = statistic.by.iter().map(|column| names.column(column)).collect();
    let level = words::level(statistic.interval.level);
    // One unit for all stands in the header, others beside their number.
    let units: Vec<String> = cells.shown.iter().map(|cell| names.unit(&cell.unit)).collect();
    let common = units.first().filter(|first| units.iter().all(|unit| unit == *first)).cloned().unwrap_or_default();
    let mut columns = vec![
        Column::words(if by.is_empty() { "number".to_owned() } else { by.join(", ") }),
        Column::numbers(if common.is_empty() { "estimate".to_owned() } else { format!("estimate, {common}") }),
        Column::numbers(level),
    ];
    let raw = statistic.keeps_measurements() && cells.parts.iter().any(|part| part.measured > 0);
    columns.extend(raw.then(|| Column::numbers("raw measurement")));
    let population = cells.shown.iter().any(|cell| cell.population.is_some());
    columns.extend(population.then(|| Column::numbers("for the population")));
    let row = |cell: &Cell| {
        let style = style(statistic, &cell.unit);
        let spread = Spread::of(cell.estimate, cell.interval, style);
        let unit = if common.is_empty() { names.unit(&cell.unit) } else { String::new() };
        let mut row =
            vec![Entry::of(pictures::label(cell)), Entry::of(spread.value).with_note(unit), Entry::of(spread.interval)];
        row.extend(raw.then(|| {
            let beside = |raw| Spread::of(raw, cell.interval, style).value;
            Entry::of(cell.measurement.map_or_else(|| "–".to_owned(), beside))
        }));
        row.extend(population.then(|| {
            Entry::of(
                cell.population.map_or_else(String::new, |ends| Spread::of(cell.estimate, Some(ends), style).interval),
            )
        }));
        row
    };
    let note = if cells.count <= rows.min(cells.shown.len()) {
        String::new()
    } else if rows < cells.shown.len() {
        format!("{} more below.", whole(cells.shown.len() - rows))
    } else {
        cells.cut("estimates.csv")
    };
    Table {
        caption: format!("{}: estimates and intervals", names.statistic(statistic)),
        columns,
        rows: cells.shown.iter().take(rows).map(row).collect(),
        note,
    }
}

/// What only some readers want to know, folded.
fn technical(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Block> {
    let alone = mechanism::alone(statistic);
    let axis = names.axis(statistic.traits().pure_numbers, &statistic.unit);
    let mut error = vec![Block::Table(technical::errors(statistic, names, cells))];
    let classes = cells.classes.named();
    if cells.count > ONE_BY_ONE[0] && statistic.outputs.len() < 2 && !classes.is_empty() {
        let picture = errors::sizes(&format!("s{}-sizes", index + 1), &classes, &axis, "cells");
        error.push(Block::Pictures(vec![picture]));
    }
    let mut bounds: Vec<Block> = cost(statistic, cells).into_iter().map(Block::Paragraph).collect();
    bounds.push(Block::Table(technical::expected(statistic, alone.as_deref())));
    bounds.extend(
        technical::curve(index, statistic, &axis, alone.as_deref()).map(|picture| Block::Pictures(vec![picture])),
    );
    vec![
        Block::Folded("Bias and error of each number".to_owned(), error),
        Block::Folded("What staying in bounds cost".to_owned(), bounds),
        Block::Folded("How it was measured".to_owned(), vec![Block::Table(technical::measured(statistic))]),
    ]
}
