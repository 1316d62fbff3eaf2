//! Counts, sums and means against a naive computation.

use std::fs;

use inbounds_data::{Clip, Engine, KeyValue, Keys, Missing, Query};
use tempfile::tempdir;

use crate::random::{Random, STATES};
use crate::write::{self, Row};
use crate::{answers, income, keys, open, partitions, source, text};

/// The steps of a row under [`income`]'s range, written from the definition.
fn steps(row: &Row, missing: Missing) -> Option<i64> {
    let value = row.income.filter(|value| !value.is_nan());
    match (value, missing) {
        (Some(value), _) => Some((value * 4.0).round_ties_even().clamp(0.0, 800_000.0) as i64),
        (None, Missing::Impute(steps)) => Some(steps),
        (None, Missing::Drop) => None,
    }
}

fn naive(rows: &[Row], keys: &Keys, missing: Missing) -> (Vec<i128>, Vec<i128>) {
    let mut counts = vec![0; keys.len()];
    let mut sums = vec![0; keys.len()];
    for row in rows {
        let (Some(state), Some(age)) = (&row.state, row.age) else { continue };
        let key = vec![text(state), KeyValue::Integer(age)];
        let (Some(index), Some(steps)) = (keys.rows().position(|row| row == key), steps(row, missing)) else {
            continue;
        };
        counts[index] += 1;
        sums[index] += i128::from(steps);
    }
    (counts, sums)
}

/// Two states that have rows, one that has none; ages 0 to 49 of 90, and 1,000.
fn state_by_age() -> Keys {
    let states = ["NV", "a state with a long name", "HI"];
    let pair = |state| (0..50).chain([1_000]).map(move |age| [text(state), KeyValue::Integer(age)]);
    keys(["state", "age"], states.into_iter().flat_map(pair))
}

#[test]
fn counts_and_sums_by_two_keys_equal_the_naive_ones() {
    let folder = tempdir().unwrap();
    let rows = Random::new(1).rows(5_000, 100);
    for path in write::both(folder.path(), &rows) {
        for missing in [Missing::Drop, Missing::Impute(123)] {
            let keys = state_by_age();
            let expected = naive(&rows, &keys, missing);
            assert!(expected.0.iter().sum::<i128>() > 700, "the test has rows to count");
            let query = Query { keys: Some(keys), values: vec![Clip { missing, ..income() }], ..Query::default() };
            assert_eq!(answers(&open(&path), &query), expected, "{} {missing:?}", path.display());
        }
    }
}

/// Margins by state and by age, of the rows that have a listed state and a listed age: the sums of the cells of the
/// table.
#[test]
fn cells_of_margins_are_sums_of_those_of_the_table() {
    let folder = tempdir().unwrap();
    let rows = Random::new(5).rows(5_000, 100);
    let table = state_by_age();
    let states: Vec<KeyValue> = ["NV", "a state with a long name", "HI"].map(text).to_vec();
    let ages: Vec<KeyValue> = (0..50).chain([1_000]).map(KeyValue::Integer).collect();
    let sets = vec![vec![1], vec![0], vec![0, 1]];
    let margins = Keys::of_margins(table.columns().to_vec(), vec![states.clone(), ages.clone()], sets).unwrap();
    let full_table = states.len() * ages.len();
    assert_eq!(margins.len(), ages.len() + states.len() + full_table);
    for path in write::both(folder.path(), &rows) {
        for filter in [None, Some("age < 40".to_owned())] {
            let query = |keys: &Keys| Query {
                filter: filter.clone(),
                keys: Some(keys.clone()),
                values: vec![income()],
                products: vec![(0, 0)],
                ..Query::default()
            };
            let engine = partitions(open(&path), 3);
            let all = engine.tally(&query(&table)).unwrap();
            let of_margins = engine.tally(&query(&margins)).unwrap();
            let each = |tally: inbounds_data::Tally| {
                let answers = [vec![tally.counts], tally.sums, tally.products].into_iter().flatten();
                answers.map(|answer| answer.private_steps().to_vec()).collect::<Vec<_>>()
            };
            let (all, of_margins) = (each(all), each(of_margins));
            assert!(all[0].iter().sum::<i128>() > 300, "the test has rows to count");
            for (cells, margins) in all.iter().zip(&of_margins) {
                let by_age: Vec<i128> =
                    (0..ages.len()).map(|age| cells.iter().skip(age).step_by(ages.len()).sum()).collect();
                let by_state: Vec<i128> = cells.chunks(ages.len()).map(|cells| cells.iter().sum()).collect();
                assert_eq!(*margins, [by_age, by_state, cells.clone()].concat(), "{} {filter:?}", path.display());
            }
        }
        let bounded = Query {
            keys: Some(margins.clone()),
            bound: Some(inbounds_data::ContributionBound::of_rows("person", 2)),
            ..Query::default()
        };
        let refused = open(&path).check(&bounded).expect_err("a unit of several rows").to_string();
        assert!(refused.contains("list the cells of the table"), "{refused}");
    }
}

#[test]
fn without_keys_there_is_one_cell() {
    let folder = tempdir().unwrap();
    let rows = Random::new(2).rows(3_000, 100);
    let with_value: Vec<i64> = rows.iter().filter_map(|row| steps(row, Missing::Drop)).collect();
    let sum: i64 = with_value.iter().sum();
    for path in write::both(folder.path(), &rows) {
        let engine = open(&path);
        assert_eq!(answers(&engine, &Query::default()), (vec![3_000], vec![]));
        let query = Query { values: vec![income()], ..Query::default() };
        assert_eq!(answers(&engine, &query), (vec![with_value.len() as i128], vec![sum.into()]));
    }
}

#[test]
fn a_boolean_value_gives_a_proportion() {
    let folder = tempdir().unwrap();
    let rows = Random::new(3).rows(1_000, 100);
    let known = rows.iter().filter(|row| row.member.is_some()).count() as i128;
    let members = rows.iter().filter(|row| row.member == Some(true)).count() as i128;
    for path in write::both(folder.path(), &rows) {
        let grid = inbounds_core::Grid::INTEGERS;
        let value = Clip { column: "member".into(), lower: 0, upper: 1, grid, missing: Missing::Drop };
        let query = Query { values: vec![value], ..Query::default() };
        assert_eq!(answers(&open(&path), &query), (vec![known], vec![members]));
    }
}

#[test]
fn answers_do_not_depend_on_partitions_files_or_order() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(4);
    let mut rows = random.rows(6_000, 50);
    let query = Query {
        filter: Some("age >= 10 AND state <> 'WA'".to_owned()),
        keys: Some(keys(["state"], STATES.map(|state| [text(state)]))),
        values: vec![income()],
        ..Query::default()
    };
    let [csv, parquet] = write::both(folder.path(), &rows);
    let expected = answers(&partitions(open(&csv), 1), &query);
    for count in 1..=4 {
        assert_eq!(answers(&partitions(open(&csv), count), &query), expected);
        assert_eq!(answers(&partitions(open(&parquet), count), &query), expected);
    }
    random.shuffle(&mut rows);
    for (name, write) in [("csv", write::csv as fn(&_, &_)), ("parquet", write::parquet)] {
        let many = folder.path().join(format!("many {name} #1 [x]"));
        fs::create_dir(&many).unwrap();
        for (index, part) in rows.chunks(700).enumerate() {
            write(&many.join(format!("part %20 {index}.{name}")), part);
        }
        fs::write(many.join("_SUCCESS"), "").unwrap();
        for count in 1..=4 {
            assert_eq!(answers(&partitions(open(&many), count), &query), expected, "{name}");
        }
        let part =
            |index: usize| format!("{}/part*{index}.{name}", folder.path().join(format!("many {name} ?1*")).display());
        let one = answers(&open(part(0).as_ref()), &Query::default()).0[0];
        assert_eq!(one, 700, "a glob takes one file");
    }
}

#[test]
fn columns_are_listed_with_their_kinds() {
    let folder = tempdir().unwrap();
    for path in write::both(folder.path(), &Random::new(6).rows(3, 3)) {
        let engine = inbounds_data::FileEngine::open(&source(&path)).unwrap();
        let listed: Vec<String> =
            engine.columns().iter().map(|column| format!("{} {}", column.name, column.kind)).collect();
        assert_eq!(listed, ["state text", "age integer", "income number", "member boolean", "person text"]);
    }
}

#[test]
fn quoted_line_breaks_and_byte_order_marks_are_read() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "\u{feff}name,n\r\n\"a\r\nb, \"\"c\"\"\",1\r\nx,2\r\n").unwrap();
    let source = inbounds_data::Source::new(path.to_str().unwrap()).with_public_types();
    let engine = inbounds_data::FileEngine::open(&source).unwrap();
    let query = Query { keys: Some(keys(["name"], [[text("a\r\nb, \"c\"")], [text("x")]])), ..Query::default() };
    assert_eq!(answers(&engine, &query).0, [1, 1]);
}
