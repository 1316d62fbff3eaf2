//! Releases whose rows are read by worker processes: the same bundles, whatever happens to a worker.

mod bench;
mod faults;
mod proxy;
mod releases;
mod trust;
#[path = "../it/workbench.rs"]
#[expect(dead_code, reason = "the other tests of the program use more of it")]
mod workbench;
