//! Keys that no list names: found and counted as a plain loop does, and never by what other units have.

use std::collections::BTreeMap;
use std::fs;

use inbounds_data::{
    ContributionBound, Engine, FileEngine, KeyDomain, KeyRow, KeySpace, KeyValue, Kind, LearnKeys, LearnedCells, Source,
};
use tempfile::tempdir;

use crate::random::Random;
use crate::write::{self, Row};
use crate::{open, partitions, text};

type Counts = BTreeMap<Vec<KeyValue>, i128>;

/// What is learned, in order: keys and counts as they come.
fn in_order(engine: &FileEngine, asked: &LearnKeys) -> Vec<(Vec<KeyValue>, i128)> {
    let here = learned(engine.learn(asked, None).unwrap());
    if let Some(there) = crate::shared::learn(engine, asked) {
        assert!(here == learned(there), "shares learn otherwise");
    }
    here
}

fn learned(learned: LearnedCells) -> Vec<(Vec<KeyValue>, i128)> {
    let counts = learned.counts.private_steps().to_vec();
    let places: Vec<usize> = (0..counts.len()).collect();
    let keys: Vec<Vec<KeyValue>> =
        learned.keys.published(&places).map(|keys| keys.rows().map(KeyRow::to_vec).collect()).unwrap_or_default();
    assert_eq!(keys.len(), counts.len());
    keys.into_iter().zip(counts).collect()
}

/// Keys with rows that count.
fn counted(engine: &FileEngine, asked: &LearnKeys) -> Counts {
    in_order(engine, asked).into_iter().filter(|(_, count)| *count > 0).collect()
}

fn by_state_and_age() -> LearnKeys {
    LearnKeys {
        filter: Some("age < 60 AND income > 0".to_owned()),
        ..LearnKeys::from_columns(&["state", "age", "member"])
    }
}

fn bounded(rows: u64) -> LearnKeys {
    let bound = Some(ContributionBound::of_rows("person", rows));
    LearnKeys { bound, ..by_state_and_age() }
}

fn key(row: &Row) -> Option<Vec<KeyValue>> {
    let (age, income) = (row.age?, row.income?);
    let passes = age < 60 && income > 0.0;
    passes.then_some(vec![text(row.state.as_ref()?), KeyValue::Integer(age), KeyValue::Boolean(row.member?)])
}

fn naive(rows: &[Row]) -> Counts {
    let mut counts = Counts::new();
    rows.iter().filter_map(key).for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

#[test]
fn keys_and_counts_equal_those_of_a_plain_loop() {
    let folder = tempdir().unwrap();
    let mut rows = Random::new(31).rows(3_000, 100);
    let expected = naive(&rows);
    assert!(expected.len() > 300, "the test has keys to find");
    let [csv, parquet] = write::both(folder.path(), &rows);
    for path in [&csv, &parquet] {
        for threads in 1..=3 {
            let actual = in_order(&partitions(open(path), threads), &by_state_and_age());
            assert_eq!(actual, expected.clone().into_iter().collect::<Vec<_>>(), "{}", path.display());
        }
    }
    // The order is that of the keys, however the rows come.
    Random::new(32).shuffle(&mut rows);
    write::parquet(&parquet, &rows);
    assert_eq!(in_order(&open(&parquet), &by_state_and_age()), expected.into_iter().collect::<Vec<_>>());
}

/// Without a unit the rows of all others count where they did, although keys of its own are gone and the numbers of
/// keys have moved.
#[test]
fn removing_a_unit_moves_no_row_of_another() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let rows = Random::new(33).rows(300, 10);
    let own = |unit: &String| rows.iter().filter(|row| row.person.as_ref() == Some(unit)).filter_map(key).count();
    for (bound, per_cell) in [(1, None), (2, None), (5, None), (40, None), (3, Some(1)), (2, Some(2))] {
        let asked = LearnKeys { rows_per_cell: per_cell, ..bounded(bound) };
        write::parquet(&path, &rows);
        let all = counted(&open(&path), &asked);
        let mut gone = 0;
        for unit in (0..10).map(|unit| format!("p{unit}")) {
            let others: Vec<Row> = rows.iter().filter(|row| row.person.as_ref() != Some(&unit)).cloned().collect();
            write::parquet(&path, &others);
            let fewer = counted(&open(&path), &asked);
            assert!(fewer.iter().all(|(key, count)| all.get(key).is_some_and(|all| all >= count)), "{unit} {bound}");
            let lost = all.values().sum::<i128>() - fewer.values().sum::<i128>();
            match per_cell {
                None => assert_eq!(lost, (own(&unit) as i128).min(bound.into()), "{unit} {bound}"),
                Some(_) => assert!(lost <= bound.into(), "{unit} {bound}: {lost}"),
            }
            gone += all.len() - fewer.len();
        }
        assert!(gone > 0, "a unit has keys of its own");
    }
}

#[test]
fn texts_that_are_too_long_or_missing_are_no_keys() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let long = "x".repeat(257);
    fs::write(&path, format!("code,n\n{long},1\n{},1\n a ,2\na,2\n,1\n\"b\nc\",x\n", &long[1..])).unwrap();
    let engine =
        FileEngine::open(&Source::new(path.to_str().unwrap()).with_public_types().declare("n", Kind::Integer)).unwrap();
    let codes = |asked: &LearnKeys| counted(&engine, asked).into_iter().map(|(key, n)| (key[0].to_string(), n));
    let learned: Vec<_> = codes(&LearnKeys::from_columns(&["code"])).collect();
    assert_eq!(learned, [("a".to_owned(), 2), ("b\nc".to_owned(), 1), (long[1..].to_owned(), 1)]);
    let short = LearnKeys { longest_text: 1, ..LearnKeys::from_columns(&["code"]) };
    assert_eq!(codes(&short).collect::<Vec<_>>(), [("a".to_owned(), 2)]);
    assert_eq!(codes(&LearnKeys::from_columns(&["n"])).collect::<Vec<_>>(), [("1".to_owned(), 3), ("2".to_owned(), 2)]);
    let none = LearnKeys { filter: Some("n > 5".to_owned()), ..LearnKeys::from_columns(&["code"]) };
    assert_eq!(in_order(&engine, &none), []);
}

/// A unit's groups are chosen by the values of their keys: a unit that leaves, with keys of its own, moves none of
/// another.
#[test]
fn groups_of_a_unit_are_chosen_by_its_own_keys() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let rows = Random::new(35).rows(400, 8);
    for (groups, per_group) in [(1, 1), (2, 3), (5, 1), (9, 2)] {
        let bound = ContributionBound::of_rows("person", 10);
        let bound = Some(ContributionBound { groups: Some(groups), rows_per_group: Some(per_group), ..bound });
        let asked = LearnKeys { bound, ..by_state_and_age() };
        write::parquet(&path, &rows);
        let all = counted(&open(&path), &asked);
        for unit in (0..8).map(|unit| format!("p{unit}")) {
            let others: Vec<Row> = rows.iter().filter(|row| row.person.as_ref() != Some(&unit)).cloned().collect();
            write::parquet(&path, &others);
            let fewer = counted(&open(&path), &asked);
            assert!(fewer.iter().all(|(key, count)| all.get(key).is_some_and(|all| all >= count)), "{unit} {groups}");
            let lost = |key: &Vec<KeyValue>| all[key] - fewer.get(key).copied().unwrap_or(0);
            let moved: Vec<i128> = all.keys().map(lost).filter(|lost| *lost > 0).collect();
            assert!(moved.len() as u64 <= groups && moved.iter().all(|&lost| lost <= per_group.into()), "{moved:?}");
        }
    }
}

/// Rows with other values than those that are known count nowhere, and the others as if all were: with places in the
/// space in order.
#[test]
fn keys_of_a_space_are_those_of_all_that_lie_in_it() {
    let folder = tempdir().unwrap();
    let rows = Random::new(37).rows(3000, 40);
    let states = KeyDomain::of_values([text("NV"), text("CA")]);
    let known = vec![("state".to_owned(), states), ("age".to_owned(), KeyDomain::Integers(20, 39))];
    let asked = LearnKeys { known: known.clone(), ..by_state_and_age() };
    let is_known = |key: &Vec<KeyValue>| known[0].1.contains(&key[0]) && matches!(key[1], KeyValue::Integer(20..=39));
    for path in write::both(folder.path(), &rows) {
        let engine = open(&path);
        let expected: Counts = naive(&rows).into_iter().filter(|(key, _)| is_known(key)).collect();
        assert!(!expected.is_empty() && counted(&engine, &asked) == expected);
    }
    let [path, _] = write::both(folder.path(), &rows);
    let members = KeyDomain::of_values([false, true].map(KeyValue::Boolean));
    let space = KeySpace::new([known, vec![("member".to_owned(), members)]].concat()).unwrap();
    let keys = open(&path).learn(&asked, None).unwrap().keys;
    let ranks = keys.ranks(&space);
    assert!(ranks.is_sorted_by(|a, b| a < b));
    let named: Vec<Vec<KeyValue>> = ranks.iter().map(|rank| space.key(*rank)).collect();
    let all: Vec<usize> = (0..ranks.len()).collect();
    assert!(keys.published(&all).unwrap().rows().eq(named));
}

/// What is refused is refused without rows too, so that no error tells of a key.
#[test]
fn questions_are_refused_whatever_the_rows_are() {
    let folder = tempdir().unwrap();
    for rows in [Vec::new(), Random::new(34).rows(20, 5)] {
        let [_, path] = write::both(folder.path(), &rows);
        let engine = open(&path);
        let message = |asked: &LearnKeys| match engine.learn(asked, None) {
            Ok(_) => panic!("{asked:?} is answered"),
            Err(error) => error.to_string(),
        };
        assert_eq!(message(&LearnKeys::from_columns(&[])), "keys: there must be at least one column to learn keys of");
        assert_eq!(message(&LearnKeys::from_columns(&["age", "age"])), "keys: column `age` is listed twice");
        let income = message(&LearnKeys::from_columns(&["income"]));
        assert!(
            income.starts_with("keys: column `income` must be integer, text or boolean, but it is number"),
            "{income}"
        );
        let of_texts = vec![("state".to_owned(), KeyDomain::Integers(0, 9))];
        let of_texts = message(&LearnKeys { known: of_texts, ..LearnKeys::from_columns(&["state"]) });
        assert_eq!(of_texts, "keys: column `state` is not of whole numbers, of which its bounds are");
        let zero = message(&bounded(0));
        assert_eq!(zero, "bound: a unit of `person` must be allowed at least 1 row, got 0");
        message(&LearnKeys { rows_per_cell: Some(1), ..by_state_and_age() });
    }
}
