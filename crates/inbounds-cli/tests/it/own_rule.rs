//! A rule of one's own, from `design --out` to a bundle and its page.

use std::fs;

use serde_json::Value;

use crate::workbench::Workbench;

const PLAN: &str = r#"
[data]
path = "rows.csv"

[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 2

[columns.sex]
type = "text"
values = ["f", "m"]

[columns.age]
type = "integer"
lower = 0
upper = 110
missing = "drop"

[[statistic]]
name = "people"
kind = "count"
by = ["sex"]
share = 0.5
mechanism = { rule = "rule.csv" }

[[statistic]]
name = "years"
kind = "sum"
column = "age"
share = 0.5
"#;

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("plan.toml", PLAN);
    let said = bench.run(&["design", "--epsilon", "1", "--sensitivity", "1", "--out", "rule.csv"]);
    assert_eq!(said.code, 0, "{}", said.err);
    bench
}

fn json(bench: &Workbench, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(bench.path(file)).expect("file")).expect("JSON")
}

/// The rule of the file as docs/bundle.md describes it, from the numbers of the manifest alone.
fn described(processing: &Value, x: f64) -> f64 {
    let number = |name: &str| processing[name].as_f64().expect("number");
    let estimates: Vec<f64> =
        processing["estimates"].as_array().expect("a list").iter().map(|one| one.as_f64().expect("number")).collect();
    let place = (x - number("first")) / number("spacing");
    let last = (estimates.len() - 1) as f64;
    if place <= 0.0 {
        estimates[0]
    } else if place >= last {
        x + estimates[estimates.len() - 1] - number("first") - number("spacing") * last
    } else {
        let (below, part) = (place.floor() as usize, place - place.floor());
        estimates[below] + part * (estimates[below + 1] - estimates[below])
    }
}

#[test]
fn a_designed_rule_is_applied_and_a_reader_can_redo_it() {
    let bench = bench();
    bench.seeded("plan.toml", "bundle", "7");
    let manifest = json(&bench, "bundle/release.json");
    let counts = &manifest["statistics"][0];
    assert_eq!(counts["rule"]["name"], "rule.csv");
    let digest = inbounds_bundle::digest::sha256(&fs::read(bench.path("rule.csv")).expect("rule"));
    assert_eq!(counts["rule"]["sha256"], digest);
    assert!(manifest["statistics"][1]["rule"].is_null());
    let measured = &counts["measured"][0];
    assert_eq!(measured["mechanism"], "tabulated-discrete-laplace");
    assert_eq!(
        (&measured["processing"]["rule"], &counts["bias"]["formula"]),
        (&"table".into(), &"tabulated-rule-bias".into())
    );
    // The certificate of the design is about the noise of this plan: its worst bias is that of the release.
    let worst = counts["bias"]["worst"].as_f64().expect("number");
    assert!((worst - 0.2689414213699951).abs() < 1e-7, "1/(1 + e), not {worst}");
    let rows = |file: &str| {
        let mut reader = csv::Reader::from_path(bench.path(file)).expect("table");
        let header = reader.headers().expect("header").clone();
        let records: Vec<_> = reader.records().map(|record| record.expect("row")).collect();
        (header, records)
    };
    let ((header, measurements), (names, estimates)) = (rows("bundle/measurements.csv"), rows("bundle/estimates.csv"));
    let cell = |header: &csv::StringRecord, record: &csv::StringRecord, name: &str| -> String {
        record[header.iter().position(|column| column == name).unwrap_or_else(|| panic!("{name} in {header:?}"))]
            .to_owned()
    };
    for (measurement, estimate) in measurements.iter().zip(&estimates).take(2) {
        let steps: f64 = cell(&header, measurement, "steps").parse().expect("number");
        let stated: f64 = cell(&names, estimate, "estimate").parse().expect("number");
        let expected = described(&measured["processing"], steps);
        assert!((stated - expected).abs() < 1.0, "{steps}: {stated} for {expected}");
    }
    // The page calibrates the mechanism again from the manifest alone.
    let said = bench.run(&["report", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("page");
    assert!(page.contains("The estimates follow the rule in rule.csv") && page.contains(&digest));
    assert!(!page.contains("this version gives it another"), "the mechanism came out otherwise");
}

#[test]
fn sums_on_a_finer_grid_and_other_noise_take_a_rule_too() {
    let bench = bench();
    bench.write("sum.csv", "measurement,estimate\n0,0\n50,0\n100,100\n");
    bench
        .edit("column = \"age\"\nshare = 0.5\n", "column = \"age\"\nshare = 0.5\nmechanism = { rule = \"sum.csv\" }\n");
    bench.seeded("plan.toml", "laplace", "3");
    bench.edit("{ rule = \"sum.csv\" }", "{ rule = \"sum.csv\", noise = \"staircase\" }");
    bench.seeded("plan.toml", "staircase", "3");
    bench.edit("noise = \"staircase\"", "noise = \"gaussian\"");
    bench.edit("epsilon = 2\n", "epsilon = 2\ndelta = \"1e-6\"\n");
    bench.seeded("plan.toml", "gaussian", "3");
    for law in ["laplace", "staircase", "gaussian"] {
        let sum = &json(&bench, &format!("{law}/release.json"))["statistics"][1];
        assert_eq!(sum["measured"][0]["mechanism"], format!("tabulated-discrete-{law}"));
        assert_eq!(bench.run(&["report", law]).code, 0);
        let page = fs::read_to_string(bench.path(&format!("{law}/report.html"))).expect("page");
        assert!(!page.contains("this version gives it another"), "{law}");
    }
}

/// Every mistake names the line and the remedy, and stops the plan before the rows.
#[test]
fn bad_rules_are_refused_with_their_line() {
    let bench = bench();
    let head = "measurement,estimate\n";
    for (file, said, remedy) in [
        ("measurement\n0\n", "line 1: the column `estimate` is missing", "inbounds design"),
        ("measurement,estimate,weight\n", "line 1: no column `weight` belongs in a rule", "inbounds design"),
        (
            "measurement,estimate,noise\n0,0,laplace\n",
            "line 1: `noise` needs the column `scale` beside it",
            "inbounds design",
        ),
        ("measurement,estimate\n0,0\n1\n", "line 3: the row must have 2 cells", "inbounds design"),
        (
            "measurement,estimate\n0,0\n1,inf\n",
            "line 3: `estimate` must be a finite number such as 2.5, got \"inf\"",
            "inbounds design",
        ),
        ("measurement,estimate\n0,0\nx,1\n", "line 3: `measurement` must be a finite number", "inbounds design"),
        ("measurement,estimate\n0,0\n1,1\n1,1\n", "line 4: `measurement` must rise from row to row", "sort the rows"),
        ("measurement,estimate\n0,0\n1,1\n3,1\n", "line 4: `measurement` must rise by 1", "add the row for 2"),
        (
            "measurement,estimate\n0,0\n1,-1\n",
            "line 3: `estimate` must be in the range of the statistic, at least 0",
            "move it",
        ),
        (
            "measurement,estimate,noise,scale\n0,0,laplace,3\n1,1,laplace,3\n",
            "designed for laplace noise of scale 3",
            "leave out the columns",
        ),
        (
            "measurement,estimate,noise,scale\n0,0,laplace,3\n1,1,laplace,2\n",
            "line 3: `noise` and `scale` must be those of the first row",
            "inbounds design",
        ),
        (
            "measurement,estimate,noise,scale\n0,0,cube,3\n",
            "line 2: `noise` must be one of laplace, staircase, gaussian",
            "inbounds design",
        ),
        (head, "a rule needs at least two rows", "add the rows"),
    ] {
        bench.write("rule.csv", file);
        let refused = bench.run(&["check", "plan.toml"]);
        assert_eq!(refused.code, 2, "{file}: {}", refused.out);
        let words = refused.err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(words.contains("plan.toml:25:") && words.contains(said) && words.contains(remedy), "{said}: {words}");
    }
}

/// Where a rule has no meaning it is refused by name; the rows are no rule, and none of them is shown.
#[test]
fn a_rule_is_refused_where_it_cannot_apply() {
    let refused = |from: &str, to: &str, said: &str| {
        let bench = bench();
        bench.edit(from, to);
        let refused = bench.run(&["check", "plan.toml"]);
        assert_eq!(refused.code, 2, "{to}: {}", refused.out);
        let words = refused.err.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ");
        assert!(words.contains(said) && !words.contains("250.5"), "{said}: {words}");
    };
    let rule = "mechanism = { rule = \"rule.csv\" }";
    refused(rule, "mechanism = { rule = \"rows.csv\" }", "the file must be another than the data");
    refused(rule, "mechanism = { rule = \"none.csv\" }", "cannot read");
    refused(rule, "mechanism = { noise = \"laplace\" }", "`rule`");
    refused(
        rule,
        "mechanism = { rule = \"rule.csv\", noise = \"cube\" }",
        "must be \"laplace\", \"staircase\" or \"gaussian\"",
    );
    refused(rule, "mechanism = { rule = \"rule.csv\", noise = \"staircase\" }", "staircase");
    refused(rule, &format!("{rule}\nrange = \"unbounded\""), "needs a range with an end");
    refused(
        rule,
        &format!("{rule}\nlevels = [\"all\", \"sex\"]"),
        "`mechanism` in statistic `people` must be \"clamped\"",
    );
    let want = "share = 0.5\nmechanism = { rule = \"rule.csv\" }";
    refused(
        want,
        "want = { rmse = 5 }\nmechanism = { rule = \"rule.csv\" }",
        "must be no rule of one's own with `want`",
    );
    refused(
        "kind = \"sum\"\ncolumn = \"age\"",
        &format!("kind = \"mean\"\n{rule}\ncolumn = \"age\""),
        "ratio of noisy sums",
    );
    refused("kind = \"sum\"\ncolumn = \"age\"", &format!("kind = \"variance\"\n{rule}\ncolumn = \"age\""), "clamped");
    refused("kind = \"count\"\nby = [\"sex\"]", "kind = \"proportion\"\nby = [\"sex\"]", "would go unused");
}

/// A rule of one's own costs what its noise does: half of epsilon 2 here, and all of it with the sum beside it.
#[test]
fn a_rule_is_paid_for_by_its_noise() {
    let bench = bench();
    bench.edit("epsilon = 2\n", "epsilon = 2\nledger = \"rows.ledger\"\n");
    let create =
        ["ledger", "create", "rows.ledger", "--data", "rows.csv", "--unit", "row", "--neighbours", "add-remove"];
    assert_eq!(bench.run(&[&create[..], &["--epsilon", "3.5"]].concat()).code, 0);
    let left = || {
        let shown: Value =
            serde_json::from_str(&bench.run(&["ledger", "show", "rows.ledger", "--json"]).out).expect("JSON");
        shown["left"]["epsilon"].as_str().expect("epsilon").to_owned()
    };
    assert_eq!(left(), "3.5");
    let said = bench.run(&["release", "plan.toml", "--out", "first"]);
    assert_eq!((said.code, left().as_str()), (0, "1.5"), "{}", said.err);
    bench.edit("[[statistic]]\nname = \"years\"\nkind = \"sum\"\ncolumn = \"age\"\nshare = 0.5\n", "");
    let said = bench.run(&["release", "plan.toml", "--out", "second"]);
    assert_eq!((said.code, left().as_str()), (0, "0.5"), "{}", said.err);
    let said = bench.run(&["release", "plan.toml", "--out", "third"]);
    assert_eq!((said.code, left().as_str()), (9, "0.5"), "{}", said.err);
}
