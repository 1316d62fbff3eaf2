//! Anyone's noisy numbers made to add up, stay in range and be whole.
//!
//! Measurements with variances come in, estimates with errors go out, in a bundle like that of a release. No row is
//! read and no budget spent: whatever is done to measurements afterwards is post-processing. Claim: `reconcile-free`.
//! The modules stand in the order in which the data flows:
//!
//! - `read`, `row`, `sheet`, `cells`, `names`: the measurements file; [`Constraints`]: what must hold besides;
//! - `suspected_totals`, `below_zero`: what the measurements say of how they are read, and of whether they may be
//!   negative;
//! - `system`: both as one system with its solver; [`projection`] has the solvers and simulates their errors;
//! - `total`: what is known exactly of errors under one known total;
//! - `fairness`, `drift`: for whom the estimates are wrong, and whether they have drifted;
//! - `tables`, `manifest`: the bundle.
//!
//! Three features, all on by default, can be left out for a faster build: `matrices`, `page` and `parquet`. What needs
//! one is then refused by its name, and the bundle has neither page nor Parquet.

mod below_zero;
mod cells;
mod constraints;
mod drift;
mod error;
mod fairness;
mod manifest;
mod names;
mod options;
mod outcome;
mod read;
mod row;
mod sheet;
mod suspected_totals;
mod system;
mod tables;
mod total;
mod totals;

pub mod progress;
pub mod projection;

use std::{
    io,
    path::{Path, PathBuf},
};

use inbounds_bundle::{Destination, ReconcileManifest, digest::sha256_of_file};

pub use constraints::Constraints;
pub use error::{Place, Problem, ReconcileError};
pub use fairness::{By, FairnessRow};
pub use inbounds_bundle::Method;
pub use inbounds_input::document::DocumentErrors;
pub use options::{Options, WideColumns};
pub use outcome::{EstimationError, Node};
pub use progress::{Progress, Silent, Step};
pub use projection::{Fit, Law};
pub use total::under_total;
pub use totals::TotalLabels;

use self::{
    cells::Cells,
    fairness::Classes,
    outcome::Outcome,
    projection::{Cause, Ending, Model, Replicate, Row, Simulation},
    sheet::Sheet,
};

/// A finished reconciliation.
pub struct Reconciled {
    /// Folder of the bundle.
    pub folder: PathBuf,
    /// Content of `reconcile.json`.
    pub manifest: ReconcileManifest,
    /// The fairness table; empty without replicates for estimates that need them.
    pub fairness: Vec<FairnessRow>,
    outcome: Outcome,
}

impl Reconciled {
    /// Nodes level by level from the roots, in each level in the order in which the input names them.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = Node<'_>> {
        self.outcome.top_down()
    }
}

/// Reconciles a measurements file into a new folder, which appears whole or not at all.
///
/// # Errors
/// [`ReconcileError`]; nothing was written.
pub fn reconcile(
    measurements: &Path,
    options: &Options,
    out: &Path,
    progress: &dyn Progress,
) -> Result<Reconciled, ReconcileError> {
    let rank = options.rank()?;
    let destination = Destination::claim(out)?;
    let constraints = options.constraints.as_deref().map_or_else(|| Ok(Constraints::default()), Constraints::read)?;
    progress.begin(Step::Opening);
    let unreadable = |source: io::Error| ReconcileError::Unreadable { file: measurements.to_owned(), source };
    let digest = sha256_of_file(measurements).map_err(unreadable)?;
    let mut sheet = read::read(measurements, options, &constraints.structure())?;
    if sheet.cells.is_none() && !options.totals.named.is_empty() {
        return Err(ReconcileError::TotalOfTree);
    }
    if options.residuals {
        if sheet.cells.as_ref().is_some_and(Cells::is_nested) {
            return Err(ReconcileError::Residuals { reason: "no constraint but `nonnegative` can stand beside it" });
        }
        sheet.tell_residuals()?;
    }
    let placed = system::placed(&sheet, &constraints)?;
    let model = system::model(&sheet, &placed, options)?;
    progress.begin(Step::Solving);
    if let Some(node) = model.hopeless() {
        return Err(infeasible(&sheet, &model, &[], &[Cause::Node(node)]));
    }
    let solver = system::solver(&sheet, &model, &placed.demands, options)?;
    let solved = solver.solve(&model, model.value.clone());
    match &solved.ending {
        Ending::Infeasible(conflict) => return Err(infeasible(&sheet, &model, solver.rows(), conflict)),
        Ending::NotFound(reason) => return Err(ReconcileError::Matrix { reason: reason.clone() }),
        Ending::Refused { reason, row } => return Err(refused(&sheet, reason, row.map(|row| &solver.rows()[row]))),
        Ending::Optimal | Ending::IterationLimit => {}
    }
    let mut outcome = Outcome::new(sheet, model, solver, solved);
    let is_leaf = outcome.is_leaf();
    let mut classes = Classes::new(&outcome.model, &outcome.solved.estimates, is_leaf, |node| outcome.determined(node));
    if let Some(rank) = rank {
        let few = outcome.few_solved(options.replicates);
        let simulation = Simulation {
            model: &outcome.model,
            measured_nodes: &outcome.sheet.measured_nodes,
            measured: &outcome.sheet.measured,
            solver: &*outcome.solver,
            truth: &outcome.solved.estimates,
            replicates: options.replicates,
            solved: few.unwrap_or(options.replicates),
            rank,
            seed: options.seed,
        };
        let mut drift = outcome.drift(options.replicates);
        let see = |replicate: &Replicate| {
            if !replicate.errors.is_empty() {
                classes.take_in(&replicate.errors);
            }
            drift.take_in(replicate);
        };
        let alike = few.map(|_| outcome.alike());
        outcome.errors = Some(simulation.run(alike, see, progress));
        if progress.is_stopped() {
            return Err(ReconcileError::Stopped);
        }
        outcome.drift = outcome.drifted(&drift);
    }
    let fairness = outcome.fairness(classes);
    progress.begin(Step::Writing);
    let manifest = outcome.manifest(options, placed.entry, digest, rank);
    let (folder, manifest) = destination.commit(|partial| {
        let manifest = tables::write(&outcome, partial, &fairness, manifest)?;
        if progress.is_stopped() { Err(ReconcileError::Stopped) } else { Ok(manifest) }
    })?;
    Ok(Reconciled { folder, manifest, fairness, outcome })
}

fn infeasible(sheet: &Sheet, model: &Model, rows: &[Row], conflict: &[Cause]) -> ReconcileError {
    let words = |&cause: &Cause| match cause {
        Cause::Node(node) => (sheet.names().name(node as u32).to_owned(), model.requirement(node)),
        Cause::Row(row) => words(sheet, &rows[row]),
    };
    ReconcileError::Infeasible { conflict: conflict.iter().map(words).collect() }
}

fn refused(sheet: &Sheet, reason: &str, row: Option<&Row>) -> ReconcileError {
    let labelled = row.map(|row| words(sheet, row));
    let reason =
        labelled.map_or_else(|| reason.to_owned(), |(label, words)| format!("`{label}` {words}, and {reason}"));
    ReconcileError::NotUnimodular { reason }
}

/// Name of a row, and its requirement.
fn words(sheet: &Sheet, row: &Row) -> (String, String) {
    (row.words)(row, &|node| sheet.names().name(node).to_owned())
}
