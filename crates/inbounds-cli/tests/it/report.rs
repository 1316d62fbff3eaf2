//! The page of a bundle: drawn with it, and drawn again.

use std::fs;

use serde_json::Value;

use crate::workbench::Workbench;

fn read(bench: &Workbench, name: &str) -> String {
    fs::read_to_string(bench.path(name)).expect("a file")
}

/// A bench with a bundle in the folder `bundle`.
fn released() -> Workbench {
    let bench = Workbench::new();
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    bench
}

#[test]
fn a_bundle_has_a_page_that_is_drawn_again_byte_for_byte() {
    let bench = released();
    let drawn = read(&bench, "bundle/report.html");
    for words in ["people", "income", "age", "recalculated: the same", "one row is in the data"] {
        assert!(drawn.contains(words), "`{words}` is not in the page");
    }
    assert!(!drawn.contains("not recalculated") && !drawn.contains("role=\"alert\""));
    let said = bench.run(&["report", "bundle", "--out", "again.html"]);
    assert_eq!((said.code, said.out.trim()), (0, "Report: again.html"));
    assert_eq!(read(&bench, "again.html"), drawn);
    bench.write("bundle/report.html", "something else");
    let said = bench.run(&["report", "bundle", "--json"]);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, json["report"].as_str()), (0, Some("bundle/report.html")));
    assert_eq!(read(&bench, "bundle/report.html"), drawn);
    assert_eq!(fs::read_dir(bench.path("bundle")).expect("bundle").count(), 7, "nothing is left beside the page");
}

#[test]
fn a_reconciliation_has_a_page_too() {
    let bench = Workbench::new();
    bench.write("counts.csv", "node,parent,value,variance\nstate,,5,4\neast,state,-3,4\nwest,state,6,4\n");
    let said = bench.run(&["reconcile", "counts.csv", "--integer", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let drawn = read(&bench, "bundle/report.html");
    assert!(drawn.contains("Reconciled: counts.csv") && drawn.contains("Error by size"));
    assert_eq!(bench.run(&["report", "bundle"]).code, 0);
    assert_eq!(read(&bench, "bundle/report.html"), drawn);
    // Without replicates there are no errors to show.
    let said = bench.run(&["reconcile", "counts.csv", "--replicates", "0", "--out", "bare"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(read(&bench, "bare/report.html").contains("A cross is the noisy number before all were made to agree."));
}

#[test]
fn a_changed_bundle_is_shown_under_a_warning() {
    let bench = released();
    let estimates = read(&bench, "bundle/estimates.csv");
    bench.write("bundle/estimates.csv", estimates + "\n");
    let said = bench.run(&["report", "bundle"]);
    // The page is drawn, and the exit code says that the bundle does not match its manifest.
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("the bundle does not match its manifest"), "{}", said.err);
    let json: Value = serde_json::from_str(&bench.run(&["report", "bundle", "--json"]).out).expect("JSON");
    assert!(json["warning"].as_str().is_some_and(|warning| warning.contains("estimates.csv differs")), "{json}");
    let words = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("The bundle is not as it was made: estimates.csv differs."), "{words}");
    assert!(
        read(&bench, "bundle/report.html")
            .contains("role=\"alert\">The bundle is not as it was made: estimates.csv differs")
    );
}

#[test]
fn nothing_is_replaced_and_nothing_drawn_from_what_is_no_bundle() {
    let bench = released();
    bench.write("taken.html", "mine");
    let said = bench.run(&["report", "bundle", "--out", "taken.html"]);
    assert_eq!(said.code, 4);
    assert!(said.err.contains("taken.html") && said.err.contains("is not replaced"), "{}", said.err);
    assert_eq!(read(&bench, "taken.html"), "mine");
    let said = bench.run(&["report", "rows.csv", "--json"]);
    assert_eq!((said.code, said.out.contains("\"exit_code\": 3")), (3, true), "{} {}", said.out, said.err);
    let before = read(&bench, "bundle/report.html");
    fs::remove_file(bench.path("bundle/estimates.csv")).expect("removes");
    let said = bench.run(&["report", "bundle"]);
    assert_eq!(said.code, 3);
    assert!(said.err.contains("estimates.csv"), "{}", said.err);
    assert_eq!(read(&bench, "bundle/report.html"), before, "the old page stays");
}
