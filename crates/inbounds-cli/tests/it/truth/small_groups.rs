//! A group that noise beats says so, and the bias that is shown is one that holds wherever the interval does.

use super::{Workbench, file, manifest, rows};

/// Two groups: 3 rows, and 3,000.
fn bench() -> Workbench {
    let bench = Workbench::new();
    let mut text = String::from("place,cost\n");
    for row in 0..3003 {
        text += &format!("{},{}\n", if row < 3 { "small" } else { "large" }, 2000 + row % 100);
    }
    bench.write("rows.csv", text);
    bench.write(
        "plan.toml",
        r#"
[data]
path = "rows.csv"

[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 0.4

[columns.place]
type = "text"
values = ["small", "large", "empty"]

[columns.cost]
type = "number"
lower = 0
upper = 10000
missing = "drop"

[[statistic]]
name = "mean-cost"
kind = "mean"
column = "cost"
by = ["place"]

[[statistic]]
name = "stays"
kind = "count"
by = ["place"]
mechanism = "conditioned"
"#,
    );
    bench
}

#[test]
fn a_mean_of_three_rows_tells_nothing() {
    let bench = bench();
    let (mut small, mut shown, mut crosses) = (0, 0, 0);
    for seed in 1..=8u32 {
        let (out, seed) = (format!("out{seed}"), seed.to_string());
        let said = bench.seeded("plan.toml", &out, &seed);
        let estimates = rows(&bench, &format!("{out}/estimates.csv"));
        let nothing: Vec<&str> = estimates[..3].iter().map(|row| row["tells_nothing"].as_str()).collect();
        assert_eq!(nothing[1], "false", "{:?}", estimates[1]);
        let cross = "A cross is the noisy number before it was moved into its range.";
        crosses += usize::from(file(&bench, &format!("{out}/report.html")).contains(cross));
        small += nothing.iter().filter(|word| **word == "true").count();
        let count = nothing.iter().filter(|word| **word == "true").count();
        if count > 0 {
            shown += 1;
            let is = if count == 1 { "is" } else { "are" };
            let sentence = format!("{count} of 3 estimates {is} too uncertain to use");
            assert!(said.out.contains(&sentence), "{sentence}\n{}", said.out);
            assert!(file(&bench, &format!("{out}/report.html")).contains(&sentence), "{sentence}");
            let notices = manifest(&bench, &out)["statistics"][0]["notices"].to_string();
            assert!(notices.contains("intervals-fill-range"), "{notices}");
        }
    }
    // A noisy number of rows of scale 2.5 around 0 and 3 is seldom large enough to say where the mean is.
    assert!(small >= 10 && shown >= 6 && crosses > 0, "{small} {shown} {crosses}");
}

/// A conditioned count of no rows at a small epsilon: the bias at the estimate is smaller than that at the truth, and
/// the one over the interval is not, wherever the interval covers.
#[test]
fn the_bias_over_the_interval_holds_where_the_interval_covers() {
    let bench = bench();
    let (mut understated, mut covered) = (0, 0);
    let mut errors = Vec::new();
    let mut stated: Vec<f64> = Vec::new();
    for seed in 1..=40u32 {
        let (out, seed) = (format!("out{seed}"), seed.to_string());
        bench.seeded("plan.toml", &out, &seed);
        let estimates = rows(&bench, &format!("{out}/estimates.csv"));
        let empty = &estimates[5];
        let number = |column: &str| empty[column].parse::<f64>().expect("a number");
        errors.push(number("estimate"));
        let over = number("bias_over_interval");
        assert!(over.abs() >= number("bias_at_estimate").abs() && number("worst_bias") >= over.abs(), "{empty:?}");
        if number("interval_lower") <= 0.0 {
            covered += 1;
            stated.push(over);
            understated += usize::from(number("bias_at_estimate") < 0.75 * number("worst_bias"));
        }
    }
    // The worst bias is that of an empty cell; the mean of 40 estimates is near it.
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    assert!(covered >= 32 && understated >= 10, "{covered} {understated}");
    assert!(stated.iter().all(|bias| (bias - stated[0]).abs() < 1e-9), "{stated:?}");
    // The estimates have a standard deviation of about their mean, so 40 of them tell it to a sixth.
    assert!((mean / stated[0] - 1.0).abs() < 0.64, "{mean} {}", stated[0]);
}

/// A published key that no row has: its number is too high by the whole threshold. The bias that the table, the
/// terminal and the page show beside it is the largest over its interval, and at least that, where the one at the
/// estimate is far below.
#[test]
fn a_published_key_without_rows_is_shown_with_the_bias_over_its_interval() {
    let bench = Workbench::new();
    bench.write("rows.csv", format!("code\n{}", "101\n".repeat(300)));
    bench.write(
        "plan.toml",
        r#"
data.path = "rows.csv"
columns.code = { type = "integer", lower = 0, upper = 29999, missing = "drop" }
privacy = { unit = "row", neighbours = "add-remove", epsilon = 1 }
statistic = [{ name = "codes", kind = "count", by = ["code"], learn_keys = true, spurious = 5 }]
"#,
    );
    let (mut empty, mut low) = (0, 0);
    for seed in 1..=8u32 {
        let (out, seed) = (format!("out{seed}"), seed.to_string());
        let said = bench.seeded("plan.toml", &out, &seed);
        let page = file(&bench, &format!("{out}/report.html"));
        for row in rows(&bench, &format!("{out}/estimates.csv")).iter().filter(|row| row["by_code"] != "101") {
            let number = |column: &str| row[column].parse::<f64>().expect("a number");
            let [over, here] = ["bias_over_interval", "bias_at_estimate"].map(number);
            // Of a cell without rows the bias is the threshold and the mean of a geometric number more.
            empty += 1;
            low += usize::from(number("interval_lower") <= 0.0 && here < 1.0 && over > number("estimate") - 3.0);
            if number("interval_lower") > 0.0 {
                continue;
            }
            let shown = format!("{over:.3}");
            let line = said.out.lines().find(|line| line.split_whitespace().next() == Some(row["by_code"].as_str()));
            assert!(line.is_some_and(|line| line.contains(&shown)), "{shown} is not in {line:?}");
            assert!(page.contains(&shown), "{shown} is not in the page");
        }
    }
    assert!(empty >= 10 && 10 * low >= 8 * empty, "{empty} {low}");
}
