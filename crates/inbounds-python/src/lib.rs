//! The extension module `inbounds._inbounds`, on which the Python package in `python/inbounds` rests.
//!
//! What is computed and what is said comes from the other crates. Here objects of Python become theirs: rows by the
//! Arrow C stream ([`stream`], the one file with `unsafe`), numbers that privacy rests on as exact text, errors with
//! their place. The package puts the names on it that people use, so everything here is private to it.

mod advice;
mod bundle;
mod classifier;
mod column;
mod combined;
mod exact;
mod failure;
mod fault;
mod figures;
mod ledger;
mod mechanism;
mod number;
mod numbers;
mod plan;
mod projections;
mod reconcile;
mod rows;
mod shares;
mod stream;
mod table;
mod work;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Runs the command `inbounds` with these arguments, the first of which is its own name, and returns its exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    work::apart(py, || Ok(inbounds_cli::run(arguments)))
}

/// The native part of the package `inbounds`; not for use by itself.
#[pymodule(gil_used = false)]
mod _inbounds {
    use pyo3::prelude::*;

    use super::fault;
    #[pymodule_export]
    use super::{
        advice::{advise, design},
        bundle::{draw_page, draw_plot},
        classifier::Classifier,
        combined::combine_releases,
        command,
        figures::{compare_releases, make_figures},
        ledger::{Ledger, Reservation},
        mechanism::Mechanism,
        number::{release_counts, release_values},
        plan::{Plan, PlanDraft, kinds},
        projections::{onto_order, onto_semidefinite, onto_table, onto_total, onto_tree},
        reconcile::reconcile,
        rows::{Batches, Rows, Stream},
        shares::Question,
        table::{Table, read_table, write_parquet},
    };

    #[pymodule_init]
    fn init(_module: &Bound<'_, PyModule>) -> PyResult<()> {
        fault::show_no_message();
        Ok(())
    }

    /// The version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
