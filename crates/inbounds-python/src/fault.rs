//! Faults of the program itself, which show where they were and nothing else.
//!
//! The message of a panic may quote what the code stumbled over, and that may be a cell. Printed by the usual hook, it would stand in
//! the log of whoever runs a notebook. The module has a hook of its own, because an extension brings its own runtime.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::{Mutex, PoisonError},
};

use crate::failure::Failure;

/// Where the last panic was.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// From now on a panic prints nothing.
pub(crate) fn show_no_message() {
    panic::set_hook(Box::new(|panic| {
        *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = panic.location().map(ToString::to_string);
    }));
}

/// Does work; a panic is one more failure, of which nothing but its place in the code is known.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
        Err(Failure::Broken(place.unwrap_or_else(|| "a place that is not known".to_owned())))
    })
}
