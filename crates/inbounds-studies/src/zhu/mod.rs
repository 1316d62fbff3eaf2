//! The studies of Zhu et al.

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[];
