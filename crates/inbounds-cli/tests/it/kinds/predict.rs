//! What a released model says of rows, and what it refuses.

use std::fs;

use serde_json::Value;

use super::{number, people, people_asked, released, table};

const ROWS: &str = "name,weight,height\nAda,95,190\nBo,45,152\nCy,,170\nDee,nan,170\n";

#[test]
fn probabilities_of_the_classes_add_up_to_one() {
    let bench = people("private-rows.toml");
    released(&bench);
    let said = bench.run(&["predict", "bundle", "people.csv", "--out", "predicted.csv"]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(said.out.contains("400 rows have a class"), "{}", said.out);
    let rows = table(&bench, "predicted.csv");
    let classes = ["small", "medium", "large"];
    for row in &rows {
        let probability = |class: &str| number(row, &format!("probability_{class}"));
        let total: f64 = classes.into_iter().map(probability).sum();
        assert!((total - 1.0).abs() < 1e-12, "{row:?}");
        assert!(classes.into_iter().all(|class| probability(class) <= probability(&row["predicted"])), "{row:?}");
    }
    // A guess is right in about 0.39 of the rows, where medium is most frequent.
    let right = rows.iter().filter(|row| row["predicted"] == row["shirt"]).count();
    assert!(right > 240, "{right} of {} are right", rows.len());
}

#[test]
fn rows_without_a_feature_have_no_class() {
    let bench = people("private-rows.toml");
    released(&bench);
    bench.write("new.csv", ROWS);
    let said = bench.run(&["predict", "bundle", "new.csv", "--out", "predicted.csv", "--json"]);
    let answer: Value = serde_json::from_str(&said.out).expect("JSON");
    assert_eq!((said.code, &answer["rows"], &answer["without"]), (0, &2.into(), &2.into()));
    let predicted: Vec<String> =
        table(&bench, "predicted.csv").into_iter().map(|mut row| row.remove("predicted").expect("a column")).collect();
    assert_eq!(predicted, ["large", "small", "", ""]);
    let said = bench.run(&["predict", "bundle", "new.csv", "--out", "again.csv"]);
    assert!(said.out.contains("2 rows have none: a feature is missing, unreadable or infinite"), "{}", said.out);
}

#[test]
fn what_cannot_be_predicted_is_told_and_nothing_is_lost() {
    let bench = people("private-rows.toml");
    released(&bench);
    bench.write("short.csv", "wieght,height\n70,170\n");
    bench.write("taken.csv", "mine");
    bench.write("ragged.csv", "weight,height\n70\n");
    bench.write("again.csv", "weight,height,predicted\n70,170,small\n");
    for (arguments, code, wanted) in [
        (
            &["bundle", "short.csv", "--out", "new.csv"][..],
            3,
            &["short.csv must have the column `weight`", "did you mean `wieght`?"][..],
        ),
        (&["bundle", "people.csv", "--out", "taken.csv"], 4, &["taken.csv", "does not exist yet"]),
        (&["bundle", "people.csv", "--out", "no/such/folder.csv"], 4, &["no/such/folder.csv"]),
        (&["bundle", "missing.csv", "--out", "new.csv"], 3, &["cannot read missing.csv"]),
        (&["bundle", "ragged.csv", "--out", "new.csv"], 3, &["cannot read ragged.csv"]),
        (&["bundle", "again.csv", "--out", "new.csv"], 3, &["again.csv has a column `predicted`", "rename or remove"]),
        (&["nowhere", "people.csv", "--out", "new.csv"], 3, &["cannot read nowhere/release.json"]),
        (
            &["bundle", "people.csv", "--out", "new.csv", "--statistic", "body"],
            2,
            &["no naive Bayes model `body`", "shirts (naive-bayes)"],
        ),
        (&["bundle", "people.csv"], 2, &["--out"]),
    ] {
        let said = bench.run(&[&["predict"], arguments].concat());
        assert_eq!(said.code, code, "{arguments:?}: {}", said.err);
        for words in wanted {
            assert!(said.err.contains(words), "{arguments:?}: no `{words}` in\n{}", said.err);
        }
    }
    assert_eq!(fs::read_to_string(bench.path("taken.csv")).expect("a file"), "mine");
    assert!(!bench.path("new.csv").exists());
}

#[test]
fn a_bundle_has_to_have_one_model_or_the_one_that_is_named() {
    let bench =
        people_asked("private-rows.toml", "[[statistic]]\nname = \"ages\"\nkind = \"mean\"\ncolumn = \"age\"\n");
    released(&bench);
    let said = bench.run(&["predict", "bundle", "people.csv", "--out", "new.csv"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("bundle holds no naive Bayes model; its statistics are ages (mean)"), "{}", said.err);
    let model = |name: &str, feature: &str| {
        format!(
            "[[statistic]]\nname = \"{name}\"\nkind = \"naive-bayes\"\ncolumns = [\"{feature}\"]\nby = [\"shirt\"]\n"
        )
    };
    let bench = people_asked("private-rows.toml", &(model("one", "height") + &model("two", "weight")));
    released(&bench);
    let said = bench.run(&["predict", "bundle", "people.csv", "--out", "new.csv"]);
    assert_eq!(said.code, 2);
    assert!(said.err.contains("several models: choose one with --statistic: one, two"), "{}", said.err);
    bench.write("new.csv", "weight\n70\n");
    let said = bench.run(&["predict", "bundle", "new.csv", "--out", "two.csv", "--statistic", "two"]);
    assert_eq!(said.code, 0, "{}", said.err);
}
