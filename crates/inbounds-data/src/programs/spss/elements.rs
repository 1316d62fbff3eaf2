//! The elements of rows: as they are, packed by codes of one byte, or packed so and then with zlib.

use std::io::{self, BufReader, ErrorKind, Read};

use flate2::bufread::ZlibDecoder;

use super::super::broken::Broken;
use super::bytes::{Element, take};
use super::header::{Compression, Header};

/// The elements of all rows.
pub(super) struct Elements<R: Read> {
    bytes: Bytes<R>,
    /// Codes of the next elements, where they are packed; they are used from the place in the second field.
    codes: Option<(Element, usize)>,
    bias: f64,
    is_big: bool,
    is_over: bool,
}

/// Where the bytes of elements are.
enum Bytes<R: Read> {
    Plain(R),
    Packed(Blocks<R>),
}

impl<R: Read> Elements<R> {
    /// Elements behind a dictionary.
    pub(super) fn new(mut file: R, header: &Header) -> Result<Self, Broken> {
        let codes = (header.compression != Compression::None).then_some(([0; 8], 8));
        let bytes = match header.compression {
            Compression::None | Compression::Codes => Bytes::Plain(file),
            Compression::Zlib => {
                let [begin, trailer, _] =
                    [take(&mut file)?, take(&mut file)?, take(&mut file)?].map(|number| header.long(number));
                // Blocks stand between the three numbers and a list of them.
                let length = trailer.checked_sub(begin + 24).and_then(|length| u64::try_from(length).ok());
                Bytes::Packed(Blocks::new(file.take(length.ok_or(Broken::Damaged)?)))
            }
        };
        Ok(Self { bytes, codes, bias: header.bias, is_big: header.is_big, is_over: false })
    }

    /// The next element; none at the end of the rows, which is where a row may begin.
    pub(super) fn next(&mut self) -> Result<Option<Element>, Broken> {
        let Some((mut codes, mut place)) = self.codes else { return self.bytes.element() };
        loop {
            if self.is_over {
                return Ok(None);
            }
            if place == codes.len() {
                match self.bytes.element()? {
                    Some(next) => (codes, place) = (next, 0),
                    None => {
                        self.is_over = true;
                        continue;
                    }
                }
            }
            let code = codes[place];
            place += 1;
            self.codes = Some((codes, place));
            return match code {
                0 => continue,
                252 => {
                    self.is_over = true;
                    Ok(None)
                }
                253 => self.bytes.element()?.ok_or(Broken::Damaged).map(Some),
                254 => Ok(Some(*b"        ")),
                255 => Ok(Some(self.number(f64::MIN))),
                code => Ok(Some(self.number(f64::from(code) - self.bias))),
            };
        }
    }

    fn number(&self, number: f64) -> Element {
        if self.is_big { number.to_be_bytes() } else { number.to_le_bytes() }
    }
}

impl<R: Read> Bytes<R> {
    fn element(&mut self) -> Result<Option<Element>, Broken> {
        match self {
            Self::Plain(file) => element(file),
            Self::Packed(blocks) => element(blocks),
        }
    }
}

/// Eight bytes, or none at the end.
fn element(file: &mut impl Read) -> Result<Option<Element>, Broken> {
    let (mut element, mut filled) = ([0; 8], 0);
    while filled < element.len() {
        match file.read(&mut element[filled..]) {
            Ok(0) if filled == 0 => return Ok(None),
            Ok(0) => return Err(Broken::Damaged),
            Ok(read) => filled += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(Some(element))
}

/// Blocks of zlib, one behind the other.
struct Blocks<R: Read> {
    block: Option<ZlibDecoder<BufReader<io::Take<R>>>>,
}

impl<R: Read> Blocks<R> {
    fn new(file: io::Take<R>) -> Self {
        Self { block: Some(ZlibDecoder::new(BufReader::new(file))) }
    }
}

impl<R: Read> Read for Blocks<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while let Some(block) = &mut self.block {
            match block.read(out)? {
                0 => {}
                read => return Ok(read),
            }
            let mut rest = self.block.take().expect("one is read").into_inner();
            let is_over = io::BufRead::fill_buf(&mut rest)?.is_empty();
            self.block = (!is_over).then(|| ZlibDecoder::new(rest));
        }
        Ok(0)
    }
}
