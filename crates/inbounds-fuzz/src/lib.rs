//! Every reader of files that people write or receive, fed with any bytes, as the program uses it.
//!
//! A [`Target`] takes bytes and answers nothing: whatever they are, it returns. A panic, a second without an answer or
//! a gigabyte of memory is a fault of the program. `fuzz/` searches for such bytes with coverage, and the tests of this
//! crate replay its corpus, so that a target cannot rot and a fault that was mended stays so.
//!
//! Bytes that stand for several files are an archive: each file begins with a line `==== NAME`.

mod archive;
mod bundles;
mod columns;
mod ledgers;
mod plans;
mod rows;
mod scratch;
mod totals;

pub use bundles::{predict, report};
pub use columns::{condition, formula};
pub use ledgers::{entries, ledger};
pub use plans::{check, plan};
pub use rows::{arrow, csv, excel, json_lines, keys, open_document, parquet, sas_transport, spss, stata};
pub use totals::{constraints, measurements, system};

/// Before the first target runs: a panic ends the fuzzer if it leaves its target, and not before.
///
/// Libraries may panic on a damaged file. The program reads such files on threads of their own and takes a panic there
/// for one more sign of damage, and libFuzzer would end at the panic itself.
pub fn begin() {
    // A program that does not begin in Rust has no thread of the name "main".
    let target = std::thread::current().id();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == target {
            // No other process is there to report to.
            let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{panic}\n").as_bytes());
        }
    }));
}

/// A reader, and what to feed it.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name of its corpus, and of its program in `fuzz/`.
    pub name: &'static str,
    /// Reads these bytes.
    pub run: fn(&[u8]),
}

/// All readers.
pub const TARGETS: &[Target] = &[
    Target { name: "plan", run: plan },
    Target { name: "check", run: check },
    Target { name: "condition", run: condition },
    Target { name: "formula", run: formula },
    Target { name: "keys", run: keys },
    Target { name: "csv", run: csv },
    Target { name: "json_lines", run: json_lines },
    Target { name: "arrow", run: arrow },
    Target { name: "parquet", run: parquet },
    Target { name: "spss", run: spss },
    Target { name: "stata", run: stata },
    Target { name: "sas_transport", run: sas_transport },
    Target { name: "excel", run: excel },
    Target { name: "open_document", run: open_document },
    Target { name: "measurements", run: measurements },
    Target { name: "constraints", run: constraints },
    Target { name: "system", run: system },
    Target { name: "report", run: report },
    Target { name: "predict", run: predict },
    Target { name: "ledger", run: ledger },
    Target { name: "entries", run: entries },
];
