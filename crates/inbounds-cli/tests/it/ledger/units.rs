//! The unit of a ledger: not only a name, but how it is made and read.

use std::fs;

use serde_json::Value;

use super::json;
use crate::workbench::Workbench;

/// Households that are looked up for persons: one of 100, whatever else there is.
const PLAN: &str = r#"
[data]
path = "d.csv"
[privacy]
unit = { column = "household", max_rows = 1 }
neighbours = "add-remove"
epsilon = 1
ledger = "d.ledger"
[columns.person]
type = "text"
[columns.household]
from = "person"
lookup = "homes.csv"
others = "alone"
[columns.a]
type = "text"
values = ["u", "v"]
[[statistic]]
name = "c"
kind = "count"
by = ["a"]
"#;

fn persons(range: std::ops::Range<u32>, cell: impl Fn(u32) -> String) -> String {
    range.map(|person| format!("p{person},{}\n", cell(person))).collect()
}

fn bench() -> Workbench {
    let bench = Workbench::new();
    bench.write("plan.toml", PLAN);
    bench
        .write("d.csv", format!("person,a\n{}", persons(0..200, |person| if person < 100 { "u" } else { "v" }.into())));
    bench.write("homes.csv", format!("person,household\n{}", persons(0..100, |_| "first".into())));
    create(&bench, "column=household");
    bench
}

fn create(bench: &Workbench, unit: &str) {
    let terms = ["--data", "d.csv", "--unit", unit, "--neighbours", "add-remove", "--epsilon", "100"];
    assert_eq!(bench.run(&[&["ledger", "create", "d.ledger"][..], &terms].concat()).code, 0);
}

fn shown(bench: &Workbench) -> Value {
    json(&bench.run(&["ledger", "show", "d.ledger", "--json"]).out)
}

/// Runs each command that asks the ledger; all must be refused with these words.
#[track_caller]
fn refused(bench: &Workbench, words: &[&str]) {
    for arguments in [&["release", "plan.toml", "--out", "refused"][..], &["check", "plan.toml"]] {
        let said = bench.run(arguments);
        assert_eq!(said.code, 9, "{arguments:?}: {}{}", said.out, said.err);
        for words in words {
            assert!(said.err.contains(words), "{words}: {}", said.err);
        }
    }
}

#[track_caller]
fn released(bench: &Workbench, out: &str) {
    let said = bench.run(&["release", "plan.toml", "--out", out]);
    assert_eq!(said.code, 0, "{}", said.err);
}

/// The case that a hostile audit found: each of 100 people is a household by the second lookup, and the household of
/// all of them lost 100 times what the ledger said.
#[test]
fn a_unit_that_is_made_by_another_lookup_is_another_unit() {
    let bench = bench();
    released(&bench, "first");
    bench.write("own.csv", format!("person,household\n{}", persons(0..200, |person| format!("p{person}"))));
    bench.edit("homes.csv", "own.csv");
    let words = [
        "the ledger protects all rows with the same `household`",
        "in another way than entry 1: the rule that makes `household` is",
        "recoded by 100 values",
        "recoded by 200 values",
        "Make and read the unit as that entry does",
        "inbounds ledger same-unit LEDGER PLAN",
    ];
    refused(&bench, &words);
    assert_eq!(shown(&bench)["spent"]["epsilon"], "1");
    assert!(!bench.path("refused").exists());

    // The same lookup under another name, with its lines in another order, makes the same units.
    let mut lines: Vec<String> = persons(0..100, |_| "first".into()).lines().map(str::to_owned).collect();
    lines.reverse();
    bench.write("own.csv", format!("person,household\n{}\n", lines.join("\n")));
    released(&bench, "second");
    // One person more in it: another unit.
    lines.push("p100,first".into());
    bench.write("own.csv", format!("person,household\n{}\n", lines.join("\n")));
    refused(&bench, &["recoded by 101 values"]);
}

/// Whatever decides which rows are one unit, changed one at a time.
#[test]
fn a_unit_that_is_read_in_another_way_is_another_unit() {
    let plain = PLAN
        .replace("from = \"person\"\nlookup = \"homes.csv\"\nothers = \"alone\"", "type = \"text\"")
        .replace("[columns.person]\ntype = \"text\"\n", "");
    let base = Workbench::new();
    base.write("d.csv", "household,a\n1,u\n 1,u\n2,v\n");
    for (place, to, words) in [
        (
            "type = \"text\"\n[columns.a]",
            "type = \"integer\"\n[columns.a]",
            "`type` of `household` is text there and integer",
        ),
        (
            "type = \"text\"\n[columns.a]",
            "type = \"text\"\ntrim = false\n[columns.a]",
            "`trim` of `household` is true there and false",
        ),
        (
            "type = \"text\"\n[columns.a]",
            "type = \"text\"\nmissing_values = [\"1\"]\n[columns.a]",
            "`missing_values` of `household` is",
        ),
        ("path = \"d.csv\"", "path = \"d.csv\"\nmissing_values = [\"1\"]", "`missing_values` of `household` is"),
        ("path = \"d.csv\"", "path = \"d.csv\"\nquote = \"\"", "`quote` of [data] is"),
        (
            "path = \"d.csv\"",
            "path = \"d.csv\"\nencoding = \"latin-1\"",
            "`encoding` of [data] is utf-8 there and latin-1",
        ),
    ] {
        let bench = Workbench::new();
        bench.write("plan.toml", &plain);
        bench.write("d.csv", fs::read(base.path("d.csv")).expect("rows"));
        create(&bench, "column=household");
        released(&bench, "first");
        bench.edit(place, to);
        refused(&bench, &[words]);
    }
}

/// Another line that names the columns makes another column of the same name.
#[test]
fn a_unit_that_another_line_names_is_another_unit() {
    let plan = PLAN
        .replace("from = \"person\"\nlookup = \"homes.csv\"\nothers = \"alone\"", "type = \"text\"")
        .replace("[columns.person]\ntype = \"text\"\n", "");
    for (rows, to, words) in [
        ("household,a\na,household\n1,2\n", "skip = 1", "`skip` of [data] is 0 there and 1 in the plan"),
        ("#,household,a\nhousehold,b,a\n1,2,u\n", "comment = \"#\"", "`comment` of [data] is"),
    ] {
        let bench = Workbench::new();
        bench.write("plan.toml", &plan);
        bench.write("d.csv", rows);
        create(&bench, "column=household");
        released(&bench, "first");
        bench.edit("path = \"d.csv\"", &format!("path = \"d.csv\"\n{to}"));
        refused(&bench, &[words]);
    }
}

/// The columns of a lookup may stand in another order, with their values; values that change places make other units.
#[test]
fn columns_of_a_lookup_keep_their_values() {
    let bench = Workbench::new();
    let plan = PLAN
        .replace("from = \"person\"", "from = [\"person\", \"street\"]")
        .replace("[columns.person]", "[columns.street]\ntype = \"text\"\n[columns.person]");
    bench.write("plan.toml", plan);
    bench.write("d.csv", "person,street,a\nx,y,u\ny,x,v\n");
    bench.write("homes.csv", "person,street,household\nx,y,first\n");
    create(&bench, "column=household");
    released(&bench, "first");
    bench.edit("from = [\"person\", \"street\"]", "from = [\"street\", \"person\"]");
    released(&bench, "second");
    // The tuples in the order of the columns are those of the first lookup, and belong to other columns.
    bench.write("homes.csv", "street,person,household\nx,y,first\n");
    refused(&bench, &["the rule that makes `household` is", "looked up among 1 rows"]);
}

/// What decides nothing of it may change: other columns, how much of a unit is used, titles, and the order of
/// spellings.
#[test]
fn plans_may_differ_in_all_that_makes_no_other_unit() {
    let bench = bench();
    released(&bench, "first");
    for (number, (from, to)) in [
        ("max_rows = 1", "max_rows = 3"),
        ("values = [\"u\", \"v\"]", "values = [\"u\", \"v\"]\nmissing_values = [\"x\"]"),
        ("path = \"d.csv\"", "path = \"d.csv\"\ndecimal = \",\""),
        ("[data]", "title = \"another\"\n[data]"),
    ]
    .into_iter()
    .enumerate()
    {
        bench.edit(from, to);
        released(&bench, &format!("again-{number}"));
    }
}

/// A mistake in the unit of a first release that died is no fate: what is voided decides nothing.
#[test]
fn a_voided_release_says_nothing_of_the_unit_and_a_person_can_say_that_units_are_the_same() {
    let bench = bench();
    released(&bench, "first");
    bench.write("own.csv", format!("person,household\n{}", persons(0..101, |_| "first".into())));
    bench.edit("homes.csv", "own.csv");
    refused(&bench, &["recoded by 101 values"]);
    let said = bench.run(&["ledger", "same-unit", "d.ledger", "plan.toml", "--reason", "p100 has no row"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(
        said.out.contains("Another way to make or read the unit names the same units: p100 has no row"),
        "{}",
        said.out
    );
    released(&bench, "second");
    bench.edit("own.csv", "homes.csv");
    released(&bench, "third");
    // A plan about another unit is none that can be admitted.
    bench.edit("column = \"household\"", "column = \"person\"");
    let said = bench.run(&["ledger", "same-unit", "d.ledger", "plan.toml", "--reason", "no"]);
    assert!(said.code == 9 && said.err.contains("the plan protects all rows with the same `person`"), "{}", said.err);
}

/// A file of February has rows of the same people, and their budget is the one they have.
#[test]
fn another_file_of_the_same_people_gets_no_second_budget() {
    let bench = bench();
    released(&bench, "january");
    fs::copy(bench.path("d.csv"), bench.path("february.csv")).expect("copies");
    bench.edit("path = \"d.csv\"", "path = \"february.csv\"\nname = \"patients\"");
    let said = bench.run(&["release", "plan.toml", "--out", "february"]);
    assert_eq!(said.code, 9);
    for words in
        ["add the file to the data set of the ledger", "inbounds ledger name LEDGER NAME", "name = \"NAME\" in [data]"]
    {
        assert!(said.err.contains(words), "{words}: {}", said.err);
    }
    assert!(!said.err.contains("ledger create"), "{}", said.err);
    let named = bench.run(&["ledger", "name", "d.ledger", "patients", "--reason", "the hospital sends a file a month"]);
    assert_eq!(named.code, 0, "{}", named.err);
    released(&bench, "february");
    assert_eq!(shown(&bench)["spent"]["epsilon"], "2");
    bench.edit("name = \"patients\"", "name = \"staff\"");
    assert_eq!(bench.run(&["release", "plan.toml", "--out", "staff"]).code, 9);
    assert_eq!(shown(&bench)["entries"][3]["deed"], "named");
}
