//! A folder with rows in several files, its plan and ledger, and processes that read them.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::Value;

use crate::workbench::{PLAN, Said, Workbench};

/// A worker process, which is killed with the test.
pub(crate) struct WorkerProcess {
    child: Child,
    pub(crate) address: String,
    said: mpsc::Receiver<String>,
}

impl WorkerProcess {
    pub(crate) fn start(more: &[&str]) -> Self {
        Self::start_with(&[], more)
    }

    /// The same with variables of the environment.
    pub(crate) fn start_with(variables: &[(&str, &str)], more: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inbounds"));
        command.envs(variables.iter().copied());
        command.args(["worker", "--listen", "127.0.0.1:0", "--threads", "1"]).args(more);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a worker");
        let mut said = BufReader::new(child.stderr.take().expect("a pipe"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        let address = line.trim().rsplit(' ').next().expect("a word").to_owned();
        assert!(line.contains("listens at 127.0.0.1:"), "{line}");
        let (tell, hear) = mpsc::channel();
        thread::spawn(move || said.lines().map_while(Result::ok).try_for_each(|line| tell.send(line)));
        Self { child, address, said: hear }
    }

    /// Most memory that it had so far, in bytes.
    #[cfg(target_os = "linux")]
    pub(crate) fn most_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a process");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its memory");
        1024 * line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
    }

    /// Waits until it says these words.
    pub(crate) fn says(&self, words: &str) {
        let mut all = String::new();
        while !all.contains(words) {
            let line = self.said.recv_timeout(Duration::from_secs(20));
            all += &line.unwrap_or_else(|_| panic!("`{words}` is not in: {all}"));
        }
    }

    /// Ends it as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for WorkerProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Columns and statistics beside the columns of the workbench's plan.
const MORE: &str = r#"[columns.old]
is = "age >= 65 AND sex = 'f'"

[columns.net]
is = "income - 2 * least(age, 40)"
missing = "drop"

[[statistic]]
name = "people"
kind = "count"
by = ["sex", "old"]

[[statistic]]
name = "income"
kind = "sum"
column = "income"
where = "age >= 18"

[[statistic]]
name = "net"
kind = "mean"
column = "net"

[[statistic]]
name = "ages"
kind = "histogram"
column = "age"
edges = [0, 18, 40, 65, 110]
"#;

/// The plan of [`bench`]: data, privacy and columns of the workbench's, over a folder and with a ledger, and [`MORE`].
pub(crate) fn plan() -> String {
    let (columns, _) = PLAN.split_once("[[statistic]]").expect("statistics behind the columns");
    let of_folder = columns.replace("path = \"rows.csv\"", "path = \"rows\"\nformat = \"csv\"");
    of_folder.replace("epsilon = 1\n", "epsilon = 1\nledger = \"rows.ledger\"\n") + MORE
}

/// Rows of a file: no two alike, and some without a cell.
pub(crate) fn rows(file: usize, rows: usize) -> String {
    let mut text = "id,sex,age,income\n".to_owned();
    for row in 0..rows {
        let mixed = (file * rows + row) * 7919 % 104_729;
        let sex = ["f", "m", "x", ""][mixed % 4];
        let age = if mixed.is_multiple_of(13) { String::new() } else { (mixed % 97).to_string() };
        text.push_str(&format!("p{},{sex},{age},{}.{}\n", mixed % 500, mixed % 1100, mixed % 10));
    }
    text
}

/// Seven files of rows, a plan over them, and its ledger.
pub(crate) fn bench() -> Workbench {
    let bench = Workbench::new();
    fs::create_dir(bench.path("rows")).expect("a folder");
    for file in 0..7 {
        bench.write(&format!("rows/part-{file}.csv"), rows(file, 400 + 50 * file));
    }
    bench.write("plan.toml", plan());
    let terms = ["ledger", "create", "rows.ledger", "--data", "rows", "--unit", "row"];
    let more = ["--neighbours", "add-remove", "--epsilon", "3"];
    let said = bench.run(&[&terms[..], &more].concat());
    assert_eq!(said.code, 0, "{}", said.err);
    bench
}

/// The arguments that name workers.
pub(crate) fn named<'a>(addresses: &[&'a str]) -> Vec<&'a str> {
    let of_each = addresses.iter().flat_map(|address| ["--worker", address]);
    ["--engine", "distributed"].into_iter().chain(of_each).collect()
}

/// A release from a seed.
pub(crate) fn seeded(bench: &Workbench, out: &str, more: &[&str]) -> Said {
    bench.run(&[&["release", "plan.toml", "--out", out, "--seed", "7", "--not-private"], more].concat())
}

/// The bytes of all files of a bundle.
pub(crate) fn bundle(path: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(path).expect("a bundle").map(|entry| entry.expect("a file").path());
    let named = |path: std::path::PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(path).expect("bytes"))
    };
    let mut files: Vec<_> = files.map(named).collect();
    files.sort();
    files
}

/// What the ledger has spent.
pub(crate) fn spent(bench: &Workbench) -> Value {
    let said = bench.run(&["ledger", "show", "rows.ledger", "--json"]);
    assert_eq!(said.code, 0, "{}", said.err);
    serde_json::from_str::<Value>(&said.out).expect("JSON")["spent"]["epsilon"].clone()
}

/// A release that failed before anything was spent, and left nothing.
#[track_caller]
pub(crate) fn spent_nothing(bench: &Workbench, said: &Said, code: i32, problem: &str) {
    // Sentences are wrapped.
    let words = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains(problem), "`{problem}` is not in: {words}");
    assert_eq!(said.code, code, "{}", said.err);
    assert_eq!(spent(bench), "0");
    let mut names = bench.names();
    names.retain(|name| !name.ends_with(".pem"));
    assert_eq!(names, ["plan.toml", "rows", "rows.csv", "rows.ledger"]);
}
