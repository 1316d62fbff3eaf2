//! Tables at every level with the listed margins alone.

use std::{collections::BTreeMap, fs, path::Path};

use inbounds_release::{Randomness, Silent, plan::Plan, release};
use tempfile::TempDir;

const PLAN: &str = r#"
data.path = "rows.csv"
[privacy]
unit = "row"
neighbours = "add-remove"
epsilon = 1
[columns]
age = { type = "text", values = ["child", "adult"] }
sex = { type = "text", values = ["f", "m"] }
state = { type = "text" }
county = { type = "text" }
hours = { type = "integer", lower = 0, upper = 40, missing = "drop" }
[[statistic]]
name = "a"
by = ["state", "county", "age", "sex"]
keys = "places.csv"
levels = ["all", "state", "county"]
margins = [["age", "sex"], ["age"]]
"#;

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    let mut rows = "state,county,age,sex,hours\n".to_owned();
    for (place, county) in ["N,n1", "N,n2", "S,s1"].into_iter().enumerate() {
        for (kind, cell) in ["child,f", "child,m", "adult,f"].into_iter().enumerate() {
            rows.push_str(&format!("{county},{cell},{}\n", 10 * kind).repeat(20 * place + 5 * kind + 3));
        }
    }
    fs::write(folder.path().join("rows.csv"), &rows).expect("writes");
    fs::write(folder.path().join("places.csv"), "state,county\nN,n1\nN,n2\nS,s1\n").expect("writes");
    folder
}

/// Published properties of each number, by its margin, level and values.
fn published(folder: &Path, statistic: &str) -> BTreeMap<String, String> {
    let plan = Plan::parse(&format!("{PLAN}{statistic}"), folder).expect("a good plan");
    let out = folder.join("bundle");
    let released = release(&plan, &out, Randomness::Seeded(5), &Silent).expect("releases");
    fs::remove_dir_all(&out).expect("removes");
    let statistic = &released.statistics[0];
    let labels = statistic.task.labels();
    let name = |label: inbounds_release::Label<'_>| {
        let values: Vec<String> = label.key.values().map(ToString::to_string).collect();
        format!("{} {} {}", label.granularity.expect("levels"), values.join("/"), label.name)
    };
    labels.iter().map(name).zip(statistic.estimates.iter().map(|estimate| format!("{estimate:?}"))).collect()
}

#[test]
fn what_is_listed_is_published_with_the_same_numbers() {
    let folder = folder();
    for kind in ["kind = 'count'\n", "kind = 'sum'\ncolumn = 'hours'\n", "kind = 'mean'\ncolumn = 'hours'\n"] {
        for fit in ["", "fit = 'shrunk'\n", "margin_shares = 'balanced'\nlevel_shares = 'balanced'\n"] {
            let all = published(folder.path(), &format!("{kind}{fit}"));
            let listed = published(folder.path(), &format!("{kind}{fit}every_margin = false\n"));
            // Six places, with four cells and two ages each, where all margins have two sexes and a total besides.
            assert_eq!(all.len() * 6, listed.len() * 9, "{kind}{fit}");
            for (name, estimate) in listed {
                assert_eq!(all[&name], estimate, "{kind}{fit}{name}");
            }
        }
    }
}

#[test]
fn only_tables_at_every_level_leave_margins_out() {
    let folder = folder();
    let refused = |text: &str| {
        let error = Plan::parse(text, folder.path()).expect_err("a mistake");
        error.to_string()
    };
    let alone = PLAN
        .replace("levels = [\"all\", \"state\", \"county\"]\n", "")
        .replace("[[\"age\"", "[[\"state\", \"county\", \"age\"");
    let refusal = refused(&format!("{alone}kind = 'count'\nevery_margin = false\n"));
    assert!(refusal.contains("`every_margin` in statistic `a` must come with `levels` and `margins`"), "{refusal}");
    let public = "kind = 'count'\nevery_margin = false\npublic = [{ level = 'all', number = 100 }]\n";
    let refusal = refused(&format!("{PLAN}{public}"));
    assert!(refusal.contains("each `margin` of `public` in statistic `a` must be one of `margins`"), "{refusal}");
}
