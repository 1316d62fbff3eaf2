//! What a filter may say, what it may not, and what is answered to those who try.

use std::fs;
use std::path::PathBuf;

use inbounds_data::{DataError, Engine};
use tempfile::{TempDir, tempdir};

use crate::{answers, filtered, open, refused};

fn rows() -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("rows.csv");
    let text = "state,age,income,member,Home Town\n\
        CA,30,1000.5,true,San Jose\n\
        NV, 41 ,-inf,false,Reno\n\
        OR,x,nan,maybe,\n\
        ,9,-0.0,TRUE,O'Neil\n";
    fs::write(&path, text).unwrap();
    (folder, path)
}

#[test]
fn allowed_filters_count_what_they_say() {
    let (_folder, path) = rows();
    let engine = open(&path);
    for (filter, count) in [
        ("age = 30", 1),
        ("30 = age", 1),
        ("35 > age", 2),
        ("age <> 30", 2),
        ("age > 9", 2),
        ("age >= 9", 3),
        ("age < 30.5", 2),
        ("age > 29.5 AND age < 30.5", 1),
        ("age IN (9, 41, 77)", 2),
        ("age IN (9, 41.0)", 2),
        ("age NOT IN (9)", 2),
        ("age BETWEEN 10 AND 41", 2),
        ("age NOT BETWEEN 10 AND 41", 1),
        ("age IS NULL", 1),
        ("age IS NOT NULL", 3),
        ("NOT (age = 30)", 2),
        ("income > 0", 1),
        ("income >= 0", 2),
        ("income < 0", 1),
        ("income = -0.0", 1),
        ("income IS NULL", 1),
        ("income = 1.0005e3", 1),
        ("member", 2),
        ("member = FALSE", 1),
        ("NOT member", 1),
        ("member IS NULL", 1),
        ("state = 'CA' OR state = 'NV'", 2),
        ("state = 'ca'", 0),
        ("state <> 'CA'", 2),
        ("state IS NULL", 1),
        ("state LIKE '%V'", 1),
        ("state LIKE 'C\\'", 0),
        ("state LIKE '%\\'", 0),
        ("state LIKE '[C(*_%'", 0),
        ("\"Home Town\" = 'O''Neil'", 1),
        ("\"Home Town\" LIKE 'San%' AND (age = 30 OR age = 31)", 1),
        ("\"Home Town\" IS NULL", 1),
        ("(((age))) = ((30))", 1),
    ] {
        assert_eq!(answers(&engine, &filtered(filter)).0, [count], "{filter}");
    }
}

#[test]
fn refusals_say_what_to_write() {
    let (_folder, path) = rows();
    let plain = "a filter is made of comparisons of a column with a literal, or of two dates, AND, OR and NOT";
    let arithmetic = "use =, <>, <, <=, >, >=; there is no arithmetic in a filter";
    let column = "a comparison holds a column against a literal";
    let declare = ", or declare the column in the source (CSV carries no types)";
    for (filter, message) in [
        ("state = 3", format!("column `state` is text; quote the value{declare}")),
        ("state IN ('CA', 3)", format!("column `state` is text; quote the value{declare}")),
        ("age = '30'", "column `age` is integer; compare it with a number, written without quotes".to_owned()),
        ("income = 'x'", "column `income` is number; compare it with a number, written without quotes".to_owned()),
        ("member = 1", "column `member` is boolean; compare it with TRUE or FALSE".to_owned()),
        ("age", "column `age` is integer; compare it with a literal".to_owned()),
        ("age LIKE '3%'", "column `age` is integer; LIKE takes a text column".to_owned()),
        ("age + 1 = 31", format!("`age + 1` is not allowed; {arithmetic}")),
        ("abs(age) = 30", format!("`abs(age)` is not allowed; {column}")),
        ("CAST(age AS TEXT) = '3'", format!("`CAST(age AS TEXT)` is not allowed; {column}")),
        ("age::text = '3'", format!("`age::TEXT` is not allowed; {column}")),
        ("1 = 1", format!("`1` is not allowed; {column}")),
        (
            "age = income",
            "`income` is not allowed; put a text in single quotes, as 'female'; double quotes and no quotes are for names of columns"
                .to_owned(),
        ),
        ("age = 1 / 0", format!("`1 / 0` is not allowed; {arithmetic}")),
        ("age % 2 = 0", format!("`age % 2` is not allowed; {arithmetic}")),
        ("age & 2", "`age & 2` is not allowed; write AND between two conditions".to_owned()),
        ("age = NULL", "`NULL` is not allowed; write IS NULL or IS NOT NULL".to_owned()),
        ("age = 1e999", "`1e999` is not allowed; a number must be a finite decimal".to_owned()),
        ("TRUE", format!("`true` is not allowed; {plain}")),
        ("member IS TRUE", format!("`member IS TRUE` is not allowed; {plain}")),
        ("state ILIKE 'c%'", format!("`state ILIKE 'c%'` is not allowed; {plain}")),
        ("CASE WHEN age = 1 THEN TRUE END", format!("`CASE WHEN age = 1 THEN true END` is not allowed; {plain}")),
        ("rows.age = 1", "`rows.age` is not allowed; put a column name with a dot in double quotes".to_owned()),
        ("state LIKE age", "`age` is not allowed; LIKE takes a pattern in single quotes".to_owned()),
    ] {
        let error = refused(&path, &filtered(filter));
        assert_eq!(error.to_string(), format!("filter: {message}"), "{filter}");
    }
}

#[test]
fn unknown_columns_get_a_suggestion() {
    let (_folder, path) = rows();
    let message = |filter| refused(&path, &filtered(filter)).to_string();
    assert_eq!(message("agee = 3"), "filter: no column `agee` in the data; did you mean `age`?");
    assert_eq!(message("AGE = 3"), "filter: no column `AGE` in the data; did you mean `age`?");
    assert_eq!(message("height = 3"), "filter: no column `height` in the data");
}

#[test]
fn what_is_no_expression_is_a_syntax_error() {
    let (_folder, path) = rows();
    let queries = ["age IN (SELECT 1)", "EXISTS (SELECT 1)"];
    for filter in queries {
        assert!(
            refused(&path, &filtered(filter)).to_string().ends_with("an expression cannot hold a query"),
            "{filter}"
        );
    }
    let halves = ["", "age =", "age = 3 age", "age = 3; DROP TABLE x", "(age = 3", "age = 'x"];
    for filter in queries.into_iter().chain(halves) {
        let error = refused(&path, &filtered(filter));
        assert!(matches!(&error, DataError::FilterSyntax { filter: text, .. } if text == filter), "{filter}: {error}");
    }
}

#[test]
fn deep_filters_are_refused_and_long_lists_are_not() {
    let (_folder, path) = rows();
    let deep = vec!["age = 3"; 1_000].join(" OR ");
    let message = refused(&path, &filtered(&deep)).to_string();
    assert!(message.ends_with("nest at most 200 conditions; an IN list takes the place of many ORs"), "{message}");
    let list: Vec<String> = (25..5_000).map(|age| age.to_string()).collect();
    assert_eq!(answers(&open(&path), &filtered(&format!("age IN ({})", list.join(",")))).0, [2]);
}

#[test]
fn an_empty_list_of_rows_is_no_error() {
    let (_folder, path) = rows();
    let engine = open(&path);
    assert!(engine.check(&filtered("age > 1000")).is_ok());
    assert_eq!(answers(&engine, &filtered("age > 1000")).0, [0]);
}
