//! Apache DataFusion, embedded, over CSV and Parquet files.
//!
//! The plan of a query, from the rows up:
//!
//! ```text
//! scan -> filter -> [bound: (unit, cell, steps..) -> row_number per unit -> filter] -> tally(cell, steps(..)..)
//! ```
//!
//! where the cell is `key_index(..)` or, with bins, `cell(.., key_index(..))`. These, `steps`, `mix` and `tally` are
//! functions of our own; the engine only moves batches, filters, sorts for a bound and runs partitions in parallel.
//! There is no `GROUP BY`: its memory and its work would depend on the keys that turn up. The disk manager is off, so
//! rows are never spilled to disk; memory grows with the rows only under a bound.

mod bins;
mod bound;
mod cells;
mod checked;
mod clip;
mod convert;
mod described;
mod failure;
mod filter;
mod key_index;
mod scan;
mod survey;
mod tally;

use std::num::NonZero;
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::common::{DataFusionError, Result as EngineResult, internal_err};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{DataFrame, SessionConfig, SessionContext};

use inbounds_core::Answer;

use self::cells::Cells;
use self::checked::Checked;
pub use self::described::Described;
use self::scan::Scan;
use crate::schema::Table;
use crate::{Column, DataError, Engine, Query, Source, Survey, Tally};

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
///     values: vec![Clip {
///         column: "income".into(),
///         lower: 0,
///         upper: 100,
///         grid: Grid::INTEGERS,
///         missing: Missing::Drop,
///     }],
///     products: vec![(0, 0)],
///     ..Query::default()
/// };
/// let tally = engine.tally(&query)?;
/// assert_eq!(tally.counts.private_steps(), [2, 0]);
/// assert_eq!(tally.sums[0].private_steps(), [150, 0]);
/// assert_eq!(tally.products[0].private_steps(), [50 * 50 + 100 * 100, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct DataFusionEngine {
    table: Arc<Table>,
    partitions: NonZero<usize>,
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

    /// This engine with another number of threads than the machine has. The answers do not depend on it.
    pub fn with_partitions(mut self, partitions: NonZero<usize>) -> Self {
        self.partitions = partitions;
        self
    }

    fn context(&self) -> EngineResult<SessionContext> {
        let no_spill = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
        let runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(no_spill).build_arc()?;
        let config = SessionConfig::new().with_target_partitions(self.partitions.get()).with_batch_size(BATCH);
        Ok(SessionContext::new_with_config_rt(config, runtime))
    }

    fn frame(&self, checked: Checked) -> EngineResult<DataFrame> {
        let Checked { scan, filter, shape, cell, steps, bound } = checked;
        let mut frame = self.context()?.read_table(Arc::new(Scan::new(self.table.clone(), scan)))?;
        if let Some(filter) = filter {
            frame = frame.filter(filter)?;
        }
        let (frame, cell, steps) = match bound {
            None => (frame, cell, steps),
            Some(bound) => bound.keep(frame, shape.cells, cell, steps)?,
        };
        frame.aggregate(vec![], vec![tally::tally(shape, cell, steps).alias("tally")])
    }

    async fn run(&self, checked: Checked) -> EngineResult<Tally> {
        let shape = checked.shape.clone();
        let batches = self.frame(checked)?.collect().await?;
        let [batch] = batches.as_slice() else { return internal_err!("an aggregate has one row") };
        Cells::read(&shape, batch.column(0).as_binary::<i32>().value(0))
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
        Checked::new(&self.table, query).map(|_| ())
    }

    fn tally(&self, query: &Query) -> Result<Tally, DataError> {
        let checked = Checked::new(&self.table, query)?;
        self.run_blocking(checked).map_err(|error| failure::explain(&error, &self.table))
    }

    fn survey(&self, survey: &Survey) -> Result<Answer, DataError> {
        let checked = survey::checked(&self.table, survey)?;
        let tally = self.run_blocking(checked).map_err(|error| failure::explain(&error, &self.table))?;
        Ok(survey::answer(survey, tally))
    }
}
