//! The table of what the papers have, against the registry, the kinds, the keys, the library and the package.

use std::collections::BTreeSet;

use inbounds_bundle::KindWord;
use inbounds_core::Named;
use inbounds_mechanisms::registry;

use crate::repository::{files_below, read, root};

const HEADING: &str = "## What the papers have\n";

/// The cells of the rows of the table, by column: what, paper, plan, Rust, Python.
fn rows() -> Vec<Vec<String>> {
    let text = read("docs/statistics.md");
    let table = text.split_once(HEADING).expect("the table has its heading").1;
    let lines = table.lines().filter(|line| line.starts_with("| ")).skip(1);
    lines.map(|line| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The pieces between backticks.
fn spans(cell: &str) -> Vec<&str> {
    cell.split('`').skip(1).step_by(2).collect()
}

fn sources(folder: &str, extension: &str) -> String {
    files_below(&root().join(folder), extension)
        .iter()
        .map(|file| std::fs::read_to_string(file).expect("a file"))
        .collect()
}

#[test]
fn no_cell_is_empty_without_a_reason() {
    let rows = rows();
    assert!(rows.len() >= 30, "only {}", rows.len());
    for row in &rows {
        assert_eq!(row.len(), 5, "{row:?}");
        for cell in &row[2..] {
            let reason = cell.strip_prefix("no: ").is_some_and(|reason| reason.len() > 5);
            assert!(
                reason || !spans(cell).is_empty(),
                "a cell of {:?} has neither a name nor a reason: {cell}",
                row[0]
            );
        }
        assert!(row[1] == "none" || row[1].split(", ").all(|paper| ["M", "L", "Z", "H"].contains(&paper)), "{row:?}");
    }
}

/// Every mechanism of the registry stands in the table, and every one that stands there is registered; likewise kinds
/// and rules of shares.
#[test]
fn what_plans_can_say_is_registered_and_all_of_it_is_listed() {
    let rows = rows();
    let values_of = |key: &str| -> BTreeSet<String> {
        let start = format!("{key} = \"");
        let cells = rows.iter().filter(|row| !row[2].starts_with("no: ")).flat_map(|row| spans(&row[2]));
        cells.filter_map(|span| span.strip_prefix(&start)?.strip_suffix('"').map(str::to_owned)).collect()
    };
    let known: BTreeSet<String> = registry::MECHANISMS.iter().map(|entry| entry.plan_name.to_owned()).collect();
    assert_eq!(values_of("mechanism"), known);
    let kinds: BTreeSet<String> = KindWord::all().iter().map(|kind| kind.name().to_owned()).collect();
    assert!(values_of("kind").is_subset(&kinds) && values_of("kind").len() >= 6, "{:?}", values_of("kind"));
    let documents = read("docs/plan.md") + &read("docs/statistics.md");
    for rule in values_of("rule") {
        assert!(documents.contains(&format!("| `{rule}` |")), "{rule}");
    }
    for key in ["levels", "margins", "total", "releases", "calculated", "spend_delta"] {
        assert!(documents.contains(&format!("`{key}`")), "{key}");
    }
}

/// Every name of the library is a public item, and every name of the package one that it exports, or a method of one.
#[test]
fn names_of_the_library_and_the_package_exist() {
    let rust: String = ["mechanisms", "statistics", "project"]
        .map(|name| sources(&format!("crates/inbounds-{name}/src"), "rs"))
        .concat();
    let python = sources("python/inbounds", "py");
    let exported = read("python/inbounds/__init__.py");
    for row in rows() {
        for name in spans(&row[3]).into_iter().filter(|_| !row[3].starts_with("no: ")) {
            let is_public = ["struct", "enum", "fn", "mod"].iter().any(|kind| {
                let item = format!("pub {kind} {name}");
                rust.match_indices(&item)
                    .any(|(at, _)| !rust[at + item.len()..].starts_with(|c: char| c.is_alphanumeric()))
            });
            assert!(is_public, "{name} of {:?} is no public item", row[0]);
        }
        for name in spans(&row[4]).into_iter().filter(|_| !row[4].starts_with("no: ")) {
            let (owner, method) = name.split_once('.').unwrap_or((name, ""));
            assert!(exported.contains(&format!("    \"{owner}\",")), "{owner} of {:?} is not exported", row[0]);
            assert!(method.is_empty() || python.contains(&format!("    def {method}(self")), "{name} of {:?}", row[0]);
        }
    }
}
