//! Key lists from files.

use std::fs;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Int32Array, StringArray};
use inbounds_data::{KeyValue, Kind, read_keys};
use tempfile::tempdir;

use crate::{keys, text, write};

fn columns() -> Vec<(String, Kind)> {
    vec![("age".to_owned(), Kind::Integer), ("state".to_owned(), Kind::Text)]
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
    assert_eq!(message("state,age\nCA\n"), "key file `/keys.csv`, line 2: 1 fields, the header has 2");
    assert_eq!(
        message(""),
        "the first line of `/keys.csv` must be a header with the names of the columns, but the file is empty"
    );
    let float = [("age".to_owned(), Kind::Number)];
    let message = read_keys(&path, &float).unwrap_err().to_string();
    assert!(message.ends_with("column `age` must be integer, text or boolean, got number"), "{message}");
}
