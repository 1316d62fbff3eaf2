//! Releases of rows in an object store: what they are from files of this machine, whatever the store does.

mod bench;
mod faults;
mod releases;
mod server;
#[path = "../it/workbench.rs"]
#[expect(dead_code, reason = "the other tests of the program use more of it")]
mod workbench;
