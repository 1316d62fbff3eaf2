//! The page that shows a bundle: one HTML file that needs nothing else, a pure function of the other files.
//!
//! [`render`] reads a manifest by the records of `inbounds-bundle`, and its tables (`release/`, `reconcile/`),
//! holds the files against the digests of the manifest (`files.rs`), and lays out a page as plain data (`document.rs`)
//! that one template writes. No row is read: everything here is public.

mod approval;
mod areas;
mod bundle;
mod cells;
mod classes;
mod crosses;
mod document;
#[cfg(feature = "export")]
mod edition;
mod error;
mod errors;
#[cfg(feature = "export")]
mod export;
mod files;
mod held;
mod ledger;
mod methods;
mod pictures;
mod reconcile;
mod release;
mod spread;

pub use approval::{ApprovalRequest, Caution, RequestedColumn, RequestedErrors, RequestedStatistic, approval_page};
pub use areas::Areas;
pub use bundle::{Drawn, draw, draw_in, plot, put_page, redraw, render};
pub use error::ReportError;
#[cfg(feature = "export")]
pub use export::{ExportError, export};
pub use held::{ChangedBundle, HeldBundles};
pub use inbounds_bundle::figures;
pub use ledger::{ledger_csv, ledger_page};

/// Name of the page in its bundle.
pub const FILE: &str = "report.html";
