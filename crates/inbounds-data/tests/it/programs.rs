//! Files of statistical programs and workbooks: answers as of the same rows in CSV, and errors without cells.

use std::path::Path;

use inbounds_data::{Bins, Clip, DataError, Engine, FileEngine, KeyValue, Kind, Missing, Query, Source, TextLayout};
use tempfile::tempdir;

use crate::{income, keys, text};

/// The rows of `tests/programs/write.py`, with the cells that SPSS is told are missing.
const PEOPLE: &str = "id,age,sex,income,town,born,seen
1,34,1,1234.5,Köln,1990-01-02,2020-01-02 03:04:05
2,,2,-2.25,,1980-12-31,
3,,1,1000000,\"St. Gallen, SG\",,1970-01-01
4,51,,0.1,\"the \"\"Hague\"\"\",2001-02-28,2024-02-29 12:00:00
5,,,12345678901234568,Zürich,1899-09-09,1999-12-31 23:59:59
";

fn file(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name).to_string_lossy().into_owned()
}

fn declared(path: impl Into<String>) -> Source {
    let kinds = [("age", Kind::Number), ("sex", Kind::Integer), ("income", Kind::Number), ("born", Kind::Date)];
    kinds.iter().fold(Source::new(path), |source, (name, kind)| source.declare(*name, *kind))
}

fn queries() -> Vec<Query> {
    let by_town = keys(["town"], [[text("Köln")], [text("the \"Hague\"")], [text("St. Gallen, SG")]]);
    let by_sex = keys(["sex"], [[KeyValue::Integer(1)], [KeyValue::Integer(2)]]);
    vec![
        Query::default(),
        Query { keys: Some(by_town), values: vec![income()], ..Query::default() },
        Query { keys: Some(by_sex), values: vec![Clip { column: "age".to_owned(), ..income() }], ..Query::default() },
        Query { bins: Some(Bins::new("age", vec![0.0, 40.0, 60.0], Missing::Drop).unwrap()), ..Query::default() },
        Query { filter: Some("born > '1985-01-01'".to_owned()), ..Query::default() },
    ]
}

fn answers(source: &Source) -> Vec<Vec<i64>> {
    let engine = FileEngine::open(source).expect("opens");
    let answer = |query: &Query| {
        let tally = engine.tally(query).expect("an answer");
        let sums = tally.sums.iter().flat_map(|sums| sums.private_steps().to_vec());
        tally.counts.private_steps().iter().copied().chain(sums).map(|steps| i64::try_from(steps).unwrap()).collect()
    };
    queries().iter().map(answer).collect()
}

#[test]
fn answers_are_those_of_the_same_rows_in_text() {
    let folder = tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_string_lossy().into_owned()
    };
    let spss = answers(&declared(write("spss.csv", PEOPLE)));
    for name in ["people-plain.sav", "people-packed.sav", "people.zsav"] {
        assert_eq!(answers(&declared(file(name))), spss, "{name}");
    }
    // No other format declares cells missing.
    let complete = PEOPLE.replace("2,,2", "2,99,2").replace("51,,", "51,9,").replace("5,,,", "5,98.5,,");
    let complete = answers(&declared(write("whole.csv", &complete)));
    assert_ne!(complete, spss);
    for name in ["people-15.dta", "people-8.xpt"] {
        assert_eq!(answers(&declared(file(name))), complete, "{name}");
    }
    let sheet = TextLayout { sheet: Some("People".to_owned()), skip: 3, footer: 1, ..TextLayout::default() };
    let book = answers(&Source { text: sheet, ..declared(file("book.xlsx")) });
    assert_eq!(book, answers(&declared(file("book.ods"))));
    assert_eq!((&book[0], &book[2..4]), (&complete[0], &complete[2..4]));
}

#[test]
fn errors_name_the_place_and_show_no_cell() {
    let folder = tempdir().unwrap();
    for name in ["people-packed.sav", "people-15.dta", "book.ods"] {
        let intact = std::fs::read(file(name)).unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, &intact[..intact.len() * 2 / 3]).unwrap();
        let source = declared(path.to_string_lossy());
        let refused = match FileEngine::open(&source) {
            Err(error) => error,
            Ok(engine) => engine.tally(&Query::default()).err().expect("it is cut off"),
        };
        assert!(matches!(refused, DataError::DamagedProgramFile { .. }), "{refused}");
        let shown = format!("{refused} {refused:?}");
        assert!(["Köln", "Hague", "1234", "1990"].iter().all(|cell| !shown.contains(cell)), "{shown}");
    }
    let years = folder.path().join("years.xlsx");
    std::fs::copy(file("book.xlsx"), &years).unwrap();
    let at = |sheet: &str, skip| {
        let text = TextLayout { sheet: Some(sheet.to_owned()), skip, ..TextLayout::default() };
        FileEngine::open(&Source { text, ..Source::new(years.to_string_lossy()) })
    };
    let absent = at("people", 0).err().expect("no such sheet").to_string();
    assert!(absent.ends_with("has no sheet `people`; its sheets are `Hidden`, `Read me`, `People`"), "{absent}");
    // The fifth line is the first row.
    let numbers = at("People", 4).err().expect("a row for a header").to_string();
    assert!(numbers.contains("field 1 is a number") && numbers.contains("header = true"), "{numbers}");
}
