//! A naive Bayes model works by default, says when it does not, and is never half impossible.

use super::{Workbench, file, manifest, people, rows};

const CLASSES: [&str; 3] = ["ash", "birch", "cedar"];

/// Leaves of three trees by thirteen measures between 0 and 10, whose deviations are about 1.
fn leaves(rows: usize) -> String {
    let mut text: String = (0..13).map(|j| format!("x{j},")).collect();
    text.push_str("tree\n");
    for i in 0..rows {
        let class = i % 3;
        for j in 0..13 {
            // A sum of sines of unlike periods is close to normal.
            let noise: f64 = (1..=6).map(|k| ((i * (7 * k + 13 * j + 1)) as f64 * 0.731 + (k * j) as f64).sin()).sum();
            let mean = 5.0 + ((class * (j + 2)) as f64 * 1.7).sin() * 1.2;
            text.push_str(&format!("{:.3},", mean + noise / 3f64.sqrt()));
        }
        text.push_str(CLASSES[class]);
        text.push('\n');
    }
    text
}

fn plan(epsilon: &str) -> String {
    let columns: String = (0..13)
        .map(|j| format!("[columns.x{j}]\ntype = \"number\"\nlower = 0\nupper = 10\nmissing = \"drop\"\n"))
        .collect();
    let names: Vec<String> = (0..13).map(|j| format!("\"x{j}\"")).collect();
    format!(
        "[data]\npath = \"leaves.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = {epsilon}\n{columns}\
         [columns.tree]\ntype = \"text\"\nvalues = [\"ash\", \"birch\", \"cedar\"]\n\
         [[statistic]]\nname = \"trees\"\nkind = \"naive-bayes\"\ncolumns = [{}]\nby = [\"tree\"]\n",
        names.join(", ")
    )
}

fn released(epsilon: &str, seed: &str) -> (Workbench, String) {
    let bench = Workbench::new();
    bench.write("leaves.csv", leaves(900));
    bench.write("plan.toml", plan(epsilon));
    let said = bench.run(&["release", "plan.toml", "--out", "bundle", "--seed", seed, "--not-private"]);
    assert_eq!(said.code, 0, "{}", said.err);
    (bench, said.out)
}

/// The share of the rows that the default model of a bundle classifies correctly.
fn accuracy(bench: &Workbench, file: &str, label: &str) -> f64 {
    let said = bench.run(&["predict", "bundle", file, "--out", "predicted.csv"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let rows = rows(bench, "predicted.csv");
    let classified: Vec<_> = rows.iter().filter(|row| !row["predicted"].is_empty()).collect();
    classified.iter().filter(|row| row["predicted"] == row[label]).count() as f64 / classified.len() as f64
}

#[test]
fn the_default_model_classifies_and_one_of_noise_says_so() {
    let (bench, said) = released("5", "1");
    let found = accuracy(&bench, "leaves.csv", "tree");
    assert!(found > 0.7, "a guess is right for a third of the rows, this model for {found}");
    assert!(!said.contains("no better than a guess"), "{said}");
    let (bench, said) = released("0.003", "1");
    let notices = manifest(&bench, "bundle")["statistics"][0]["notices"].to_string();
    assert!(notices.contains("variances-like-noise"), "{notices}");
    assert!(said.replace('\n', " ").contains("are smaller than their noise"), "{said}");
}

#[test]
fn check_says_what_a_model_will_be_worth() {
    let bench = Workbench::new();
    bench.write("leaves.csv", leaves(30));
    for (epsilon, useless) in [("0.01", true), ("100", false)] {
        bench.write("plan.toml", plan(epsilon));
        let said = bench.run(&["check", "plan.toml"]);
        let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(said.code, 0, "{}", said.err);
        assert!(text.contains("a guess 33 %"), "{text}");
        assert_eq!(text.contains("so it is useless there"), useless, "{text}");
    }
}

#[test]
fn a_model_with_an_impossible_class_is_refused() {
    let (bench, _) = released("5", "1");
    let kept = file(&bench, "bundle/estimates.csv");
    let row = kept.lines().find(|line| line.contains("birch") && line.contains("variance of x3")).expect("a row");
    let estimate = rows(&bench, "bundle/estimates.csv")
        .into_iter()
        .find(|row| row["by_tree"] == "birch" && row["output"] == "variance of x3")
        .expect("a row")["estimate"]
        .clone();
    bench.write("bundle/estimates.csv", kept.replace(row, &row.replacen(&estimate, "0", 1)));
    let said = bench.run(&["predict", "bundle", "leaves.csv", "--out", "predicted.csv"]);
    assert_eq!(said.code, 3, "{}", said.out);
    assert!(said.err.contains("class `birch`") && said.err.contains("impossible"), "{}", said.err);
}

/// Sex by five measures of real people: a noise-free model is right for 0.76, a guess for 0.5.
#[test]
fn a_model_of_real_people_works_at_epsilon_one() {
    let bench = Workbench::new();
    if !people(&bench, "nhanes_2009_2012.csv") {
        return;
    }
    let bounds =
        [("Height", 100, 210), ("Weight", 20, 200), ("BPSysAve", 70, 240), ("Pulse", 30, 160), ("TotChol", 1, 12)];
    let columns: String = bounds
        .map(|(name, l, u)| {
            format!("[columns.{name}]\ntype = \"number\"\nlower = {l}\nupper = {u}\nmissing = \"drop\"\n")
        })
        .concat();
    bench.write(
        "plan.toml",
        format!(
            "[data]\npath = \"nhanes_2009_2012.csv\"\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 1\n{columns}\
             [columns.Gender]\ntype = \"text\"\nvalues = [\"male\", \"female\"]\n[[statistic]]\nname = \"sex\"\n\
             kind = \"naive-bayes\"\ncolumns = [\"Height\", \"Weight\", \"BPSysAve\", \"Pulse\", \"TotChol\"]\nby = [\"Gender\"]\n"
        ),
    );
    let said = bench.run(&["release", "plan.toml", "--out", "bundle", "--seed", "1", "--not-private"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let found = accuracy(&bench, "nhanes_2009_2012.csv", "Gender");
    assert!(found > 0.7, "{found}");
}
