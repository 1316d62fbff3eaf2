//! Wall time, bytes and memory of a scan by 1, 2 and 4 worker processes of one thread, beside one thread of this process.
//!
//! `cargo bench -p inbounds-data --features distributed --bench workers`; `INBOUNDS_BENCH_ROWS` for another number of rows than 10 million.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark prints, and fails by panicking")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::num::NonZero;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use arrow::array::{ArrayRef, Int64Array, RecordBatch};
use inbounds_core::Grid;
use inbounds_data::{
    Clip, ContributionBound, Engine, FileEngine, KeyValue, Keys, Missing, Query, Source, Worker, Workers,
};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;

const ONE: NonZero<usize> = NonZero::<usize>::MIN;
/// Rows of a row group.
const GROUP: usize = 1 << 18;

fn main() {
    if std::env::args().any(|argument| argument == "--worker") {
        let worker = Worker::bind("127.0.0.1:0", None, ONE).unwrap();
        println!("{}", worker.address().unwrap());
        return worker.serve(&|note| println!("{note}"));
    }
    let rows = std::env::var("INBOUNDS_BENCH_ROWS").map_or(10_000_000, |rows| rows.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.parquet");
    write(&path, rows);
    let engine =
        || FileEngine::open(&Source::new(path.to_str().unwrap()).with_public_types()).unwrap().with_threads(ONE);
    for (name, query) in
        [("a count and a sum in 3,000 cells", by_county(None)), ("the same, 2 rows a unit", by_county(Some(2)))]
    {
        println!("{name}, {rows} rows");
        let (expected, seconds) = timed(|| engine().tally(&query).unwrap());
        println!("  here: {seconds:.2} s, {:.1} ns a row", 1e9 * seconds / rows as f64);
        for count in [1, 2, 4] {
            let moved = Arc::new(AtomicU64::new(0));
            let processes: Vec<Process> = (0..count).map(|_| Process::start(&moved)).collect();
            let addresses: Vec<String> = processes.iter().map(|process| process.address.clone()).collect();
            let engine = engine().with_workers(Workers::new(&addresses, None).unwrap());
            let (tally, seconds) = timed(|| engine.tally(&query).unwrap());
            assert!(tally.counts.private_steps() == expected.counts.private_steps(), "the same numbers");
            let memory: Vec<u64> =
                processes.iter().map(|process| most_memory(&process.child.id().to_string()) >> 20).collect();
            let (bytes, per_row) = (moved.load(Ordering::Relaxed), 1e9 * seconds / rows as f64);
            println!(
                "  {count} workers: {seconds:.2} s, {per_row:.1} ns a row, {bytes} bytes moved, MiB each {memory:?}"
            );
        }
        println!("  this process had {} MiB at most", most_memory("self") >> 20);
    }
}

/// A worker process, behind a connection that counts.
struct Process {
    child: Child,
    address: String,
}

impl Process {
    fn start(moved: &Arc<AtomicU64>) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        let mut child = command.arg("--worker").stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, moved) = (listener.local_addr().unwrap().to_string(), Arc::clone(moved));
        thread::spawn(move || {
            let near = listener.accept().unwrap().0;
            let far = TcpStream::connect(line.trim()).unwrap();
            near.set_nodelay(true).unwrap();
            far.set_nodelay(true).unwrap();
            let (from, into, counted) = (near.try_clone().unwrap(), far.try_clone().unwrap(), Arc::clone(&moved));
            thread::spawn(move || hand_on(from, into, &counted));
            hand_on(far, near, &moved);
        });
        Self { child, address }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn hand_on(mut from: TcpStream, mut into: TcpStream, moved: &AtomicU64) {
    let mut buffer = vec![0; 1 << 18];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        moved.fetch_add(read as u64, Ordering::Relaxed);
        if into.write_all(&buffer[..read]).is_err() {
            return;
        }
    }
    let _ = into.shutdown(std::net::Shutdown::Write);
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let begin = Instant::now();
    (work(), begin.elapsed().as_secs_f64())
}

/// Most bytes that a process had.
fn most_memory(process: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    1024 * line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
}

fn by_county(rows: Option<u64>) -> Query {
    let value =
        Clip { column: "income".into(), lower: 0, upper: 100_000, grid: Grid::INTEGERS, missing: Missing::Drop };
    Query {
        keys: Some(
            Keys::new(vec!["county".into()], (0..3_000).map(|county| vec![KeyValue::Integer(county)]).collect())
                .unwrap(),
        ),
        values: vec![value],
        bound: rows.map(|rows| ContributionBound::of_rows("person", rows)),
        ..Query::default()
    }
}

/// Counties, incomes and three million persons.
fn write(path: &Path, rows: usize) {
    let batch = |begin: usize, rows: usize| {
        let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let column = |of: &dyn Fn(u64) -> u64| -> ArrayRef {
            Arc::new((begin..begin + rows).map(|row| of(mixed(row)) as i64).collect::<Int64Array>())
        };
        let people = 3_000_000;
        RecordBatch::try_from_iter([
            ("county", column(&|mixed| mixed % 3_000)),
            ("income", column(&|mixed| mixed / 7 % 120_000)),
            ("person", column(&|mixed| mixed / 11 % people)),
        ])
        .unwrap()
    };
    let properties = WriterProperties::builder().set_max_row_group_row_count(Some(GROUP)).build();
    let schema = batch(0, 1).schema();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), schema, Some(properties)).unwrap();
    (0..rows).step_by(GROUP).for_each(|begin| writer.write(&batch(begin, GROUP.min(rows - begin))).unwrap());
    writer.close().unwrap();
}
