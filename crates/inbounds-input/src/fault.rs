//! Panics that end nothing and show where they were, and nothing else.
//!
//! The message of a panic may quote what the code stumbled over, and that may be a cell.

use std::{
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    sync::{Mutex, PoisonError},
};

/// Where the last panic was.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// A hook for panics: it prints nothing, and keeps the place for [`caught`].
pub fn keep_place(panic: &PanicHookInfo<'_>) {
    *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = panic.location().map(ToString::to_string);
}

/// Runs the work and returns its result; if it panics, the place in the code, where the hook is [`keep_place`].
///
/// # Errors
/// The place.
///
/// # Example
/// ```
/// std::panic::set_hook(Box::new(inbounds_input::keep_place));
/// let place = inbounds_input::caught(|| panic!("a cell")).map(|()| 3).expect_err("it panics");
/// assert!(place.contains(".rs:") && !place.contains("a cell"), "{place}");
/// ```
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    panic::catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        place.unwrap_or_else(|| "a place that is not known".to_owned())
    })
}
