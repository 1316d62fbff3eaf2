//! A whole release of ten million rows beside the same questions asked of plain DataFusion without privacy.
//!
//! `cargo bench -p inbounds-release --bench release`
//!
//! Counts for 3,204 counties and mean incomes for 51 states from one Parquet file of 130 MB, made on the first run in
//! the target folder. All times are CPU time of the process, so they do not flatter whoever uses more threads. The
//! release opens the file, asks, draws the noise, computes every error and interval, and writes a bundle to disk.
//! Besides criterion's figures it prints the ratio of paired runs and the peak memory.
//!
//! `INBOUNDS_BENCH_ROWS` sets another number of rows.

#![expect(clippy::print_stdout, reason = "its output is its purpose")]

mod generate;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use criterion::Criterion;
use datafusion::prelude::{ParquetReadOptions, SessionConfig, SessionContext};
use inbounds_release::{Randomness, Silent, plan::Plan, release};
use rustix::time::{ClockId, clock_gettime};

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
    criterion.bench_function("plain DataFusion, CPU time", |bench| bench.iter_custom(|runs| cpu_time(runs, &theirs)));
    criterion.final_summary();
}

fn compare(ours: &dyn Fn(), theirs: &dyn Fn()) {
    theirs();
    let mut ratios: Vec<f64> =
        (0..PAIRS).map(|_| cpu_time(1, ours).as_secs_f64() / cpu_time(1, theirs).as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let (least, median, most) = (ratios[0], ratios[PAIRS / 2], ratios[PAIRS - 1]);
    println!("CPU time, release / plain DataFusion, {PAIRS} pairs: median {median:.2} ({least:.2} to {most:.2})");
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

/// The same two questions without privacy, as a program that embeds the engine would ask them.
fn plain(data: &Path) {
    let threads = std::thread::available_parallelism().expect("a number").get();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build().expect("runtime");
    runtime.block_on(async {
        let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(threads));
        let path = data.to_str().expect("UTF-8");
        context.register_parquet("t", path, ParquetReadOptions::default()).await.expect("registers");
        let statements =
            ["SELECT county, count(*) FROM t GROUP BY county", "SELECT state, avg(income) FROM t GROUP BY state"];
        for statement in statements {
            let batches = context.sql(statement).await.expect("plans").collect().await.expect("runs");
            assert!(batches.iter().map(|batch| batch.num_rows()).sum::<usize>() >= 51);
        }
    });
}

fn cpu_time(runs: u64, run: &dyn Fn()) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let start = now();
    (0..runs).for_each(|_| run());
    now() - start
}

fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "not known on this system".to_owned(), |kilobytes| kilobytes.trim().to_owned())
}
