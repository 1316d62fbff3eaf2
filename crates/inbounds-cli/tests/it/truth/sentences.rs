//! The page says nothing false: its sentences on real bundles of every example, kind and kind of constraint.

use std::{fs, path::PathBuf};

use super::{Workbench, file, people, rows};

/// Copies files of a folder of `examples` into the workbench.
fn examples(bench: &Workbench, folder: &str) {
    let from = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(folder);
    for entry in fs::read_dir(&from).expect("examples") {
        let path = entry.expect("entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        bench.write(&name, fs::read(&path).expect("file"));
    }
}

/// The page of a seeded release of a plan.
fn released(bench: &Workbench, plan: &str) -> String {
    bench.seeded(plan, "bundle", "7");
    with_backticks(&file(bench, "bundle/report.html"))
}

/// The page of a reconciliation.
fn reconciled(bench: &Workbench, arguments: &[&str], out: &str) -> String {
    let asked = [&["reconcile"], arguments, &["--replicates", "39", "--out", out]].concat();
    let said = bench.run(&asked);
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    with_backticks(&file(bench, &format!("{out}/report.html")))
}

/// A page with names as the manifest writes them.
fn with_backticks(page: &str) -> String {
    page.replace("<code>", "`").replace("</code>", "`")
}

fn says(page: &str, words: &[&str]) {
    for words in words {
        assert!(page.contains(words), "the page does not say `{words}`");
    }
}

fn never_says(page: &str, words: &[&str]) {
    for words in words {
        assert!(!page.contains(words), "the page says `{words}`");
    }
}

#[test]
fn the_worst_bias_of_a_mean_over_a_private_number_of_rows_is_said_with_its_reach() {
    let bench = Workbench::new();
    examples(&bench, "registry");
    let page = released(&bench, "plan.toml");
    says(
        &page,
        &[
            "Over groups of 1, 2, 4 and so on to 1,024 rows it is at most",
            "by a scan and not by a proof.",
            // Counts are clamped: theirs is a bound for every answer.
            "For every possible answer, the absolute bias is at most",
        ],
    );
    // One count and one sum; the mean has the sentence of its own.
    assert_eq!(page.matches("For every possible answer").count(), 2);
}

#[test]
fn levels_are_whole_only_where_they_are_and_no_mean_square_mixes_units() {
    let bench = Workbench::new();
    examples(&bench, "registry");
    let page = released(&bench, "levels.toml");
    says(
        &page,
        &[
            "All levels were made whole and made to add up together.",
            "Counts and sums of all levels were made to add up; each mean is the sum divided by the count.",
            " of the mean by ",
            " of the count by ",
            " of the sum by ",
        ],
    );
    assert_eq!(page.matches("made whole").count(), 1, "the counts alone are whole");
    let moved = |name: &str| page.split(&format!(" of the {name} by ")).nth(1).expect("said")[..40].to_owned();
    assert!(
        moved("count").contains("(rows)") && moved("mean").contains("(cost)"),
        "{} {}",
        moved("count"),
        moved("mean")
    );
}

#[test]
fn every_kind_is_said_in_words() {
    for plan in ["plan.toml", "private-rows.toml"] {
        let bench = Workbench::new();
        examples(&bench, "people");
        let page = released(&bench, plan);
        says(
            &page,
            &[
                "Number of rows, by region",
                "Sum of income",
                "Mean of age",
                "Variance of height",
                "Standard deviation of weight",
                "Covariance matrix of ",
                "Correlation matrix of ",
                "Share of the rows",
                "Numbers of rows between edges of age",
                "Quantiles of height",
                " of weight − 0.42 × ",
                "Naive Bayes model of ",
                "Values of ",
                "noise, then the nearest point of the range; ",
            ],
        );
        never_says(&page, &["this version does not know", "All levels", "Naive-bayes"]);
    }
}

#[test]
fn every_kind_of_constraint_is_said_and_no_other() {
    let bench = Workbench::new();
    examples(&bench, "constraints");
    let tree = "Children add up to their parent";
    let weighted = "weighted by the inverse of its variance";
    let total = "All numbers add up to 1,000";
    for (name, said, unsaid) in [
        ("shares", &[total, "up to the rounding of doubles", "Nothing is negative", weighted][..], &[tree][..]),
        ("ages", &["One order is kept", "Noisy numbers in order", weighted], &[tree, total]),
        ("homes", &["1 stated equality holds, up to the rounding", "2 stated inequalities hold", weighted], &[tree]),
        ("table", &["5 stated equalities hold", "“table-triplets.csv” and “table-sides.csv”", weighted], &[tree]),
        (
            "correlations",
            &[
                "symmetric 4 by 4 matrix that is positive semidefinite, with ones on the diagonal",
                "variances are not used as weights",
            ],
            &[tree, "weighted by the inverse", "Nothing is negative", "at the expense of their siblings", "add up"],
        ),
    ] {
        let (csv, toml) = (format!("{name}.csv"), format!("{name}.toml"));
        let page = reconciled(&bench, &[&csv, "--constraints", &toml], name);
        says(&page, said);
        never_says(&page, unsaid);
        never_says(&page, &["this version"]);
    }
}

#[test]
fn trees_are_said_with_how_they_were_solved() {
    let bench = Workbench::new();
    bench.write("tree.csv", "node,parent,value,variance\nstate,,5,4\neast,state,-3,4\nwest,state,6,4\n");
    let page = reconciled(&bench, &["tree.csv"], "plain");
    says(&page, &["Children add up to their parent, to the last bit.", "at the expense of their siblings", "Levels"]);
    let page = reconciled(&bench, &["tree.csv", "--integer"], "whole");
    says(&page, &["All estimates are whole.", "least-squares-in-integers"]);
    let page = reconciled(&bench, &["tree.csv", "--fit", "top-down"], "down");
    says(&page, &["the children of each number are those nearest to that fit", "Upper levels are estimated first"]);
    let page = reconciled(&bench, &["tree.csv", "--fit", "joint"], "joint");
    says(&page, &["Among all numbers that satisfy this, the estimates are those nearest to the measurements"]);
    never_says(&page, &["from the top down", "Upper levels"]);
    let page = reconciled(&bench, &["tree.csv", "--integer", "--fit", "joint"], "joint-whole");
    says(&page, &["least-squares-in-integers"]);
    never_says(&page, &["from the top down", "Upper levels"]);
    let page = reconciled(&bench, &["tree.csv", "--fit", "shrunk"], "shrunk");
    says(
        &page,
        &["were shrunk towards zero, by a prior that was fitted to the numbers of their level", "Upper levels are"],
    );
    says(&page, &["top-down-empirical-bayes-in-bounds", "The bias is the price of shrinking"]);
    never_says(&page, &["bounds push small numbers up", "this version"]);
    bench.write("table.csv", "a,b,value,variance\nx,u,5,4\nx,v,-3,4\ny,u,0,4\ny,v,2,4\n");
    let page = reconciled(&bench, &["table.csv", "--fit", "shrunk", "--integer"], "shrunk-table");
    says(&page, &["A noisy table that adds up", "by a prior that was fitted to their margin", "rounded up or down"]);
    says(&page, &["The bias is the price of shrinking"]);
    bench.write("free.toml", "nonnegative = false\n");
    let page =
        reconciled(&bench, &["tree.csv", "--fit", "shrunk", "--integer", "--constraints", "free.toml"], "free-shrunk");
    says(&page, &["top-down-least-squares-in-integers"]);
    never_says(&page, &["shrunk", "shrinking"]);
    let page = reconciled(&bench, &["tree.csv", "--constraints", "free.toml"], "free");
    says(&page, &["Adding up reduces errors."]);
    never_says(&page, &["Nothing is negative", "at the expense of their siblings", "at the expense of large ones"]);
    bench.write("known.toml", "fixed.state = 5\nbounds.east = { lower = 0, upper = 4 }\n");
    let page = reconciled(&bench, &["tree.csv", "--constraints", "known.toml"], "known");
    says(&page, &["1 number is known exactly.", "1 number has its own bounds."]);
    bench.write("list.csv", "node,parent,value,variance\na,,5,4\nb,,-3,4\n");
    let page = reconciled(&bench, &["list.csv", "--constraints", "free.toml"], "none");
    says(&page, &["The estimates are under no constraint.", "2 numbers, made to agree"]);
}

/// A column whose name holds the word for another statistic.
#[test]
fn outputs_are_named_by_their_column_whatever_it_is_called() {
    let bench = Workbench::new();
    bench.edit("[columns.income]", "[columns.income_variance]");
    bench.edit(
        "[[statistic]]\nname = \"income\"\nkind = \"sum\"\ncolumn = \"income\"",
        "[[statistic]]\nname = \"income\"\nkind = \"standard-deviation\"\ncolumn = \"income_variance\"",
    );
    bench.write("rows.csv", "id,sex,age,income_variance\n1,f,30,100\n2,m,41,250.5\n3,f,52,7\n");
    released(&bench, "plan.toml");
    let named: Vec<String> = rows(&bench, "bundle/estimates.csv")
        .into_iter()
        .filter(|row| row["statistic"] == "income")
        .map(|row| row["output"].clone())
        .collect();
    assert_eq!(named, ["standard deviation of income_variance", "mean of income_variance", "rows"]);
}

#[test]
fn the_page_of_a_real_file_is_true_of_it() {
    const FILE: &str = "nhanes_2009_2012.csv";
    let bench = Workbench::new();
    if !people(&bench, FILE) {
        return;
    }
    bench.write(
        "nhanes.toml",
        format!(
            r#"
[data]
path = "{FILE}"

[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 2

[columns.Gender]
type = "text"
values = ["female", "male"]

[columns.BPSysAve]
type = "integer"
lower = 70
upper = 240
missing = "drop"

[[statistic]]
name = "pressure"
kind = "mean"
column = "BPSysAve"

[[statistic]]
name = "by-sex"
kind = "mean"
column = "BPSysAve"
by = ["Gender"]
levels = ["all", "Gender"]
"#
        ),
    );
    let page = released(&bench, "nhanes.toml");
    says(
        &page,
        &[
            "Over groups of 1, 2, 4",
            "With as many rows as were measured here, the estimate is off by at most",
            "Rows whose `BPSysAve` is missing or cannot be read are left out.",
        ],
    );
    says(&page, &["Counts and sums of all levels were made to add up;"]);
    never_says(&page, &["made whole", "For every possible answer", "where it is missing"]);
    // Once for each of the two statistics.
    assert_eq!(page.matches("are left out.").count(), 2);
}

/// Where noise publishes no key the terminal and the page say so, and one number of rows is said once.
#[test]
fn a_statistic_without_published_keys_says_so() {
    let bench = Workbench::new();
    bench.write("rows.csv", "code\na\nb\nc\n");
    let plan = "data.path = 'rows.csv'\ncolumns.code.type = 'text'\n\
                privacy = { unit = 'row', neighbours = 'add-remove', epsilon = EPSILON, delta = 1e-6 }\n\
                statistic = [{ name = 'codes', kind = 'count', by = ['code'], learn_keys = true }]\n";
    for (epsilon, sentence) in [
        ("1", "Here no cell is published."),
        ("900", "One of 2 rows appears with a probability of at least 95 %. Nothing is known"),
    ] {
        bench.write("plan.toml", plan.replace("EPSILON", epsilon));
        let said = bench.seeded("plan.toml", epsilon, "1");
        assert!(said.code == 0 && said.out.contains(sentence), "{sentence}\n{}{}", said.out, said.err);
        let page = file(&bench, &format!("{epsilon}/report.html"));
        assert!(page.contains(sentence), "{sentence}\n{page}");
    }
}

/// Errors quote what the plan says, in words that a plan has.
#[test]
fn errors_name_groups_bounds_and_remedies_of_the_plan() {
    let bench = Workbench::new();
    bench.write("rows.csv", "g,w,x\na,1,1\n");
    bench.write("pairs.csv", "g,w\na,1\na,2\nb,1\n");
    let head = "data.path = 'rows.csv'\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = EPSILON }\n\
                columns.g = { type = 'text', values = ['a', 'b'] }\ncolumns.w = { type = 'integer', values = [1, 2] }\n\
                columns.x = { type = 'integer', lower = LOWER, upper = 9223372036854775807, missing = 'drop' }\n";
    let long =
        format!("epsilon 1e-300 over a sensitivity of 1 grid steps calls for a noise scale of {:.3e} steps", 1e300);
    for (epsilon, statistic, message) in [
        (
            "1",
            "kind = 'proportion', by = ['g', 'w'], possible = 'pairs.csv', within = ['g']",
            "the group `g` = b has 1: list another of its cells, or none",
        ),
        (
            "1",
            "kind = 'count', by = ['g'], mechanism = 'clamped-generalised-gaussian'",
            "state a `delta` greater than 0 beside `epsilon`, or choose a mechanism with Laplace noise",
        ),
        (
            "1",
            "kind = 'mean', column = 'x'",
            "the column's bounds [-9223372036854775808, 9223372036854775807] do not fit",
        ),
        ("1e-300", "kind = 'count', by = ['g']", &long),
    ] {
        let plan = head.replace("EPSILON", epsilon).replace("LOWER", "-9223372036854775808");
        bench.write("plan.toml", format!("{plan}statistic = [{{ name = 's', {statistic} }}]\n"));
        let said = bench.run(&["check", "plan.toml"]);
        let text = said.err.replace("│", " ").split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.code == 2 && text.contains(message), "{message}\n{}{}", said.out, said.err);
    }
}
