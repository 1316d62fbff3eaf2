//! CPU time and memory of grouped answers beside the engine's own `GROUP BY`, in one process.
//!
//! ```text
//! cargo run --release -p inbounds-data --example grouped -- [rows] [file]
//! ```
//!
//! Times are user and system time of the process from `/proc/self/stat`, so this runs on Linux only.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use inbounds_core::Grid;
use inbounds_data::{Clip, ContributionBound, DataFusionEngine, Engine, KeyValue, Keys, Missing, Query, Source};

#[path = "../benches/generate/mod.rs"]
mod generate;

/// Runs of each query.
const RUNS: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let rows: u64 = arguments.next().map_or(Ok(10_000_000), |rows| rows.parse())?;
    let path =
        arguments.next().map_or_else(|| std::env::temp_dir().join(format!("grouped-{rows}.parquet")), PathBuf::from);
    if !path.exists() {
        generate::write(&path, rows);
    }
    let path_text = path.to_str().ok_or("the path is not UTF-8")?;
    let engine = DataFusionEngine::open(&Source::new(path_text))?;
    let (by_county, mean_by_state, bounded) = queries()?;
    println!("{rows} rows, mean of {RUNS} runs, CPU s (wall s)");
    let tally = |query: &Query| {
        let tally = engine.tally(query)?;
        Ok(tally.counts.cells())
    };
    let ours_count = mean("tally: county, count", || tally(&by_county))?;
    let ours_mean = mean("tally: state, count and sum", || tally(&mean_by_state))?;
    println!("peak memory so far: {}", peak_memory()?);
    let sql_count = mean("SQL: county, count(*)", || sql(&path, "SELECT county, count(*) FROM t GROUP BY county"))?;
    let sql_mean = mean("SQL: state, avg(income)", || sql(&path, "SELECT state, avg(income) FROM t GROUP BY state"))?;
    println!("peak memory so far: {}", peak_memory()?);
    println!(
        "ratio count {:.2}, mean {:.2}, both {:.2}",
        ours_count / sql_count,
        ours_mean / sql_mean,
        (ours_count + ours_mean) / (sql_count + sql_mean)
    );
    mean("tally: state, count and sum, 1 row per person", || tally(&bounded))?;
    println!("peak memory so far: {}", peak_memory()?);
    Ok(())
}

fn queries() -> Result<(Query, Query, Query), Box<dyn Error>> {
    let keys = |column: &str, names: Vec<String>| {
        Keys::new(vec![column.to_owned()], names.into_iter().map(|name| vec![KeyValue::Text(name)]).collect())
    };
    let by_county = Query {
        keys: Some(keys("county", (0..generate::COUNTIES).map(generate::county).collect())?),
        ..Query::default()
    };
    let income = Clip {
        column: "income".to_owned(),
        lower: 0,
        upper: 600_000,
        grid: Grid::power_of_two(-2)?,
        missing: Missing::Drop,
    };
    let mean_by_state = Query {
        keys: Some(keys("state", (0..generate::STATES).map(generate::state).collect())?),
        value: Some(income),
        ..Query::default()
    };
    let bound = Some(ContributionBound { unit: "person".to_owned(), rows: 1 });
    let bounded = Query { bound, ..mean_by_state.clone() };
    Ok((by_county, mean_by_state, bounded))
}

/// Number of groups of a statement, run as a program that embeds the engine would run it.
fn sql(path: &Path, statement: &str) -> Result<usize, Box<dyn Error>> {
    let threads = std::thread::available_parallelism()?.get();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    runtime.block_on(async {
        let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(threads));
        let path = path.to_str().ok_or("the path is not UTF-8")?;
        context.register_parquet("t", path, ParquetReadOptions::default()).await?;
        let batches = context.sql(statement).await?.collect().await?;
        Ok(batches.iter().map(|batch| batch.num_rows()).sum())
    })
}

/// CPU seconds of a run, as the mean of `RUNS` after one to warm up: the clock ticks only every 10 ms.
fn mean(name: &str, mut run: impl FnMut() -> Result<usize, Box<dyn Error>>) -> Result<f64, Box<dyn Error>> {
    let groups = run()?;
    let (cpu, wall) = (cpu_seconds()?, Instant::now());
    for _ in 0..RUNS {
        run()?;
    }
    let cpu = (cpu_seconds()? - cpu) / f64::from(RUNS);
    let wall = wall.elapsed().as_secs_f64() / f64::from(RUNS);
    println!("{cpu:8.4} ({wall:.4})  {name}, {groups} groups");
    Ok(cpu)
}

fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let after_name = stat.rsplit(')').next().ok_or("no name in /proc/self/stat")?;
    let ticks: Vec<f64> = after_name.split_whitespace().skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    // USER_HZ is 100 on every Linux.
    Ok(ticks.iter().sum::<f64>() / 100.0)
}

fn peak_memory() -> Result<String, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM")).ok_or("no VmHWM in /proc/self/status")?;
    Ok(line.trim_start_matches("VmHWM:").trim().to_owned())
}
