//! Counts, sums and means in the margins of a table: what is written adds up, costs what the plan says, and is said to
//! be of margins.

use std::{collections::BTreeMap, fs};

use serde_json::{Value, json};

use super::{Row, number, people, released, table};
use crate::workbench::Workbench;

const COLUMNS: [&str; 3] = ["by_region", "by_shirt", "by_smoker"];

fn keys(row: &Row) -> [String; 3] {
    COLUMNS.map(|column| row[column].clone())
}

/// Of each cell: its estimate, and the sums over each column that it lacks, of cells that have that column too.
fn assert_adds_up(estimates: &[Row]) {
    // The total in three ways, each margin of one column in two.
    assert_eq!(compared(estimates, 0.0), 3 + 2 * (4 + 3 + 2));
}

/// How many sums were compared with a cell, up to so much.
fn compared(estimates: &[Row], off: f64) -> usize {
    let by_key: BTreeMap<[String; 3], f64> = estimates.iter().map(|row| (keys(row), number(row, "estimate"))).collect();
    assert_eq!(by_key.len(), estimates.len());
    let mut compared = 0;
    for (key, estimate) in &by_key {
        for column in (0..3).filter(|&column| key[column].is_empty()) {
            let is_part = |other: &&[String; 3]| {
                (0..3).all(|place| if place == column { !other[place].is_empty() } else { other[place] == key[place] })
            };
            let parts: Vec<f64> = by_key.keys().filter(is_part).map(|part| by_key[part]).collect();
            if !parts.is_empty() {
                let sum: f64 = parts.iter().sum();
                assert!((sum - estimate).abs() <= off, "{key:?}: {sum} {estimate}");
                compared += 1;
            }
        }
    }
    compared
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

/// What `inbounds reconcile` makes of some measurements, by key.
fn reconciled(bench: &Workbench, measurements: &[Row], more: &[&str]) -> BTreeMap<[String; 3], f64> {
    let mut file = "region,shirt,smoker,value,law,scale\n".to_owned();
    for row in measurements {
        file += &format!("{},{},discrete-laplace,{}\n", keys(row).join(","), row["measurement"], row["scale"]);
    }
    bench.write("noisy.csv", file);
    let said = bench.run(&[&["reconcile", "noisy.csv", "--out", "again", "--replicates", "0"][..], more].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let own = |row: &Row| ["region", "shirt", "smoker"].map(|column| row[column].clone());
    table(bench, "again/estimates.csv").iter().map(|row| (own(row), number(row, "estimate"))).collect()
}

/// The rows of one output.
fn of_output(rows: &[Row], output: &str) -> Vec<Row> {
    rows.iter().filter(|row| row["output"] == output).cloned().collect()
}

/// Estimates are a function of the published measurements alone, which another command computes too.
#[test]
fn reconciling_the_measurements_gives_the_same_counts() {
    let bench = people("margins.toml");
    released(&bench);
    let again = reconciled(&bench, &table(&bench, "bundle/measurements.csv"), &["--integer"]);
    let released = table(&bench, "bundle/estimates.csv");
    assert_eq!(released.len(), again.len());
    assert!(released.iter().all(|row| again[&keys(row)] == number(row, "estimate")));
}

/// The plan sums ages, which are clipped to 90 and to this number.
fn sum_ages_from(bench: &Workbench, lower: i32) {
    bench.edit("kind = \"count\"", "kind = \"sum\"\ncolumn = \"age\"");
    let column =
        format!("[columns.age]\ntype = \"integer\"\nlower = {lower}\nupper = 90\nmissing = 54\n\n[columns.shirt]");
    bench.edit("[columns.shirt]", &column);
}

/// Ages are whole numbers above zero, and so are their sums, of which another command makes the same.
#[test]
fn written_sums_are_whole_and_add_up() {
    let bench = people("margins.toml");
    sum_ages_from(&bench, 18);
    let manifest = released(&bench);
    let estimates = table(&bench, "bundle/estimates.csv");
    assert!(estimates.iter().all(|row| number(row, "estimate") >= 0.0 && row["unit"] == "unit of column age"));
    assert_adds_up(&estimates);
    // 400 ages with a mean of about 54; noise of the total has an RMSE of some 600.
    assert!((number(&estimates[0], "estimate") - 21_600.0).abs() < 5_000.0, "{:?}", estimates[0]);
    let again = reconciled(&bench, &table(&bench, "bundle/measurements.csv"), &["--integer"]);
    assert!(estimates.iter().all(|row| again[&keys(row)] == number(row, "estimate")));
    let measured = &manifest["statistics"][0]["measured"][0];
    assert_eq!((&measured["role"], &measured["sensitivity"]["l1"]), (&json!("sum"), &json!(90.0)));
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "1");
}

/// Sums of either sign are the unbiased fit, and page and manifest say that their errors are exact.
#[test]
fn sums_of_either_sign_are_the_linear_fit() {
    let bench = people("margins.toml");
    sum_ages_from(&bench, -18);
    let manifest = released(&bench);
    assert_eq!(manifest["statistics"][0]["projection"]["solver"]["method"], "table-least-squares");
    let estimates = table(&bench, "bundle/estimates.csv");
    assert!(estimates.iter().all(|row| number(row, "bias_at_estimate") == 0.0 && number(row, "rmse_error") == 0.0));
    assert_eq!(compared(&estimates, 1e-6), 3 + 2 * (4 + 3 + 2));
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains(
        "The estimates have no bias, and their RMSE is exact; intervals are from 200 simulations of the noise."
    ));
}

/// Cells of different margins are distinguished by the columns of their values, and the total is called so.
#[test]
fn cells_of_margins_are_called_by_their_columns() {
    let bench = people("margins.toml");
    let said = bench.run_with(&[("COLUMNS", "120")], &["release", "plan.toml", "--out", "bundle"]);
    let first = |line: &&str| line.trim_start().starts_with("total");
    assert!(said.code == 0 && said.out.lines().any(|line| first(&line)), "{}\n{}", said.out, said.err);
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    for name in ["total", "region coast", "shirt small", "smoker true", "region coast, shirt small"] {
        assert!(page.contains(&format!(">{name}<")), "{name}");
    }
}

#[test]
fn written_means_are_in_range_and_agree_with_counts_and_sums() {
    let bench = people("income-margins.toml");
    let manifest = released(&bench);
    let (estimates, measured) = (table(&bench, "bundle/estimates.csv"), table(&bench, "bundle/measurements.csv"));
    let [means, counts, sums] = ["mean", "count", "sum"].map(|output| of_output(&estimates, output));
    let cells = 1 + 4 + 3 + 2 + 12 + 8;
    assert_eq!((estimates.len(), means.len(), counts.len(), sums.len()), (3 * cells, cells, cells, cells));
    let scale = number(&sums[0], "estimate") * 1e-11;
    for ((mean, count), sum) in means.iter().zip(&counts).zip(&sums) {
        assert_eq!((keys(mean), keys(count)), (keys(sum), keys(sum)));
        let [value, rows, total] = [mean, count, sum].map(|row| number(row, "estimate"));
        assert!((0.0..=100_000.0).contains(&value) && rows >= 0.0, "{mean:?}");
        assert!((value * rows - total).abs() <= scale, "{mean:?} {count:?} {sum:?}");
        let (lower, upper) = (number(mean, "interval_lower"), number(mean, "interval_upper"));
        assert!(0.0 <= lower && lower <= value && value <= upper && upper <= 100_000.0, "{mean:?}");
    }
    // The total in three ways; regions in two, shirts and smokers in one.
    for rows in [&counts, &sums] {
        assert_eq!(compared(rows, scale), 3 + 2 * 4 + 3 + 2);
    }
    // 390 incomes with a mean of about 30,000.
    assert!((number(&means[0], "estimate") - 30_000.0).abs() < 10_000.0, "{:?}", means[0]);
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "4");
    let solver = &manifest["statistics"][0]["projection"]["solver"];
    assert_eq!(
        (&solver["method"], &solver["status"]),
        (&json!("table-top-down-least-squares-in-bounds"), &json!("optimal"))
    );
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(
        page.contains("Counts and sums of all margins were made to add up; each mean is the sum divided by the count.")
    );
    assert!(page.contains("distances to the bounds, margin region, shirt") && !page.contains("level"));
    // Sums come from the first distances, by another command.
    let reconciled_from = |output: &str| reconciled(&bench, &of_output(&measured, output), &[]);
    let from = reconciled_from("above the lower bound");
    for sum in &sums {
        let (estimate, expected) = (number(sum, "estimate"), from[&keys(sum)]);
        assert!((estimate - expected).abs() <= 1e-9 * from[&keys(&sums[0])], "{sum:?} {expected}");
    }
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
