//! Statistics with levels: what is written adds up, and costs what the plan says.

mod count;
mod known;
mod value;

use std::{collections::BTreeMap, fs};

use serde_json::Value;

use crate::workbench::Workbench;

/// Listed cells with their numbers of rows.
const COUNTIES: [(&str, &str, usize); 6] =
    [("n", "n1", 40), ("n", "n2", 3), ("s", "s1", 0), ("s", "s2", 1), ("s", "s3", 0), ("w", "w1", 9)];

/// The workbench with rows of three states, some counties empty, and a plan for all levels of them: of ages 18, 25, ...
/// 67 and 18 again. The statistic begins as `statistic` says.
fn bench_of(statistic: &str) -> Workbench {
    let bench = Workbench::new();
    let rows = |(state, county, rows): (&str, &str, usize)| -> String {
        (0..rows).map(|row| format!("{state},{county},{}\n", age(row))).collect()
    };
    let listed: String = COUNTIES.into_iter().map(rows).collect();
    // Unlisted, so that these count nowhere.
    bench.write("rows.csv", format!("state,county,age\n{listed}{}", "x,x1,67\n".repeat(1_000_000)));
    let keys: String = COUNTIES.iter().map(|(state, county, _)| format!("{state},{county}\n")).collect();
    bench.write("keys.csv", format!("state,county\n{keys}"));
    bench.write(
        "plan.toml",
        format!(
            "data.path = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n\
             [columns]\nstate.type = \"text\"\ncounty.type = \"text\"\n\
             age = {{ type = \"integer\", lower = 0, upper = 110, missing = \"drop\" }}\n\
             [[statistic]]\nby = [\"state\", \"county\"]\nkeys = \"keys.csv\"\n\
             levels = [\"all\", \"state\", \"county\"]\n{statistic}\n"
        ),
    );
    bench
}

/// Age in a row of a county.
fn age(row: usize) -> usize {
    18 + 7 * (row % 8)
}

/// Lines of a table of the bundle, by column.
fn table(bench: &Workbench, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(bench.path("bundle").join(name)).expect("a table");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

fn number(row: &BTreeMap<String, String>, column: &str) -> f64 {
    row[column].parse().unwrap_or_else(|_| panic!("{column} in {row:?}"))
}

fn manifest(bench: &Workbench) -> Value {
    let text = fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest");
    serde_json::from_str(&text).expect("JSON")
}

/// Each cell that is not of the finest level, with its own number and the sum of those of the next finer level's cells
/// in it.
fn own_and_children(rows: &[BTreeMap<String, String>]) -> Vec<(f64, f64)> {
    let mut sums: BTreeMap<(String, String), (f64, f64)> = BTreeMap::new();
    for row in rows {
        let estimate = number(row, "estimate");
        let (state, county) = (row["by_state"].clone(), row["by_county"].clone());
        sums.entry((state.clone(), county.clone())).or_default().0 += estimate;
        match (state.as_str(), county.as_str()) {
            ("", _) => {}
            (_, "") => sums.entry((String::new(), String::new())).or_default().1 += estimate,
            _ => sums.entry((state, String::new())).or_default().1 += estimate,
        }
    }
    sums.into_iter().filter(|((_, county), _)| county.is_empty()).map(|(_, pair)| pair).collect()
}

/// What another command makes of measurements, by node; whole if so asked.
fn reconciled(
    bench: &Workbench,
    measurements: &[BTreeMap<String, String>],
    in_integers: bool,
) -> BTreeMap<String, f64> {
    let mut file = "node,parent,value,law,scale\n".to_owned();
    for row in measurements {
        let parent = match (row["by_state"].as_str(), row["by_county"].as_str()) {
            ("", _) => "",
            (_, "") => "all",
            (state, _) => state,
        };
        let noise = match row["measurement"].as_str() {
            "" => ",,".to_owned(),
            value => format!("{value},discrete-laplace,{}", row["scale"]),
        };
        file += &format!("{},{parent},{noise}\n", node(row));
    }
    bench.write("noisy.csv", file);
    let mut arguments = vec!["reconcile", "noisy.csv", "--out", "again", "--replicates", "0"];
    arguments.extend(in_integers.then_some("--integer"));
    let said = bench.run(&arguments);
    assert_eq!(said.code, 0, "{}", said.err);
    let again = fs::read_to_string(bench.path("again/estimates.csv")).expect("a table");
    fs::remove_dir_all(bench.path("again")).expect("a folder to remove");
    let lines = again.lines().skip(1).map(|line| line.split(',').collect::<Vec<_>>());
    lines.map(|cells| (cells[0].to_owned(), cells[3].parse().expect("a number"))).collect()
}

fn node(row: &BTreeMap<String, String>) -> String {
    match (row["by_state"].as_str(), row["by_county"].as_str()) {
        ("", _) => "all".to_owned(),
        (state, "") => state.to_owned(),
        (state, county) => format!("{state}/{county}"),
    }
}
