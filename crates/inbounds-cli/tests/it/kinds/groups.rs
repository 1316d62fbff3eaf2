//! Statistics by groups of which a unit may be in a few only, with a few rows in each.
//!
//! With epsilon = 1000 the noise of a number of units is 0 but with probability below `2 exp(-80)`; the seed is fixed.

use std::collections::{BTreeMap, BTreeSet};
use std::{fs, path::PathBuf};

use serde_json::Value;

use super::{number, rows_of, table};
use crate::workbench::Workbench;

/// A bench with the example, after changes of its words.
fn bench(changes: &[(&str, &str)]) -> Workbench {
    let bench = Workbench::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry");
    let mut plan = fs::read_to_string(folder.join("groups.toml")).expect("the example");
    for (from, to) in changes {
        assert!(plan.contains(from), "{from}");
        plan = plan.replacen(from, to, 1);
    }
    bench.write("plan.toml", plan);
    bench.write("stays.csv", fs::read(folder.join("stays.csv")).expect("the rows"));
    bench.seeded("plan.toml", "bundle", "5");
    bench
}

/// The error of a statistic at its first estimate, which is far from 0.
fn error(bench: &Workbench, name: &str) -> f64 {
    number(rows_of(&table(bench, "bundle/estimates.csv"), name)[0], "rmse_at_estimate")
}

/// For each patient, the number of stays in each district.
fn stays() -> BTreeMap<String, BTreeMap<String, u64>> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/registry/stays.csv");
    let mut patients: BTreeMap<String, BTreeMap<String, u64>> = BTreeMap::new();
    for line in fs::read_to_string(path).expect("the rows").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        *patients.entry(fields[0].to_owned()).or_default().entry(fields[1].to_owned()).or_default() += 1;
    }
    patients
}

#[test]
fn a_unit_is_in_few_groups_with_few_rows_in_each() {
    let bench = bench(&[("epsilon = 1\n", "epsilon = 1000\n")]);
    let rows = table(&bench, "bundle/measurements.csv");
    let total = |name: &str| rows_of(&rows, name).iter().map(|row| number(row, "measurement")).sum::<f64>();
    let patients = stays();
    let in_groups: usize = patients.values().map(|districts| districts.len().min(2)).sum();
    assert_eq!(total("patients"), in_groups as f64);
    // Patients with at most two districts lose none of these; of others two are chosen.
    let kept = |districts: &BTreeMap<String, u64>| {
        let mut stays: Vec<u64> = districts.values().map(|&stays| stays.min(2)).collect();
        stays.sort_unstable();
        let two = |stays: &mut dyn Iterator<Item = &u64>| stays.take(2).sum::<u64>();
        (two(&mut stays.iter()), two(&mut stays.iter().rev()))
    };
    let (least, most) = patients.values().map(kept).fold((0, 0), |(a, b), (c, d)| (a + c, b + d));
    let stays = total("stays");
    assert!((least as f64..=most as f64).contains(&stays), "{least} {stays} {most}");
    let all: u64 = patients.values().flat_map(BTreeMap::values).sum();
    assert!(most < all, "the limits leave rows out: {most} of {all}");
}

#[test]
fn a_bundle_says_what_counts_of_a_unit() {
    let bench = bench(&[("max_groups = 2", "max_groups = 3")]);
    let manifest: Value =
        serde_json::from_str(&fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest"))
            .expect("JSON");
    let guarantee = &manifest["guarantee"];
    let limits = ["rows_per_unit", "groups_per_unit", "rows_per_group"].map(|name| guarantee[name].as_u64());
    assert_eq!(limits, [Some(6), Some(3), Some(2)]);
    let rules: BTreeSet<&str> = manifest["rules"].as_array().expect("rules").iter().filter_map(Value::as_str).collect();
    let said = "Each statistic keeps at most 6 rows a unit, in at most 3 groups and at most 2 in each, chosen by a public hash";
    assert!(rules.iter().any(|rule| rule.starts_with(said)), "{rules:?}");
    assert!(rules.iter().any(|rule| rule.contains("in at most 3 groups. Without groups")), "{rules:?}");
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains("at most 6: 2 in each of 3 groups"), "the page says what counts");
}

/// Two rows in each of two groups move a Gaussian vector by the root of 8, four rows in one group by 4; numbers of
/// patients in two districts move by 2 and not by 4.
#[test]
fn limits_on_groups_make_errors_smaller() {
    let gaussian = [
        ("epsilon = 1\n", "epsilon = 1\ndelta = 1e-6\n"),
        ("kind = \"count\"\n", "kind = \"count\"\nmechanism = \"clamped-gaussian\"\n"),
    ];
    let plain = [&gaussian[..], &[("max_groups = 2, max_rows_per_group = 2", "max_rows = 4")]].concat();
    let (limited, plain) = (bench(&gaussian), bench(&plain));
    let gain = |name: &str| error(&plain, name) / error(&limited, name);
    assert!((1.35..1.47).contains(&gain("stays")), "{}", gain("stays"));
    assert!((1.8..2.1).contains(&gain("patients")), "{}", gain("patients"));
}
