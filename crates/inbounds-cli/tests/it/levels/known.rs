//! Totals that are public.

use std::fs;

use crate::workbench::Workbench;

/// 400 people in 3 regions of 2 countries, by size; `lost` of them in no listed region.
fn bench(lost: usize, statistic: &str) -> Workbench {
    let bench = Workbench::new();
    let region = |row: usize| if row < lost { "elsewhere" } else { ["a", "b", "c", "a"][row % 4] };
    let rows: String = (0..400).map(|row| format!("{},{}\n", region(row), ["s", "l"][row / 4 % 2])).collect();
    bench.write("people.csv", format!("region,size\n{rows}"));
    bench.write("countries.csv", "region,country\na,X\nb,X\nc,Y\n");
    bench.write(
        "plan.toml",
        format!(
            "data.path = 'people.csv'\nprivacy = {{ unit = 'row', neighbours = 'substitute', rows = 400, epsilon = 2 }}\n\
             columns.region = {{ type = 'text', values = ['a', 'b', 'c'] }}\ncolumns.size = {{ type = 'text', values = ['s', 'l'] }}\n\
             columns.country = {{ from = 'region', lookup = 'countries.csv', others = 'missing' }}\n\
             [[statistic]]\nname = 'people'\nkind = 'count'\ntotal = 'rows'\n{statistic}\n"
        ),
    );
    bench
}

const GROUPED: [&str; 3] = [
    "by = ['country', 'region', 'size']\nlevels = ['all', 'country', 'region', 'size']",
    "by = ['region', 'size']\nmargins = [[], ['region'], ['region', 'size']]",
    "by = ['region', 'size']\nmargins = [[], ['region'], ['size']]\nmargin_shares = 'least-error'\nmechanism = 'clamped-gaussian'",
];

#[test]
fn a_public_total_costs_nothing_and_is_what_it_is() {
    for statistic in GROUPED {
        let bench = bench(0, statistic);
        if statistic.contains("gaussian") {
            bench.edit("epsilon = 2", "epsilon = 2, delta = 1e-6");
        }
        let said = bench.seeded("plan.toml", "bundle", "4");
        assert_eq!(said.code, 0, "{statistic}: {}", said.err);
        let rows = crate::truth::rows(&bench, "bundle/estimates.csv");
        let number = |row: usize, name: &str| rows[row][name].parse::<f64>().expect("a number");
        let ends = ["estimate", "interval_lower", "interval_upper"].map(|name| number(0, name));
        assert_eq!((ends, rows[0]["measurement"].as_str()), ([400.0; 3], ""), "{statistic}");
        let measured = fs::read_to_string(bench.path("bundle/measurements.csv")).expect("measurements");
        assert!(!measured.contains(",total,") && !measured.contains(",all,"), "{statistic}: {measured}");
        let of_region =
            |name: &str| rows.iter().filter(|row| row["by_region"] == name && row["by_size"].is_empty()).count();
        assert_eq!(["a", "b", "c"].map(of_region), [1; 3], "{statistic}");
        let parts = rows.iter().filter(|row| !row["by_region"].is_empty() && row["by_size"].is_empty());
        let sum: f64 = parts.map(|row| row["estimate"].parse::<f64>().expect("a number")).sum();
        assert_eq!(sum, 400.0, "{statistic}");
    }
}

/// Rows in no listed cell contradict the plan, which is noticed.
#[test]
fn rows_in_no_listed_cell_are_noticed() {
    let bench = bench(120, GROUPED[0]);
    let said = bench.seeded("plan.toml", "bundle", "4");
    assert!(
        said.code == 0 && said.out.contains("these numbers are too large. List every value, or remove `total`."),
        "{}{}",
        said.out,
        said.err
    );
}

#[test]
fn what_a_public_total_needs_is_said() {
    for (from, to, problem, remedy) in [
        (
            "levels = ['all', 'country', ",
            "levels = ['country', ",
            "needs the total among the cells that add up",
            "add \"all\" to `levels`",
        ),
        (
            "\nlevels = ['all', 'country', 'region', 'size']",
            "",
            "must come with `levels` or `margins`",
            "or remove `total`",
        ),
        ("total = 'rows'", "total = 'rows'\nwhere = \"size = 's'\"", "must be left out with `where`", "or `where`"),
        ("'substitute', rows = 400", "'add-remove'", "needs a public number of rows", "neighbours = \"substitute\""),
        ("kind = 'count'", "kind = 'count'\nlevel_shares = [0.25, 0.25, 0.25, 0.25]", "must give 0 to level `all`", ""),
        (
            "levels = ['all', 'country', 'region', 'size']",
            "margins = [[], ['country'], ['region'], ['region', 'size']]",
            "is not for margins where some combinations of values are no cells",
            "write `levels` from the coarsest",
        ),
    ] {
        let bench = bench(0, GROUPED[0]);
        bench.edit(from, to);
        let said = bench.run(&["check", "plan.toml"]);
        assert!(
            said.code == 2 && said.err.contains(problem) && said.err.contains(remedy),
            "{to}: {}{}",
            said.out,
            said.err
        );
    }
}

/// Without a range numbers add up, have no bias, and the RMSE that was stated before.
#[test]
fn the_unbounded_fit_is_linear_and_adds_up() {
    for statistic in GROUPED {
        let bench = bench(0, &format!("range = 'unbounded'\n{statistic}"));
        bench.edit("total = 'rows'\n", "");
        bench.edit("epsilon = 2", "epsilon = 0.05");
        if statistic.contains("gaussian") {
            bench.edit("epsilon = 0.05", "epsilon = 0.05, delta = 1e-6");
        }
        let said = bench.seeded("plan.toml", "bundle", "4");
        assert_eq!(said.code, 0, "{statistic}: {}", said.err);
        let rows = crate::truth::rows(&bench, "bundle/estimates.csv");
        let number =
            |row: &std::collections::HashMap<String, String>, name: &str| row[name].parse::<f64>().expect("a number");
        assert!(rows.iter().all(|row| number(row, "bias_at_estimate") == 0.0), "{statistic}");
        assert!(
            rows.iter().any(|row| number(row, "estimate") < 0.0),
            "{statistic}: noise this wide gives negative numbers"
        );
        let regions = rows.iter().filter(|row| !row["by_region"].is_empty() && row["by_size"].is_empty());
        let sum: f64 = regions.map(|row| number(row, "estimate")).sum();
        assert!((sum - number(&rows[0], "estimate")).abs() < 1e-6, "{statistic}: {sum}");
    }
    for (rest, problem) in [
        ("fit = 'joint'", "`fit` in statistic `people` must be left out with range = \"unbounded\""),
        ("range = { lower = 0 }", "must be left out with `levels`, or be \"unbounded\" for a count or a sum"),
    ] {
        let range = if rest.starts_with("fit") { "range = 'unbounded'\n" } else { "" };
        let bench = bench(0, &format!("{range}{rest}\n{}", GROUPED[0]));
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(problem), "{rest}: {}", said.err);
    }
}
