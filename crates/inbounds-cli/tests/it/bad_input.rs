//! Bad input: a clear error that names the place, the right exit code, and nothing lost.

use std::fs;

use crate::workbench::{ROWS, Workbench};

/// Words of a plan, their replacement, and what the error must say; the exit code is 2.
const PLAN_MISTAKES: &[(&str, &str, &[&str])] = &[
    ("epsilon = 1", "epsilom = 1", &["unknown key `epsilom`", "did you mean `epsilon`", "plan.toml:8:1"]),
    ("epsilon = 1", "epsilon = 0", &["`epsilon` in [privacy] must be greater than 0", "plan.toml:8:11"]),
    ("epsilon = 1", "epsilon = -1", &["must be greater than 0"]),
    ("epsilon = 1", "epsilon = nan", &["must be a finite number"]),
    ("neighbours = \"add-remove\"", "", &["neighbours"]),
    ("lower = 0\nupper = 110", "lower = 110\nupper = 110", &["lower", "upper", "110"]),
    ("column = \"age\"", "column = \"agee\"", &["`agee`", "age"]),
    ("by = [\"sex\"]", "by = [\"gender\"]", &["gender"]),
    ("column = \"income\"", "column = \"sex\"", &["must be a number", "`sex` is of type text"]),
    ("where = \"age >= 18\"", "where = \"age >= 'old'\"", &["age", "income"]),
    ("where = \"age >= 18\"", "where = \"agee >= 18\"", &["agee", "age"]),
    ("where = \"age >= 18\"", "where = \"age / 0 > 1\"", &["where"]),
    ("kind = \"sum\"", "kind = \"sum\"\nrange = { lower = 0, upper = 10 }", &["10 wide", "by 1000"]),
    ("values = [\"f\", \"m\"]", "values = [\"f\", \"m\", \"f\"]", &["\"f\" twice"]),
    ("name = \"people\"", "name = \"people\"\nshare = 0.5", &["share"]),
    ("[[statistic]]\nname = \"people\"", "[[statistic]\nname = \"people\"", &["plan.toml:"]),
];

#[test]
fn mistakes_in_the_plan_are_pointed_at_and_cost_nothing() {
    for (from, to, wanted) in PLAN_MISTAKES {
        let bench = Workbench::new();
        bench.edit(from, to);
        for command in [&["release", "plan.toml", "--out", "bundle"][..], &["check", "plan.toml"]] {
            let said = bench.run(command);
            assert_eq!(said.code, 2, "{to}: {}", said.err);
            for words in *wanted {
                assert!(said.err.contains(words), "{to}: no `{words}` in\n{}", said.err);
            }
            assert!(said.out.is_empty(), "{to}: {}", said.out);
        }
        assert_eq!(bench.names(), ["plan.toml", "rows.csv"], "{to}");
    }
}

#[test]
fn every_mistake_is_told_at_once() {
    let bench = Workbench::new();
    bench.edit("epsilon = 1", "epsilon = 0\nepsilom = 1");
    bench.edit("upper = 110", "upper = -1");
    bench.edit("values = [\"f\", \"m\"]", "values = []");
    let said = bench.run(&["check", "plan.toml", "--json"]);
    assert_eq!(said.code, 2);
    let report: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(report["mistakes"].as_array().expect("mistakes").len(), 4, "{report:#}");
    assert!(said.err.contains("4 mistakes in plan.toml; no row was read"));
}

#[test]
fn shares_over_the_total_are_refused() {
    let bench = Workbench::new();
    for name in ["people", "income", "age"] {
        bench.edit(&format!("name = \"{name}\""), &format!("name = \"{name}\"\nshare = 0.34"));
    }
    let said = bench.release();
    assert_eq!(said.code, 2);
    assert!(said.err.contains("1.02"), "{}", said.err);
}

#[test]
fn key_files_are_checked() {
    for (keys, wanted) in [("sex\n", "no key"), ("sex\nf\nm\nf\n", "line 4"), ("gender\nf\n", "sex"), ("", "sex")] {
        let bench = Workbench::new();
        bench.edit("by = [\"sex\"]", "by = [\"sex\"]\nkeys = \"keys.csv\"");
        bench.write("keys.csv", keys);
        let said = bench.release();
        assert_eq!(said.code, 2, "{keys:?}: {}", said.err);
        assert!(said.err.contains("keys.csv"), "{keys:?}: {}", said.err);
        assert!(said.err.contains(wanted), "{keys:?}: no `{wanted}` in\n{}", said.err);
    }
}

#[test]
fn files_that_are_not_what_they_seem_are_named() {
    type Break = fn(&Workbench);
    let cases: [(&str, Break, &[&str]); 5] = [
        ("missing", |bench| fs::remove_file(bench.path("rows.csv")).expect("removes"), &["rows.csv"]),
        ("ragged", |bench| bench.write("rows.csv", format!("{ROWS}6,f,1\n")), &["rows.csv", "line 7"]),
        ("not UTF-8", |bench| bench.write("rows.csv", b"id,sex,age,income\n1,\xff,3,4\n"), &["rows.csv", "line 2"]),
        ("no header", |bench| bench.write("rows.csv", ""), &["rows.csv"]),
        (
            "truncated",
            |bench| {
                bench.edit("rows.csv", "rows.parquet");
                bench.write("rows.parquet", b"PAR1 and then nothing");
            },
            &["rows.parquet"],
        ),
    ];
    for (name, damage, wanted) in cases {
        let bench = Workbench::new();
        damage(&bench);
        let said = bench.release();
        assert_eq!(said.code, 3, "{name}: {}", said.err);
        for words in wanted {
            assert!(said.err.contains(words), "{name}: no `{words}` in\n{}", said.err);
        }
        assert!(!bench.names().iter().any(|entry| entry.contains("bundle")), "{name}: something was left behind");
    }
}

/// Nulls, NaN, infinities and unreadable numbers are data, not errors, and no cell of the data reaches the terminal.
#[test]
fn odd_values_raise_no_error_and_no_cell_is_shown() {
    let canary = "CANARY7391";
    let rows = format!(
        "id,sex,age,income\n1,{canary},{canary},1e999\n2,f,999999999999999999999,{canary}\n3,m,,-inf\n4,,NaN,\n"
    );
    let bench = Workbench::new();
    bench.write("rows.csv", &rows);
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let bench_broken = Workbench::new();
    bench_broken.write("rows.csv", format!("{rows}{canary}\n"));
    let broken = bench_broken.release();
    assert_eq!(broken.code, 3);
    let mut texts = vec![said.out, said.err, broken.out, broken.err];
    for entry in fs::read_dir(bench.path("bundle")).expect("bundle") {
        texts.push(String::from_utf8_lossy(&fs::read(entry.expect("entry").path()).expect("file")).into_owned());
    }
    assert!(texts.iter().all(|text| !text.contains(canary)));
}

#[test]
fn a_wrong_public_number_of_rows_is_told() {
    let bench = Workbench::new();
    bench.edit("neighbours = \"add-remove\"", "neighbours = \"substitute\"\nrows = 6");
    let said = bench.release();
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("rows = 6") && said.err.contains("5 rows"), "{}", said.err);
}

#[test]
fn what_stands_at_the_destination_stays() {
    let bench = Workbench::new();
    bench.write("bundle", "precious");
    let said = bench.release();
    assert_eq!(said.code, 4);
    assert!(said.err.contains("never overwritten"));
    assert_eq!(fs::read_to_string(bench.path("bundle")).expect("file"), "precious");
    assert_eq!(bench.run(&["release", "plan.toml", "--out", "no/such/folder"]).code, 4);
}

#[test]
fn arguments_are_checked() {
    let bench = Workbench::new();
    for (arguments, wanted) in [
        (&["release", "plan.toml", "--out", "b", "--seed", "3"][..], "--not-private"),
        (&["release", "plan.toml"], "--out"),
        (&["advise", "--epsilon", "0", "--sensitivity", "1"], "epsilon must be greater than 0"),
        (&["advise", "--epsilon", "x", "--sensitivity", "1"], "not a decimal number"),
        (&["advise", "--epsilon", "1", "--sensitivity", "5", "--lower", "0", "--upper", "3"], "wider than the range"),
        (&["advise", "--epsilon", "1", "--sensitivity", "1", "--lower", "3", "--upper", "3"], "lower must be less"),
        (&["advise", "--epsilon", "1", "--sensitivity", "0.5", "--integer"], "whole number"),
        (&["advise", "--epsilon", "1", "--sensitivity", "1", "--criterion", "luck"], "worst-rmse, worst-bias"),
        (&["advise", "--epsilon", "1", "--sensitivity", "1", "--delta", "1"], "delta must be at least 0"),
        (&["frobnicate"], "unrecognized subcommand"),
    ] {
        let said = bench.run(arguments);
        assert_eq!(said.code, 2, "{arguments:?}");
        assert!(said.err.contains(wanted), "{arguments:?}: no `{wanted}` in\n{}", said.err);
    }
}

/// A program without the feature tells how to get it; no message should take the URL for a path that is not there.
#[cfg(not(feature = "object-store"))]
#[test]
fn an_object_store_that_is_not_built_in_is_named() {
    let bench = Workbench::new();
    bench.edit("rows.csv", "s3://bucket/rows.csv");
    let said = bench.release();
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("built without object stores; build it with `--features object-store`"), "{words}");
    assert_eq!((said.code, bench.names()), (3, vec!["plan.toml".to_owned(), "rows.csv".to_owned()]), "{words}");
}
