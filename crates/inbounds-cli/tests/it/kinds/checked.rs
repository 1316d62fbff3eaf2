//! What `inbounds check` says of every kind, for people and for machines.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{PLANS, example, people, people_asked, released};

#[test]
fn a_check_of_every_kind_agrees_with_the_release() {
    for plan in PLANS {
        let bench = people(plan);
        let words = bench.run(&["check", "plan.toml"]);
        assert_eq!(words.code, 0, "{}", words.err);
        assert!(words.out.contains("This release spends all of its epsilon, 15."), "{}", words.out);
        let said = bench.run(&["check", "plan.toml", "--json"]);
        let report: Value = serde_json::from_str(&said.out).expect("JSON");
        let manifest = released(&bench);
        let list = |value: &Value| value["statistics"].as_array().expect("a list").clone();
        assert_eq!(list(&report).len(), list(&manifest).len());
        for (checked, released) in list(&report).iter().zip(list(&manifest)) {
            let name = checked["name"].as_str().expect("a name");
            assert!(words.out.contains(name), "{name} is not in the table");
            for key in ["name", "kind", "cells", "epsilon", "outputs", "expected_error"] {
                assert_eq!(checked[key], released[key], "{plan}: {key} of {name}");
            }
            let scales = |list: &Value| -> Vec<Value> {
                list.as_array().expect("a list").iter().map(|noise| noise["scale"].clone()).collect()
            };
            assert_eq!(scales(&checked["noise"]), scales(&released["measured"]), "{plan}: {name}");
            assert_eq!(checked["worst_bias"], released["bias"]["worst"], "{plan}: {name}");
        }
        // A check needs the header and nothing else.
        let rows = example("people.csv");
        bench.write("people.csv", rows.lines().next().expect("a header"));
        assert_eq!(bench.run(&["check", "plan.toml", "--json"]).out, said.out);
    }
}

const SAMPLED: &str = r#"[[statistic]]
name = "smokers"
kind = "proportion"
where = "smoker"

[[statistic]]
name = "height"
kind = "variance"
column = "height"

[[statistic]]
name = "ages"
kind = "histogram"
column = "age"
edges = [18, 50, 90]
"#;

/// 200 seeded samples each; the rows here lie so far apart that no chance turns their errors round.
#[test]
fn errors_shrink_with_the_sample_and_histograms_have_no_population() {
    let bench = people_asked("plan.toml", SAMPLED);
    let said = bench.run(&["check", "plan.toml", "--sample-sizes", "50,100,500", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let report: Value = serde_json::from_str(&said.out).expect("JSON");
    let sizes = report["sample_sizes"].as_array().expect("a list");
    let names: BTreeSet<&str> = sizes.iter().filter_map(|size| size["statistic"].as_str()).collect();
    assert_eq!(names, BTreeSet::from(["height", "smokers"]));
    assert_eq!(sizes.len(), 2 * 2 * 3, "two statistics, two populations, three sizes");
    for of_one in sizes.chunks(3) {
        let rows: Vec<_> = of_one.iter().map(|size| size["rows"].as_u64().expect("rows")).collect();
        assert_eq!(rows, [50, 100, 500]);
        let errors = |key: &str| -> Vec<f64> {
            of_one.iter().map(|size| size["errors"][key].as_f64().expect("a number")).collect()
        };
        assert!(errors("rmse").windows(2).all(|pair| pair[1] < pair[0]), "{of_one:?}");
        assert!(errors("coverage").iter().all(|part| *part > 0.85 && *part <= 1.0), "{of_one:?}");
    }
    let words = bench.run_at(200, &["check", "plan.toml", "--sample-sizes", "50"]);
    assert_eq!(words.code, 0, "{}", words.err);
    assert!(words.out.contains("coverage of 95 %") && words.out.contains("proportion 0.02"), "{}", words.out);
    assert!(words.out.contains("Left out: ages."), "{}", words.out);
}

#[test]
fn sizes_must_be_samples() {
    let bench = people("plan.toml");
    for (sizes, wanted) in [
        ("1,100", "at least 2 rows"),
        ("100,50", "must increase"),
        ("many", "no whole number"),
        ("", "no whole number"),
    ] {
        let said = bench.run(&["check", "plan.toml", "--sample-sizes", sizes]);
        assert_eq!(said.code, 2, "{sizes}");
        assert!(said.err.contains(wanted), "{sizes}: {}", said.err);
    }
    bench.write("plan.toml", example("private-rows.toml"));
    let said = bench.run(&["check", "plan.toml", "--sample-sizes", "50"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("No statistic of the plan has a public number of rows"), "{}", said.out);
}
