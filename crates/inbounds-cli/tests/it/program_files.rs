//! Files of statistical programs, workbooks, and years that are columns, from `plan init` to the bundle.

use std::{fs, path::Path};

use crate::{truth::rows, workbench::Workbench};

/// A workbench with a file that another program wrote.
fn with_file(name: &str) -> Workbench {
    let bench = Workbench::new();
    let files = Path::new(env!("CARGO_MANIFEST_DIR")).join("../inbounds-data/tests/programs");
    fs::copy(files.join(name), bench.path(name)).expect("a file");
    fs::remove_file(bench.path("plan.toml")).expect("the usual plan");
    bench
}

fn run(bench: &Workbench, arguments: &[&str]) -> String {
    let said = bench.run(arguments);
    assert_eq!(said.code, 0, "{arguments:?}: {}", said.err);
    said.out
}

/// Estimates by key, without noise that could be seen.
fn counts(bench: &Workbench) -> Vec<(String, String)> {
    run(bench, &["release", "plan.toml", "--seed", "1", "--not-private", "--out", "bundle"]);
    let estimates = rows(bench, "bundle/estimates.csv");
    estimates.iter().map(|row| (row["by_sex"].clone(), row["estimate"].trim_end_matches(".0").to_owned())).collect()
}

#[test]
fn a_dictionary_answers_what_a_codebook_would() {
    for (name, sexes) in [("people-packed.sav", "[1, 2]"), ("people-15.dta", "[1, 2, 9]")] {
        let bench = with_file(name);
        run(&bench, &["plan", "init", name, "--unit", "row", "--count-by", "sex", "--epsilon", "1000"]);
        let plan = fs::read_to_string(bench.path("plan.toml")).expect("a plan");
        for part in [
            format!("made from the dictionary of \"{name}\" alone"),
            format!("values = {sexes}   # {name}"),
            format!("label = \"Age in years\"   # {name}"),
            "labels = { 1 = \"male\", 2 = \"female\"".to_owned(),
            format!("[columns.born]\ntype = \"date\"   # {name}"),
        ] {
            assert!(plan.contains(&part), "{part} in {plan}");
        }
        assert_eq!(plan.contains("the file declares 97 to 99 missing: such cells are missing"), name.ends_with("sav"));
        let counted = counts(&bench);
        let expected: &[(&str, &str)] = &[("1", "2"), ("2", "1"), ("9", "1")];
        let sexes = counted.iter().map(|(sex, number)| (sex.as_str(), number.as_str())).collect::<Vec<_>>();
        assert_eq!(sexes, expected[..sexes.len()], "{name}");
    }
}

#[test]
fn a_dictionary_is_a_codebook_for_rows_elsewhere() {
    let bench = with_file("people-packed.sav");
    bench.write("people.csv", "id,age,sex\n1,34,1\n2,98,9\n");
    run(&bench, &["plan", "init", "people.csv", "--codebook", "people-packed.sav", "--unit", "row"]);
    let plan = fs::read_to_string(bench.path("plan.toml")).expect("a plan");
    assert!(plan.contains("missing_values = [97, 98, 99]   # people-packed.sav"), "{plan}");
    assert!(plan.contains("missing_values = [9]   # people-packed.sav"), "{plan}");
    run(&bench, &["check", "plan.toml"]);
}

#[test]
fn a_sheet_below_a_title_is_read() {
    let bench = with_file("book.xlsx");
    let missing = bench.run(&["plan", "init", "book.xlsx", "--sheet", "Persons"]);
    assert!(
        missing.err.contains("has no sheet `Persons`; its sheets are `Hidden`, `Read me`, `People`"),
        "{}",
        missing.err
    );
    run(
        &bench,
        &[
            "plan",
            "init",
            "book.xlsx",
            "--sheet",
            "People",
            "--skip",
            "3",
            "--unit",
            "row",
            "--count-by",
            "sex",
            "--epsilon",
            "1000",
        ],
    );
    let plan = fs::read_to_string(bench.path("plan.toml")).expect("a plan");
    assert!(plan.contains("sheet = \"People\"\nskip = 3 "), "{plan}");
    let plan = plan.replace("skip = 3 ", "footer = 1\nskip = 3 ");
    let asked = "type = \"text\"   # (?) text takes every cell as it is; or \"integer\", \"boolean\", \"date\"?\n# values = [\"...\"] ";
    assert!(plan.contains(asked), "{plan}");
    bench.write("plan.toml", plan.replace(asked, "type = \"integer\"\nvalues = [1, 2, 9] "));
    let expected = [("1", "2"), ("2", "1"), ("9", "1")].map(|(sex, number)| (sex.to_owned(), number.to_owned()));
    assert_eq!(counts(&bench), expected);
    // A damaged file: its name, and no cell.
    let bytes = fs::read(bench.path("book.xlsx")).expect("a file");
    fs::write(bench.path("book.xlsx"), &bytes[..bytes.len() - 900]).expect("a file");
    let refused = bench.run(&["release", "plan.toml", "--seed", "1", "--not-private", "--out", "other"]);
    assert_eq!(refused.code, 3, "{}", refused.err);
    assert!(refused.err.contains("book.xlsx` is not a complete Excel file"), "{}", refused.err);
}

const YEARS: &str = "[data]\npath = 'visits.csv'\nheader = true\n[data.longer]\ncolumns = '2022 to 2024'\nnames_to = 'year'\n\
                     values_to = 'visits'\n[privacy]\nunit = { column = 'person', max_rows = 3 }\nneighbours = 'add-remove'\n\
                     epsilon = 4000\n[columns.person]\ntype = 'text'\n[columns.district]\ntype = 'text'\nvalues = ['x', 'y']\n\
                     [columns.year]\n[columns.visits]\ntype = 'integer'\nlower = 0\nupper = 10\nmissing = 'drop'\n\
                     [[statistic]]\nname = 'rows'\nkind = 'count'\nby = ['year']\n\
                     [[statistic]]\nname = 'visits'\nkind = 'sum'\ncolumn = 'visits'\nby = ['year']\n\
                     [[statistic]]\nname = 'late'\nkind = 'count'\nby = ['district']\nwhere = 'year >= 2023 AND visits > 2'\n";

/// Sums by year, with a cell that is missing and one beyond the bounds.
#[test]
fn years_that_are_columns_become_rows() {
    let bench = Workbench::new();
    bench.write("plan.toml", YEARS);
    let lines = [("a", "x", "1,2,3"), ("b", "y", ",5,6"), ("c", "x", "9,99,0")];
    let csv = lines.map(|(person, district, cells)| format!("{person},{district},{cells}\n")).concat();
    bench.write("visits.csv", format!("person,district,2022,2023,2024\n{csv}"));
    let estimates = |out: &str| -> Vec<(String, f64)> {
        run(&bench, &["release", "plan.toml", "--seed", "1", "--not-private", "--out", out]);
        let table = rows(&bench, &format!("{out}/estimates.csv"));
        let key =
            |name: &str, row: &std::collections::HashMap<String, String>| row.get(name).cloned().unwrap_or_default();
        let one = |row: &std::collections::HashMap<String, String>| {
            let place = key("by_year", row) + &key("by_district", row);
            (
                format!("{} {place}", key("statistic", row)),
                key("estimate", row).parse::<f64>().expect("a number").round(),
            )
        };
        table.iter().map(one).collect()
    };
    let expected = [
        ("rows 2022", 3.0),
        ("rows 2023", 3.0),
        ("rows 2024", 3.0),
        ("visits 2022", 10.0),
        ("visits 2023", 17.0),
        ("visits 2024", 9.0),
        ("late x", 2.0),
        ("late y", 2.0),
    ]
    .map(|(name, number)| (name.to_owned(), number));
    assert_eq!(estimates("csv"), expected);
    let manifest = fs::read_to_string(bench.path("csv/release.json")).expect("a manifest");
    let rule = "Each row of the files becomes 3 rows, one for each of the columns `2022`, `2023`, `2024`: its name stands in `year`, and \
                its cell in `visits`.";
    assert!(manifest.contains(rule), "{manifest}");

    // The same rows as JSON lines.
    let json = lines.map(|(person, district, cells)| {
        let cells: Vec<&str> = cells.split(',').map(|cell| if cell.is_empty() { "null" } else { cell }).collect();
        format!(
            "{{\"person\":\"{person}\",\"district\":\"{district}\",\"2022\":{},\"2023\":{},\"2024\":{}}}\n",
            cells[0], cells[1], cells[2]
        )
    });
    bench.write("visits.jsonl", json.concat());
    bench.write("plan.toml", YEARS.replace("visits.csv", "visits.jsonl").replace("header = true\n", ""));
    assert_eq!(estimates("json"), expected);

    // A person of three rows is not protected where one row is.
    bench.write("plan.toml", YEARS.replace("{ column = 'person', max_rows = 3 }", "'row'"));
    let refused = bench.run(&["check", "plan.toml"]);
    assert!(
        refused.err.contains("makes 3 rows of each row") && refused.err.contains("max_rows = 3"),
        "{}",
        refused.err
    );
    bench.write("plan.toml", YEARS.replace("{ column = 'person', max_rows = 3 }", "{ max_rows = 3 }"));
    run(&bench, &["check", "plan.toml"]);

    // A gathered column is none any more, and one that is not there is named.
    bench.write("plan.toml", YEARS.replace("year >= 2023", "2023 >= 2023 AND \"2022\" IS NOT NULL"));
    let refused = bench.run(&["check", "plan.toml"]);
    assert_ne!(refused.code, 0, "{}", refused.out);
    bench.write("plan.toml", YEARS.replace("2022 to 2024", "2022 to 2025"));
    let refused = bench.run(&["check", "plan.toml"]);
    assert!(refused.err.contains("2025"), "{}", refused.err);
}

#[test]
fn plans_of_years_are_audited_and_peeked_at() {
    let bench = Workbench::new();
    bench.write("plan.toml", YEARS.replace("epsilon = 4000", "epsilon = 1"));
    bench.write("visits.csv", "person,district,2022,2023,2024\na,x,1,2,3\nb,y,,5,6\n");
    run(&bench, &["audit", "plan.toml", "--seed", "1"]);
    let peeked = run(&bench, &["peek", "plan.toml"]);
    assert!(peeked.contains('6'), "{peeked}");
}
