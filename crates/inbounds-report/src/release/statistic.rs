//! One statistic: its numbers in a picture and a table, and its technical parts on demand.

use std::collections::HashSet;

use inbounds_bundle::{Drawing, OutputEntry, StatisticEntry};
#[cfg(feature = "export")]
use inbounds_bundle::{QualityEntry, RoundingEntry};

use super::{
    cost::cost,
    maps::Maps,
    matrix, mechanism,
    names::{Names, style},
    places, series, technical,
    views::{self, View},
    words,
};
#[cfg(feature = "export")]
use crate::edition::{List, Sheet, Value};
use crate::{
    cells::{Cell, Cells},
    crosses::Layout,
    document::{Block, Column, Cross, Entry, Picture, Section, Table},
    errors,
    figures::whole,
    pictures::{self, Moved, Subject},
    spread::{Spread, Style},
};

/// Most cells that a picture shows one by one, where it is the only one, and where there are several.
const ONE_BY_ONE: [usize; 2] = [26, 10];

/// Most cells that a picture shows where there are more.
const LARGEST: usize = 20;

/// Most pictures that are not folded, where there is no table by rows and columns, and where there is one.
const OPEN: [usize; 2] = [4, 2];

/// Most tables that are not folded.
const TABLES: usize = 4;

/// Fewest rows of a narrow table that has its pictures beside it.
const BESIDE: usize = 8;

/// Most outputs of a cell that have a column each.
const MOST_OUTPUTS: usize = 24;

/// Remark in the row of a number whose interval is nearly its whole range.
pub(super) const TELLS_NOTHING: &str = "tells nothing: this is nearly the whole range";

/// The anchor of a statistic's section.
pub(super) fn anchor(index: usize) -> String {
    format!("statistic-{}", index + 1)
}

pub(super) fn section(
    index: usize,
    statistic: &StatisticEntry,
    (names, maps): (&Names, &Maps),
    cells: &Cells,
) -> Section {
    let named =
        if statistic.label.is_some() { format!(" Its name in the plan is {}.", statistic.name) } else { String::new() };
    let mut blocks = vec![Block::Paragraph(format!(
        "{}. {}{named}",
        words::description(statistic, names),
        words::range(&statistic.range, &names.axis(statistic.traits().pure_numbers, &statistic.unit))
    ))];
    blocks.extend(statistic.about_learned_keys(&names.short_unit(&statistic.unit)).map(Block::Paragraph));
    blocks.extend(statistic.rounding.as_ref().map(|rounding| Block::Paragraph(rounding.sentence())));
    if !statistic.notices.is_empty() {
        blocks.push(Block::Notices(statistic.notices.iter().map(inbounds_bundle::Notice::sentence).collect()));
    }
    blocks.extend(Some(names.about_missing(statistic)).filter(|missing| !missing.is_empty()).map(Block::Paragraph));
    let mut drawn = drawn(index, statistic, names, cells);
    let crosses = crosses(statistic, names, cells);
    let folded = drawn.split_off(drawn.len().min(OPEN[usize::from(!crosses.is_empty())]));
    blocks.extend(matrix::blocks(statistic, names, cells));
    let of_places = self::maps(index, statistic, (names, maps), cells);
    if !of_places.is_empty() {
        blocks.push(Block::Pictures(of_places));
    }
    let list = numbers(statistic, names, cells);
    if crosses.is_empty() && !is_model(statistic) {
        blocks.extend(beside(drawn, list));
    } else {
        let tables = crosses.iter().map(Cross::numbers).sum::<usize>();
        let is_one_column = crosses.iter().all(|cross| cross.heads.len() == 1);
        let shown = crosses.len();
        let mut crosses = crosses.into_iter().map(Block::Cross);
        let narrow = shown == 1 && is_one_column && tables >= BESIDE && drawn.len() <= 2;
        if narrow && !drawn.is_empty() {
            blocks.push(Block::Pair(crosses.by_ref().collect(), vec![Block::Pictures(std::mem::take(&mut drawn))]));
        }
        blocks.extend(crosses.by_ref().take(TABLES));
        if shown > TABLES {
            blocks.push(Block::Folded(format!("{} more tables", whole(shown - TABLES)), crosses.collect()));
        }
        if !drawn.is_empty() {
            blocks.push(Block::Pictures(drawn));
        }
        // What a cell of a table has no room for.
        if tables == 0 || cells.count <= technical::ROWS {
            let title = format!("All {} numbers, one a line", whole(cells.count));
            blocks.push(Block::Folded(title, vec![Block::Table(list)]));
        }
    }
    if !folded.is_empty() {
        blocks.push(Block::Folded("More pictures".to_owned(), vec![Block::Pictures(folded)]));
    }
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
    // A single number needs no picture.
    let views: Vec<View> = views::views(statistic, cells).into_iter().filter(|view| view.cells.len() > 1).collect();
    let several = views.iter().map(|view| view.output.map(ToString::to_string)).collect::<HashSet<_>>().len();
    let most = ONE_BY_ONE[usize::from(several > 1)];
    let draw = |(number, view): (usize, View)| {
        picture(&format!("s{}-{}", index + 1, number + 1), statistic, names, view, most)
    };
    views.into_iter().enumerate().filter_map(draw).collect()
}

fn picture(id: &str, statistic: &StatisticEntry, names: &Names, mut view: View, most: usize) -> Option<Picture> {
    // What tables do not show is in no picture.
    view.cells.retain(|cell| !cell.hidden);
    if view.cells.is_empty() {
        return None;
    }
    let drawing = statistic.traits().drawing;
    let columns = view.columns();
    let by: Vec<&str> = columns.iter().map(|column| names.column(&statistic.by[*column])).collect();
    let granularity = if view.granularity.is_empty() { String::new() } else { format!("by {}", by.join(", ")) };
    let title = [view.output.map_or_else(String::new, |output| names.quantity(output)), granularity];
    let subject = Subject {
        title: title.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" "),
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
    if let Some(lines) = series::over_time(id, &subject, &view.cells, &columns, &by) {
        return Some(lines);
    }
    let name: fn(&Cell) -> String = match (view.granularity.is_empty(), view.output.is_none()) {
        (false, _) => pictures::path,
        (true, true) => pictures::label,
        (true, false) => pictures::group,
    };
    if view.cells.len() > most {
        return Some(pictures::largest(id, &subject, &view.cells, (most.min(LARGEST), name)));
    }
    Some(pictures::cells(id, &subject, &view.cells, name))
}

/// All pictures of the estimates, also of those that the page shows in words or in a table alone.
pub(super) fn pictures(
    index: usize,
    statistic: &StatisticEntry,
    (names, maps): (&Names, &Maps),
    cells: &Cells,
) -> Vec<Picture> {
    let maps = self::maps(index, statistic, (names, maps), cells);
    let of_page = drawn(index, statistic, names, cells);
    if !of_page.is_empty() {
        return of_page.into_iter().chain(maps).collect();
    }
    let views = views::views(statistic, cells).into_iter().enumerate();
    let draw = |(number, view)| picture(&format!("s{}-{number}", index + 1), statistic, names, view, ONE_BY_ONE[0]);
    views.filter_map(draw).collect()
}

/// Maps of the estimates by place, two an output.
fn maps(index: usize, statistic: &StatisticEntry, (names, maps): (&Names, &Maps), cells: &Cells) -> Vec<Picture> {
    let views = views::views(statistic, cells).into_iter().enumerate();
    let draw = |(number, view): (usize, View)| {
        let output = view.output.map_or_else(String::new, |output| format!(", {}", names.quantity(output)));
        let title = format!("{}{output}", names.statistic(statistic));
        let id = format!("s{}-{}", index + 1, number + 1);
        maps.of_view(&id, (&title, &statistic.by), (&view, style(statistic, view.unit)), names)
    };
    views.flat_map(draw).collect()
}

/// The distributions by which a naive Bayes model distinguishes classes, a picture a column.
fn densities(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Picture> {
    let columns = &statistic.columns;
    let groups = views::groups(statistic, cells);
    let draw = |(place, column): (usize, &String)| {
        // A class has the means of all columns, then their variances, then its number of rows.
        let class = |cells: &&[Cell]| {
            let (mean, variance) = (cells.get(place)?, cells.get(columns.len() + place)?);
            (!mean.hidden && !variance.hidden).then(|| pictures::Density {
                class: pictures::group(mean),
                mean: mean.estimate,
                variance: variance.estimate,
            })
        };
        let classes: Vec<_> = groups.iter().filter_map(class).collect();
        let bounds = statistic.clips.get(place).map(|clip| (clip.lower, clip.upper));
        pictures::densities(&format!("s{}-{}", index + 1, place + 1), &names.across(column), &classes, bounds)
    };
    columns.iter().enumerate().filter_map(draw).collect()
}

/// True if no number of a statistic is of interest by itself, or a matrix shows them.
fn is_model(statistic: &StatisticEntry) -> bool {
    statistic.traits().drawing == Drawing::Densities || matrix::shows(statistic)
}

/// A picture and a table side by side where both have room, else one after the other.
fn beside(drawn: Vec<Picture>, list: Table) -> Vec<Block> {
    let small = drawn.len() == 1 && list.columns.len() < 5;
    match (small, drawn.is_empty()) {
        (_, true) => vec![Block::Table(list)],
        (true, false) => vec![Block::Pair(vec![Block::Pictures(drawn)], vec![Block::Table(list)])],
        (false, false) => vec![Block::Pictures(drawn), Block::Table(list)],
    }
}

/// The numbers by rows and columns, where the statistic has several attributes, or several outputs of one; none where a
/// line for each number is as well read.
fn crosses(statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Cross> {
    let outputs = statistic.outputs.len();
    let is_list = statistic.by.is_empty() || (statistic.by.len() == 1 && outputs < 2 && statistic.projection.is_none());
    if is_list || is_model(statistic) || outputs > MOST_OUTPUTS {
        return vec![];
    }
    let has_levels = statistic.measured.iter().any(|component| component.level.is_some());
    let of_table = places::columns(statistic);
    let is_nested = |column: &usize| has_levels && !of_table.contains(&statistic.by[*column].as_str());
    let output = |output: &OutputEntry| match names.unit(&output.unit) {
        unit if unit.is_empty() => names.quantity(&output.name),
        unit => format!("{}, {unit}", names.quantity(&output.name)),
    };
    let level = words::level(statistic.interval.level);
    let axis = names.axis(statistic.traits().pure_numbers, &statistic.unit);
    let called = names.statistic(statistic);
    let unit = if outputs < 2 && axis != called { format!(" ({axis})") } else { String::new() };
    let note = if style(statistic, &statistic.unit) == Style::Percent { "pp: percentage points." } else { "" };
    let layout = Layout {
        attributes: names.list(&statistic.by),
        nested: (0..statistic.by.len()).filter(is_nested).collect(),
        outputs: if outputs < 2 { vec![] } else { statistic.outputs.iter().map(output).collect() },
        caption: format!("{called}{unit}"),
        beside: format!("; under each estimate plus or minus ({level})"),
        note: [note.to_owned(), cells.cut(cells.shown.len(), "estimates.csv")].join(" ").trim().to_owned(),
        style: &|cell| style(statistic, &cell.unit),
    };
    layout.tables(&cells.shown)
}

/// Names, estimates and intervals, with the raw measurements where there are any.
fn numbers(statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Table {
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
        let spread = if cell.hidden { cell.spread(style) } else { cell.plain_spread(style) };
        let unit = if common.is_empty() && !cell.hidden { names.unit(&cell.unit) } else { String::new() };
        let class = if cell.hidden { "" } else { cell.quality.as_str() };
        let told = if cell.tells_nothing { TELLS_NOTHING } else { "" };
        let told = [class, told].into_iter().filter(|words| !words.is_empty()).collect::<Vec<_>>().join("; ");
        let mut row = vec![
            Entry::new(pictures::label(cell)),
            Entry::new(spread.value).with_note(unit),
            Entry::new(spread.interval).with_note(told),
        ];
        row.extend(raw.then(|| {
            let beside = |raw| Spread::new(raw, cell.interval, style).value;
            Entry::new(cell.measurement.filter(|_| !cell.hidden).map_or_else(|| "–".to_owned(), beside))
        }));
        row.extend(population.then(|| {
            Entry::new(
                cell.population
                    .filter(|_| !cell.hidden)
                    .map_or_else(String::new, |ends| Spread::new(cell.estimate, Some(ends), style).interval),
            )
        }));
        row
    };
    Table {
        caption: format!("{}: estimates and intervals", names.statistic(statistic)),
        columns,
        rows: cells.shown.iter().map(row).collect(),
        note: cells.cut(cells.shown.len(), "estimates.csv"),
    }
}

/// Tables and all numbers of a statistic, as a workbook has them.
#[cfg(feature = "export")]
pub(super) fn sheet(statistic: &StatisticEntry, names: &Names, cells: &Cells, quality: Option<&QualityEntry>) -> Sheet {
    let bounded = cells.shown.iter().all(|cell| cell.over_interval.is_some());
    let [bias, rmse] = statistic.error_names(bounded);
    let own = [
        "output",
        "unit",
        "estimate",
        "interval, lower end",
        "interval, upper end",
        bias,
        rmse,
        "raw measurement",
        "tells nothing",
    ];
    let by = names.list(&statistic.by).into_iter().map(str::to_owned);
    let has_quality = cells.shown.iter().any(|cell| !cell.quality.is_empty());
    let text = |words: String| if words.is_empty() { Value::Empty } else { Value::Text(words) };
    let row = |cell: &Cell| {
        let [bias, rmse] = match cell.over_interval {
            Some((bias, rmse)) if bounded => [Some(bias), Some(rmse)],
            _ => [cell.bias, cell.rmse],
        };
        let keys = cell.values.iter().map(|value| text(value.clone().unwrap_or_default()));
        let (value, interval) = cell.number();
        let shown = |number: Option<f64>| Value::from(number.filter(|_| !cell.hidden));
        let numbers = [
            text(cell.output.clone()),
            text(names.unit(&cell.unit)),
            shown(Some(value)),
            shown(interval.map(|(lower, _)| lower)),
            shown(interval.map(|(_, upper)| upper)),
            shown(bias),
            shown(rmse),
            shown(cell.measurement),
            Value::Flag(cell.tells_nothing),
        ];
        let quality = has_quality.then(|| text(cell.quality.clone()));
        keys.chain(numbers).chain(quality).collect()
    };
    let described = words::description(statistic, names);
    Sheet {
        name: statistic.name.clone(),
        title: format!("{}: {described}", names.statistic(statistic)),
        notes: statistic
            .notices
            .iter()
            .map(inbounds_bundle::Notice::sentence)
            .chain(statistic.rounding.as_ref().map(RoundingEntry::sentence))
            .chain(quality.filter(|_| has_quality).map(QualityEntry::sentence))
            .collect(),
        tables: crosses(statistic, names, cells),
        list: List {
            heads: by.chain(own.map(str::to_owned)).chain(has_quality.then(|| "quality".to_owned())).collect(),
            rows: cells.shown.iter().map(row).collect(),
            note: cells.cut(cells.shown.len(), "estimates.csv"),
        },
    }
}

/// Technical details for some readers only, folded.
fn technical(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Block> {
    let alone = mechanism::alone(statistic);
    let axis = names.axis(statistic.traits().pure_numbers, &statistic.unit);
    let mut error = vec![Block::Table(technical::errors(statistic, names, cells))];
    let classes = cells.classes.named();
    if cells.count > ONE_BY_ONE[0] && statistic.outputs.len() < 2 && !classes.is_empty() {
        let picture = errors::sizes(&format!("s{}-sizes", index + 1), &classes, &axis, "cells");
        error.push(Block::Pictures(vec![picture]));
    }
    let mut bounds: Vec<Block> = cost(statistic, cells, names).into_iter().map(Block::Paragraph).collect();
    bounds.push(Block::Table(technical::expected(statistic, alone.as_deref(), names)));
    bounds.extend(
        technical::curve(index, statistic, &axis, alone.as_deref()).map(|picture| Block::Pictures(vec![picture])),
    );
    vec![
        Block::Folded("Bias and error of each number".to_owned(), error),
        Block::Folded("What staying in bounds cost".to_owned(), bounds),
        Block::Folded("How it was measured".to_owned(), vec![Block::Table(technical::measured(statistic))]),
    ]
}
