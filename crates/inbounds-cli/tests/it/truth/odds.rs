//! Choices that promise nothing, or leave nothing to see, are said in odds and figures before and after they are made.

use super::*;

fn bench(epsilon: &str) -> Workbench {
    let bench = Workbench::new();
    bench.edit("epsilon = 1", &format!("epsilon = {epsilon}"));
    bench
}

fn release(bench: &Workbench, out: &str) -> String {
    let said = bench.seeded("plan.toml", out, "7");
    said.out
}

fn ids(notices: &Value) -> Vec<&str> {
    notices.as_array().expect("a list").iter().filter_map(|notice| notice["id"].as_str()).collect()
}

#[test]
fn check_says_what_epsilon_means_in_odds() {
    let said = bench("1").run(&["check", "plan.toml"]);
    let meaning = "Someone who is 50 % sure that a given row is in the data can be at most 73.2 % sure after this release, \
                   which multiplies the odds by at most e^1 = 2.7.";
    assert!(said.out.contains(meaning) && !said.out.contains("Note:"), "{}", said.out);
}

#[test]
fn an_epsilon_that_promises_nothing_is_called_that() {
    for (epsilon, odds) in [
        ("10", "may put it at 1 in 46 after the release."),
        ("100", "may be sure of it after the release, except for a chance of 1 in 2.7e37."),
        ("1000", "may be sure of it after the release, except for a chance of 1 in 2.0e428."),
    ] {
        let bench = bench(epsilon);
        let sentence = format!(
            "Note: Epsilon {epsilon} protects next to nothing: someone who put the chance that a given row is in the data at 1 in \
             a million {odds}"
        );
        let checked = bench.run(&["check", "plan.toml"]).out;
        assert!(checked.contains(&sentence), "{checked}");
        let released = release(&bench, "bundle");
        assert!(released.contains(&sentence), "{released}");
        assert_eq!(ids(&manifest(&bench, "bundle")["guarantee"]["notices"]), ["weak-guarantee"]);
    }
}

#[test]
fn a_fine_split_is_said_with_its_price() {
    let bench = bench("1");
    let statistic = |number: usize| format!("[[statistic]]\nname = \"more-{number}\"\nkind = \"count\"\n");
    let plan = file(&bench, "plan.toml") + &(0..12).map(statistic).collect::<String>();
    bench.write("plan.toml", plan);
    let sentence =
        "Note: Epsilon 1 is split over 15 statistics: the least part is 0.06667, and its noise is about 15 times";
    let checked = bench.run(&["check", "plan.toml"]).out;
    assert!(checked.contains(sentence) && release(&bench, "bundle").contains(sentence), "{checked}");
}

/// One statistic that spends a little of a large epsilon splits nothing.
#[test]
fn epsilon_that_is_not_spent_is_not_split() {
    let bench = Workbench::new();
    bench.write("rows.csv", "x\n1\n2\n");
    bench.write(
        "plan.toml",
        "data.path = 'rows.csv'\nprivacy = { unit = 'row', neighbours = 'add-remove', epsilon = 50 }\n\
         [[statistic]]\nname = 'rows'\nkind = 'count'\nwant = { rmse = 2 }\n",
    );
    let checked = bench.run(&["check", "plan.toml"]).out;
    assert!(checked.contains("of the 50 that the plan grants") && !checked.contains("split"), "{checked}");
    let released = release(&bench, "bundle");
    assert!(!released.contains("split"), "{released}");
}

/// A mean over 5 public rows with epsilon 1/10: the scale of the noise is twice the width of the bounds.
#[test]
fn noise_beyond_the_range_is_said_beside_the_statistic() {
    let bench = Workbench::new();
    bench.write(
        "plan.toml",
        r#"
[data]
path = "rows.csv"
[privacy]
unit = "row"
neighbours = "substitute"
rows = 5
epsilon = 0.1
[columns.age]
type = "integer"
lower = 0
upper = 1000000
missing = 40
[[statistic]]
name = "age"
kind = "mean"
column = "age"
"#,
    );
    let checked = bench.run(&["check", "plan.toml"]).out;
    assert!(checked.contains("age: Note: The noise exceeds the range: an RMSE of"), "{checked}");
    assert!(checked.contains("has 288,675 on average over the range"), "{checked}");
    let released = release(&bench, "bundle");
    assert!(released.contains("Note: The noise exceeds the range"), "{released}");
    let notices = manifest(&bench, "bundle");
    assert_eq!(ids(&notices["statistics"][0]["notices"]), ["intervals-fill-range", "noise-exceeds-range"]);
}

/// Five rows, and a sum whose bounds are a thousand times wider than its values.
#[test]
fn estimates_lost_in_their_noise_are_counted() {
    let bench = bench("1");
    bench.edit("upper = 1000", "upper = 1000000");
    let released = release(&bench, "bundle");
    assert!(released.contains("The estimate is smaller than its own plus-minus."), "{released}");
}
