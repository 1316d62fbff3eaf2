//! The bundle: a folder of public files, written whole or not at all.
//!
//! - `measurements.csv`, `measurements.parquet`: raw noisy values, with the law of their noise;
//! - `estimates.csv`, `estimates.parquet`: values inside their range, with bias, error and interval;
//! - `plan.toml`: the plan, byte for byte;
//! - `release.json`: the [`ReleaseManifest`];
//! - `report.html`: the page that shows the others, and is made from nothing else.

mod destination;
mod manifest;
mod tables;
mod tidy;
mod words;

pub(crate) use manifest::{expected, missing, outputs};
pub(crate) use words::privacy_unit;

use std::path::PathBuf;

use inbounds_bundle::ReleaseManifest;
use inbounds_statistics::Design;

pub use destination::Destination;
pub(crate) use destination::Partial;
pub(crate) use tables::{Columns, Table};

use crate::{
    ReleaseError, Spent,
    plan::Plan,
    run::{Published, Run},
};

/// The plan, as it was read.
pub(crate) const PLAN: &str = "plan.toml";

/// Writes a bundle and returns its folder and manifest.
///
/// # Errors
/// [`ReleaseError::Write`], [`ReleaseError::Encode`], [`ReleaseError::Report`], or [`ReleaseError::BundleExists`] if something appeared at the
/// destination meanwhile. The destination is then as it was.
pub(crate) fn write(
    destination: Destination,
    plan: &Plan,
    design: &Design,
    published: Published,
    spent: &Spent,
    run: Run,
) -> Result<(PathBuf, ReleaseManifest), ReleaseError> {
    let mut files = vec![(PLAN.to_owned(), plan.text().as_bytes().to_vec())];
    let statistics = published.statistics;
    for table in [tables::measurements(plan, statistics)?, tables::estimates(plan, statistics)?] {
        files.push((format!("{}.csv", table.name), table.to_csv()?));
        files.push((format!("{}.parquet", table.name), table.to_parquet()?));
    }
    let manifest = manifest::manifest(plan, design, published, spent, run, &files);
    files.push((ReleaseManifest::FILE.to_owned(), manifest.to_json()));
    let write_all = |partial: &Partial| {
        files.iter().try_for_each(|(name, bytes)| partial.write(name, bytes).map(drop))?;
        partial.report()
    };
    let (folder, ()) = destination.commit(write_all)?;
    Ok((folder, manifest))
}
