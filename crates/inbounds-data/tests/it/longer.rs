//! Gathered columns: the same answers as of a file in which every cell has a row of its own.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray};
use inbounds_data::{
    Clip, ContributionBound, DataError, Engine, FileEngine, KeyValue, Kind, Longer, MemoryRows, Query, Source, Survey,
};
use tempfile::tempdir;

use crate::random::Random;
use crate::{filtered, income, keys, partitions, text, write};

const YEARS: [&str; 3] = ["2021", "2022", "2023"];

fn gathered(path: &Path) -> Source {
    let longer = Longer {
        columns: YEARS.map(str::to_owned).to_vec(),
        names_to: "year".to_owned(),
        values_to: "income".to_owned(),
    };
    let source = declared(path);
    Source { longer: Some(longer), ..source }
}

fn declared(path: &Path) -> Source {
    let mut source = Source::new(path.to_str().unwrap());
    source.text.header = path.to_string_lossy().ends_with("csv");
    source
        .declare("year", Kind::Integer)
        .declare("income", Kind::Number)
        .declare("state", Kind::Text)
        .declare("person", Kind::Text)
}

fn queries() -> Vec<Query> {
    let by_year = keys(["year"], [2021, 2022, 2023, 2024].map(|year| [KeyValue::Integer(year)]));
    let by_both = keys(["state", "year"], [("CA", 2022), ("NV", 2021)].map(|(s, y)| [text(s), KeyValue::Integer(y)]));
    let bound = |rows| Some(ContributionBound::of_rows("person", rows));
    vec![
        Query::default(),
        Query { keys: Some(by_year.clone()), ..Query::default() },
        Query { keys: Some(by_year.clone()), values: vec![income()], products: vec![(0, 0)], ..Query::default() },
        Query { keys: Some(by_both), values: vec![income()], ..Query::default() },
        Query { keys: Some(by_year.clone()), values: vec![income()], bound: bound(3), ..Query::default() },
        Query {
            values: vec![Clip { lower: 100, ..income() }],
            ..filtered("year >= 2022 AND income > 10 AND state <> 'NV'")
        },
        filtered("income IS NULL"),
        Query { bound: bound(1), ..Query::default() },
    ]
}

fn answers(source: &Source, threads: usize) -> Vec<Vec<Vec<i128>>> {
    let engine = partitions(FileEngine::open(source).unwrap_or_else(|error| panic!("{error}")), threads);
    let one = |query: &Query| {
        let tally = engine.tally(query).unwrap_or_else(|error| panic!("{error}"));
        let all = std::iter::once(&tally.counts).chain(&tally.sums).chain(&tally.products);
        all.map(|answer| answer.private_steps().to_vec()).collect()
    };
    queries().iter().map(one).collect()
}

#[test]
fn gathered_columns_are_rows() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(20);
    let rows = 3_000;
    let persons: Vec<String> = (0..rows).map(|row| format!("p{row}")).collect();
    let states: Vec<Option<&str>> =
        (0..rows).map(|_| [Some("CA"), Some("NV"), None][random.below(3) as usize]).collect();
    let cell = |random: &mut Random| (random.below(5) > 0).then(|| random.below(2_000) as f64 / 4.0);
    let cells: Vec<[Option<f64>; 3]> = (0..rows).map(|_| [(); 3].map(|()| cell(&mut random))).collect();
    let (mut wide, mut long) = ("person,2021,state,2023,2022\n".to_owned(), "person,state,year,income\n".to_owned());
    let mut json = String::new();
    let shown = |cell: &Option<f64>| cell.map(|cell| cell.to_string()).unwrap_or_default();
    let or_null = |cell: &Option<f64>| cell.map_or("null".to_owned(), |cell| cell.to_string());
    for ((person, state), own) in persons.iter().zip(&states).zip(&cells) {
        let [a, b, c] = own;
        writeln!(wide, "{person},{},{},{},{}", shown(a), state.unwrap_or_default(), shown(c), shown(b)).unwrap();
        let state_json = state.map_or("null".to_owned(), |state| format!("\"{state}\""));
        writeln!(
            json,
            "{{\"2022\":{},\"person\":\"{person}\",\"2023\":{},\"state\":{state_json},\"2021\":{}}}",
            or_null(b),
            or_null(c),
            or_null(a)
        )
        .unwrap();
        for (year, cell) in YEARS.iter().zip(own) {
            writeln!(long, "{person},{},{year},{}", state.unwrap_or_default(), shown(cell)).unwrap();
        }
    }
    let at = |name: &str| folder.path().join(name);
    for (name, text) in [("wide.csv", &wide), ("long.csv", &long), ("wide.jsonl", &json)] {
        fs::write(at(name), text).unwrap();
    }
    let column =
        |place: usize| -> ArrayRef { Arc::new(cells.iter().map(|cell| cell[place]).collect::<Float64Array>()) };
    let people: ArrayRef = Arc::new(StringArray::from(persons.clone()));
    let state: ArrayRef = Arc::new(StringArray::from(states.clone()));
    // One of the years has another type than the others, as a program may have given it.
    let integers: ArrayRef = Arc::new(cells.iter().map(|cell| cell[2].map(|cell| cell as i64)).collect::<Int64Array>());
    write::columns(
        &at("wide.parquet"),
        vec![
            ("person", people.clone()),
            ("2023", column(2)),
            ("state", state.clone()),
            ("2021", column(0)),
            ("2022", column(1)),
        ],
    );
    let expected = answers(&declared(&at("long.csv")), 1);
    for name in ["wide.csv", "wide.jsonl", "wide.parquet"] {
        for threads in [1, 3] {
            assert_eq!(answers(&gathered(&at(name)), threads), expected, "{name} {threads}");
        }
    }
    write::columns(
        &at("mixed.parquet"),
        vec![("person", people), ("2023", integers), ("state", state), ("2021", column(0)), ("2022", column(1))],
    );
    let mixed = FileEngine::open(&gathered(&at("mixed.parquet"))).unwrap();
    assert_eq!(mixed.tally(&Query::default()).unwrap().counts.private_steps(), [3 * rows as i128]);
    let folders = folder.path().join("wave=1");
    fs::create_dir(&folders).unwrap();
    fs::write(folders.join("wide.csv"), &wide).unwrap();
    let waves = FileEngine::open(&gathered(&folder.path().join("wave=*/*.csv"))).unwrap();
    let by =
        keys(["wave", "year"], [("1", 2021), ("2", 2021)].map(|(wave, year)| [text(wave), KeyValue::Integer(year)]));
    let tally = waves.tally(&Query { keys: Some(by), ..Query::default() }).unwrap();
    assert_eq!(tally.counts.private_steps(), [rows as i128, 0]);
    let survey = Survey { rows: true, ..Survey::default() };
    assert_eq!(mixed.survey(&survey).unwrap().private_steps(), [3 * rows as i128]);
}

#[test]
fn what_cannot_be_gathered_is_named() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("wide.csv");
    let open = |header: &str, source: &dyn Fn(&Path) -> Source| {
        fs::write(&path, format!("{header}\n1,2,3,4,5\n")).unwrap();
        FileEngine::open(&source(&path)).err().map(|error| error.to_string())
    };
    let wide = "person,state,2021,2022,2023";
    assert_eq!(open(wide, &gathered), None);
    let absent = open("person,state,2021,2022,2024", &gathered).expect("no 2023");
    assert!(absent.contains("`2023`"), "{absent}");
    let taken = open("person,year,2021,2022,2023", &gathered).expect("a column year");
    assert!(taken.contains("`year` is made of gathered columns, but there is a column of this name"), "{taken}");
    fs::write(&path, format!("{wide}\n1,2,3,4,5\n")).unwrap();
    let engine = FileEngine::open(&gathered(&path)).unwrap();
    let refused =
        engine.tally(&Query { keys: Some(keys(["2021"], [[text("3")]])), ..Query::default() }).err().expect("gathered");
    assert!(matches!(&refused, DataError::Gathered { column, .. } if column == "2021"), "{refused}");
    let batch = RecordBatch::try_from_iter([("2021", Arc::new(Int64Array::from(vec![1])) as ArrayRef)]).unwrap();
    let rows = MemoryRows::new("rows", batch.schema(), &[batch]).unwrap();
    let memory = Source { longer: gathered(&path).longer, ..Source::in_memory("rows", rows) };
    let refused = FileEngine::open(&memory).err().expect("memory").to_string();
    assert!(refused.contains("gather those of rows in memory before"), "{refused}");
}
