//! The figures that a plan makes of the numbers: rates, differences, changes and ranks.

use inbounds_bundle::{
    QualityEntry,
    figures::{counted, figure},
};
use inbounds_core::Named;
use inbounds_figures::{Extent, FigureCell, FigureKind, FigureMethod, FiguresMade, MadeFigure};

use super::{maps::Maps, names::Names};
#[cfg(feature = "export")]
use crate::edition::{List, Sheet, Value};
use crate::{
    cells::Cell,
    crosses::Layout,
    document::{Block, Column, Cross, Entry, Section, Table},
    spread::{Spread, Style},
};

/// The section of all figures of a plan.
pub(super) fn section(made: &FiguresMade, quality: Option<&QualityEntry>, (names, maps): (&Names, &Maps)) -> Section {
    let refused = made.manifest.refused.iter();
    let refused: Vec<String> =
        refused.map(|one| format!("The figure `{}` could not be made: {}.", one.name, one.reason)).collect();
    let mut blocks = vec![Block::Paragraph(
        "These are made of the numbers above and of public tables. They cost no epsilon, and their intervals follow from \
         the laws of the noise."
            .to_owned(),
    )];
    if !refused.is_empty() {
        blocks.push(Block::Notices(refused));
    }
    for (number, figure) in made.figures.iter().enumerate() {
        let seen = |cell: &FigureCell| (!is_hidden(cell, quality)).then(|| shown(figure, cell));
        let of_places = maps.of_figure(&format!("f{}", number + 1), figure, &seen, names);
        match figure.key_columns().len() {
            0 | 1 => blocks.push(Block::Table(table(figure, quality, names))),
            _ => blocks.extend(crosses(figure, quality, names).into_iter().map(Block::Cross)),
        }
        if !of_places.is_empty() {
            blocks.push(Block::Pictures(of_places));
        }
    }
    let tables = made.manifest.tables.iter();
    let tables: Vec<String> = tables.map(|file| format!("`{}`, SHA-256 {}", file.name, file.sha256)).collect();
    if !tables.is_empty() {
        blocks.push(Block::Folded(counted(tables.len(), "public table"), vec![Block::List(tables)]));
    }
    Section { id: "figures".to_owned(), title: "Figures".to_owned(), blocks }
}

fn table(made: &MadeFigure, quality: Option<&QualityEntry>, names: &Names) -> Table {
    let columns = made.key_columns();
    let is_told = made.cells.iter().any(|cell| cell.against.is_some());
    let called: Vec<&str> = columns.iter().map(|column| names.column(column)).collect();
    let heads = if columns.is_empty() { "figure".to_owned() } else { called.join(", ") };
    let interval = format!("{} % interval{}", figure(100.0 * made.entry.level), made.at_once());
    let mut heads = vec![Column::words(heads), Column::numbers("estimate"), Column::numbers(interval)];
    if is_told {
        heads.push(Column::words("significant"));
    }
    let row = |cell: &FigureCell| {
        let (estimate, ends) = if is_hidden(cell, quality) { hidden() } else { shown(made, cell) };
        let class = cell.quality.clone().unwrap_or_default();
        let mut row = vec![
            Entry::new(named(made, &columns, cell, names)),
            Entry::new(estimate).with_note(class),
            Entry::new(ends),
        ];
        if is_told {
            row.push(Entry::new(cell.significance().unwrap_or("–")));
        }
        row
    };
    let mut notes: Vec<&str> = made.notes(quality);
    notes.extend(methods(made));
    Table {
        caption: caption(made, names),
        columns: heads,
        rows: made.cells.iter().map(row).collect(),
        note: notes.join(" "),
    }
}

/// A figure by several columns, by rows and columns.
fn crosses(made: &MadeFigure, quality: Option<&QualityEntry>, names: &Names) -> Vec<Cross> {
    let columns = made.key_columns();
    let style = style(made);
    let cell = |cell: &FigureCell| {
        let spread = spread(made, cell);
        let beside = [Some(spread.beside()), cell.significance()];
        let beside = beside.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let value_of = |column: &String| cell.key.get(column).map(|value| names.value(column, value));
        Cell {
            values: columns.iter().map(value_of).collect(),
            said: Some(Spread { plus_minus: beside, ..spread }),
            quality: cell.quality.clone().unwrap_or_default(),
            hidden: is_hidden(cell, quality),
            ..Cell::from_estimate(cell.estimate.unwrap_or(f64::NAN))
        }
    };
    let interval = format!("{} % interval{}", figure(100.0 * made.entry.level), made.at_once());
    let notes: Vec<&str> = made.notes(quality).into_iter().chain(methods(made)).collect();
    let layout = Layout {
        attributes: columns.iter().map(|column| names.column(column)).collect(),
        nested: vec![],
        outputs: vec![],
        caption: caption(made, names),
        beside: format!("; under each plus or minus ({interval})"),
        note: notes.join(" "),
        style: &|_| style,
    };
    layout.tables(&made.cells.iter().map(cell).collect::<Vec<_>>())
}

/// Over the table of a figure.
fn caption(made: &MadeFigure, names: &Names) -> String {
    format!("{}: {}{}", made.title(), kind(made), unit(made, names))
}

/// Number format of a figure.
fn style(made: &MadeFigure) -> Style {
    if made.known_kind() == Some(FigureKind::Rank) { Style::Whole } else { Style::Plain }
}

/// The unit behind the name of a figure: places have none to name, nor has a ratio.
fn unit(made: &MadeFigure, names: &Names) -> String {
    let has_unit = !matches!(made.known_kind(), Some(FigureKind::Rank | FigureKind::Ratio));
    let called = |cell: &FigureCell| cell.unit_called(|unit| names.beside_figure(&unit));
    let unit = made.cells.first().map(called).filter(|unit| has_unit && !unit.is_empty());
    unit.map_or_else(String::new, |unit| format!(", {unit}"))
}

/// The sheet of a workbook.
#[cfg(feature = "export")]
pub(super) fn sheet(made: &MadeFigure, quality: Option<&QualityEntry>) -> Sheet {
    let columns = made.key_columns();
    let own = ["unit", "estimate", "interval, lower end", "interval, upper end", "interval", "from measurements"];
    let has_quality = made.cells.iter().any(|cell| cell.quality.is_some());
    let own = own.into_iter().chain(["RMSE of that", "significant"]).chain(has_quality.then_some("quality"));
    let row = |cell: &FigureCell| {
        let text = |words: &str| if words.is_empty() { Value::Empty } else { Value::Text(words.to_owned()) };
        let keys = columns.iter().map(|column| text(cell.key.get(column).map_or("", String::as_str)));
        let number = |number: Option<f64>| Value::from(number.filter(|_| !is_hidden(cell, quality)));
        let numbers = [
            text(&cell.unit),
            number(cell.estimate),
            number(Some(cell.lower)),
            number(Some(cell.upper)),
            text(cell.extent.name()),
            number(cell.raw),
            number(cell.raw_rmse),
            text(cell.significance().unwrap_or_default()),
        ];
        let class = has_quality.then(|| text(cell.quality.as_deref().unwrap_or_default()));
        keys.chain(numbers).chain(class).collect()
    };
    Sheet {
        name: made.entry.name.clone(),
        title: format!("{}: {}", made.title(), kind(made)),
        notes: made
            .notes(quality)
            .into_iter()
            .chain(methods(made))
            .map(str::to_owned)
            .chain(quality.filter(|_| has_quality).map(QualityEntry::sentence))
            .collect(),
        tables: Vec::new(),
        list: List {
            heads: columns.iter().cloned().chain(own.map(str::to_owned)).collect(),
            rows: made.cells.iter().map(row).collect(),
            note: String::new(),
        },
    }
}

/// `true` if the office does not show figures of its class.
fn is_hidden(cell: &FigureCell, quality: Option<&QualityEntry>) -> bool {
    quality.zip(cell.quality.as_ref()).is_some_and(|(quality, class)| quality.hides(class))
}

/// Placeholders for a figure and its interval that are not shown.
fn hidden() -> (String, String) {
    ("–".to_owned(), "–".to_owned())
}

/// The key of a cell, as words; of a figure with one cell its name.
fn named(made: &MadeFigure, columns: &[String], cell: &FigureCell, names: &Names) -> String {
    let value =
        |column: &String| cell.key.get(column).map_or_else(|| "all".to_owned(), |value| names.value(column, value));
    let values: Vec<String> = columns.iter().map(value).collect();
    if values.is_empty() { made.title().to_owned() } else { values.join(", ") }
}

/// A figure and its interval as they are read.
fn shown(made: &MadeFigure, cell: &FigureCell) -> (String, String) {
    let spread = spread(made, cell);
    (spread.value, spread.interval)
}

/// The same, with the distance of the ends where there are two about a number.
fn spread(made: &MadeFigure, cell: &FigureCell) -> Spread {
    let none = || "–".to_owned();
    let open = |interval: String| Spread {
        value: cell.estimate.map_or_else(none, figure),
        interval,
        plus_minus: String::new(),
    };
    let spread_around = |estimate: f64| Spread::new(estimate, Some((cell.lower, cell.upper)), style(made));
    match (cell.extent, cell.estimate) {
        (Extent::Bounded, Some(estimate)) => spread_around(estimate),
        (Extent::Bounded, None) => open(spread_around(cell.lower).interval),
        (Extent::Contradiction, estimate) => {
            let spread = spread_around(estimate.unwrap_or(cell.lower));
            let value = estimate.map_or_else(none, |_| spread.value);
            Spread { value, interval: spread.interval + " !", plus_minus: String::new() }
        }
        (Extent::AtLeast, _) => open(format!("at least {}", figure(cell.lower))),
        (Extent::AtMost, _) => open(format!("at most {}", figure(cell.upper))),
        (Extent::Everything, _) => open("anything".to_owned()),
    }
}

/// Kind of a figure, in words.
fn kind(made: &MadeFigure) -> &str {
    made.known_kind().map_or(made.entry.kind.as_str(), |kind| kind.noun())
}

/// Methods of the intervals, a sentence each.
fn methods(made: &MadeFigure) -> Vec<&'static str> {
    let sentence = |method: FigureMethod| match method {
        FigureMethod::Public => "Nothing in it is noisy.",
        FigureMethod::NoiseSum => "Intervals are from the law of the sum of the noises.",
        FigureMethod::QuotientTest => {
            "Intervals are all ratios that a test on numerator and denominator does not reject, whatever the denominator."
        }
        FigureMethod::JointDraws => "Intervals are from all noise drawn again jointly.",
        FigureMethod::DifferenceTest => {
            "Intervals are all differences that a test on the noise of both numbers does not reject."
        }
        FigureMethod::Together => "Intervals are from those of both operands, which hold together.",
        FigureMethod::PairwiseRanks => "Intervals are the places that no pair of cells rules out.",
    };
    made.entry.methods.iter().filter_map(|word| FigureMethod::named(word)).map(sentence).collect()
}
