//! Other choices of noise: what check says of them, and that `together = "best"` chooses what could be named.

use std::{fs, path::PathBuf};

use serde_json::Value;

use super::{people, people_asked};
use crate::workbench::Workbench;

const SENTENCE: &str = "If `patients`, `cost-of-a-patient`, `nights-of-a-patient`, `spread-of-nights` and `stays-of-a-patient` shared \
                        measurements, their errors would be";

/// The example with its own `together`, with another, or without.
fn registry(together: Option<&str>) -> Workbench {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("an example");
    let text = read("together.toml");
    let lines = text.lines().map(|line| match line.starts_with("together = ") {
        true => together.map_or_else(String::new, |words| words.replace("its own", line)),
        false => line.to_owned(),
    });
    let bench = Workbench::new();
    bench.write("plan.toml", lines.collect::<Vec<_>>().join("\n"));
    bench.write("stays.csv", read("stays.csv"));
    bench
}

fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn check_says_what_sharing_would_gain_and_the_program_chooses_what_the_example_names() {
    let without = registry(Some("together = \"none\""));
    let said = without.run_at(80, &["check", "plan.toml"]);
    let words = flat(&said.out);
    assert!(said.code == 0 && words.contains(SENTENCE) && words.contains("remove together = \"none\""), "{}", said.out);
    assert!(!flat(&without.seeded("plan.toml", "bundle", "7").out).contains("one vector of noise"));
    let results_of = |bench: &Workbench| {
        assert!(!flat(&bench.run(&["check", "plan.toml"]).out).contains("shared measurements"));
        let said = bench.seeded("plan.toml", "bundle", "7");
        assert!(flat(&said.out).contains("numbers of which `patients`"), "{}", said.out);
        let read = |name: &str| fs::read_to_string(bench.path("bundle").join(name)).expect("a file of the bundle");
        let manifest: Value = serde_json::from_str(&read("release.json")).expect("JSON");
        (manifest["guarantee"]["together"].clone(), read("estimates.csv"), read("measurements.csv"))
    };
    let chosen = results_of(&registry(Some("together = \"best\"")));
    assert_eq!(results_of(&registry(Some("its own"))), chosen);
    assert_eq!(results_of(&registry(None)), chosen);
}

#[test]
fn a_plan_with_nothing_to_share_is_told_nothing() {
    let bench = people_asked("plan.toml", "[[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"region\"]\n");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 0 && !said.out.contains("vector of noise"), "{}\n{}", said.out, said.err);
}

/// What was chosen is said by check, on the terminal, in the manifest and on the page, in the same words.
#[test]
fn the_chosen_mechanism_is_said_everywhere() {
    let bench = people("many-margins.toml");
    let wanted = "For `people`, mechanism = \"best\" is \"clamped-gaussian\": with \"clamped\", errors would be 1.2 times as large.";
    let checked = bench.run_at(80, &["check", "plan.toml"]);
    assert!(checked.code == 0 && flat(&checked.out).contains(wanted), "{}", checked.out);
    // What is spent of delta is a fraction of a hundred digits, shown in few, rounded up.
    assert!(flat(&checked.out).contains("and all of its delta, 0.000001."), "{}", checked.out);
    let said = bench.seeded("plan.toml", "bundle", "7");
    assert!(flat(&said.out).contains(wanted), "{}", said.out);
    let read = |name: &str| fs::read_to_string(bench.path("bundle").join(name)).expect("a file of the bundle");
    let manifest: Value = serde_json::from_str(&read("release.json")).expect("JSON");
    let chosen = &manifest["guarantee"]["chosen"][0];
    assert_eq!((&chosen["statistics"][0], &chosen["mechanism"]), (&"people".into(), &"clamped-gaussian".into()));
    assert!(chosen["other"]["least"].as_f64().expect("a number") > 1.15);
    assert!(read("report.html").contains("errors would be 1.2 times as large"), "the page");
}

/// Four statistics are few for Gaussian noise.
#[test]
fn check_says_where_laplace_noise_would_be_narrower() {
    let said = people("gaussian.toml").run_at(80, &["check", "plan.toml"]);
    let wanted = "With mechanism = \"clamped\" for `people`, `people-by-region`, `smokers` and `income`, errors would be 1.6 times less.";
    assert!(said.code == 0 && flat(&said.out).contains(wanted), "{}", said.out);
}
