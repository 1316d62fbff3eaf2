//! Whatever the bounds and the kind: estimates and both ends of intervals are within the range that the manifest
//! states, to the last bit, as they are written.

use std::{collections::HashMap, fmt::Write, fs, path::Path};

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_release::{AssumedRows, Randomness, Silent, check::check, plan::Plan, release};
use serde_json::Value;
use tempfile::TempDir;

const RELATIONS: [&str; 2] = ["neighbours = \"add-remove\"", "neighbours = \"substitute\"\nrows = 40"];

/// Statistics of every kind, over the columns `x` and `y`, and the groups `g` and `h`.
const KINDS: [&str; 14] = [
    "kind = \"count\"\nby = [\"g\"]",
    "kind = \"sum\"\ncolumn = \"x\"",
    "kind = \"mean\"\ncolumn = \"x\"\nby = [\"g\"]",
    "kind = \"variance\"\ncolumn = \"x\"",
    "kind = \"standard-deviation\"\ncolumn = \"x\"",
    "kind = \"covariance\"\ncolumns = [\"x\", \"y\"]",
    "kind = \"covariance\"\ncolumns = [\"x\", \"y\"]\nmeasure = \"matrix\"",
    "kind = \"correlation\"\ncolumns = [\"x\", \"y\"]",
    "kind = \"proportion\"\nby = [\"g\"]",
    "kind = \"histogram\"\ncolumn = \"x\"\nedges = EDGES",
    "kind = \"quantile\"\ncolumn = \"x\"\nedges = EDGES\nprobabilities = [0.1, 0.5, 0.9]",
    "kind = \"combination\"\nof = \"sum\"\nweights = { x = 3, y = -7 }",
    "kind = \"naive-bayes\"\nby = [\"g\"]\ncolumns = [\"x\", \"y\"]",
    "kind = \"KIND\"\ncolumn = \"x\"\nby = [\"g\", \"h\"]\nlevels = [\"all\", \"g\", \"h\"]",
];

fn pick<'t>(dice: &mut SeededEntropy, among: &[&'t str]) -> &'t str {
    among[(dice.word() % among.len() as u64) as usize]
}

/// Two bounds as they are written: of extreme size, at odd decimals, of either sign, or nearly the same.
fn bounds(dice: &mut SeededEntropy) -> (f64, f64) {
    let (width, at) = (dice.word() % 30, dice.word() % 4);
    let digits = |dice: &mut SeededEntropy| (dice.word() % 1_000_000_000_000) as f64 / 999_999.0;
    let width = (1.0 + digits(dice)) * 10_f64.powi(width as i32 - 18);
    let lower = match at {
        0 => 0.0,
        1 => -width / 3.0,
        2 => -width,
        _ => width * digits(dice) / 1e6,
    };
    (lower, lower + width)
}

/// Two bounds anywhere among doubles, most of them too large or too close.
fn far_bounds(dice: &mut SeededEntropy) -> (f64, f64) {
    let width = 10_f64.powi((dice.word() % 630) as i32 - 320);
    let lower = width * [0.0, -0.5, -1.0, 7.0][(dice.word() % 4) as usize];
    (lower, lower + width)
}

fn plan(dice: &mut SeededEntropy, kind: &str, bounds: fn(&mut SeededEntropy) -> (f64, f64)) -> String {
    let (x, y) = (bounds(dice), bounds(dice));
    let column = |name: &str, (lower, upper): (f64, f64)| {
        format!("[columns.{name}]\ntype = \"number\"\nlower = {lower:?}\nupper = {upper:?}\nmissing = {lower:?}\n")
    };
    let edges: Vec<String> = (0..=4).map(|edge| format!("{:?}", x.0 + (x.1 - x.0) * f64::from(edge) / 4.0)).collect();
    let kind = kind.replace("EDGES", &format!("[{}]", edges.join(", ")));
    let kind = kind.replace("KIND", pick(dice, &["sum", "mean"]));
    format!(
        "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\n{}\nepsilon = {}\n{}{}\
         [columns.g]\ntype = \"text\"\nvalues = [\"a\", \"b\"]\n[columns.h]\ntype = \"text\"\nvalues = [\"c\", \"d\"]\n\
         [[statistic]]\nname = \"it\"\n{kind}\n",
        pick(dice, &RELATIONS),
        pick(dice, &["0.003", "0.4", "1", "17", "200"]),
        column("x", x),
        column("y", y),
    )
}

/// Rows at the ends of all bounds and beyond.
fn rows(dice: &mut SeededEntropy) -> String {
    let mut text = "x,y,g,h\n".to_owned();
    for _ in 0..40 {
        let extremes = ["-1e300", "1e300", "0", "0.1", "-0.3"];
        let (x, y) = (pick(dice, &extremes), pick(dice, &extremes));
        writeln!(text, "{x},{y},{},{}", pick(dice, &["a", "b"]), pick(dice, &["c", "d"])).expect("text");
    }
    text
}

/// Number of released numbers that were compared with their range; none if the plan was refused.
fn held(folder: &Path, text: &str, seed: u64) -> Option<usize> {
    let plan = Plan::parse(text, folder).ok()?;
    let out = folder.join(format!("bundle-{seed}"));
    release(&plan, &out, Randomness::Seeded(seed), &Silent).ok()?;
    let manifest: Value = serde_json::from_slice(&fs::read(out.join("release.json")).expect("a file")).expect("JSON");
    let of_output = |entry: &Value| {
        let end = |name: &str, open: f64| entry["range"][name].as_f64().unwrap_or(open);
        (
            entry["name"].as_str().unwrap_or("").to_owned(),
            (end("lower", f64::NEG_INFINITY), end("upper", f64::INFINITY)),
        )
    };
    let outputs = manifest["statistics"][0]["outputs"].as_array().expect("a list");
    let ranges: HashMap<String, (f64, f64)> = outputs.iter().map(of_output).collect();
    let mut reader = csv::Reader::from_path(out.join("estimates.csv")).expect("a table");
    let mut numbers = 0;
    for row in reader.deserialize::<HashMap<String, String>>() {
        let row = row.expect("a row");
        let name = row.get("output").map_or("", String::as_str);
        let (lower, upper) = ranges.get(name).or_else(|| ranges.get("")).copied().unwrap_or_else(|| panic!("{row:?}"));
        for column in ["estimate", "interval_lower", "interval_upper"] {
            let number: f64 = row[column].parse().expect("a number");
            assert!(lower <= number && number <= upper, "{column} {number:?} not in [{lower:?}, {upper:?}]\n{text}");
            numbers += 1;
        }
    }
    fs::remove_dir_all(out).expect("a folder to remove");
    Some(numbers)
}

/// Random plans with extreme bounds; a kind that is always refused would test nothing.
fn every_number_is_in_range(plans: usize) {
    let folder = TempDir::new().expect("a folder");
    let mut dice = SeededEntropy::from_seed(4);
    for kind in KINDS {
        let mut released = 0;
        for seed in 0..plans as u64 {
            fs::write(folder.path().join("rows.csv"), rows(&mut dice)).expect("writes");
            let text = plan(&mut dice, kind, bounds);
            released += usize::from(held(folder.path(), &text, seed).is_some_and(|numbers| numbers > 0));
        }
        assert!(released * 5 >= plans, "only {released} of {plans} were released: {kind}");
    }
}

/// A number that the bundle cannot hold would fail a release once noise is drawn, and whether it did could depend on
/// the noise.
fn what_check_accepts_is_published(plans: u64) {
    let folder = TempDir::new().expect("a folder");
    let mut dice = SeededEntropy::from_seed(5);
    let (mut released, mut refused) = (0, 0);
    for kind in KINDS {
        for seed in 0..plans {
            fs::write(folder.path().join("rows.csv"), rows(&mut dice)).expect("writes");
            let text = plan(&mut dice, kind, far_bounds).replace("epsilon = 200", "epsilon = 1e-9");
            let plan = Plan::parse(&text, folder.path());
            let accepted = plan.as_ref().is_ok_and(|plan| check(plan, &AssumedRows::Usual).is_ok());
            let Some(plan) = plan.ok().filter(|_| accepted) else {
                refused += 1;
                continue;
            };
            let out = folder.path().join("bundle");
            let done = release(&plan, &out, Randomness::Seeded(seed), &Silent);
            assert!(
                done.is_ok(),
                "accepted, and then: {}\n{text}",
                done.err().map(|error| error.to_string()).unwrap_or_default()
            );
            fs::remove_dir_all(out).expect("a folder to remove");
            released += 1;
        }
    }
    assert!(released >= plans && refused >= plans, "{released} released, {refused} refused");
}

#[test]
fn what_check_accepts_can_be_published() {
    what_check_accepts_is_published(25);
}

#[test]
#[ignore = "long"]
fn what_check_accepts_can_be_published_for_long() {
    what_check_accepts_is_published(1_000);
}

#[test]
fn estimates_and_intervals_are_in_range_to_the_last_bit() {
    every_number_is_in_range(12);
}

#[test]
#[ignore = "long"]
fn estimates_and_intervals_are_in_range_for_long() {
    every_number_is_in_range(400);
}
