//! Files for tests.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) state: Option<String>,
    pub(crate) age: Option<i64>,
    pub(crate) income: Option<f64>,
    pub(crate) member: Option<bool>,
    pub(crate) person: Option<String>,
}

fn cell<T: ToString>(value: &Option<T>) -> String {
    value.as_ref().map(T::to_string).unwrap_or_default()
}

pub(crate) fn csv(path: &Path, rows: &[Row]) {
    let mut text = "state,age,income,member,person\n".to_owned();
    for Row { state, age, income, member, person } in rows {
        let line = [cell(state), cell(age), cell(income), cell(member), cell(person)].join(",");
        text.push_str(&line);
        text.push('\n');
    }
    fs::write(path, text).unwrap();
}

pub(crate) fn parquet(path: &Path, rows: &[Row]) {
    parquet_without(path, rows, &[]);
}

/// The same without these columns.
pub(crate) fn parquet_without(path: &Path, rows: &[Row], without: &[&str]) {
    let states: StringArray = rows.iter().map(|row| row.state.clone()).collect();
    let ages: Int64Array = rows.iter().map(|row| row.age).collect();
    let incomes: Float64Array = rows.iter().map(|row| row.income).collect();
    let members: BooleanArray = rows.iter().map(|row| row.member).collect();
    let persons: StringArray = rows.iter().map(|row| row.person.clone()).collect();
    let mut all = vec![
        ("state", Arc::new(states) as ArrayRef),
        ("age", Arc::new(ages)),
        ("income", Arc::new(incomes)),
        ("member", Arc::new(members)),
        ("person", Arc::new(persons)),
    ];
    all.retain(|(name, _)| !without.contains(name));
    columns(path, all);
}

/// Writes columns in row groups of 1,000 rows, so that a file has several dictionaries.
pub(crate) fn columns(path: &Path, columns: Vec<(&str, ArrayRef)>) {
    let batch = RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)));
    let batch = batch.unwrap();
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(1_000)).build();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), Some(properties)).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

/// Both formats in one folder each: `csv/rows.csv` and `parquet/rows.parquet`.
pub(crate) fn both(folder: &Path, rows: &[Row]) -> [PathBuf; 2] {
    let paths = [folder.join("rows.csv"), folder.join("rows.parquet")];
    csv(&paths[0], rows);
    parquet(&paths[1], rows);
    paths
}
