//! A first plan is written from a header or schema alone, and is in order from the first moment.

use super::*;

#[test]
fn a_first_plan_is_in_order_and_asks_for_the_rest() {
    let bench = Workbench::new();
    let lines: String = (0..300_000).map(|i| format!("{},f\n", i % 90)).collect();
    bench.write("large.csv", format!("age in years,sex\n{lines}"));
    let said = bench.run(&["plan", "init", "large.csv", "--out", "first.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let plan = file(&bench, "first.toml");
    for words in [
        "[columns.\"age in years\"]",
        "[columns.sex]",
        "# diagnostics = 0.01",
        "proposed, as the file is large (",
        "(?)",
    ] {
        assert!(plan.contains(words), "no `{words}` in\n{plan}");
    }
    assert!(plan.lines().all(|line| line.chars().count() <= 120), "{plan}");
    let checked = bench.run(&["check", "first.toml"]);
    assert_eq!(checked.code, 0, "{}", checked.err);
    assert!(checked.out.contains("all-rows"), "{}", checked.out);
    // The proposal is taken by whoever groups by or reads a column.
    let answered = plan
        .replace("# diagnostics", "diagnostics")
        .replace("# [columns.sex]", "[columns.sex]\ntype = \"text\"\nvalues = [\"f\"]");
    let by_sex = "[[statistic]]\nname = \"by-sex\"\nkind = \"count\"\nby = [\"sex\"]\n";
    bench.write("answered.toml", format!("{answered}\n{by_sex}"));
    bench.seeded("answered.toml", "bundle", "1");
}

#[test]
fn nothing_is_overwritten_and_no_row_is_read() {
    let bench = Workbench::new();
    let said = bench.run(&["plan", "init", "rows.csv"]);
    assert_eq!(said.code, 4, "plan.toml is there: {}", said.err);
    let said = bench.run(&["plan", "init", "nothing.csv", "--out", "new.toml"]);
    assert_eq!(said.code, 3, "{}", said.err);
    assert!(!bench.path("new.toml").exists());
    // A first line that is no header is refused, and not shown.
    bench.write("nohead.csv", "Anna,34,ill\nBeat,51,well\n");
    let said = bench.run(&["plan", "init", "nohead.csv", "--out", "new.toml"]);
    assert!(said.code == 3 && !said.err.contains("Anna"), "{}", said.err);
}
