//! Bins: which one a number is in, decided without rounding, and edges that are refused.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Decimal128Array, Float32Array, Float64Array, Int64Array, UInt64Array};
use inbounds_data::{Bins, ContributionBound, KeyValue, Missing, Query};
use tempfile::tempdir;

use crate::random::Random;
use crate::{answers, keys, open, refused, text, write};

fn binned(column: &str, edges: &[f64], missing: Missing) -> Query {
    Query { bins: Some(Bins::new(column, edges.to_vec(), missing).unwrap()), ..Query::default() }
}

fn counts(path: &Path, query: &Query) -> Vec<i128> {
    answers(&open(path), query).0
}

#[test]
fn bins_have_their_lower_end_and_the_last_both() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let cells = ["-inf", "-1", "-0.0", "0", "0.299999999999999", "0.3", "2.9", "3", "3.1", "1e999", "nan", "", "x"];
    fs::write(&path, format!("age,income,member\n{}", cells.map(|cell| format!("7,{cell},\n")).concat())).unwrap();
    // Below and at 0 | [0, 0.3) | [0.3, 3].
    assert_eq!(counts(&path, &binned("income", &[-1.0, 0.0, 0.3, 3.0], Missing::Drop)), [2, 3, 5]);
    assert_eq!(counts(&path, &binned("income", &[-1.0, 0.0, 0.3, 3.0], Missing::Impute(1))), [2, 6, 5]);
    assert_eq!(counts(&path, &binned("income", &[-9.0, 9.0], Missing::Drop)), [10]);
}

#[test]
fn keys_have_all_bins_and_bins_are_fastest() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    fs::write(&path, "state,age,income,member\nCA,1,,\nCA,9,,\nNV,9,,\nOR,1,,\nCA,,,\n,9,,\nNV,30,,\n").unwrap();
    let states = || Some(keys(["state"], ["NV", "HI", "CA"].map(|state| [text(state)])));
    let query = Query { keys: states(), ..binned("age", &[0.0, 5.0, 10.0], Missing::Drop) };
    assert_eq!(query.cells(), 6);
    assert_eq!(counts(&path, &query), [0, 2, 0, 0, 1, 1]);
    let query = Query { keys: states(), ..binned("age", &[0.0, 5.0, 10.0], Missing::Impute(0)) };
    assert_eq!(counts(&path, &query), [0, 2, 0, 0, 2, 1]);
    let bound = Some(ContributionBound::of_rows("state", 1));
    let kept = counts(&path, &Query { bound, ..query });
    assert_eq!((kept[0] + kept[1], kept[2] + kept[3], kept[4] + kept[5]), (1, 0, 1));
}

#[test]
fn no_number_is_rounded_onto_an_edge() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    let two53 = 1i64 << 53;
    let decimal = Decimal128Array::from(vec![30, 29, 31]).with_precision_and_scale(30, 2).unwrap();
    write::columns(
        &path,
        vec![
            ("i64", Arc::new(Int64Array::from(vec![two53 + 3, i64::MAX, i64::MIN])) as ArrayRef),
            ("u64", Arc::new(UInt64Array::from(vec![u64::MAX, 1 << 63, (1 << 63) - 1]))),
            ("f64", Arc::new(Float64Array::from(vec![0.3, 0.3f64.next_down(), 0.3f64.next_up()]))),
            ("f32", Arc::new(Float32Array::from(vec![0.7, 0.3, f32::NAN]))),
            ("decimal", Arc::new(decimal)),
        ],
    );
    let binned = |column: &str, edge: f64| counts(&path, &binned(column, &[-1e300, edge, 1e300], Missing::Drop));
    // As doubles, 2^53 + 3 is 2^53 + 4, and the largest integers are 2^63 and 2^64.
    assert_eq!(binned("i64", (two53 + 4) as f64), [2, 1]);
    assert_eq!(binned("i64", (two53 + 2) as f64), [1, 2]);
    assert_eq!(binned("i64", 2f64.powi(63)), [3, 0]);
    assert_eq!(binned("i64", -2f64.powi(63)), [0, 3]);
    assert_eq!(binned("u64", 2f64.powi(64)), [3, 0]);
    assert_eq!(binned("u64", 2f64.powi(63)), [1, 2]);
    assert_eq!(binned("f64", 0.3), [1, 2]);
    assert_eq!(binned("decimal", 0.3), [1, 2]);
    // As 32-bit floats, 0.7 is below and 0.3 above the decimal.
    assert_eq!(binned("f32", 0.7), [2, 0]);
    assert_eq!(binned("f32", 0.3), [0, 2]);
    assert_eq!(binned("i64", 0.5), [1, 2]);
}

#[test]
fn a_boolean_has_two_bins() {
    let folder = tempdir().unwrap();
    let rows = Random::new(40).rows(500, 5);
    let expected = [false, true].map(|flag| rows.iter().filter(|row| row.member == Some(flag)).count() as i128);
    for path in write::both(folder.path(), &rows) {
        assert_eq!(counts(&path, &binned("member", &[0.0, 1.0, 2.0], Missing::Drop)), expected);
    }
}

#[test]
fn bins_that_cannot_be_are_refused() {
    let message =
        |edges: &[f64], missing| Bins::new("age", edges.to_vec(), missing).expect_err("bins are refused").to_string();
    let must = "bins: edges of `age` must be finite and increasing, got";
    assert_eq!(message(&[0.0, 2.0, 1.0], Missing::Drop), format!("{must} 1 after 2"));
    assert_eq!(message(&[-0.0, 0.0], Missing::Drop), format!("{must} 0 after -0"));
    assert_eq!(message(&[f64::NAN, 0.0], Missing::Drop), format!("{must} NaN"));
    assert_eq!(message(&[0.0, f64::NAN], Missing::Drop), format!("{must} NaN after 0"));
    assert_eq!(message(&[0.0, f64::INFINITY], Missing::Drop), format!("{must} inf after 0"));
    assert_eq!(message(&[f64::NEG_INFINITY, 0.0], Missing::Drop), format!("{must} -inf"));
    assert_eq!(message(&[], Missing::Drop), "bins: `age` must have at least 2 edges, got 0");
    assert_eq!(message(&[1.0], Missing::Drop), "bins: `age` must have at least 2 edges, got 1");
    for bin in [-1, 2] {
        assert_eq!(
            message(&[0.0, 1.0, 2.0], Missing::Impute(bin)),
            format!("bins: the imputed bin of `age` must be one of the 2, counted from 0, got {bin}")
        );
    }
    let folder = tempdir().unwrap();
    let [_, path] = write::both(folder.path(), &Random::new(41).rows(3, 3));
    assert_eq!(
        refused(&path, &binned("aeg", &[0.0, 1.0], Missing::Drop)).to_string(),
        "bins: no column `aeg` in the data; did you mean `age`?"
    );
    assert_eq!(
        refused(&path, &binned("state", &[0.0, 1.0], Missing::Drop)).to_string(),
        "bins: column `state` must be integer, number or boolean, but it is text; use another column"
    );
    let edges: Vec<f64> = (0..=100_000).map(f64::from).collect();
    let ages = keys(["age"], (0..3_000).map(|age| [KeyValue::Integer(age)]));
    let many = refused(&path, &Query { keys: Some(ages), ..binned("income", &edges, Missing::Drop) }).to_string();
    assert!(many.starts_with("a query may fill 2^31 bytes, but 300000000 cells with a count and 0 sums"), "{many}");
}
