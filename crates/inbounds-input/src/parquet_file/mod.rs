//! Parquet files whose headers are looked at before their library believes them.
//!
//! The footer of a Parquet file, and the header before each of its pages, are structures of compact Thrift. The library
//! takes memory for as many elements as a list says it has, and counts to that number where elements take no bytes: a
//! damaged file of a hundred bytes could cost it gigabytes, or seconds. Here a structure is walked first. The
//! invariant: the library will take the same steps, and what is said to follow is never more than the bytes that are
//! left.

mod shape;

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::slice;

use bytes::Bytes;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::errors::Result;
use parquet::file::reader::{ChunkReader, Length};

use self::shape::Shape;
use crate::OpenedFile;

/// The length of the footer, and the mark behind it.
const TAIL: u64 = 8;
/// Size that most footers stay below, so that of an object they are fetched in one request.
const FOOTER: u64 = 1 << 18;
/// Largest depth to which the library follows a structure that it does not know.
const DEEPEST: usize = 64;

/// A file for the readers of `parquet`, which refuses a footer or a page header that says more than it has bytes for.
///
/// ```no_run
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let builder = inbounds_input::ParquetFile::reader(std::fs::File::open("people.parquet")?)?;
/// let columns = builder.schema().fields().len();
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct ParquetFile {
    file: OpenedFile,
    length: u64,
}

impl ParquetFile {
    /// A file whose footer is going to be read.
    ///
    /// # Errors
    /// The file cannot be read, does not end as Parquet files do, or its footer is damaged. The error quotes nothing of
    /// the file.
    pub fn open(file: impl Into<OpenedFile>) -> Result<Self> {
        let mut opened = Self::known(file)?;
        let tail = opened.length.saturating_sub(FOOTER)..opened.length;
        opened.file.fetch(slice::from_ref(&tail))?;
        let Some(begin) = opened.length.checked_sub(TAIL) else { return Err(damaged().into()) };
        let mut tail = [0; TAIL as usize];
        opened.file.seek(SeekFrom::Start(begin))?;
        opened.file.read_exact(&mut tail)?;
        let [a, b, c, d, b'P', b'A', b'R', b'1'] = tail else { return Err(damaged().into()) };
        let size = u64::from(u32::from_le_bytes([a, b, c, d]));
        let Some(start) = begin.checked_sub(size) else { return Err(damaged().into()) };
        opened.file.seek(SeekFrom::Start(start))?;
        Walk { bytes: BufReader::new(&mut opened.file), left: size }.fields(Some(shape::FOOTER), DEEPEST)?;
        Ok(opened)
    }

    /// A reader of the rows of a file.
    ///
    /// # Errors
    /// As [`ParquetFile::open`], and where the footer says what cannot be.
    pub fn reader(file: impl Into<OpenedFile>) -> Result<ParquetRecordBatchReaderBuilder<Self>> {
        ParquetRecordBatchReaderBuilder::try_new(Self::open(file)?)
    }

    /// A file whose footer was read before.
    ///
    /// # Errors
    /// The file cannot be asked for its length.
    pub fn known(file: impl Into<OpenedFile>) -> Result<Self> {
        let file = file.into();
        let length = file.length()?;
        Ok(Self { file, length })
    }

    /// The file from a place on.
    fn from(&self, start: u64) -> io::Result<OpenedFile> {
        let mut file = self.file.try_clone()?;
        file.seek(SeekFrom::Start(start))?;
        Ok(file)
    }
}

impl Length for ParquetFile {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for ParquetFile {
    type T = PageHeader;

    fn get_read(&self, start: u64) -> Result<PageHeader> {
        // What the library reads from a place on is a page header, or the tail of the file.
        let left = self.length.checked_sub(TAIL).and_then(|end| end.checked_sub(start)).filter(|left| *left > 0);
        Ok(PageHeader { bytes: BufReader::new(self.from(start)?), unseen: left })
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        // Else memory is taken for what the file cannot hold.
        if start.checked_add(length as u64).is_none_or(|end| end > self.length) {
            return Err(damaged().into());
        }
        let mut bytes = Vec::with_capacity(length);
        match self.from(start)?.take(length as u64).read_to_end(&mut bytes)? {
            read if read == length => Ok(bytes.into()),
            _ => Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
    }
}

/// The bytes from the header of a page on.
#[derive(Debug)]
pub struct PageHeader {
    bytes: BufReader<OpenedFile>,
    /// Number of bytes that can follow, until the header is walked. The first reading walks it: some are opened and not
    /// read, at places where no header is.
    unseen: Option<u64>,
}

impl Read for PageHeader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if let Some(most) = self.unseen {
            let mut walk = Walk { bytes: &mut self.bytes, left: most };
            walk.fields(Some(shape::PAGE_HEADER), DEEPEST)?;
            let size = most - walk.left;
            self.bytes.seek_relative(-i64::try_from(size).map_err(|_| damaged())?)?;
            self.unseen = None;
        }
        self.bytes.read(into)
    }
}

/// A walk over a structure of compact Thrift.
struct Walk<R> {
    bytes: R,
    left: u64,
}

impl<R: Read> Walk<R> {
    /// A value, of the shape that it has in the format if it is known there. The library goes by the shape and this
    /// walk by the type that the file states, so that they must agree: else the library would read what was not walked.
    fn value(&mut self, kind: u8, shape: Option<Shape>, depth: usize) -> io::Result<()> {
        let depth = depth.checked_sub(1).ok_or_else(damaged)?;
        if shape.is_some_and(|shape| !shape.is(kind)) {
            return Err(damaged());
        }
        match kind {
            // Of a field; those of lists are refused.
            1 | 2 => Ok(()),
            3 => self.skip(1),
            4..=6 => self.varint().map(drop),
            7 => self.skip(8),
            8 => {
                let size = self.varint()?;
                self.skip(size)
            }
            9 | 10 => self.list(shape, depth),
            11 => self.map(depth),
            12 => self.fields(shape, depth),
            13 => self.skip(16),
            _ => Err(damaged()),
        }
    }

    /// Fields, to the mark that ends them.
    fn fields(&mut self, shape: Option<Shape>, depth: usize) -> io::Result<()> {
        let known = if let Some(Shape::Structure(known)) = shape { known } else { &[] };
        let mut number = 0_i16;
        loop {
            let header = self.byte()?;
            if header & 0x0f == 0 {
                return Ok(());
            }
            number = match header >> 4 {
                0 => self.zigzag()?,
                further => number.checked_add(further.into()).ok_or_else(damaged)?,
            };
            let shape = known.iter().find(|(known, _)| *known == number).map(|(_, shape)| *shape);
            self.value(header & 0x0f, shape, depth)?;
        }
    }

    fn list(&mut self, shape: Option<Shape>, depth: usize) -> io::Result<()> {
        let header = self.byte()?;
        let size = if header >> 4 == 15 { self.varint()? } else { u64::from(header >> 4) };
        let element = if let Some(Shape::List(element)) = shape { Some(*element) } else { None };
        self.elements(size, &[header & 0x0f], element, depth)
    }

    fn map(&mut self, depth: usize) -> io::Result<()> {
        let size = self.varint()?;
        if size == 0 {
            return Ok(());
        }
        let kinds = self.byte()?;
        self.elements(size, &[kinds >> 4, kinds & 0x0f], None, depth)
    }

    /// Elements one after another. Booleans are refused: the library takes them for elements of no bytes where it skips
    /// a list, as the format does not, and no footer or page header has such a list.
    fn elements(&mut self, size: u64, kinds: &[u8], shape: Option<Shape>, depth: usize) -> io::Result<()> {
        if size > self.left || size > 0 && kinds.iter().any(|kind| matches!(kind, 1 | 2)) {
            return Err(damaged());
        }
        for _ in 0..size {
            kinds.iter().try_for_each(|&kind| self.value(kind, shape, depth))?;
        }
        Ok(())
    }

    /// The number of a field, signs alternating.
    fn zigzag(&mut self) -> io::Result<i16> {
        let number = u16::try_from(self.varint()?).map_err(|_| damaged())?;
        Ok((number >> 1) as i16 ^ -((number & 1) as i16))
    }

    /// A number of at most 64 bits, seven in each byte.
    fn varint(&mut self) -> io::Result<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(damaged())
    }

    fn byte(&mut self) -> io::Result<u8> {
        self.left = self.left.checked_sub(1).ok_or_else(damaged)?;
        let mut byte = [0];
        self.bytes.read_exact(&mut byte)?;
        Ok(byte[0])
    }

    fn skip(&mut self, size: u64) -> io::Result<()> {
        self.left = self.left.checked_sub(size).ok_or_else(damaged)?;
        match io::copy(&mut self.bytes.by_ref().take(size), &mut io::sink())? {
            skipped if skipped == size => Ok(()),
            _ => Err(damaged()),
        }
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a header of a Parquet file states more than the file holds")
}
