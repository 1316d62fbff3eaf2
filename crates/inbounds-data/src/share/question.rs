//! Questions for rows that are elsewhere, and the shares that answer them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use arrow::array::{RecordBatch, RecordBatchReader};
use arrow::datatypes::SchemaRef;
use arrow::error::ArrowError;
use serde::{Deserialize, Serialize};

use super::seal::{SealedShare, Secret};
use super::{Asked, Content, Part, ShareError};
use crate::engine::{Partials, UnitGroups};
use crate::memory::{BatchReader, Held};
use crate::{Column, DataError, FileEngine, MemoryRows, Source, UnitMemory};

/// Beginning of the bytes of a question: a word, and the version of the rest.
const HEAD: &[u8; 9] = b"inbquest\x01";

/// Version of the program, which must be the same wherever shares are made.
const PROGRAM: &str = env!("CARGO_PKG_VERSION");

/// Question for rows that are elsewhere. **Secret**: it holds the key that seals its shares, and nothing of any row.
///
/// Each holder of some of the rows makes a [`SealedShare`] of them; [`Shares`](crate::Shares) adds up the shares of all
/// rows. It is made for one release: a question for another one has another key, and shares of the one are none of the
/// other.
///
/// # Example
/// Rows in two places, of units of which all rows are in one place:
/// ```
/// use arrow::array::{Int64Array, RecordBatch};
/// # use arrow::datatypes::{DataType, Field, Schema};
/// use inbounds_data::{
///     Asked, ContributionBound, Engine, FileEngine, Kind, MemoryRows, Part, Query, ShareQuestion, Questions, Shares, Source, UnitMemory,
/// };
/// # let schema = std::sync::Arc::new(Schema::new(vec![Field::new("person", DataType::Int64, true)]));
/// # let rows = |persons: Vec<i64>| {
/// #     let batch = RecordBatch::try_new(schema.clone(), vec![std::sync::Arc::new(Int64Array::from(persons))]).unwrap();
/// #     MemoryRows::new("rows", schema.clone(), &[batch]).unwrap()
/// # };
/// let elsewhere = Source::in_memory("rows", MemoryRows::elsewhere(schema.clone())).declare("person", Kind::Integer);
/// let engine = FileEngine::open(&elsewhere)?;
/// let query = Query { bound: Some(ContributionBound::of_rows("person", 2)), ..Query::default() };
/// let questions = Questions { queries: vec![&query], ..Questions::default() };
/// let question = ShareQuestion::new(&engine, Asked::new(&questions, []))?;
/// // Elsewhere, from its bytes.
/// let there = ShareQuestion::from_bytes(&question.to_bytes())?;
/// let share = |rows, part| there.share(&rows, Part::Number(part), &UnitMemory::default(), None);
/// let (first, second) = (share(rows(vec![7, 7, 7]), 0)?, share(rows(vec![1, 2]), 1)?);
/// // Back here, where one of them comes twice.
/// let mut shares = Shares::new(question);
/// for share in [first.clone(), second, first] {
///     shares.add(&share.into_bytes())?;
/// }
/// assert_eq!(engine.with_shares(shares.into()).tally(&query)?.counts.private_steps(), [4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ShareQuestion {
    pub(super) record: Record,
}

/// The record that travels.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Record {
    program: String,
    pub(super) secret: Secret,
    source: Source,
    /// The columns of the rows.
    columns: Vec<Column>,
    /// Places of those that are read.
    read: Vec<usize>,
    /// Places of those that the unit is read from.
    of_unit: Vec<usize>,
    /// The column whose rows of one value must meet.
    pub(super) unit: Option<String>,
    pub(super) asked: Asked,
}

impl fmt::Debug for ShareQuestion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("ShareQuestion").finish_non_exhaustive()
    }
}

impl ShareQuestion {
    /// Question for rows with the columns of this engine, under a key of its own.
    ///
    /// # Errors
    /// What the engine would refuse before it reads; [`ShareError::TwoUnits`], [`ShareError::Entropy`].
    pub fn new(engine: &FileEngine, asked: Asked) -> Result<Self, DataError> {
        let source = Source { rows: None, ..engine.source().clone() };
        let unit = asked.unit(source.per_unit.as_ref())?;
        let (read, of_unit) = engine.columns_read(&asked, unit.as_deref())?;
        let (columns, program) = (engine.columns_of_rows().to_vec(), PROGRAM.to_owned());
        let record = Record { program, secret: Secret::new()?, source, columns, read, of_unit, unit, asked };
        Ok(Self { record })
    }

    /// Bytes that travel with the key: to machines and over connections that may see the rows.
    pub fn to_bytes(&self) -> Vec<u8> {
        let record = postcard::to_stdvec(&self.record).expect("a question is plain data");
        [HEAD.as_slice(), &record].concat()
    }

    /// Inverse of [`ShareQuestion::to_bytes`].
    ///
    /// # Errors
    /// [`ShareError::NoQuestion`], and [`ShareError::Program`] for one of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ShareError> {
        let record = bytes.strip_prefix(HEAD).ok_or(ShareError::NoQuestion)?;
        // The version is read before what it is the version of.
        let (theirs, _) = postcard::take_from_bytes::<String>(record).map_err(|_| ShareError::NoQuestion)?;
        if theirs != PROGRAM {
            return Err(ShareError::Program { theirs, ours: PROGRAM.to_owned() });
        }
        let record = postcard::from_bytes(record).map_err(|_| ShareError::NoQuestion)?;
        Ok(Self { record })
    }

    /// Names of the columns that are read.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.named(&self.record.read)
    }

    /// Those of the columns that the unit is read from.
    pub fn columns_of_unit(&self) -> impl Iterator<Item = &str> {
        self.named(&self.record.of_unit)
    }

    fn named(&self, places: &[usize]) -> impl Iterator<Item = &str> {
        places.iter().map(|&place| self.record.columns[place].name.as_str())
    }

    /// The column that names the units, if all rows of one must be in one share.
    pub fn unit(&self) -> Option<&str> {
        self.record.unit.as_deref()
    }

    /// `true` if shares need the rows in memory: keys that are learned are found in one reading and counted in another.
    pub fn reads_twice(&self) -> bool {
        !self.record.asked.learned.is_empty()
    }

    /// The group of each row's unit, from 0 to 65,535; none for a row without a unit.
    ///
    /// To bring all rows of a group to one place is to bring all rows of each of its units there. A group is a hash of
    /// the unit as it is read here, under a key of the question (SipHash-2-4): it is the same for ` P1` and `P1`, and
    /// does not reveal the unit to a reader who lacks the question.
    ///
    /// # Errors
    /// [`ShareError::Columns`] for rows of other columns, [`ShareError::NoUnit`] if the question asks for no unit.
    pub fn groups(&self, rows: &MemoryRows) -> Result<Vec<Option<u16>>, DataError> {
        let unit = self.unit().ok_or(ShareError::NoUnit)?;
        let (engine, groups) = (self.open_for_units(rows)?, self.unit_groups());
        let mut row_groups = Vec::new();
        for batch in held(rows)?.chunks() {
            row_groups.extend(engine.unit_groups(unit, batch, &groups)?);
        }
        Ok(row_groups)
    }

    /// Sealed partial result of these rows. Rows of a stream are read once, and none is kept unless [keys are
    /// learned](Self::reads_twice).
    ///
    /// # Errors
    /// [`ShareError::Columns`] for rows of other columns, and those of [`Engine::answer`](crate::Engine::answer).
    pub fn share(
        &self,
        rows: &MemoryRows,
        part: Part,
        memory: &UnitMemory,
        stop: Option<&AtomicBool>,
    ) -> Result<SealedShare, DataError> {
        let rows = if self.reads_twice() { held(rows)? } else { rows.clone() };
        let seen = Arc::new(Groups::default());
        let rows = match self.unit() {
            Some(unit) => self.watched(&rows, unit, &seen)?,
            None => rows,
        };
        let mut engine = self.open(rows, &self.record.read)?;
        crate::Engine::limit_units(&mut engine, memory);
        let Partials { numbers, learned } = engine.partials(&self.record.asked, stop)?;
        let content = Content { part, groups: seen.ascending(), numbers, learned };
        Ok(self.record.secret.seal(&content)?)
    }

    /// An engine that reads the units of such rows.
    fn open_for_units(&self, rows: &MemoryRows) -> Result<FileEngine, DataError> {
        self.open(MemoryRows::elsewhere(rows.schema().clone()), &self.record.of_unit)
    }

    /// An engine of these rows, if they have the columns at these places.
    fn open(&self, rows: MemoryRows, read: &[usize]) -> Result<FileEngine, DataError> {
        let Record { source, columns, .. } = &self.record;
        let wrong = |column: &Column, problem: String| ShareError::Columns { column: column.name.clone(), problem };
        let has = |name: &str| rows.schema().fields().iter().filter(|field| field.name() == name).count();
        for &place in read {
            let column = &columns[place];
            match has(&column.name) {
                1 => {}
                0 => return Err(wrong(column, "is not there".to_owned()).into()),
                _ => return Err(wrong(column, "is there twice".to_owned()).into()),
            }
        }
        // Columns that are made of others come behind those that are there.
        let stored = columns[..columns.len() - source.derived.len()].iter().enumerate();
        let stored = stored.map(|(place, column)| (column, read.contains(&place)));
        let rows = rows.with_columns(&stored.collect::<Vec<_>>());
        let engine = FileEngine::open(&Source { rows: Some(rows), ..source.clone() })?;
        for &place in read {
            let column = &columns[place];
            let actual = engine.columns_of_rows().iter().find(|actual| actual.name == column.name);
            if let Some(actual) = actual.filter(|actual| actual.kind != column.kind) {
                return Err(wrong(column, format!("is {}, and was {}", actual.kind, column.kind)).into());
            }
        }
        Ok(engine)
    }

    fn unit_groups(&self) -> UnitGroups {
        UnitGroups::new(&self.record.secret.groups)
    }

    /// The rows, of which the groups are noted as they are read.
    fn watched(&self, rows: &MemoryRows, unit: &str, seen: &Arc<Groups>) -> Result<MemoryRows, DataError> {
        let engine = self.open_for_units(rows)?;
        let note = {
            let (unit, groups, seen) = (unit.to_owned(), self.unit_groups(), seen.clone());
            move |batch: &RecordBatch| {
                let row_groups = engine.unit_groups(&unit, batch, &groups)?;
                row_groups.into_iter().flatten().for_each(|group| seen.add(group));
                Ok::<(), DataError>(())
            }
        };
        match rows.held() {
            Held::Chunks(chunks) => chunks.iter().try_for_each(note).map(|()| rows.clone()),
            Held::Elsewhere(_) => Err(DataError::Elsewhere),
            Held::Once(stream) => {
                let stream = stream.take().ok_or(DataError::ReadOnce)?;
                Ok(MemoryRows::once(Box::new(Watched { stream, note })))
            }
        }
    }
}

/// The rows in memory, so that they can be read more than once.
fn held(rows: &MemoryRows) -> Result<MemoryRows, DataError> {
    let Held::Once(stream) = rows.held() else { return Ok(rows.clone()) };
    let stream = stream.take().ok_or(DataError::ReadOnce)?;
    let schema = stream.schema();
    let batches = stream.collect::<Result<Vec<RecordBatch>, ArrowError>>();
    // Its message may quote a cell.
    let broken = |_| DataError::Engine { path: "the stream of rows".to_owned(), stage: "decoding batches" };
    MemoryRows::new("rows in memory", schema, &batches.map_err(broken)?)
}

/// Groups of units that were seen: a bit for each.
struct Groups(Vec<AtomicU64>);

impl Default for Groups {
    fn default() -> Self {
        Self((0..UnitGroups::GROUPS / 64).map(|_| AtomicU64::new(0)).collect())
    }
}

impl Groups {
    fn add(&self, group: u16) {
        self.0[usize::from(group) / 64].fetch_or(1 << (group % 64), Ordering::Relaxed);
    }

    fn ascending(&self) -> Vec<u16> {
        let is_seen = |group: &u16| self.0[usize::from(*group) / 64].load(Ordering::Relaxed) >> (group % 64) & 1 == 1;
        (0..=u16::MAX).filter(is_seen).collect()
    }
}

/// A stream of which something is noted.
struct Watched<N> {
    stream: BatchReader,
    note: N,
}

impl<N: Fn(&RecordBatch) -> Result<(), DataError>> Iterator for Watched<N> {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.stream.next()?;
        Some(batch.and_then(|batch| {
            (self.note)(&batch).map_err(|_| ArrowError::ComputeError("units cannot be read".to_owned()))?;
            Ok(batch)
        }))
    }
}

impl<N: Fn(&RecordBatch) -> Result<(), DataError>> RecordBatchReader for Watched<N> {
    fn schema(&self) -> SchemaRef {
        self.stream.schema()
    }
}
