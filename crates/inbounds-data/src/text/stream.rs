//! From the bytes of a file to its text in UTF-8: decompressed, and decoded where it is written in another encoding.
//!
//! Plain UTF-8 is read as it is, byte order mark included. An error of a reader may come from the disk, from a damaged
//! compression or from bytes that are no text; [`damage`] finds out which by reading the file once more, layer by
//! layer.

use std::io::{self, BufReader, Cursor, Read, Seek};

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE, WINDOWS_1252};
use inbounds_input::{FileLocation, OpenedFile};

use super::members::Members;
use super::{Compression, FittingEncodings, TextEncoding, TextLayout};
use crate::{DataError, RowFormat, programs};

/// Bytes that are decoded at once.
const CHUNK: usize = 1 << 16;

/// Binary logarithm of the largest window of zstd, as `zstd --long=31` writes it. A decoder takes 27 unless it is told
/// otherwise, so that a file of a stranger cannot ask for much memory; the author of a plan names files that they
/// trust.
const LARGEST_WINDOW: u32 = if usize::BITS > 32 { 31 } else { 30 };

/// The text of a file, from its beginning.
pub(crate) fn open(
    location: &FileLocation,
    layout: &TextLayout,
    format: RowFormat,
) -> io::Result<Box<dyn Read + Send>> {
    match format.is_decoded() {
        true => programs::open(location, layout, format),
        false => open_text(location, layout.encoding),
    }
}

fn open_text(location: &FileLocation, encoding: TextEncoding) -> io::Result<Box<dyn Read + Send>> {
    let (mut file, compression) = compressed(location)?;
    let Some(compression) = compression else {
        let begin = beginning(&mut file)?;
        file.rewind()?;
        return Ok(decoded(Box::new(file), encoding, &begin));
    };
    let mut unpacked = unpacked(file, compression)?;
    let begin = beginning(&mut unpacked)?;
    Ok(decoded(Box::new(Cursor::new(begin.clone()).chain(unpacked)), encoding, &begin))
}

/// A file, and how it is compressed.
fn compressed(location: &FileLocation) -> io::Result<(OpenedFile, Option<Compression>)> {
    let mut file = location.open()?;
    let begin = beginning(&mut file)?;
    file.rewind()?;
    // UTF-8 has no text that begins so, and no header does in another encoding.
    Ok(match begin[..] {
        [0x1f, 0x8b, ..] => (file, Some(Compression::Gzip)),
        [0x28, 0xb5, 0x2f, 0xfd] => (file, Some(Compression::Zstd)),
        _ => (file, None),
    })
}

fn beginning(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut begin = Vec::with_capacity(4);
    reader.take(4).read_to_end(&mut begin)?;
    Ok(begin)
}

fn unpacked(file: OpenedFile, compression: Compression) -> io::Result<Box<dyn Read + Send>> {
    Ok(match compression {
        Compression::Gzip => Box::new(Members::new(BufReader::with_capacity(CHUNK, file))),
        Compression::Zstd => {
            let mut decoder = zstd::stream::read::Decoder::new(file)?;
            decoder.window_log_max(LARGEST_WINDOW)?;
            Box::new(decoder)
        }
    })
}

fn decoded(text: Box<dyn Read + Send>, encoding: TextEncoding, begin: &[u8]) -> Box<dyn Read + Send> {
    let from = match (encoding, begin) {
        (TextEncoding::Utf8, _) => return text,
        (TextEncoding::Latin1, _) => WINDOWS_1252,
        (TextEncoding::Other(encoding), _) => encoding,
        (TextEncoding::Utf16Be, _) | (_, [0xfe, 0xff, ..]) => UTF_16BE,
        (TextEncoding::Utf16, _) | (_, [0xff, 0xfe, ..]) => UTF_16LE,
        (TextEncoding::ByMark, _) => return text,
    };
    // A byte order mark of UTF-8 belongs to no text in another encoding, and a decoder of UTF-16 takes its own away.
    let decoder = match encoding {
        TextEncoding::Latin1 | TextEncoding::Other(_) => from.new_decoder_without_bom_handling(),
        _ => from.new_decoder_with_bom_removal(),
    };
    Box::new(Decoded::new(text, decoder))
}

/// Text in another encoding, read as UTF-8. Bytes that are no text are an error.
struct Decoded<R> {
    file: R,
    decoder: Decoder,
    /// Bytes of the file that are not decoded yet.
    bytes: Vec<u8>,
    /// Letters that are not handed out yet, from the place in the second field.
    text: Vec<u8>,
    taken: usize,
    rest: Rest,
}

/// Text after the letters at hand.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    Unread,
    Nothing,
    Malformed,
}

impl<R: Read> Decoded<R> {
    fn new(file: R, decoder: Decoder) -> Self {
        Self { file, decoder, bytes: Vec::new(), text: Vec::new(), taken: 0, rest: Rest::Unread }
    }

    /// Decodes the next bytes of the file.
    fn decode(&mut self) -> io::Result<()> {
        self.bytes.clear();
        (&mut self.file).take(CHUNK as u64).read_to_end(&mut self.bytes)?;
        let last = self.bytes.len() < CHUNK;
        let most = self.decoder.max_utf8_buffer_length_without_replacement(self.bytes.len());
        self.text.resize(most.unwrap_or(4 * CHUNK), 0);
        let (result, _, written) = self.decoder.decode_to_utf8_without_replacement(&self.bytes, &mut self.text, last);
        self.text.truncate(written);
        self.taken = 0;
        self.rest = match result {
            DecoderResult::InputEmpty if last => Rest::Nothing,
            DecoderResult::InputEmpty => Rest::Unread,
            // The letters before are handed out first, so that their lines can be counted.
            DecoderResult::OutputFull | DecoderResult::Malformed(..) => Rest::Malformed,
        };
        Ok(())
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.text.len() {
            match self.rest {
                Rest::Unread => self.decode()?,
                Rest::Nothing => return Ok(0),
                Rest::Malformed => return Err(io::ErrorKind::InvalidData.into()),
            }
        }
        let taken = (&self.text[self.taken..]).read(out)?;
        self.taken += taken;
        Ok(taken)
    }
}

/// Damage of a file below its records: unreadable, badly compressed, or no text in its encoding.
pub(crate) fn damage(location: &FileLocation, layout: &TextLayout, format: RowFormat) -> Option<DataError> {
    if format.is_decoded() {
        return programs::damage(location, layout, format);
    }
    let encoding = layout.encoding;
    let file = location.path().to_path_buf();
    let drain =
        |reader: io::Result<Box<dyn Read + Send>>| reader.and_then(|mut text| io::copy(&mut text, &mut io::sink()));
    let raw = location.open().map(|file| Box::new(file) as Box<dyn Read + Send>);
    if let Err(source) = drain(raw) {
        return Some(DataError::Unreadable { file, source });
    }
    let (packed, compression) = compressed(location).ok()?;
    if let Some(compression) = compression
        && drain(unpacked(packed, compression)).is_err()
    {
        return Some(DataError::DamagedCompression { file, compression });
    }
    let mut text = open_text(location, encoding).ok()?;
    // UTF-8 is not decoded here, so a mark has said UTF-16.
    let encoding = if encoding == TextEncoding::ByMark { TextEncoding::Utf16 } else { encoding };
    let (mut line, mut buffer) = (1, vec![0; CHUNK]);
    loop {
        match text.read(&mut buffer) {
            Ok(0) => return None,
            Ok(read) => line += memchr::memchr_iter(b'\n', &buffer[..read]).count() as u64,
            Err(_) => return Some(DataError::NotEncoded { file, line, encoding, fitting: fitting(location) }),
        }
    }
}

/// In which encodings a file can be.
pub(crate) fn fitting(location: &FileLocation) -> FittingEncodings {
    let text = compressed(location).and_then(|(file, compression)| match compression {
        Some(compression) => unpacked(file, compression),
        None => Ok(Box::new(file)),
    });
    text.map_or(FittingEncodings::These(Vec::new()), FittingEncodings::of_text)
}

/// The line, from 1, of the first record at or after a byte of a file's text.
pub(crate) fn line_in(location: &FileLocation, layout: &TextLayout, format: RowFormat, byte: u64) -> u64 {
    let text = open(location, layout, format).map(BufReader::new);
    text.map_or(1, |text| inbounds_input::line_in(text, byte, layout.comment))
}
