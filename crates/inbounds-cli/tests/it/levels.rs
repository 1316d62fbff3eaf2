//! Counts with levels: what is written adds up, and costs what the plan says.

use std::{collections::BTreeMap, fs};

use serde_json::Value;

use crate::workbench::Workbench;

/// The workbench with rows of three states, some counties empty, and a plan for all levels of them.
fn bench(shares: &str) -> Workbench {
    let bench = Workbench::new();
    let counties = [("n", "n1", 40), ("n", "n2", 3), ("s", "s1", 0), ("s", "s2", 1), ("s", "s3", 0), ("w", "w1", 9)];
    let rows = |(state, county, rows): (&str, &str, usize)| format!("{state},{county}\n").repeat(rows);
    let listed: String = counties.into_iter().map(rows).collect();
    // Unlisted, so that these count nowhere.
    bench.write("rows.csv", format!("state,county\n{listed}{}", "x,x1\n".repeat(1_000_000)));
    let keys: String = counties.iter().map(|(state, county, _)| format!("{state},{county}\n")).collect();
    bench.write("keys.csv", format!("state,county\n{keys}"));
    bench.write(
        "plan.toml",
        format!(
            "data.path = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n\
             [columns]\nstate.type = \"text\"\ncounty.type = \"text\"\n\
             [[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"state\", \"county\"]\nkeys = \"keys.csv\"\n\
             levels = [\"all\", \"state\", \"county\"]\n{shares}\n"
        ),
    );
    bench
}

/// Lines of a table of the bundle, by column.
fn table(bench: &Workbench, name: &str) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(bench.path("bundle").join(name)).expect("a table");
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    lines.map(|line| header.iter().cloned().zip(line).collect()).collect()
}

fn manifest(bench: &Workbench) -> Value {
    let text = fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest");
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn written_counts_are_whole_and_add_up() {
    let bench = bench("");
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let estimates = table(&bench, "estimates.csv");
    assert_eq!(estimates.len(), 1 + 3 + 6);
    let mut sums: BTreeMap<(String, String), (f64, f64)> = BTreeMap::new();
    for row in &estimates {
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        let estimate = number("estimate");
        assert!(estimate >= 0.0 && estimate.fract() == 0.0, "{row:?}");
        let (lower, upper) = (number("interval_lower"), number("interval_upper"));
        assert!(0.0 <= lower && lower <= upper && number("rmse_error") > 0.0, "{row:?}");
        let (state, county) = (row["by_state"].clone(), row["by_county"].clone());
        sums.entry((state.clone(), county.clone())).or_default().0 += estimate;
        match (state.as_str(), county.as_str()) {
            ("", _) => {}
            (_, "") => sums.entry((String::new(), String::new())).or_default().1 += estimate,
            _ => sums.entry((state, String::new())).or_default().1 += estimate,
        }
    }
    let inner = sums.iter().filter(|((_, county), _)| county.is_empty());
    assert_eq!(inner.clone().count(), 4);
    for (key, (own, children)) in inner {
        assert_eq!(own, children, "{key:?}");
    }
    // The total is that of listed rows, 53, and not of all: noise of scale 3 is 300 off once in e^100 runs.
    assert!(sums[&(String::new(), String::new())].0 < 400.0, "{sums:?}");
    assert_eq!(table(&bench, "measurements.csv").len(), 10);
}

#[test]
fn levels_cost_the_epsilon_of_the_statistic() {
    let bench = bench("level_shares = [0.5, 0.3, 0.2]");
    assert_eq!(bench.release().code, 0);
    let manifest = manifest(&bench);
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "1");
    let statistic = &manifest["statistics"][0];
    let of_levels = |field: &str| -> Vec<Value> {
        statistic["measured"].as_array().expect("a list").iter().map(|measured| measured[field].clone()).collect()
    };
    assert_eq!(of_levels("epsilon"), ["0.5", "0.3", "0.2"]);
    assert_eq!(of_levels("level"), ["all", "state", "county"]);
    assert_eq!(of_levels("cells"), [1, 3, 6]);
    assert_eq!(of_levels("inverse_scale_per_step"), ["0.5", "0.3", "0.2"]);
    assert_eq!(statistic["projection"]["solver"]["status"], "optimal");
    assert_eq!(statistic["bias"]["worst"], Value::Null);
}

#[test]
fn check_shows_levels_and_their_errors_and_reads_no_row() {
    let leaves = |shares: &str| {
        let bench = bench(shares);
        bench.write("rows.csv", "state,county\n");
        let said = bench.run(&["check", "plan.toml", "--json"]);
        assert_eq!(said.code, 0, "{}", said.err);
        let report: Value = serde_json::from_str(&said.out).expect("JSON");
        let statistic = &report["statistics"][0];
        assert_eq!((&statistic["noise"][1]["level"], &statistic["noise"][1]["cells"]), (&"state".into(), &3.into()));
        assert_eq!(report["epsilon_cost"], "1");
        let errors = statistic["expected_error"].as_array().expect("a list");
        assert_eq!(errors.len(), 3);
        let shown = bench.run(&["check", "plan.toml"]);
        assert!(shown.out.contains("count, level county"), "{}", shown.out);
        errors[2]["rmse"].as_f64().expect("a number")
    };
    let least = leaves("level_shares = \"least-error\"");
    // Shares that were not chosen for the leaves do worse.
    for others in ["", "level_shares = [0.2, 0.3, 0.5]", "level_shares = [0.01, 0.01, 0.98]"] {
        assert!(least < leaves(others), "{others}");
    }
}

#[test]
fn the_same_seed_gives_the_same_counts() {
    let bench = bench("");
    let release = |out: &str| {
        let said = bench.run(&["release", "plan.toml", "--out", out, "--seed", "5", "--not-private"]);
        assert_eq!(said.code, 0, "{}", said.err);
        fs::read(bench.path(out).join("estimates.csv")).expect("a table")
    };
    assert_eq!(release("one"), release("two"));
}

/// Estimates are a function of the published measurements alone, which another command computes too.
#[test]
fn reconciling_the_measurements_gives_the_same_counts() {
    let bench = bench("level_shares = [0.2, 0.3, 0.5]");
    assert_eq!(bench.release().code, 0);
    let name = |state: &str, county: &str| match (state, county) {
        ("", _) => "all".to_owned(),
        (state, "") => state.to_owned(),
        (state, county) => format!("{state}/{county}"),
    };
    let mut file = "node,parent,value,law,scale\n".to_owned();
    for row in table(&bench, "measurements.csv") {
        let (state, county) = (row["by_state"].as_str(), row["by_county"].as_str());
        let parent = match (state, county) {
            ("", _) => "",
            (_, "") => "all",
            (state, _) => state,
        };
        let node = name(state, county);
        file += &format!("{node},{parent},{},discrete-laplace,{}\n", row["measurement"], row["scale"]);
    }
    bench.write("noisy.csv", file);
    let said = bench.run(&["reconcile", "noisy.csv", "--integer", "--out", "again", "--replicates", "0"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let again = fs::read_to_string(bench.path("again/estimates.csv")).expect("a table");
    let again: BTreeMap<String, f64> = again
        .lines()
        .skip(1)
        .map(|line| line.split(',').collect::<Vec<_>>())
        .map(|cells| (cells[0].to_owned(), cells[3].parse().expect("a number")))
        .collect();
    let released = table(&bench, "estimates.csv");
    assert_eq!(released.len(), again.len());
    for row in released {
        let node = name(&row["by_state"], &row["by_county"]);
        assert_eq!(row["estimate"].parse::<f64>().expect("a number"), again[&node], "{node}");
    }
}
