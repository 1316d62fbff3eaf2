//! The bundle: a folder of public files, written whole or not at all.
//!
//! - `measurements.csv`, `measurements.parquet`: raw noisy values, with the law of their noise;
//! - `estimates.csv`, `estimates.parquet`: values inside their range, with bias, error and interval;
//! - `plan.toml`: the plan, byte for byte;
//! - `release.json`: the [`ReleaseManifest`];
//! - `report.html`: the page that shows the others, and is made from nothing else.

mod manifest;
mod rows;
mod tables;
mod tidy;
mod words;

pub(crate) use manifest::{expected, missing, outputs};
pub(crate) use words::privacy_unit;

use std::path::PathBuf;

use inbounds_bundle::{Destination, ReleaseManifest};
use inbounds_statistics::Design;

use crate::{
    ReleaseError, Spent,
    plan::Plan,
    released::{Published, Run},
};

/// The plan, as it was read.
pub(crate) const PLAN: &str = "plan.toml";

/// Writes a bundle and returns its folder and manifest.
///
/// # Errors
/// [`ReleaseError::Bundle`], also if something appeared at the destination meanwhile, and [`ReleaseError::Report`]. The
/// destination is then as it was.
pub(crate) fn write(
    destination: Destination,
    plan: &Plan,
    design: &Design,
    published: Published,
    spent: &Spent,
    run: Run,
) -> Result<(PathBuf, ReleaseManifest), ReleaseError> {
    destination.commit(|partial| {
        let mut files = vec![partial.write(PLAN, plan.text().as_bytes())?];
        files.extend(tables::measurements(plan, published.statistics)?.write(partial)?);
        files.extend(tables::estimates(plan, published.statistics)?.write(partial)?);
        let manifest = manifest::manifest(plan, design, published, spent, run, files);
        partial.write(ReleaseManifest::FILE, &manifest.to_json())?;
        inbounds_report::put_page(partial)?;
        Ok(manifest)
    })
}
