//! Surveys: rows, listed keys, and numbers beside their bounds, against counts by hand.

use inbounds_core::Grid;
use inbounds_data::{
    Bins, Bounded, CellRules, Clip, ContributionBound, Derivation, DerivedColumn, Engine, FileEngine, KeyValue, Kind,
    Missing, Query, Questions, Source, Survey,
};
use tempfile::tempdir;

use crate::{keys, partitions, text};

const ROWS: &str = "person,state,age,income\n\
    1,CA,30,10\n\
    1,CA,17,0\n\
    2,NV,18,100\n\
    2,nv,65,100.5\n\
    3,,66,\n\
    3,OR,old,-0.5\n\
    ,CA,,inf\n\
    4,CA,40,NaN\n";

fn engine(folder: &std::path::Path) -> FileEngine {
    let path = folder.join("rows.csv");
    std::fs::write(&path, ROWS).unwrap();
    let source = Source::new(path.to_str().unwrap())
        .with_public_types()
        .declare("age", Kind::Integer)
        .declare("income", Kind::Number);
    FileEngine::open(&source).unwrap()
}

fn survey() -> Survey {
    let bounded = |column: &str, lower, upper| Bounded { column: column.to_owned(), lower, upper };
    Survey {
        rows: true,
        listed: vec![keys(["state"], [[text("CA")], [text("NV")]])],
        bounded: vec![bounded("age", 18.0, 65.0), bounded("income", 0.0, 100.0)],
        empty: true,
        ..Survey::default()
    }
}

fn counts(engine: &FileEngine, survey: &Survey) -> Vec<i128> {
    let questions = Questions { surveys: vec![survey], ..Questions::default() };
    let answer = crate::answer(engine, &questions).surveys.into_iter().next().unwrap();
    assert_eq!(answer.cells(), survey.counts());
    answer.private_steps().to_vec()
}

#[test]
fn everything_is_counted_once() {
    let folder = tempdir().unwrap();
    for threads in [1, 3] {
        let engine = partitions(engine(folder.path()), threads);
        // Rows; listed states; ages below, within, above; incomes likewise; empty states, ages, incomes.
        let expected = [8, 5, 1, 4, 1, 1, 3, 2, 1, 1, 1];
        assert_eq!(counts(&engine, &survey()), expected);
        let diagnostics = Survey { empty: false, ..survey() };
        assert_eq!(counts(&engine, &diagnostics), expected[..8]);
        assert_eq!(counts(&engine, &Survey { rows: false, ..diagnostics }), expected[1..8]);
    }
}

/// An empty cell is listed where the missing cell is a key, or where a rule gives it a value; it counts once.
#[test]
fn empty_cells_that_are_listed_count_once() {
    let folder = tempdir().unwrap();
    let rule = Derivation::Recoded {
        from: "state".into(),
        codes: vec![(KeyValue::Missing, Some(text("none"))), (text("CA"), Some(text("west")))],
        others: None,
    };
    let derived = DerivedColumn { name: "coast".into(), rule };
    let path = folder.path().join("rows.csv");
    std::fs::write(&path, ROWS).unwrap();
    let source = Source { derived: vec![derived], ..Source::new(path.to_str().unwrap()).declare("state", Kind::Text) };
    let engine = FileEngine::open(&source).unwrap();
    let listed = vec![
        keys(["state"], [[text("CA")], [KeyValue::Missing]]),
        keys(["state"], [[text("CA")]]),
        keys(["coast"], [[text("west")], [text("none")]]),
    ];
    let survey = Survey { listed, empty: true, ..Survey::default() };
    assert_eq!(counts(&engine, &survey), [5, 4, 5, 0, 1, 0]);
}

/// Every row that meets the condition counts in the query or for one reason.
#[test]
fn rows_are_left_out_for_one_reason_each() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let rows =
        "age,state\n30,CA\n85+,CA\n,CA\n-9,CA\n40,TX\n<5,TX\nNaN,CA\n 1e1 ,CA\n30.5,CA\n30,\nold,CA\n-9.0,CA\n70,CA\n";
    std::fs::write(&path, rows).unwrap();
    let rules = CellRules { missing: vec!["-9".into()], ..CellRules::default() };
    let source = Source { cells: rules, ..Source::new(path.to_str().unwrap()).declare("age", Kind::Integer) };
    let engine = FileEngine::open(&source).unwrap();
    let clip = |missing| Clip { column: "age".into(), lower: 0, upper: 120, grid: Grid::INTEGERS, missing };
    let by_state = || Some(keys(["state"], [[text("CA")]]));
    let left_out = |query: Query| counts(&engine, &Survey { left_out: vec![query], ..Survey::default() });
    let sum = Query { values: vec![clip(Missing::Drop)], keys: by_state(), ..Query::default() };
    // `85+`, `30.5` and `old`; empty, two codes and a NaN; TX and none, whatever the age.
    assert_eq!(left_out(sum.clone()), [3, 4, 3]);
    assert_eq!(left_out(Query { values: vec![clip(Missing::Impute(3))], ..sum.clone() }), [0, 0, 3]);
    assert_eq!(left_out(Query { filter: Some("age > 35".into()), ..sum.clone() }), [0, 0, 1]);
    assert_eq!(left_out(Query { filter: Some("state = 'CA'".into()), keys: None, ..sum.clone() }), [3, 4, 0]);
    let bins = Bins::new("age", vec![0.0, 50.0, 100.0], Missing::Drop).unwrap();
    assert_eq!(left_out(Query { bins: Some(bins), values: vec![], ..sum.clone() }), [3, 4, 3]);
    assert_eq!(left_out(Query::default()), [0, 0, 0]);
    let counted: i128 = crate::answers(&engine, &sum).0.iter().sum();
    assert_eq!(counted + left_out(sum).iter().sum::<i128>(), 13);
}

#[test]
fn a_bound_keeps_rows_of_a_unit_and_drops_those_without() {
    let folder = tempdir().unwrap();
    let engine = engine(folder.path());
    let bound = |rows| Some(ContributionBound::of_rows("person", rows));
    let one = counts(&engine, &Survey { bound: bound(1), ..survey() });
    assert_eq!(one[0], 4, "one row of each of four persons");
    let two = counts(&engine, &Survey { bound: bound(2), ..survey() });
    assert_eq!(two[0], 7);
    assert_eq!(two[1], 4);
}

#[test]
fn columns_of_no_numbers_are_refused_before_rows_are_read() {
    let folder = tempdir().unwrap();
    let engine = engine(folder.path());
    let wrong =
        |bounded, listed| engine.survey(&Survey { bounded, listed, ..survey() }).err().map(|error| error.to_string());
    let column = |name: &str| vec![Bounded { column: name.to_owned(), lower: 0.0, upper: 1.0 }];
    assert!(wrong(column("state"), vec![]).is_some_and(|error| error.contains("`state`")));
    assert!(wrong(column("nothing"), vec![]).is_some_and(|error| error.contains("`nothing`")));
    assert!(wrong(vec![], vec![keys(["age"], [[text("CA")]])]).is_some_and(|error| error.contains("`age`")));
    assert!(wrong(vec![], vec![keys(["age"], [[KeyValue::Integer(30)]])]).is_none());
}
