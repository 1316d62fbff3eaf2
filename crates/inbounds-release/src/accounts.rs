//! Ledgers and files outside of a release.

use std::{fs, path::Path};

use inbounds_bundle::{ReleaseManifest, digest::sha256};
use inbounds_input::{GLOB_SIGNS, is_stored, located};
use inbounds_ledger::{DataSet, EntryId, Paid, Subject, UnitReading};

use crate::{
    OpenedPlan, ReleaseError, payment,
    plan::{Plan, RowFormat},
    unit_reading::unit_reading,
};

/// The data set of a ledger in words: a path if something stands there, a name if it can be no path.
///
/// # Errors
/// What is wrong, for a text that looks like a path at which nothing stands.
pub fn data_set(text: &str) -> Result<DataSet, String> {
    let path = located(Path::new(""), text);
    let is_glob = text.contains(GLOB_SIGNS);
    if path.exists() || is_glob || is_stored(&path) {
        return Ok(DataSet::at(&path));
    }
    if text.trim().is_empty() || text.contains(['/', '\\']) || RowFormat::from_path(&path).is_some() {
        return Err(
            "there is no such file or folder; a name for the data has no slash and no ending of a data file".to_owned()
        );
    }
    Ok(DataSet::Name(text.to_owned()))
}

/// The manifest of the release in a folder and its SHA-256; `None` where there is none.
pub fn manifest(folder: &Path) -> Option<(ReleaseManifest, String)> {
    let bytes = fs::read(folder.join(ReleaseManifest::FILE)).ok()?;
    Some((serde_json::from_slice(&bytes).ok()?, sha256(&bytes)))
}

/// Subject of a plan, and the reading of its unit, for a ledger. Reads headers, and no row.
///
/// # Errors
/// [`ReleaseError`], as where the plan is checked.
pub fn protected(plan: &Plan) -> Result<(Subject, UnitReading), ReleaseError> {
    let (opened, _) = OpenedPlan::with_or_without_data(plan)?;
    Ok((payment::subject(plan), unit_reading(plan, opened.engine.columns_of_files())))
}

/// The reservation that paid for a bundle; `None` for one that was not paid from a ledger.
pub fn paid(folder: &Path) -> Option<Paid> {
    let (manifest, manifest_sha256) = manifest(folder)?;
    let ledger = manifest.guarantee.ledger?;
    let reservation = EntryId { number: ledger.entry, hash: ledger.entry_sha256 };
    Some(Paid { ledger: ledger.id, reservation, manifest_sha256 })
}
