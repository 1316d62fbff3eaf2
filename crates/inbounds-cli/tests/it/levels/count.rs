use super::*;

/// A count with all levels.
fn bench(shares: &str) -> Workbench {
    bench_of(&format!("name = \"people\"\nkind = \"count\"\n{shares}"))
}

#[test]
fn written_counts_are_whole_and_add_up() {
    let bench = bench("");
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let estimates = table(&bench, "estimates.csv");
    assert_eq!(estimates.len(), 1 + 3 + 6);
    for row in &estimates {
        let (estimate, lower, upper) =
            (number(row, "estimate"), number(row, "interval_lower"), number(row, "interval_upper"));
        assert!(estimate >= 0.0 && estimate.fract() == 0.0, "{row:?}");
        assert!(0.0 <= lower && lower <= upper && number(row, "rmse_error") > 0.0, "{row:?}");
    }
    let inner = own_and_children(&estimates);
    assert_eq!(inner.len(), 4);
    assert!(inner.iter().all(|(own, children)| own == children), "{inner:?}");
    // The total is that of listed rows, 53, and not of all: noise of scale 3 is 300 off once in e^100 runs.
    assert!(inner[0].0 < 400.0, "{inner:?}");
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
        bench.write("rows.csv", "state,county,age\n");
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
    // More for the finest level, less error there.
    assert!(leaves("level_shares = [0.2, 0.2, 0.6]") < leaves(""));
}

#[test]
fn the_same_seed_gives_the_same_counts() {
    let bench = bench("");
    let release = |out: &str| {
        bench.seeded("plan.toml", out, "5");
        fs::read(bench.path(out).join("estimates.csv")).expect("a table")
    };
    assert_eq!(release("one"), release("two"));
}

/// Estimates are a function of the published measurements alone, which another command computes too.
#[test]
fn reconciling_the_measurements_gives_the_same_counts() {
    let bench = bench("level_shares = [0.2, 0.3, 0.5]");
    assert_eq!(bench.release().code, 0);
    let again = reconciled(&bench, &table(&bench, "measurements.csv"), true);
    let released = table(&bench, "estimates.csv");
    assert_eq!(released.len(), again.len());
    for row in released {
        assert_eq!(number(&row, "estimate"), again[&node(&row)], "{row:?}");
    }
}
