//! Libraries that panic on a file that is damaged.

use std::thread;

/// Runs the work and returns its result; `None` if it panics.
///
/// A reader of binary files may panic on what it does not expect. On a thread of its own that is one more sign of
/// damage.
pub fn guarded<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    thread::scope(|scope| scope.spawn(work).join()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_no_answer() {
        assert_eq!(guarded(|| 3), Some(3));
        assert_eq!(guarded(|| -> u8 { panic!("damaged") }), None);
    }
}
