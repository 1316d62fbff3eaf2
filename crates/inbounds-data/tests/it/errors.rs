//! Sources that cannot be read and queries that do not fit: each message names the place and the remedy.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, Int32Array, StringArray};
use inbounds_data::{
    Clip, DataError, Engine, FileEngine, KeyValue, Kind, Missing, Query, RowFormat, Source, TextLayout,
};
use tempfile::tempdir;

use crate::random::Random;
use crate::{answers, income, keys, open, refused, text, write};

/// The message for a source, with the folder cut out.
fn message(folder: &Path, source: &Source) -> String {
    let error = FileEngine::open(source).err().expect("the source is refused");
    error.to_string().replace(&folder.display().to_string(), "")
}

fn at(folder: &Path, name: &str) -> Source {
    Source::new(folder.join(name).to_str().unwrap()).with_public_types()
}

#[test]
fn sources_without_readable_files() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let none = |name: &str| format!("no file at `/{name}`; check the path, or the pattern if it is a glob");
    assert_eq!(message(folder, &at(folder, "none.csv")), none("none.csv"));
    assert_eq!(message(folder, &at(folder, "*.csv")), none("*.csv"));
    assert!(message(folder, &at(folder, "a***b")).starts_with("`/a***b` is not a glob: "));
    fs::write(folder.join("notes.txt"), "a,b\n").unwrap();
    assert_eq!(
        message(folder, &at(folder, "notes.txt")),
        "cannot tell the format of `/notes.txt` from its name; give the format, or use a glob"
    );
    let named = Source { format: Some(RowFormat::Csv), ..at(folder, "notes.txt") };
    assert!(FileEngine::open(&named).is_ok());
    fs::write(folder.join("a.csv"), "a\n1\n").unwrap();
    fs::write(folder.join("b.parquet"), "").unwrap();
    assert_eq!(
        message(folder, &at(folder, "?.*")),
        "files must be of one format, but `/a.csv` is CSV and `/b.parquet` is Parquet; use a glob"
    );
    fs::create_dir(folder.join("year=2020")).unwrap();
    assert_eq!(
        message(folder, &at(folder, "")).replace("//", "/"),
        "`/` holds the folder `/year=2020`; name all files with a glob such as `/**/*.parquet`"
    );
}

#[test]
fn headers_that_are_none() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let header = |content: &[u8]| {
        fs::write(folder.join("a.csv"), content).unwrap();
        message(folder, &at(folder, "a.csv"))
    };
    let other = |sign: &str, written: &str| {
        format!(
            "the first line of `/a.csv` has no comma, but a {sign}, so that its columns would be read as one; give the \
             separator that it has: `separator = \"{written}\"`"
        )
    };
    assert_eq!(header(b"state;income\nCA;1\n"), other("semicolon", ";"));
    assert_eq!(header(b"state\tincome\nCA\t1\n"), other("tab", "\\t"));
    let commas = TextLayout { separator: Some(b','), ..TextLayout::default() };
    assert!(FileEngine::open(&Source { text: commas, ..at(folder, "a.csv") }).is_ok(), "one column, if one says so");
    let must = "the first line of `/a.csv` must be a header with the names of the columns, but";
    assert_eq!(header(b""), format!("{must} the file is empty"));
    let name = "if it is the name of a column, such as a year, write `header = true` in [data] (or `--header` behind \
        `plan init`)";
    assert_eq!(header(b"CA,41,7.5\nNV,3,1\n"), format!("{must} field 2 is a number; {name}"));
    assert!(header(b"a,\xff\n").starts_with(&format!("{must} field 2 is not UTF-8; its bytes do not tell")));
    fs::write(folder.join("a.csv"), "a,b\n").unwrap();
    fs::write(folder.join("b.csv"), "a,c\n").unwrap();
    assert_eq!(
        message(folder, &at(folder, "*.csv")),
        "`/a.csv` and `/b.csv` must have the same header, but differ in field 2"
    );
}

#[test]
fn declarations_that_do_not_fit() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    write::both(folder, &Random::new(20).rows(3, 3));
    let csv = || at(folder, "rows.csv");
    let parquet = || at(folder, "rows.parquet");
    assert_eq!(
        message(folder, &csv().declare("incone", Kind::Number)),
        "declared: no column `incone` in the data; did you mean `income`?"
    );
    assert_eq!(
        message(folder, &csv().declare("age", Kind::Number).declare("age", Kind::Text)),
        "declared: column `age` is declared twice"
    );
    assert_eq!(
        message(folder, &csv().declare("age", Kind::Other)),
        "declared: column `age` must be integer, number, text, boolean or date"
    );
    assert_eq!(
        message(folder, &parquet().declare("member", Kind::Number)),
        "column `member` is declared number, but the file has boolean"
    );
    let engine = FileEngine::open(&parquet().declare("age", Kind::Number)).unwrap();
    assert_eq!(engine.columns()[1].kind, Kind::Number, "what is declared is so");
}

#[test]
fn parquet_files_that_are_damaged_or_disagree() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let rows = Random::new(21).rows(3_000, 10);
    for name in ["a.parquet", "b.parquet", "c.parquet"] {
        write::parquet(&folder.join(name), &rows);
    }
    let all = at(folder, "*.parquet");
    assert_eq!(answers(&FileEngine::open(&all).unwrap(), &Query::default()).0, [9_000]);
    let intact = fs::read(folder.join("b.parquet")).unwrap();
    let damaged = "`/b.parquet` is not a complete Parquet file; write or copy it again";
    for length in [0, 3, 100, intact.len() - 5] {
        fs::write(folder.join("b.parquet"), &intact[..length]).unwrap();
        assert_eq!(message(folder, &all), damaged);
    }
    // A page of zeros is found only when it is read.
    let mut page = intact.clone();
    page[4..400].fill(0);
    fs::write(folder.join("b.parquet"), &page).unwrap();
    let engine = FileEngine::open(&all).unwrap();
    let query = Query { keys: Some(keys(["state"], [[text("CA")]])), ..Query::default() };
    let error = engine.tally(&query).err().expect("a damaged page").to_string();
    assert_eq!(error.replace(&folder.display().to_string(), ""), damaged);

    write::columns(&folder.join("b.parquet"), vec![("state", Arc::new(Int32Array::from(vec![1])) as ArrayRef)]);
    assert_eq!(
        message(folder, &all),
        "`/a.parquet` and `/b.parquet` must have the same schema, but differ in column `state`"
    );
}

#[test]
fn csv_lines_that_are_broken_are_named() {
    let folder = tempdir().unwrap();
    let folder = folder.path();
    let header = "state,age,income,member,person\n";
    let good = "CA,1,1,true,p\n".repeat(20_000);
    fs::write(folder.join("a.csv"), format!("{header}{good}")).unwrap();
    let run = |line: &[u8], query: &Query| {
        // The quoted line break before makes lines and records differ.
        let start = format!("{header}{good}\"C\nA\",1,1,true,p\n\n");
        fs::write(folder.join("b.csv"), [start.as_bytes(), line, b"\n", good.as_bytes()].concat()).unwrap();
        let engine = open(&folder.join("*.csv"));
        let error = engine.tally(query).err().expect("a broken line").to_string();
        error.replace(&folder.display().to_string(), "")
    };
    let crlf = "state,age,income,member,person\r\nCA,1,1,true,p\r\nCA,1\r\n";
    fs::write(folder.join("crlf.csv"), crlf).unwrap();
    let error = open(&folder.join("crlf.csv")).tally(&Query::default()).err().expect("a broken line").to_string();
    assert!(error.starts_with("line 3 of "), "{error}");
    fs::remove_file(folder.join("crlf.csv")).unwrap();
    let by_state = Query { keys: Some(keys(["state"], [[text("CA")]])), ..Query::default() };
    for query in [&Query::default(), &by_state] {
        let ragged = |fields: usize| {
            format!(
                "line 20005 of `/b.csv` does not have as many fields as the header: {fields} instead of 5; lines that \
                    are no rows are left \
                 out by `skip` (before the header), `skip_rows` (below it), `footer` (at the end) or `comment` (by a mark) in [data]"
            )
        };
        assert_eq!(run(b"NV,secret", query), ragged(2));
        assert_eq!(run(b"NV,1,1,true,p,secret", query), ragged(6));
        let told = run(b"NV,1,1,true,s\xffcret", query);
        assert!(told.starts_with("line 20005 of `/b.csv` is not UTF-8 text; its bytes do not tell"), "{told}");
        assert!(!told.contains("cret"), "{told}");
    }
}

#[test]
fn a_file_that_goes_away_is_named() {
    let folder = tempdir().unwrap();
    for path in write::both(folder.path(), &Random::new(22).rows(3, 3)) {
        let engine = open(&path);
        fs::remove_file(&path).unwrap();
        let error = engine.tally(&Query::default()).err().expect("no file").to_string();
        assert!(error.starts_with(&format!("cannot read `{}`: ", path.display())), "{error}");
    }
}

#[test]
fn values_and_keys_that_do_not_fit() {
    let folder = tempdir().unwrap();
    let [csv, parquet] = write::both(folder.path(), &Random::new(23).rows(3, 3));
    let clip = |clip: Clip| refused(&parquet, &Query { values: vec![clip], ..Query::default() }).to_string();
    let must = "value: bounds of `income` must satisfy -2^53 <= lower < upper <= 2^53 steps, got";
    assert_eq!(clip(Clip { lower: 5, upper: 5, ..income() }), format!("{must} 5 and 5"));
    let far = (1 << 53) + 1;
    assert_eq!(clip(Clip { upper: far, ..income() }), format!("{must} 0 and 9007199254740993"));
    assert_eq!(clip(Clip { lower: i64::MIN, ..income() }), format!("{must} -9223372036854775808 and 800000"));
    assert_eq!(
        clip(Clip { missing: Missing::Impute(-1), ..income() }),
        "value: the imputed value of `income` must lie in [0, 800000] steps, got -1"
    );
    assert_eq!(
        clip(Clip { column: "incom".to_owned(), ..income() }),
        "value: no column `incom` in the data; did you mean `income`?"
    );
    assert_eq!(
        clip(Clip { column: "state".to_owned(), ..income() }),
        "value: column `state` must be integer, number or boolean, but it is text; use another column"
    );
    let undeclared = FileEngine::open(&Source::new(csv.to_str().unwrap())).unwrap();
    let query = Query { values: vec![income()], ..Query::default() };
    assert_eq!(
        undeclared.check(&query).unwrap_err().to_string(),
        "value: column `income` must be integer, number or boolean, but it is text; \
         CSV columns are text unless the source declares their kind"
    );
    let by_age = Query { keys: Some(keys(["age"], [[text("7")]])), ..Query::default() };
    assert_eq!(
        refused(&parquet, &by_age).to_string(),
        "keys: column `age` must be text, as its keys are, but it is integer; use another column"
    );
    let by_income = Query { keys: Some(keys(["income"], [[KeyValue::Integer(7)]])), ..Query::default() };
    assert_eq!(
        refused(&parquet, &by_income).to_string(),
        "keys: column `income` must be integer, as its keys are, but it is number; use another column"
    );
}

#[test]
fn parquet_columns_may_come_in_another_order() {
    let folder = tempdir().unwrap();
    let state = || Arc::new(StringArray::from(vec!["CA", "NV"])) as ArrayRef;
    let income = || Arc::new(Float64Array::from(vec![1.0, 2.0])) as ArrayRef;
    write::columns(&folder.path().join("a.parquet"), vec![("state", state()), ("income", income())]);
    write::columns(&folder.path().join("b.parquet"), vec![("income", income()), ("state", state())]);
    let query =
        Query { keys: Some(keys(["state"], [[text("NV")]])), values: vec![crate::income()], ..Query::default() };
    assert_eq!(answers(&open(&folder.path().join("*.parquet")), &query), (vec![2], vec![16]));
}

/// A file of two rows, whose only group states 3,455,309,987 of them. Where no column is read they would all be
/// counted.
#[test]
fn a_parquet_file_cannot_state_rows_that_it_has_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    fs::write(&path, include_bytes!("../../../../fuzz/corpus/parquet/rows-of-a-group")).unwrap();
    let refused = FileEngine::open(&Source::new(path.to_str().unwrap()).with_public_types()).err();
    assert!(matches!(refused, Some(DataError::DamagedParquet { .. })), "{refused:?}");
}
