//! The studies of Holohan et al.

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[];
