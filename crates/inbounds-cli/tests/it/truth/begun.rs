//! A first plan is written from a header or schema alone, and is in order from the first moment.

use super::*;
use crate::workbench::ROWS;

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

/// The same table in other formats: the schema is checked, the rows are counted and the same estimates are released.
#[test]
fn other_formats_release_the_same() {
    let bench = Workbench::new();
    bench.seeded("plan.toml", "csv", "7");
    let rows: Vec<Vec<&str>> = ROWS.lines().map(|line| line.split(',').collect()).collect();
    let (header, rows) = (&rows[0], &rows[1..]);
    let json = |row: &Vec<&str>| {
        let field = |(name, cell): (&&str, &&str)| format!("\"{name}\": \"{cell}\"");
        format!("{{{}}}\n", header.iter().zip(row).map(field).collect::<Vec<_>>().join(", "))
    };
    bench.write("rows.jsonl", rows.iter().map(json).collect::<String>());
    bench.write("rows.tsv", ROWS.replace(',', "\t"));
    for sex in ["f", "m", "x"] {
        let folder = bench.path("parts").join(format!("sex={sex}"));
        std::fs::create_dir_all(&folder).expect("a new folder");
        let own = rows.iter().filter(|row| row[1] == sex);
        let lines: String = own.map(|row| format!("{},{},{}\n", row[0], row[2], row[3])).collect();
        bench.write(&format!("parts/sex={sex}/rows.csv"), format!("id,age,income\n{lines}"));
    }
    let plan = file(&bench, "plan.toml");
    for (name, data) in [
        ("jsonl", "path = \"rows.jsonl\""),
        ("tsv", "path = \"rows.tsv\""),
        ("parts", "path = \"parts\"\nformat = \"csv\""),
    ] {
        let (path, bundle) = (format!("{name}.toml"), format!("{name}-bundle"));
        bench.write(&path, plan.replace("path = \"rows.csv\"", data));
        let checked = bench.run(&["check", &path]);
        assert_eq!(checked.code, 0, "{}", checked.err);
        let peeked = bench.run(&["peek", &path]);
        assert!(peeked.code == 0 && peeked.out == bench.run(&["peek", "plan.toml"]).out, "{}", peeked.out);
        bench.seeded(&path, &bundle, "7");
        assert_eq!(file(&bench, &format!("{bundle}/estimates.csv")), file(&bench, "csv/estimates.csv"), "{name}");
        let first = format!("first-{name}.toml");
        let said = bench.run(&["plan", "init", data.split('"').nth(1).expect("a path"), "--out", &first]);
        assert!(said.code == 0 && file(&bench, &first).contains("# [columns.income]"), "{}", said.err);
        assert_eq!(bench.run(&["check", &first]).code, 0, "{}", file(&bench, &first));
    }
}
