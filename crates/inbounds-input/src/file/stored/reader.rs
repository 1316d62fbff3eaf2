//! Objects read like files: small requests for random access, large ones with read-ahead for sequential access.

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::mpsc::Receiver;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use super::StoredObject;
use super::problem::StoreProblem;

/// Bytes of a request for random access.
const LOOK: u64 = 1 << 16;
/// Bytes of a request for sequential access.
const STRIDE: u64 = 1 << 22;

/// An object that is open for reading.
#[derive(Debug)]
pub(in crate::file) struct StoredFile {
    object: Arc<StoredObject>,
    position: u64,
    /// The bytes that were received last, and where they stand.
    received: Part,
    /// The request for the bytes behind them; behind a lock only because several threads may hold one file, of which
    /// they read clones.
    ahead: Mutex<Option<Receiver<Result<Bytes, StoreProblem>>>>,
    /// Parts that were fetched together, sorted by place.
    fetched: Arc<Vec<Part>>,
}

#[derive(Debug, Clone, Default)]
struct Part {
    begin: u64,
    bytes: Bytes,
}

impl Part {
    fn end(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }

    /// The bytes from a place on, if it is one of these.
    fn from(&self, place: u64) -> Option<&[u8]> {
        let skipped = usize::try_from(place.checked_sub(self.begin)?).ok()?;
        self.bytes.get(skipped..).filter(|rest| !rest.is_empty())
    }
}

impl StoredFile {
    pub(in crate::file) fn new(object: Arc<StoredObject>) -> Self {
        Self { object, position: 0, received: Part::default(), ahead: Mutex::default(), fetched: Arc::default() }
    }

    pub(in crate::file) fn length(&self) -> u64 {
        self.object.meta.size
    }

    /// The same object from its beginning, with the parts that were fetched.
    pub(in crate::file) fn again(&self) -> Self {
        Self { fetched: self.fetched.clone(), ..Self::new(self.object.clone()) }
    }

    /// Fetches ranges of bytes, which are kept as long as the file, or a clone of it, is open.
    pub(in crate::file) fn fetch(&mut self, ranges: &[Range<u64>]) -> io::Result<()> {
        let end = self.length();
        let within = ranges.iter().map(|range| range.start.min(end)..range.end.min(end));
        let mut wanted: Vec<Range<u64>> = within.filter(|range| !range.is_empty()).collect();
        wanted.sort_unstable_by_key(|range| range.start);
        let bytes = self.object.ranges(wanted.clone())?;
        let parts = wanted.iter().zip(bytes).map(|(range, bytes)| Part { begin: range.start, bytes });
        self.fetched = Arc::new(parts.collect());
        Ok(())
    }

    /// Receives the bytes at the place.
    fn receive(&mut self) -> io::Result<()> {
        let length = self.length();
        let reads_on = !self.received.bytes.is_empty() && self.position == self.received.end();
        let request = |begin: u64, bytes: u64| self.object.request(begin..(begin + bytes).min(length));
        let ahead = self.ahead.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        let asked = match ahead.filter(|_| reads_on) {
            Some(asked) => asked,
            None => request(self.position, if reads_on { STRIDE } else { LOOK }),
        };
        let bytes = self.object.receive(&asked)?;
        self.received = Part { begin: self.position, bytes };
        let next = self.received.end();
        self.ahead = Mutex::new((reads_on && next < length).then(|| request(next, STRIDE)));
        Ok(())
    }
}

impl Read for StoredFile {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if into.is_empty() || self.position >= self.length() {
            return Ok(0);
        }
        let after = self.fetched.partition_point(|part| part.begin <= self.position);
        let fetched = after.checked_sub(1).and_then(|place| self.fetched[place].from(self.position));
        let read = match fetched {
            Some(mut rest) => rest.read(into)?,
            None => {
                if self.received.from(self.position).is_none() {
                    self.receive()?;
                }
                self.received.from(self.position).unwrap_or_default().read(into)?
            }
        };
        self.position += read as u64;
        Ok(read)
    }
}

impl Seek for StoredFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::End(by) => self.length().checked_add_signed(by),
            SeekFrom::Current(by) => self.position.checked_add_signed(by),
        };
        self.position = place.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}
