//! The storeys of the crate that releases: a file uses those of its own storey and of those below.

use super::imports::Imports;
use crate::repository::root;

/// The modules at the top of `inbounds-release`, from the lowest storey to the highest.
const STOREYS: [(&str, &[&str]); 6] = [
    ("ground", &["codebook", "estimated", "key", "lines_asked", "rounded", "threads", "unfinished", "model_accuracy"]),
    ("what the plan says", &["plan"]),
    (
        "statistics of a plan, ready to be asked",
        &[
            "assumed_rows",
            "cell_keys",
            "coverage",
            "entries",
            "error",
            "keys",
            "labels",
            "learned",
            "levels",
            "open_data",
            "per_unit",
            "error_location",
            "released",
            "prepared_statistic",
            "totals",
            "unit_reading",
            "without_data",
        ],
    ),
    (
        "budget: parts of epsilon, shared noise, choices of mechanisms",
        &[
            "prepared_plan",
            "chosen",
            "diagnostics",
            "budget_split",
            "grants",
            "joint",
            "left_out",
            "notices",
            "preparing",
            "rehearsal",
            "sharing",
            "wants",
        ],
    ),
    (
        "steps of a release",
        &[
            "accounts",
            "alternatives",
            "bundle",
            "charged_rows",
            "draft",
            "estimating",
            "measuring",
            "opened_plan",
            "payment",
            "reading",
            "sample_sizes",
        ],
    ),
    ("commands", &["approval", "check", "epsilons", "init", "peek", "predict", "run"]),
];

/// The storey of a module at the top of the crate.
fn storey(module: &str) -> usize {
    let place = STOREYS.iter().position(|(_, modules)| modules.contains(&module));
    place.unwrap_or_else(|| panic!("`{module}` of inbounds-release has no storey: add it to the list of this test"))
}

#[test]
fn imports_of_the_release_go_down() {
    let imports = Imports::read(&root().join("crates/inbounds-release/src"));
    let mut upward = Vec::new();
    for (module, used) in &imports.by_module {
        let own = storey(&module[0]);
        for (other, names) in used.iter().filter(|(other, _)| storey(&other[0]) > own) {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let (from, to) = (STOREYS[own].0, STOREYS[storey(&other[0])].0);
            let (user, names, other) = (module.join("::"), names.join(", "), other.join("::"));
            upward.push(format!("{user} ({from}) uses {names} of {other} ({to})"));
        }
    }
    assert!(upward.is_empty(), "imports against the order of storeys:\n{}", upward.join("\n"));
    for module in STOREYS.iter().flat_map(|(_, modules)| *modules) {
        assert!(
            imports.by_module.keys().any(|known| known[0] == *module),
            "`{module}` is in the list and not in the crate"
        );
    }
}
