//! Files with rows and with keys, in every format.

use std::num::NonZero;

use inbounds_core::Grid;
use inbounds_data::{
    Bins, Bounded, CellRules, Clip, Column, ContributionBound, DataError, DateFormat, Engine, FileEngine, KeyColumn,
    KeyValue, Keys, Kind, Missing, Negative, NumberStyle, PerUnit, Query, Source, Survey, TextEncoding, TextLayout,
    UnitColumn, UnitTake, read_keys, read_lookup,
};
use inbounds_release::{FirstAnswers, init};

use crate::scratch::Scratch;

/// Kinds that a plan declares, where the file has the column.
const DECLARED: [(&str, Kind); 5] = [
    ("age", Kind::Integer),
    ("income", Kind::Number),
    ("member", Kind::Boolean),
    ("day", Kind::Date),
    ("person", Kind::Text),
];

/// Text with a header; the first byte says how it is laid out.
pub fn csv(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let scratch = Scratch::new();
    let name = if choice & 1 == 0 { "rows.csv" } else { "rows.tsv" };
    let path = scratch.write(name, bytes);
    let (text, cells) = layout(choice);
    ask(Source { text, cells, ..Source::new(path.to_string_lossy()) });
    let _ = init(&path, name, TextLayout::default(), None, &FirstAnswers::default());
}

/// An object in each line.
pub fn json_lines(bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.write("rows.jsonl", bytes);
    let source = Source::new(path.to_string_lossy());
    ask(DECLARED.iter().fold(source, |source, (name, kind)| source.declare(*name, *kind)));
    let _ = init(&path, "rows.jsonl", TextLayout::default(), None, &FirstAnswers::default());
}

/// The file format of Apache Arrow.
pub fn arrow(bytes: &[u8]) {
    typed("rows.arrow", bytes);
}

/// Apache Parquet.
pub fn parquet(bytes: &[u8]) {
    typed("rows.parquet", bytes);
}

/// `.sav` and `.zsav` of SPSS: both begin with what they are.
pub fn spss(bytes: &[u8]) {
    decoded("rows.sav", bytes);
}

/// `.dta` of Stata.
pub fn stata(bytes: &[u8]) {
    decoded("rows.dta", bytes);
}

/// `.xpt`, the transport format of SAS.
pub fn sas_transport(bytes: &[u8]) {
    decoded("rows.xpt", bytes);
}

/// Workbooks of Excel.
pub fn excel(bytes: &[u8]) {
    decoded("rows.xlsx", bytes);
}

/// Workbooks of OpenDocument.
pub fn open_document(bytes: &[u8]) {
    decoded("rows.ods", bytes);
}

/// A file that is made into text before it is read.
fn decoded(name: &str, bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.write(name, bytes);
    ask(Source::new(path.to_string_lossy()));
    let _ = init(&path, name, TextLayout::default(), None, &FirstAnswers::default());
}

fn typed(name: &str, bytes: &[u8]) {
    let scratch = Scratch::new();
    let path = scratch.write(name, bytes);
    ask(Source::new(path.to_string_lossy()));
    ask(Source::new(path.to_string_lossy()).with_public_types());
    let _ = init(&path, name, TextLayout::default(), None, &FirstAnswers::default());
}

/// Keys of groups and a public table to join; the first byte says how cells are spelled.
pub fn keys(bytes: &[u8]) {
    let Some((&choice, bytes)) = bytes.split_first() else { return };
    let scratch = Scratch::new();
    let path = scratch.write(if bytes.starts_with(b"PAR1") { "keys.parquet" } else { "keys.csv" }, bytes);
    let (_, cells) = layout(choice);
    let column = |name: &str, kind| KeyColumn { name: name.to_owned(), kind, cells: cells.clone() };
    let (region, age) = (column("region", Kind::Text), column("age", Kind::Integer));
    let _ = read_keys(&path, &[region.clone(), age.clone(), column("member", Kind::Boolean)]).map_err(told);
    let _ = read_keys(&path, std::slice::from_ref(&region)).map_err(told);
    let _ = read_lookup(&path, &[age, region.clone()], &region).map_err(told);
}

/// Layout of text and cells, from the bits of a byte. A digit or a capital letter is a choice that can be written by
/// hand: `0` is UTF-8 or the encoding of a mark, separated by commas.
fn layout(choice: u8) -> (TextLayout, CellRules) {
    let has = |bit: u8| choice & (1 << bit) != 0;
    let encoding = match (has(1), has(2)) {
        (false, false) => TextEncoding::ByMark,
        (true, false) => TextEncoding::Latin1,
        (false, true) => TextEncoding::Utf16,
        (true, true) => TextEncoding::Utf8,
    };
    let quote = if has(6) { Some(b'\'') } else { Some(b'"') };
    let separator = has(3).then_some(b';');
    let european = CellRules {
        missing: vec!["-9".to_owned(), "k. A.".to_owned()],
        thousands: Some('.'),
        decimal: ',',
        number: NumberStyle {
            marks: vec!["+".to_owned(), "<".to_owned()],
            spelled: vec![("none".to_owned(), "0".to_owned())],
            negative: Negative::Brackets,
            either_decimal: false,
            groups: vec![3, 2],
        },
        date: DateFormat::new("%d.%m.%Y").expect("a pattern"),
        ..CellRules::default()
    };
    let cells = if has(7) { european } else { CellRules::default() };
    let text = TextLayout { separator, quote, encoding, ..TextLayout::default() };
    let between = TextLayout { skip: 1, skip_rows: 1, footer: 1, comment: Some(b'#'), ..text.clone() };
    (if has(0) { between } else { text }, cells)
}

/// Opens the rows as the program does, and asks everything that can be asked of their columns.
fn ask(mut source: Source) {
    let Ok(bare) = open(&source) else { return };
    for (name, kind) in DECLARED {
        let stored = bare.columns().iter().find(|column| column.name == name);
        let is_free = source.declared.iter().all(|(declared, _)| declared != name);
        if is_free && stored.is_some_and(|column| kind.reads(column.kind)) {
            source = source.declare(name, kind);
        }
    }
    let Ok(engine) = open(&source) else { return };
    let columns: Vec<Column> = engine.columns().iter().take(6).cloned().collect();
    let _ = engine.tally(&Query::default()).map_err(told);
    let query = Query { filter: filter(&columns), keys: None, ..query(&columns) };
    let _ = engine.tally(&query).map_err(told);
    let _ = engine.survey(&survey(&columns)).map_err(told);
    if let Some(unit) = unit(&columns) {
        let bound = ContributionBound::of_rows(unit, 2);
        let _ = engine.tally(&Query { bound: Some(bound), ..query }).map_err(told);
        per_unit(source, unit, &columns);
    }
}

fn open(source: &Source) -> Result<FileEngine, DataError> {
    Ok(FileEngine::open(source).map_err(told)?.with_threads(NonZero::<usize>::MIN))
}

fn told(error: DataError) -> DataError {
    assert!(!error.to_string().is_empty());
    error
}

fn is_number(column: &Column) -> bool {
    matches!(column.kind, Kind::Integer | Kind::Number | Kind::Boolean)
}

fn unit(columns: &[Column]) -> Option<&str> {
    let unit = columns.iter().rfind(|column| matches!(column.kind, Kind::Integer | Kind::Text));
    unit.map(|column| column.name.as_str())
}

fn clip(column: &Column) -> Clip {
    let grid = Grid::power_of_two(-2).expect("a grid");
    Clip { column: column.name.clone(), lower: -40, upper: 400, grid, missing: Missing::Drop }
}

fn query(columns: &[Column]) -> Query {
    let numbers = || columns.iter().filter(|column| is_number(column));
    let values: Vec<Clip> = numbers().take(2).map(clip).collect();
    let edges = vec![-1.0, 0.5, 40.0, 1e300];
    let bins =
        numbers().next_back().map(|column| Bins::new(&column.name, edges, Missing::Drop).expect("edges that increase"));
    let products = if values.is_empty() { Vec::new() } else { vec![(0, values.len() - 1)] };
    Query { bins, values, products, ..Query::default() }
}

fn filter(columns: &[Column]) -> Option<String> {
    let condition = |column: &Column| {
        let name = format!("\"{}\"", column.name.replace('"', "\"\""));
        match column.kind {
            Kind::Integer | Kind::Number => format!("{name} <> 41"),
            Kind::Text => format!("{name} LIKE 'C%' OR {name} IN ('x', 'y')"),
            Kind::Boolean => name,
            Kind::Date => format!("{name} > '2020-01-01'"),
            Kind::Other => format!("{name} IS NOT NULL"),
        }
    };
    let all: Vec<String> = columns.iter().map(condition).collect();
    (!all.is_empty()).then(|| all.join(" OR "))
}

fn survey(columns: &[Column]) -> Survey {
    let listed = columns.iter().filter_map(|column| {
        let value = match column.kind {
            Kind::Integer => KeyValue::Integer(41),
            Kind::Text => KeyValue::Text("CA".to_owned()),
            Kind::Boolean => KeyValue::Boolean(true),
            Kind::Number | Kind::Date | Kind::Other => return None,
        };
        Some(Keys::new(vec![column.name.clone()], vec![vec![value]]).expect("one key"))
    });
    let bounded = columns.iter().filter(|column| matches!(column.kind, Kind::Integer | Kind::Number));
    let bounded = bounded.map(|column| Bounded { column: column.name.clone(), lower: 0.0, upper: 120.0 });
    Survey { rows: true, listed: listed.collect(), bounded: bounded.collect(), empty: true, ..Survey::default() }
}

/// Makes the rows of a unit into one, and asks of that.
fn per_unit(source: Source, unit: &str, columns: &[Column]) {
    let order = columns.iter().find(|column| matches!(column.kind, Kind::Integer | Kind::Number | Kind::Date));
    let taken = columns.iter().filter(|column| column.kind != Kind::Other).enumerate().map(|(place, column)| {
        let name = column.name.clone();
        let take = match (place % 5, is_number(column), order) {
            (0, true, _) => UnitTake::Sum(clip(column)),
            (1, true, _) => UnitTake::Mean(clip(column)),
            (2, _, Some(order)) => UnitTake::First { column: name.clone(), order: order.name.clone() },
            (3, _, Some(order)) => UnitTake::Last { column: name.clone(), order: order.name.clone() },
            (4, ..) => UnitTake::Min(name.clone()),
            _ => UnitTake::Max(name.clone()),
        };
        UnitColumn { name, take, filter: None }
    });
    let per_unit = PerUnit { unit: unit.to_owned(), columns: taken.collect() };
    let Ok(engine) = open(&Source { per_unit: Some(per_unit), ..source }) else { return };
    let columns = engine.columns().to_vec();
    let _ = engine.tally(&query(&columns)).map_err(told);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digit_is_the_usual_layout_and_bits_change_it() {
        assert_eq!(layout(b'0').0.separator, None);
        assert_eq!(layout(b'0').0.encoding, TextEncoding::ByMark);
        assert_eq!(layout(b'8').0.separator, Some(b';'));
        assert_eq!(layout(0xb0).1.decimal, ',');
    }
}
