//! Input that people write: documents in TOML and tables, with every mistake at its place.
//!
//! [`document`] reads plans and constraints; [`Format`], [`line_at`], [`nearest`] and [`guarded`] are for readers of
//! tables that report mistakes, and `ParquetFile` for readers of Parquet files that may be damaged; [`caught`] tells of
//! a panic without its message. Nothing here knows privacy; what a document is *about* is its reader's.

#![deny(missing_docs)]

pub mod document;
mod fault;
mod file;
mod format;
mod guarded;
mod lines;
mod nearest;
#[cfg(feature = "parquet")]
mod parquet_file;

pub use fault::{caught, keep_place};
pub use file::{FileLocation, FileState, GLOB_SIGNS, OpenedFile, is_stored, located};
pub use format::Format;
pub use guarded::guarded;
pub use lines::{line_at, line_in};
pub use nearest::nearest;
#[cfg(feature = "parquet")]
pub use parquet_file::{PageHeader, ParquetFile};
