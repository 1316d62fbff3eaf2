//! Results of measurements.

use inbounds_bundle::{Notice, ProjectionEntry};
use inbounds_statistics::Estimate;

/// Results of a statistic's measurements.
pub(crate) struct Estimated {
    /// One estimate an output of each cell.
    pub(crate) estimates: Vec<Estimate>,
    /// Projection that made levels or margins add up.
    pub(crate) projection: Option<ProjectionEntry>,
    /// Notices of the projection for the reader.
    pub(crate) notices: Vec<Notice>,
}
