//! Killed at any moment, a release leaves a whole bundle or none.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::workbench::{ROWS, Workbench};

const FILES: usize = 7;

#[test]
fn a_killed_release_leaves_a_whole_bundle_or_none() {
    let bench = Workbench::new();
    // Rows enough that reading, measuring and writing all take a while.
    let body = ROWS.split_once('\n').expect("a header").1.repeat(4000);
    bench.write("rows.csv", format!("id,sex,age,income\n{body}"));
    let release = |out: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_inbounds"));
        command.current_dir(bench.path("")).args(["release", "plan.toml", "--out", out]);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts")
    };
    let start = Instant::now();
    assert!(release("whole").wait().expect("ends").success());
    let usual = start.elapsed();
    let (mut complete, mut none) = (0, 0);
    for attempt in 0..24u32 {
        let out = format!("bundle-{attempt}");
        let mut running = release(&out);
        // Spread over the run and a little beyond its end.
        thread::sleep(usual.mul_f64(f64::from(attempt) / 18.0).min(Duration::from_secs(5)));
        // It may have ended by itself; either way it is dead after this.
        let _ = running.kill();
        running.wait().expect("ends");
        match fs::read_dir(bench.path(&out)) {
            Ok(entries) => {
                assert_eq!(entries.count(), FILES, "attempt {attempt} left part of a bundle");
                complete += 1;
            }
            Err(_) => none += 1,
        }
    }
    assert!(none > 0, "no attempt was killed in time: {complete} whole");
}
