//! Private rows to exact answers: the only crate of inbounds that sees rows, and the only place where SQL exists.
//!
//! A [`Source`] says where the rows are, a [`Query`] what is asked, an [`Engine`] answers with a [`Tally`]: for each
//! cell, which is a public key, a bin or both, a count and, as asked for, sums of clipped grid steps and sums of their
//! products. All [`Questions`] are answered in one pass over the rows. The numbers are exact integers, so they do not
//! depend on the order of the rows, the number of files or the number of threads.
//!
//! ```text
//! row --filter--> --key list, bins--> --clip to steps--> --bound per unit--> count, sums and products per cell
//! ```
//!
//! # What is public, what is private
//! Public: the names of files, headers and Parquet schemas, and all of the query (filter text, keys, edges, clips,
//! bound). Private: every cell. No cell reaches an error, and no cell decides whether an error happens: a null, a NaN,
//! an infinity or an unreadable number is clipped, dropped or imputed by a rule of the query. What can still fail while
//! rows are read is the *form* of a file (a CSV line with too few fields, a damaged Parquet page); such an error names
//! the file and the line and nothing that stands in it.
//!
//! # Sensitivity
//! With a [`ContributionBound`] of `m` rows, adding or removing all rows of one unit changes the counts by at most `m`
//! in l1, the sums of a value by at most `m * max(|lower|, |upper|)` steps in l1, and the sums of a product by at most
//! `m` times the two maxima, whatever the other rows are: which of its rows are kept is decided from the unit's own
//! rows alone. Without a bound the same holds for one row with `m = 1`.
//!
//! # Memory
//! Rows stream through in batches, and the cells are as many as the public keys and bins, so memory does not grow with
//! the rows. The exceptions are a contribution bound, for which the name of each unit is held, and 8 bytes for each row
//! that may be kept of it, 8 more for each value, unless the rows come in the order of the units; [`LearnKeys`], for
//! which each distinct key is held, and [`PerUnit`], for which it is held with one cell for each column. Under a limit
//! ([`UnitMemory`]) rows of units wait on disk, encrypted, if a folder is named for them; otherwise rows are never
//! written.
//!
//! # What this crate cannot promise
//! A damaged Parquet file can make the decoder panic: the panic is caught and reported as damage, but the
//! message of the panic hook goes to standard error. How long an answer takes depends on the rows.

#![deny(missing_docs)]

mod arrow_sizes;
mod bins;
mod cell_rules;
mod column;
mod column_types;
mod date;
mod date_format;
mod date_part;
mod derive;
mod engine;
mod error;
mod folders;
mod foreign;
mod format;
mod keys;
mod kind;
mod learn;
mod longer;
mod memory;
mod missing;
mod number_reader;
mod number_style;
mod per_unit;
mod programs;
mod query;
mod reader;
mod records;
mod schema;
mod set_column;
mod share;
mod source;
mod stored;
mod survey;
mod text;
mod unicode;
mod unit_memory;
mod zone;

// The one Arrow and the one Parquet of the tree: a second version would not mix with this one.
pub use bins::Bins;
pub use cell_rules::CellRules;
pub use column::Column;
pub use column_types::ColumnTypes;
pub use date::Day;
pub use date_format::DateFormat;
pub use date_part::DatePart;
pub use derive::{
    Cuts, DateSpan, Derivation, DerivedColumn, Expression, Formula, FormulaError, Magnitude, NumberRange, Outcomes,
    Rules, Together, together,
};
pub use engine::{Answers, Described, Engine, FileEngine, Questions, first_names, region};
pub use error::{DataError, called_alike};
pub use foreign::ForeignFormat;
pub use format::{RowForm, RowFormat};
pub use inbounds_core::Tally;
pub use keys::{
    KeyColumn, KeyDomain, KeyRow, KeySpace, KeyValue, Keys, LookupRow, combinations, read_keys, read_lookup,
};
pub use kind::Kind;
pub use learn::{LearnKeys, LearnedCells, LearnedKeys};
pub use longer::Longer;
pub use memory::MemoryRows;
pub use missing::Missing;
pub use number_reader::{NumberCell, NumberReader};
pub use number_style::{Negative, NumberStyle};
pub use per_unit::{PerUnit, UnitColumn, UnitTake};
pub use programs::{DeclaredMissing, DictionaryValue, DictionaryVariable, dictionary};
pub use query::{Clip, ContributionBound, Query};
pub use reader::READER;
pub use set_column::SetColumn;
pub use share::{Asked, Part, SealedShare, ShareError, ShareQuestion, SharedEngine, Shares};
pub use source::Source;
pub use survey::{Bounded, LeftOut, Survey};
pub use text::{Compression, FittingEncodings, TextEncoding, TextLayout};
pub use unicode::nfc;
pub use unit_memory::UnitMemory;
pub use {arrow, parquet};
