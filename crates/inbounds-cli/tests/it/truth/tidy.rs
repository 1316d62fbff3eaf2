//! What a bundle holds besides words: the plan, estimates as JSON, and columns to filter by.

use std::{collections::BTreeSet, fs, path::PathBuf};

use inbounds_bundle::digest::sha256;
use serde_json::Value;

use super::{Workbench, file, manifest, rows};

/// A release of the example of every kind.
fn people(plan: &str) -> (Workbench, Value) {
    let bench = Workbench::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/people");
    for name in [plan, "people.csv"] {
        bench.write(name, fs::read(folder.join(name)).expect("an example"));
    }
    let said = bench.run(&["release", plan, "--out", "bundle", "--seed", "7", "--not-private", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    (bench, serde_json::from_str(&said.out).expect("JSON"))
}

#[test]
fn the_bundle_has_the_plan_with_its_digest() {
    let (bench, _) = people("plan.toml");
    let (plan, manifest) = (file(&bench, "bundle/plan.toml"), manifest(&bench, "bundle"));
    assert_eq!(plan, file(&bench, "plan.toml"));
    assert_eq!(manifest["plan_sha256"], sha256(plan.as_bytes()));
    let files = manifest["files"].as_array().expect("files");
    assert!(files.iter().any(|file| file["name"] == "plan.toml" && file["sha256"] == sha256(plan.as_bytes())));
}

#[test]
fn json_has_the_estimates_of_the_table() {
    let (bench, answer) = people("private-rows.toml");
    let table = rows(&bench, "bundle/estimates.csv");
    let statistics = answer["statistics"].as_array().expect("statistics");
    let shown: Vec<&Value> =
        statistics.iter().flat_map(|statistic| statistic["estimates"].as_array().expect("estimates")).collect();
    assert_eq!(shown.len(), table.len());
    for (json, row) in shown.iter().zip(&table) {
        for column in ["estimate", "interval_lower", "interval_upper", "rmse_at_estimate", "measurement"] {
            assert_eq!(json[column].as_f64(), row[column].parse().ok(), "{column}: {json} {row:?}");
        }
    }
}

#[test]
fn numbers_can_be_found_without_taking_words_apart() {
    let (bench, _) = people("plan.toml");
    let table = rows(&bench, "bundle/estimates.csv");
    let kinds: BTreeSet<&str> = table.iter().map(|row| row["kind"].as_str()).collect();
    assert_eq!(kinds.len(), 12, "{kinds:?}");
    for row in &table {
        let filled = |column: &str| !row[column].is_empty();
        let is = |kinds: &[&str]| kinds.contains(&row["kind"].as_str());
        assert_eq!(filled("bin_lower"), is(&["histogram"]), "{row:?}");
        assert_eq!(filled("probability"), is(&["quantile"]), "{row:?}");
        assert_eq!(filled("row") && filled("column"), is(&["covariance", "correlation"]), "{row:?}");
        assert_eq!(row["interval_level"], "0.95");
        if is(&["histogram"]) {
            assert_eq!(
                row["output"],
                format!("{} to {}", plain(&row["bin_lower"]), plain(&row["bin_upper"])),
                "{row:?}"
            );
        }
        if is(&["quantile"]) {
            assert_eq!(row["output"], format!("quantile {}", row["probability"]), "{row:?}");
        }
        if is(&["covariance"]) && row["row"] != row["column"] {
            assert_eq!(row["output"], format!("covariance of {} and {}", row["row"], row["column"]), "{row:?}");
        }
    }
}

/// A number without the zero after its point.
fn plain(number: &str) -> String {
    number.parse::<f64>().expect("a number").to_string()
}

#[test]
fn measurements_can_be_found_without_taking_words_apart() {
    for plan in ["plan.toml", "private-rows.toml"] {
        let (bench, _) = people(plan);
        let table = rows(&bench, "bundle/measurements.csv");
        let kinds: BTreeSet<&str> = table.iter().map(|row| row["kind"].as_str()).collect();
        assert_eq!(kinds.len(), 12, "{kinds:?}");
        for row in &table {
            let filled = |column: &str| !row[column].is_empty();
            let is = |kinds: &[&str]| kinds.contains(&row["kind"].as_str());
            assert_eq!(filled("bin_lower") && filled("bin_upper"), is(&["histogram", "quantile"]), "{row:?}");
            if filled("bin_lower") {
                let edges = format!("{} to {}", plain(&row["bin_lower"]), plain(&row["bin_upper"]));
                assert_eq!(row["output"], edges, "{row:?}");
            }
            assert!(!filled("row") || is(&["covariance", "correlation"]), "{row:?}");
            assert_eq!(filled("row"), filled("column"), "{row:?}");
            let words = [row["component"].as_str(), row["output"].as_str()];
            let of_two =
                words.iter().any(|words| words.starts_with("covariance of") || words.contains("of products of"));
            assert!(!of_two || row["row"] != row["column"], "{row:?}");
            assert!(!filled("level"), "{row:?}");
        }
    }
}

#[test]
fn measurements_say_their_level() {
    let bench = Workbench::new();
    bench.edit("by = [\"sex\"]", "by = [\"sex\"]\nlevels = [\"all\", \"sex\"]");
    assert_eq!(bench.release().code, 0);
    let table = rows(&bench, "bundle/measurements.csv");
    let levels: Vec<&str> =
        table.iter().filter(|row| row["statistic"] == "people").map(|row| row["level"].as_str()).collect();
    assert_eq!(levels, ["all", "sex", "sex"]);
}

/// Keys in a file decide the cells, and the plan has only its name.
#[test]
fn a_file_of_keys_is_recorded_with_its_digest() {
    let bench = Workbench::new();
    bench.edit("by = [\"sex\"]", "by = [\"sex\"]\nkeys = \"sexes.csv\"");
    let keys = "sex\nf\nm\n";
    bench.write("sexes.csv", keys);
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let statistics = manifest(&bench, "bundle")["statistics"].clone();
    assert_eq!(statistics[0]["keys"], serde_json::json!({ "name": "sexes.csv", "sha256": sha256(keys.as_bytes()) }));
    assert_eq!(statistics[1]["keys"], Value::Null);
    let page = file(&bench, "bundle/report.html");
    assert!(page.contains(&format!("listed in sexes.csv, with the SHA-256 {}", sha256(keys.as_bytes()))));
}

/// Every kind at a level of its own: the table and the manifest have the level, no cell is narrower at a higher one,
/// and intervals that hold at once are no shorter than those that hold alone.
#[test]
fn the_level_is_that_of_the_plan() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/people");
    let plan = fs::read_to_string(folder.join("plan.toml")).expect("an example");
    let bench = Workbench::new();
    bench.write("people.csv", fs::read(folder.join("people.csv")).expect("an example"));
    let released = |name: &str, choice: &str| {
        bench.write(&format!("{name}.toml"), format!("{choice}\n{plan}"));
        let said = bench.run(&["release", &format!("{name}.toml"), "--out", name, "--seed", "7", "--not-private"]);
        assert_eq!(said.code, 0, "{}", said.err);
        (rows(&bench, &format!("{name}/estimates.csv")), said.out)
    };
    let choices = ["interval = 0.8", "interval = 0.99", "interval = 0.8\njoint = true"];
    let [(low, said), (high, _), (joint, all)] =
        [("low", choices[0]), ("high", choices[1]), ("joint", choices[2])].map(|(name, choice)| released(name, choice));
    assert!(said.contains("80 % interval") && !said.contains("95 % interval"), "{said}");
    assert!(all.contains("80 %") && !all.contains("95 % interval"), "{all}");
    assert!(
        manifest(&bench, "joint")["statistics"]
            .as_array()
            .expect("statistics")
            .iter()
            .all(|statistic| { statistic["interval"]["level"] == 0.8 && statistic["interval"]["joint"] == true })
    );
    let width = |row: &std::collections::HashMap<String, String>| {
        let end = |name: &str| row[name].parse::<f64>().expect("an end");
        end("interval_upper") - end("interval_lower")
    };
    for ((low, high), joint) in low.iter().zip(&high).zip(&joint) {
        assert_eq!([&low["interval_level"], &high["interval_level"], &joint["interval_level"]], ["0.8", "0.99", "0.8"]);
        assert_eq!([&low["interval_joint"], &joint["interval_joint"]], ["false", "true"]);
        assert_eq!(low["estimate"], joint["estimate"], "the level changes no estimate");
        assert!(width(low) <= width(high) * (1.0 + 1e-12), "{low:?} {high:?}");
        assert!(width(low) <= width(joint) * (1.0 + 1e-12), "{low:?} {joint:?}");
    }
    assert!(low.iter().zip(&high).filter(|(low, high)| width(low) < width(high)).count() > low.len() / 2);
}
