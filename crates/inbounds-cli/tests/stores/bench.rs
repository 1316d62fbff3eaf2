//! A folder with rows in several files, its plan and ledger.

use std::{fs, path::Path};

use serde_json::Value;

use crate::workbench::{PLAN, Workbench};

/// Columns and statistics beside the columns of the workbench's plan.
const MORE: &str = r#"[columns.old]
is = "age >= 65 AND sex = 'f'"

[columns.net]
is = "income - 2 * least(age, 40)"
missing = "drop"

[[statistic]]
name = "people"
kind = "count"
by = ["sex", "old"]

[[statistic]]
name = "income"
kind = "sum"
column = "income"
where = "age >= 18"

[[statistic]]
name = "net"
kind = "mean"
column = "net"

[[statistic]]
name = "ages"
kind = "histogram"
column = "age"
edges = [0, 18, 40, 65, 110]
"#;

/// The plan of [`bench`]: data, privacy and columns of the workbench's, over a folder and with a ledger, and [`MORE`].
pub(crate) fn plan() -> String {
    let (columns, _) = PLAN.split_once("[[statistic]]").expect("statistics behind the columns");
    let of_folder = columns.replace("path = \"rows.csv\"", "path = \"rows\"\nformat = \"csv\"");
    of_folder.replace("epsilon = 1\n", "epsilon = 1\nledger = \"rows.ledger\"\n") + MORE
}

/// Rows of a file: no two alike, and some without a cell.
pub(crate) fn rows(file: usize, rows: usize) -> String {
    let mut text = "id,sex,age,income\n".to_owned();
    for row in 0..rows {
        let mixed = (file * rows + row) * 7919 % 104_729;
        let sex = ["f", "m", "x", ""][mixed % 4];
        let age = if mixed.is_multiple_of(13) { String::new() } else { (mixed % 97).to_string() };
        text.push_str(&format!("p{},{sex},{age},{}.{}\n", mixed % 500, mixed % 1100, mixed % 10));
    }
    text
}

/// Seven files of rows, a plan over them, and its ledger.
pub(crate) fn bench() -> Workbench {
    let bench = Workbench::new();
    fs::create_dir(bench.path("rows")).expect("a folder");
    for file in 0..7 {
        bench.write(&format!("rows/part-{file}.csv"), rows(file, 400 + 50 * file));
    }
    bench.write("plan.toml", plan());
    let terms = ["ledger", "create", "rows.ledger", "--data", "rows", "--unit", "row"];
    let more = ["--neighbours", "add-remove", "--epsilon", "3"];
    let said = bench.run(&[&terms[..], &more].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    bench
}

/// The bytes of all files of a bundle.
pub(crate) fn bundle(path: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(path).expect("a bundle").map(|entry| entry.expect("a file").path());
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(path).expect("bytes"))
    };
    let mut files: Vec<_> = files.map(named).collect();
    files.sort();
    files
}

/// What the ledger has spent.
pub(crate) fn spent(bench: &Workbench) -> Value {
    let said = bench.run(&["ledger", "show", "rows.ledger", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    serde_json::from_str::<Value>(&said.out).expect("JSON")["spent"]["epsilon"].clone()
}
