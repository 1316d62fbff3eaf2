//! The page that shows a bundle: one HTML file that needs nothing else, a pure function of the other files.
//!
//! [`render`] reads a manifest by the records of `inbounds-bundle`, and its tables (`release/`, `reconcile/`),
//! holds the files against the digests of the manifest (`files.rs`), and lays out a page as plain data (`document.rs`)
//! that one template writes. No row is read: everything here is public.

mod bundle;
mod cells;
mod classes;
mod document;
mod error;
mod errors;
mod files;
mod held;
mod ledger;
mod pictures;
mod reconcile;
mod release;
mod spread;

pub use bundle::{Drawn, draw, plot, put_page, redraw, render};
pub use error::ReportError;
pub use held::{ChangedBundle, HeldBundles};
pub use inbounds_bundle::figures;
pub use ledger::{ledger_csv, ledger_page};

/// Name of the page in its bundle.
pub const FILE: &str = "report.html";
