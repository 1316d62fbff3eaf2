//! What comes of measurements.

use inbounds_bundle::{Notice, ProjectionEntry};
use inbounds_statistics::Estimate;

/// What a statistic's measurements gave.
pub(crate) struct Estimated {
    /// One estimate an output of each cell.
    pub(crate) estimates: Vec<Estimate>,
    /// How levels or margins were made to add up.
    pub(crate) projection: Option<ProjectionEntry>,
    /// What making them add up did that a reader has to know.
    pub(crate) notices: Vec<Notice>,
}
