//! Apache DataFusion, embedded, over CSV and Parquet files.
//!
//! The plan of a query, from the rows up:
//!
//! ```text
//! scan -> filter -> [bound: (unit, key, steps) -> row_number per unit -> filter] -> tally(key_index(..), steps(..))
//! ```
//!
//! `key_index`, `steps`, `mix` and `tally` are functions of our own; the engine only moves batches, filters, sorts
//! for a bound and runs partitions in parallel. There is no `GROUP BY`: its memory and its work would depend on the
//! keys that turn up. The disk manager is off, so rows are never spilled to disk; memory grows with the rows only
//! under a bound.

mod bound;
mod clip;
mod convert;
mod failure;
mod filter;
mod key_index;
mod scan;
mod tally;

use std::num::NonZero;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::common::{DataFusionError, Result as EngineResult, internal_err};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::logical_expr::{Expr, col, lit};
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};
use inbounds_core::Answer;

use self::scan::{Scan, ScanColumns};
use self::tally::Cells;
use crate::schema::Table;
use crate::{Column, DataError, Engine, Kind, Query, Source, Tally};

/// Rows in a batch. Wider than the engine's default of 8,192: fewer calls of our functions, still inside the L2
/// cache.
const BATCH: usize = 16_384;

/// The engine that reads CSV and Parquet files of this machine in this process.
///
/// # Example
/// Three rows, two listed keys, incomes clipped to 0..=100:
/// ```
/// use inbounds_core::Grid;
/// use inbounds_data::{Clip, DataFusionEngine, Engine, KeyValue, Keys, Kind, Missing, Query, Source};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "state,income\nCA,50\nCA,1e9\nNV,oops\n")?;
/// let source = Source::new(path.display().to_string()).declare("income", Kind::Number);
/// let engine = DataFusionEngine::open(&source)?;
/// let states = ["CA", "OR"].map(|state| vec![KeyValue::Text(state.into())]);
/// let query = Query {
///     keys: Some(Keys::new(vec!["state".into()], states.into())?),
///     value: Some(Clip {
///         column: "income".into(),
///         lower: 0,
///         upper: 100,
///         grid: Grid::INTEGERS,
///         missing: Missing::Drop,
///     }),
///     ..Query::default()
/// };
/// let tally = engine.tally(&query)?;
/// assert_eq!(tally.counts.private_steps(), [2, 0]);
/// assert_eq!(tally.sums.expect("asked for").private_steps(), [150, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DataFusionEngine {
    table: Arc<Table>,
    partitions: NonZero<usize>,
}

/// A query that passed all checks, in the engine's terms.
struct Checked {
    scan: ScanColumns,
    filter: Option<Expr>,
    cells: usize,
    key: Expr,
    steps: Option<Expr>,
    bound: Option<(Expr, u64)>,
}

impl DataFusionEngine {
    /// Finds the files of a source and reads their headers or schemas; reads no row.
    ///
    /// # Errors
    /// [`DataError`] if there is no file, formats are mixed or unknown, a file is unreadable or damaged, headers or
    /// schemas differ, a column name occurs twice, or a declaration contradicts the files.
    pub fn open(source: &Source) -> Result<Self, DataError> {
        let partitions = std::thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN);
        Ok(Self { table: Arc::new(Table::open(source)?), partitions })
    }

    /// The same engine on another number of threads than the machine has. The answers are the same for every number.
    pub fn with_partitions(mut self, partitions: NonZero<usize>) -> Self {
        self.partitions = partitions;
        self
    }

    fn checked(&self, query: &Query) -> Result<Checked, DataError> {
        let table = &self.table;
        let key_columns = query.keys.as_ref().map_or(&[][..], |keys| keys.columns());
        let scan = ScanColumns::new(table, key_columns);
        let steps = query.value.as_ref().map(|value| {
            value.check()?;
            let column = self.column("value", &value.column, &[Kind::Integer, Kind::Number, Kind::Boolean])?;
            // A Boolean of a CSV file is a text until it is read as one.
            let raw = if column.kind == Kind::Boolean { scan.read(column, Kind::Boolean) } else { scan.raw(column) };
            Ok(clip::steps(raw, column.kind, value))
        });
        let key = query.keys.as_ref().map(|keys| {
            let columns = keys.columns().iter().zip(&keys.rows()[0]).map(|(name, value)| {
                let column = self.column("keys", name, &[value.kind()])?;
                Ok(scan.raw(column))
            });
            Ok(key_index::key_index(keys, columns.collect::<Result<_, _>>()?))
        });
        let bound = query.bound.as_ref().map(|bound| {
            if bound.rows == 0 {
                return Err(DataError::NoRowsPerUnit { unit: bound.unit.clone() });
            }
            let column = self.column("bound", &bound.unit, &[Kind::Integer, Kind::Text])?;
            let raw = scan.raw(column);
            let unit = if column.kind == Kind::Integer { convert::unit(raw) } else { raw };
            Ok((unit, bound.rows))
        });
        let filter = query.filter.as_ref().map(|text| filter::filter(text, table, &scan));
        Ok(Checked {
            filter: filter.transpose()?,
            cells: query.keys.as_ref().map_or(1, |keys| keys.len()),
            key: key.transpose()?.unwrap_or_else(|| lit(0u32)),
            steps: steps.transpose()?,
            bound: bound.transpose()?,
            scan,
        })
    }

    fn column(&self, place: &'static str, name: &str, allowed: &[Kind]) -> Result<&Column, DataError> {
        let column = self.table.column(place, name)?;
        if allowed.contains(&column.kind) {
            return Ok(column);
        }
        let required = match allowed {
            [Kind::Integer] => "integer, as its keys are",
            [Kind::Text] => "text, as its keys are",
            [Kind::Boolean] => "boolean, as its keys are",
            [Kind::Integer, Kind::Text] => "integer or text",
            _ => "integer, number or boolean",
        };
        let (column, kind, remedy) = (column.name.clone(), column.kind, self.table.remedy(column));
        Err(DataError::WrongKind { place, column, kind, required, remedy })
    }

    fn context(&self) -> EngineResult<SessionContext> {
        let no_spill = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
        let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(no_spill).build_arc()?;
        let config = SessionConfig::new().with_target_partitions(self.partitions.get()).with_batch_size(BATCH);
        Ok(SessionContext::new_with_config_rt(config, runtime))
    }

    fn frame(&self, checked: Checked) -> EngineResult<DataFrame> {
        let Checked { scan, filter, cells, key, steps, bound } = checked;
        let mut frame = self.context()?.read_table(Arc::new(Scan::new(self.table.clone(), scan)))?;
        if let Some(filter) = filter {
            frame = frame.filter(filter)?;
        }
        let Some((unit, rows)) = bound else {
            return frame.aggregate(vec![], vec![tally::tally(cells, key, steps).alias("tally")]);
        };
        let has_steps = steps.is_some();
        let steps = steps.unwrap_or_else(|| lit(0i64));
        let listed = u32::try_from(cells).expect("fewer than 2^32 keys");
        frame = frame.select(vec![unit.alias("unit"), key.alias("key"), steps.alias("steps")])?;
        frame =
            frame.filter(col("unit").is_not_null().and(col("steps").is_not_null()).and(col("key").lt(lit(listed))))?;
        let steps = has_steps.then(|| col("steps"));
        bound::bound(frame, rows)?.aggregate(vec![], vec![tally::tally(cells, col("key"), steps).alias("tally")])
    }

    async fn run(&self, checked: Checked) -> EngineResult<Tally> {
        let (cells, has_steps) = (checked.cells, checked.steps.is_some());
        let batches = self.frame(checked)?.collect().await?;
        let [batch] = batches.as_slice() else { return internal_err!("an aggregate has one row") };
        let bytes = batch.column(0).as_binary::<i32>();
        let (counts, sums) = Cells::from_bytes(cells, bytes.value(0))?;
        Ok(Tally { counts: Answer::new(counts), sums: has_steps.then(|| Answer::new(sums)) })
    }

    /// Runs on a thread of its own, so that it does not matter whether the caller is inside an async runtime, and a
    /// panic of the engine on damaged input ends that thread only.
    fn run_blocking(&self, checked: Checked) -> EngineResult<Tally> {
        let work = || {
            let threads = self.partitions.get();
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
            runtime.block_on(self.run(checked))
        };
        let finished = std::thread::scope(|scope| scope.spawn(work).join());
        finished.unwrap_or_else(|_| Err(DataFusionError::Internal("panic".to_owned())))
    }
}

impl Engine for DataFusionEngine {
    fn columns(&self) -> &[Column] {
        &self.table.columns
    }

    fn check(&self, query: &Query) -> Result<(), DataError> {
        self.checked(query).map(|_| ())
    }

    fn tally(&self, query: &Query) -> Result<Tally, DataError> {
        let checked = self.checked(query)?;
        self.run_blocking(checked).map_err(|error| failure::explain(&error, &self.table))
    }
}
