//! Proportions are of the rows that they are said to be of.

use std::fs;

use super::{Workbench, file, manifest, rows};

/// 2,000 rows: 600 `a`, 400 `b`, and 1,000 of other values or of none.
fn bench(statistic: &str) -> Workbench {
    let bench = Workbench::new();
    let value = |i: usize| ["a", "a", "a", "b", "b", "other", "other", "", "", ""][i % 10];
    let lines: String = (0..2000).map(|i| format!("{}\n", [value(i), "x"].join(","))).collect();
    bench.write("rows.csv", format!("kind,filler\n{lines}"));
    bench.write(
        "plan.toml",
        format!(
            "[data]\npath = \"rows.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"substitute\"\nrows = 2000\nepsilon = 2\n\
             [columns.kind]\ntype = \"text\"\nvalues = [\"a\", \"b\"]\n\
             [[statistic]]\nname = \"kinds\"\nkind = \"proportion\"\nby = [\"kind\"]\n{statistic}"
        ),
    );
    bench
}

fn released(bench: &Workbench) -> Vec<(f64, f64, f64)> {
    bench.seeded("plan.toml", "bundle", "3");
    let number = |row: &std::collections::HashMap<String, String>, key: &str| row[key].parse::<f64>().expect(key);
    rows(bench, "bundle/estimates.csv")
        .iter()
        .map(|row| (number(row, "estimate"), number(row, "interval_lower"), number(row, "interval_upper")))
        .collect()
}

/// Of the 1,000 listed rows 60 % are `a`; of all 2,000 rows 30 % are. The spread of 50 % over both would be 55 %.
#[test]
fn shares_are_of_the_listed_rows_under_a_public_number_of_rows() {
    let shares = released(&bench(""));
    for ((estimate, lower, upper), truth) in shares.into_iter().zip([0.6, 0.4]) {
        assert!((estimate - truth).abs() < 0.03, "{estimate} for {truth}");
        assert!(lower <= truth && truth <= upper, "{truth} is not in {lower} to {upper}");
    }
}

/// A plan that says that every row is listed, while half of them are not, is told so beside the numbers.
#[test]
fn shares_of_all_rows_are_noticed_where_rows_are_in_no_listed_cell() {
    let bench = bench("total = \"rows\"\n");
    released(&bench);
    let manifest = manifest(&bench, "bundle");
    let notice = &manifest["statistics"][0]["notices"][0];
    assert_eq!((notice["id"].as_str(), notice["rows"].as_u64()), (Some("shares-too-large"), Some(2000)));
    let page = file(&bench, "bundle/report.html");
    assert!(page.contains("these numbers are too large"), "the page says it");
}

#[test]
fn a_calculated_share_needs_the_word_that_every_row_is_listed() {
    let refused = bench("rule = \"all-but-one\"\n").run(&["check", "plan.toml"]);
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("total = \"rows\""), "{}", refused.err);
    assert_eq!(bench("rule = \"all-but-one\"\ntotal = \"rows\"\n").run(&["check", "plan.toml"]).code, 0);
}

/// What `--rows` supposes is all rows, and a share is of all of them, whatever the number of cells.
#[test]
fn the_error_of_a_share_is_that_of_all_rows() {
    let bench = bench("");
    let said = bench.run(&["check", "plan.toml", "--rows", "2000", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&said.out).expect("JSON");
    let case = &report["statistics"][0]["expected_error"][0];
    let words = case["case"].as_str().or(case["truth"].as_str()).unwrap_or_default().to_owned();
    assert!(words.contains("of 2000 rows"), "{case}");
}

/// 144 of 400 men smoke and 60 of 200 women: shares of each group, not of everybody.
#[test]
fn shares_within_groups_add_up_to_one_in_each() {
    let bench = Workbench::new();
    let person = |row: usize| if row < 400 { ("m", row < 144) } else { ("f", row < 460) };
    let rows: String = (0..600).map(person).map(|(sex, smoker)| format!("{smoker},{sex}\n")).collect();
    bench.write("people.csv", format!("smoker,sex\n{rows}"));
    let plan = |rest: &str| {
        format!(
            "data = {{ path = 'people.csv' }}\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 20 }}\n\
             columns.sex = {{ type = 'text', values = ['f', 'm'] }}\n\
             columns.smoker = {{ type = 'boolean', values = [true, false] }}\n\
             statistic = [{{ name = 'smokers', kind = 'proportion', by = ['smoker', 'sex'], {rest} }}]\n"
        )
    };
    for rule in ["simplex", "re-scaling", "multiple-synthesis", "conditioning"] {
        bench.write("plan.toml", plan(&format!("within = ['sex'], rule = '{rule}', population = true")));
        let _ = fs::remove_dir_all(bench.path("bundle"));
        let said = bench.seeded("plan.toml", "bundle", "5");
        assert_eq!(said.code, 0, "{rule}: {}", said.err);
        assert!(said.out.contains("smokers: proportion within each sex"), "{}", said.out);
        let rows = super::rows(&bench, "bundle/estimates.csv");
        let number = |row: usize, name: &str| rows[row][name].parse::<f64>().expect("a number");
        // Smoking women, smoking men, and the others in the same order.
        for (row, share) in [0.3, 0.36, 0.7, 0.64].into_iter().enumerate() {
            let estimate = number(row, "estimate");
            assert!((estimate - share).abs() < 0.02, "{rule}: {estimate} for {share}");
            assert!(
                number(row, "interval_lower") <= share && share <= number(row, "interval_upper"),
                "{rule}: {:?}",
                rows[row]
            );
            assert!(number(row, "population_lower") < share && share < number(row, "population_upper"), "{rule}");
        }
        for (row, other) in [(0, 2), (1, 3)] {
            assert!((number(row, "estimate") + number(other, "estimate") - 1.0).abs() < 1e-9, "{rule}: {rows:?}");
        }
    }
    let page = fs::read_to_string(bench.path("bundle/report.html")).expect("a page");
    assert!(page.contains("by smoker and sex, as shares within each sex"), "the page says of what the shares are");
    for (rest, problem) in [
        ("within = ['age']", "must name columns of `by`, got `age`"),
        ("within = ['sex', 'smoker']", "must leave a column of `by`"),
        ("within = ['sex'], rule = 'universal-histogram'", "must not be of all cells together with `within`"),
        ("within = ['sex'], total = 'rows'", "`total` in statistic `smokers` must be left out with `within`"),
    ] {
        bench.write("plan.toml", plan(rest));
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(problem), "{rest}: {}", said.err);
    }
}

/// The cell that is calculated, and the number of independent releases, are those of the plan.
#[test]
fn rules_of_shares_have_keys_of_their_own() {
    let head = |rest: &str| bench(&format!("total = \"rows\"\n{rest}"));
    let measured = |bench: &Workbench| {
        let said = bench.seeded("plan.toml", "bundle", "3");
        assert_eq!(said.code, 0, "{}", said.err);
        let rows = rows(bench, "bundle/measurements.csv");
        rows.iter().map(|row| row["by_kind"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(measured(&head("rule = \"all-but-one\"")), ["b"]);
    assert_eq!(measured(&head("rule = \"all-but-one\"\ncalculated = \"b\"")), ["a"]);
    assert_eq!(measured(&head("rule = \"multiple-synthesis\"")).len(), 10);
    assert_eq!(measured(&head("rule = \"multiple-synthesis\"\nreleases = 3")).len(), 6);
    for (rest, problem) in [
        ("calculated = \"a\"", "must come with rule = \"all-but-one\""),
        ("rule = \"all-but-one\"\ncalculated = \"c\"", "`kind` does not list \"c\""),
        ("rule = \"all-but-one\"\ncalculated = [\"a\", \"b\"]", "must have one value a column of `by`, got 2 for 1"),
        ("releases = 3", "must come with rule = \"multiple-synthesis\""),
        ("rule = \"multiple-synthesis\"\nreleases = 1", "must be from 2 to 100"),
    ] {
        let said = head(rest).run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(problem), "{rest}: {}", said.err);
    }
}
