//! Long work without the interpreter, which Ctrl-C ends.

use std::{
    process,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
    thread,
    time::Duration,
};

use inbounds_release::{Progress, Step};
use pyo3::prelude::*;

use crate::{failure::Failure, fault::caught};

/// Interval between looks for signals and reports of progress.
const TICK: Duration = Duration::from_millis(50);

/// Takes the steps of the work on, and asks it to stop.
#[derive(Default)]
pub(crate) struct Watch {
    /// The process in which the work is done.
    process: u32,
    stop: AtomicBool,
    step: Mutex<Option<Step>>,
}

impl Progress for Watch {
    fn begin(&self, step: Step) {
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = Some(step);
    }

    fn stop(&self) -> Option<&AtomicBool> {
        Some(&self.stop)
    }
}

/// Does work on a thread of its own while this one looks for signals, and tells steps to `progress` in words. After a
/// signal, or an error of `progress`, the work is asked to stop, and what was raised is raised once it has.
///
/// # Errors
/// What the work failed of; what a signal or `progress` raised. If the work was done before it could stop, the result
/// is lost, and a note on the exception says so with the words of `done`.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<&Bound<'_, PyAny>>,
    done: &str,
    work: impl FnOnce(&Watch) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let watch = Watch { process: process::id(), ..Watch::default() };
    let progress = progress.map(|progress| progress.clone().unbind());
    let (raised, outcome) = py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let watch = &watch;
            scope.spawn(move || {
                // The receiver waits until there is an outcome.
                let _ = sender.send(caught(|| work(watch)));
            });
            let mut raised = None;
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(outcome) => return (raised, outcome),
                    Err(RecvTimeoutError::Disconnected) => {
                        return (raised, Err(Failure::Broken("a thread".to_owned())));
                    }
                    Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        raised = Python::attach(|py| look(py, watch, progress.as_ref())).err();
                        if raised.is_some() {
                            watch.stop.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
        })
    });
    match (raised, outcome) {
        (None, outcome) => outcome.map_err(|failure| failure.raise(py)),
        (Some(raised), Err(Failure::Stopped)) => Err(raised),
        // What else became of it is said too, such as that a ledger counts a price.
        (Some(raised), Err(failure)) => {
            raised.value(py).call_method1("add_note", (failure.raise(py).value(py).to_string(),))?;
            Err(raised)
        }
        (Some(raised), Ok(_)) => {
            raised.value(py).call_method1("add_note", (format!("It came too late: {done}."),))?;
            Err(raised)
        }
    }
}

/// Does work that is too short to be stopped, without the interpreter.
///
/// # Errors
/// What the work failed of.
pub(crate) fn apart<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T, Failure> + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|failure| failure.raise(py))
}

fn look(py: Python<'_>, watch: &Watch, progress: Option<&Py<PyAny>>) -> PyResult<()> {
    py.check_signals()?;
    let step = watch.step.lock().unwrap_or_else(PoisonError::into_inner).take();
    let told = match (progress, step) {
        (Some(progress), Some(step)) => progress.call1(py, (step.to_string(),)).map(drop),
        _ => Ok(()),
    };
    // The threads of the work stayed with the process that called: a child that a callback forked has none to wait for,
    // and nothing of the work is its own to clean up.
    if process::id() != watch.process {
        process::exit(i32::from(told.is_err()));
    }
    told
}
