//! A table at every level of a hierarchy, with public totals: what is written adds up along both, and is said to be of
//! levels and margins.

use std::{collections::BTreeMap, fs};

use serde_json::json;

use super::{example, number, people, released, table};

const COLUMNS: [&str; 3] = ["by_region", "by_shirt", "by_smoker"];

#[test]
fn written_tables_add_up_along_regions_and_margins_and_meet_what_is_public() {
    let bench = people("tables.toml");
    bench.write("asked.csv", example("asked.csv"));
    let manifest = released(&bench);
    let estimates = table(&bench, "bundle/estimates.csv");
    assert_eq!(estimates.len(), 5 * (1 + 3 + 2 + 6));
    let key = |row: &super::Row| COLUMNS.map(|column| row[column].clone());
    let by_key: BTreeMap<[String; 3], f64> = estimates.iter().map(|row| (key(row), number(row, "estimate"))).collect();
    assert_eq!(by_key.len(), estimates.len());
    let mut compared = 0;
    for (own, estimate) in &by_key {
        assert!(*estimate >= 0.0 && estimate.fract() == 0.0, "{own:?}: {estimate}");
        for column in (0..3).filter(|&column| own[column].is_empty()) {
            let is_part = |other: &&[String; 3]| {
                (0..3).all(|place| if place == column { !other[place].is_empty() } else { other[place] == own[place] })
            };
            let sum: f64 = by_key.keys().filter(is_part).map(|part| by_key[part]).sum();
            assert_eq!(sum, *estimate, "{own:?}");
            compared += 1;
        }
    }
    // Each table has its total in two ways and each margin in one; all regions are a sum besides.
    assert_eq!(compared, 5 * (2 + 3 + 2) + 12);
    for row in &estimates {
        let is_all = row["by_region"].is_empty();
        assert_eq!(row["level"], if is_all { "all" } else { "region" }, "{row:?}");
        if row["margin"] == "total" {
            let ends = [number(row, "interval_lower"), number(row, "interval_upper"), number(row, "estimate")];
            assert!(ends[0] == ends[2] && ends[1] == ends[2] && row["measurement"].is_empty(), "{row:?}");
        }
    }
    let total = |region: &str| by_key[&[region.to_owned(), String::new(), String::new()]];
    assert_eq!(["", "coast", "hills", "isles", "plain"].map(total), [400.0, 215.0, 143.0, 0.0, 42.0]);
    let statistic = &manifest["statistics"][0];
    let measured = statistic["measured"].as_array().expect("a list");
    // Both totals are public.
    assert_eq!(measured.len(), 2 * 3);
    assert_eq!((&measured[0]["level"], &measured[0]["margin"]), (&json!("all"), &json!(["shirt"])));
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "2");
    assert_eq!(statistic["projection"]["solver"]["method"], "table-tree-top-down-least-squares-rounded");
    let public = &statistic["public"][0];
    assert_eq!((&public["level"], &public["file"]["name"]), (&json!("region"), &json!("asked.csv")));
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains("All margins at all levels were made whole and made to add up together."));
    assert!(page.contains("The table of each place (5 shown)") && page.contains("<summary>region: coast</summary>"));
}

#[test]
fn public_numbers_that_are_not_those_of_the_cells_are_refused_before_anything_is_released() {
    let bench = people("tables.toml");
    for (asked, problem) in [
        (
            "region,people\ncoast,215\nhills,143\nisles,0\n",
            "`asked.csv` must have a number for each cell, and has none for `plain`",
        ),
        (
            "region,people\ncoast,215\nhills,143\nisles,0\nplain,42\ncost,3\n",
            "`asked.csv` has a number for `cost`, which is no cell",
        ),
        (
            "region,people\ncoast,215\ncoast,143\nisles,0\nplain,42\n",
            "`asked.csv` must have one number a cell, and has several of `coast`",
        ),
        ("region,people\ncoast,-1\n", "line 2: `people` must be a whole number, 0 or above, got \"-1\""),
        ("area,people\ncoast,215\n", "`asked.csv` must have a column `region`"),
    ] {
        bench.write("asked.csv", asked);
        let said = bench.run_at(1000, &["release", "plan.toml", "--out", "bundle"]);
        assert!(said.code != 0 && said.err.contains(problem), "{}", said.err);
        assert!(!bench.path("bundle").exists());
    }
}
