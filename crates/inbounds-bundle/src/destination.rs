//! A folder that appears whole or not at all, and never replaces another.

use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
    process,
};

use crate::{BundleError, FileEntry, digest::Hashed, private::PrivateFolder, rename::rename_to_new};

/// A place for a bundle at which nothing stands yet.
#[derive(Debug)]
pub struct Destination {
    path: PathBuf,
    parent: PathBuf,
    name: OsString,
}

impl Destination {
    /// Checks that nothing stands at `path` and that its parent folder exists.
    ///
    /// # Errors
    /// [`BundleError::Exists`], or [`BundleError::Write`] if the parent is missing.
    pub fn claim(path: &Path) -> Result<Self, BundleError> {
        let fail = |source| BundleError::Write { path: path.to_owned(), source };
        if fs::symlink_metadata(path).is_ok() {
            return Err(BundleError::Exists { path: path.to_owned() });
        }
        let name = path.file_name().ok_or_else(|| fail(io::ErrorKind::InvalidInput.into()))?.to_owned();
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        if !parent.is_dir() {
            let source = io::Error::new(io::ErrorKind::NotFound, "there is no such folder; create it first");
            return Err(BundleError::Write { path: parent, source });
        }
        Ok(Self { path: path.to_owned(), parent, name })
    }

    /// Where the bundle will stand.
    pub fn folder(&self) -> &Path {
        &self.path
    }

    /// The hidden folder beside the destination in which the bundle grows.
    pub fn partial(&self) -> PathBuf {
        let mut hidden = OsString::from(".");
        hidden.push(&self.name);
        hidden.push(format!(".partial-{}", process::id()));
        self.parent.join(hidden)
    }

    /// Makes the hidden folder beside the destination. Only its owner may look into it, and the run holds it for
    /// as long as it lives.
    ///
    /// # Errors
    /// [`BundleError::Write`], also where it exists already; then it stays as it is.
    pub fn begin(self) -> Result<Begun, BundleError> {
        let folder = self.partial();
        let private = PrivateFolder::create(&folder).map_err(at(&folder))?;
        Ok(Begun { destination: self, partial: PartialBundle { folder, private, is_in_place: false } })
    }

    /// [Begins](Self::begin) and [commits](Begun::commit).
    ///
    /// # Errors
    /// Those of both.
    pub fn commit<T, E: From<BundleError>>(
        self,
        fill: impl FnOnce(&PartialBundle) -> Result<T, E>,
    ) -> Result<(PathBuf, T), E> {
        self.begin()?.commit(fill)
    }

    fn publish(&self, partial: &PartialBundle) -> Result<(), BundleError> {
        let mode = partial.private.mode_of_others(&partial.folder).map_err(at(&partial.folder))?;
        match rename_to_new(&partial.folder, &self.path) {
            Ok(()) => {
                // Not before it stands: until then only its owner may read it. Where this fails, its owner reads it.
                let _ = partial.private.open(mode);
                // The bundle is published and whole. Should this fail and the machine lose power at once, the rename
                // may be lost, and then there is no bundle: whole or none either way, so it is no error.
                let _ = sync_folder(&self.parent);
                Ok(())
            }
            Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty) => {
                Err(BundleError::Exists { path: self.path.clone() })
            }
            Err(source) => Err(BundleError::Write { path: self.path.clone(), source }),
        }
    }
}

/// A destination whose hidden folder stands. The folder is removed if this is dropped.
pub struct Begun {
    destination: Destination,
    partial: PartialBundle,
}

impl Begun {
    /// Lets `fill` write the files to the hidden folder, makes them durable, and renames the folder into place. Returns
    /// the folder, and what `fill` did.
    ///
    /// # Errors
    /// Those of `fill`, [`BundleError::Write`] or [`BundleError::Exists`]; the hidden folder is removed.
    pub fn commit<T, E: From<BundleError>>(
        self,
        fill: impl FnOnce(&PartialBundle) -> Result<T, E>,
    ) -> Result<(PathBuf, T), E> {
        let Self { destination, mut partial } = self;
        let filled = fill(&partial)?;
        partial.end()?;
        destination.publish(&partial)?;
        partial.is_in_place = true;
        Ok((destination.path, filled))
    }
}

/// The hidden folder in which a bundle grows.
pub struct PartialBundle {
    folder: PathBuf,
    private: PrivateFolder,
    is_in_place: bool,
}

impl Drop for PartialBundle {
    fn drop(&mut self) {
        if !self.is_in_place {
            // Best effort: the error that matters is the one already in hand.
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

impl PartialBundle {
    fn end(&self) -> Result<(), BundleError> {
        sync_folder(&self.folder).map_err(at(&self.folder))
    }

    /// A new file, to be written piece by piece.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn create(&self, name: String) -> Result<PartialFile, BundleError> {
        let path = self.folder.join(&name);
        let file = File::create_new(&path).map_err(at(&path))?;
        Ok(PartialFile { name, path, file: Hashed::new(BufWriter::with_capacity(1 << 18, file)) })
    }

    /// Where the files are until the bundle is whole.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A new file of these bytes.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<FileEntry, BundleError> {
        let mut file = self.create(name.to_owned())?;
        file.append(bytes)?;
        file.finish()
    }
}

/// A file of a bundle while it is written.
pub struct PartialFile {
    name: String,
    path: PathBuf,
    file: Hashed<BufWriter<File>>,
}

impl PartialFile {
    /// Writes these bytes behind those before.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), BundleError> {
        self.file.write_all(bytes).map_err(at(&self.path))
    }

    /// Makes the file durable, and names it by its bytes.
    ///
    /// # Errors
    /// [`BundleError::Write`].
    pub fn finish(self) -> Result<FileEntry, BundleError> {
        let Self { name, path, file } = self;
        let (buffered, sha256) = file.finish();
        let file = buffered.into_inner().map_err(|error| at(&path)(error.into_error()))?;
        file.sync_all().map_err(at(&path))?;
        Ok(FileEntry { name, sha256 })
    }
}

impl Write for PartialFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// The error of a write at a path.
fn at(path: &Path) -> impl Fn(io::Error) -> BundleError {
    let path = path.to_owned();
    move |source| BundleError::Write { path: path.clone(), source }
}

#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(partial: &PartialBundle) -> Result<(), BundleError> {
        partial.write("a.txt", b"a")?;
        partial.write("b.txt", b"b").map(drop)
    }

    #[test]
    fn a_bundle_appears_whole() {
        let folder = tempfile::tempdir().expect("folder");
        let out = folder.path().join("bundle");
        Destination::claim(&out).expect("free").commit(files).expect("writes");
        assert_eq!(fs::read(out.join("b.txt")).expect("file"), b"b");
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 1, "nothing is left beside the bundle");
    }

    #[test]
    fn what_exists_stays() {
        let folder = tempfile::tempdir().expect("folder");
        let out = folder.path().join("bundle");
        let early = Destination::claim(&out).expect("free");
        // Another process creates the folder between the check and the rename, even an empty one.
        fs::create_dir(&out).expect("creates");
        assert!(matches!(early.commit(files), Err(BundleError::Exists { .. })));
        assert_eq!(fs::read_dir(&out).expect("folder").count(), 0);
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 1, "the partial folder is gone");
        assert!(matches!(Destination::claim(&out), Err(BundleError::Exists { .. })));
    }

    #[test]
    fn a_failure_half_way_leaves_nothing() {
        let folder = tempfile::tempdir().expect("folder");
        let out = folder.path().join("bundle");
        let broken = |partial: &PartialBundle| {
            files(partial)?;
            partial.write("no/such/folder.txt", b"").map(drop)
        };
        assert!(matches!(Destination::claim(&out).expect("free").commit(broken), Err(BundleError::Write { .. })));
        assert_eq!(fs::read_dir(folder.path()).expect("folder").count(), 0);
    }

    #[test]
    fn a_partial_folder_of_another_run_stays() {
        let folder = tempfile::tempdir().expect("folder");
        let destination = Destination::claim(&folder.path().join("bundle")).expect("free");
        let partial = destination.partial();
        fs::create_dir(&partial).expect("creates");
        assert!(matches!(destination.commit(files), Err(BundleError::Write { .. })));
        assert!(partial.is_dir());
        fs::remove_dir(&partial).expect("empty");
        let begun = Destination::claim(&folder.path().join("bundle")).expect("free").begin().expect("begins");
        assert!(partial.is_dir());
        drop(begun);
        assert!(!partial.exists(), "what was begun and not committed is removed");
    }

    #[test]
    fn a_missing_parent_is_told_before_anything_runs() {
        let folder = tempfile::tempdir().expect("folder");
        assert!(matches!(Destination::claim(&folder.path().join("a/b")), Err(BundleError::Write { .. })));
    }
}
