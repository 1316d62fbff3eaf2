//! The program with a library between it and the system, which counts the calls that change files and can make them
//! fail.

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::LazyLock,
};

use tempfile::TempDir;

use crate::workbench::Workbench;

/// The library, compiled once. It stays for as long as the tests run.
static LIBRARY: LazyLock<(TempDir, PathBuf)> = LazyLock::new(|| {
    let folder = TempDir::new().expect("folder");
    let library = folder.path().join("shim.so");
    let source = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/ledger/shim.c");
    let compiler = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    assert!(compiler.expect("a C compiler, as the program itself needs").success());
    (folder, library)
});

/// How a run ended.
pub(super) struct Ended {
    /// `None` if it was killed.
    pub(super) code: Option<i32>,
    pub(super) err: String,
}

/// Runs the program with the library set up by environment variables.
pub(super) fn run(bench: &Workbench, setup: &[(&str, String)], arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_inbounds"));
    command.current_dir(bench.path("")).args(arguments).env("LD_PRELOAD", &LIBRARY.1).env("RAYON_NUM_THREADS", "1");
    command.envs(setup.iter().map(|(name, value)| (name, value))).stdout(Stdio::null()).env_remove("COLUMNS");
    let output = command.stderr(Stdio::piped()).output().expect("starts");
    Ended { code: output.status.code(), err: String::from_utf8_lossy(&output.stderr).into_owned() }
}

/// The calls that change files in a run that succeeds, in their order.
pub(super) fn steps(bench: &Workbench, arguments: &[&str]) -> Vec<String> {
    let log = bench.path("steps.log");
    let ended = run(bench, &[("SHIM_LOG", log.to_string_lossy().into_owned())], arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    let text = std::fs::read_to_string(&log).expect("a log");
    std::fs::remove_file(&log).expect("removes");
    text.lines().map(str::to_owned).collect()
}
