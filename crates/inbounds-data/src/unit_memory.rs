//! Memory that the units of the rows may take.

use std::path::PathBuf;

/// Most memory that units may take, and the place where their rows wait beyond it.
///
/// Where a unit has several rows, those that may be kept of each unit are held until all rows are read
/// ([`crate::ContributionBound`]), and of a table with one row a unit ([`crate::PerUnit`]) that row. Beyond the limit
/// the rows that are still to come wait in one file in the folder `spill`, encrypted with ChaCha20-Poly1305 under a key
/// that is drawn for it and that only this process has; the file has no name where the system has such files, and is
/// deleted with the process elsewhere. Without a folder there is no answer. No answer depends on either.
///
/// Not counted are the rows that wait in each thread before they are taken, some 20 MB a thread. Afterwards each thread
/// holds one part in 1,024 of the units at a time.
///
/// # Example
/// ```
/// use inbounds_data::{ContributionBound, DataError, Engine, FileEngine, Query, Source, UnitMemory};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "person\nbob\nann\nbob\nbob\nann\n")?;
/// let mut engine = FileEngine::open(&Source::new(path.display().to_string()))?;
/// let query = Query { bound: Some(ContributionBound::of_rows("person", 2)), ..Query::default() };
/// engine.limit_units(&UnitMemory { limit: Some(0), spill: None });
/// assert!(matches!(engine.tally(&query), Err(DataError::UnitMemory { limit: 0 })));
/// engine.limit_units(&UnitMemory { limit: Some(0), spill: Some(folder.path().to_owned()) });
/// assert_eq!(engine.tally(&query)?.counts.private_steps(), [4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitMemory {
    /// Most bytes that are held of units; `None` for no limit.
    pub limit: Option<u64>,
    /// A folder for what does not fit; not for a table with one row a unit, which has to fit.
    pub spill: Option<PathBuf>,
}
