//! What the program prints can be read at 80 columns, and says all that a reader needs.

use std::path::Path;

use super::*;

/// A plan with long names, three columns of keys, levels, a matrix, quantiles and twenty statistics.
fn wide_plan() -> String {
    let mut plan = r#"
title = "A plan with a title that is longer than eighty columns, as titles of official statistics are, and longer"
[data]
path = "rows.csv"
[privacy]
unit = { column = "person_identifier", max_rows = 3 }
neighbours = "add-remove"
epsilon = 4
[columns.person_identifier]
type = "text"
[columns.administrative_region_of_residence]
type = "text"
values = ["Northern Highlands and Islands", "Southern Lowlands"]
[columns.highest_completed_education]
type = "text"
values = ["compulsory schooling only", "university degree or equivalent"]
[columns.employment_status_last_week]
type = "text"
values = ["employed full time", "not in the labour force"]
[columns.equivalised_disposable_household_income]
type = "number"
lower = 0
upper = 150000
missing = "drop"
[columns.systolic_blood_pressure_average]
type = "number"
lower = 80
upper = 220
missing = "drop"
[[statistic]]
name = "mean-equivalised-disposable-household-income-by-region-education-and-employment"
kind = "mean"
column = "equivalised_disposable_household_income"
by = ["administrative_region_of_residence", "highest_completed_education", "employment_status_last_week"]
[[statistic]]
name = "residents-at-every-level"
kind = "count"
by = ["administrative_region_of_residence", "highest_completed_education", "employment_status_last_week"]
levels = ["all", "administrative_region_of_residence", "highest_completed_education",
    "employment_status_last_week"]
[[statistic]]
name = "income-and-pressure"
kind = "covariance"
columns = ["equivalised_disposable_household_income", "systolic_blood_pressure_average"]
[[statistic]]
name = "quartiles-of-pressure"
kind = "quantile"
column = "systolic_blood_pressure_average"
edges = { lower = 80, upper = 220, bins = 140 }
probabilities = [0.25, 0.5, 0.75]
"#
    .to_owned();
    for number in 5..=20 {
        plan += &format!("[[statistic]]\nname = \"count-number-{number}\"\nkind = \"count\"\n");
    }
    plan
}

fn wide_bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("wide.toml", wide_plan());
    let mut rows = "person_identifier,administrative_region_of_residence,highest_completed_education,\
                    employment_status_last_week,equivalised_disposable_household_income,\
                    systolic_blood_pressure_average\n"
        .to_owned();
    for person in 0..400 {
        let region = ["Northern Highlands and Islands", "Southern Lowlands"][person % 2];
        let education = ["compulsory schooling only", "university degree or equivalent"][person / 2 % 2];
        let status = ["employed full time", "not in the labour force"][person / 4 % 2];
        rows += &format!("p{person},{region},{education},{status},{},{}\n", 300 * person, 100 + person % 90);
    }
    bench.write("rows.csv", rows);
    bench
}

/// Characters of the widest line.
fn width(text: &str) -> usize {
    text.lines().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// No line is wider than the screen unless it is one word, and no word of it is a piece of another.
fn assert_whole_words(narrow: &str, wide: &str, columns: usize) {
    for line in narrow.lines() {
        let one_word = line.split_whitespace().count() <= 1;
        assert!(line.chars().count() <= columns || one_word, "wider than {columns} columns: {line}\n{narrow}");
    }
    let known: std::collections::HashSet<&str> = wide.split_whitespace().collect();
    let rule = |word: &str| word.chars().all(|letter| "─═│╭╰·×,".contains(letter));
    for word in narrow.split_whitespace().filter(|word| !rule(word)) {
        assert!(known.contains(word), "`{word}` is no word of the wide output:\n{narrow}");
    }
}

const SEEDED: [&str; 4] = ["--seed", "7", "--not-private", "--quiet"];

#[test]
fn releases_break_no_word_at_any_width() {
    let bench = wide_bench();
    let release = |columns: usize, more: &[&str]| {
        let out = format!("out{columns}{}", more.len());
        let said = bench.run_at(columns, &[&["release", "wide.toml", "--out", &out], &SEEDED[..], more].concat());
        assert_eq!(said.code, 0, "{}", said.err);
        let (text, _) = said.out.split_once("Bundle: ").expect("the place of the bundle");
        text.to_owned()
    };
    let (wide, full) = (release(1000, &[]), release(1000, &["--all"]));
    for columns in [60, 80, 100, 140] {
        // What a narrow table leaves out is said below it.
        let left_out = "`--all` shows bias and raw measurements here; they are in the bundle.";
        assert_whole_words(&release(columns, &[]), &format!("{wide} {left_out}"), columns);
        assert_whole_words(&release(columns, &["--all"]), &full, columns);
    }
}

#[test]
fn a_check_fits_for_any_plan_and_names_stay_whole() {
    let bench = wide_bench();
    let piped = bench.run(&["check", "wide.toml"]);
    assert_eq!(piped.code, 0, "{}", piped.err);
    let tables: Vec<&str> = piped.out.lines().filter(|line| line.contains('─') || line.contains('═')).collect();
    assert!(!tables.is_empty() && width(&tables.join("\n")) <= 100, "{}", piped.out);
    for (columns, more) in [(80, &[][..]), (100, &[]), (80, &["--all"]), (100, &["--all"])] {
        let said = bench.run_at(columns, &[&["check", "wide.toml"], more].concat());
        assert!(width(&said.out) <= columns, "{}", said.out);
        let names = [
            "mean-equivalised-disposable-household-income-by-region-education-and-employment",
            "residents-at-every-level",
            "income-and-pressure",
            "count-number-20",
        ];
        // Mechanisms are among what `--all` shows.
        let mechanism = (!more.is_empty()).then_some("clamped-discrete-laplace");
        for name in names.into_iter().chain(mechanism) {
            assert!(said.out.contains(name), "{columns} columns break `{name}`:\n{}", said.out);
        }
    }
}

#[test]
fn other_answers_and_errors_break_no_word_either() {
    let bench = wide_bench();
    bench.write("broken.toml", wide_plan().replace("kind = \"covariance\"", "kind = \"covarianse\""));
    let census = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/census/measurements.csv");
    let census = census.to_str().expect("UTF-8");
    let asked: [&[&str]; 6] = [
        &["advise", "--epsilon", "0.1", "--sensitivity", "1", "--lower", "0", "--upper", "1"],
        &["design", "--epsilon", "1", "--sensitivity", "1", "--upper", "5"],
        &["reconcile", census, "--integer", "--quiet"],
        &["study", "list"],
        &["check", "no-such-plan-of-mine.toml"],
        &["predict", "no-such-bundle", "rows.csv", "--out", "classes.csv"],
    ];
    for (index, arguments) in asked.iter().enumerate() {
        let run = |columns: usize| {
            let out = format!("made{index}-{columns}");
            let out: &[&str] = if arguments[0] == "reconcile" { &["--out", &out] } else { &[] };
            let said = bench.run_at(columns, &[*arguments, out].concat());
            (said.out + &said.err).split("Bundle: ").next().unwrap_or_default().to_owned()
        };
        let wide = run(1000);
        for columns in [60, 80, 100] {
            assert_whole_words(&run(columns), &wide, columns);
        }
    }
    let said = bench.run_at(80, &["check", "broken.toml"]);
    // Lines of the plan are quoted as they are, behind their numbers.
    let quoted = |line: &&str| line.trim_start().starts_with(|first: char| first.is_ascii_digit());
    let own: Vec<&str> = said.err.lines().filter(|line| !quoted(line)).collect();
    assert!(said.code == 2 && said.err.contains("covarianse") && width(&own.join("\n")) <= 80, "{}", said.err);
}

#[test]
fn all_shows_every_row_and_twelve_stand_without_it() {
    let bench = wide_bench();
    let release = |out: &str, more: &[&str]| {
        let arguments = [&["release", "wide.toml", "--out", out], &SEEDED[..], more].concat();
        let said = bench.run(&arguments);
        assert_eq!(said.code, 0, "{}", said.err);
        said.out
    };
    // 1 + 2 + 4 + 8 cells of four levels.
    assert!(release("some", &[]).contains("... and 3 more in the bundle; --all shows them here"));
    let all = release("all", &["--all"]);
    assert!(!all.contains("more in the bundle"), "{all}");
    let estimates = rows(&bench, "all/estimates.csv");
    assert!(estimates.iter().filter(|row| row["statistic"] == "residents-at-every-level").count() >= 14);
}

#[test]
fn the_plus_minus_stands_beside_the_error() {
    let bench = Workbench::new();
    let said = bench.run(&[&["release", "plan.toml", "--out", "bundle", "--all"], &SEEDED[..]].concat());
    let estimates = rows(&bench, "bundle/estimates.csv");
    let income = estimates.iter().find(|row| row["statistic"] == "income").expect("released");
    let end = |name: &str| income[name].parse::<f64>().expect("a number");
    let half = inbounds_report::figures::figure(0.5 * (end("interval_upper") - end("interval_lower")));
    assert!(said.out.contains("± 95 %") && said.out.contains(&half), "no {half} in:\n{}", said.out);
}
