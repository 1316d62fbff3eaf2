//! Predictions read rows as the release read its own.

use super::{Workbench, file, rows};

/// Rows are read as the release read its own: codes are no numbers, and numbers have separators.
#[test]
fn rows_are_predicted_by_the_rules_of_the_plan() {
    let bench = Workbench::new();
    let rows: String = (0..400)
        .map(|i| {
            let (kind, centre) = if i % 2 == 0 { ("small", 1_500) } else { ("large", 7_500) };
            format!("\"{},{:03}\",{},{kind}\n", centre / 1000, (i * 37) % 1000, 20 + 40 * (i % 2))
        })
        .collect();
    bench.write("sizes.csv", format!("weight,age,kind\n{rows}"));
    bench.write(
        "plan.toml",
        "[data]\npath = \"sizes.csv\"\nmissing_values = [-99]\n[privacy]\nunit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 50\n\
         [columns.weight]\ntype = \"number\"\nlower = 0\nupper = 10_000\nmissing = \"drop\"\nthousands = \",\"\n\
         [columns.age]\ntype = \"integer\"\nlower = 0\nupper = 100\nmissing = 60\n\
         [columns.kind]\ntype = \"text\"\nvalues = [\"small\", \"large\"]\n\
         [[statistic]]\nname = \"kinds\"\nkind = \"naive-bayes\"\ncolumns = [\"weight\", \"age\"]\nby = [\"kind\"]\n",
    );
    bench.seeded("plan.toml", "bundle", "1");
    // A byte order mark, thousands, a code where rows are dropped, one where 60 stands for it, and a fraction of an
    // integer.
    bench.write(
        "new.csv",
        "\u{feff}weight,age\n\"7,500\",60\n 1500 ,20.0\n-99,20\n\"7,900\",-99\n\"1,234\",20.5\nheavy,60\n",
    );
    let said = bench.run(&["predict", "bundle", "new.csv", "--out", "predicted.csv"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let predictions: Vec<String> = rows_of(&bench, "predicted.csv");
    assert_eq!(predictions[..4], ["large", "small", "", "large"]);
    assert_eq!(predictions[5], "");
    let text = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    for words in [
        "4 rows have a class",
        "2 of them lack a number in some column, which counts as the plan's `missing` says",
        "2 rows have none",
        "2 rows have cells that the plan's rules cannot read: 1 in `weight`, 1 in `age`",
    ] {
        assert!(text.contains(words), "no `{words}` in {text}");
    }
    // Without its plan the reading of cells is not known.
    let kept = file(&bench, "bundle/plan.toml");
    bench.write("bundle/plan.toml", kept.replace("[-99]", "[-98]"));
    let said = bench.run(&["predict", "bundle", "new.csv", "--out", "again.csv"]);
    assert_eq!(said.code, 3, "{}", said.out);
    assert!(said.err.contains("is not the plan of this release"), "{}", said.err);
}

fn rows_of(bench: &Workbench, path: &str) -> Vec<String> {
    rows(bench, path).into_iter().map(|mut row| row.remove("predicted").expect("a column")).collect()
}
