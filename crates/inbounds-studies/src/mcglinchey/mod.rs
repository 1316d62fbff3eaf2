//! The studies of McGlinchey and Mason.

mod ratio;

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[ratio::STUDY];
