//! One row for each unit: against a reference that holds all rows, under removal of a unit, and in any order.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use inbounds_core::Grid;
use inbounds_data::{
    Clip, DataError, Engine, FileEngine, KeyValue, Kind, Missing, PerUnit, Query, Source, UnitColumn, UnitTake,
};
use tempfile::tempdir;

use crate::random::{Random, STATES};
use crate::write::{self, Row};
use crate::{all_answers, income, keys, partitions, source, text};

fn column(name: &str, take: UnitTake) -> UnitColumn {
    UnitColumn { name: name.to_owned(), take, filter: None }
}

fn ages(missing: Missing) -> Clip {
    Clip { column: "age".to_owned(), lower: 10, upper: 80, grid: Grid::INTEGERS, missing }
}

fn first(column: &str) -> UnitTake {
    UnitTake::First { column: column.to_owned(), order: "age".to_owned() }
}

fn last(column: &str) -> UnitTake {
    UnitTake::Last { column: column.to_owned(), order: "age".to_owned() }
}

fn per_unit() -> PerUnit {
    let named = |name: &str| name.to_owned();
    let columns = vec![
        UnitColumn { filter: Some("state = 'CA' OR age > 50".to_owned()), ..column("rows", UnitTake::Rows) },
        column("total", UnitTake::Sum(income())),
        column("ages", UnitTake::Sum(ages(Missing::Impute(44)))),
        column("mean", UnitTake::Mean(ages(Missing::Drop))),
        column("oldest", UnitTake::Max(named("age"))),
        column("least", UnitTake::Min(named("income"))),
        column("first", first("state")),
        column("last", last("state")),
        column("last-income", last("income")),
        column("any", UnitTake::Any(named("member"))),
        UnitColumn { filter: Some("age < 30".to_owned()), ..column("all", UnitTake::All(named("member"))) },
        column("greatest", UnitTake::Max(named("state"))),
    ];
    PerUnit { unit: "person".to_owned(), columns }
}

fn open(path: &Path) -> FileEngine {
    FileEngine::open(&Source { per_unit: Some(per_unit()), ..source(path) }).unwrap()
}

/// The cells of one unit, by the definition.
#[derive(Debug)]
struct Cells {
    rows: i64,
    total: f64,
    ages: i64,
    mean: Option<f64>,
    oldest: Option<i64>,
    least: Option<f64>,
    first: Option<String>,
    last: Option<String>,
    last_income: Option<f64>,
    any: bool,
    all: Option<bool>,
    greatest: Option<String>,
}

fn reference(rows: &[Row]) -> Vec<Cells> {
    let mut units: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        if let Some(person) = &row.person {
            units.entry(person).or_default().push(row);
        }
    }
    units.into_values().map(|rows| cells(&rows)).collect()
}

fn cells(rows: &[&Row]) -> Cells {
    let number = |row: &&Row| row.income.filter(|income| !income.is_nan());
    let quarters = |income: f64| (income * 4.0).clamp(0.0, 800_000.0).round_ties_even() / 4.0;
    let clipped: Vec<i64> = rows.iter().filter_map(|row| row.age).map(|age| age.clamp(10, 80)).collect();
    let states = || rows.iter().filter_map(|row| Some((row.age?, row.state.clone()?)));
    let incomes = rows.iter().filter_map(|row| Some((row.age?, number(row)?)));
    let young: Vec<bool> =
        rows.iter().filter(|row| row.age.is_some_and(|age| age < 30)).filter_map(|row| row.member).collect();
    let counts = |row: &&&Row| row.state.as_deref() == Some("CA") || row.age.is_some_and(|age| age > 50);
    Cells {
        rows: rows.iter().filter(counts).count() as i64,
        total: rows.iter().filter_map(number).map(quarters).sum(),
        ages: clipped.iter().sum::<i64>() + 44 * (rows.len() - clipped.len()) as i64,
        mean: (!clipped.is_empty()).then(|| clipped.iter().sum::<i64>() as f64 / clipped.len() as f64),
        oldest: rows.iter().filter_map(|row| row.age).max(),
        least: rows.iter().filter_map(number).min_by(f64::total_cmp),
        first: states().min().map(|(_, state)| state),
        last: states().max().map(|(_, state)| state),
        last_income: incomes.max_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))).map(|(_, income)| income),
        any: rows.iter().any(|row| row.member == Some(true)),
        all: (!young.is_empty()).then(|| young.iter().all(|&member| member)),
        greatest: rows.iter().filter_map(|row| row.state.clone()).max(),
    }
}

/// The number of units, and of those without a cell, in each column; and what the cells add up to in a fine grid, or by
/// value.
fn answers_of(engine: &FileEngine) -> Vec<Vec<Vec<i128>>> {
    let states = || STATES.map(|state| [text(state)]);
    let truths = [false, true].map(|truth| [KeyValue::Boolean(truth)]);
    let counts = (0..60).map(|rows| [KeyValue::Integer(rows)]);
    let fine = |column: &str| Clip { column: column.to_owned(), grid: Grid::power_of_two(-10).unwrap(), ..wide() };
    let value = |clip: Clip| Query { values: vec![clip], ..Query::default() };
    let by = |column: &str, values: &mut dyn Iterator<Item = [KeyValue; 1]>| Query {
        keys: Some(keys([column], values)),
        ..Query::default()
    };
    let queries = [
        by("rows", &mut counts.into_iter()),
        value(fine("total")),
        value(fine("ages")),
        value(fine("mean")),
        value(fine("oldest")),
        value(fine("least")),
        by("first", &mut states().into_iter()),
        by("last", &mut states().into_iter()),
        value(fine("last-income")),
        by("any", &mut truths.clone().into_iter()),
        by("all", &mut truths.into_iter()),
        by("greatest", &mut states().into_iter()),
        Query { filter: Some("rows > 1 AND \"any\" AND \"last-income\" < 1000".to_owned()), ..Query::default() },
    ];
    queries.iter().map(|query| all_answers(engine, query)).collect()
}

fn wide() -> Clip {
    let grid = Grid::INTEGERS;
    Clip { column: String::new(), lower: -Clip::MAX_STEPS, upper: Clip::MAX_STEPS, grid, missing: Missing::Drop }
}

/// The same of the reference.
fn expected(units: &[Cells]) -> Vec<Vec<Vec<i128>>> {
    let number = |cell: &dyn Fn(&Cells) -> Option<f64>| {
        let cells: Vec<f64> = units.iter().filter_map(cell).collect();
        let limit = Clip::MAX_STEPS as f64;
        let steps = cells.iter().map(|cell| (cell * 1024.0).clamp(-limit, limit).round_ties_even() as i128);
        vec![vec![cells.len() as i128], vec![steps.sum()]]
    };
    let count = |holds: &dyn Fn(&Cells) -> bool| units.iter().filter(|cells| holds(cells)).count() as i128;
    let states = |cell: &dyn Fn(&Cells) -> Option<String>| {
        vec![STATES.map(|state| count(&|cells| cell(cells).as_deref() == Some(state))).to_vec()]
    };
    let truths = |cell: &dyn Fn(&Cells) -> Option<bool>| {
        vec![[false, true].map(|truth| count(&|cells| cell(cells) == Some(truth))).to_vec()]
    };
    let is_some = |cells: &Cells| cells.rows > 1 && cells.any && cells.last_income.is_some_and(|income| income < 1e3);
    vec![
        vec![(0..60).map(|rows| count(&|cells| cells.rows == rows)).collect()],
        number(&|cells| Some(cells.total)),
        number(&|cells| Some(cells.ages as f64)),
        number(&|cells| cells.mean),
        number(&|cells| cells.oldest.map(|age| age as f64)),
        number(&|cells| cells.least),
        states(&|cells| cells.first.clone()),
        states(&|cells| cells.last.clone()),
        number(&|cells| cells.last_income),
        truths(&|cells| Some(cells.any)),
        truths(&|cells| cells.all),
        states(&|cells| cells.greatest.clone()),
        vec![vec![count(&is_some)]],
    ]
}

#[test]
fn each_unit_is_one_row_with_the_cells_that_are_defined() {
    let folder = tempdir().unwrap();
    for (seed, count, units) in [(30, 3_000, 200), (31, 400, 5), (32, 500, 2_000), (33, 0, 1)] {
        let rows = Random::new(seed).rows(count, units);
        for path in write::both(folder.path(), &rows) {
            assert_eq!(answers_of(&open(&path)), expected(&reference(&rows)), "seed {seed}, {}", path.display());
        }
    }
}

#[test]
fn neither_order_nor_files_nor_threads_decide_a_cell() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(34);
    let mut rows = random.rows(4_000, 300);
    let path = folder.path().join("rows.parquet");
    write::parquet(&path, &rows);
    let first = answers_of(&partitions(open(&path), 1));
    for threads in [2, 3, 8] {
        assert_eq!(answers_of(&partitions(open(&path), threads)), first);
    }
    for round in 0..3 {
        random.shuffle(&mut rows);
        let many = folder.path().join(format!("parquet-{round}"));
        fs::create_dir(&many).unwrap();
        for (index, part) in rows.chunks(900 + round).enumerate() {
            write::parquet(&many.join(format!("{index}.parquet")), part);
        }
        assert_eq!(answers_of(&partitions(open(&many), 3)), first, "split, round {round}");
    }
}

/// The claim that one unit is one row: whatever its rows are, its removal takes one row from every count and leaves all
/// other cells as they are, even where a unit has a hundred rows.
#[test]
fn a_unit_that_is_removed_is_one_row_that_is_removed() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let mut rows = Random::new(35).rows(600, 12);
    rows.iter_mut().take(100).for_each(|row| row.person = Some("p0".to_owned()));
    write::parquet(&path, &rows);
    let all = answers_of(&open(&path));
    for unit in 0..12 {
        let unit = format!("p{unit}");
        let others: Vec<Row> = rows.iter().filter(|row| row.person.as_ref() != Some(&unit)).cloned().collect();
        write::parquet(&path, &others);
        for (all, fewer) in all.iter().zip(answers_of(&open(&path))) {
            let lost: i128 = all[0].iter().zip(&fewer[0]).map(|(all, fewer)| all - fewer).sum();
            assert!((0..=1).contains(&lost), "{unit} is {lost} rows");
            assert!(all[0].iter().zip(&fewer[0]).all(|(all, fewer)| all >= fewer));
        }
    }
}

#[test]
fn whole_numbers_keep_all_their_digits_and_dates_their_days() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let lines = [
        "1,9007199254740993,2020-02-29,x",
        "1,4,2019-12-31,y",
        "2,-9223372036854775808,,z",
        "2,7,2021-06-01,",
        " 1 ,5,never,w",
        ",6,2020-01-01,v",
        "1.5,6,2020-01-01,v",
    ];
    fs::write(&path, format!("id,n,day,word\n{}\n", lines.join("\n"))).unwrap();
    let source = Source::new(path.to_str().unwrap()).with_public_types();
    let source = source.declare("id", Kind::Integer).declare("n", Kind::Integer).declare("day", Kind::Date);
    let first = |column: &str, order: &str| UnitTake::First { column: column.to_owned(), order: order.to_owned() };
    let columns = vec![
        column("most", UnitTake::Max("n".to_owned())),
        column("first-day", UnitTake::Min("day".to_owned())),
        column("word", first("word", "day")),
        column("rows", UnitTake::Rows),
    ];
    let per_unit = PerUnit { unit: "id".to_owned(), columns };
    let engine = FileEngine::open(&Source { per_unit: Some(per_unit), ..source }).unwrap();
    let kinds: Vec<Kind> = engine.columns().iter().map(|column| column.kind).collect();
    assert_eq!(kinds, [Kind::Integer, Kind::Date, Kind::Text, Kind::Integer]);
    let count = |filter: &str| all_answers(&engine, &crate::filtered(filter))[0][0];
    assert_eq!(count("most = 9007199254740993 AND rows = 3"), 1);
    assert_eq!(count("most = 7 AND rows = 2 AND word IS NULL"), 1);
    assert_eq!(count("\"first-day\" = '2019-12-31' AND word = 'y'"), 1);
    assert_eq!(count("\"first-day\" = '2021-06-01'"), 1);
    assert_eq!(count("rows > 0"), 2);
}

#[test]
fn what_cannot_be_taken_is_refused_by_the_name_of_its_column() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    write::parquet(&path, &[]);
    let refused = |wrong: UnitColumn| {
        let per_unit = PerUnit { unit: "person".to_owned(), columns: vec![column("fine", UnitTake::Rows), wrong] };
        let opened = FileEngine::open(&Source { per_unit: Some(per_unit), ..source(&path) });
        let Err(DataError::UnitColumn { column, source }) = opened else { panic!("it is refused") };
        assert_eq!(column, "wrong");
        source.to_string()
    };
    let wrong = |take: UnitTake| refused(column("wrong", take));
    assert!(wrong(UnitTake::Max("aeg".to_owned())).contains("`age`"));
    assert!(wrong(UnitTake::Any("age".to_owned())).contains("must be boolean"));
    assert!(wrong(UnitTake::Sum(Clip { column: "state".to_owned(), ..wide() })).contains("integer, number or boolean"));
    assert!(wrong(UnitTake::Sum(Clip { lower: 3, upper: 3, ..income() })).contains("bounds of `income`"));
    let by_state = UnitTake::First { column: "age".to_owned(), order: "state".to_owned() };
    assert!(wrong(by_state).contains("integer, number or date"));
    let filter = Some("agee > 3".to_owned());
    assert!(refused(UnitColumn { filter, ..column("wrong", UnitTake::Rows) }).contains("`age`"));
    let twice = PerUnit { unit: "person".to_owned(), columns: vec![column("n", UnitTake::Rows); 2] };
    assert!(FileEngine::open(&Source { per_unit: Some(twice), ..source(&path) }).is_err());
}
