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
        // Far from 0, and where one county has all rows.
        assert_eq!(errors.len(), 6);
        let case = |error: &Value| error["case"].as_str().expect("words").to_owned();
        assert_eq!(case(&errors[2]), "level county, all cells far from 0");
        assert_eq!(case(&errors[5]), "level county, one finest cell has all rows");
        assert!(errors[5]["rmse"].as_f64() < errors[2]["rmse"].as_f64(), "{errors:?}");
        assert!(statistic["advice"].as_str().is_some_and(|advice| advice.contains("need not be measured")));
        let shown = bench.run(&["check", "plan.toml", "--all"]);
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

/// A level with the part 0 has estimates and no measurement, anywhere, and the same estimates come from the
/// measurements alone.
#[test]
fn a_level_without_a_part_is_not_measured_and_adds_up() {
    let bench = bench("level_shares = [0.5, 0, 0.5]");
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let (estimates, measurements) = (table(&bench, "estimates.csv"), table(&bench, "measurements.csv"));
    assert_eq!((estimates.len(), measurements.len()), (1 + 3 + 6, 1 + 6));
    for row in &estimates {
        assert_eq!(row["measurement"].is_empty(), row["level"] == "state", "{row:?}");
        assert!(
            number(row, "interval_lower") <= number(row, "interval_upper") && number(row, "rmse_at_estimate") > 0.0
        );
    }
    let inner = own_and_children(&estimates);
    assert!(inner.len() == 4 && inner.iter().all(|(own, children)| own == children), "{inner:?}");
    let manifest = manifest(&bench);
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "1");
    let measured = manifest["statistics"][0]["measured"].as_array().expect("a list").clone();
    let levels: Vec<&Value> = measured.iter().map(|measured| &measured["level"]).collect();
    assert_eq!(levels, ["all", "county"]);
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains("count, level county") && !page.contains("count, level state"));
    // Reconciled from what was published, with the states as nodes without a value.
    let mut rows = measurements;
    for state in estimates.iter().filter(|row| row["level"] == "state") {
        rows.push(state.clone());
    }
    let again = reconciled(&bench, &rows, true);
    assert!(estimates.iter().all(|row| number(row, "estimate") == again[&node(row)]), "{again:?}");
}

#[test]
fn balanced_parts_are_stated_and_no_level_is_much_worse() {
    let rmse = |shares: &str| {
        let bench = bench(shares);
        let said = bench.run(&["check", "plan.toml", "--json"]);
        assert_eq!(said.code, 0, "{}", said.err);
        let report: Value = serde_json::from_str(&said.out).expect("JSON");
        let errors = report["statistics"][0]["expected_error"].as_array().expect("a list").clone();
        let far: Vec<f64> = errors[..3].iter().filter_map(|error| error["rmse"].as_f64()).collect();
        (report["statistics"][0]["noise"].as_array().map(Vec::len), far)
    };
    let ((_, even), (measured, balanced)) = (rmse("level_shares = \"even\""), rmse("level_shares = \"balanced\""));
    // Continuous and discrete noise differ by less than a part in a hundred here.
    assert!(balanced.iter().zip(&even).all(|(after, before)| *after <= 1.06 * before), "{balanced:?} {even:?}");
    assert!(balanced[2] < 0.8 * even[2] && measured < Some(3), "{balanced:?} {even:?} {measured:?}");
}
