//! Differentially private statistics that stay inside what everyone knows to be true of them, and say what that cost.
//!
//! This is the door for Rust users: the vocabulary, the mechanisms and the statistics, without the SQL engine. The feature
//! `reconcile` adds what makes noisy numbers of anyone add up, the feature `advise` what finds the mechanism for a range. The
//! command line is the crate `inbounds-cli`; rows in files are read by `inbounds-data` and released by
//! `inbounds-release`.
//!
//! # Example
//! A count of 3 among people who may not be singled out, clamped at zero, with its interval, bias and error.
//! ```
//! use inbounds::{
//!     core::{Answer, Delta, Epsilon, Neighbours},
//!     mechanisms::{registry, sampler::SeededEntropy},
//!     statistics::{Design, Kind, OutputRange, PrivacyUnit, Statistic},
//! };
//!
//! let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
//! let count = Statistic {
//!     kind: Kind::Count,
//!     column: None,
//!     cells: 1,
//!     grouped: false,
//!     filtered: false,
//!     mechanism: registry::find("clamped").expect("registered"),
//!     range: OutputRange::Natural,
//!     epsilon: Epsilon::new("0.5".parse()?)?,
//!     delta: Delta::ZERO,
//! };
//! let prepared = count.prepare(&design)?;
//! // A seed is for tests and examples; a release takes `SecureEntropy::from_os()`.
//! let mut entropy = SeededEntropy::from_seed(1);
//! let measured = prepared.measure(Answer::new(vec![3]), None, &mut entropy);
//! let estimate = prepared.estimate(&measured, 0.95, &mut entropy)[0];
//! assert!(estimate.value >= 0.0 && estimate.lower <= estimate.value && estimate.value <= estimate.upper);
//! // Clamping at zero biases a count of zero by a/(1 - a^2), a = e^-0.5, and no count by more.
//! assert!((prepared.worst_bias() - 0.9595173756674719).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "advise")]
pub use inbounds_advise as advise;
pub use inbounds_core as core;
pub use inbounds_mechanisms as mechanisms;
pub use inbounds_project as project;
#[cfg(feature = "reconcile")]
pub use inbounds_reconcile as reconcile;
pub use inbounds_statistics as statistics;
