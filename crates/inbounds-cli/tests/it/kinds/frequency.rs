//! Rows that stand for several people.

use std::fs;

use super::{number, table};
use crate::workbench::Workbench;

const PLAN: &str = "[data]\npath = \"FILE\"\nFREQUENCY\n[privacy]\nunit = UNIT\nneighbours = \"add-remove\"\nepsilon = 2\n\
    [columns.sex]\ntype = \"text\"\nvalues = [\"f\", \"m\"]\n\
    [columns.age]\ntype = \"integer\"\nlower = 0\nupper = 100\nmissing = \"drop\"\n\
    [columns.n]\ntype = \"integer\"\nlower = 0\nupper = 50\n\
    [[statistic]]\nname = \"people\"\nkind = \"count\"\nby = [\"sex\"]\n\
    [[statistic]]\nname = \"age\"\nkind = \"mean\"\ncolumn = \"age\"\n";

fn plan(file: &str, frequency: &str, unit: &str) -> String {
    PLAN.replace("FILE", file).replace("FREQUENCY", frequency).replace("UNIT", unit)
}

/// The measurements of a short table with numbers are those of the long one; the noise is that of one person.
#[test]
fn a_table_of_numbers_of_people_is_released_as_one_of_people() {
    let bench = Workbench::new();
    let rows: Vec<(String, usize)> =
        (0..400).map(|row| (format!("{},{}", ["f", "m"][row % 2], row % 97), [0, 1, 3, 50][row % 4])).collect();
    let short: String = rows.iter().map(|(row, times)| format!("{row},{}\n", times + times / 50)).collect();
    let long: String = rows.iter().map(|(row, times)| format!("{row},1\n").repeat(*times)).collect();
    bench.write("short.csv", format!("sex,age,n\n{short}"));
    bench.write("long.csv", format!("sex,age,n\n{long}"));
    let measured = |file: &str, frequency: &str, unit: &str| {
        bench.write("plan.toml", plan(file, frequency, unit));
        let _ = fs::remove_dir_all(bench.path("bundle"));
        let said = bench.seeded("plan.toml", "bundle", "3");
        assert_eq!(said.code, 0, "{}", said.err);
        let rows = table(&bench, "bundle/measurements.csv");
        rows.iter().map(|row| number(row, "measurement")).collect::<Vec<_>>()
    };
    let once = measured("long.csv", "", "\"row\"");
    assert_eq!(measured("short.csv", "frequency = \"n\"", "\"row\""), once);
    let manifest = fs::read_to_string(bench.path("bundle/release.json")).expect("a manifest");
    assert!(manifest.contains("\"privacy_unit\": \"one of those that `n` counts\""), "{manifest}");
    let rule = "Each row stands for as many equal rows as its `n` says, clipped to 0 to 50; a row without a readable number is left out.";
    assert!(manifest.contains(rule), "{manifest}");
    // A unit that is a whole row of at most 50 people has noise for 50.
    let weighted = measured("short.csv", "frequency = \"n\"", "{ max_rows = 50 }");
    assert!(weighted.iter().zip(&once).any(|(weighted, once)| (weighted - once).abs() > 10.0), "{weighted:?} {once:?}");
}

/// Lines that do not say how many people they stand for are lines, no people: no part of the people is said of them,
/// and the curator sees how the cells are read.
#[test]
fn lines_without_a_number_are_counted_as_lines() {
    let bench = Workbench::new();
    let cells = ["2", "x", "", "-1", "99999"];
    let lines: String = (0..500).map(|line| format!("f,30,{}\n", cells[line % 5])).collect();
    bench.write("short.csv", format!("sex,age,n\n{lines}"));
    bench.write("plan.toml", plan("short.csv", "frequency = \"n\"", "\"row\"").replace("epsilon = 2", "epsilon = 200"));
    let said = bench.seeded("plan.toml", "bundle", "3");
    let text = |out: &str| out.split_whitespace().collect::<Vec<_>>().join(" ");
    let as_one = "100 rows (± 0 at 95 %), a line without a readable `n` counted as one,";
    for sentence in [
        format!("About {as_one} have a cell of `n` that could not be read as the plan says, and are in none"),
        format!("About {as_one} have no value of `n`, and are in none of these numbers."),
    ] {
        assert!(said.code == 0 && text(&said.out).contains(&sentence), "{sentence}\n{}{}", said.out, said.err);
    }
    assert!(!said.out.contains(" % of `n`"), "{}", said.out);
    // Each of a hundred lines of -1 stands for 0, and each of 99999 for 50.
    let peeked = bench.run(&["peek", "plan.toml"]);
    for sentence in [
        "500 lines were read. By `n` they stand for 5,200 rows, which the tables of rows count.",
        "n 0 to 50 100 100 100 100 100",
        "A line below the bounds stands for 0, one above them for 50. One that is empty or unreadable is left out.",
        "The plan cannot use 100 lines of `n`: `x` (100).",
        "sex 5,200 0 0",
    ] {
        assert!(peeked.code == 0 && text(&peeked.out).contains(sentence), "{sentence}\n{}{}", peeked.out, peeked.err);
    }
}

#[test]
fn what_frequencies_cannot_be_is_refused_with_the_remedy() {
    let bench = Workbench::new();
    bench.write("short.csv", "sex,age,n\nf,30,2\n");
    for (from, to, problem, remedy) in [
        (
            "\"row\"",
            "{ column = \"sex\", max_rows = 2 }",
            "must be left out where `unit` names a column",
            "unit = { max_rows = 5 }",
        ),
        (
            "upper = 50",
            "upper = 3000000000",
            "needs `lower` 0 or 1 and `upper` at most 2147483648",
            "lower = 0 and upper = 500",
        ),
        ("lower = 0\nupper = 50", "", "needs bounds, and `n` has none", "lower = 0 and upper = 500"),
        (
            "[columns.n]\ntype = \"integer\"",
            "[columns.n]\ntype = \"number\"",
            "must name a column of type integer",
            "type = \"integer\"",
        ),
        (
            "frequency = \"n\"",
            "frequency = \"m\"",
            "names `m`, which must be declared",
            "add [columns.m] with `type`, `lower` and `upper`",
        ),
    ] {
        bench.write("plan.toml", plan("short.csv", "frequency = \"n\"", "\"row\"").replace(from, to));
        let said = bench.run(&["check", "plan.toml"]);
        assert_eq!(said.code, 2, "{to}: {}", said.out);
        assert!(said.err.contains(problem) && said.err.contains(remedy), "{to}: {}", said.err);
    }
}
