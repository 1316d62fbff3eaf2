//! Where a long release stands, for whoever watches.

/// A watcher of a release. Told stages and public names only.
pub trait Progress {
    /// A step begins.
    fn begin(&self, step: Step);
}

/// A step of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Headers and footers are being read.
    Opening,
    /// Rows are being read, once for everything.
    Reading {
        /// How many statistics need them.
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

/// Watches nothing.
pub struct Silent;

impl Progress for Silent {
    fn begin(&self, _: Step) {}
}
