//! The integration tests of the crate, one binary: reconciling through its files, what goes in and what comes out.

mod cells;
mod columns;
mod coverage;
mod error;
mod formats;
mod fuzz;
mod general;
mod geography;
mod places;
mod residuals;
mod situations;
mod sums;

use std::{collections::HashMap, fs, path::PathBuf};

use inbounds_reconcile::{Options, ReconcileError, Reconciled, Silent, reconcile};
use tempfile::TempDir;

/// A folder for inputs and bundles.
struct Bench {
    folder: TempDir,
    bundles: usize,
}

impl Bench {
    /// In memory where the machine has such a folder: a bundle is flushed to its disk, which takes nine tenths of a
    /// small run.
    fn new() -> Self {
        let folder = TempDir::new_in("/dev/shm").or_else(|_| TempDir::new()).expect("a folder");
        Self { folder, bundles: 0 }
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, bytes).expect("writes");
        path
    }

    /// Reconciles a CSV text under constraints.
    fn run(&mut self, counts: &str, rules: &str, options: Options) -> Result<Reconciled, ReconcileError> {
        let counts = self.write("counts.csv", counts);
        let rules = self.write("rules.toml", rules);
        self.bundles += 1;
        let out = self.folder.path().join(format!("bundle-{}", self.bundles));
        reconcile(&counts, &Options { constraints: Some(rules), ..options }, &out, &Silent)
    }
}

fn without_errors() -> Options {
    Options { replicates: 0, ..Options::default() }
}

/// Node, parent and one column of the written estimates, as text.
fn column(reconciled: &Reconciled, name: &str) -> Vec<(String, String, String)> {
    let mut reader = csv::Reader::from_path(reconciled.folder.join("estimates.csv")).expect("a table");
    let place = reader.headers().expect("a header").iter().position(|column| column == name).expect("a column");
    let rows = reader.records().map(|row| row.expect("a row"));
    rows.map(|row| (row[0].to_owned(), row[1].to_owned(), row[place].to_owned())).collect()
}

/// A column as numbers by node.
fn numbers(reconciled: &Reconciled, name: &str) -> HashMap<String, f64> {
    column(reconciled, name).into_iter().map(|(node, _, text)| (node, text.parse().unwrap_or(f64::NAN))).collect()
}
