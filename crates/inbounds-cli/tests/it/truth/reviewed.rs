//! A reviewer has the plan and not the data: `check` works all the same, and says what it took for granted.

use super::*;

#[test]
fn a_csv_plan_is_checked_without_its_file() {
    let bench = Workbench::new();
    let with = bench.run(&["check", "plan.toml"]);
    std::fs::remove_file(bench.path("rows.csv")).expect("removed");
    let without = bench.run(&["check", "plan.toml"]);
    assert_eq!(without.code, 0, "{}", without.err);
    let sentence = "No file is at `rows.csv`: columns and their types are those of the plan.\n";
    assert_eq!(without.out.replacen(sentence, "", 1), with.out, "nothing else differs");
    // Mistakes are found as ever, and a release needs the rows.
    bench.edit("age >= 18", "agee >= 18");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 2 && said.err.contains("agee"), "{}{}", said.out, said.err);
    bench.edit("agee >= 18", "age >= 18");
    assert_eq!(bench.release().code, 3);
}

#[test]
fn a_parquet_plan_says_what_only_the_file_knows() {
    let bench = Workbench::new();
    bench.edit("\"rows.csv\"", "\"rows.parquet\"\ntypes = \"public\"");
    bench.edit("[columns.age]\ntype = \"integer\"\n", "[columns.age]\n");
    let said = bench.run(&["check", "plan.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    for words in [
        "No file is at `rows.parquet`",
        "The file's own types are not known; taken were `age` as number.",
        "Not checked: `where` of income.",
    ] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
}

#[test]
fn epsilons_are_compared_side_by_side() {
    let bench = Workbench::new();
    let said = bench.run(&["check", "plan.toml", "--epsilon", "0.1,1,10"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(["epsilon 0.1", "epsilon 1", "epsilon 10"].iter().all(|header| said.out.contains(header)), "{}", said.out);
    let said = bench.run(&["check", "plan.toml", "--epsilon", "1,10", "--json"]);
    let report: Value = serde_json::from_str(&said.out).expect("JSON");
    let plain = report["statistics"][0]["expected_error"][1]["rmse"].as_f64();
    let rmse = &report["by_epsilon"]["expected_error"][1]["rmse"];
    assert_eq!((rmse[0].as_f64(), report["by_epsilon"]["epsilons"][1].as_str()), (plain, Some("10")));
    assert!(rmse[1].as_f64() < rmse[0].as_f64());
    assert_eq!(bench.run(&["check", "plan.toml", "--epsilon", "0"]).code, 2);
}

/// The mean of a private number of rows is known the better, the more rows a group has.
#[test]
fn groups_have_the_sizes_that_are_asked_for() {
    let bench = Workbench::new();
    let said = bench.run(&["check", "plan.toml", "--group-sizes", "50,500"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("group of 50 rows") && said.out.contains("group of 500 rows"), "{}", said.out);
    assert!(!said.out.contains("group of 100 rows"), "{}", said.out);
    // Two groups share the rows of a plan with a mean by sex.
    bench.edit("name = \"age\"\nkind = \"mean\"\n", "name = \"age\"\nkind = \"mean\"\nby = [\"sex\"]\n");
    let said = bench.run(&["check", "plan.toml", "--rows", "3000"]);
    assert!(said.out.contains("group of 1500 rows") && !said.out.contains("group of 3000 rows"), "{}", said.out);
    let both = bench.run(&["check", "plan.toml", "--rows", "3000", "--group-sizes", "50"]);
    assert_eq!((both.code, bench.run(&["check", "plan.toml", "--rows", "0"]).code), (2, 2));
}

/// The half width that is expected is the one that a release has, away from the ends.
#[test]
fn the_plus_minus_is_known_before_the_release() {
    let bench = Workbench::new();
    bench.edit("epsilon = 1", "epsilon = 30");
    let said = bench.run(&["check", "plan.toml", "--json"]);
    let report: Value = serde_json::from_str(&said.out).expect("JSON");
    let expected = report["statistics"][1]["expected_error"][1]["half_width"].as_f64().expect("a number");
    bench.seeded("plan.toml", "bundle", "7");
    let estimates = rows(&bench, "bundle/estimates.csv");
    let income = estimates.iter().find(|row| row["statistic"] == "income").expect("released");
    let end = |name: &str| income[name].parse::<f64>().expect("a number");
    let half = 0.5 * (end("interval_upper") - end("interval_lower"));
    assert!((half - expected).abs() <= 1e-9 * expected, "{half} {expected}");
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.out.contains("± 95 %"), "{}", said.out);
}
