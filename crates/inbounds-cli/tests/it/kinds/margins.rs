//! A count in the margins of a table: what is written adds up, costs what the plan says, and is said to be of margins.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use super::{Row, number, people, released, table};

const COLUMNS: [&str; 3] = ["by_region", "by_shirt", "by_smoker"];

fn keys(row: &Row) -> [String; 3] {
    COLUMNS.map(|column| row[column].clone())
}

/// Of each cell: its estimate, and the sums over each column that it lacks, of cells that have that column too.
fn assert_adds_up(estimates: &[Row]) {
    let of: BTreeMap<[String; 3], f64> = estimates.iter().map(|row| (keys(row), number(row, "estimate"))).collect();
    assert_eq!(of.len(), estimates.len());
    let mut compared = 0;
    for (key, estimate) in &of {
        for column in (0..3).filter(|&column| key[column].is_empty()) {
            let is_part = |other: &&[String; 3]| {
                (0..3).all(|place| if place == column { !other[place].is_empty() } else { other[place] == key[place] })
            };
            let parts: Vec<f64> = of.keys().filter(is_part).map(|part| of[part]).collect();
            if !parts.is_empty() {
                assert_eq!(parts.iter().sum::<f64>(), *estimate, "{key:?}");
                compared += 1;
            }
        }
    }
    // The total in three ways, each margin of one column in two.
    assert_eq!(compared, 3 + 2 * (4 + 3 + 2));
}

#[test]
fn written_counts_are_whole_and_add_up() {
    let bench = people("margins.toml");
    let manifest = released(&bench);
    let estimates = table(&bench, "bundle/estimates.csv");
    assert_eq!(estimates.len(), 1 + 4 + 3 + 2 + 12 + 8 + 6);
    for row in &estimates {
        let estimate = number(row, "estimate");
        assert!(estimate >= 0.0 && estimate.fract() == 0.0 && number(row, "rmse_error") > 0.0, "{row:?}");
        let filled: Vec<&str> = COLUMNS.into_iter().filter(|column| !row[*column].is_empty()).collect();
        let columns = filled.join(", ").replace("by_", "");
        assert_eq!(row["margin"], if columns.is_empty() { "total" } else { &columns }, "{row:?}");
        assert!(row["level"].is_empty());
    }
    assert_adds_up(&estimates);
    // 400 people, of whom balanced parts measure three margins of two columns.
    assert!((number(&estimates[0], "estimate") - 400.0).abs() < 60.0);
    let statistic = &manifest["statistics"][0];
    let measured = statistic["measured"].as_array().expect("a list");
    let margins: Vec<&Value> = measured.iter().map(|component| &component["margin"]).collect();
    let expected = [json!(["region", "shirt"]), json!(["region", "smoker"]), json!(["shirt", "smoker"])];
    assert_eq!(margins, expected.iter().collect::<Vec<_>>());
    assert!(measured.iter().all(|component| component["level"].is_null()));
    assert_eq!(table(&bench, "bundle/measurements.csv").len(), 12 + 8 + 6);
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "1");
    assert_eq!(statistic["projection"]["solver"]["method"], "table-top-down-least-squares-rounded");
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains("All margins were made whole and made to add up together."));
    assert!(page.contains("count, margin region, shirt") && !page.contains("level"), "the page speaks of margins");
    let rules = manifest["rules"].as_array().expect("rules").iter().filter_map(Value::as_str);
    assert!(rules.into_iter().any(|rule| rule.starts_with("Statistics with margins:")));
}

#[test]
fn check_shows_margins_and_their_errors_and_reads_no_row() {
    let bench = people("margins.toml");
    bench.write("people.csv", "region,shirt,smoker\n");
    let said = bench.run(&["check", "plan.toml"]);
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.code == 0 && words.contains("total, all cells far from 0"), "{}{}", said.out, said.err);
    let report: Value = serde_json::from_str(&bench.run(&["check", "plan.toml", "--json"]).out).expect("JSON");
    let statistic = &report["statistics"][0];
    assert_eq!(statistic["noise"][1]["margin"], json!(["region", "smoker"]));
    assert_eq!((&statistic["noise"][1]["cells"], &statistic["noise"][1]["level"]), (&json!(8), &Value::Null));
    // Seven margins far from 0, and where one cell has all rows.
    let errors = statistic["expected_error"].as_array().expect("a list");
    assert_eq!(errors.len(), 14);
    assert_eq!(errors[13]["case"], "margin shirt, smoker, one finest cell has all rows");
    assert!(errors[4]["rmse"].as_f64() > errors[11]["rmse"].as_f64(), "{errors:?}");
}

/// Estimates are a function of the published measurements alone, which another command computes too.
#[test]
fn reconciling_the_measurements_gives_the_same_counts() {
    let bench = people("margins.toml");
    released(&bench);
    let mut file = "region,shirt,smoker,value,law,scale\n".to_owned();
    for row in table(&bench, "bundle/measurements.csv") {
        file += &format!("{},{},discrete-laplace,{}\n", keys(&row).join(","), row["measurement"], row["scale"]);
    }
    bench.write("noisy.csv", file);
    let said = bench.run(&["reconcile", "noisy.csv", "--out", "again", "--integer", "--replicates", "0"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let again = table(&bench, "again/estimates.csv");
    let released = table(&bench, "bundle/estimates.csv");
    let of = |rows: &[Row]| {
        let mut all: Vec<String> = rows.iter().map(|row| format!("{:?}", number(row, "estimate"))).collect();
        all.sort();
        all
    };
    assert_eq!(of(&released), of(&again));
}

#[test]
fn shrunk_counts_add_up_too() {
    let bench = people("margins.toml");
    bench.edit("margin_shares = \"balanced\"", "margin_shares = [0, 0, 0.3, 0.3, 0.4]\nfit = \"shrunk\"");
    let manifest = released(&bench);
    assert_adds_up(&table(&bench, "bundle/estimates.csv"));
    let method = &manifest["statistics"][0]["projection"]["solver"]["method"];
    assert_eq!(method, "table-top-down-empirical-bayes-rounded");
}
