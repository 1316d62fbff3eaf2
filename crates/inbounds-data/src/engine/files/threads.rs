//! Work on several threads, and the batches of a scan handed to them.

use std::sync::atomic::{AtomicBool, Ordering};

use arrow::array::RecordBatch;
use arrow::error::Result as ReaderResult;

use super::failure::Failure;
use super::scan::Scan;

/// `true` for a flag that is there and set.
pub(super) fn is_set(flag: Option<&AtomicBool>) -> bool {
    flag.is_some_and(|flag| flag.load(Ordering::Relaxed))
}

/// Runs the same work on `threads` threads, and takes all their results or the first failure. A panic of a reader on
/// damaged input ends its thread only.
pub(super) fn on_threads<T: Send>(
    threads: usize,
    work: impl Fn() -> ReaderResult<T> + Sync,
) -> Result<Vec<T>, Failure> {
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(&work)).collect();
        let ended: Vec<_> = running.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        let result = |ended: std::thread::Result<ReaderResult<T>>| match ended {
            Ok(result) => result.map_err(Failure::Reader),
            Err(_) => Err(Failure::Panic),
        };
        ended.into_iter().map(result).collect()
    })
}

/// Hands the batches of a scan to threads, each of which begins with a state, takes batches into it and ends with what
/// it became. All end early if one fails, or if it is `stopped`; a caller that stops them discards their results.
pub(super) fn on_batches<S, T: Send>(
    scan: &Scan<'_>,
    (threads, stopped): (usize, &(impl Fn() -> bool + Sync)),
    begin: impl Fn() -> S + Sync,
    take: impl Fn(&mut S, &RecordBatch) -> ReaderResult<()> + Sync,
    end: impl Fn(S) -> T + Sync,
) -> Result<Vec<T>, Failure> {
    let stop = AtomicBool::new(false);
    on_threads(threads, || {
        let mut state = begin();
        let read = scan.for_each(&stop, |batch| {
            if stopped() {
                stop.store(true, Ordering::Relaxed);
                return Ok(());
            }
            take(&mut state, batch)
        });
        if read.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        read.map(|()| end(state))
    })
}
