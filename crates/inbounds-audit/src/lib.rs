//! Attacks a plan as it would be released.
//!
//! A release promises that its output hardly distinguishes two tables that differ in one privacy unit. An
//! [`audit`](fn@audit) tries to:
//!
//! 1. it makes up tables of rows from the plan, pairs of neighbours under its unit and relation, lets the engine read
//!    them, and compares the exact answers with the sensitivity for which each mechanism was calibrated, and with the
//!    epsilon that the scales of all noise together leave;
//! 2. it measures the worst pairs many times, as a release does, from seeds, and bounds epsilon from below by what the
//!    measurements show; the noise is also compared with its law, and the noise of each number with that of others;
//! 3. it releases pairs with the same exact answers into bundles, which must be the same by the same seed.
//!
//! No row of the data is read: a guarantee is about all tables, and made-up ones are no secret, so that what is found
//! can be shown. That nothing is found is no proof.

mod binomial;
mod cells;
mod chosen;
mod draw;
mod events;
mod finding;
mod learned;
mod loss;
mod neighbours;
mod published;
mod runs;
mod search;
mod subject;
mod table;
mod vector;

use std::path::PathBuf;

use inbounds_release::{ReleaseError, plan::Plan};
use serde::Serialize;
use thiserror::Error;

pub use finding::{Example, Finding, Norm};

/// Probability with which chance alone makes an audit find anything in a program without a defect, at most.
pub const MISS: f64 = 0.001;

/// Extent of an audit.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Sampled releases of each of the two tables of a pair.
    pub runs: u32,
    /// Most pairs of tables.
    pub pairs: u64,
    /// Number of rows read after which no further pair is tried.
    pub rows: u64,
    /// Seed of tables and noise.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self { runs: 10_000, pairs: 1500, rows: 2_000_000, seed: 0 }
    }
}

/// Attempts and findings of an audit.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Audit {
    /// Tables that the engine read.
    pub tables: u64,
    /// Changes that neighbours reached, one for each measured vector.
    pub reached: Vec<Reached>,
    /// Lower bounds on epsilon: of each statistic in plan order, and then of the whole release.
    pub bounds: Vec<Bound>,
    /// Sampled releases of each of the two tables of a pair.
    pub runs: u32,
    /// Probability with which any of the findings is chance alone, at most.
    pub miss: f64,
    /// Seed of tables and noise.
    pub seed: u64,
    /// Numbers whose noise was compared with its law.
    pub laws: usize,
    /// Pairs of numbers whose noises were tested for correlation.
    pub noise_pairs: usize,
    /// Pairs of bundles that were compared.
    pub bundles: usize,
    /// Claims that do not hold.
    pub findings: Vec<Finding>,
}

/// Change of a vector that neighbours reached.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reached {
    /// Name of the statistic, or `diagnostics`.
    pub statistic: String,
    /// Which of its vectors; empty where it has one.
    pub vector: String,
    /// The l1 change, in grid steps, for which its noise was calibrated.
    pub calibrated: u128,
    /// The largest that was reached.
    pub reached: u128,
}

/// A lower bound on epsilon.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Bound {
    /// Name of the statistic; none for the whole release.
    pub statistic: Option<String>,
    /// Epsilon that is granted.
    pub claimed: f64,
    /// The loss of the pair of tables by the laws of the noise.
    pub loss: f64,
    /// The bound; zero where nothing is shown.
    pub at_least: f64,
}

/// Why there is no audit.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AuditError {
    /// The plan cannot be released.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// A table of made-up rows could not be written, or what was made of it not read.
    #[error("{} cannot be used for tables of made-up rows: {source}", path.display())]
    Unwritten {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl AuditError {
    /// Text that could not be put together in memory.
    fn text(error: impl Into<std::io::Error>) -> Self {
        Self::Unwritten { path: PathBuf::from("a table in memory"), source: error.into() }
    }
}

/// A watcher of an audit. Told stages only.
pub trait Progress {
    /// A stage begins, in words.
    fn at(&self, stage: &str);
}

/// Attacks a plan.
///
/// # Errors
/// [`AuditError`] if the plan cannot be released, or tables cannot be written.
pub fn audit(plan: &Plan, options: &Options, progress: &dyn Progress) -> Result<Audit, AuditError> {
    let mut subject = subject::Subject::open(plan)?;
    let searched = search::search(&mut subject, options, &mut |pair| {
        if pair % 16 == 0 {
            progress.at(&format!("comparing neighbours, pair {pair} of {}", options.pairs));
        }
    })?;
    let compared = published::compare(&subject, &searched, options)?;
    let sampled = runs::sample(&subject, &searched, options, &mut |step| progress.at(&format!("sampling {step}")));
    let reached = subject.vectors.iter().zip(&searched.reached).map(|(vector, reached)| Reached {
        statistic: subject.name_of(vector.statistic),
        vector: vector.role.clone(),
        calibrated: vector.mechanism.sensitivity().l1,
        reached: reached.l1,
    });
    Ok(Audit {
        tables: searched.tables,
        reached: reached.collect(),
        bounds: sampled.bounds,
        runs: options.runs,
        miss: MISS,
        seed: options.seed,
        laws: sampled.laws,
        noise_pairs: sampled.pairs,
        bundles: compared.bundles,
        findings: searched.findings.into_iter().chain(compared.findings).chain(sampled.findings).collect(),
    })
}
