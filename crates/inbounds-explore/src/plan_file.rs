//! The file of a plan: read when the page is loaded, written when a person says so, and never over what another program
//! wrote meanwhile.

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use inbounds_bundle::digest::sha256;
use inbounds_release::{plan::DocumentErrors, read_plan};
use serde::Serialize;
use tempfile::NamedTempFile;
use thiserror::Error;

/// Text of the plan that a page begins with where there is none yet.
const FIRST: &str = include_str!("first.toml");

/// Where a plan is kept.
#[derive(Debug, Clone)]
pub(crate) struct PlanFile {
    path: PathBuf,
}

/// The text of a plan, and what tells whether the file still has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PlanOnDisk {
    /// The path as it was given.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
    /// SHA-256 of the bytes of the file; null where there is no file yet.
    pub(crate) digest: Option<String>,
}

/// Why a plan was not opened or not saved.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlanFileError {
    /// The file is no plan, or cannot be read.
    #[error(transparent)]
    NoPlan(#[from] DocumentErrors),
    /// Another program wrote the file since it was loaded.
    #[error(
        "{path} changed on disk since this page loaded it, and was not written: load it again, or save under another name"
    )]
    Changed {
        /// The file.
        path: String,
    },
    /// The file could not be written.
    #[error("{path} cannot be written: {source}")]
    Unwritten {
        /// The file.
        path: String,
        /// Why.
        source: io::Error,
    },
}

impl PlanFile {
    /// The plan at a path, which need not exist.
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Its name in mistakes.
    pub(crate) fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// The folder to which paths of the plan are relative.
    pub(crate) fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// The text on disk, or a first one where there is none.
    ///
    /// # Errors
    /// [`PlanFileError::NoPlan`] where the file cannot be read or is no plan: rows are not shown.
    pub(crate) fn load(&self) -> Result<PlanOnDisk, PlanFileError> {
        let path = self.name();
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(PlanOnDisk { path, text: FIRST.to_owned(), digest: None });
            }
            // The reader of plans says why.
            Err(_) => Vec::new(),
        };
        // A file is judged before anything of it is shown: people give the data where the plan is meant.
        let text = match read_plan(&self.path) {
            Ok(plan) => plan.text().to_owned(),
            Err(errors) if errors.text.as_bytes() == bytes && !bytes.is_empty() => errors.text,
            Err(errors) => return Err(errors.into()),
        };
        let digest = Some(sha256(text.as_bytes()));
        Ok(PlanOnDisk { path, text, digest })
    }

    /// Writes a text in place of the one that `digest` tells, `None` for no file.
    ///
    /// The file is written beside and renamed, so that it is whole at any time; between the last check of it and the
    /// rename another program could still write it, which takes microseconds. A new file never takes the place of one.
    ///
    /// # Errors
    /// [`PlanFileError::Changed`] or [`PlanFileError::Unwritten`].
    pub(crate) fn save(&self, text: &str, digest: Option<&str>) -> Result<PlanOnDisk, PlanFileError> {
        let path = self.name();
        let unwritten = |source| PlanFileError::Unwritten { path: path.clone(), source };
        // A link stays one: its file is written.
        let place = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        let folder = place.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let mut beside = NamedTempFile::new_in(folder).map_err(unwritten)?;
        beside.write_all(text.as_bytes()).map_err(unwritten)?;
        beside.as_file().sync_all().map_err(unwritten)?;
        let current = match fs::read(&place) {
            Ok(bytes) => Some(sha256(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(unwritten(error)),
        };
        if current.as_deref() != digest {
            return Err(PlanFileError::Changed { path });
        }
        if current.is_some() {
            let permissions = fs::metadata(&place).map_err(unwritten)?.permissions();
            beside.as_file().set_permissions(permissions).map_err(unwritten)?;
            beside.persist(&place).map_err(|error| unwritten(error.error))?;
        } else {
            beside.persist_noclobber(&place).map_err(|error| match error.error.kind() {
                io::ErrorKind::AlreadyExists => PlanFileError::Changed { path: path.clone() },
                _ => unwritten(error.error),
            })?;
        }
        Ok(PlanOnDisk { path, text: text.to_owned(), digest: Some(sha256(text.as_bytes())) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_file_is_not_written_over() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("plan.toml");
        let file = PlanFile::new(&path);
        let first = file.load().expect("a first plan");
        assert_eq!((first.text.as_str(), &first.digest), (FIRST, &None));
        let saved = file.save("title = \"a\"\n", None).expect("a new file");
        assert!(matches!(file.save("title = \"b\"\n", None), Err(PlanFileError::Changed { .. })), "it exists now");
        fs::write(&path, "title = \"of somebody else\"\n").expect("writes");
        let refused = file.save("title = \"c\"\n", saved.digest.as_deref());
        assert!(matches!(refused, Err(PlanFileError::Changed { .. })), "{refused:?}");
        assert_eq!(fs::read_to_string(&path).expect("reads"), "title = \"of somebody else\"\n");
        let loaded = file.load().expect("a plan with mistakes");
        file.save("title = \"d\"\n", loaded.digest.as_deref()).expect("saves");
        assert_eq!(fs::read_to_string(&path).expect("reads"), "title = \"d\"\n");
        assert_eq!(fs::read_dir(folder.path()).expect("lists").count(), 1, "nothing is left beside");
    }

    #[test]
    fn rows_are_not_shown_as_a_plan() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("rows.csv");
        fs::write(&path, "ward,name\n1,CANARY\n").expect("writes");
        let refused = PlanFile::new(&path).load().expect_err("no plan");
        assert!(!refused.to_string().contains("CANARY"), "{refused}");
    }
}
