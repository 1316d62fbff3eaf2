//! The numbers of a release before everything else.

use inbounds_bundle::{Drawing, Language, MatrixEntries, ReleaseManifest, StatisticEntry, UnitEntry};

use super::{
    names::{Names, style},
    words,
};
use crate::{
    cells::{Cell, Cells},
    document::{Block, Column, Entry, Section, Spoken, Table},
    figures::whole,
    methods::{self, Typical, TypicalUnit},
    pictures,
    spread::{Spread, Style},
};

/// Most numbers of a statistic in the first table; its section has more.
const SHOWN: usize = 8;

/// The first table: each statistic, its values and how far off they may be.
pub(super) fn section(manifest: &ReleaseManifest, names: &Names, cells: &[Cells]) -> Section {
    let statistics = manifest.statistics.iter().zip(cells).enumerate();
    let rows = statistics.flat_map(|(index, (statistic, cells))| rows(index, statistic, names, cells)).collect();
    let levels: Vec<f64> = manifest.statistics.iter().map(|statistic| statistic.interval.level).collect();
    let level = match levels.split_first() {
        Some((first, rest)) if rest.iter().all(|level| level == first) => words::level(*first),
        _ => "interval".to_owned(),
    };
    let table = Table {
        caption: "Each estimate, and how far below or above it the exact answer from the rows that count may lie"
            .to_owned(),
        columns: vec![
            Column::words("statistic"),
            Column::numbers("estimate"),
            Column::numbers(format!("plus or minus ({level})")),
        ],
        rows,
        note: String::new(),
    };
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(manifest.quality.as_ref().map(|quality| Block::Paragraph(quality.sentence())));
    Section { id: "headline".to_owned(), title: "The numbers".to_owned(), blocks }
}

fn rows(index: usize, statistic: &StatisticEntry, names: &Names, cells: &Cells) -> Vec<Vec<Entry>> {
    let anchor = super::statistic::anchor(index);
    let name = Entry::new(names.statistic(statistic)).leading_to(anchor);
    let told = asked(statistic, cells);
    if let ([cell], 1) = (told.as_slice(), cells.count) {
        let [value, plus_minus] = numbers(statistic, names, cell);
        return vec![vec![name.with_note(words::description(statistic, names)), value, plus_minus]];
    }
    let count = Entry::new(format!("{} values", whole(cells.count)));
    let mut rows = vec![vec![name.with_note(words::description(statistic, names)), count, Entry::default()]];
    rows.extend(told.iter().take(SHOWN).map(|cell| {
        let [value, plus_minus] = numbers(statistic, names, cell);
        vec![Entry::new(pictures::label(cell)).indented(), value, plus_minus]
    }));
    // Numbers that were not asked for are not missed.
    let all = told.len() + (cells.count - cells.shown.len());
    let shown = told.len().min(SHOWN);
    if shown > 0 && shown < all {
        let rest = format!("and {} more", whole(all - shown));
        rows.push(vec![
            Entry::new(rest).indented().leading_to(super::statistic::anchor(index)),
            Entry::default(),
            Entry::default(),
        ]);
    }
    rows
}

/// The numbers that were asked for: of a correlation matrix not the variances, of a model none by itself.
fn asked<'a>(statistic: &StatisticEntry, cells: &'a Cells) -> Vec<&'a Cell> {
    let outputs = &statistic.outputs;
    let wanted = |(index, cell): (usize, &'a Cell)| {
        let unit = outputs.get(index % outputs.len().max(1)).map_or(&statistic.unit, |output| &output.unit);
        let wanted = match statistic.traits().drawing {
            Drawing::Densities => false,
            Drawing::Matrix(MatrixEntries::Correlations) => *unit == UnitEntry::PureNumber,
            Drawing::Matrix(MatrixEntries::Covariances)
            | Drawing::Points
            | Drawing::Bars
            | Drawing::Bins
            | Drawing::SharedAxis => true,
        };
        wanted.then_some(cell)
    };
    cells.shown.iter().enumerate().filter_map(wanted).collect()
}

/// A value with its unit, and how far off it may be.
fn numbers(statistic: &StatisticEntry, names: &Names, cell: &Cell) -> [Entry; 2] {
    let spread = cell.spread(style(statistic, &cell.unit));
    let unit = match &cell.unit {
        _ if cell.hidden => String::new(),
        // A plan says what rows are in the plural.
        UnitEntry::Rows if spread.value == "1" && names.things() != "rows" => String::new(),
        UnitEntry::Rows if spread.value == "1" => "row".to_owned(),
        UnitEntry::Units if spread.value == "1" => "unit".to_owned(),
        unit => names.unit(unit),
    };
    let plus_minus = spread.beside().to_owned();
    let value = if unit.is_empty() { spread.value } else { format!("{} {unit}", spread.value) };
    let told = if cell.tells_nothing { super::statistic::TELLS_NOTHING } else { "" };
    [Entry::new(value), Entry::new(plus_minus).with_note(told)]
}

/// Most statistics and outputs that are told how sure they are.
const SURE: usize = 4;

/// How sure the numbers are: of each statistic and output, what half of them are off by at most.
pub(super) fn how_sure(
    manifest: &ReleaseManifest,
    names: &Names,
    cells: &[Cells],
    language: Language,
) -> Option<Spoken> {
    let mut typical = Vec::new();
    for (statistic, cells) in manifest.statistics.iter().zip(cells) {
        let wanted = asked(statistic, cells);
        for part in 0..statistic.outputs.len().max(1) {
            let of_part = wanted.iter().filter(|cell| cell.part == part && !cell.hidden);
            let far = |cell: &Cell| {
                let (value, interval) = cell.number();
                interval.map(|(lower, upper)| reach(value, lower, upper))
            };
            let mut off: Vec<(f64, &Cell)> = of_part.filter_map(|cell| Some((far(cell)?, *cell))).collect();
            off.sort_by(|(one, _), (other, _)| one.total_cmp(other));
            let Some((half, cell)) = off.get(off.len() / 2) else { continue };
            let name = match cell.output.is_empty() || statistic.traits().drawing.shares_axis() {
                true => names.statistic(statistic).to_owned(),
                false => format!("{}, {}", names.statistic(statistic), cell.output),
            };
            let style = style(statistic, &cell.unit);
            let plus_minus = Spread::new(0.0, Some((-half, *half)), style).plus_minus;
            let (plus_minus, unit) = match style {
                Style::Percent => (plus_minus.trim_end_matches(" pp").to_owned(), TypicalUnit::Points),
                Style::Plain | Style::Whole => (plus_minus, TypicalUnit::Named(names.unit(&cell.unit))),
            };
            typical.push(Typical { name, plus_minus, unit });
            if statistic.traits().drawing.shares_axis() {
                break;
            }
        }
    }
    let level = manifest.statistics.first()?.interval.level;
    let is_common = manifest.statistics.iter().all(|statistic| statistic.interval.level == level);
    typical.truncate(SURE);
    if is_common { methods::how_sure(&typical, level, language) } else { None }
}

/// Largest distance of the exact number from an estimate, by its interval.
fn reach(estimate: f64, lower: f64, upper: f64) -> f64 {
    (estimate - lower).abs().max((upper - estimate).abs())
}
