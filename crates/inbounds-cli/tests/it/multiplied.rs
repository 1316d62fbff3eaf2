//! Noise that is a factor, from a plan to its page.

use std::fs;

use serde_json::Value;

use crate::workbench::Workbench;

fn bench(epsilon: &str, range: &str) -> Workbench {
    let bench = Workbench::new();
    bench.edit("epsilon = 1\n", &format!("epsilon = {epsilon}\n"));
    bench.edit("by = [\"sex\"]\n", &format!("by = [\"sex\"]\nmechanism = \"log-laplace\"\nrange = {range}\n"));
    bench
}

#[test]
fn a_factor_is_released_stated_and_recalculated() {
    let bench = bench("12", "{ lower = 1 }");
    let checked: Value = serde_json::from_str(&bench.run(&["check", "plan.toml", "--json"]).out).expect("JSON");
    let text = bench.run(&["check", "plan.toml"]).out;
    assert!(text.contains("The noise is a factor"), "{text}");
    assert!(checked.to_string().contains("noise-is-factor"));
    let said = bench.run(&["release", "plan.toml", "--out", "bundle", "--seed", "11", "--not-private"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let manifest = fs::read_to_string(bench.path("bundle/release.json")).expect("manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    let statistic = &manifest["statistics"][0];
    let measured = &statistic["measured"][0];
    assert_eq!(measured["mechanism"], "multiplied-discrete-log-laplace");
    assert_eq!(measured["log_laplace"]["lower_steps"], "1");
    assert_eq!(measured["processing"]["rule"], "clamp");
    assert_eq!(
        (&statistic["bias"]["formula"], &statistic["bias"]["worst"]),
        (&"log-laplace-bias".into(), &Value::Null)
    );
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("page");
    assert!(page.contains("recalculated: the same") && !page.contains("not recalculated"));
    assert!(page.contains("The noise is a factor"));
}

/// Below an epsilon of 2 ln 2 a count from 1 up has no variance: the plan is refused with the number, and with an upper
/// end it is not.
#[test]
fn a_variance_that_does_not_exist_is_refused_or_bounded() {
    let heavy = bench("1", "{ lower = 1 }").run(&["check", "plan.toml"]);
    assert!(heavy.code == 2 && heavy.err.contains("infinite variance"), "{}", heavy.err);
    let bounded = bench("1", "{ lower = 1, upper = 5000 }").run(&["check", "plan.toml"]);
    assert!(bounded.code == 0 && bounded.out.contains("no finite variance"), "{} {}", bounded.out, bounded.err);
}

#[test]
fn advise_compares_relative_errors() {
    let asked = ["advise", "--epsilon", "3", "--sensitivity", "1", "--lower", "1", "--integer", "--relative"];
    let said = Workbench::new().run(&asked);
    assert!(
        said.code == 0 && said.out.contains("log-laplace") && said.out.contains("parts of the answer"),
        "{}",
        said.out
    );
    let refused = Workbench::new().run(&["advise", "--epsilon", "3", "--sensitivity", "1", "--relative"]);
    assert!(refused.code == 2 && refused.err.contains("lower end above 0"), "{}", refused.err);
}
