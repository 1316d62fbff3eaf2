//! A bundle: its records, what a release writes and a page reads as one type each, and the folder in which they stand.
//!
//! - [`ReleaseManifest`] is `release.json`, [`ReconcileManifest`] is `reconcile.json`; field names are the schema, and
//!   `docs/bundle.md` and `docs/reconcile.md` describe each;
//! - [`Id`]: a word of the schema, known to this version or not, so that a reader of bundles must say what it does with
//!   both;
//! - [`QuantityEntry`]: what a measured or published number is;
//! - [`ApartEntry`], [`JointEntry`], [`SharedNoiseEntry`]: which statistics cost less together than one by one, and
//!   why;
//! - [`LearnedKeysEntry`]: how noise chose cells whose keys the plan did not list;
//! - [`DiagnosticsEntry`]: what was measured of the rows themselves;
//! - [`Exact`]: a number that a guarantee rests on;
//! - [`Notice`]: what a reader has to know before using a number;
//! - [`meaning`]: what a guarantee means in chances;
//! - [`figures`]: numbers for reading;
//! - [`digest`]: how files are named by their bytes;
//! - [`Destination`]: a folder that appears whole or not at all; [`TidyTable`]: a table in it, which [`write_columns`]
//!   and
//!   [`write_blocks`] never have in memory whole.
//!
//! A bundle of an older version opens: what it did not write is empty or missing.

mod apart;
mod column_sink;
mod constraints;
mod destination;
mod diagnostics;
mod dictionary;
pub mod digest;
mod error;
mod exact;
pub mod figures;
mod gain;
mod id;
mod in_order;
mod join;
mod joint;
mod kind;
mod learned;
mod ledger;
mod left_out;
mod measured;
mod mechanism;
mod names;
mod notice;
mod notice_level;
mod odds;
#[cfg_attr(not(feature = "parquet"), path = "without_parquet.rs")]
mod parquet;
mod per_unit;
mod private;
mod program;
mod publication;
mod quality;
mod quantity;
mod reconcile;
mod release;
mod rename;
mod rounding;
mod shared_noise;
mod solver;
mod stated;
mod table;
mod want;
mod words;

pub use apart::ApartEntry;
pub use column_sink::ColumnSink;
pub use constraints::{ConstraintsEntry, MatrixEntry, NestedEntry, SystemEntry, TableEntry, TotalLabelEntry};
pub use destination::{Begun, Destination, PartialBundle, PartialFile};
pub use diagnostics::{CountEntry, DiagnosticsEntry, ListedEntry, NumbersEntry, RowsAre, RowsEntry};
pub use error::BundleError;
pub use exact::Exact;
pub use gain::{ChosenMechanism, LARGEST_FACTOR, MechanismGain, OtherMechanism, SharingGain};
pub use id::Id;
pub use in_order::in_order;
pub use join::join;
pub use joint::JointEntry;
pub use kind::{Drawing, KindTraits, KindWord, LevelSums, MatrixEntries, PureNumbers, TitleEnd};
pub use learned::{AppearanceEntry, CandidatesEntry, LearnedKeysEntry};
pub use ledger::{AmountEntry, LedgerEntry, OtherReleases};
pub use left_out::{LeftOutEntry, Reason};
pub use measured::{ComponentEntry, RESIDUALS_MEASURED, SensitivityEntry, StepRangeEntry};
pub use mechanism::{ParametersEntry, ProcessingEntry};
pub use notice::{Among, End, KnownRows, Moment, Notice, ODDS_OF_FALSE_NOTICE};
pub use notice_level::NOTICE_LEVEL;
pub use odds::{Secret, is_weak, meaning, percent_believed, percent_guessed_right};
pub use per_unit::{PerUnitEntry, PerUnitWord, UnitColumnEntry};
pub use program::{FileEntry, Program};
pub use publication::{Language, PublicationEntry};
pub use quality::{QualityClass, QualityEntry, QualityMeasure};
pub use quantity::QuantityEntry;
pub use reconcile::{
    ErrorEntry, ErrorMethod, InputEntry, LawEntry, NoiseLaw, RECONCILE_SCHEMA, ReconcileManifest,
    SimulatedIntervalEntry, TotalEntry,
};
pub use release::{
    BiasEntry, ClipEntry, ColumnEntry, CombinationEntry, Combined, DerivedEntry, ExpectedErrorEntry, GuaranteeEntry,
    IntervalEntry, MapEntry, OutputEntry, PublicEntry, RELEASE_SCHEMA, RangeEntry, ReleaseManifest, StatisticEntry,
    ValueEntry, ValueLabelEntry,
};
pub use rounding::{RoundingEntry, RoundingMethod};
pub use shared_noise::{SharedLaw, SharedNoiseEntry};
pub use solver::{CertificateEntry, Method, ProjectionEntry, SolvedSystem, SolverEntry, SolverStatus};
pub use stated::StatedErrors;
pub use table::{TidyColumns, TidyTable, write_blocks, write_columns};
pub use want::{EpsilonOrigin, MomentsEntry, WantEntry, WantedError, WantsEntry};
pub use words::{MissingEntry, MissingRule, PrivacyUnitEntry, UnitEntry};
