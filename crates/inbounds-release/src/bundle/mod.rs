//! The bundle: a folder of public files, written whole or not at all.
//!
//! - `measurements.csv`, `measurements.parquet`: raw noisy values, with the law of their noise;
//! - `estimates.csv`, `estimates.parquet`: values inside their range, with bias, error and interval;
//! - `plan.toml`: the plan, byte for byte;
//! - `release.json`: the [`ReleaseManifest`];
//! - `map-1.geojson` and so on: the maps that the plan names, byte for byte;
//! - `figures.csv`, `figures.parquet`, `figures.json`: what the plan has made of these numbers, if it says so;
//! - `report.html`: the page that shows the others, and is made from nothing else.

mod estimated;
mod manifest;
mod rows;
mod tables;
mod texts;
mod tidy;
mod words;

pub(crate) use manifest::{expected, missing};
pub(crate) use words::{per_unit, privacy_unit, promise, rules};

use std::path::PathBuf;

use inbounds_bundle::{
    ApartEntry, Begun, ChosenMechanism, JointEntry, ReleaseManifest, SharedNoiseEntry, WantsEntry, digest::sha256,
};
use inbounds_core::Epsilon;
use inbounds_data::DataError;
use inbounds_figures::figures_within;
use inbounds_statistics::Design;

use crate::{
    ReleaseError,
    grants::Spent,
    payment::Payment,
    plan::Plan,
    released::{Entered, Published, Run},
    unfinished::PLAN_FILE,
};

/// Context of a bundle.
pub(crate) struct About<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) design: &'a Design,
    pub(crate) granted: &'a Epsilon,
    pub(crate) spent: &'a Spent,
    pub(crate) apart: Option<&'a ApartEntry>,
    pub(crate) joint: &'a [JointEntry],
    pub(crate) wants: Option<&'a WantsEntry>,
    pub(crate) together: &'a [SharedNoiseEntry],
    pub(crate) chosen: &'a [ChosenMechanism],
    pub(crate) run: Run,
}

/// Writes a bundle, tells the ledger that paid for it, and returns its folder, its manifest and what the ledger knows;
/// `stopped` is asked once all is written, before it appears.
///
/// # Errors
/// [`ReleaseError::Bundle`], also if something appeared at the destination meanwhile, [`ReleaseError::Report`], and
/// [`DataError::Stopped`]. The destination is then as it was.
pub(crate) fn write(
    begun: Begun,
    about: &About,
    published: Published,
    payment: &mut Payment,
    stopped: impl Fn() -> bool,
) -> Result<(PathBuf, ReleaseManifest, Entered), ReleaseError> {
    let plan = about.plan;
    let (folder, (manifest, digest, confirmed)) = begun.commit(|partial| -> Result<_, ReleaseError> {
        let mut files = vec![partial.write(PLAN_FILE, plan.text().as_bytes())?];
        files.extend(tables::write(partial, plan, published.statistics)?);
        for (place, column) in plan.read_columns().iter().enumerate() {
            if let Some(map) = &column.map {
                files.push(partial.write(&manifest::map_file(place), &map.bytes)?);
            }
        }
        let manifest = manifest::manifest(about, published, payment, files);
        let json = manifest.to_json();
        partial.write(ReleaseManifest::FILE, &json)?;
        if let Some(figures) = &plan.figures {
            figures_within(partial, figures)?;
        }
        inbounds_report::put_page(partial)?;
        if stopped() {
            return Err(DataError::Stopped.into());
        }
        // The last thing before the rename: until the entry is written no other process can touch the reservation.
        Ok((manifest, sha256(&json), payment.confirm()?))
    })?;
    let entered = confirmed.enter(&digest);
    Ok((folder, manifest, entered))
}
