//! The clock of all benches here: the CPU time of the process, which other programs do not move.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the process so far.
pub(crate) fn cpu_clock() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
