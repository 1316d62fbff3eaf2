//! Surveys: rows, listed keys, and numbers beside their bounds, against counts by hand.

use inbounds_data::{Bounded, ContributionBound, Engine, FileEngine, KeyValue, Kind, Questions, Source, Survey};
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
        bound: None,
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
