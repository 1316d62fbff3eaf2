//! Where a file is, and the file when it is open.
//!
//! A reader of rows opens a [`FileLocation`] and reads an [`OpenedFile`]; whether it is on a disk or in an object store
//! is known here and nowhere else.

mod opened;
#[cfg(feature = "object-store")]
mod stored;
#[cfg(not(feature = "object-store"))]
#[path = "without_stores.rs"]
mod stored;

use std::borrow::Cow;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use percent_encoding::percent_decode_str;

pub use self::opened::OpenedFile;
use self::stored::{Bucket, StoredFile, StoredObject};

/// Beginning of the URLs of objects.
const SCHEME: &str = "s3://";

/// Where a file is: a path of this machine, or an object in a store.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("people.csv");
/// std::fs::write(&path, "age\n30\n")?;
/// let location = inbounds_input::FileLocation::from(path);
/// assert_eq!(std::io::read_to_string(location.open()?)?, "age\n30\n");
/// assert_eq!(location.state()?.bytes, 7);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct FileLocation {
    path: PathBuf,
    object: Option<Arc<StoredObject>>,
}

/// Marks by which one state of a file differs from another, known without reading it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileState {
    /// Its length.
    pub bytes: u64,
    /// When it was written last.
    pub changed: SystemTime,
    /// The entity tag of an object, which is another one when the object is.
    pub tag: Option<String>,
}

impl FileLocation {
    /// The object at a URL such as `s3://bucket/rows/people.parquet`; `None` if there is none of exactly that name.
    ///
    /// # Errors
    /// The URL names no bucket, the store cannot be reached or refuses access, or this program was built without object
    /// stores. The error quotes nothing that the store said.
    pub fn stored(url: &str) -> io::Result<Option<Self>> {
        let (bucket, key) = Bucket::from_url(url)?;
        bucket.object(key)
    }

    /// The objects below a URL such as `s3://bucket/rows`, sorted by name.
    ///
    /// # Errors
    /// Those of [`FileLocation::stored`].
    pub fn stored_below(url: &str) -> io::Result<Vec<Self>> {
        let (bucket, folder) = Bucket::from_url(url)?;
        bucket.below(folder)
    }

    /// The path or URL, as messages show it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the file at its beginning. An object is the one that was found: if it has changed since, reading fails.
    ///
    /// # Errors
    /// It is not there, or may not be read.
    pub fn open(&self) -> io::Result<OpenedFile> {
        match &self.object {
            None => File::open(&self.path).map(OpenedFile::from),
            Some(object) => Ok(StoredFile::new(object.clone()).into()),
        }
    }

    /// State of the file, found without reading it; of an object, its state when it was found.
    ///
    /// # Errors
    /// It is not there, or may not be asked for.
    pub fn state(&self) -> io::Result<FileState> {
        match &self.object {
            None => {
                let metadata = fs::metadata(&self.path)?;
                Ok(FileState { bytes: metadata.len(), changed: metadata.modified()?, tag: None })
            }
            Some(object) => Ok(object.state()),
        }
    }

    /// First error in reading an object. Data that could not be read because of it are not damaged.
    pub fn failure(&self) -> Option<io::Error> {
        self.object.as_ref()?.failure()
    }
}

impl From<PathBuf> for FileLocation {
    fn from(path: PathBuf) -> Self {
        Self { path, object: None }
    }
}

impl From<&Path> for FileLocation {
    fn from(path: &Path) -> Self {
        path.to_path_buf().into()
    }
}

/// The signs that make a path a pattern, which stands for several files.
pub const GLOB_SIGNS: [char; 3] = ['*', '?', '['];

/// `true` for a path that is a URL of an object store.
///
/// ```
/// assert!(inbounds_input::is_stored("s3://bucket/rows.parquet"));
/// assert!(!inbounds_input::is_stored("rows.parquet"));
/// ```
pub fn is_stored(path: impl AsRef<Path>) -> bool {
    path.as_ref().to_str().is_some_and(|path| path.starts_with(SCHEME))
}

/// Where a path leads that is written in a document of a folder: a URL `s3://` leads there, one `file:///` to a file of
/// this machine, and any other path starts from the folder, unless it is absolute.
///
/// ```
/// use std::path::Path;
///
/// let located = |path| inbounds_input::located(Path::new("plans"), path);
/// assert_eq!(located("people.csv"), Path::new("plans/people.csv"));
/// assert_eq!(located("file:///data/a%20b.csv"), Path::new("/data/a b.csv"));
/// assert_eq!(located("s3://bucket/people.csv").to_str(), Some("s3://bucket/people.csv"));
/// ```
pub fn located(folder: &Path, path: &str) -> PathBuf {
    let of_this_machine = path.strip_prefix("file://").map(|rest| rest.strip_prefix("localhost").unwrap_or(rest));
    match of_this_machine.filter(|rest| rest.starts_with('/')) {
        Some(rest) => PathBuf::from(percent_decode_str(rest).decode_utf8().unwrap_or(Cow::Borrowed(rest)).as_ref()),
        None if is_stored(path) => PathBuf::from(path),
        None => folder.join(path),
    }
}
