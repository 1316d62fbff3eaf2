//! Several values, their products and bins in one query, against the definition.

use std::fs;

use inbounds_core::Grid;
use inbounds_data::{Bins, Bounded, Clip, ContributionBound, Engine, KeyValue, Missing, Query, Questions, Survey};
use tempfile::tempdir;

use crate::random::{Random, STATES};
use crate::write::{self, Row};
use crate::{all_answers, answer, income, keys, numbers, open, partitions, reference, refused, text};

fn clip(column: &str, lower: i64, upper: i64, missing: Missing) -> Clip {
    Clip { column: column.to_owned(), lower, upper, grid: Grid::INTEGERS, missing }
}

/// Values of every kind, dropped and imputed, one column twice.
fn values() -> Vec<Clip> {
    let coarse = Grid::power_of_two(10).unwrap();
    vec![
        income(),
        clip("age", 18, 65, Missing::Impute(30)),
        clip("member", 0, 1, Missing::Drop),
        Clip { column: "income".to_owned(), lower: -40, upper: 100, grid: coarse, missing: Missing::Impute(-7) },
    ]
}

fn products() -> Vec<(usize, usize)> {
    vec![(0, 0), (0, 1), (1, 0), (2, 2), (3, 1), (3, 3)]
}

fn some_states() -> inbounds_data::Keys {
    keys(
        ["state", "member"],
        [(0, true), (3, false), (3, true)].map(|(i, flag)| [text(STATES[i]), KeyValue::Boolean(flag)]),
    )
}

/// Rows that pass [`FILTER`].
fn passes(row: &Row) -> bool {
    row.age.is_some_and(|age| age >= 10) && row.state.as_ref().is_some_and(|state| state != "WA")
}

const FILTER: &str = "age >= 10 AND state <> 'WA'";

fn bins() -> [Option<Bins>; 3] {
    let bins = |column: &str, edges: &[f64], missing| Some(Bins::new(column, edges.to_vec(), missing).unwrap());
    [
        None,
        bins("income", &[-5.5, 0.0, 1_000.125, 1_000.25, 100_000.0, 200_000.0], Missing::Drop),
        bins("age", &[20.0, 21.0, 39.5, 60.0], Missing::Impute(2)),
    ]
}

/// Every mixture of values, products, keys, bins and bound.
fn queries() -> Vec<Query> {
    let mut all = Vec::new();
    let keys = [None, Some(some_states())];
    for (keys, bins) in keys.into_iter().flat_map(|keys| bins().map(|bins| (keys.clone(), bins))) {
        for bound in [None, Some(3)] {
            for (values, products) in [
                (vec![], vec![]),
                (values()[..1].to_vec(), vec![]),
                (values()[..1].to_vec(), vec![(0, 0)]),
                (values(), vec![]),
                (values(), products()),
            ] {
                let bound = bound.map(|rows| ContributionBound::of_rows("person", rows));
                all.push(Query { keys: keys.clone(), bins: bins.clone(), values, products, bound, ..Query::default() });
            }
        }
    }
    all
}

#[test]
fn counts_sums_and_products_are_those_of_the_definition() {
    let folder = tempdir().unwrap();
    let rows = Random::new(30).rows(4_000, 300);
    for path in write::both(folder.path(), &rows) {
        let engine = partitions(open(&path), 2);
        for query in queries() {
            let expected = reference::answers(&rows, |_| true, &query);
            assert!(expected[0].iter().sum::<i128>() > 150, "the test has rows to count");
            assert_eq!(all_answers(&engine, &query), expected, "{} {query:?}", path.display());
            let filtered = Query { filter: Some(FILTER.to_owned()), ..query };
            let expected = reference::answers(&rows, passes, &filtered);
            assert_eq!(all_answers(&engine, &filtered), expected, "{} {filtered:?}", path.display());
        }
    }
}

/// Sixty queries with and without a filter, under bounds of every size, and surveys: in one pass they have the answers
/// that each has by itself.
#[test]
fn questions_asked_together_are_answered_as_if_alone() {
    let folder = tempdir().unwrap();
    let rows = Random::new(34).rows(3_000, 90);
    let bound = |rows| Some(ContributionBound::of_rows("person", rows));
    let mut all = queries();
    all.extend(queries().into_iter().map(|query| Query { filter: Some(FILTER.to_owned()), ..query }));
    let bounded = Query { values: values(), products: products(), ..Query::default() };
    all.extend([1, 2, 16, 17, 18, 40, u64::MAX].map(|rows| Query { bound: bound(rows), ..bounded.clone() }));
    let listed = vec![keys(["state"], [[text(STATES[0])]])];
    let ages = Bounded { column: "age".to_owned(), lower: 18.0, upper: 65.0 };
    let survey = Survey { rows: true, listed, bounded: vec![ages], empty: true, ..Survey::default() };
    let surveys = [survey.clone(), Survey { bound: bound(2), ..survey }];
    for path in write::both(folder.path(), &rows) {
        for threads in [1, 3] {
            let engine = partitions(open(&path), threads);
            let questions = Questions { queries: all.iter().collect(), surveys: surveys.iter().collect(), stop: None };
            let together = answer(&engine, &questions);
            assert_eq!(together.tallies.len(), all.len());
            for (query, tally) in all.iter().zip(&together.tallies) {
                let passes = |row: &Row| query.filter.is_none() || passes(row);
                assert_eq!(numbers(tally), reference::answers(&rows, passes, query), "{} {query:?}", path.display());
            }
            for (survey, answer) in surveys.iter().zip(&together.surveys) {
                assert_eq!(answer.private_steps(), engine.survey(survey).unwrap().private_steps());
            }
        }
    }
}

#[test]
fn a_row_counts_only_with_all_its_values() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "age,income,member\n2,3,true\n5,,true\n7,11,?\n,13,false\n17,nan,\n").unwrap();
    let values = vec![clip("age", 0, 100, Missing::Drop), clip("income", 0, 100, Missing::Drop)];
    let products = vec![(0, 1), (0, 0), (1, 1)];
    let query = Query { values, products, ..Query::default() };
    assert_eq!(all_answers(&open(&path), &query), [[2], [2 + 7], [3 + 11], [6 + 77], [4 + 49], [9 + 121]]);
    let [mut age, income] = query.values.try_into().unwrap();
    age.missing = Missing::Impute(1);
    let query = Query { values: vec![age, income], products: vec![(1, 0)], ..Query::default() };
    assert_eq!(all_answers(&open(&path), &query), [[3], [2 + 7 + 1], [3 + 11 + 13], [6 + 77 + 13]]);
}

#[test]
fn products_of_the_widest_values_are_exact() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let rows = "-9e99,9e99,\n-9e99,2147483647,\n".repeat(1_000);
    fs::write(&path, format!("age,income,member\n{rows}")).unwrap();
    let most = Clip::MAX_FACTOR_STEPS;
    let values = vec![clip("age", -most, most, Missing::Drop), clip("income", -most, most, Missing::Drop)];
    let query = Query { values, products: vec![(0, 0), (0, 1), (1, 1)], ..Query::default() };
    let most = i128::from(most);
    let pairs = [2 * most * most, -most * (most + most - 1), most * most + (most - 1) * (most - 1)];
    let expected = [2, -2 * most, 2 * most - 1].into_iter().chain(pairs).map(|sum| vec![1_000 * sum]);
    assert_eq!(all_answers(&open(&path), &query), expected.collect::<Vec<_>>());
}

#[test]
fn products_that_cannot_be_are_refused() {
    let folder = tempdir().unwrap();
    let [_, path] = write::both(folder.path(), &Random::new(31).rows(3, 3));
    let message = |values: Vec<Clip>, pair| {
        refused(&path, &Query { values, products: vec![pair], ..Query::default() }).to_string()
    };
    assert_eq!(message(values(), (1, 4)), "products: (1, 4) must name two of the 4 values, counted from 0");
    assert_eq!(message(vec![], (0, 0)), "products: (0, 0) must name two of the 0 values, counted from 0");
    let far = Clip::MAX_FACTOR_STEPS + 1;
    let must = "products: bounds of `age` must lie in [-2^31, 2^31] steps, got";
    assert_eq!(
        message(vec![income(), clip("age", 0, far, Missing::Drop)], (0, 1)),
        format!("{must} 0 and 2147483649; use a coarser grid")
    );
    assert_eq!(
        message(vec![clip("age", -far, 0, Missing::Drop)], (0, 0)),
        format!("{must} -2147483649 and 0; use a coarser grid")
    );
}

#[test]
fn answers_larger_than_the_engine_takes_are_refused() {
    let folder = tempdir().unwrap();
    let [_, path] = write::both(folder.path(), &Random::new(32).rows(3, 3));
    let ages = keys(["age"], (0..100_000).map(|age| [KeyValue::Integer(age)]));
    let query = Query { keys: Some(ages), values: values(), products: vec![(0, 0); 2_000], ..Query::default() };
    assert_eq!(
        refused(&path, &query).to_string(),
        "a query may fill 2^31 bytes, but 100000 cells with a count and 2004 sums each fill more; \
         ask for fewer cells or values at once"
    );
}

#[test]
fn neither_order_nor_threads_change_a_sum_or_product() {
    let folder = tempdir().unwrap();
    let mut random = Random::new(33);
    let mut rows = random.rows(3_000, 100);
    let bound = Some(ContributionBound::of_rows("person", 3));
    for bound in [None, bound] {
        let [_, _, bins] = bins();
        let query = Query {
            keys: Some(some_states()),
            bins,
            values: values(),
            products: products(),
            bound,
            ..Query::default()
        };
        let [csv, parquet] = write::both(folder.path(), &rows);
        let expected = all_answers(&partitions(open(&csv), 1), &query);
        for count in 2..=4 {
            assert_eq!(all_answers(&partitions(open(&csv), count), &query), expected);
            assert_eq!(all_answers(&partitions(open(&parquet), count), &query), expected);
        }
        random.shuffle(&mut rows);
        let many = folder.path().join(format!("parquet-{}", query.bound.is_some()));
        fs::create_dir(&many).unwrap();
        for (index, part) in rows.chunks(500).enumerate() {
            write::parquet(&many.join(format!("{index}.parquet")), part);
        }
        assert_eq!(all_answers(&partitions(open(&many), 3), &query), expected);
    }
}
