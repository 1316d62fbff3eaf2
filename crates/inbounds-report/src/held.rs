//! Bundles of releases, looked at beside a ledger: whether their files are those of their manifests, and whether a
//! ledger paid.

use std::path::PathBuf;

use serde::Serialize;

use crate::{
    ReportError,
    bundle::{Manifest, open},
};

/// Bundles of releases, each in one of the lists.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct HeldBundles {
    /// Paid from a ledger, and with the files of their manifests.
    pub paid: Vec<PathBuf>,
    /// Not as they were made.
    pub changed: Vec<ChangedBundle>,
    /// Not charged to the ledger, although their noise is private.
    pub not_charged: Vec<PathBuf>,
    /// Seeded, so that they protect no unit and cost nothing.
    pub seeded: Vec<PathBuf>,
}

/// A bundle that is not as it was made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedBundle {
    /// Its folder.
    pub bundle: PathBuf,
    /// The difference, in words.
    pub warning: String,
}

impl HeldBundles {
    /// Looks at bundles; what is no release is in no list.
    ///
    /// # Errors
    /// [`ReportError`]: there is no bundle, or a file cannot be read.
    pub fn read(bundles: &[PathBuf]) -> Result<Self, ReportError> {
        let mut held = Self::default();
        for bundle in bundles {
            let opened = open(bundle)?;
            let Manifest::Release(manifest) = &opened.manifest else { continue };
            let warning = opened.files(bundle)?.warning();
            let bundle = bundle.clone();
            match (warning, &manifest.guarantee.ledger, manifest.private) {
                (Some(warning), _, _) => held.changed.push(ChangedBundle { bundle, warning }),
                (None, Some(_), _) => held.paid.push(bundle),
                (None, None, true) => held.not_charged.push(bundle),
                (None, None, false) => held.seeded.push(bundle),
            }
        }
        Ok(held)
    }

    /// Number of bundles that were checked.
    pub fn count(&self) -> usize {
        self.paid.len() + self.seeded.len() + self.wrong()
    }

    /// Number of bundles that were changed, or never charged although their noise is private.
    pub fn wrong(&self) -> usize {
        self.changed.len() + self.not_charged.len()
    }
}
