//! Key lists from files.

use std::fs;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, StringArray};
use inbounds_data::{CellRules, KeyColumn, KeyValue, Kind, read_keys};
use tempfile::tempdir;

use crate::{keys, text, write};

fn column(name: &str, kind: Kind) -> KeyColumn {
    KeyColumn { name: name.to_owned(), kind, cells: CellRules::default() }
}

fn columns() -> Vec<KeyColumn> {
    vec![column("age", Kind::Integer), column("state", Kind::Text)]
}

#[test]
fn both_formats_give_the_same_keys() {
    let folder = tempdir().unwrap();
    let (csv, parquet) = (folder.path().join("keys.csv"), folder.path().join("keys.parquet"));
    fs::write(&csv, "state,name,age\nCA,x,1\n\"N,V\",x,2\n").unwrap();
    write::columns(
        &parquet,
        vec![
            ("state", Arc::new(StringArray::from(vec!["CA", "N,V"])) as ArrayRef),
            ("age", Arc::new(Int32Array::from(vec![1, 2]))),
        ],
    );
    let expected = keys(["age", "state"], [[KeyValue::Integer(1), text("CA")], [KeyValue::Integer(2), text("N,V")]]);
    assert_eq!(read_keys(&csv, &columns()).unwrap(), expected);
    assert_eq!(read_keys(&parquet, &columns()).unwrap(), expected);
}

/// Keys are read as the rows are, whatever file they stand in.
#[test]
fn keys_are_spelled_as_cells_are() {
    let folder = tempdir().unwrap();
    let (csv, parquet) = (folder.path().join("keys.csv"), folder.path().join("keys.parquet"));
    fs::write(&csv, "state,age,open\n CA ,01,yes\n\"N,V\",2.0,0\n").unwrap();
    write::columns(
        &parquet,
        vec![
            ("state", Arc::new(StringArray::from(vec![" CA ", "N,V"])) as ArrayRef),
            ("age", Arc::new(Float64Array::from(vec![1.0, 2.0]))),
            ("open", Arc::new(Int32Array::from(vec![1, 0]))),
        ],
    );
    let columns = [columns(), vec![column("open", Kind::Boolean)]].concat();
    let key = |age, state, open| [KeyValue::Integer(age), text(state), KeyValue::Boolean(open)];
    let expected = keys(["age", "state", "open"], [key(1, "CA", true), key(2, "N,V", false)]);
    assert_eq!(read_keys(&csv, &columns).unwrap(), expected);
    assert_eq!(read_keys(&parquet, &columns).unwrap(), expected);
    fs::write(&csv, "state,age,open\nCA,1,0\nCA ,1.0,no\n").unwrap();
    let message = read_keys(&csv, &columns).unwrap_err().to_string();
    assert!(message.ends_with("line 3: the same key as in line 2: 1, CA, false"), "{message}");
    let coded = |column: KeyColumn| KeyColumn {
        cells: CellRules { missing: vec!["-9".into(), "CA".into()], ..CellRules::default() },
        ..column
    };
    for (content, cell) in [("state,age,open\nCA,1,0\n", "CA"), ("state,age,open\nNV,-9.0,0\n", "-9.0")] {
        fs::write(&csv, content).unwrap();
        let message = read_keys(&csv, &columns.iter().cloned().map(coded).collect::<Vec<_>>()).unwrap_err().to_string();
        assert!(message.contains(&format!("`{cell}` is not ")), "{message}");
    }
}

#[test]
fn refusals_name_file_and_line() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("keys.csv");
    let message = |content: &str| {
        fs::write(&path, content).unwrap();
        let message = read_keys(&path, &columns()).expect_err("keys are refused").to_string();
        message.replace(&folder.path().display().to_string(), "")
    };
    assert_eq!(message("state,age\n"), "key file `/keys.csv`: there is no key in it");
    assert_eq!(message("state,agee\nCA,1\n"), "key file `/keys.csv`: no column `age`; did you mean `agee`?");
    assert_eq!(
        message("state,age\nCA,1\nNV,1\n\nCA,1\n"),
        "key file `/keys.csv`, line 5: the same key as in line 2: 1, CA"
    );
    assert_eq!(message("state,age\nCA,1.5\n"), "key file `/keys.csv`, line 2: column `age`: `1.5` is not an integer");
    assert_eq!(
        message("state,age\n,1\n"),
        "key file `/keys.csv`, line 2: column `state`: `` is not a text that a row can have"
    );
    assert_eq!(
        message("state,age\nCA\n"),
        "key file `/keys.csv`, line 2: not as many fields as the header: 1 instead of 2"
    );
    assert_eq!(
        message(""),
        "the first line of `/keys.csv` must be a header with the names of the columns, but the file is empty"
    );
    let float = [column("age", Kind::Number)];
    let message = read_keys(&path, &float).unwrap_err().to_string();
    assert!(message.ends_with("column `age` must be integer, text or boolean, got number"), "{message}");
}
