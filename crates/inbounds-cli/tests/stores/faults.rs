//! What a store does wrong: the release fails, says what to do, shows nothing of what the store said, and has spent
//! nothing.

use crate::{
    bench::{bench, plan, rows, spent},
    server::{Fault, SECRET, Store},
    workbench::{Said, Workbench},
};

fn words(said: &Said) -> String {
    said.err.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn fails(bench: &Workbench, said: &Said, problem: &str) {
    let words = words(said);
    assert!(words.contains(problem), "`{problem}` is not in: {words}");
    assert!(!words.contains("age 41") && !words.contains(SECRET) && !words.contains("damaged"), "{words}");
    assert_eq!(said.code, 3, "{words}");
    assert_eq!(spent(bench), "0");
    assert!(!bench.path("out").exists());
}

/// Rows in objects that are larger than what is read of them at first.
fn stored() -> (Store, Workbench) {
    let (store, bench) = (Store::start(), bench());
    store.put("people/a.csv", rows(1, 60_000));
    store.put("people/b.csv", rows(2, 60_000));
    let of_store = plan().replace("path = \"rows\"", "name = \"people\"\npath = \"s3://rows/people\"");
    bench.write("plan.toml", of_store);
    std::fs::remove_file(bench.path("rows.ledger")).expect("a ledger");
    let terms = ["ledger", "create", "rows.ledger", "--data", "s3://rows/people", "--unit", "row"];
    let said = bench.run(&[&terms[..], &["--neighbours", "add-remove", "--epsilon", "3"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    (store, bench)
}

#[test]
fn a_store_that_fails_costs_nothing() {
    let (store, bench) = stored();
    let release = ["release", "plan.toml", "--out", "out"];
    for after in [0, 1, 3, 5] {
        for (fault, problem) in [
            (Fault::Changed, "the object changed while it was read"),
            (Fault::Gone, "the store has no such object"),
            (Fault::Refused, "the store refuses access; see the keys in AWS_ACCESS_KEY_ID"),
        ] {
            store.fails(after, fault);
            let said = bench.run_with(&store.variables(), &release);
            fails(&bench, &said, problem);
            assert!(words(&said).contains("s3://rows/people/"), "after {after}: {}", said.err);
        }
    }
    // These are tried again for a while first.
    for (fault, after) in [(Fault::Half, 3), (Fault::Broken, 3)] {
        store.fails(after, fault);
        fails(&bench, &bench.run_with(&store.variables(), &release), "the store cannot be reached, or gave no answer");
    }
    store.fails(usize::MAX, Fault::Gone);
    let said = bench.run_with(&store.variables(), &release);
    assert_eq!(said.code, 0, "{}", said.err);
    assert_eq!(spent(&bench), "1");
}

#[test]
fn what_cannot_be_found_is_said() {
    let (store, bench) = stored();
    let release = ["release", "plan.toml", "--out", "out"];
    for (path, problem) in [
        ("s3://rows/nobody.csv", "no file at `s3://rows/nobody.csv`"),
        ("s3://other/people.csv", "s3://other/people.csv"),
        ("s3://reader:key@rows/people.csv", "a URL of an object store is s3://BUCKET/KEY"),
        ("s3:///people.csv", "a URL of an object store is s3://BUCKET/KEY"),
    ] {
        bench.write("plan.toml", plan().replace("path = \"rows\"", &format!("path = \"{path}\"")));
        let said = bench.run_with(&store.variables(), &release);
        assert!(words(&said).contains(problem), "{path}: {}", said.err);
        assert!(matches!(said.code, 2 | 3), "{}", said.err);
    }
    bench.write("plan.toml", plan().replace("path = \"rows\"", "path = \"s3://rows/people\""));
    let nowhere = [
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:9"),
        ("AWS_ALLOW_HTTP", "true"),
        ("AWS_ACCESS_KEY_ID", "a"),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
    ];
    fails(&bench, &bench.run_with(&nowhere, &release), "the store cannot be reached");
}

#[test]
fn rows_below_rows_are_not_left_out_in_silence() {
    let (store, bench) = stored();
    store.put("people/more/c.csv", rows(3, 10));
    let said = bench.run_with(&store.variables(), &["release", "plan.toml", "--out", "out"]);
    fails(&bench, &said, "s3://rows/people/more");
}
