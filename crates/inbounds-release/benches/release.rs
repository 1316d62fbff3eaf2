//! A whole release of ten million rows beside a plain loop over the same columns, without privacy.
//!
//! `cargo bench -p inbounds-release --bench release`
//!
//! Counts for 3,204 counties and mean incomes for 51 states from one Parquet file of 130 MB, made on the first run in
//! the target folder. All times are CPU time of the process, so they do not favour a program that uses more threads.
//! The release opens the file, asks, draws the noise, computes every error and interval, and writes a bundle to disk.
//! The loop is what reading costs at least: it decodes the columns as dictionaries and adds up doubles by their codes.
//! Besides criterion's figures it prints the ratio of paired runs and the peak memory.
//!
//! `INBOUNDS_BENCH_ROWS` sets another number of rows.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

mod common;
mod generate;

use std::{
    collections::HashMap,
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use arrow::{
    array::AsArray,
    datatypes::{DataType, Field, Float64Type, Int32Type, Schema},
};
use criterion::Criterion;
use inbounds_release::{Randomness, Silent, plan::Plan, release};
use parquet::arrow::{
    ProjectionMask,
    arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder},
};

use self::common::cpu_time;

/// Pairs behind the printed ratio.
const PAIRS: usize = 15;

fn main() {
    let rows: u64 =
        std::env::var("INBOUNDS_BENCH_ROWS").map_or(10_000_000, |rows| rows.parse().expect("a number of rows"));
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let data = folder.join(format!("release-{rows}.parquet"));
    if !data.exists() {
        generate::write(&data, rows);
    }
    let plan = plan(&folder, &data);
    let out = folder.join("release-bundle");
    let ours = || whole_release(&plan, &out);
    let theirs = || plain(&data);
    // The release first, so that the peak is its own.
    ours();
    println!("{rows} rows; peak memory of a release: {}", peak_memory());
    compare(&ours, &theirs);
    let mut criterion = Criterion::default().sample_size(15).configure_from_args();
    criterion.bench_function("release, CPU time", |bench| bench.iter_custom(|runs| cpu_time(runs, &ours)));
    criterion.bench_function("plain loop, CPU time", |bench| bench.iter_custom(|runs| cpu_time(runs, &theirs)));
    criterion.final_summary();
}

fn compare(ours: &dyn Fn(), theirs: &dyn Fn()) {
    theirs();
    let mut ratios: Vec<f64> =
        (0..PAIRS).map(|_| cpu_time(1, ours).as_secs_f64() / cpu_time(1, theirs).as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, median, most) = (ratios[0], ratios[PAIRS / 2], ratios[PAIRS - 1]);
    println!("CPU time, release / plain loop, {PAIRS} pairs: median {median:.2} ({least:.2} to {most:.2})");
}

/// A plan over the generated file, its county keys in a public key file.
fn plan(folder: &Path, data: &Path) -> Plan {
    let counties: Vec<String> = (0..generate::COUNTIES).map(generate::county).collect();
    fs::write(folder.join("counties.csv"), format!("county\n{}\n", counties.join("\n"))).expect("writes");
    let states: Vec<String> = (0..generate::STATES).map(|index| format!("{:?}", generate::state(index))).collect();
    let text = format!(
        r#"
        [data]
        path = {data:?}
        [privacy]
        unit = "row"
        neighbours = "add-remove"
        epsilon = 1
        [columns.state]
        type = "text"
        values = [{states}]
        [columns.income]
        type = "number"
        lower = 0
        upper = 150000
        missing = "drop"
        [[statistic]]
        name = "people-by-county"
        kind = "count"
        by = ["county"]
        keys = "counties.csv"
        [[statistic]]
        name = "mean-income-by-state"
        kind = "mean"
        column = "income"
        by = ["state"]
        "#,
        states = states.join(", "),
    );
    Plan::parse(&text, folder).expect("a good plan")
}

fn whole_release(plan: &Plan, out: &Path) {
    let released = release(plan, out, Randomness::Secure, &Silent).expect("releases");
    assert_eq!(released.statistics[0].estimates.len() as u64, generate::COUNTIES);
    fs::remove_dir_all(out).expect("removes");
}

/// The same two questions without privacy, by a loop over batches.
fn plain(data: &Path) {
    let dictionary = || DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
    let file = || File::open(data).expect("the generated file");
    let stored = ArrowReaderMetadata::load(&file(), ArrowReaderOptions::new()).expect("a footer");
    let as_read = |field: &Arc<Field>| match field.data_type() {
        DataType::Utf8 => Field::new(field.name(), dictionary(), field.is_nullable()),
        _ => field.as_ref().clone(),
    };
    let schema = Schema::new(stored.schema().fields().iter().map(as_read).collect::<Vec<_>>());
    let options = ArrowReaderOptions::new().with_schema(Arc::new(schema));
    let metadata = ArrowReaderMetadata::try_new(stored.metadata().clone(), options).expect("texts as dictionaries");
    let mask = ProjectionMask::columns(metadata.parquet_schema(), ["county", "state", "income"]);
    let batches = ParquetRecordBatchReaderBuilder::new_with_metadata(file(), metadata)
        .with_projection(mask)
        .with_batch_size(16_384)
        .build()
        .expect("columns of the file");
    let mut counties: HashMap<String, u64> = HashMap::new();
    let mut states: HashMap<String, (u64, f64)> = HashMap::new();
    for batch in batches {
        let batch = batch.expect("a page");
        let income = batch.column(2).as_primitive::<Float64Type>().values();
        let [county, state] = [0, 1].map(|column| batch.column(column).as_dictionary::<Int32Type>());
        let mut counts = vec![0_u64; county.values().len()];
        county.keys().values().iter().for_each(|&key| counts[key as usize] += 1);
        let mut sums = vec![(0_u64, 0.0); state.values().len()];
        for (&key, income) in state.keys().values().iter().zip(income) {
            let (count, sum) = &mut sums[key as usize];
            (*count, *sum) = (*count + 1, *sum + income.clamp(0.0, 150_000.0));
        }
        for (name, count) in county.values().as_string::<i32>().iter().flatten().zip(counts) {
            *counties.entry(name.to_owned()).or_default() += count;
        }
        for (name, (count, sum)) in state.values().as_string::<i32>().iter().flatten().zip(sums) {
            let total = states.entry(name.to_owned()).or_default();
            *total = (total.0 + count, total.1 + sum);
        }
    }
    assert_eq!((counties.len() as u64, states.len() as u64), (generate::COUNTIES, generate::STATES));
}

fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "not known on this system".to_owned(), |kilobytes| kilobytes.trim().to_owned())
}
