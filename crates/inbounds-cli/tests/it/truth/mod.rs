//! Nothing that the program publishes misleads: real files, described as people describe them, through the real
//! program.
//!
//! Each module holds the program to one promise. Real files are those of the data folder (`INBOUNDS_DATA`, or beside
//! the project); a test that needs one and does not find it says so and passes.

#![allow(dead_code, unused_imports, reason = "helpers for the modules of this folder")]

mod answers;
mod approvals;
mod bayes;
mod begun;
mod cells;
mod diagnostics;
mod documents;
mod odds;
mod page;
mod plan;
mod predictions;
mod quantities;
mod replicates;
mod reviewed;
mod sentences;
mod shares;
mod terminal;
mod tidy;
mod trees;
mod warnings;

use std::{fs, io::Read, path::PathBuf};

use serde_json::Value;

mod quantiles;
mod small_groups;

pub(crate) use crate::workbench::{Said, Workbench};

/// Copies a file of the data folder's `people` into the workbench, unpacked, as `NAME`; `false`, said aloud, if it is
/// not there.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn people(bench: &Workbench, name: &str) -> bool {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/people");
    let folder = std::env::var_os("INBOUNDS_DATA").map_or(beside, PathBuf::from);
    let packed = folder.join(format!("{name}.gz"));
    let bytes = match (fs::read(folder.join(name)), fs::File::open(&packed)) {
        (Ok(bytes), _) => bytes,
        (_, Ok(file)) => {
            let mut bytes = Vec::new();
            flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("gzip");
            bytes
        }
        _ => {
            eprintln!("SKIPPED: no `{name}` in the data folder; set INBOUNDS_DATA to a folder that holds it");
            return false;
        }
    };
    bench.write(name, bytes);
    true
}

/// A file of a bundle in the workbench.
pub(crate) fn file(bench: &Workbench, path: &str) -> String {
    fs::read_to_string(bench.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The manifest of a bundle in the workbench.
pub(crate) fn manifest(bench: &Workbench, bundle: &str) -> Value {
    serde_json::from_str(&file(bench, &format!("{bundle}/release.json"))).expect("JSON")
}

/// Rows of a CSV table of a bundle, by column name.
pub(crate) fn rows(bench: &Workbench, path: &str) -> Vec<std::collections::HashMap<String, String>> {
    csv::Reader::from_reader(file(bench, path).as_bytes())
        .deserialize()
        .map(|row| row.expect("a rectangular table"))
        .collect()
}
