//! The program under a recorder of the calls that change files.

use std::{
    fs,
    path::PathBuf,
    process::{Command, Stdio},
    sync::LazyLock,
};

use tempfile::TempDir;

use super::disk::Change;
use crate::workbench::Workbench;

/// The recorder, compiled once. It stays for as long as the tests run.
static RECORDER: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = TempDir::new().expect("folder");
    let program = folder.path().join("recorder");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/ledger/power/recorder.c");
    let compiler = Command::new("cc").args(["-O1", "-o"]).arg(&program).arg(source).status();
    assert!(compiler.expect("a C compiler, as the program itself needs").success());
    (folder, program)
});

/// Runs the program in the folder of the bench; the calls that changed something there, and the exit code.
pub(super) fn record(bench: &Workbench, arguments: &[&str]) -> (Vec<Change>, i32) {
    let folder = fs::canonicalize(bench.path("")).expect("a folder");
    let log = TempDir::new().expect("folder");
    let log = log.path().join("calls");
    let mut command = Command::new(&RECORDER.1);
    command.current_dir(&folder).arg(&log).arg(&folder).arg(env!("CARGO_BIN_EXE_inbounds")).args(arguments);
    let output = command.stdout(Stdio::null()).stderr(Stdio::piped()).output().expect("starts");
    let code = output.status.code().expect("no signal");
    assert!(code < 95, "{code}: {}", String::from_utf8_lossy(&output.stderr));
    (read(&fs::read(&log).expect("a log")), code)
}

fn read(mut log: &[u8]) -> Vec<Change> {
    let mut changes = Vec::new();
    while let Some(end) = log.iter().position(|byte| *byte == b'\n') {
        let line = std::str::from_utf8(&log[..end]).expect("UTF-8");
        log = &log[end + 1..];
        let fields: Vec<&str> = line.split('\t').collect();
        let number = |text: &str| text.parse::<usize>().expect("a number");
        changes.push(match fields[..] {
            ["create", path] => Change::Create(path.into()),
            ["mkdir", path] => Change::Folder(path.into()),
            ["remove" | "rmdir", path] => Change::Remove(path.into()),
            ["rename", from, to] => Change::Rename { from: from.into(), to: to.into() },
            ["truncate", path, length] => Change::Length { path: path.into(), length: number(length) },
            ["sync", path] => Change::Sync(path.into()),
            ["write", path, at, count] => {
                let (bytes, rest) = log.split_at(number(count));
                log = rest.strip_prefix(b"\n").expect("a line ends after the data");
                Change::Write { path: path.into(), at: number(at), bytes: bytes.to_vec() }
            }
            _ => panic!("{line}"),
        });
    }
    changes
}
