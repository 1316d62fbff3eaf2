//! A folder in which files for the readers stand: below that in `INBOUNDS_FUZZ_FOLDER`, or in memory where the system
//! has such a place.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use tempfile::TempDir;

/// An empty folder, for as long as its caller uses it.
pub(crate) struct Scratch(TempDir);

static PARENT: LazyLock<PathBuf> = LazyLock::new(|| {
    let memory = Path::new("/dev/shm");
    let usual = || if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    std::env::var_os("INBOUNDS_FUZZ_FOLDER").map_or_else(usual, PathBuf::from)
});

impl Scratch {
    pub(crate) fn new() -> Self {
        Self(tempfile::Builder::new().prefix("inbounds-fuzz-").tempdir_in(&*PARENT).expect("a folder for files"))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file and returns where it stands.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).expect("a file in an empty folder");
        path
    }

    /// Writes those files of an archive that have one of these names.
    pub(crate) fn unpack(&self, parts: &[(&[u8], &[u8])], names: &[&str]) {
        for (name, bytes) in parts {
            if let Some(name) = names.iter().find(|known| known.as_bytes() == *name) {
                self.write(name, bytes);
            }
        }
    }
}
