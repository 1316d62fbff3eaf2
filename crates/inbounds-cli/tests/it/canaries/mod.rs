//! Cells that must never show: not on the terminal, not in an error, not in a bundle, a page or a ledger and what is
//! made of it, and not by the way in which a command ends.
//!
//! Names of folders, headers and plans are public, as the documents say, and are not planted here.

mod rows;

use std::{fs, path::Path};

use self::rows::{Among, Format, TRACES};
use crate::workbench::{Said, Workbench};

/// Columns as they are and made of others by every rule, and statistics of each kind.
const PLAN: &str = r#"
[data]
path = "FILE"
[privacy]
unit = { column = "person", max_rows = 2 }
neighbours = "add-remove"
epsilon = 5
diagnostics = 0.1
ledger = "people.ledger"
[columns]
person = { type = "text" }
region = { type = "text", values = ["coast", "hills"] }
age = { type = "integer", lower = 0, upper = 110, missing = "drop" }
income = { type = "number", lower = 0, upper = 1000, missing = 0 }
member = { type = "boolean" }
day = { type = "date" }
class = { from = "age", cut = [18, 65], classes = ["child", "adult", "old"] }
code = { from = "region", recode = { coast = 1 }, others = "missing", values = [1] }
area = { from = "region", lookup = "areas.csv", others = "elsewhere", values = ["valley", "elsewhere"] }
score = { is = "income / (age + 1)", missing = "drop" }
rich = { is = "income > 500 OR member", missing = "drop" }
year = { from = "day", take = "year", lower = 1950, upper = 2030, missing = "drop" }
[[statistic]]
name = "people"
kind = "count"
by = ["class", "area"]
[[statistic]]
name = "units"
kind = "units"
where = "age > 30 AND day < '2030-01-01'"
[[statistic]]
name = "score"
kind = "sum"
column = "score"
by = ["code"]
[[statistic]]
name = "year"
kind = "mean"
column = "year"
[[statistic]]
name = "rich"
kind = "sum"
column = "rich"
[[statistic]]
name = "ages"
kind = "histogram"
column = "age"
edges = [0, 30, 110]
[[statistic]]
name = "median"
kind = "quantile"
column = "income"
edges = [0, 100, 1000]
probabilities = [0.5]
[[statistic]]
name = "levels"
kind = "count"
by = ["region", "class"]
levels = ["all", "region", "class"]
[[statistic]]
name = "model"
kind = "naive-bayes"
columns = ["age", "income"]
by = ["region"]
"#;

/// One row a unit.
const PER_UNIT: &str = r#"
[data]
path = "FILE"
[privacy]
unit = { column = "person" }
neighbours = "add-remove"
epsilon = 5
ledger = "people.ledger"
[columns]
person = { type = "text" }
region = { type = "text", values = ["coast", "hills"] }
age = { type = "integer" }
income = { type = "number", lower = 0, upper = 1000, missing = 0 }
member = { type = "boolean" }
day = { type = "date" }
[per_unit]
region = { take = "first", order = "age" }
rows = { take = "rows", lower = 0, upper = 9 }
income = { take = "sum", lower = 0, upper = 2000 }
oldest = { take = "max", from = "age", lower = 0, upper = 110, missing = "drop" }
member = { take = "any" }
[[statistic]]
name = "people"
kind = "count"
by = ["region"]
where = "member OR rows > 2"
[[statistic]]
name = "income"
kind = "mean"
column = "income"
[[statistic]]
name = "oldest"
kind = "quantile"
column = "oldest"
probabilities = [0.5]
"#;

/// A folder with both plans, their ledger, and rows.
fn bench(format: Format, among: Among) -> Workbench {
    let bench = Workbench::new();
    bench.write("areas.csv", "region,area\ncoast,valley\n");
    bench.write("plan.toml", PLAN.replace("FILE", format.file()));
    bench.write("units.toml", PER_UNIT.replace("FILE", format.file()));
    format.write(&bench, &format.bytes(among));
    let terms = ["--data", format.file(), "--unit", "column=person", "--neighbours", "add-remove", "--epsilon", "1000"];
    let made = bench.run(&[&["ledger", "create", "people.ledger"][..], &terms].concat());
    assert_eq!(made.code, 0, "{}", made.err);
    bench
}

#[track_caller]
fn clean(text: &[u8], source: &str) {
    let text = String::from_utf8_lossy(text);
    let trace = TRACES.iter().find(|trace| text.contains(**trace));
    assert!(trace.is_none(), "{source} holds {trace:?}: {text}");
}

/// Whether an answer is for the eyes of the curator, who sees how the cells are spelled that the plan cannot use.
fn is_for_the_curator(said: &Said) -> bool {
    said.code == 0
        && said.out.contains("for whoever may see the rows themselves")
        && said.out.contains("do not publish")
}

/// Nothing that was said or written holds a trace, but for the rows themselves, and what the curator alone is shown.
#[track_caller]
fn nothing_shows(bench: &Workbench, said: &Said, rows: &str, source: &str) {
    if !is_for_the_curator(said) {
        clean(said.out.as_bytes(), source);
    }
    clean(said.err.as_bytes(), source);
    files(&bench.path(""), &|path| {
        if path.file_name().is_none_or(|name| name != rows) {
            clean(&fs::read(path).expect("a file"), &format!("{source}: {}", path.display()));
        }
    });
}

fn files(folder: &Path, look: &dyn Fn(&Path)) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { files(&path, look) } else { look(&path) }
    }
}

const COMMANDS: [&[&str]; 15] = [
    &["check", "plan.toml"],
    &["check", "plan.toml", "--json"],
    &["check", "units.toml", "--json"],
    &["explore", "plan.toml", "--out", "explore.html"],
    &["peek", "plan.toml"],
    &["peek", "units.toml", "--json"],
    &["release", "plan.toml", "--out", "one"],
    &["release", "units.toml", "--out", "two", "--json"],
    &["release", "plan.toml", "--out", "three", "--seed", "7", "--not-private", "--all"],
    &["report", "one", "--out", "page.html"],
    &["ledger", "show", "people.ledger"],
    &["ledger", "show", "people.ledger", "--json"],
    &["ledger", "check", "people.ledger", "one", "two", "--json"],
    &["ledger", "export", "people.ledger", "--out", "history.csv"],
    &["ledger", "export", "people.ledger", "--out", "history.html"],
];

/// The same rows without the one that must not show, or with another in its place.
fn neighbour(format: Format) -> Among {
    match format {
        Format::Csv | Format::Arrow => Among::Other,
        Format::Gzip | Format::JsonLines | Format::Parquet => Among::Nobody,
    }
}

#[test]
fn the_rows_hold_what_must_not_show() {
    let rows = String::from_utf8(Format::Csv.bytes(Among::Canary)).expect("text");
    assert!(TRACES.iter().filter(|trace| !trace.contains(',')).all(|trace| rows.contains(*trace)), "{rows}");
}

#[test]
fn no_cell_shows_in_what_succeeds_and_all_ends_alike() {
    for format in Format::ALL {
        let [canary, neighbour] = [Among::Canary, neighbour(format)].map(|among| bench(format, among));
        for command in COMMANDS {
            let said = canary.run(command);
            assert_eq!(said.code, 0, "{format:?} {command:?}: {}", said.err);
            nothing_shows(&canary, &said, format.file(), &format!("{format:?} {command:?}"));
            let beside = neighbour.run(command);
            assert_eq!((beside.code, &beside.err), (said.code, &said.err), "{format:?} {command:?}");
        }
    }
}

/// Edits that make a plan wrong, in its text or against the columns.
const WRONG: [(&str, &str); 13] = [
    ("type = \"date\"", "type = \"integer\""),
    ("type = \"integer\", lower", "type = \"text\", lower"),
    ("by = [\"class\", \"area\"]", "by = [\"person\"]"),
    ("\"areas.csv\"", "\"nowhere.csv\""),
    ("column = \"score\"", "column = \"scores\""),
    ("age > 30", "ages > 30"),
    ("age > 30", "age > 'x'"),
    ("age > 30", "age >"),
    ("income / (age + 1)", "income / age"),
    ("upper = 110", "upper = -1"),
    ("values = [\"coast\", \"hills\"]", "values = []"),
    ("epsilon = 5\n", "epsilon = 5000\n"),
    ("max_rows = 2", "max_rows = 0"),
];

#[test]
fn refused_plans_are_refused_alike_and_without_a_cell() {
    for format in [Format::Csv, Format::Parquet] {
        let canary = bench(format, Among::Canary);
        for (from, to) in WRONG {
            canary.write("plan.toml", PLAN.replace("FILE", format.file()));
            canary.edit(from, to);
            for command in [
                &["check", "plan.toml"][..],
                &["release", "plan.toml", "--out", "bundle", "--json"],
                &["peek", "plan.toml"],
            ] {
                let said = [Among::Canary, neighbour(format)].map(|among| {
                    format.write(&canary, &format.bytes(among));
                    let said = canary.run(command);
                    nothing_shows(&canary, &said, format.file(), &format!("{format:?} {to} {command:?}"));
                    // What succeeds shows exact or noisy numbers.
                    let out = if said.code == 0 { String::new() } else { said.out };
                    (said.code, out, said.err)
                });
                assert_eq!(said[0], said[1], "{format:?} {to} {command:?}");
            }
            assert!(!canary.path("bundle").exists(), "{format:?} {to}: was to be refused");
        }
    }
}

#[test]
fn damaged_files_show_no_cell() {
    let mut refused = 0;
    for format in Format::ALL {
        for bytes in format.damaged() {
            let bench = bench(format, Among::Canary);
            format.write(&bench, &bytes);
            for command in [
                &["check", "plan.toml"][..],
                &["release", "plan.toml", "--out", "bundle", "--json"],
                &["release", "units.toml", "--out", "other"],
                &["peek", "plan.toml"],
                &["plan", "init", format.file(), "--out", "first.toml"],
            ] {
                let said = bench.run(command);
                refused += usize::from(said.code != 0);
                assert!(!said.err.contains("panicked"), "{format:?} {command:?}: {}", said.err);
                nothing_shows(&bench, &said, format.file(), &format!("{format:?} {command:?}"));
            }
            let said = bench.run(&["ledger", "check", "people.ledger", "--json"]);
            assert_eq!(said.code, 0, "{}", said.err);
            nothing_shows(&bench, &said, format.file(), "the ledger");
        }
    }
    assert!(refused > 40, "{refused} of the commands were refused");
}

/// The user who classifies rows has them; error messages show no cell all the same.
#[test]
fn predicting_fails_without_a_cell() {
    let bench = bench(Format::Csv, Among::Canary);
    assert_eq!(bench.run(&["release", "plan.toml", "--out", "bundle", "--seed", "1", "--not-private"]).code, 0);
    for rows in [
        "age\n8675309173\n",
        "age,income,class\n8675309173,1,CANARY\n",
        "age,income\n8675309173\n",
        "age,income\n\"8675309173,CANARY\n",
        "CANARY,8675309173\n1,2\n",
        "age,income\n8675309173,\u{0}CANARY,7\n",
    ] {
        bench.write("rows-to-classify.csv", rows);
        let said = bench.run(&["predict", "bundle", "rows-to-classify.csv", "--out", "out.csv"]);
        let shown = format!("{}{}", said.out, said.err);
        // The first line is the header, and public.
        let header = rows.lines().next().unwrap_or_default();
        let hidden = TRACES.iter().filter(|trace| !header.contains(**trace));
        hidden.for_each(|trace| assert!(!shown.contains(trace), "{rows:?}: {shown}"));
        let _ = fs::remove_file(bench.path("out.csv"));
    }
}
