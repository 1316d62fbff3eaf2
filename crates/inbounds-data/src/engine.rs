//! The port to whatever reads the rows.

mod datafusion;

pub use datafusion::{DataFusionEngine, Described};

use inbounds_core::Answer;

use crate::{Column, DataError, Query, Survey, Tally};

/// Something that answers a [`Query`] over private rows with aggregates, never with rows.
pub trait Engine: Send + Sync {
    /// The columns of the data. Public.
    fn columns(&self) -> &[Column];

    /// Checks a query against the columns without reading a row.
    ///
    /// # Errors
    /// Whatever [`Engine::tally`] would refuse before it reads.
    fn check(&self, query: &Query) -> Result<(), DataError>;

    /// Answers a query.
    ///
    /// # Errors
    /// What [`Engine::check`] finds, and files that cannot be read to their end. No error depends on the value of a
    /// cell.
    fn tally(&self, query: &Query) -> Result<Tally, DataError>;

    /// Answers a survey: all its counts in one vector, in the order of [`Survey`]. Private, like every answer.
    ///
    /// # Errors
    /// Columns that do not exist or have another kind, and files that cannot be read to their end. No error depends on the
    /// value of a cell.
    fn survey(&self, survey: &Survey) -> Result<Answer, DataError>;
}
