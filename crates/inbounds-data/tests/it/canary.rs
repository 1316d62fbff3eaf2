//! No error text holds a cell, and no cell decides whether there is an error.

use std::error::Error;
use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, Decimal128Array, Float64Array, StringArray, TimestampMillisecondArray};
use inbounds_core::Grid;
use inbounds_data::{
    Bins, Bounded, CellRules, Clip, ContributionBound, DataError, DateFormat, DatePart, DateSpan, Day, Derivation,
    Engine, FileEngine, KeyValue, Kind, Missing, PerUnit, Query, Source, Survey, TextEncoding, TextLayout, UnitColumn,
    UnitTake,
};
use tempfile::tempdir;

use crate::{filtered, income, keys, source, text, write};

const COLUMNS: [&str; 5] = ["state", "age", "income", "member", "person"];

const CANARIES: [&str; 4] = ["canary", "8675309", "1.7976931348623157e308", "99999999999999999999999999"];

/// Everything that an error can show: its text, its debug form and its sources.
fn shown(error: &DataError) -> String {
    let mut all = format!("{error} {error:?}");
    let mut source = error.source();
    while let Some(inner) = source {
        all.push_str(&format!(" {inner} {inner:?}"));
        source = inner.source();
    }
    all
}

fn assert_clean(error: &DataError) {
    let shown = shown(error);
    for canary in CANARIES {
        assert!(!shown.contains(canary), "{canary} in {shown}");
    }
}

fn queries() -> Vec<Query> {
    let by_state = keys(["state"], [[text("CA")]]);
    let by_age = keys(["age"], [[KeyValue::Integer(1)]]);
    let bound = |unit: &str| Some(ContributionBound::of_rows(unit, 1));
    let clip = |column: &str| Clip { column: column.to_owned(), ..income() };
    let bins = |column: &str, missing| Some(Bins::new(column, vec![-1.0, 0.5, 1e300], missing).unwrap());
    let joint = Query {
        values: vec![clip("age"), clip("income"), clip("member")],
        products: vec![(0, 0), (0, 1), (1, 2)],
        ..Query::default()
    };
    vec![
        Query::default(),
        Query { keys: Some(by_state.clone()), ..joint.clone() },
        Query { bins: bins("income", Missing::Drop), ..joint.clone() },
        Query { bins: bins("age", Missing::Impute(1)), keys: Some(by_state.clone()), ..Query::default() },
        Query { bins: bins("member", Missing::Drop), bound: bound("person"), ..joint.clone() },
        Query { keys: Some(by_age.clone()), bound: bound("person"), ..joint },
        Query { keys: Some(by_state.clone()), values: vec![income()], ..Query::default() },
        Query { keys: Some(by_age.clone()), bound: bound("person"), ..Query::default() },
        Query { keys: Some(by_state), values: vec![income()], bound: bound("age"), ..Query::default() },
        Query { values: vec![clip("age")], ..Query::default() },
        Query { values: vec![clip("member")], ..Query::default() },
        filtered("age > 3 AND income < 10.5 AND member AND state LIKE 'C%' AND person IN ('x')"),
        filtered("income = 1e300 OR age = 9223372036854775807 OR age > 0.5"),
    ]
}

/// Questions about the rows themselves, with and without a bound on the rows of a unit.
fn surveys() -> Vec<Survey> {
    let bounded = |column: &str, lower, upper| Bounded { column: column.to_owned(), lower, upper };
    let survey = Survey {
        rows: true,
        listed: vec![keys(["state"], [[text("CA")]]), keys(["age"], [[KeyValue::Integer(1)]])],
        bounded: vec![bounded("age", 0.0, 1e300), bounded("income", -1.0, 0.5)],
        empty: true,
        left_out: queries(),
        bound: None,
    };
    let bound = |unit: &str| Some(ContributionBound::of_rows(unit, 1));
    vec![Survey { bound: bound("person"), ..survey.clone() }, Survey { bound: bound("age"), ..survey.clone() }, survey]
}

/// Columns of units with the names and kinds of those of the rows, one for each sort of fold.
fn per_unit() -> PerUnit {
    let column = |name: &str, take| UnitColumn { name: name.to_owned(), take, filter: None };
    let columns = vec![
        column("state", UnitTake::First { column: "state".to_owned(), order: "age".to_owned() }),
        column("age", UnitTake::Sum(Clip { column: "age".to_owned(), grid: Grid::INTEGERS, ..income() })),
        column("income", UnitTake::Mean(income())),
        UnitColumn { filter: Some("income > 3".to_owned()), ..column("member", UnitTake::Any("member".to_owned())) },
        column("person", UnitTake::Max("person".to_owned())),
    ];
    PerUnit { unit: "person".to_owned(), columns }
}

/// Every question is answered, whatever the cells, of rows and of units.
fn assert_answers(source: &Source) {
    assert_answers_of(&FileEngine::open(source).unwrap());
    for unit in ["person", "state"] {
        let per_unit = PerUnit { unit: unit.to_owned(), ..per_unit() };
        assert_answers_of(&FileEngine::open(&Source { per_unit: Some(per_unit), ..source.clone() }).unwrap());
    }
}

fn assert_answers_of(engine: &FileEngine) {
    for query in queries() {
        assert!(engine.tally(&query).is_ok(), "{query:?}");
    }
    for survey in surveys() {
        assert!(engine.survey(&survey).is_ok(), "{survey:?}");
    }
}

#[test]
fn cells_of_every_sort_raise_no_error() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let mut content = "state,age,income,member,person\n".to_owned();
    let cells = [
        "",
        "canary",
        "8675309",
        "1.7976931348623157e308",
        "99999999999999999999999999",
        "-inf",
        "NaN",
        "\"\"\"\"",
        "1e-400",
        "é",
    ];
    for a in cells {
        for b in cells {
            content.push_str(&format!("{a},{b},{a},{b},{a}\n"));
        }
    }
    fs::write(&path, content).unwrap();
    let kinds = [Kind::Integer, Kind::Number, Kind::Boolean];
    let source = ["age", "income", "member"]
        .iter()
        .zip(kinds)
        .fold(Source::new(path.to_str().unwrap()).with_public_types(), |source, (name, kind)| {
            source.declare(*name, kind)
        });
    assert_answers(&source);
}

/// The same in other layouts of text: no cell decides, however a file is laid out.
#[test]
fn cells_of_every_sort_raise_no_error_in_any_layout() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let cells = ["", "canary", "8675309", "1,7976931348623157e308", "1.7.9", "-inf", "NaN", "''''", ",", "é", "\u{80}"];
    let european = CellRules { decimal: ',', missing: vec!["8675309".into(), "".into()], ..CellRules::default() };
    for encoding in ["utf-8", "latin-1", "windows-1250", "macintosh"].map(|name| TextEncoding::named(name).unwrap()) {
        for quote in [Some(b'\''), None] {
            let mut content = "state;age;income;member;person\n".to_owned();
            for a in cells {
                cells.iter().for_each(|b| content.push_str(&format!("{a};{b};{a};{b};{a}\r\n")));
            }
            let layout = TextLayout { separator: Some(b';'), quote, encoding, ..TextLayout::default() };
            let between = TextLayout { skip: 1, skip_rows: 1, footer: 2, comment: Some(b'#'), ..layout.clone() };
            let lines = format!("canary ' title\r\n{content}#canary ' \r\n\r\ncanary");
            for (layout, content) in [(layout, content), (between, lines)] {
                fs::write(&path, content).unwrap();
                let source = Source {
                    text: layout,
                    cells: european.clone(),
                    ..Source::new(path.to_str().unwrap()).with_public_types()
                };
                let source = source.declare("age", Kind::Integer).declare("income", Kind::Number);
                assert_answers(&source.declare("member", Kind::Boolean));
            }
        }
    }
    for kind in [Kind::Integer, Kind::Number, Kind::Boolean, Kind::Text] {
        let content = cells.iter().map(|cell| cell.replace(',', ".")).collect::<Vec<_>>().join("\n");
        fs::write(&path, format!("age\n{content}\n")).unwrap();
        let engine =
            FileEngine::open(&Source::new(path.to_str().unwrap()).with_public_types().declare("age", kind)).unwrap();
        assert_eq!(engine.tally(&Query::default()).unwrap().counts.private_steps(), [cells.len() as i128]);
        assert!(engine.tally(&filtered("age IS NULL")).is_ok());
    }
}

/// The same as values of JSON, and as names of folders.
#[test]
fn cells_of_every_sort_raise_no_error_in_json_and_folders() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.jsonl");
    let cells = [
        "null",
        "true",
        "\"canary\"",
        "8675309",
        "1.7976931348623157e308",
        "99999999999999999999999999",
        "-1e99999",
        "[\"canary\"]",
        "{\"age\":\"canary\"}",
        "\"\\ud800canary\"",
        "\"\\u0000\"",
        "\"\"",
    ];
    let mut content = String::new();
    for a in cells {
        for b in cells {
            content.push_str(&format!("{{\"state\":{a},\"age\":{b},\"income\":{a},\"member\":{b},\"person\":{a}}}\n"));
        }
        content.push_str(&format!("{{\"age\":{a}}}\n"));
    }
    fs::write(&path, content).unwrap();
    let part = folder.path().join("parts");
    for cell in ["canary", "8675309", "", "%ff", "__HIVE_DEFAULT_PARTITION__", "1e400"] {
        let inner = part.join(format!("state={cell}/age={cell}/income={cell}/member={cell}/person={cell}"));
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("rows.csv"), "a,b\n1,2\n").unwrap();
    }
    for path in [path, part] {
        let kinds = [Kind::Text, Kind::Integer, Kind::Number, Kind::Boolean, Kind::Text].into_iter().zip(COLUMNS);
        let source = Source::new(path.to_str().unwrap()).with_public_types();
        let source = kinds.fold(source, |source, (kind, name)| source.declare(name, kind));
        assert_answers(&source);
    }
}

/// The same as dates, as texts in two formats and as the extreme numbers of stored times.
#[test]
fn cells_of_every_sort_raise_no_error_as_dates() {
    let folder = tempdir().unwrap();
    let cells =
        ["", "canary", "8675309", "2024-02-30", "9999-12-31T99:99", "10000-01-01", "-0001-01-01", "31.12.2024", "é"];
    let csv = folder.path().join("rows.csv");
    let lines: String = cells.iter().map(|cell| format!("{cell},1\n")).collect();
    fs::write(&csv, format!("day,other\n{lines}")).unwrap();
    let parquet = folder.path().join("rows.parquet");
    let extreme = vec![Some(i64::MIN), Some(i64::MAX), Some(-1), None];
    write::columns(&parquet, vec![("day", Arc::new(TimestampMillisecondArray::from(extreme)) as ArrayRef)]);
    let zoned = folder.path().join("zoned.parquet");
    let extreme = TimestampMillisecondArray::from(vec![Some(i64::MIN), Some(i64::MAX), Some(-1), None]);
    write::columns(&zoned, vec![("day", Arc::new(extreme.with_timezone("Europe/Berlin")) as ArrayRef)]);
    let several = DateFormat::any(&["%d.%m.%Y", "%Y-%m-%d"]).unwrap();
    for (path, format) in [
        (&csv, DateFormat::default()),
        (&csv, DateFormat::new("%d.%m.%Y").unwrap()),
        (&csv, several),
        (&parquet, DateFormat::default()),
        (&zoned, DateFormat::default()),
    ] {
        let rules = CellRules { date: format, missing: vec!["8675309".into()], ..CellRules::default() };
        let source = Source { cells: rules, ..Source::new(path.to_str().unwrap()).with_public_types() }
            .declare("day", Kind::Date);
        let at = DatePart::AgeAt(Day::parse("9999-12-31").unwrap());
        let taken = |part| Derivation::Taken { from: "day".to_owned(), part };
        let source = source.derive("year", taken(DatePart::Year)).derive("age", taken(at));
        let elapsed = Derivation::Elapsed { from: "day".to_owned(), to: "day".to_owned(), unit: DateSpan::Years };
        let source = source.derive("hour", taken(DatePart::Hour)).derive("week", taken(DatePart::YearWeek));
        let source = source.derive("years", elapsed);
        let engine = FileEngine::open(&source).unwrap();
        let clip = Clip { column: "age".to_owned(), ..income() };
        let by_year = keys(["year"], [[KeyValue::Integer(2024)]]);
        let query = Query { keys: Some(by_year), values: vec![clip], products: vec![(0, 0)], ..Query::default() };
        assert!(engine.tally(&query).is_ok());
        for filter in [
            "day > '2020-01-01' OR age < 10.5",
            "year IS NULL AND day IS NULL",
            "day <= day AND years = 0",
            "hour = 7",
            "week = 'x'",
        ] {
            assert!(engine.tally(&filtered(filter)).is_ok());
        }
    }
}

/// The same through every rule by which columns are made of others.
#[test]
fn cells_of_every_sort_raise_no_error_in_derived_columns() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let cells = ["", "canary", "8675309", "1.7976931348623157e308", "-inf", "inf", "NaN", "-0", "5e-324", "true", "CA"];
    let mut content = "state,age,income,member,person\n".to_owned();
    for a in cells {
        cells.iter().for_each(|b| content.push_str(&format!("{a},{b},{a},{b},{a}\n")));
    }
    fs::write(&path, content).unwrap();
    let source = crate::derived::with_rules(source(&path));
    let engine = FileEngine::open(&source).unwrap();
    for query in crate::derived::queries() {
        let tally = engine.tally(&query).unwrap();
        assert!(tally.counts.private_steps().iter().all(|count| (0..=121).contains(count)), "{query:?}");
    }
    let survey = Survey {
        rows: true,
        listed: vec![keys(["class"], [[text("old")]]), keys(["code"], [[KeyValue::Integer(9)]])],
        bounded: vec![Bounded { column: "score".to_owned(), lower: 0.0, upper: 1.0 }],
        empty: true,
        left_out: crate::derived::queries(),
        bound: Some(ContributionBound::of_rows("class", 2)),
    };
    assert!(engine.survey(&survey).is_ok());
}

#[test]
fn extreme_parquet_cells_raise_no_error() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let most = 10i128.pow(38) - 1;
    let decimal = Decimal128Array::from(vec![most, -most, 0]).with_precision_and_scale(38, 20).unwrap();
    write::columns(
        &path,
        vec![
            ("d", Arc::new(decimal) as ArrayRef),
            ("f", Arc::new(Float64Array::from(vec![f64::MAX, f64::MIN, 5e-324]))),
            ("t", Arc::new(StringArray::from(vec!["canary", "8675309", ""]))),
        ],
    );
    let engine = FileEngine::open(&Source::new(path.to_str().unwrap()).with_public_types()).unwrap();
    for column in ["d", "f"] {
        assert!(
            engine
                .tally(&Query {
                    values: vec![Clip { column: column.to_owned(), ..income() }],
                    products: vec![(0, 0)],
                    bins: Some(Bins::new(column, vec![-1e308, 0.0, 1e-320, 1e19], Missing::Drop).unwrap()),
                    ..Query::default()
                })
                .is_ok()
        );
        for operator in ["=", "<>", "<", ">="] {
            for literal in ["0", "-1", "9223372036854775807", "1e308", "99999999999999999999999999999999999999.5"] {
                assert!(engine.tally(&filtered(&format!("{column} {operator} {literal}"))).is_ok());
            }
        }
    }
}

#[test]
fn broken_files_and_refused_queries_show_no_cell() {
    let folder = tempdir().unwrap();
    let header = "state,age,income,member,person\n";
    let good = "canary,8675309,1.7976931348623157e308,canary,99999999999999999999999999\n";
    let open = |path: &std::path::Path| FileEngine::open(&Source::new(path.to_str().unwrap()).with_public_types());
    let mut errors = Vec::new();
    for broken in ["canary,8675309\n", "canary,8675309,1,1,1,1,1,canary\n", "\"canary\n", "a\"canary\"b,\"x\"canary,\n"]
    {
        let path = folder.path().join("rows.csv");
        fs::write(&path, format!("{header}{good}{broken}{good}")).unwrap();
        errors.extend(open(&path).unwrap().tally(&Query::default()).err());
        errors.extend(surveys().iter().filter_map(|survey| open(&path).unwrap().survey(survey).err()));
        errors.extend(
            open(&path).unwrap().tally(&Query { keys: Some(keys(["state"], [[text("x")]])), ..Query::default() }).err(),
        );
    }
    assert!(errors.len() >= 16, "broken lines are errors: {}", errors.len());
    // Rows where the header should be.
    let path = folder.path().join("headless.csv");
    fs::write(&path, good).unwrap();
    errors.extend(open(&path).err());
    fs::write(&path, "a,b\n").unwrap();
    fs::write(folder.path().join("headless2.csv"), "canary,canary canary\n").unwrap();
    errors.extend(open(&folder.path().join("headless*.csv")).err());
    let path = folder.path().join("rows.csv");
    fs::write(&path, format!("{header}{good}")).unwrap();
    let engine = open(&path).unwrap();
    for query in queries() {
        errors.extend(engine.check(&query).err());
    }
    // Columns that a survey cannot count in this way: text between bounds, numbers among texts.
    let wrong = |bounded, listed| Survey { rows: true, bounded, listed, ..Survey::default() };
    let text_between = Bounded { column: "state".to_owned(), lower: 0.0, upper: 1.0 };
    errors.extend(engine.survey(&wrong(vec![text_between], vec![])).err());
    errors.extend(engine.survey(&wrong(vec![], vec![keys(["absent"], [[text("CA")]])])).err());
    // Parquet with each eighth of the file overwritten in turn.
    let path = folder.path().join("rows.parquet");
    write::columns(&path, vec![("state", Arc::new(StringArray::from(vec!["canary"; 5_000])) as ArrayRef)]);
    let intact = fs::read(&path).unwrap();
    for part in 0..8 {
        let mut damaged = intact.clone();
        damaged[intact.len() / 8 * part..intact.len() / 8 * (part + 1)].fill(0x5a);
        fs::write(&path, damaged).unwrap();
        match open(&path) {
            Err(error) => errors.push(error),
            Ok(engine) => errors
                .extend(engine.tally(&Query { keys: Some(keys(["state"], [[text("x")]])), ..Query::default() }).err()),
        }
    }
    assert!(errors.len() > 30, "{}", errors.len());
    errors.iter().for_each(assert_clean);
}
