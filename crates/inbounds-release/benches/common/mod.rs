//! Common parts of all benchmarks here: the time of the process, and numbers for rows.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// CPU time of the process, on all of its threads, of `runs` runs.
pub(crate) fn cpu_time(runs: u64, run: &dyn Fn()) -> Duration {
    let now = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    };
    let start = now();
    (0..runs).for_each(|_| run());
    now() - start
}

/// Numbers of 53 bits, the same in every run: xorshift.
pub(crate) fn numbers() -> impl FnMut() -> u64 {
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        random >> 11
    }
}
