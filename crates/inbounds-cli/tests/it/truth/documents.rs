//! The documentation is inside the program, whole and readable at 80 columns.

use super::*;
use crate::repository::read;

#[test]
fn documents_are_shown_by_name_and_every_heading_is_there() {
    let bench = Workbench::new();
    let documents = [
        ("plan", "docs/plan.md"),
        ("from-file", "docs/from-file.md"),
        ("layouts", "docs/layouts.md"),
        ("kinds", "docs/statistics.md"),
        ("bundle", "docs/bundle.md"),
        ("page", "docs/report.md"),
        ("constraints", "docs/reconcile.md"),
        ("least-bias", "docs/least-bias.md"),
        ("limits", "KNOWN-LIMITS.md"),
    ];
    for (name, path) in documents {
        let said = bench.run(&["help", name]);
        assert_eq!(said.code, 0, "{}", said.err);
        let shown = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        let document = read(path);
        assert!(!said.out.contains("<!--"), "{name} shows where figures stand");
        let mut code = false;
        for line in document.lines() {
            code ^= line.starts_with("```");
            let heading = line.trim_start_matches('#').trim();
            // Links and emphasis in headings are markup.
            let plain = !heading.contains(['[', '*']);
            assert!(code || !line.starts_with('#') || !plain || shown.contains(heading), "{name} lacks `{heading}`");
        }
        for line in said.out.lines().filter(|line| !line.starts_with("    ")) {
            let fits = line.chars().count() <= 80 || line.split_whitespace().count() == 1;
            assert!(fits, "{name}: {line}");
        }
    }
    let mechanisms = bench.run(&["help", "mechanisms"]).out;
    for name in ["clamped-staircase", "conditioned", "hard-thresholded-gaussian"] {
        assert!(mechanisms.contains(name), "{mechanisms}");
    }
    assert!(!mechanisms.contains("A listed cell without rows"), "the section after it is not part of it");
}

#[test]
fn help_completions_and_manual_pages_know_every_command() {
    let bench = Workbench::new();
    let help = bench.run(&["help"]).out;
    let commands = ["release", "check", "advise", "design", "predict", "reconcile", "report", "study", "man"];
    let manual = bench.run(&["man"]);
    for command in commands {
        assert!(help.contains(command) && manual.out.contains(command), "{command}");
        for shell in ["bash", "zsh", "fish", "powershell"] {
            let said = bench.run(&["completions", shell]);
            assert!(said.code == 0 && said.out.contains(command), "{shell} does not complete {command}");
        }
    }
    assert!(manual.out.contains(".TH inbounds 1"), "{}", manual.out);
    let page = bench.run(&["man", "study", "run"]).out;
    assert!(page.contains("replicates"), "{page}");
    assert!(bench.run(&["help", "study", "run"]).out.contains("--replicates"));
    let said = bench.run(&["help", "plans"]);
    assert!(said.code == 2 && said.err.contains("documents are plan, from-file, layouts, kinds"), "{}", said.err);
}
