//! Two computations at a time.

use std::{panic::resume_unwind, thread};

/// Runs both and returns their results. The first runs on a thread of its own, the other on this one; if either panics,
/// so does this.
///
/// # Example
/// ```
/// assert_eq!(inbounds_bundle::join(|| 1 + 1, || "two"), (2, "two"));
/// ```
pub fn join<A: Send, B>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B) -> (A, B) {
    thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join().unwrap_or_else(|panic| resume_unwind(panic)), other)
    })
}
