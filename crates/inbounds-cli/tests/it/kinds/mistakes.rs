//! Plans of the new kinds that cannot be released, and rows that look odd and can.

use std::fs;

use super::{estimates, number, people_asked, released, rows_of, table};

/// What is wrong, the plan whose head it has, its statistics, words of the head and their replacement, and what the
/// error must say, its place first.
type Mistake = (&'static str, &'static str, &'static str, (&'static str, &'static str), &'static [&'static str]);

const AS_IT_IS: (&str, &str) = ("", "");

/// Statistics begin in line 47 of a plan with public rows, in line 43 of one without.
const MISTAKES: &[Mistake] = &[
    (
        "a declared column that the file lacks",
        "plan.toml",
        "kind = \"covariance\"\ncolumns = [\"age\", \"height\"]",
        ("[columns.weight]", "[columns.waight]"),
        &["plan.toml:24:10", "must have a column `waight`", "did you mean `weight`?"],
    ),
    (
        "a column that is not declared",
        "plan.toml",
        "kind = \"covariance\"\ncolumns = [\"age\", \"hieght\"]",
        AS_IT_IS,
        &["plan.toml:50:19", "`hieght`", "did you mean `height`?"],
    ),
    (
        "a histogram by an unknown column",
        "plan.toml",
        "kind = \"histogram\"\ncolumn = \"agee\"\nedges = [0, 50, 100]",
        AS_IT_IS,
        &["plan.toml:50:10", "`agee`", "did you mean `age`?"],
    ),
    (
        "bounds of one value",
        "plan.toml",
        "kind = \"variance\"\ncolumn = \"height\"",
        ("lower = 130\nupper = 210", "lower = 130\nupper = 130"),
        &["plan.toml:20:9", "`lower` must be less than `upper`", "widen"],
    ),
    (
        "one row has no variance",
        "plan.toml",
        "kind = \"variance\"\ncolumn = \"height\"",
        ("rows = 400", "rows = 1"),
        &["plan.toml:50:10", "at least 2 rows", "is 1", "mend `rows`"],
    ),
    (
        "one row has no covariance",
        "plan.toml",
        "kind = \"covariance\"\ncolumns = [\"age\", \"height\"]",
        ("rows = 400", "rows = 1"),
        &["plan.toml:48:8", "at least 2 rows", "is 1", "mend `rows`"],
    ),
    (
        "a matrix of one column",
        "plan.toml",
        "kind = \"correlation\"\ncolumns = [\"age\"]",
        AS_IT_IS,
        &["plan.toml:50:11", "at least two columns", "kind = \"variance\""],
    ),
    (
        "more entries than epsilon carries",
        "plan.toml",
        "kind = \"covariance\"\ncolumns = [\"age\", \"height\", \"weight\"]",
        ("epsilon = 15", "epsilon = 0.01"),
        &["plan.toml:48:8", "6 entries are more than epsilon = 0.01 carries", "take fewer columns"],
    ),
    (
        "shares over all of epsilon",
        "plan.toml",
        "kind = \"variance\"\ncolumn = \"age\"\nshare = 0.6\n[[statistic]]\nname = \"y\"\nkind = \"quantile\"\n\
         column = \"age\"\nedges = [0, 50, 100]\nprobabilities = [0.5]\nshare = 0.6",
        AS_IT_IS,
        &["plan.toml:58:9", "at most 1, got 1.2", "lower the shares by 0.2"],
    ),
    (
        "means over a private number of rows, combined",
        "private-rows.toml",
        "kind = \"combination\"\nof = \"mean\"\nweights = { height = 1, weight = -1 }",
        AS_IT_IS,
        &["plan.toml:44:8", "public number of rows", "write of = \"sum\""],
    ),
    (
        "a proportion of a private number of rows",
        "private-rows.toml",
        "kind = \"proportion\"\nwhere = \"age > 30\"",
        AS_IT_IS,
        &["plan.toml:44:8", "public number of rows", "release a count"],
    ),
    (
        "shares of one cell",
        "plan.toml",
        "kind = \"proportion\"\nby = [\"shirt\"]",
        ("[\"small\", \"medium\", \"large\"]", "[\"small\"]"),
        &["plan.toml:50:7", "at least 2 categories", "list them"],
    ),
    (
        "a model of one class",
        "plan.toml",
        "kind = \"naive-bayes\"\ncolumns = [\"age\"]\nby = [\"shirt\"]",
        ("[\"small\", \"medium\", \"large\"]", "[\"small\"]"),
        &["plan.toml:51:7", "at least 2 classes", "list the values"],
    ),
    (
        "a population's mean over a private number of rows",
        "private-rows.toml",
        "kind = \"mean\"\ncolumn = \"age\"\npopulation = true",
        AS_IT_IS,
        &["plan.toml:47:14", "ask for a variance"],
    ),
    (
        "a population's matrix measured whole",
        "plan.toml",
        "kind = \"covariance\"\ncolumns = [\"age\", \"height\"]\nmeasure = \"matrix\"\npopulation = true",
        AS_IT_IS,
        &["plan.toml:52:14", "only with measure = \"entries\""],
    ),
    (
        "a sample of one row",
        "plan.toml",
        "kind = \"mean\"\ncolumn = \"age\"\npopulation = true",
        ("rows = 400", "rows = 1"),
        &["plan.toml:51:14", "one row says nothing of a population"],
    ),
    (
        "a mechanism that sums refuse",
        "private-rows.toml",
        "kind = \"variance\"\ncolumn = \"age\"\nmechanism = \"conditioned\"",
        AS_IT_IS,
        &["plan.toml:47:13", "no mechanism but \"clamped\""],
    ),
    (
        "a mechanism that a quantile would ignore",
        "plan.toml",
        "kind = \"quantile\"\ncolumn = \"age\"\nedges = [0, 50, 100]\nprobabilities = [0.5]\nmechanism = \"folded\"",
        AS_IT_IS,
        &["plan.toml:53:13", "mechanism = \"folded\" would go unused", "use clamped"],
    ),
    (
        "a mechanism that a rule would ignore",
        "plan.toml",
        "kind = \"proportion\"\nby = [\"region\"]\nmechanism = \"conditioned\"",
        AS_IT_IS,
        &["plan.toml:51:13", "rule = \"simplex\" reads raw noisy counts", "use clamped"],
    ),
    (
        "Gaussian noise without delta",
        "plan.toml",
        "kind = \"variance\"\ncolumn = \"age\"\nmechanism = \"clamped-gaussian\"",
        AS_IT_IS,
        &["plan.toml:51:13", "delta"],
    ),
    (
        "a range on a kind without one",
        "plan.toml",
        "kind = \"quantile\"\ncolumn = \"age\"\nedges = [0, 50, 100]\nprobabilities = [0.5]\nrange = { lower = 0 }",
        AS_IT_IS,
        &["plan.toml:53:9", "a quantile has none", "remove `range`"],
    ),
    (
        "levels on a kind without them",
        "plan.toml",
        "kind = \"proportion\"\nby = [\"region\"]\nlevels = [\"all\", \"region\"]",
        AS_IT_IS,
        &["plan.toml:51:10", "only counts, sums and means"],
    ),
    (
        "bounds too far from 0 for squares, of the second of two columns",
        "plan.toml",
        "kind = \"covariance\"\ncolumns = [\"age\", \"height\"]",
        (
            "lower = 130\nupper = 210\nmissing = 170",
            "lower = 1000000000000\nupper = 1000000000001\nmissing = 1000000000000",
        ),
        &["plan.toml:50:19", "of column `height`", "subtract a constant"],
    ),
    (
        "a weight finer than any grid",
        "plan.toml",
        "kind = \"combination\"\nof = \"sum\"\nweights = { age = 1, height = \"1/10000000000000000000000000001\" }",
        AS_IT_IS,
        &["plan.toml:51:22", "weight of height"],
    ),
    (
        "more bins than a quantile has use for",
        "plan.toml",
        "kind = \"quantile\"\ncolumn = \"age\"\nedges = { lower = 0, upper = 100, bins = 5000 }\nprobabilities = [0.5]",
        AS_IT_IS,
        &["plan.toml:51:9", "at most 4096 bins, got 5000", "wider"],
    ),
];

#[test]
fn mistakes_are_placed_and_say_what_to_do() {
    for (title, head, statistic, (from, to), wanted) in MISTAKES {
        let bench = people_asked(head, &format!("[[statistic]]\nname = \"x\"\n{statistic}\n"));
        if !from.is_empty() {
            bench.edit(from, to);
        }
        let said = bench.run(&["release", "plan.toml", "--out", "bundle"]);
        assert_eq!(said.code, 2, "{title}: {}", said.err);
        // Long lines are folded.
        let words: String = said.err.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
        for wanted in *wanted {
            assert!(words.contains(wanted), "{title}: no `{wanted}` in\n{}", said.err);
        }
        assert!(words.contains("1 mistake in plan.toml; no row was read"), "{title}: {}", said.err);
        assert!(!bench.path("bundle").exists(), "{title}");
    }
}

const HEADER: &str = "age,height,weight,income,region,smoker,shirt\n";

/// Every kind that reads a column, over columns that hold one value.
const OF_ONE_VALUE: &str = r#"[[statistic]]
name = "matrix"
kind = "covariance"
columns = ["age", "height"]

[[statistic]]
name = "correlation"
kind = "correlation"
columns = ["age", "height"]

[[statistic]]
name = "variance"
kind = "variance"
column = "age"

[[statistic]]
name = "beyond"
kind = "quantile"
column = "age"
edges = [200, 300, 400]
probabilities = [0.25, 0.75]

[[statistic]]
name = "shirts"
kind = "naive-bayes"
columns = ["age", "height"]
by = ["shirt"]
"#;

#[test]
fn a_column_of_one_value_is_released_like_any_other() {
    let bench = people_asked("plan.toml", OF_ONE_VALUE);
    bench.write("people.csv", HEADER.to_owned() + &"40,170,70,5,coast,false,small\n".repeat(400));
    released(&bench);
    let rows = table(&bench, "bundle/estimates.csv");
    // The truth is 0, and the noise has a scale of 73^2 / 400 at epsilon 3: beyond 12 scales in 1 of 160,000 seeds.
    assert!(number(rows_of(&rows, "variance")[0], "estimate") < 12.0 * 72.0 * 72.0 / 400.0 / 3.0);
    // All rows lie before the first edge, and count in the first bin.
    let quantiles = estimates(&rows_of(&rows, "beyond"));
    assert!(quantiles.windows(2).all(|pair| pair[0] < pair[1]) && quantiles[1] <= 310.0, "{quantiles:?}");
    // A class without rows has a model too, in bounds.
    let large: Vec<_> = rows_of(&rows, "shirts").into_iter().filter(|row| row["by_shirt"] == "large").collect();
    let [age, height, first, second, count] = estimates(&large)[..] else { panic!("five numbers a class") };
    assert!((18.0..=90.0).contains(&age) && (130.0..=210.0).contains(&height));
    assert!(first > 0.0 && first <= 36.0 * 36.0 && second > 0.0 && second <= 40.0 * 40.0);
    assert!(count < 60.0, "no row, and noise of scale 10 / 3: {count}");
    let said = bench.run(&["predict", "bundle", "people.csv", "--out", "predicted.csv"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let predicted = table(&bench, "predicted.csv");
    let total = ["small", "medium", "large"].map(|class| number(&predicted[0], &format!("probability_{class}")));
    assert!((total.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{total:?}");
}

#[test]
fn rows_that_bounds_leave_out_are_clipped_and_no_word_is_lost_on_them() {
    let statistics = "[[statistic]]\nname = \"mean\"\nkind = \"mean\"\ncolumn = \"age\"\n\n\
                      [[statistic]]\nname = \"variance\"\nkind = \"variance\"\ncolumn = \"age\"\n";
    let words = |ages: &str| {
        let bench = people_asked("plan.toml", statistics);
        bench.edit("lower = 18\nupper = 90\nmissing = 54", "lower = 200\nupper = 300\nmissing = 250");
        bench.write("people.csv", HEADER.to_owned() + &format!("{ages},170,70,5,coast,false,small\n").repeat(400));
        let manifest = released(&bench);
        let mean = number(&table(&bench, "bundle/estimates.csv")[0], "estimate");
        // Noise of scale 100 / (400 * 7.5).
        assert!((200.0..=200.5).contains(&mean), "every age counts as 200: {mean}");
        let measured = fs::read_to_string(bench.path("bundle/measurements.csv")).expect("a table");
        (measured, manifest["rules"].clone())
    };
    // Rows at the bound and rows far beyond it give the same bundle.
    assert_eq!(words("40"), words("200"));
}

#[test]
fn keys_without_rows_and_data_without_rows_are_released_as_noise() {
    let statistics = "[[statistic]]\nname = \"regions\"\nkind = \"proportion\"\nby = [\"region\"]\n\n\
                      [[statistic]]\nname = \"matrix\"\nkind = \"covariance\"\ncolumns = [\"age\", \"height\"]\n\n\
                      [[statistic]]\nname = \"median\"\nkind = \"quantile\"\ncolumn = \"age\"\nedges = [0, 50, 100]\n\
                      probabilities = [0.5]\n";
    let bench = people_asked("private-rows.toml", statistics);
    bench.write("people.csv", HEADER);
    released(&bench);
    let rows = table(&bench, "bundle/estimates.csv");
    assert!((estimates(&rows_of(&rows, "regions")).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    assert!((0.0..=100.0).contains(&number(rows_of(&rows, "median")[0], "estimate")));
    let count = rows_of(&rows, "matrix").into_iter().find(|row| row["output"] == "rows").expect("a number of rows");
    // Scale 6 / 5, a sixth of epsilon 5: beyond 20 scales in 1 of 10^8 seeds.
    assert!(number(count, "estimate") < 24.0, "{count:?}");
}
