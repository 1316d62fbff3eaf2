//! Cells are read as people write them, and a plan says what a missing number counts as.
//!
//! Noise is seeded. Each count or sum here is off by more than its tolerance with a probability of at most
//! `exp(-30)`, as Laplace noise leaves 30 of its scales, so that a correct program fails for no seed in a million
//! million.

use super::*;

const HEAD: &str = "[data]\npath = \"DATA\"\nKEYS\n[privacy]\nunit = \"row\"\nneighbours = \"substitute\"\nrows = ROWS\nepsilon = 30\n";

/// Writes `plan.toml` over a file with this many rows.
fn plan(bench: &Workbench, (data, keys, rows): (&str, &str, usize), rest: &str) {
    let head = HEAD.replace("DATA", data).replace("KEYS", keys).replace("ROWS", &rows.to_string());
    bench.write("plan.toml", head + rest);
}

fn release(bench: &Workbench) -> Said {
    let _ = fs::remove_dir_all(bench.path("bundle"));
    bench.run(&["release", "plan.toml", "--out", "bundle", "--seed", "11", "--not-private"])
}

/// Estimates of the statistics of the bundle, by name, in the order of cells.
fn estimates(bench: &Workbench, statistic: &str) -> Vec<f64> {
    let said = release(bench);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    let is_selected = |row: &std::collections::HashMap<String, String>| row["statistic"] == statistic;
    let rows = rows(bench, "bundle/estimates.csv");
    rows.iter().filter(|row| is_selected(row)).map(|row| row["estimate"].parse().expect("a number")).collect()
}

fn near(actual: &[f64], wanted: &[f64], tolerance: f64) {
    assert_eq!(actual.len(), wanted.len(), "{actual:?} {wanted:?}");
    let close = actual.iter().zip(wanted).all(|(actual, wanted)| (actual - wanted).abs() <= tolerance);
    assert!(close, "{actual:?}, wanted {wanted:?} within {tolerance}");
}

const PRESSURE: &str = "[columns.BPSysAve]\ntype = \"number\"\nlower = 60\nupper = 240\nMISSING\n\
    [[statistic]]\nname = \"pressure\"\nkind = \"mean\"\ncolumn = \"BPSysAve\"\n\
    [[statistic]]\nname = \"spread\"\nkind = \"variance\"\ncolumn = \"BPSysAve\"\n";

/// Of 20,293 people 5,426 have no blood pressure; that of the others is 118.07 on average, its variance 340.
#[test]
fn a_missing_number_is_nothing_until_the_plan_says_what() {
    let bench = Workbench::new();
    let (data, rows, complete, mean, variance) = if people(&bench, "nhanes_2009_2012.csv") {
        ("nhanes_2009_2012.csv", 20_293, 14_867.0, 118.0703, 340.05)
    } else {
        let lines: String = (0..4_000)
            .map(|i| if i % 4 == 0 { format!("{i},\n") } else { format!("{i},{}\n", 100 + i % 37) })
            .collect();
        bench.write("made_up.csv", format!("ID,BPSysAve\n{lines}"));
        let values: Vec<f64> = (0..4_000).filter(|i| i % 4 != 0).map(|i| f64::from(100 + i % 37)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / values.len() as f64;
        ("made_up.csv", 4_000, 3_000.0, mean, variance)
    };
    plan(&bench, (data, "", rows), &PRESSURE.replace("MISSING\n", ""));
    for said in [bench.run(&["check", "plan.toml"]), release(&bench)] {
        assert_eq!(said.code, 2, "{}{}", said.out, said.err);
        assert!(said.err.contains("[columns.BPSysAve] must have `missing`"), "{}", said.err);
        assert!(said.err.contains("missing = \"drop\" leaves rows without a number out"), "{}", said.err);
    }
    plan(&bench, (data, "", rows), &PRESSURE.replace("MISSING", "missing = \"drop\""));
    near(&estimates(&bench, "pressure"), &[mean], 30.0 * 24.0 / complete);
    let spread = estimates(&bench, "spread");
    near(&spread[..1], &[variance], 30.0 * 5_000.0 / complete);
    said_everywhere(&bench, "Rows whose `BPSysAve` is missing or cannot be read are left out.");
    plan(&bench, (data, "", rows), &PRESSURE.replace("MISSING", "missing = 150"));
    let counted = estimates(&bench, "pressure");
    assert!(counted[0] > mean + 5.0, "a missing number counts as 150: {counted:?}");
    said_everywhere(&bench, "A missing or unreadable `BPSysAve` counts as 150.");
}

/// The sentence stands beside the numbers, on the terminal, on the page and, as a record, in the manifest.
fn said_everywhere(bench: &Workbench, sentence: &str) {
    let terminal = release(bench).out;
    let check = bench.run(&["check", "plan.toml"]).out;
    let page = file(bench, "bundle/report.html").replace("<code>", "`").replace("</code>", "`");
    for (place, text) in [("release", &terminal), ("check", &check), ("page", &page)] {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(sentence), "{place}: {text}");
    }
    let entry = &manifest(bench, "bundle")["statistics"][0]["missing"][0];
    assert_eq!(entry["column"], "BPSysAve");
    assert!(sentence.contains("left out") == (entry["rule"] == "dropped"), "{entry}");
}

/// The same rows, as tidy and as people write them.
#[test]
fn messy_cells_are_read_as_tidy_ones() {
    let bench = Workbench::new();
    let states = [("CA", [" CA ", "CA", "\"CA \""]), ("NV", ["NV", " NV", "NV  "])];
    let truths = [("yes", ["1", "Y", "true"]), ("no", ["0", "No", "0.0"])];
    let codes = [("1", ["1.0", "01", "1e0"]), ("2", ["2", " 2 ", "2.00"])];
    let money = [("1234", "\"1,234\""), ("987", " 987 ")];
    let mut text = "state,open,code,paid,score\n".to_owned();
    for i in 0..1_200 {
        let score =
            if i % 5 == 0 { ["-99", " -99.0 ", "?", "n/a"][i / 5 % 4].to_owned() } else { (i % 60).to_string() };
        let (state, open, code) = (states[i % 2].1[i % 3], truths[i % 4 / 2].1[i % 3], codes[i % 8 / 4].1[i % 3]);
        text.push_str(&format!("{state},{open},{code},{},{score}\n", money[i % 2].1));
    }
    bench.write("rows.csv", text);
    let scores: Vec<f64> = (0..1_200).filter(|i| i % 5 != 0).map(|i| f64::from(i % 60)).collect();
    let mean = scores.iter().sum::<f64>() / scores.len() as f64;
    let keys = "missing_values = [-99, \"?\", \"n/a\"]";
    plan(
        &bench,
        ("rows.csv", keys, 1_200),
        r#"
[columns.state]
type = "text"
values = ["CA ", "NV"]
[columns.open]
type = "boolean"
values = [true, false]
[columns.code]
type = "integer"
values = [1, 2]
[columns.paid]
type = "number"
lower = 0
upper = 2000
thousands = ","
missing = "drop"
[columns.score]
type = "number"
lower = 0
upper = 100
missing = "drop"
[[statistic]]
name = "states"
kind = "count"
by = ["state"]
[[statistic]]
name = "open"
kind = "count"
by = ["open"]
[[statistic]]
name = "codes"
kind = "count"
by = ["code"]
[[statistic]]
name = "paid"
kind = "mean"
column = "paid"
[[statistic]]
name = "score"
kind = "mean"
column = "score"
[[statistic]]
name = "no-score"
kind = "count"
where = "score IS NULL AND state = 'CA'"
"#,
    );
    near(&estimates(&bench, "states"), &[600.0, 600.0], 12.0);
    near(&estimates(&bench, "open"), &[600.0, 600.0], 12.0);
    near(&estimates(&bench, "codes"), &[600.0, 600.0], 12.0);
    near(&estimates(&bench, "paid"), &[(1234.0 + 987.0) / 2.0], 2000.0 * 12.0 / 1_200.0);
    near(&estimates(&bench, "score"), &[mean], 100.0 * 12.0 / 900.0);
    near(&estimates(&bench, "no-score"), &[120.0], 12.0);
    // The plan's own spelling of a text is trimmed too.
    let cells = file(&bench, "bundle/estimates.csv");
    assert!(cells.contains("CA") && !cells.contains("CA "), "{cells}");
    // A column may do without the list of all columns, and without trimming.
    bench.edit(
        "type = \"number\"\nlower = 0\nupper = 100",
        "missing_values = []\ntype = \"number\"\nlower = -100\nupper = 100",
    );
    let shifted = (scores.iter().sum::<f64>() - 99.0 * 120.0) / (scores.len() + 120) as f64;
    near(&estimates(&bench, "score"), &[shifted], 200.0 * 12.0 / 900.0);
    bench.edit(
        "type = \"text\"\nvalues = [\"CA \", \"NV\"]",
        "type = \"text\"\ntrim = false\nvalues = [\"CA \", \"NV\"]",
    );
    near(&estimates(&bench, "states"), &[200.0, 200.0], 12.0);
}

/// Columns of 0 and 1, and of Yes and No, that a plan declares as boolean.
#[test]
fn boolean_columns_of_real_files_are_read() {
    let bench = Workbench::new();
    if people(&bench, "pums_ca_1000.csv") {
        let truth = file(&bench, "pums_ca_1000.csv").lines().skip(1).filter(|line| line.ends_with(",1")).count() as f64;
        let statistic = "[columns.married]\ntype = \"boolean\"\n[[statistic]]\nname = \"married\"\nkind = \"count\"\nwhere = \"married\"\n";
        plan(&bench, ("pums_ca_1000.csv", "", 1_000), statistic);
        near(&estimates(&bench, "married"), &[truth], 2.0);
    }
    if people(&bench, "nhanes_2009_2012.csv") {
        let statistic = "[columns.PhysActive]\ntype = \"boolean\"\nvalues = [true, false]\n\
            [[statistic]]\nname = \"active\"\nkind = \"count\"\nby = [\"PhysActive\"]\n";
        plan(&bench, ("nhanes_2009_2012.csv", "", 20_293), statistic);
        near(&estimates(&bench, "active"), &[7_377.0, 6_901.0], 4.0);
    }
}

/// Each mistake about cells is said with its place and a remedy, and no row is read.
#[test]
fn mistakes_about_cells_are_said() {
    let column = |keys: &str, kind: &str| {
        format!(
            "[columns.age]\ntype = \"{kind}\"\n{keys}\n[columns.sex]\ntype = \"text\"\n\
             [[statistic]]\nname = \"all\"\nkind = \"count\"\nwhere = \"sex = 'f'\"\n"
        )
    };
    for (keys, kind, wanted) in [
        ("trim = false", "integer", "`trim` in [columns.age] must be left out for a column of type integer"),
        ("trim = 0", "text", "`trim` in [columns.age] must be true or false"),
        ("thousands = \"x\"", "number", "`thousands` in [columns.age] must be one of the separators"),
        ("thousands = \",\"", "text", "`thousands` in [columns.age] must be left out for a column of type text"),
        ("thousands = \".\"", "number", "[columns.age] must not have `.` both for thousands and for decimals"),
        ("decimal = \";\"", "number", "`decimal` in [columns.age] must be one of the separators"),
        ("missing_values = \"NA\"", "number", "`missing_values` in [columns.age] must be a list"),
        (
            "missing_values = [true]",
            "number",
            "each entry of `missing_values` in [columns.age] must be a string or a decimal",
        ),
    ] {
        let bench = Workbench::new();
        plan(&bench, ("rows.csv", "", 5), &column(keys, kind));
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(wanted), "{keys}: {}", said.err);
    }
    let bench = Workbench::new();
    let sexes = "[columns.sex]\ntype = \"text\"\nvalues = [\"f\", \"NA\"]\n[[statistic]]\nname = \"all\"\nkind = \"count\"\nby = [\"sex\"]\n";
    plan(&bench, ("rows.csv", "missing_values = [\"NA\"]", 5), sexes);
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 2 && said.err.contains("no row can have the key `NA` of `sex`"), "{}", said.err);
}

/// Ages that end at `85+`, and amounts with a mark, a word or brackets: 40 people a pattern.
#[test]
fn numbers_with_marks_are_what_the_plan_says() {
    let bench = Workbench::new();
    let cells = [("30", "1,20,000"), ("85+", "€500"), ("90", "(700)"), ("not stated", "none"), (" 40 +", "<5")];
    let lines: String = (0..200).map(|row| cells[row % 5]).map(|(age, money)| format!("{age},\"{money}\"\n")).collect();
    bench.write("marks.csv", format!("age,money\n{lines}"));
    let columns = "[columns.age]\ntype = \"integer\"\nlower = 0\nupper = 110\nmissing = 0\nAGE\n\
        [columns.money]\ntype = \"number\"\nlower = -1000\nupper = 200000\nmissing = 0\nMONEY\n\
        [[statistic]]\nname = \"age\"\nkind = \"sum\"\ncolumn = \"age\"\n\
        [[statistic]]\nname = \"money\"\nkind = \"sum\"\ncolumn = \"money\"\n";
    let with = |age: &str, money: &str| {
        plan(&bench, ("marks.csv", "", 200), &columns.replace("AGE", age).replace("MONEY", money));
    };
    let money =
        "marks = [\"€\"]\nnumbers = { none = 0, \"<5\" = 2.5 }\nnegative = \"(5)\"\nthousands = \",\"\ngroups = [3, 2]";
    with("marks = [\"+\"]", money);
    near(&estimates(&bench, "age"), &[40.0 * (30 + 85 + 90 + 40) as f64], 400.0);
    near(&estimates(&bench, "money"), &[40.0 * (120_000.0 + 500.0 - 700.0 + 2.5)], 500_000.0);
    // A code with a mark is missing, and no number.
    with("marks = [\"+\"]\nmissing_values = [\"85+\"]", money);
    near(&estimates(&bench, "age"), &[40.0 * (30 + 90 + 40) as f64], 400.0);
    // Without the keys all of these are unreadable.
    with("", "");
    near(&estimates(&bench, "age"), &[40.0 * (30 + 90) as f64], 400.0);
    for (age, place, remedy) in [
        ("marks = [\"5\"]", "must not have a digit, a minus sign or a separator", "or list whole cells in `numbers`"),
        ("marks = []", "`marks` in [columns.age] must not be empty", "marks = [\"+\", \"<\""),
        ("numbers = { few = 2.5 }", "must be a whole number in a column of type integer", "round it"),
        ("negative = \"brackets\"", "`negative` in [columns.age] must be", "negative = \"(5)\" or \"5-\""),
        ("groups = [0]", "must be a number from 1 to 9", "groups = [3, 2]"),
    ] {
        with(age, money);
        let said = bench.run(&["check", "plan.toml"]);
        assert_eq!(said.code, 2, "{age}: {}{}", said.out, said.err);
        assert!(said.err.contains(place) && said.err.contains(remedy), "{age}: {}", said.err);
    }
}

/// The curator sees how the cells are written that the plan cannot use, and no other user does.
#[test]
fn peek_shows_the_spellings_that_the_plan_cannot_use() {
    let bench = Workbench::new();
    let cells = [("30", "f"), ("85+", "F"), ("?", "m"), ("", "f"), ("n/k", "x")];
    let lines: String = (0..100).map(|row| cells[row % 5]).map(|(age, sex)| format!("{age},{sex}\n")).collect();
    bench.write("spelled.csv", format!("age,sex\n{lines}"));
    let columns = "[columns.age]\ntype = \"integer\"\nlower = 0\nupper = 110\nmissing = \"drop\"\nmissing_values = [\"?\"]\n\
        [columns.sex]\ntype = \"text\"\nvalues = [\"f\", \"m\"]\n\
        [[statistic]]\nname = \"age\"\nkind = \"mean\"\ncolumn = \"age\"\nby = [\"sex\"]\n";
    plan(&bench, ("spelled.csv", "", 100), columns);
    let said = bench.run(&["peek", "plan.toml"]);
    assert_eq!(said.code, 0, "{}{}", said.out, said.err);
    for line in [
        "The plan cannot use 40 rows of `age`: `85+` (20) and `n/k` (20).",
        "The plan cannot use 40 rows of `sex`: `F` (20) and `x` (20).",
    ] {
        assert!(said.out.contains(line), "{line}\n{}", said.out);
    }
    let said = release(&bench);
    assert!(said.code == 0 && ["85+", "n/k", "`x`"].iter().all(|cell| !said.out.contains(cell)), "{}", said.out);
    plan(&bench, ("spelled.csv", "", 100), &columns.replace("missing_values", "marks = [\"+\"]\nmissing_values"));
    let said = bench.run(&["peek", "plan.toml"]);
    assert!(said.out.contains("The plan cannot use 20 rows of `age`: `n/k` (20)."), "{}", said.out);
}

/// Every row is in one column of the table, also where empty cells are listed, and advice fits the type of the column.
#[test]
fn peek_counts_every_row_once_and_gives_advice_that_is_taken() {
    let bench = Workbench::new();
    bench.write("listed.csv", "sex,smoker\na,yes\na,ja\n,no\n,\n,ja\nzz,yes\nb,no\nmissing,no\n-,no\n");
    let columns = "[columns.sex]\ntype = \"text\"\nvalues = [\"a\", \"b\", \"missing\"]\nmissing_values = [\"-\"]\n\
        [columns.smoker]\ntype = \"boolean\"\nmissing = \"drop\"\n\
        [[statistic]]\nname = \"sex\"\nkind = \"count\"\nby = [\"sex\"]\n\
        [[statistic]]\nname = \"smokers\"\nkind = \"sum\"\ncolumn = \"smoker\"\n";
    plan(&bench, ("listed.csv", "", 9), columns);
    let said = bench.run(&["peek", "plan.toml"]);
    for line in [
        " sex           7           2      0",
        "Where `missing` is listed, as of `sex`, empty cells and codes for missing are listed.",
        "The plan cannot use 2 rows of `sex`: `missing` (1) and `zz` (1).",
        "The plan cannot use 2 rows of `smoker`: `ja` (2). Say which cells are missing with `missing_values`. Where others \
         stand for true or false, write type = \"text\" and make a column of it with `recode`, 1 for true and 0 for false.",
    ] {
        assert!(said.code == 0 && said.out.contains(line), "{line}\n{}{}", said.out, said.err);
    }
    // The advice is taken.
    let advised = columns.replace(
        "type = \"boolean\"\nmissing = \"drop\"\n",
        "type = \"text\"\n[columns.smokes]\nfrom = \"smoker\"\nrecode = { yes = 1, ja = 1, no = 0 }\nothers = \"missing\"\n\
         lower = 0\nupper = 1\nmissing = \"drop\"\n",
    );
    plan(&bench, ("listed.csv", "", 9), &advised.replace("column = \"smoker\"", "column = \"smokes\""));
    near(&estimates(&bench, "smokers"), &[4.0], 1.0);
}

/// Two programs saved the column, one with decimal points and one with commas.
#[test]
fn one_column_can_have_both_separators_of_decimals() {
    let bench = Workbench::new();
    let lines: String =
        (0..200).map(|row| ["\"70,5\"", "80.5", "90"][row % 3]).map(|cell| format!("{cell}\n")).collect();
    bench.write("weights.csv", format!("weight\n{lines}"));
    let columns = "[columns.weight]\ntype = \"number\"\nlower = 0\nupper = 200\nmissing = 0\nDECIMAL\n\
        [[statistic]]\nname = \"weight\"\nkind = \"sum\"\ncolumn = \"weight\"\n";
    let with = |decimal: &str| plan(&bench, ("weights.csv", "", 200), &columns.replace("DECIMAL", decimal));
    with("decimal = [\".\", \",\"]");
    near(&estimates(&bench, "weight"), &[67.0 * 70.5 + 67.0 * 80.5 + 66.0 * 90.0], 300.0);
    with("decimal = \",\"");
    near(&estimates(&bench, "weight"), &[67.0 * 70.5 + 66.0 * 90.0], 300.0);
    for (keys, problem) in [
        ("decimal = [\".\", \",\"]\nthousands = \",\"", "must not have a point or a comma between thousands"),
        ("groups = [3, 2]", "must have `thousands` with `groups`"),
        ("numbers = { \"5\" = 7 }", "must not have a cell in `numbers` that is a number"),
        (
            "missing_values = [-9]\nnumbers = { none = -9 }",
            "must not give `none` a number that stands for a missing value",
        ),
        ("decimal = [\".\", \".\"]", "`decimal` in [columns.weight] must be one of the separators"),
    ] {
        with(keys);
        let said = bench.run(&["check", "plan.toml"]);
        assert!(said.code == 2 && said.err.contains(problem), "{keys}: {}", said.err);
    }
    // Some numbers of typed data are stored as numbers and others as texts: what a point means must not depend on it.
    let head = HEAD.replace("DATA", "rows.parquet").replace("KEYS", "").replace("ROWS", "9");
    bench.write("plan.toml", head + &columns.replace("DECIMAL", "decimal = \",\"\nthousands = \".\""));
    let said = bench.run(&["check", "plan.toml"]);
    assert!(said.code == 2 && said.err.contains("Parquet data may store 1.234 as a number"), "{}", said.err);
}
