//! The main job: the example of the README, and what its bundle says.

use std::{fs, path::PathBuf};

use serde_json::Value;

use crate::workbench::Workbench;

fn example() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry/plan.toml");
    path.canonicalize().expect("the example").to_string_lossy().into_owned()
}

fn manifest(bench: &Workbench, bundle: &str) -> Value {
    let text = fs::read_to_string(bench.path(bundle).join("release.json")).expect("manifest");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn the_example_releases() {
    let bench = Workbench::new();
    let said = bench.run(&["release", &example(), "--out", "registry"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("Hollin Isle") && said.out.contains("Adding or removing all rows"));
    let mut files: Vec<String> = fs::read_dir(bench.path("registry"))
        .expect("bundle")
        .map(|entry| entry.expect("entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let expected = [
        "estimates.csv",
        "estimates.parquet",
        "measurements.csv",
        "measurements.parquet",
        "plan.toml",
        "release.json",
        "report.html",
    ];
    assert_eq!(files, expected);
    let manifest = manifest(&bench, "registry");
    assert_eq!(manifest["private"], true);
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "2");
    assert_eq!(manifest["statistics"][0]["measured"][0]["inverse_scale_per_step"], "4/15");
    let estimates = fs::read_to_string(bench.path("registry/estimates.csv")).expect("table");
    // Eight districts, one sum, two means, a header.
    assert_eq!(estimates.lines().count(), 12);
}

#[test]
fn a_seeded_release_repeats_and_says_that_it_is_not_private() {
    let bench = Workbench::new();
    let example = example();
    let seeded = |out: &str, seed: &str| {
        let said = bench.run(&["release", &example, "--out", out, "--seed", seed, "--not-private", "--json"]);
        assert_eq!(said.code, 0, "{}", said.err);
        let summary: Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!(summary["private"], false);
        fs::read(bench.path(out).join("measurements.parquet")).expect("table")
    };
    assert_eq!(seeded("a", "7"), seeded("b", "7"));
    assert_ne!(seeded("c", "8"), seeded("d", "7"));
    let manifest = manifest(&bench, "a");
    assert_eq!(manifest["private"], false);
    assert!(manifest["guarantee"]["words"].as_str().expect("words").starts_with("NOT PRIVATE"));
}

#[test]
fn a_secure_release_does_not_repeat() {
    let bench = Workbench::new();
    let example = example();
    let release = |out: &str| {
        assert_eq!(bench.run(&["release", &example, "--out", out, "--quiet"]).code, 0);
        fs::read(bench.path(out).join("measurements.csv")).expect("table")
    };
    assert_ne!(release("a"), release("b"));
}

#[test]
fn check_reads_no_row_and_agrees_with_the_release() {
    let bench = Workbench::new();
    let said = bench.run(&["check", "plan.toml", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let report: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(bench.release().code, 0);
    let manifest = manifest(&bench, "bundle");
    for (checked, released) in
        report["statistics"].as_array().expect("list").iter().zip(manifest["statistics"].as_array().expect("list"))
    {
        assert_eq!(checked["worst_bias"], released["bias"]["worst"]);
        assert_eq!(checked["noise"][0]["scale"], released["measured"][0]["scale"]);
        assert_eq!(checked["expected_error"], released["expected_error"]);
    }
    // Header and nothing else: a check needs no more of the data.
    bench.write("rows.csv", "id,sex,age,income\n");
    assert_eq!(bench.run(&["check", "plan.toml", "--json"]).out, said.out);
}

#[test]
fn advise_ranks_the_mechanisms() {
    let bench = Workbench::new();
    let question = ["advise", "--epsilon", "1", "--sensitivity", "1", "--lower", "0"];
    let ask = |more: &[&str]| bench.run(&[&question[..], more].concat());
    let table: Value = serde_json::from_str(&ask(&["--json"]).out).expect("JSON");
    let rows = table.as_array().expect("a list");
    let row_of = |name: &str| rows.iter().find(|row| row["mechanism"] == name).expect("registered");
    let close = |value: &Value, expected: f64| (value.as_f64().expect("number") - expected).abs() < 1e-6 * expected;
    let clamped = row_of("clamped-discrete-laplace");
    assert!(close(&clamped["worst_bias"], 0.5) && close(&clamped["scale"], 1.0), "{clamped:#}");
    assert!(close(&clamped["rmse_at_lower"], 1.0) && close(&clamped["rmse_in_middle"], 2f64.sqrt()), "{clamped:#}");
    // b* = 1 / ln((1 + e) / 2).
    assert!(close(&row_of("conditioned-discrete-laplace")["scale"], 1.0 / ((1.0 + 1f64.exp()) / 2.0).ln()));
    // W(1/e) and W(1/2).
    assert!(close(&row_of("thresholded-discrete-laplace")["worst_bias"], 0.2784645427610738));
    assert!(close(&row_of("shifted-ramp-discrete-laplace")["worst_bias"], 0.35173371124919583));
    let by = |criterion: &str, figure: &str| {
        let ranked: Value = serde_json::from_str(&ask(&["--criterion", criterion, "--json"]).out).expect("JSON");
        let figures: Vec<f64> =
            ranked.as_array().expect("a list").iter().map(|row| row[figure].as_f64().expect("number")).collect();
        assert!(figures.windows(2).all(|pair| pair[0] <= pair[1] * (1.0 + 1e-6)), "{criterion}: {figures:?}");
    };
    by("worst-bias", "worst_bias");
    by("worst-rmse", "worst_rmse");
    by("rmse-at-end", "rmse_at_lower");
    by("rmse-in-middle", "rmse_in_middle");
    let plain = ask(&["--upper", "10"]);
    assert!(plain.out.contains("clamped") && plain.out.contains("conditioned"));
    assert!(!plain.out.contains("together"), "one number has no vector: {}", plain.out);
    // One vector has 6 n^2 / ((n + 1) (n + 2)) times less variance than n equal parts.
    let several: Value = serde_json::from_str(&ask(&["--numbers", "5", "--json"]).out).expect("JSON");
    let middle = |name: &str| {
        let row = several.as_array().expect("a list").iter().find(|row| row["plan_name"] == name).expect("compared");
        row["rmse_in_middle"].as_f64().expect("number").powi(2)
    };
    assert!((middle("clamped") / middle("together") / (150.0 / 42.0) - 1.0).abs() < 1e-3, "{several:#}");
    let said = ask(&["--numbers", "5"]).out;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("for 5 numbers of the same rows") && said.contains("with together = \"best\""), "{said}");
    assert!(ask(&["--numbers", "65"]).err.contains("65 is not in 1..=64"));
}

#[test]
fn advise_draws_its_figures_and_overwrites_nothing() {
    let bench = Workbench::new();
    let question =
        ["advise", "--epsilon", "0.5", "--sensitivity", "2", "--lower", "-3", "--upper", "40", "--plot", "curves.svg"];
    assert_eq!(bench.run(&question).code, 0);
    let svg = std::fs::read_to_string(bench.path("curves.svg")).expect("drawn");
    for words in
        ["<svg", "true value", "bias", "RMSE", "scale-thresholded", "epsilon 0.5, sensitivity 2, range -3 to 40"]
    {
        assert!(svg.contains(words), "{words}");
    }
    let again = bench.run(&question);
    assert!(again.code == 4 && again.err.contains("curves.svg exists already"), "{}", again.err);
    assert_eq!(std::fs::read_to_string(bench.path("curves.svg")).expect("drawn"), svg);
}

#[test]
fn help_lists_commands_and_exit_codes() {
    let bench = Workbench::new();
    let said = bench.run(&["--help"]);
    assert_eq!(said.code, 0);
    for words in ["release", "check", "advise", "Exit codes", "nothing was published and no budget was spent"] {
        assert!(said.out.contains(words), "{words}");
    }
}
