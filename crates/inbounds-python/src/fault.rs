//! Faults of the program itself, which show where they were and nothing else.
//!
//! The message of a panic may quote what the code stumbled over, and that may be a cell. Printed by the usual hook, it
//! would stand in the log of the user who runs a notebook. The module has a hook of its own, because an extension
//! brings its own runtime.

use std::panic;

use inbounds_input::keep_place;
use pyo3::prelude::*;

use crate::failure::Failure;

/// From now on a panic prints nothing.
pub(crate) fn show_no_message() {
    panic::set_hook(Box::new(keep_place));
}

/// Does work; a panic is one more failure, of which nothing but its place in the code is known.
pub(crate) fn caught<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    inbounds_input::caught(work).unwrap_or_else(|place| Err(Failure::Broken(place)))
}

/// Does work of a function that Python calls, with the interpreter at hand. What `PyO3` makes of a panic is no
/// `Exception` and shows the message, so every function of the module goes through this, [`caught`], or what rests on
/// them.
///
/// # Errors
/// What the work raises; a panic is an `InternalError` with its place in the code.
pub(crate) fn shielded<T>(py: Python<'_>, work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    inbounds_input::caught(work).unwrap_or_else(|place| Err(Failure::Broken(place).raise(py)))
}
