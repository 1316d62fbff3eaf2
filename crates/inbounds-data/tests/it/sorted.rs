//! Files in which units come in order, wholly, nearly or not at all: the answers are those of the plain loop.

use std::fs;
use std::path::Path;

use inbounds_data::{ContributionBound, Engine, Query, Questions, UnitMemory};
use tempfile::tempdir;

use crate::random::{Random, STATES};
use crate::reference;
use crate::write::{self, Row};
use crate::{all_answers, income, keys, numbers, open, partitions, text};

fn questions() -> Vec<Query> {
    let states = Some(keys(["state"], STATES[..4].iter().map(|state| [text(state)])));
    let bound = |rows| Some(ContributionBound::of_rows("person", rows));
    let groups =
        ContributionBound { groups: Some(2), rows_per_group: Some(2), ..ContributionBound::of_rows("person", 3) };
    vec![
        Query { keys: states.clone(), bound: bound(2), ..Query::default() },
        Query {
            keys: states.clone(),
            values: vec![income()],
            products: vec![(0, 0)],
            bound: bound(3),
            ..Query::default()
        },
        Query { values: vec![income()], bound: bound(30), ..Query::default() },
        Query { keys: states.clone(), bound: bound(u64::MAX), rows_per_cell: Some(1), ..Query::default() },
        Query { keys: states, values: vec![income()], bound: Some(groups), ..Query::default() },
        // Without a bound, in the same pass.
        Query { values: vec![income()], ..Query::default() },
    ]
}

/// Writes the rows as files of a folder, cut where `cuts` says, and compares with the plain loop.
fn agrees(folder: &Path, rows: &[Row], files: usize, label: &str) {
    let queries = questions();
    let expected: Vec<_> = queries.iter().map(|query| reference::answers(rows, |_| true, query)).collect();
    for format in ["csv", "parquet"] {
        let many = folder.join(format!("{format} {label}"));
        fs::create_dir(&many).unwrap();
        for (place, part) in rows.chunks(rows.len().div_ceil(files)).enumerate() {
            let path = many.join(format!("{place}.{format}"));
            if format == "csv" { write::csv(&path, part) } else { write::parquet(&path, part) }
        }
        for threads in [1, 3] {
            let engine = partitions(open(&many), threads);
            let asked = Questions { queries: queries.iter().collect(), ..Questions::default() };
            let together = crate::answer(&engine, &asked);
            for ((query, tally), expected) in queries.iter().zip(&together.tallies).zip(&expected) {
                assert_eq!(numbers(tally), *expected, "{format} {label}, {threads} threads, {query:?}");
                assert_eq!(all_answers(&engine, query), *expected, "{format} {label}, alone, {query:?}");
            }
        }
    }
}

#[test]
fn rows_in_the_order_of_units_are_those_of_the_definition() {
    for (seed, units) in [(80, 1), (81, 3), (82, 40), (83, 900)] {
        let folder = tempdir().unwrap();
        let mut random = Random::new(seed);
        let mut rows = random.rows(2_400, units);
        rows.sort_by(|a, b| a.person.cmp(&b.person));
        agrees(folder.path(), &rows, 5, &format!("ascending {units}"));
        rows.reverse();
        agrees(folder.path(), &rows, 4, &format!("descending {units}"));
        // Files in order that come in another one, each by itself up or down.
        let mut parts: Vec<Vec<Row>> = rows.chunks(400).map(<[Row]>::to_vec).collect();
        parts.iter_mut().step_by(2).for_each(|part| part.reverse());
        random.shuffle(&mut parts);
        agrees(folder.path(), &parts.concat(), 6, &format!("shuffled files {units}"));
    }
}

/// One row out of place: at the end, so that all units before it were done; in the middle of a file; and a file whose
/// units come again between those of another.
#[test]
fn rows_out_of_order_are_found() {
    for (seed, units) in [(84, 30), (85, 700)] {
        let folder = tempdir().unwrap();
        let mut rows = Random::new(seed).rows(2_400, units);
        rows.sort_by(|a, b| a.person.cmp(&b.person));
        let back = |rows: &[Row], from: usize, to: usize| {
            let mut rows = rows.to_vec();
            let row = rows.remove(from);
            rows.insert(to, row);
            rows
        };
        for (from, to) in [(1_000, 2_399), (1_700, 400), (900, 1_100)] {
            agrees(folder.path(), &back(&rows, from, to), 6, &format!("{units} from {from} to {to}"));
        }
        // Every other row of the whole in each of two files: both are in order, and all units are in both.
        let (even, odd): (Vec<_>, Vec<_>) = rows.iter().cloned().enumerate().partition(|(place, _)| place % 2 == 0);
        let interleaved: Vec<Row> = even.into_iter().chain(odd).map(|(_, row)| row).collect();
        agrees(folder.path(), &interleaved, 2, &format!("interleaved {units}"));
    }
}

/// Under any limit the answers are those of the plain loop, and nothing is left in the folder.
#[test]
fn rows_that_wait_on_disk_are_those_of_the_definition() {
    let folder = tempdir().unwrap();
    let disk = tempdir().unwrap();
    let rows = Random::new(86).rows(12_000, 3_000);
    let queries = questions();
    for path in write::both(folder.path(), &rows) {
        let expected: Vec<_> = queries.iter().map(|query| reference::answers(&rows, |_| true, query)).collect();
        for limit in [0, 100_000, 1_000_000] {
            let mut engine = partitions(open(&path), 2);
            engine.limit_units(&UnitMemory { limit: Some(limit), spill: Some(disk.path().to_owned()) });
            let asked = Questions { queries: queries.iter().collect(), ..Questions::default() };
            let together = engine.answer(&asked).unwrap();
            for (tally, expected) in together.tallies.iter().zip(&expected) {
                assert_eq!(numbers(tally), *expected, "{} {limit}", path.display());
            }
            assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 0);
        }
    }
}

#[test]
fn units_beyond_their_memory_are_an_error_that_names_the_remedy() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    write::parquet(&path, &Random::new(87).rows(5_000, 3_000));
    let bounded = &questions()[0];
    let mut engine = open(&path);
    let mut fails = |query: &Query, memory: UnitMemory| {
        engine.limit_units(&memory);
        engine.tally(query).err().map(|error| error.to_string())
    };
    let small = UnitMemory { limit: Some(50_000), spill: None };
    let error = fails(bounded, small.clone()).unwrap();
    assert_eq!(
        error,
        "the units of the rows take more than the 50000 bytes of memory that they may: allow them more (`--unit-memory`), or, without \
         `[per_unit]`, name a folder in which their rows may wait, encrypted (`--spill`)"
    );
    assert_eq!(fails(&Query { bound: None, ..bounded.clone() }, small.clone()), None, "without units nothing is held");
    assert_eq!(fails(bounded, UnitMemory { limit: Some(50_000_000), ..small.clone() }), None);
    let nowhere = folder.path().join("nowhere");
    let error = fails(bounded, UnitMemory { spill: Some(nowhere.clone()), ..small }).unwrap();
    assert!(
        error.starts_with(&format!("rows of units that should wait in the folder `{}`", nowhere.display())),
        "{error}"
    );
}
