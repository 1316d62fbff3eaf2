//! Why there is no page.

use std::{io, path::PathBuf};

use inbounds_bundle::BundleError;
use inbounds_figures::FiguresError;
use thiserror::Error;

/// A bundle that cannot be shown.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReportError {
    /// Neither manifest is in the folder.
    #[error(
        "`{}` is not a bundle: it has neither release.json nor reconcile.json; name the folder that `inbounds release` or \
         `inbounds reconcile` made", .folder.display()
    )]
    NoBundle {
        /// The folder.
        folder: PathBuf,
    },
    /// A file of the bundle cannot be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// A statistic that the bundle does not have.
    #[error("`{}` has no statistic `{name}`", .folder.display())]
    NoStatistic {
        /// The folder.
        folder: PathBuf,
        /// Name that was asked for.
        name: String,
    },
    /// The page cannot be put into the bundle.
    #[error("cannot write `{}`: {source}", .path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The page cannot be put into a bundle that is being written.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A manifest that is not what its schema says.
    #[error("`{}` is not a manifest of this version: {problem}; restore the original file", .path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Message of the reader about these public values.
        problem: String,
    },
    /// The figures of the bundle are not what their schema says.
    #[error(transparent)]
    Figures(#[from] FiguresError),
    /// A table that is not what its manifest says.
    #[error("`{}`: {problem}; restore the original file", .path.display())]
    Table {
        /// The file.
        path: PathBuf,
        /// The mistake, with its place.
        problem: String,
    },
}
