//! The memory that units may take, and what happens beyond it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::spill::Spill;
use super::stream::Stream;
use crate::UnitMemory;
use crate::engine::files::failure::Failure;

/// Memory held by all shards, and the place for rows once that is too much.
pub(super) struct Room {
    limit: u64,
    held: AtomicU64,
    spill: Option<Spill>,
    failure: Mutex<Option<Failure>>,
}

impl Room {
    pub(super) fn new(memory: &UnitMemory, shards: usize) -> Self {
        let spill = memory.spill.as_ref().map(|folder| Spill::new(folder.clone(), shards));
        let limit = memory.limit.unwrap_or(u64::MAX);
        Self { limit, held: AtomicU64::new(0), spill, failure: Mutex::new(None) }
    }

    /// Updates the memory of a shard, in bytes: `bytes` now, `before` until now.
    pub(super) fn holds(&self, bytes: u64, before: u64) {
        self.held.fetch_add(bytes.wrapping_sub(before), Ordering::Relaxed);
    }

    /// `true` if the rows that wait for a shard are to be taken now. Otherwise they went to the disk, or there will be
    /// no answer.
    pub(super) fn takes(&self, shard: usize, waiting: &Stream) -> bool {
        if self.held.load(Ordering::Relaxed) < self.limit {
            return true;
        }
        let spilled = match &self.spill {
            Some(spill) => spill.write(shard, waiting),
            None => Err(Failure::UnitMemory { limit: self.limit }),
        };
        spilled.unwrap_or_else(|failure| self.fail(failure));
        false
    }

    /// Hands the rows of a shard that went to the disk to `take`.
    pub(super) fn read(&self, shard: usize, take: impl FnMut(&Stream)) {
        if let Some(spill) = &self.spill {
            spill.read(shard, take).unwrap_or_else(|failure| self.fail(failure));
        }
    }

    fn fail(&self, failure: Failure) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(failure);
    }

    /// `true` if there will be no answer.
    pub(super) fn has_failed(&self) -> bool {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Fails with what happened first.
    pub(super) fn check(&self) -> Result<(), Failure> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).take().map_or(Ok(()), Err)
    }
}
