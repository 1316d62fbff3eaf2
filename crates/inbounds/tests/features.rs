//! What `reconcile` does without the features that add to it: numbers from CSV add up, and whatever needs a feature
//! says so.

#![cfg(all(feature = "reconcile", not(any(feature = "matrices", feature = "page", feature = "parquet"))))]

use std::{fs, path::Path};

use inbounds::reconcile::{Options, ReconcileError, Reconciled, Silent, reconcile};

/// Reconciles a file of this folder under constraints.
fn run(folder: &Path, measurements: &str, constraints: &str) -> Result<Reconciled, ReconcileError> {
    let rules = folder.join("rules.toml");
    fs::write(&rules, constraints).expect("writes");
    let options = Options { constraints: Some(rules), ..Options::default() };
    reconcile(&folder.join(measurements), &options, &folder.join("bundle"), &Silent)
}

#[test]
fn csv_is_reconciled_and_what_was_left_out_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let rows = "node,parent,value,variance\nall,,10,2\na,all,4,1\nb,all,9,1\n";
    fs::write(folder.path().join("counts.csv"), rows).expect("writes");
    let reconciled = run(folder.path(), "counts.csv", "nonnegative = true").expect("feasible");
    let estimates: Vec<f64> = reconciled.nodes().map(|node| node.estimate).collect();
    assert_eq!(estimates[0], estimates[1] + estimates[2]);
    let written = fs::read_dir(&reconciled.folder).expect("a bundle").map(|file| file.expect("a file").file_name());
    let mut written: Vec<String> = written.map(|name| name.into_string().expect("UTF-8")).collect();
    written.sort_unstable();
    assert_eq!(written, ["estimates.csv", "fairness.csv", "measurements.csv", "reconcile.json"]);
    let listed: Vec<&str> = reconciled.manifest.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(listed, ["measurements.csv", "estimates.csv", "fairness.csv"]);
    fs::write(folder.path().join("counts.parquet"), "").expect("writes");
    let refusals = [
        ("counts.parquet", "nonnegative = true", "feature `parquet`"),
        ("counts.csv", "[matrix]\npositive_semidefinite = true", "feature `matrices`"),
    ];
    fs::remove_dir_all(&reconciled.folder).expect("removes");
    for (measurements, constraints, feature) in refusals {
        let Err(refused) = run(folder.path(), measurements, constraints) else { panic!("without the {feature}") };
        let said = match &refused {
            ReconcileError::Constraints(mistakes) => format!("{mistakes:?}"),
            other => other.to_string(),
        };
        assert!(said.contains(feature), "{said}");
    }
}
