//! Wants that cannot be, each refused with its place and remedy.

use inbounds_release::{OpenedPlan, plan::Plan};

/// Mistakes in a plan of rows that are not there.
fn refused(epsilon: &str, statistics: &str) -> String {
    let text = format!(
        "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = {epsilon} }}\n\
         columns.age = {{ type = 'integer', lower = 0, upper = 100, missing = 'drop' }}\n\
         columns.sex = {{ type = 'text', values = ['f', 'm'] }}\n{statistics}"
    );
    let plan = Plan::parse(&text, "nowhere".as_ref()).unwrap_or_else(|errors| panic!("{errors}"));
    match OpenedPlan::with_or_without_data(&plan) {
        Ok(_) => "no mistake".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn one(epsilon: &str, rest: &str) -> String {
    refused(epsilon, &format!("[[statistic]]\nname = 'x'\n{rest}\n"))
}

#[test]
fn wants_of_what_is_not_known_are_refused() {
    for (rest, message, help) in [
        (
            "kind = 'quantile'\ncolumn = 'age'\nprobabilities = [0.5]\nwant = { rmse = 5 }",
            "`want` in statistic `x` must be left out: the error of kind = \"quantile\" depends on the values in the rows",
            "remove `want`, and give the statistic a `share`",
        ),
        (
            "kind = 'mean'\ncolumn = 'age'\nwant = { rmse = 5 }",
            "`want` in statistic `x` must have `rows`: the error depends on the number of rows, which is private",
            "want = { rmse = 0.5, rows = 1000 }",
        ),
        (
            "kind = 'count'\nwant = { rmse = 5, rows = 10 }",
            "`want` in statistic `x` must not have `rows`: the error does not depend on their number",
            "remove `rows` from `want`",
        ),
        (
            "kind = 'count'\nby = ['sex']\nlevels = ['all', 'sex']\nwant = { margin = 5 }",
            "`want` in statistic `x` must be an `rmse`: the intervals are simulated once the rows are read",
            "write want = { rmse = 5 }",
        ),
        (
            "kind = 'mean'\ncolumn = 'age'\nwant = { margin = 1e-9, rows = 1 }",
            "`want` in statistic `x` must be for more than 0.000000001 is: with epsilon = 1000000 the margin is still",
            "want a larger margin",
        ),
        (
            "kind = 'count'\nwant = { rmse = 5, about = { mean = 3 } }",
            "`want` in statistic `x` must not have `about`: the error of this kind = \"count\" is not stated by mean or standard deviation",
            "remove `about`; it is for means, variances and standard deviations over a private number of rows",
        ),
        (
            "kind = 'sum'\ncolumn = 'age'\nwant = { rmse = 5, about = { mean = 3 } }",
            "must not have `about`: the error of this kind = \"sum\"",
            "remove `about`",
        ),
        (
            "kind = 'mean'\ncolumn = 'age'\nby = ['sex']\nlevels = ['all', 'sex']\nwant = { rmse = 5, rows = 10, about = { mean = 3 } }",
            "must not have `about`: the error of this kind = \"mean\"",
            "without levels",
        ),
        (
            "kind = 'mean'\ncolumn = 'age'\nwant = { rmse = 5, rows = 10, about = { mean = 101 } }",
            "plan.toml:9:48: `mean` in `about` in `want` in statistic `x` must be between 0 and 100, got 101",
            "write a mean within the bounds of the column and the `range` of the statistic",
        ),
        (
            "kind = 'mean'\ncolumn = 'age'\nwant = { rmse = 5, rows = 10, about = { mean = 30, sd = 3 } }",
            "`sd` in `about` in `want` in statistic `x` must be left out, got 3: the error of a mean does not depend on the spread",
            "write about = { mean = ... } alone",
        ),
        (
            "kind = 'variance'\ncolumn = 'age'\nwant = { rmse = 5, rows = 10, about = { mean = 10, sd = 31 } }",
            "`sd` in `about` in `want` in statistic `x` must be at most 30, the largest with this mean within the bounds, got 31",
            "leave out `mean`",
        ),
        (
            "kind = 'standard-deviation'\ncolumn = 'age'\nwant = { rmse = 5, rows = 10, about = { sd = 51 } }",
            "`sd` in `about` in `want` in statistic `x` must be at most 50, half the width of the bounds, got 51",
            "write the standard deviation of the values as they are bounded",
        ),
    ] {
        let refusal = one("1", rest);
        assert!(refusal.contains(message) && refusal.contains(help), "{rest}\n{refusal}");
    }
}

#[test]
fn wants_beyond_the_grant_name_the_least_that_will_do_and_the_dearest() {
    let counts = "[[statistic]]\nname = 'cheap'\nkind = 'count'\nwant = { rmse = 50 }\n\
                  [[statistic]]\nname = 'dear'\nkind = 'count'\nwant = { rmse = 1 }\n";
    let refusal = refused("1", counts);
    let message = "`epsilon` in [privacy] must be 1.35 to give statistics what they want, got 1: `dear` is the dearest and needs 1.317";
    assert!(refusal.contains(message), "{refusal}");
    assert!(refusal.contains("write epsilon = 1.35, or \"least\" for the least that will do"), "{refusal}");
    assert_eq!(refused("1.35", counts), "no mistake");
    let rest = "[[statistic]]\nname = 'rest'\nkind = 'count'\n";
    let refusal = refused("1.34", &format!("{counts}{rest}"));
    assert!(refusal.contains("and leave other statistics something, got 1.34"), "{refusal}");
    assert_eq!(refused("1.35", &format!("{counts}{rest}")), "no mistake");
}

/// Another mistake of the statistic is told once, and nothing that follows from it.
#[test]
fn what_follows_from_a_mistake_is_not_told() {
    let refusal = one("'least'", "kind = 'sum'\ncolumn = 'age'\nrange = { lower = 0, upper = 1 }\nwant = { rmse = 5 }");
    assert!(refusal.contains("range") && !refusal.contains("`want`"), "{refusal}");
    assert_eq!(refusal.matches("plan.toml:").count(), 1, "{refusal}");
}
