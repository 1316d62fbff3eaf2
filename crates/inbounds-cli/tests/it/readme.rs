//! README and tour against the program: every output that they show is what is printed today.

use std::fs;

use crate::repository::{MEASUREMENTS, PLAN, read, reconciled, run, seeded_release, stdout};

/// Every line that the program prints stands in the tour, in this order.
fn assert_in_tour(printed: &str, command: &str) {
    assert_in("docs/tour.md", printed, command);
}

/// Every line that the program prints stands in a document, in this order; where the document ends with `...`, every line
/// before that.
pub(crate) fn assert_in(document: &str, printed: &str, command: &str) {
    let text = read(document);
    let block = text.split("```").find(|part| part.contains(&format!("$ {command}\n")));
    let block = block.unwrap_or_else(|| panic!("{document} has no output of {command}"));
    // The folder of a bundle is that of the run.
    let lines = |text: &str| -> Vec<String> {
        let lines = text.trim_end().lines().map(str::trim_end).filter(|line| !line.starts_with("Bundle: "));
        lines.map(str::to_owned).collect()
    };
    let output = block.split_once(&format!("$ {command}\n")).map_or("", |(_, output)| output);
    let (mut shown, mut printed) = (lines(output), lines(printed));
    if shown.last().is_some_and(|line| line == "...") {
        shown.pop();
        assert!(shown.len() > 5, "{document} cuts nearly all output of: {command}");
        printed.truncate(shown.len());
    }
    assert_eq!(shown, printed, "{document} shows an old output of: {command}");
}

#[test]
fn readme_and_tour_show_what_the_program_prints() {
    let (printed, _folder) = seeded_release();
    let release = format!("inbounds release {PLAN} --out registry-release --seed 7 --not-private");
    assert_in("README.md", &printed, &release);
    assert_in_tour(&printed, &release);
    let check = ["check", PLAN];
    assert_in_tour(&stdout(&run(&check)), &format!("inbounds {}", check.join(" ")));
    let advise = ["advise", "--epsilon", "0.1", "--sensitivity", "1", "--lower", "0", "--upper", "1"];
    assert_in_tour(&stdout(&run(&advise)), &format!("inbounds {}", advise.join(" ")));
    let design = [
        "design",
        "--epsilon",
        "1",
        "--sensitivity",
        "1",
        "--upper",
        "5",
        "--criterion",
        "mean-mse",
        "--worst-bias",
        "0.3",
    ];
    assert_in_tour(&stdout(&run(&design)), &format!("inbounds {}", design.join(" ")));
}

#[test]
fn the_picture_of_the_readme_is_what_the_program_draws() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("drawn.svg");
    let path = path.to_str().expect("a plain path");
    let question = ["advise", "--epsilon", "1", "--sensitivity", "1", "--lower", "0", "--integer", "--plot", path];
    assert!(run(&question).status.success());
    let drawn = fs::read_to_string(path).expect("drawn");
    assert!(
        drawn == read("docs/pictures/advise-count.svg"),
        "docs/pictures/advise-count.svg is out of date: draw it again"
    );
}

#[test]
fn the_tour_shows_what_reconcile_prints() {
    let (printed, _folder) = reconciled();
    assert_in_tour(&printed, &format!("inbounds reconcile {MEASUREMENTS} --integer --out census"));
}
