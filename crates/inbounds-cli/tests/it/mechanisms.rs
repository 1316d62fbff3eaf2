//! Every mechanism through a release: what the manifest says is enough to redo its estimates.

use std::{collections::BTreeSet, fs};

use serde_json::Value;

use crate::workbench::Workbench;

/// Every word for a mechanism, from the program itself.
pub(crate) fn plan_names() -> BTreeSet<String> {
    let question = ["advise", "--epsilon", "1", "--delta", "1e-6", "--sensitivity", "1", "--lower", "0", "--json"];
    let table: Value = serde_json::from_str(&Workbench::new().run(&question).out).expect("JSON");
    let names =
        table.as_array().expect("a list").iter().map(|row| row["plan_name"].as_str().expect("a name").to_owned());
    names.collect()
}

/// Column `name` of a CSV file, as numbers.
fn column(bench: &Workbench, file: &str, name: &str) -> Vec<f64> {
    let text = fs::read_to_string(bench.path(file)).expect("table");
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().expect("header");
    let index = header.iter().position(|column| *column == name).unwrap_or_else(|| panic!("{name} in {header:?}"));
    lines.map(|row| row[index].parse().unwrap_or(f64::NAN)).collect()
}

/// The estimate that docs/bundle.md describes for a measurement of a count, before rounding.
fn described(processing: &Value, measurement: f64) -> f64 {
    let number = |name: &str| processing[name].as_f64().unwrap_or_else(|| panic!("{name} in {processing}"));
    match processing["rule"].as_str().expect("a rule") {
        "clamp" => measurement.max(0.0),
        "fold" => measurement.abs(),
        "threshold" if measurement < number("threshold") => 0.0,
        "threshold" if measurement == number("threshold") => number("at"),
        "threshold" => measurement - number("shift"),
        other => panic!("{other} is no rule of a half line"),
    }
}

#[test]
fn every_mechanism_releases_and_its_estimates_can_be_redone() {
    for name in plan_names() {
        let bench = Workbench::new();
        bench.edit("epsilon = 1\n", "epsilon = 1\ndelta = 1e-6\n");
        bench.edit("by = [\"sex\"]\n", &format!("by = [\"sex\"]\nmechanism = \"{name}\"\n"));
        bench.edit("where = \"age >= 18\"\n", &format!("where = \"age >= 18\"\nmechanism = \"{name}\"\n"));
        let said = bench.run(&["release", "plan.toml", "--out", "bundle", "--seed", "11", "--not-private"]);
        assert_eq!(said.code, 0, "{name}: {}", said.err);
        let manifest: Value =
            serde_json::from_str(&fs::read_to_string(bench.path("bundle/release.json")).expect("manifest"))
                .expect("JSON");
        let measured = &manifest["statistics"][0]["measured"][0];
        // Two statistics with Gaussian noise are accounted for together, in rho.
        let spends = measured["delta"] != "0" || measured["rho"].is_string();
        assert_eq!(spends, name.ends_with("gaussian"), "{name}");
        assert_eq!(manifest["guarantee"]["delta_spent"] != "0", spends, "{name}");
        assert!(manifest["rounding_seed"].as_str().is_some_and(|seed| seed.parse::<u64>().is_ok()), "{name}");

        let table = fs::read_to_string(bench.path("bundle/measurements.csv")).expect("table");
        let law = measured["law"].as_str().expect("a law");
        let first = table.lines().nth(1).expect("a row");
        assert!(first.split(',').any(|cell| cell == law), "{name}: no {law} in {first}");

        let measurements = column(&bench, "bundle/measurements.csv", "measurement");
        let estimates = column(&bench, "bundle/estimates.csv", "estimate");
        for (measurement, estimate) in measurements.iter().zip(&estimates).take(2) {
            assert!(*estimate >= 0.0 && estimate.fract() == 0.0, "{name}: {estimate}");
            if name == "conditioned" {
                assert_eq!(measurement, estimate);
                continue;
            }
            let exact = described(&measured["processing"], *measurement);
            assert!((estimate - exact).abs() < 1.0, "{name}: {measurement} gives {estimate}, not {exact}");
        }

        let page = fs::read_to_string(bench.path("bundle/report.html")).expect("page");
        assert!(page.contains("recalculated: the same") && !page.contains("not recalculated"), "{name}");
        // The two statistics on a half line that are measured once.
        assert_eq!(page.matches("Error against the true answer").count(), 2, "{name}");
    }
}

#[test]
fn gaussian_noise_without_delta_is_a_mistake_at_its_place() {
    let bench = Workbench::new();
    bench.edit("by = [\"sex\"]\n", "by = [\"sex\"]\nmechanism = \"clamped-gaussian\"\n");
    let said = bench.run(&["release", "plan.toml", "--out", "bundle"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("delta") && said.err.contains("clamped-gaussian"), "{}", said.err);
    assert!(!bench.names().contains(&"bundle".to_owned()));
}

#[test]
fn a_design_is_written_once_and_says_how_good_it_is() {
    let bench = Workbench::new();
    let question = ["design", "--epsilon", "1", "--sensitivity", "1", "--out", "rule.csv"];
    let said = bench.run(&[&question[..], &["--json"]].concat());
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    let designed: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!(designed["status"], "optimal");
    let bias = designed["errors"]["worst_bias"].as_f64().expect("number");
    assert!((bias - 0.2689414213699951).abs() < 1e-7, "1/(1 + e), not {bias}");
    let text = fs::read_to_string(bench.path("rule.csv")).expect("rule");
    assert!(text.starts_with("measurement,estimate,noise,scale\n0,"));
    assert_eq!(text.lines().count() - 2, designed["rule"].as_array().expect("rows").len());
    let again = bench.run(&question);
    assert!(again.code == 4 && again.err.contains("rule.csv exists already"), "{}", again.err);
    assert_eq!(fs::read_to_string(bench.path("rule.csv")).expect("rule"), text);
}

#[test]
fn questions_without_a_design_are_refused_with_the_reason() {
    let bench = Workbench::new();
    let ask = |more: &[&str]| bench.run(&[&["design", "--epsilon", "1", "--sensitivity", "1"], more].concat());
    for (arguments, wanted) in [
        (&["--step", "0.3"][..], "sensitivity must be a multiple of the step 0.3, got 1"),
        (&["--step", "0"], "step must be greater than 0"),
        (&["--criterion", "mean-mse"], "the criterion mean-mse needs the largest bias"),
        (&["--worst-bias", "1"], "the criterion worst-bias makes the bias as small as can be and takes no bound on it"),
        (
            &["--noise", "cauchy"],
            "noise must be one of laplace, gaussian, staircase, generalised-gaussian, got `cauchy`",
        ),
        (&["--noise", "gaussian"], "delta"),
        (&["--upper", "100000"], "at most"),
        (&["--upper", "0"], "lower must be less than upper"),
        (&["--criterion", "beauty"], "a criterion is one of worst-bias, mean-mse, worst-mse"),
    ] {
        let said = ask(arguments);
        assert_eq!(said.code, 2, "{arguments:?}: {}", said.err);
        assert!(said.err.contains(wanted), "{arguments:?}: no `{wanted}` in\n{}", said.err);
    }
}
