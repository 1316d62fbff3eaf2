//! Few replicates of a study leave verdicts open; they do not break them.

use super::*;

/// With 100 replicates the study could not show that clamping has less bias, and failed.
#[test]
fn chance_breaks_no_verdict_of_a_study() {
    let bench = Workbench::new();
    let said = bench.run(&["study", "run", "liu-rescaling", "--replicates", "100", "--quiet"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for words in ["too few replicates to tell", "raise --replicates", "reproduced"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    let said = bench.run(&["study", "run", "liu-rescaling", "--replicates", "100", "--quiet", "--json"]);
    let findings: Value = serde_json::from_str(&said.out).expect("JSON");
    let open = |check: &&Value| check["verdict"] == "too few replicates to tell";
    let checks = findings[0]["checks"].as_array().expect("checks");
    let open: Vec<&Value> = checks.iter().filter(open).collect();
    assert!(!open.is_empty() && open.iter().all(|check| check["standard_error"].as_f64() > Some(0.0)), "{open:?}");
}
