//! Parquet where it was left out of the build: every file of it is refused.

use std::{convert::Infallible, fs::File, path::Path};

use crate::{
    error::{Problem, ReconcileError},
    options::Options,
    sheet::Sheet,
};

pub(super) fn read(path: &Path, _: &Options, _: Sheet) -> Result<Sheet, ReconcileError> {
    Err(ReconcileError::WithoutParquet { file: path.to_owned() })
}

/// No file.
pub(super) struct ParquetText(Infallible);

impl ParquetText {
    pub(super) fn open(path: &Path, _: File) -> Result<Self, ReconcileError> {
        Err(ReconcileError::WithoutParquet { file: path.to_owned() })
    }

    pub(super) fn each<const N: usize>(
        self,
        _: &Path,
        _: [&'static str; N],
        _: impl FnMut(u64, [&str; N]) -> Result<(), Problem>,
    ) -> Result<(), ReconcileError> {
        match self.0 {}
    }
}
