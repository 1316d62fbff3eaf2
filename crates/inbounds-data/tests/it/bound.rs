//! The contribution bound: its sensitivity by brute force, and that nothing but a unit's own rows decides.

use std::collections::BTreeMap;
use std::fs;

use inbounds_data::{Bins, Clip, ContributionBound, Engine, KeyValue, Missing, Query};
use tempfile::tempdir;

use crate::random::{Random, STATES};
use crate::write::{self, Row};
use crate::{all_answers, answers, income, keys, open, partitions, text};

fn query(rows: u64) -> Query {
    Query {
        filter: Some("age < 60".to_owned()),
        keys: Some(keys(["state"], STATES[..3].iter().map(|state| [text(state)]))),
        values: vec![Clip { lower: -8, upper: 400_000, ..income() }],
        bound: Some(ContributionBound::of_rows("person", rows)),
        ..Query::default()
    }
}

/// Rows per person that pass filter, key list and missing rule.
fn eligible(rows: &[Row]) -> BTreeMap<&str, u64> {
    let mut units = BTreeMap::new();
    for row in rows {
        let (Some(state), Some(age), Some(income), Some(person)) = (&row.state, row.age, row.income, &row.person)
        else {
            continue;
        };
        if STATES[..3].contains(&state.as_str()) && age < 60 && !income.is_nan() {
            *units.entry(person.as_str()).or_default() += 1;
        }
    }
    units
}

fn l1(a: &[i128], b: &[i128]) -> u128 {
    a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).sum()
}

#[test]
fn exactly_the_smaller_of_rows_and_bound_is_kept_for_each_unit() {
    let folder = tempdir().unwrap();
    let rows = Random::new(10).rows(2_000, 150);
    for path in write::both(folder.path(), &rows) {
        for bound in [1, 3, 7, u64::MAX] {
            let kept: u64 = eligible(&rows).values().map(|&rows| rows.min(bound)).sum();
            assert_eq!(answers(&open(&path), &query(bound)).0.iter().sum::<i128>(), i128::from(kept), "{bound}");
        }
        let unbounded = Query { bound: None, filter: Some("age < 60 AND person IS NOT NULL".into()), ..query(1) };
        assert_eq!(answers(&open(&path), &query(u64::MAX)), answers(&open(&path), &unbounded));
    }
}

#[test]
fn removing_one_unit_changes_counts_and_sums_by_no_more_than_the_bound() {
    let bins = Bins::new("age", vec![0.0, 20.0, 60.0], Missing::Drop).unwrap();
    let query = |rows| Query { bins: Some(bins.clone()), products: vec![(0, 0)], ..query(rows) };
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let rows = Random::new(11).rows(400, 12);
    for bound in [1u64, 2, 5] {
        write::parquet(&path, &rows);
        let all = all_answers(&open(&path), &query(bound));
        let mut reached = 0;
        for unit in 0..12 {
            let unit = format!("p{unit}");
            let others: Vec<Row> = rows.iter().filter(|row| row.person.as_ref() != Some(&unit)).cloned().collect();
            write::parquet(&path, &others);
            let fewer = all_answers(&open(&path), &query(bound));
            // The rows of other units do not move: every cell only loses, and the counts lose exactly the unit's kept
            // rows.
            assert!(all[0].iter().zip(&fewer[0]).all(|(all, fewer)| all >= fewer));
            let lost = l1(&all[0], &fewer[0]);
            let expected = eligible(&rows).get(unit.as_str()).copied().unwrap_or(0).min(bound);
            assert_eq!(lost, u128::from(expected), "{unit}");
            assert!(l1(&all[1], &fewer[1]) <= u128::from(bound) * 400_000, "{unit}");
            assert!(l1(&all[2], &fewer[2]) <= u128::from(bound) * 400_000 * 400_000, "{unit}");
            reached = reached.max(lost);
        }
        assert_eq!(reached, u128::from(bound), "some unit has enough rows to meet the bound");
    }
}

#[test]
fn neither_order_nor_files_nor_threads_decide_which_rows_are_kept() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(12);
    let mut rows = random.rows(3_000, 100);
    let [csv, parquet] = write::both(folder.path(), &rows);
    let expected = answers(&partitions(open(&csv), 1), &query(2));
    for count in 1..=4 {
        assert_eq!(answers(&partitions(open(&csv), count), &query(2)), expected);
        assert_eq!(answers(&partitions(open(&parquet), count), &query(2)), expected);
    }
    for round in 0..3 {
        random.shuffle(&mut rows);
        write::parquet(&parquet, &rows);
        assert_eq!(answers(&open(&parquet), &query(2)), expected, "shuffled, round {round}");
        let many = folder.path().join(format!("parquet-{round}"));
        fs::create_dir(&many).unwrap();
        for (index, part) in rows.chunks(600 + round).enumerate() {
            write::parquet(&many.join(format!("{index}.parquet")), part);
        }
        assert_eq!(answers(&partitions(open(&many), 3), &query(2)), expected, "split, round {round}");
    }
}

#[test]
fn integer_units_are_read_as_numbers() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "age,income\n7,1\n 7,2\n7.0,3\nseven,4\n,5\n8,6\n").unwrap();
    let source = inbounds_data::Source::new(path.to_str().unwrap()).with_public_types();
    let source = source.declare("age", inbounds_data::Kind::Integer);
    let engine = inbounds_data::FileEngine::open(&source).unwrap();
    let bound = |rows| Some(ContributionBound::of_rows("age", rows));
    assert_eq!(answers(&engine, &Query { bound: bound(2), ..Query::default() }).0, [3]);
    assert_eq!(answers(&engine, &Query { bound: bound(9), ..Query::default() }).0, [4]);
    let by_age = Query { keys: Some(keys(["age"], [[KeyValue::Integer(7)]])), bound: bound(2), ..Query::default() };
    assert_eq!(answers(&engine, &by_age).0, [2]);
}

#[test]
fn imputed_rows_count_towards_the_bound() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "person,income,age,member\na,,1,true\na,nan,1,true\na,?,1,true\n").unwrap();
    let query = Query {
        values: vec![Clip { missing: Missing::Impute(40), ..income() }],
        bound: Some(ContributionBound::of_rows("person", 2)),
        ..Query::default()
    };
    assert_eq!(answers(&open(&path), &query), (vec![2], vec![80]));
}

#[test]
fn a_bound_needs_rows_and_a_unit_that_can_be_told_apart() {
    let folder = tempdir().unwrap();
    let [_, path] = write::both(folder.path(), &Random::new(13).rows(5, 5));
    let message = |unit: &str, rows| {
        let bound = Some(ContributionBound::of_rows(unit, rows));
        open(&path).check(&Query { bound, ..Query::default() }).unwrap_err().to_string()
    };
    assert_eq!(message("person", 0), "bound: a unit of `person` must be allowed at least 1 row, got 0");
    assert_eq!(message("persom", 1), "bound: no column `persom` in the data; did you mean `person`?");
    assert_eq!(
        message("income", 1),
        "bound: column `income` must be integer or text, but it is number; use another column"
    );
}

/// Numbers that a signed 64-bit integer cannot hold must not fall together: two units on one would decide over each
/// other's rows.
#[test]
fn huge_unit_numbers_stay_apart() {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray, UInt64Array};
    use inbounds_data::{FileEngine, Kind, Source};

    let folder = tempdir().unwrap();
    let units: Vec<u64> = (0..50).map(|index| u64::MAX - index).chain(0..50).collect();
    let states = |units: &[u64]| units.iter().map(|unit| if unit % 2 == 0 { "x" } else { "y" }).collect::<Vec<_>>();
    let query = |unit: &str| Query {
        keys: Some(keys(["state"], [[text("x")], [text("y")]])),
        bound: Some(ContributionBound::of_rows(unit, 1)),
        ..Query::default()
    };
    let path = folder.path().join("rows.parquet");
    let write = |units: &[u64]| {
        let columns: Vec<(&str, ArrayRef)> = vec![
            ("id", Arc::new(UInt64Array::from(units.to_vec()))),
            ("state", Arc::new(StringArray::from(states(units)))),
        ];
        write::columns(&path, columns);
        answers(&open(&path), &query("id")).0
    };
    let all = write(&units);
    assert_eq!(all, [50, 50]);
    for left_out in 0..units.len() {
        let fewer: Vec<u64> = units.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, unit)| *unit).collect();
        assert_eq!(l1(&write(&fewer), &all), 1, "without {}", units[left_out]);
    }
    // So they are in a CSV column declared as integer, whatever the number of their digits.
    let path = folder.path().join("rows.csv");
    let count = |lines: &str| {
        fs::write(&path, format!("id,state\n{lines}")).unwrap();
        let source = Source::new(path.display().to_string()).with_public_types().declare("id", Kind::Integer);
        answers(&FileEngine::open(&source).unwrap(), &query("id")).0
    };
    let wide = "18446744073709551615,x\n18446744073709551614,y\n-1,x\n-2,y\n20000000000000000000,x\n7,x\n";
    assert_eq!(count(wide), [4, 2]);
    assert_eq!(count(&format!("{wide}{wide}")), [4, 2]);
    assert_eq!(count(&wide.replace("-1,x\n", "")), [3, 2]);
}

/// A count of units: each person once in a state, in at most `rows` states, whatever its rows.
fn units(rows: u64) -> Query {
    Query { values: Vec::new(), rows_per_cell: Some(1), ..query(rows) }
}

#[test]
fn limits_in_a_cell_agree_with_the_definition() {
    let folder = tempdir().unwrap();
    for seed in 40..46 {
        let rows = Random::new(seed).rows(3_000, 1 + 40 * (seed - 40));
        for path in write::both(folder.path(), &rows) {
            for (bound, per_cell) in
                [(1, 1), (2, 1), (3, 1), (3, 2), (20, 1), (20, 3), (u64::MAX, 1), (u64::MAX, 2), (u64::MAX, 50)]
            {
                let limited = Query { rows_per_cell: Some(per_cell), ..query(bound) };
                for query in [limited, Query { rows_per_cell: Some(per_cell), ..units(bound) }] {
                    let passes = |row: &Row| row.age.is_some_and(|age| age < 60);
                    let expected = crate::reference::answers(&rows, passes, &query);
                    assert_eq!(all_answers(&open(&path), &query), expected, "seed {seed}, {bound}, {per_cell}");
                }
            }
        }
    }
}

#[test]
fn without_a_limit_on_states_units_are_counted_as_they_are() {
    let folder = tempdir().unwrap();
    let rows = Random::new(46).rows(2_000, 90);
    let mut distinct = std::collections::BTreeSet::new();
    for row in &rows {
        let (Some(state), Some(age), Some(person)) = (&row.state, row.age, &row.person) else { continue };
        if age < 60 {
            distinct.insert((STATES[..3].iter().position(|known| known == state), person.clone()));
        }
    }
    let count = |state: usize| distinct.iter().filter(|(place, _)| *place == Some(state)).count() as i128;
    for path in write::both(folder.path(), &rows) {
        assert_eq!(answers(&open(&path), &units(u64::MAX)).0, [count(0), count(1), count(2)]);
    }
}

#[test]
fn removing_one_unit_changes_each_count_of_units_by_at_most_one() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let rows = Random::new(47).rows(400, 12);
    for bound in [1u64, 2, 5] {
        write::parquet(&path, &rows);
        let all = answers(&open(&path), &units(bound)).0;
        let mut reached = (0, 0);
        for unit in 0..12 {
            let unit = format!("p{unit}");
            let others: Vec<Row> = rows.iter().filter(|row| row.person.as_ref() != Some(&unit)).cloned().collect();
            write::parquet(&path, &others);
            let fewer = answers(&open(&path), &units(bound)).0;
            let lost: Vec<u128> = all.iter().zip(&fewer).map(|(all, fewer)| all.abs_diff(*fewer)).collect();
            reached = (reached.0.max(lost.iter().sum()), reached.1.max(*lost.iter().max().unwrap()));
        }
        assert_eq!(reached, (u128::from(bound.min(3)), 1), "{bound}");
    }
}

#[test]
fn a_limit_in_a_cell_needs_a_unit_and_a_row() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    write::parquet(&path, &Random::new(48).rows(10, 3));
    let refused = |query: Query| open(&path).check(&query).unwrap_err().to_string();
    assert!(refused(Query { bound: None, ..units(1) }).contains("no bound names one"));
    assert!(refused(Query { rows_per_cell: Some(0), ..units(1) }).contains("at least 1 row"));
}

/// All limits at once, with bins and values, against the plain loop: groups that come and go while rows arrive must not
/// let a row go that is kept in the end.
#[test]
fn limits_on_groups_agree_with_the_definition() {
    let folder = tempdir().unwrap();
    let passes = |row: &Row| row.age.is_some_and(|age| age < 60);
    let bins = Bins::new("income", vec![-5.5, 1_000.0, 60_000.0, 200_000.0], Missing::Drop).unwrap();
    let by_both = keys(
        ["state", "member"],
        STATES.iter().flat_map(|state| [true, false].map(|m| [text(state), KeyValue::Boolean(m)])),
    );
    let mut differs = 0;
    for seed in 60..64 {
        let rows = Random::new(seed).rows(2_500, 1 + 30 * (seed - 60));
        for path in write::both(folder.path(), &rows) {
            for (groups, per_group, most) in [
                (Some(1), None, 3),
                (Some(2), Some(2), 3),
                (Some(3), Some(1), 9),
                (Some(4), Some(30), 20),
                (None, Some(2), 7),
                (Some(7), Some(3), 11),
            ] {
                let bound = ContributionBound {
                    groups,
                    rows_per_group: per_group,
                    ..ContributionBound::of_rows("person", most)
                };
                let narrow = Query { keys: Some(by_both.clone()), bound: Some(bound.clone()), ..query(most) };
                let binned =
                    Query { bins: Some(bins.clone()), rows_per_cell: (seed % 2 == 0).then_some(1), ..narrow.clone() };
                let counted = Query { values: Vec::new(), ..narrow.clone() };
                let ungrouped = Query { keys: None, ..narrow.clone() };
                for query in [narrow, binned, counted, ungrouped] {
                    let expected = crate::reference::answers(&rows, passes, &query);
                    let plain = Query { bound: Some(ContributionBound::of_rows("person", most)), ..query.clone() };
                    differs += u32::from(expected != crate::reference::answers(&rows, passes, &plain));
                    assert_eq!(
                        all_answers(&partitions(open(&path), 2), &query),
                        expected,
                        "{} {query:?}",
                        path.display()
                    );
                }
            }
        }
    }
    assert!(differs > 60, "the limits decide: {differs}");
}

#[test]
fn removing_a_unit_moves_few_groups_by_little() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let rows = Random::new(70).rows(500, 12);
    let states = keys(["state"], STATES.iter().map(|state| [text(state)]));
    let (mut most_groups, mut most_rows) = (0, 0);
    for (groups, per_group, most) in [(2u64, 3u64, 5u64), (3, 1, 3), (1, 4, 4)] {
        let bound = ContributionBound {
            groups: Some(groups),
            rows_per_group: Some(per_group),
            ..ContributionBound::of_rows("person", most)
        };
        let query = Query { keys: Some(states.clone()), bound: Some(bound), ..Query::default() };
        write::parquet(&path, &rows);
        let all = answers(&open(&path), &query).0;
        for unit in (0..12).map(|unit| format!("p{unit}")) {
            let others: Vec<Row> = rows.iter().filter(|row| row.person.as_ref() != Some(&unit)).cloned().collect();
            write::parquet(&path, &others);
            let fewer = answers(&open(&path), &query).0;
            let moved: Vec<i128> =
                all.iter().zip(&fewer).map(|(all, fewer)| all - fewer).filter(|moved| *moved != 0).collect();
            let (moved_groups, moved_rows) = (moved.len() as u64, moved.iter().sum::<i128>() as u64);
            assert!(moved.iter().all(|&moved| moved > 0 && moved as u64 <= per_group), "{unit}: {moved:?}");
            assert!(moved_groups <= groups && moved_rows <= most, "{unit}: {moved:?}");
            most_groups = most_groups.max(moved_groups);
            most_rows = most_rows.max(moved_rows);
        }
    }
    assert_eq!((most_groups, most_rows), (3, 5), "some units reach the limits");
}
