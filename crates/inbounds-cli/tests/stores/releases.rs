//! Rows of a store are released as those of files are.

use std::{fs, io::Write, sync::Arc};

use arrow::{
    array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringArray},
    ipc::writer::FileWriter,
};
use flate2::{Compression, write::GzEncoder};
use parquet::{arrow::ArrowWriter, file::properties::WriterProperties};

use crate::{
    bench::{bundle, plan, rows},
    server::{SECRET, Store},
    workbench::Workbench,
};

/// Names and bytes.
type Objects = Vec<(&'static str, Vec<u8>)>;

/// What a bundle says of the rows: all files but the plan and what names it.
fn published(bench: &Workbench, name: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = bundle(&bench.path(name));
    files.retain(|(name, _)| name.ends_with(".csv"));
    assert!(!files.is_empty());
    files
}

/// The rows of the workbench's files as a record batch.
fn batch() -> RecordBatch {
    let texts: Vec<String> = (0..7).map(|file| rows(file, 3000)).collect();
    let cells: Vec<Vec<&str>> =
        texts.iter().flat_map(|text| text.lines().skip(1)).map(|line| line.split(',').collect()).collect();
    let text = |place: usize| {
        let cells = cells.iter().map(|row| Some(row[place]).filter(|cell| !cell.is_empty()));
        Arc::new(StringArray::from_iter(cells)) as ArrayRef
    };
    let ages = Arc::new(Int64Array::from_iter(cells.iter().map(|row| row[2].parse::<i64>().ok())));
    let incomes = Arc::new(Float64Array::from_iter(cells.iter().map(|row| row[3].parse::<f64>().ok())));
    RecordBatch::try_from_iter([("id", text(0)), ("sex", text(1)), ("age", ages), ("income", incomes)])
        .expect("equal lengths")
}

fn parquet(batch: &RecordBatch) -> Vec<u8> {
    let small = WriterProperties::builder().set_max_row_group_row_count(Some(4000)).set_data_page_row_count_limit(500);
    let mut bytes = Vec::new();
    let mut writer = ArrowWriter::try_new(&mut bytes, batch.schema(), Some(small.build())).expect("a writer");
    writer.write(batch).expect("rows");
    writer.close().expect("a footer");
    bytes
}

fn arrow(batch: &RecordBatch) -> Vec<u8> {
    let mut writer = FileWriter::try_new(Vec::new(), &batch.schema()).expect("a writer");
    (0..batch.num_rows()).step_by(5000).for_each(|begin| {
        writer.write(&batch.slice(begin, 5000.min(batch.num_rows() - begin))).expect("rows");
    });
    writer.into_inner().expect("a footer")
}

fn gzipped(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).expect("bytes");
    packed.finish().expect("bytes")
}

/// Every layout, from a file and from the store: the same noise on the same rows.
#[test]
fn objects_are_read_as_files_are() {
    let (store, batch) = (Store::start(), batch());
    let text: String = rows(0, 90_000);
    let layouts: [(&str, Objects); 7] = [
        ("people.csv", vec![("people.csv", text.clone().into())]),
        ("people.csv.gz", vec![("people.csv.gz", gzipped(&text))]),
        ("people.parquet", vec![("people.parquet", parquet(&batch))]),
        ("people.arrow", vec![("people.arrow", arrow(&batch))]),
        (
            "some folder",
            vec![
                ("some folder/a.csv", rows(1, 300).into()),
                ("some folder/b.csv", rows(2, 300).into()),
                ("some folder/_SUCCESS", Vec::new()),
            ],
        ),
        (
            "deep/**/*.csv",
            vec![
                ("deep/a.csv", rows(1, 300).into()),
                ("deep/er/b.csv", rows(2, 300).into()),
                ("deep/er/c.txt", b"nothing".to_vec()),
            ],
        ),
        (
            "by",
            vec![
                ("by/year=2020/a.csv", rows(3, 300).into()),
                ("by/year=2021/a.csv", rows(4, 300).into()),
                ("by/_temporary/0/a.csv", b"nothing".to_vec()),
            ],
        ),
    ];
    let bench = Workbench::new();
    for (run, (path, objects)) in layouts.into_iter().enumerate() {
        let format = if path.contains('.') && !path.contains('*') { "" } else { "format = \"csv\"\n" };
        let plan = plan().replace("path = \"rows\"\nformat = \"csv\"\n", &format!("path = \"PATH\"\n{format}"));
        let plan = plan.replace("ledger = \"rows.ledger\"\n", "");
        for (key, bytes) in &objects {
            fs::create_dir_all(bench.path(key).parent().expect("a folder")).expect("a folder");
            // The folder beside those of columns is left out of both.
            if !key.contains("_temporary") {
                bench.write(key, bytes);
            }
            store.put(key, bytes.clone());
        }
        let _ = fs::remove_dir_all(bench.path("by/_temporary"));
        bench.write("here.toml", plan.replace("PATH", path));
        bench.write("there.toml", plan.replace("PATH", &format!("s3://rows/{path}")));
        let (here, there) = (format!("here-{run}"), format!("there-{run}"));
        bench.seeded("here.toml", &here, "7");
        let seeded = ["release", "there.toml", "--out", &there, "--seed", "7", "--not-private"];
        let said = bench.run_with(&store.variables(), &seeded);
        assert_eq!(said.code, 0, "{path}: {}", said.err);
        assert!(published(&bench, &here) == published(&bench, &there), "{path} is released otherwise");
        for (name, bytes) in bundle(&bench.path(&there)) {
            assert!(!String::from_utf8_lossy(&bytes).contains(SECRET), "{name} holds the secret");
        }
    }
    assert_eq!(store.holdings.lock().expect("nobody panics").unsigned, 0);
}

/// A piece of Parquet is fetched in few requests, and columns that no statistic reads are not.
#[test]
fn only_what_is_read_is_fetched() {
    let (store, bench) = (Store::start(), Workbench::new());
    let bytes = parquet(&batch());
    store.put("people.parquet", bytes.clone());
    bench.write(
        "plan.toml",
        plan()
            .replace("ledger = \"rows.ledger\"\n", "")
            .replace("path = \"rows\"\nformat = \"csv\"", "path = \"s3://rows/people.parquet\""),
    );
    let said = bench.run_with(&store.variables(), &["peek", "plan.toml", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let holdings = store.holdings.lock().expect("nobody panics");
    // Six row groups with the columns of the plan, the footer as often as the file is opened, and the groups once more
    // for each of the two columns whose unusable cells are spelled out, of which nothing else is fetched.
    assert!(holdings.asked.len() <= 6 + 3 + 2 * 6, "{:?}", holdings.asked);
    let of_one_column = |asked: &&(String, usize)| asked.1 < bytes.len() / 100;
    assert_eq!(holdings.asked.iter().filter(of_one_column).count(), 2 * 6, "{:?}", holdings.asked);
    let groups: Vec<usize> =
        holdings.asked.iter().map(|(_, bytes)| *bytes).filter(|asked| *asked < bytes.len()).collect();
    assert!(groups.iter().sum::<usize>() < bytes.len(), "{groups:?} of {}", bytes.len());
}

#[test]
fn a_ledger_knows_rows_of_a_store_and_a_first_plan_is_written_of_them() {
    let (store, bench) = (Store::start(), Workbench::new());
    store.put("people.csv", rows(1, 300));
    let terms = ["ledger", "create", "s3.ledger", "--data", "s3://rows/people.csv", "--unit", "row"];
    let more = ["--neighbours", "add-remove", "--epsilon", "3"];
    let said = bench.run(&[&terms[..], &more].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    bench.edit("path = \"rows.csv\"", "path = \"s3://rows/people.csv\"");
    bench.edit("epsilon = 1\n", "epsilon = 1\nledger = \"s3.ledger\"\n");
    let said = bench.run_with(&store.variables(), &["release", "plan.toml", "--out", "bundle"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let said = bench.run_with(&store.variables(), &["plan", "init", "s3://rows/people.csv", "--out", "sub/first.toml"]);
    assert_ne!(said.code, 0, "there is no folder");
    let said = bench.run_with(&store.variables(), &["plan", "init", "s3://rows/people.csv", "--out", "first.toml"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let plan = fs::read_to_string(bench.path("first.toml")).expect("a plan");
    assert!(plan.contains("path = \"s3://rows/people.csv\"") && plan.contains("income"), "{plan}");
}

#[test]
fn file_urls_are_paths() {
    let bench = Workbench::new();
    let url = format!("file://{}", bench.path("rows.csv").display());
    bench.seeded("plan.toml", "here", "7");
    bench.edit("rows.csv", &url);
    bench.seeded("plan.toml", "there", "7");
    assert!(published(&bench, "here") == published(&bench, "there"));
}
