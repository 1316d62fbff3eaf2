//! What a number is stands in a manifest as data, and names of columns mean nothing but themselves.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::{Workbench, file, manifest, rows};

/// Columns whose names are words that statistics are named by.
fn confusing(bench: &Workbench) -> Value {
    let row = |i: usize| format!("{},{}\n", i % 50, (i * i) % 50);
    bench.write("rows.csv", format!("covariance,mean of variance\n{}", (0..900).map(row).collect::<String>()));
    bench.write(
        "plan.toml",
        r#"
[data]
path = "rows.csv"
[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 20
[columns.covariance]
type = "number"
lower = 0
upper = 50
missing = "drop"
label = "Length of stay"
[columns."mean of variance"]
type = "number"
lower = 0
upper = 50
missing = "drop"
[[statistic]]
name = "both"
kind = "correlation"
columns = ["covariance", "mean of variance"]
[[statistic]]
name = "spread"
kind = "standard-deviation"
column = "mean of variance"
"#,
    );
    bench.seeded("plan.toml", "bundle", "7");
    manifest(bench, "bundle")
}

#[test]
fn columns_named_like_statistics_stay_apart() {
    let bench = Workbench::new();
    let manifest = confusing(&bench);
    let outputs = |index: usize| manifest["statistics"][index]["outputs"].as_array().expect("outputs").clone();
    let entry = &outputs(0)[1];
    assert_eq!(entry["name"], "correlation of covariance and mean of variance");
    assert_eq!(entry["quantity"], json!({ "id": "correlation", "row": "covariance", "column": "mean of variance" }));
    let roots = outputs(1);
    assert_eq!(roots[0]["name"], "standard deviation of mean of variance");
    assert_eq!(roots[0]["quantity"], json!({ "id": "standard-deviation", "column": "mean of variance" }));
    let named: Vec<String> =
        rows(&bench, "bundle/estimates.csv").into_iter().map(|row| row["output"].clone()).collect();
    let words: Vec<Value> = [outputs(0), roots].concat().iter().map(|output| output["name"].clone()).collect();
    assert_eq!(named, words);
    // The page calls a column as the plan does.
    let page = file(&bench, "bundle/report.html");
    assert!(page.contains("correlation of Length of stay and mean of variance"), "{page}");
}

/// The manifest without the data that says what its numbers are, as older versions wrote it.
fn without_quantities(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("quantity");
            fields.values_mut().for_each(without_quantities);
        }
        Value::Array(entries) => entries.iter_mut().for_each(without_quantities),
        _ => {}
    }
}

#[test]
fn bundles_of_older_versions_are_read() {
    let bench = Workbench::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/people");
    for name in ["private-rows.toml", "people.csv"] {
        bench.write(name, fs::read(folder.join(name)).expect("an example"));
    }
    bench.seeded("private-rows.toml", "bundle", "7");
    let mut manifest = manifest(&bench, "bundle");
    let measured = manifest["statistics"].as_array().expect("statistics").iter();
    for component in measured.flat_map(|statistic| statistic["measured"].as_array().expect("components")) {
        assert!(component["quantity"]["id"].is_string() && component["role"].is_string(), "{component}");
    }
    let drawn = |name: &str| file(&bench, name).split_once("How it was measured").expect("a part").1.len();
    without_quantities(&mut manifest);
    assert!(!manifest.to_string().contains("\"quantity\""));
    let before = drawn("bundle/report.html");
    bench.write("bundle/release.json", serde_json::to_vec(&manifest).expect("JSON"));
    let said = bench.run(&["report", "bundle", "--out", "old.html"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(drawn("old.html").abs_diff(before) < 10_000);
    let said = bench.run(&["predict", "bundle", "people.csv", "--out", "classes.csv"]);
    assert_eq!(said.code, 0, "{}", said.err);
}
