//! Many machines: a coordinator that owns the release, and workers that read the rows.
//!
//! **Idea.** Answers are exact integers that are added up, so it does not matter where rows are read. The files are divided into
//! [`Piece`]s; a worker runs the program of the questions over some of them, as the engine of this machine does, and returns what they
//! come to. There is one implementation of every rule, and the same integers whoever read what.
//!
//! **Invariants.** Workers learn the source and the questions, and nothing of noise, budget or bundle. What a piece comes to is taken
//! whole or not at all, and once. Numbers cross a network under TLS in which both sides prove who they are. A worker reads only files that
//! are those of the coordinator, before and after.

mod error;
mod link;
mod messages;
mod secure;
mod seen;
mod worker;
mod workers;

use std::path::Path;
use std::sync::atomic::AtomicBool;

pub use self::error::WorkerError;
pub(super) use self::messages::Asked;
use self::messages::Job;
pub use self::secure::Credentials;
pub use self::worker::Worker;
pub use self::workers::Workers;
use super::files::{Gather, orders};
use super::{Answers, Questions};
use crate::{Column, DataError, Engine, FileEngine, LearnKeys, LearnedCells, Query, RowFormat, UnitMemory};

/// The engine whose rows are read by workers. What it says of columns and questions is what this machine sees.
///
/// # Law
/// For each query and survey the answers are those of the [`FileEngine`] that it was made of, integer by integer.
///
/// # Example
/// A worker and its coordinator on one machine:
/// ```
/// use std::num::NonZero;
/// use inbounds_data::{Engine, FileEngine, Query, Source, Worker, Workers};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "state\nCA\nNV\nCA\n")?;
/// let worker = Worker::bind("127.0.0.1:0", None, NonZero::<usize>::MIN)?;
/// let address = worker.address()?.to_string();
/// std::thread::spawn(move || worker.serve(&|_| ()));
/// let engine = FileEngine::open(&Source::new(path.display().to_string()))?;
/// let engine = engine.with_workers(Workers::new(&[address], None)?);
/// assert_eq!(engine.tally(&Query::default())?.counts.private_steps(), [3]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DistributedEngine {
    here: FileEngine,
    workers: Workers,
}

impl FileEngine {
    /// An engine of the same rows that are read by workers.
    pub fn with_workers(self, workers: Workers) -> DistributedEngine {
        DistributedEngine { here: self, workers }
    }
}

impl DistributedEngine {
    fn job(&self, asked: Asked) -> Result<Job, DataError> {
        if self.here.format() == RowFormat::Memory {
            return Err(WorkerError::Memory.into());
        }
        let mut source = self.here.source().clone();
        source.path = seen::whole(Path::new(&source.path))?;
        Ok(Job { source, files: seen::files(&self.here)?, columns: self.here.columns().to_vec(), asked })
    }
}

impl Engine for DistributedEngine {
    fn columns(&self) -> &[Column] {
        self.here.columns()
    }

    fn columns_of_files(&self) -> &[Column] {
        self.here.columns_of_files()
    }

    fn limit_units(&mut self, memory: &UnitMemory) {
        self.here.limit_units(memory);
    }

    fn check(&self, query: &Query) -> Result<(), DataError> {
        self.here.check(query)
    }

    fn check_keys(&self, asked: &LearnKeys) -> Result<(), DataError> {
        self.here.check_keys(asked)
    }

    fn learn(&self, asked: &LearnKeys, stop: Option<&AtomicBool>) -> Result<LearnedCells, DataError> {
        self.here.learn_from(asked, stop, self)
    }

    fn answer(&self, questions: &Questions<'_>) -> Result<Answers, DataError> {
        self.here.answer_from(questions, self)
    }
}

impl Gather for DistributedEngine {
    fn gather<S, T: Send>(
        &self,
        asked: Asked,
        halted: &(impl Fn() -> bool + Sync),
        begin: impl Fn() -> S + Sync,
        take: impl Fn(&mut S, &[u8]) -> bool + Sync,
        end: impl Fn(S) -> T + Sync,
    ) -> Result<Vec<T>, DataError> {
        let (job, orders) = (self.job(asked)?, orders(&self.here, self.workers.count()));
        Ok(self.workers.gather((&job, orders), halted, begin, take, end)?)
    }
}
