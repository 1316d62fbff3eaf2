//! Numbers of units against the sets of them in the example's rows.
//!
//! With epsilon = 1000 the noise of a number of units is 0 but with probability below `2 exp(-200 / 9)`, so
//! measurements are exact; the seed is fixed.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::Value;

use super::{number, rows_of, table};
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
    let numbers = |name: &str| rows_of(&rows, name).iter().map(|row| number(row, "measurement")).collect::<Vec<_>>();
    let totals = [numbers("patients"), numbers("patients-with-a-stay-after-65")].concat();
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest"))
            .expect("JSON");
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains("Number of distinct units"), "the page says what it counts");
    assert_eq!(manifest["statistics"][2]["unit"], "units");
    (totals, numbers("patients-by-district"), manifest["rules"].to_string())
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
    let totals = vec![distinct(&|_| true), distinct(&|row| row[3].parse::<u32>().expect("an age") > 65)];
    (totals, districts.iter().map(|district| distinct(&|row| row[1] == *district)).collect())
}

#[test]
fn units_are_counted_once_in_the_whole_and_in_each_group() {
    let (totals, districts) = truth();
    assert!(totals[0] > 2_000.0 && districts[7] == 0.0);
    let (measured_totals, by_district, rules) = measured(9);
    assert_eq!((measured_totals, by_district), (totals.clone(), districts.clone()));
    assert!(rules.contains("in at most 9 groups"), "{rules}");
    // In one group each: in all they are as many as there are patients, and in no group more.
    let (measured_totals, by_district, _) = measured(1);
    assert_eq!((measured_totals, by_district.iter().sum::<f64>()), (totals.clone(), totals[0]));
    assert!(by_district.iter().zip(&districts).all(|(one, all)| one <= all));
}

/// A table without ids: any three rows are hidden, all are counted, and whatever is said names whose promise it is.
#[test]
fn rows_without_an_id_are_protected_by_their_largest_number() {
    let bench = Workbench::new();
    let lines: String = (0..300).map(|row| format!("{}\n", ["A", "B", "C"][row % 3])).collect();
    bench.write("stays.csv", format!("district\n{lines}"));
    let plan = |unit: &str, rest: &str| {
        format!(
            "data = {{ path = 'stays.csv' }}\nprivacy = {{ unit = {unit}, neighbours = 'add-remove', epsilon = 1{rest} }}\n\
             columns.district = {{ type = 'text', values = ['A', 'B', 'C'] }}\n\
             statistic = [{{ name = 'stays', kind = 'count' }}, {{ name = 'by-district', kind = 'count', by = ['district'] }}]\n"
        )
    };
    bench.write("plan.toml", plan("{ max_rows = 3 }", ", ledger = 'l'"));
    let created =
        ["ledger", "create", "l", "--data", "stays.csv", "--neighbours", "add-remove", "--epsilon", "3", "--unit"];
    assert_eq!(bench.run(&[&created[..], &["rows=0"]].concat()).code, 2);
    let said = bench.run(&[&created[..], &["rows=3"]].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    let said = bench.run(&["release", "plan.toml", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let promise = "So it protects whoever has at most 3 rows. That nobody has more is a promise of the plan";
    assert!(
        said.out.contains("Adding or removing at most 3 rows changes") && said.out.contains(promise),
        "{}",
        said.out
    );
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest"))
            .expect("JSON");
    assert_eq!(manifest["guarantee"]["privacy_unit"], "any 3 rows");
    for statistic in manifest["statistics"].as_array().expect("statistics") {
        // One unit moves three counts by one, or one by three.
        let noise = &statistic["measured"][0];
        assert_eq!((&noise["sensitivity"]["l1"], &noise["scale"]), (&3.0.into(), &6.0.into()), "{noise:#}");
    }
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(
        page.contains("hides whether any 3 rows are in the data") && page.contains("Rows of a unit, as promised"),
        "{page}"
    );
    // Another promise is another unit.
    for unit in ["'row'", "{ max_rows = 2 }"] {
        bench.write("plan.toml", plan(unit, ", ledger = 'l'"));
        let said = bench.run(&["release", "plan.toml", "--out", "other"]);
        assert!(said.code == 9 && said.err.contains("any 3 rows"), "{unit}: {}", said.err);
    }
    for (unit, problem) in [
        ("{ max_groups = 2, max_rows = 3 }", "`max_groups` in `unit` must be left out without `column`"),
        ("{ }", "must have `max_rows`"),
    ] {
        bench.write("plan.toml", plan(unit, ""));
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(problem), "{unit}: {}", said.err);
    }
    bench
        .write("plan.toml", plan("{ max_rows = 3 }", "").replace("'stays', kind = 'count'", "'stays', kind = 'units'"));
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 2 && said.err.contains("no column in `unit` of [privacy] tells them apart"), "{}", said.err);
}
