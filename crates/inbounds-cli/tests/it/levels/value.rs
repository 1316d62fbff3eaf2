use super::*;

/// A statistic of ages with all levels.
fn bench(kind: &str, more: &str) -> Workbench {
    bench_of(&format!("name = \"age\"\nkind = \"{kind}\"\ncolumn = \"age\"\n{more}"))
}

/// The rows of one output.
fn of_output(rows: &[BTreeMap<String, String>], output: &str) -> Vec<BTreeMap<String, String>> {
    rows.iter().filter(|row| row["output"] == output).cloned().collect()
}

#[test]
fn written_sums_are_whole_and_add_up() {
    let bench = bench("sum", "");
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let estimates = table(&bench, "estimates.csv");
    assert!(estimates.iter().all(|row| number(row, "estimate") >= 0.0 && number(row, "estimate").fract() == 0.0));
    let inner = own_and_children(&estimates);
    assert!(inner.len() == 4 && inner.iter().all(|(own, children)| own == children), "{inner:?}");
    let truth: usize = COUNTIES.iter().flat_map(|(_, _, rows)| (0..*rows).map(age)).sum();
    // Noise of scale 330 is 33,000 off once in e^100 runs; with the unlisted rows it would be 67 million.
    assert!((inner[0].0 - truth as f64).abs() < 33_000.0, "{inner:?}");
    let again = reconciled(&bench, &table(&bench, "measurements.csv"), true);
    assert!(estimates.iter().all(|row| number(row, "estimate") == again[&node(row)]));
    assert_eq!(manifest(&bench)["statistics"][0]["measured"][2]["sensitivity"]["rule"], "sum-add-remove");
}

#[test]
fn written_means_are_in_range_and_agree_with_counts_and_sums() {
    let bench = bench("mean", "level_shares = [0.1, 0.2, 0.7]");
    let said = bench.release();
    assert_eq!(said.code, 0, "{}", said.err);
    let estimates = table(&bench, "estimates.csv");
    let [means, counts, sums] = ["mean", "count", "sum"].map(|output| of_output(&estimates, output));
    assert_eq!((estimates.len(), means.len(), counts.len(), sums.len()), (30, 10, 10, 10));
    let scale = number(&sums[0], "estimate").max(1.0) * 1e-12;
    for ((mean, count), sum) in means.iter().zip(&counts).zip(&sums) {
        assert_eq!((node(mean), node(count)), (node(sum), node(sum)));
        let [value, rows, total] = [mean, count, sum].map(|row| number(row, "estimate"));
        assert!((0.0..=110.0).contains(&value) && rows >= 0.0, "{mean:?}");
        assert!((value * rows - total).abs() <= scale, "{mean:?} {count:?} {sum:?}");
        let (lower, upper) = (number(mean, "interval_lower"), number(mean, "interval_upper"));
        assert!(0.0 <= lower && lower <= value && value <= upper && upper <= 110.0, "{mean:?}");
    }
    for rows in [&counts, &sums] {
        let inner = own_and_children(rows);
        assert!(inner.iter().all(|(own, children)| (own - children).abs() <= scale), "{inner:?}");
    }
    assert_eq!((counts[0]["unit"].as_str(), sums[0]["unit"].as_str()), ("rows", "unit of column age"));
}

/// A mean costs its epsilon once, and its estimates are a function of its measurements alone.
#[test]
fn means_come_from_the_measured_distances() {
    let bench = bench("mean", "level_shares = [0.2, 0.3, 0.5]");
    assert_eq!(bench.release().code, 0);
    let manifest = manifest(&bench);
    assert_eq!(manifest["guarantee"]["epsilon_spent"], "1");
    let rules = manifest["rules"].as_array().expect("a list");
    assert!(
        rules.iter().any(|rule| rule.as_str().is_some_and(|rule| rule.starts_with("Means that add up:"))),
        "{rules:?}"
    );
    let county = &manifest["statistics"][0]["measured"][2];
    assert_eq!((&county["epsilon"], &county["cells"]), (&"0.5".into(), &12.into()));
    assert_eq!(
        (&county["sensitivity"]["rule"], &county["sensitivity"]["l1"]),
        (&"distances-add-remove".into(), &110.0.into())
    );
    assert_eq!(county["inverse_scale_per_step"], "1/220");
    let (measured, estimates) = (table(&bench, "measurements.csv"), table(&bench, "estimates.csv"));
    let [from, to] = ["above the lower bound", "below the upper bound"]
        .map(|output| reconciled(&bench, &of_output(&measured, output), false));
    for sum in of_output(&estimates, "sum") {
        let expected = from[&node(&sum)];
        assert!((number(&sum, "estimate") - expected).abs() <= 1e-9 * from["all"], "{sum:?} {expected}");
    }
    for count in of_output(&estimates, "count") {
        let expected = (from[&node(&count)] + to[&node(&count)]) / 110.0;
        assert!((number(&count, "estimate") - expected).abs() <= 1e-9 * from["all"], "{count:?} {expected}");
    }
}

#[test]
fn check_shows_what_to_expect_of_means_and_reads_no_row() {
    let bench = bench("mean", "");
    bench.write("rows.csv", "state,county,age\n");
    let said = bench.run_at(200, &["check", "plan.toml", "--all"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("distances to the bounds, level county"), "{}", said.out);
    assert!(said.out.contains("level county, mean of 100 rows in the middle, to first order"), "{}", said.out);
    assert!(said.out.contains("level all, count far from 0, in rows"), "{}", said.out);
}
