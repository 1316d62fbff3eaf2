//! An open file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;

use super::StoredFile;

/// A file that is open for reading, on a disk or in an object store.
#[derive(Debug)]
pub struct OpenedFile(Opened);

#[derive(Debug)]
enum Opened {
    Here(File),
    Stored(StoredFile),
}

impl OpenedFile {
    /// The length of the file in bytes.
    ///
    /// # Errors
    /// The file cannot be asked for it.
    pub fn length(&self) -> io::Result<u64> {
        match &self.0 {
            Opened::Here(file) => Ok(file.metadata()?.len()),
            Opened::Stored(file) => Ok(file.length()),
        }
    }

    /// The same file once more. Both may share one read position, so the reader of a clone seeks first.
    ///
    /// # Errors
    /// It cannot be opened once more.
    pub fn try_clone(&self) -> io::Result<Self> {
        match &self.0 {
            Opened::Here(file) => file.try_clone().map(Self::from),
            Opened::Stored(file) => Ok(file.again().into()),
        }
    }

    /// Fetches ranges of bytes that are going to be read: of an object in few requests, and kept as long as the file or
    /// a clone of it is open, in place of those that were fetched before. On a disk nothing is to be fetched.
    ///
    /// # Errors
    /// The store does not hand them out.
    pub fn fetch(&mut self, ranges: &[Range<u64>]) -> io::Result<()> {
        match &mut self.0 {
            Opened::Here(_) => Ok(()),
            Opened::Stored(file) => file.fetch(ranges),
        }
    }
}

impl From<File> for OpenedFile {
    fn from(file: File) -> Self {
        Self(Opened::Here(file))
    }
}

impl From<StoredFile> for OpenedFile {
    fn from(file: StoredFile) -> Self {
        Self(Opened::Stored(file))
    }
}

impl Read for OpenedFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Opened::Here(file) => file.read(into),
            Opened::Stored(file) => file.read(into),
        }
    }
}

impl Seek for OpenedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.0 {
            Opened::Here(file) => file.seek(to),
            Opened::Stored(file) => file.seek(to),
        }
    }
}
