//! In place of object stores, where the program is built without them.

use std::convert::Infallible;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use super::{FileLocation, FileState};

/// An object, of which there is none.
#[derive(Debug)]
pub(super) struct StoredObject(Infallible);

impl StoredObject {
    pub(super) fn state(&self) -> FileState {
        match self.0 {}
    }

    pub(super) fn failure(&self) -> Option<io::Error> {
        match self.0 {}
    }
}

/// A bucket, of which there is none.
pub(super) struct Bucket(Infallible);

impl Bucket {
    pub(super) fn from_url(_: &str) -> io::Result<(Self, &str)> {
        let problem = "this program was built without object stores; build it with `--features object-store`";
        Err(io::Error::new(io::ErrorKind::Unsupported, problem))
    }

    pub(super) fn object(&self, _: &str) -> io::Result<Option<FileLocation>> {
        match self.0 {}
    }

    pub(super) fn below(&self, _: &str) -> io::Result<Vec<FileLocation>> {
        match self.0 {}
    }
}

/// An open object, of which there is none.
#[derive(Debug)]
pub(super) struct StoredFile(Infallible);

impl StoredFile {
    pub(super) fn new(object: Arc<StoredObject>) -> Self {
        match object.0 {}
    }

    pub(super) fn length(&self) -> u64 {
        match self.0 {}
    }

    pub(super) fn again(&self) -> Self {
        match self.0 {}
    }

    pub(super) fn fetch(&mut self, _: &[Range<u64>]) -> io::Result<()> {
        match self.0 {}
    }
}

impl Read for StoredFile {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        match self.0 {}
    }
}

impl Seek for StoredFile {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        match self.0 {}
    }
}
