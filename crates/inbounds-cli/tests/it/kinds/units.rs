//! Numbers of units against the sets of them in the example's rows.
//!
//! With epsilon = 1000 the noise of a number of units is 0 but with probability below `2 exp(-200 / 9)`, so measurements are exact;
//! the seed is fixed.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::Value;

use super::{number, of, table};
use crate::workbench::Workbench;

/// The example with as many rows a patient as given, and what it measured; with the text of all rules.
fn measured(max_rows: u64) -> (Vec<f64>, Vec<f64>, String) {
    let bench = Workbench::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry");
    let plan = fs::read_to_string(folder.join("patients.toml")).expect("the example");
    let plan = plan.replace("max_rows = 3", &format!("max_rows = {max_rows}")).replace("epsilon = 1", "epsilon = 1000");
    bench.write("plan.toml", plan);
    bench.write("stays.csv", fs::read(folder.join("stays.csv")).expect("the rows"));
    let said = bench.seeded("plan.toml", "bundle", "5");
    assert_eq!(said.code, 0, "{}", said.err);
    let rows = table(&bench, "bundle/measurements.csv");
    let numbers = |name: &str| of(&rows, name).iter().map(|row| number(row, "measurement")).collect::<Vec<_>>();
    let whole = [numbers("patients"), numbers("patients-with-a-stay-after-65")].concat();
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest"))
            .expect("JSON");
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains("Number of distinct units"), "the page says what it counts");
    assert_eq!(manifest["statistics"][2]["unit"], "units");
    (whole, numbers("patients-by-district"), manifest["rules"].to_string())
}

/// Patients, patients with a stay after 65, and patients of each of the first seven districts; the eighth has none.
fn truth() -> (Vec<f64>, Vec<f64>) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry/stays.csv");
    let text = fs::read_to_string(path).expect("the rows");
    let rows: Vec<Vec<&str>> = text.lines().skip(1).map(|line| line.split(',').collect()).collect();
    let distinct = |wanted: &dyn Fn(&[&str]) -> bool| {
        rows.iter().filter(|row| wanted(row)).map(|row| row[0]).collect::<BTreeSet<_>>().len() as f64
    };
    let districts =
        ["Aldermoor", "Brackwater", "Cinder Hills", "Dunmere", "Eastholm", "Fenwick", "Gullcrag", "Hollin Isle"];
    let whole = vec![distinct(&|_| true), distinct(&|row| row[3].parse::<u32>().expect("an age") > 65)];
    (whole, districts.iter().map(|district| distinct(&|row| row[1] == *district)).collect())
}

#[test]
fn units_are_counted_once_in_the_whole_and_in_each_group() {
    let (whole, districts) = truth();
    assert!(whole[0] > 2_000.0 && districts[7] == 0.0);
    let (found, by_district, rules) = measured(9);
    assert_eq!((found, by_district), (whole.clone(), districts.clone()));
    assert!(rules.contains("in at most 9 groups"), "{rules}");
    // In one group each: in all they are as many as there are patients, and in no group more.
    let (found, by_district, _) = measured(1);
    assert_eq!((found, by_district.iter().sum::<f64>()), (whole.clone(), whole[0]));
    assert!(by_district.iter().zip(&districts).all(|(one, all)| one <= all));
}
