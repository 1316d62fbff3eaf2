//! The files that offices take.

use std::fs;

use serde_json::Value;

use crate::workbench::Workbench;

const PLAN: &str = "title = \"Shirts\"\nunit_of_rows = \"adults\"\nperiod = \"2024\"\nlanguage = \"fr\"\n[data]\npath = \"rows.csv\"\n[privacy]\n\
                    unit = \"row\"\nneighbours = \"add-remove\"\nepsilon = 2\n[columns.sex]\ntype = \"text\"\nvalues = [\"f\", \"m\"]\n\
                    [columns.shirt]\ntype = \"text\"\nvalues = [\"small\", \"large\"]\n[[statistic]]\nname = \"people\"\nkind = \"count\"\n\
                    by = [\"sex\", \"shirt\"]\nmargins = [[], [\"sex\"], [\"shirt\"], [\"sex\", \"shirt\"]]\n[[statistic]]\nname = \"share\"\nkind = \"proportion\"\n\
                    by = [\"sex\"]\n";

/// A file inside a workbook.
fn part(bench: &Workbench, workbook: &str, name: &str) -> String {
    let file = fs::File::open(bench.path(workbook)).expect("a workbook");
    let mut archive = zip::ZipArchive::new(file).expect("an archive");
    let mut text = String::new();
    let mut part = archive.by_name(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    std::io::Read::read_to_string(&mut part, &mut text).expect("text");
    text
}

#[test]
fn a_bundle_becomes_a_workbook_a_described_table_methods_and_pictures() {
    let bench = Workbench::new();
    bench.write("rows.csv", "sex,shirt\n".to_owned() + &"f,small\nm,large\nm,small\n".repeat(100));
    bench.write("plan.toml", PLAN);
    let said = bench.run(&["release", "plan.toml", "--seed", "7", "--not-private", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = bench.run(&["export", "bundle", "--out", "files", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let json: Value = serde_json::from_str(&said.out).expect("JSON");
    let mut listed: Vec<&str> = json["files"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    listed.sort_unstable();
    let mut written: Vec<String> = fs::read_dir(bench.path("files"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    written.sort();
    assert_eq!(written, listed);
    for name in ["tables.xlsx", "estimates.csv", "estimates.csv-metadata.json", "methods.txt", "people-1-1.svg"] {
        assert!(listed.contains(&name), "{listed:?}");
    }
    let read = |name: &str| fs::read(bench.path("files").join(name)).expect("a file");
    assert_eq!(read("estimates.csv"), fs::read(bench.path("bundle/estimates.csv")).expect("estimates"));
    for picture in listed.iter().filter(|name| name.ends_with(".png")) {
        assert!(read(picture).starts_with(b"\x89PNG\r\n\x1a\n") && read(picture).len() > 5_000, "{picture}");
    }

    // Every column of the table is described, in its order.
    let described: Value = serde_json::from_slice(&read("estimates.csv-metadata.json")).expect("JSON");
    let columns = described["tableSchema"]["columns"].as_array().expect("columns");
    let titles: Vec<&str> = columns.iter().filter_map(|column| column["titles"].as_str()).collect();
    let table = String::from_utf8(read("estimates.csv")).expect("text");
    assert_eq!(titles.join(","), table.lines().next().expect("a header"));
    let datatype =
        |title: &str| columns.iter().find(|column| column["titles"] == title).map(|column| &column["datatype"]);
    assert_eq!(datatype("estimate").and_then(Value::as_str), Some("double"));
    assert_eq!(datatype("by_sex").and_then(Value::as_str), Some("string"));
    assert_eq!((&described["dc:temporal"], &described["dc:description"]["@language"]), (&"2024".into(), &"fr".into()));
    assert!(String::from_utf8(read("methods.txt")).expect("text").contains("Champ\u{a0}: adults."));

    // A sheet a statistic, with numbers that are numbers.
    let sheets = part(&bench, "files/tables.xlsx", "xl/workbook.xml");
    for name in ["Contents", "people", "share", "Methods"] {
        assert!(sheets.contains(&format!("name=\"{name}\"")), "{sheets}");
    }
    let people = part(&bench, "files/tables.xlsx", "xl/worksheets/sheet2.xml");
    let mut estimates = csv::Reader::from_reader(table.as_bytes());
    let at = estimates.headers().expect("a header").iter().position(|name| name == "estimate").expect("it");
    for row in estimates.records().map(|row| row.expect("a row")).filter(|row| row[0] == *"people") {
        // Once in the table, and once in the list.
        let number: f64 = row[at].parse().expect("a number");
        assert!(people.matches(&format!("<v>{number}</v>")).count() >= 2, "{row:?} is not in {people}");
    }
    // The same bundle gives the same bytes, and nothing is replaced.
    assert_eq!(bench.run(&["export", "bundle", "--out", "again"]).code, 0);
    assert_eq!(read("tables.xlsx"), fs::read(bench.path("again/tables.xlsx")).expect("a workbook"));
    assert_eq!(bench.run(&["export", "bundle", "--out", "again"]).code, 4);
    assert_eq!(bench.run(&["export", "rows.csv", "--out", "other"]).code, 3);
    assert!(!bench.path("other").exists());
}

#[test]
fn a_reconciliation_becomes_files_too() {
    let bench = Workbench::new();
    bench.write("counts.csv", "node,parent,value,variance\nstate,,5,4\neast,state,-3,4\nwest,state,6,4\n");
    assert_eq!(bench.run(&["reconcile", "counts.csv", "--integer", "--out", "bundle"]).code, 0);
    let said = bench.run(&["export", "bundle", "--out", "files"]);
    assert_eq!(said.code, 0, "{}", said.err);
    assert!(said.out.contains("tables.xlsx") && said.out.contains("nodes.png"), "{}", said.out);
    assert!(part(&bench, "files/tables.xlsx", "xl/sharedStrings.xml").contains("Children add up to their parent"));
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that was skipped must not look like one that passed")]
fn the_walk_through_from_rows_to_a_table_is_run() {
    let text = crate::repository::read("docs/publish.md");
    let fields = text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count();
    assert!(fields <= 800, "{fields} words");
    let plan = text.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).expect("a plan");
    const DATA: &str = "nhanes_2009_2012.csv.gz";
    let data = std::env::var_os("INBOUNDS_DATA").map(std::path::PathBuf::from);
    let Some(rows) = data.and_then(|folder| fs::read(folder.join(DATA)).ok()) else {
        eprintln!("SKIPPED: no data; set INBOUNDS_DATA to a folder that holds {DATA}");
        return;
    };
    let bench = Workbench::new();
    bench.write(DATA, rows);
    bench.write("survey.toml", plan);
    assert_eq!(bench.run(&["check", "survey.toml"]).code, 0);
    let said = bench.run(&["release", "survey.toml", "--seed", "7", "--not-private", "--out", "survey"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let page = fs::read_to_string(bench.path("survey/report.html")).expect("a page");
    let shown: Vec<&str> = text.lines().filter(|line| line.starts_with("| ") && line.contains(" (")).collect();
    assert_eq!(shown.len(), 5);
    for line in shown {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
        let numbers = cells[1..].iter().map(|cell| cell.replace(" (", "<small>").replace(')', "</small></td>"));
        let row = format!("<th scope=\"row\">{}</th><td>{}", cells[0], numbers.collect::<Vec<_>>().join("<td>"));
        assert!(page.contains(&row), "`{row}` is not on the page");
    }
    assert!(page.contains("About 27 % of"), "what is said of missing values");
    assert_eq!(bench.run(&["export", "survey", "--out", "files"]).code, 0);
    assert!(bench.path("files/participants-1-1.svg").exists());
}
