//! The size of the batches that are read.

/// Rows in a batch: its columns stay inside the L2 cache.
pub(in super::super) const BATCH: usize = 16_384;
