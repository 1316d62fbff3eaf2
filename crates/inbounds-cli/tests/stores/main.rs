//! Releases of rows in an object store: what they are from files of this machine, whatever the store does.

#[path = "../distributed/bench.rs"]
#[expect(dead_code, reason = "the tests of several machines use more of it")]
mod bench;
mod faults;
mod releases;
mod server;
#[path = "../it/workbench.rs"]
#[expect(dead_code, reason = "the other tests of the program use more of it")]
mod workbench;
