//! The studies of Liu

use crate::Study;

/// In the order of the paper.
pub(crate) static STUDIES: &[Study] = &[];
