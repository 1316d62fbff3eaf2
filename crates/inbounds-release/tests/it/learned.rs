//! Keys of counts that are learned from the rows, from the plan to the bundle.

use std::{collections::BTreeMap, fs, path::Path};

use inbounds_bundle::CandidatesEntry;
use inbounds_core::{Delta, Rational};
use inbounds_mechanisms::partition::{KeyCandidates, KeyNoise};
use inbounds_release::{Label, OpenedPlan, Randomness, Release, Silent, plan::Plan, release};
use tempfile::TempDir;

/// Codes of a few sizes, the last with characters that a table must escape, and one that is too long to be a key.
fn rows() -> Vec<(String, usize)> {
    let codes = [("B", 400), ("A", 300), ("hapax", 1), ("", 200), ("a \"quoted\", one\nof two lines", 250)];
    let mut rows: Vec<(String, usize)> = codes.map(|(code, count)| (code.to_owned(), count)).to_vec();
    rows.push(("long".repeat(100), 500));
    rows
}

fn write(folder: &Path) {
    let mut text = "id,code,sex\n".to_owned();
    let mut id = 0;
    for (code, count) in rows() {
        for _ in 0..count {
            let sex = ["f", "m", "?"][id % 3];
            text.push_str(&format!("{id},\"{}\",{sex}\n", code.replace('"', "\"\"")));
            id += 1;
        }
    }
    fs::write(folder.join("rows.csv"), text).expect("writes");
}

const HEAD: &str = r#"
data.path = "rows.csv"
columns.id = { type = "integer" }
columns.code = { type = "text" }
columns.sex = { type = "text", values = ["m", "f"] }
"#;

fn plan(folder: &Path, privacy: &str, statistics: &str) -> Plan {
    let text = format!("{HEAD}privacy = {{ {privacy} }}\n{statistics}");
    Plan::parse(&text, folder).unwrap_or_else(|errors| panic!("{errors}"))
}

fn released(folder: &Path, privacy: &str, statistics: &str) -> Release {
    write(folder);
    let plan = plan(folder, privacy, statistics);
    release(&plan, &folder.join("bundle"), Randomness::Seeded(5), &Silent).expect("releases")
}

const ROWS: &str = "unit = 'row', neighbours = 'add-remove', epsilon = 1, delta = 1e-9";

/// The keys of a statistic, and their estimates.
fn published(release: &Release, statistic: usize) -> BTreeMap<Vec<String>, f64> {
    let released = &release.statistics[statistic];
    let labels = released.task.labels();
    let keys: Vec<Vec<String>> =
        labels.iter().map(|label| label.key.values().map(ToString::to_string).collect()).collect();
    assert!(keys.is_sorted(), "cells are in the order of their keys: {keys:?}");
    keys.into_iter().zip(released.estimates.iter().map(|estimate| estimate.value)).collect()
}

/// One key that a single row has, empty text and a text beyond the limit are not there; what is there is near its
/// number and in the table as it is.
#[test]
fn keys_of_many_rows_are_published_and_no_others() {
    let folder = TempDir::new().expect("folder");
    let count = "[[statistic]]\nname = 'codes'\nkind = 'count'\nby = ['code']\nlearn_keys = true";
    let release = released(folder.path(), ROWS, count);
    let counts = published(&release, 0);
    let expected = [("A", 300.0), ("B", 400.0), ("a \"quoted\", one\nof two lines", 250.0)];
    assert_eq!(counts.len(), expected.len(), "{counts:?}");
    for (code, count) in expected {
        // Noise of scale 1 is beyond 15 with a probability below 1e-6.
        assert!((counts[&vec![code.to_owned()]] - count).abs() <= 15.0, "{code}: {counts:?}");
    }
    let entry = &release.manifest.statistics[0];
    let learned = entry.learned.as_ref().expect("keys are learned");
    assert_eq!((learned.threshold.0.clone(), entry.cells), (Rational::from(21u128), 3));
    assert_eq!(release.manifest.guarantee.delta_spent.0, "1e-9".parse().expect("number"));
    let table = fs::read_to_string(release.folder.join("estimates.csv")).expect("a table");
    assert!(table.contains("\"a \"\"quoted\"\", one\nof two lines\""), "{table}");
    assert!(!table.contains("hapax") && !table.contains("longlong"), "{table}");
}

/// A column that lists its values keeps to them: rows with another value count nowhere.
#[test]
fn listed_values_are_crossed_with_learned_ones() {
    let folder = TempDir::new().expect("folder");
    let count = "[[statistic]]\nname = 'codes'\nkind = 'count'\nby = ['sex', 'code']\nwhere = \"code <> 'B'\"\nlearn_keys = true";
    let counts = published(&released(folder.path(), ROWS, count), 0);
    let keys: Vec<&str> = counts.keys().map(|key| key[0].as_str()).collect();
    assert_eq!(keys, ["f", "f", "m", "m"], "{counts:?}");
    let total: f64 = counts.values().sum();
    assert!((total - 550.0 * 2.0 / 3.0).abs() < 40.0, "{counts:?}");
}

/// With a small epsilon nothing reaches the threshold: the bundle is whole, and says so.
#[test]
fn a_release_in_which_no_key_is_published_is_whole() {
    let folder = TempDir::new().expect("folder");
    let count = "[[statistic]]\nname = 'codes'\nkind = 'count'\nby = ['code']\nlearn_keys = true";
    let release = released(folder.path(), &ROWS.replace("epsilon = 1", "epsilon = 0.01"), count);
    assert_eq!((release.manifest.statistics[0].cells, release.statistics[0].estimates.len()), (0, 0));
    let table = fs::read_to_string(release.folder.join("estimates.csv")).expect("a table");
    assert_eq!(table.lines().count(), 1, "{table}");
    let page = fs::read_to_string(release.folder.join("report.html")).expect("a page");
    assert!(page.contains("Here no cell is published."));
}

/// Under substitution one row moves two counts; a person with three rows may have them in three cells that are theirs
/// alone.
#[test]
fn units_and_relations_have_thresholds_of_their_own() {
    let folder = TempDir::new().expect("folder");
    write(folder.path());
    let count = "[[statistic]]\nname = 'codes'\nkind = 'count'\nby = ['code']\nlearn_keys = true";
    let units = count.replace("'count'", "'units'");
    let selection = |privacy: &str, statistic: &str| {
        let plan = plan(folder.path(), privacy, statistic);
        let opened = OpenedPlan::new(&plan).expect("prepares");
        let learned = opened.tasks[0].learned().expect("keys are learned");
        let selection = learned.count().selection();
        let KeyCandidates::OfRows { new, .. } = selection.candidates() else { panic!("no space is known") };
        let tau = 1.0 / selection.noise().scale();
        let a = (-tau).exp();
        // The least threshold, by the law in doubles: the worst rows of a unit are all in one cell, or one in each. Of
        // rows that are replaced a thousandth of delta is for the counts that fall.
        let largest = |threshold: i128| a.powi(i32::try_from(threshold - 1).expect("small")) * (1.0 - a) / (1.0 + a);
        let spent = |threshold: i128| {
            let many = 1.0 - (1.0 - largest(threshold)).powf(new.cells() as f64);
            let rows = largest(threshold) * (tau * new.rows_per_cell() as f64).exp_m1() / tau.exp_m1();
            many.max(rows) * if new.is_replaced() { 1.0 + 1.0 / 1024.0 } else { 1.0 }
        };
        let threshold = selection.threshold();
        assert!(spent(threshold) <= 1e-9 && spent(threshold - 1) > 1e-9, "{privacy}: {threshold}");
        assert_eq!((selection.kind(), new.is_replaced()), (KeyNoise::Symmetric, privacy.contains("substitute")));
        (selection.noise().scale().round() as i128, new.cells(), new.rows_per_cell(), new.rows())
    };
    assert_eq!(selection(ROWS, count), (1, 1, 1, 1));
    let substitute = ROWS.replace("'add-remove'", "'substitute', rows = 1651");
    assert_eq!(selection(&substitute, count), (2, 1, 1, 1));
    let person = ROWS.replace("'row'", "{ column = 'id', max_rows = 3 }");
    assert_eq!(selection(&person, count), (3, 3, 3, 3));
    assert_eq!(selection(&person, &units), (3, 3, 1, 3));
    assert_eq!(selection(&person.replace("add-remove", "substitute"), &units), (6, 3, 1, 3));
}

/// Learned keys have of delta what Gaussian noise leaves, and costs add up: here three quarters, though the share is
/// half.
#[test]
fn learned_keys_have_what_is_left_of_delta() {
    let folder = TempDir::new().expect("folder");
    write(folder.path());
    let statistics = "[[statistic]]\nname = 'a'\nkind = 'count'\nby = ['code']\nlearn_keys = true\nshare = 0.5\n\
                      [[statistic]]\nname = 'b'\nkind = 'count'\nmechanism = 'clamped-gaussian'\nshare = 0.25\n\
                      [[statistic]]\nname = 'c'\nkind = 'count'\nwhere = \"sex = 'f'\"\nshare = 0.25";
    let plan = plan(folder.path(), ROWS, statistics);
    let opened = OpenedPlan::new(&plan).expect("prepares");
    let guarantee = opened.tasks[0].learned().expect("keys are learned").count().selection().guarantee().clone();
    assert_eq!(guarantee.delta().map(Delta::value), Some(&"7.5e-10".parse().expect("number")));
    assert_eq!(opened.cost.epsilon, Rational::ONE);
    let delta: Rational = "1e-9".parse().expect("number");
    assert!(opened.cost.delta <= delta && opened.cost.delta > "7.5e-10".parse().expect("number"));
}

/// The optimal selection: half of all keys of 109 rows appear, where noise without end needs 133; the plan, the
/// manifest and the page say which noise it was.
#[test]
fn the_optimal_selection_is_asked_for_and_said() {
    let folder = TempDir::new().expect("folder");
    let privacy = "unit = 'row', neighbours = 'add-remove', epsilon = 0.1, delta = 1e-6";
    let count = "[[statistic]]\nname = 'codes'\nkind = 'count'\nby = ['code']\nlearn_keys = \"optimal\"";
    let release = released(folder.path(), privacy, count);
    let learned = release.manifest.statistics[0].learned.as_ref().expect("keys are learned");
    let half = learned.appears.iter().find(|entry| entry.probability == 0.5).expect("half");
    assert_eq!((half.count.0.clone(), learned.threshold.0.clone()), (Rational::from(109u128), Rational::from(109u128)));
    let CandidatesEntry::OfRows { noise, noise_lower, noise_upper, .. } = &learned.candidates else { panic!("rows") };
    assert_eq!(*noise, KeyNoise::Optimal.into());
    let ends = [noise_lower, noise_upper].map(|end| end.as_ref().expect("an end").0.clone());
    assert_eq!(ends, [Rational::from(-109i128), Rational::from(108i128)]);
    let page = fs::read_to_string(release.folder.join("report.html")).expect("a page");
    assert!(
        page.contains("The noise is that of optimal partition selection, and lies between -109 and 108."),
        "{page}"
    );
    assert!(!page.contains("another noise") && !page.contains("another threshold"), "made again from the manifest");
    let symmetric = released(TempDir::new().expect("folder").path(), privacy, &count.replace("\"optimal\"", "true"));
    let learned = symmetric.manifest.statistics[0].learned.as_ref().expect("keys are learned");
    assert_eq!(learned.threshold.0, Rational::from(110u128));
}

/// Unpublished keys are in no file of the bundle: neither a key of one row nor one that is too long, nor how many
/// there are.
#[test]
fn a_key_below_the_threshold_is_in_no_file() {
    let folder = TempDir::new().expect("folder");
    let count = "[[statistic]]\nname = 'codes'\nkind = 'count'\nby = ['code']\nlearn_keys = true";
    let release = released(folder.path(), ROWS, count);
    for file in fs::read_dir(&release.folder).expect("a folder") {
        let path = file.expect("a file").path();
        let bytes = fs::read(&path).expect("reads");
        for hidden in ["hapax", "longlong"] {
            let has_hidden = bytes.windows(hidden.len()).any(|part| part == hidden.as_bytes());
            assert!(!has_hidden, "{} has {hidden}", path.display());
        }
    }
}

/// Published cells without rows are too high by the whole threshold. What stands beside their number in the bundle is
/// at least as large, in fifty releases of some five such cells each: the bias and the error over the interval; those
/// at the estimate are not.
#[test]
#[expect(clippy::print_stdout, reason = "figures, shown with --nocapture")]
fn published_cells_without_rows_state_an_error_that_is_theirs() {
    let folder = TempDir::new().expect("folder");
    fs::write(folder.path().join("stays.csv"), stays()).expect("writes");
    let plan = Plan::parse(&SPACE.replace("spurious = 0.5", "spurious = 5"), folder.path()).expect("a plan");
    let (mut cells, mut real, mut at_estimate) = (0.0, 0.0, 0.0);
    for seed in 1..=50 {
        let bundle = folder.path().join(format!("bundle-{seed}"));
        let release = release(&plan, &bundle, Randomness::Seeded(seed), &Silent).expect("releases");
        let (labels, estimates) = (release.statistics[0].task.labels(), &release.statistics[0].estimates);
        let code = |label: &Label| label.key.values().last().map_or_else(String::new, ToString::to_string);
        let has_rows = |label: &Label| ["101", "29999", "77"].contains(&code(label).as_str());
        for (key, estimate) in labels.iter().zip(estimates).filter(|(label, _)| !has_rows(label)) {
            let value = estimate.value;
            let over = [estimate.bias_over_interval, estimate.rmse_over_interval].map(|over| over.expect("stated"));
            (cells, real) = (cells + 1.0, real + value);
            at_estimate += estimate.bias_at_estimate;
            let expected = release.statistics[0].task.learned().expect("learned").count().selection().error_at(0);
            if estimate.lower == 0.0 {
                assert!(over[0] >= expected.bias && over[1] >= expected.rmse, "{key:?}: {over:?} for {expected:?}");
            }
            let table = fs::read_to_string(bundle.join("estimates.csv")).expect("a table");
            assert!(table.contains(&format!(",{},", over[0])), "{key:?}: {} is not in {table}", over[0]);
        }
    }
    println!("{cells} cells without rows: real bias {}, stated at the estimate {}", real / cells, at_estimate / cells);
    assert!(cells > 50.0 && real / cells > 9.0 && at_estimate / cells < 1.0, "{cells} {real} {at_estimate}");
}

/// All of 60,000 keys get noise, and there is no delta: what many rows have is published, what few have is not, and
/// what is published of the rest is at most what was said.
#[test]
fn keys_of_a_space_are_published_without_delta() {
    let folder = TempDir::new().expect("folder");
    fs::write(folder.path().join("stays.csv"), stays()).expect("writes");
    let plan = Plan::parse(SPACE, folder.path()).unwrap_or_else(|errors| panic!("{errors}"));
    let release = release(&plan, &folder.path().join("bundle"), Randomness::Seeded(5), &Silent).expect("releases");
    let counts = published(&release, 0);
    let learned = release.manifest.statistics[0].learned.as_ref().expect("keys are chosen");
    // 60,000 e^-12 / (1 + e^-1) = 0.27 is at most 0.5, and 0.73 is not.
    assert_eq!(learned.threshold.0, Rational::from(12u128));
    let CandidatesEntry::OfSpace { space_cells, spurious_bound, .. } = &learned.candidates else { panic!("a space") };
    assert_eq!(*space_cells, 60_000);
    assert!((spurious_bound - 60_000.0 * (-12f64).exp() / (1.0 + (-1f64).exp())).abs() < 1e-9, "{spurious_bound}");
    assert_eq!(release.manifest.guarantee.delta_spent.0, Rational::ZERO);
    assert_eq!(release.manifest.guarantee.epsilon_spent.0, Rational::ONE);
    for (key, count) in [(["f", "101"], 300.0), (["m", "29999"], 200.0)] {
        let key = key.map(str::to_owned).to_vec();
        assert!((counts[&key] - count).abs() <= 15.0, "{key:?}: {counts:?}");
    }
    // A code of one row is missed, one beyond the bounds is none, and more than eight empty cells come up less than
    // once in 10^9.
    assert!(counts.len() <= 2 + 8 && !counts.keys().any(|key| key[1] == "77" || key[1] == "30000"), "{counts:?}");
    let page = fs::read_to_string(release.folder.join("report.html")).expect("a page");
    assert!(
        page.contains("All 60,000 cells that can be get noise, so a published cell may have no rows: at most 0.2695")
    );
    // Reading the bundle again finds the same mechanism.
    assert!(!page.contains("This version"), "the noise can be made again");
}

/// A key that no row has is published as often as the law says: of 40 cells at T = 1 and epsilon = 1, each with a
/// probability of 0.27.
#[test]
fn keys_without_rows_are_published_too() {
    let folder = TempDir::new().expect("folder");
    fs::write(folder.path().join("stays.csv"), "sex,code\n").expect("writes");
    let small =
        SPACE.replace("lower = 0, upper = 29_999", "lower = 10, upper = 29").replace("spurious = 0.5", "spurious = 11");
    let plan = Plan::parse(&small, folder.path()).unwrap_or_else(|errors| panic!("{errors}"));
    let mut number = 0;
    for seed in 0..100 {
        let out = folder.path().join(format!("bundle-{seed}"));
        let release = release(&plan, &out, Randomness::Seeded(seed), &Silent).expect("releases");
        let counts = published(&release, 0);
        assert!(counts.keys().all(|key| ["f", "m"].contains(&key[0].as_str())), "{counts:?}");
        number += counts.len();
    }
    // 4,000 cells: six standard errors, beyond which less than one run in 10^8 lies.
    let p = (-1f64).exp() / (1.0 + (-1f64).exp());
    let deviation = (4000.0 * p * (1.0 - p)).sqrt();
    assert!((number as f64 - 4000.0 * p).abs() < 6.0 * deviation, "{number} for {}", 4000.0 * p);
}

fn stays() -> String {
    let rows = [("f", 101, 300), ("m", 29_999, 200), ("f", 77, 1), ("m", 30_000, 500), ("x", 5, 400)];
    let row = |(sex, code, count): (&str, u32, usize)| format!("{sex},{code}\n").repeat(count);
    format!("sex,code\n{}", rows.map(row).concat())
}

const SPACE: &str = r#"
data.path = "stays.csv"
columns.sex = { type = "text", values = ["m", "f"] }
columns.code = { type = "integer", lower = 0, upper = 29_999, missing = "drop" }
privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
[[statistic]]
name = "codes"
kind = "count"
by = ["sex", "code"]
learn_keys = true
spurious = 0.5
"#;
