//! Progress of a long run, for a user who watches it and may end it.

use std::{
    fmt,
    sync::atomic::{AtomicBool, Ordering},
};

/// A watcher of a release. Told stages and public names only.
pub trait Progress {
    /// A step begins.
    fn begin(&self, step: Step);

    /// A flag with which the watcher ends the work: once it is set, nothing is published.
    fn stop(&self) -> Option<&AtomicBool> {
        None
    }

    /// `true` once the work is to end.
    fn is_stopped(&self) -> bool {
        self.stop().is_some_and(|stop| stop.load(Ordering::Relaxed))
    }
}

/// A step of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Headers and footers are being read.
    Opening,
    /// Rows are being read, once for everything.
    Reading {
        /// Number of statistics that need them.
        statistics: usize,
    },
    /// Noise is being drawn and errors are being computed.
    Measuring,
    /// Measurements are being made to satisfy their constraints.
    Solving,
    /// Noise is being drawn again to see what it does to estimates.
    Simulating {
        /// Which replicate, from 1.
        number: usize,
        /// Of how many.
        total: usize,
    },
    /// The bundle is being written.
    Writing,
}

/// Description of the current step, for people.
impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opening => formatter.write_str("opening the data"),
            Self::Reading { statistics: 1 } => formatter.write_str("reading rows for 1 statistic"),
            Self::Reading { statistics } => write!(formatter, "reading rows once for {statistics} statistics"),
            Self::Measuring => formatter.write_str("drawing noise and computing errors"),
            Self::Solving => formatter.write_str("making the numbers add up"),
            Self::Simulating { number, total } => write!(formatter, "drawing the noise again, {number} of {total}"),
            Self::Writing => formatter.write_str("writing the bundle"),
        }
    }
}

/// Watches nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: Step) {}
}
