//! What adds up is as right as `check` says, and says so where it is not.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::*;

/// All but thousandths of epsilon for the finest level: the hardest case for the levels above it.
const FINEST: &str = "level_shares = [0.001, 0.001, 0.001, 0.001, 0.001, 0.995]";

/// A plan of a count at every level of some columns of text, whose values it lists.
fn plan(file: &str, columns: &BTreeMap<&str, BTreeSet<String>>, order: &[&str], more: &str) -> String {
    let listed: String = order
        .iter()
        .map(|column| {
            let values: Vec<String> = columns[column].iter().map(|value| format!("{value:?}")).collect();
            format!("[columns.{column}]\ntype = \"text\"\nvalues = [{}]\n", values.join(", "))
        })
        .collect();
    let names: Vec<String> = order.iter().map(|column| format!("{column:?}")).collect();
    let names = names.join(", ");
    format!(
        "data.path = {file:?}\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n{listed}\
         [[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [{names}]\nlevels = [\"all\", {names}]\n{more}\n"
    )
}

/// The values of columns of a CSV file in the workbench, and its number of rows.
fn values<'c>(bench: &Workbench, path: &str, order: &[&'c str]) -> (BTreeMap<&'c str, BTreeSet<String>>, usize) {
    let rows = rows(bench, path);
    let values_of = |column: &&'c str| (*column, rows.iter().map(|row| row[*column].clone()).collect());
    (order.iter().map(values_of).collect(), rows.len())
}

/// The adult census extract: education, occupation, marital status, race and sex, 16,800 finest cells, 80 % of them
/// empty.
fn adult(bench: &Workbench, more: &str) -> Option<usize> {
    let order = ["education", "occupation", "marital_status", "race", "sex"];
    people(bench, "adult.csv").then(|| {
        let (columns, rows) = values(bench, "adult.csv", &order);
        bench.write("plan.toml", plan("adult.csv", &columns, &order, more));
        rows
    })
}

/// 2,000 made-up people of whom most are of one kind: five columns of five values, 3,125 finest cells, nearly all
/// empty.
fn made_up(bench: &Workbench, more: &str) -> usize {
    let order = ["a", "b", "c", "d", "e"];
    let line = |row: usize| {
        let value = |column: usize| if row.is_multiple_of(40) { (row / 40 + column * row / 200) % 5 } else { 0 };
        let line: Vec<String> = (0..5).map(|column| format!("v{}", value(column))).collect();
        line.join(",") + "\n"
    };
    let text: String = std::iter::once("a,b,c,d,e\n".to_owned()).chain((0..2000).map(line)).collect();
    bench.write("rows.csv", text);
    let all: BTreeSet<String> = (0..5).map(|value| format!("v{value}")).collect();
    let columns = order.iter().map(|column| (*column, all.clone())).collect();
    bench.write("plan.toml", plan("rows.csv", &columns, &order, more));
    2000
}

/// RMSE of the total that `check` promises.
fn promised(bench: &Workbench) -> f64 {
    let said = bench.run(&["check", "plan.toml", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let report: Value = serde_json::from_str(&said.out).expect("JSON");
    report["statistics"][0]["expected_error"][0]["rmse"].as_f64().expect("a number")
}

/// A text without its line breaks.
fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The total that each of some seeds publishes, with its interval.
fn totals(bench: &Workbench, seeds: u64) -> Vec<(f64, f64, f64)> {
    let release = |seed: u64| {
        let (out, seed) = (format!("bundle-{seed}"), seed.to_string());
        bench.seeded("plan.toml", &out, &seed);
        let first = rows(bench, &format!("{out}/estimates.csv")).swap_remove(0);
        let number = |column: &str| first[column].parse::<f64>().expect("a number");
        (number("estimate"), number("interval_lower"), number("interval_upper"))
    };
    (0..seeds).map(release).collect()
}

/// The root of the tree takes noise from its own subtree alone: nearly Laplace with the RMSE that `check` states, so a
/// release is 10 RMSE off with probability `exp(-10 sqrt 2) < 1e-6`.
fn totals_are_as_right_as_promised(bench: &Workbench, truth: usize, seeds: u64) {
    let rmse = promised(bench);
    for (total, lower, upper) in totals(bench, seeds) {
        assert!((total - truth as f64).abs() <= 10.0 * rmse, "{total} for {truth}, where check promised {rmse}");
        assert!((lower..=upper).contains(&total), "{total} is not in [{lower}, {upper}]");
    }
}

#[test]
fn totals_of_a_sparse_hierarchy_are_as_right_as_check_says() {
    let bench = Workbench::new();
    let truth = made_up(&bench, FINEST);
    totals_are_as_right_as_promised(&bench, truth, 3);
}

#[test]
fn totals_of_adult_are_as_right_as_check_says() {
    let bench = Workbench::new();
    let Some(truth) = adult(&bench, FINEST) else { return };
    totals_are_as_right_as_promised(&bench, truth, 2);
}

/// The joint fit is still to be had, and says on terminal, page and manifest what it did to the levels above.
#[test]
fn a_level_that_drifted_says_so_everywhere() {
    let bench = Workbench::new();
    made_up(&bench, &format!("fit = \"joint\"\n{FINEST}"));
    let said = bench.seeded("plan.toml", "bundle", "1");
    let notices = manifest(&bench, "bundle")["statistics"][0]["notices"].clone();
    let drift = notices.as_array().expect("a list").iter().find(|notice| notice["id"] == "drift");
    let drift = drift.unwrap_or_else(|| panic!("no drift among {notices}"));
    assert_eq!(drift["level"], "all");
    assert!(drift["distance"].as_f64() > drift["limit"].as_f64() && drift["false_alarm"].as_f64() <= Some(0.05));
    let worse = notices.as_array().expect("a list").iter().find(|notice| notice["id"] == "bounds-cost");
    let worse = worse.unwrap_or_else(|| panic!("nothing worse among {notices}"));
    assert!(worse["level"] == "all" && worse["ratio"].as_f64() > Some(1.1), "{worse}");
    assert!(flowing(&said.out).contains("Level `all` is made worse by bounds"), "{}", said.out);
    let words = "has drifted: an estimate lies";
    assert!(flowing(&said.out).contains(words) && said.out.contains("* outside its own interval"), "{}", said.out);
    assert!(flowing(&file(&bench, "bundle/report.html")).contains(words));
    // By default the total does not, with the same shares.
    made_up(&bench, FINEST);
    let said = bench.run(&["release", "plan.toml", "--out", "other", "--seed", "1", "--not-private"]);
    assert!(said.code == 0 && !said.out.contains("Level `all`"), "{}", said.out);
}

#[test]
fn shares_that_leave_all_but_one_level_without_epsilon_are_no_word_any_more() {
    let bench = Workbench::new();
    made_up(&bench, "level_shares = \"least-error\"");
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 2);
    assert!(flowing(&said.err).contains("left every other level a thousandth of epsilon"), "{}", said.err);
}

/// Reconciles a file, which must end with this exit code.
fn reconciled(counts: &str, rules: &str, more: &[&str]) -> (Workbench, Said) {
    let bench = Workbench::new();
    bench.write("counts.csv", counts);
    bench.write("rules.toml", rules);
    let arguments = ["reconcile", "counts.csv", "--constraints", "rules.toml", "--out", "bundle"];
    let said = bench.run(&[&arguments[..], more].concat());
    (bench, said)
}

#[test]
fn correlations_beyond_doubles_are_refused_by_name() {
    let rules = "[matrix]\npositive_semidefinite = true\nunit_diagonal = true\n";
    for entry in ["1e20", "-3e7"] {
        let counts = format!("node,value,variance\nx:y,{entry},0.1\nx:z,0.5,0.1\ny:z,0.4,0.2\n");
        let (_, said) = reconciled(&counts, rules, &[]);
        assert_eq!(said.code, 3, "{}", said.err);
        assert!(said.err.contains("`x:y`") && said.err.contains("between -1 and 1"), "{}", said.err);
    }
    // Noise that large is drawn in replicates only; it ends in a bundle that says what the solver could not do.
    let (bench, said) = reconciled("node,value,variance\nx:y,0.9,1e40\nx:z,0.5,0.1\ny:z,0.4,0.2\n", rules, &[]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(bench.path("bundle/report.html").is_file());
}

#[test]
fn whole_numbers_beyond_doubles_are_refused_by_name() {
    let flat = "node,value,variance\na,3,1\nb,-1,2\nc,4,1\nd,7,3\n";
    let (_, said) = reconciled(flat, "total = 2e22", &["--integer"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(said.err.contains("the known total is 2") && said.err.contains("2^52"), "{}", said.err);
    for (row, named) in [("b,a,1e17,1", "the value of node `b`"), ("b,a,7,1e30", "the standard deviation of node `b`")]
    {
        let tree = format!("node,parent,value,variance\na,,5,1\n{row}\nc,a,4,1\n");
        for fit in ["top-down", "joint", "shrunk"] {
            let (_, said) = reconciled(&tree, "", &["--integer", "--fit", fit]);
            assert_eq!(said.code, 3, "{}", said.err);
            assert!(said.err.contains(named) && said.err.contains("larger unit"), "{}", said.err);
            assert_eq!(reconciled(&tree, "", &["--fit", fit]).1.code, 0);
        }
    }
}

/// `reconcile.json` has notices, and the terminal marks the estimates that they are of.
#[test]
fn reconciled_estimates_outside_their_interval_are_marked() {
    let leaves: String =
        (0..400).map(|leaf| format!("{leaf},all,{},4\n", if leaf % 2 == 0 { 2 } else { -2 })).collect();
    let counts = format!("node,parent,value,variance\nall,,0,400\n{leaves}");
    let (bench, said) = reconciled(&counts, "", &["--fit", "joint"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let out = flowing(&said.out);
    assert!(out.contains("* outside its own interval") && out.contains("Level `0` has drifted"), "{}", said.out);
    let manifest: Value = serde_json::from_str(&file(&bench, "bundle/reconcile.json")).expect("JSON");
    let ids: Vec<_> = manifest["notices"].as_array().expect("a list").iter().map(|notice| &notice["id"]).collect();
    assert_eq!(ids, ["drift", "bounds-cost", "outside-interval"]);
    assert!(flowing(&file(&bench, "bundle/report.html")).contains("has drifted"));
    let (_, said) = reconciled(&counts, "", &[]);
    assert!(said.code == 0 && !said.out.contains("drifted"), "{}", said.out);
}

/// Six rows and eight columns with a measured total, measured margins and one full cell; all the others are empty, and
/// their noise is cut off at zero. The total is dragged up, and no tree says that it is one.
#[test]
fn a_table_whose_total_bounds_make_worse_says_so() {
    let noise = |at: usize| if at.is_multiple_of(2) { 4.0 } else { -4.0 };
    let (mut counts, mut triplets) = ("node,value,law,scale\n".to_owned(), "row,node,coefficient\n".to_owned());
    let mut sides = "row,sense,value\n".to_owned();
    let mut node = |name: &str, value: f64| counts += &format!("{name},{value},laplace,4\n");
    let mut term = |row: &str, node: &str, coefficient: i32| triplets += &format!("{row},{node},{coefficient}\n");
    node("total", 1000.0);
    for (side, size) in [("row", 6), ("column", 8)] {
        (0..size).for_each(|at| node(&format!("{side}-{at}"), if at == 0 { 1000.0 } else { noise(at) }));
        (0..size).for_each(|at| term(side, &format!("{side}-{at}"), 1));
        term(side, "total", -1);
        sides += &format!("{side},=,0\n");
        (0..size).for_each(|at| term(&format!("{side}-{at}"), &format!("{side}-{at}"), -1));
        sides += &(0..size).map(|at| format!("{side}-{at},=,0\n")).collect::<String>();
    }
    for (row, column) in (0..6).flat_map(|row| (0..8).map(move |column| (row, column))) {
        let cell = format!("{row}:{column}");
        node(&cell, if row + column == 0 { 1000.0 } else { noise(row + column) });
        [format!("row-{row}"), format!("column-{column}")].iter().for_each(|side| term(side, &cell, 1));
    }
    let bench = Workbench::new();
    bench.write("triplets.csv", triplets);
    bench.write("sides.csv", sides);
    bench.write("counts.csv", counts);
    bench.write("rules.toml", "[system]\ntriplets = \"triplets.csv\"\nsides = \"sides.csv\"\n");
    let said = bench.run(&["reconcile", "counts.csv", "--constraints", "rules.toml", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let out = flowing(&said.out);
    assert!(out.contains("Note: `total` is made worse by bounds"), "{}", said.out);
    assert!(flowing(&file(&bench, "bundle/report.html")).contains("is made worse by bounds"));
    let manifest: Value = serde_json::from_str(&file(&bench, "bundle/reconcile.json")).expect("JSON");
    let notices = manifest["notices"].as_array().expect("a list");
    let worse = notices.iter().find(|notice| notice["id"] == "bounds-cost").expect("it is worse");
    assert!(worse["node"] == "total" && worse["nodes"] == 1 && worse["ratio"].as_f64() > Some(1.2), "{worse}");
    // Without bounds nothing is worse.
    bench.write("free.toml", "nonnegative = false\n[system]\ntriplets = \"triplets.csv\"\nsides = \"sides.csv\"\n");
    let said = bench.run(&["reconcile", "counts.csv", "--constraints", "free.toml", "--out", "free"]);
    assert!(said.code == 0 && !said.out.contains("Note:") && !said.out.contains("Warning"), "{}", said.out);
}
