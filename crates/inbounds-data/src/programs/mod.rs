//! Files of statistical programs and of spreadsheets, read as the text of their cells.
//!
//! Each becomes delimited text: names of the variables, then a line for each row. So the declared kind of a column
//! alone decides how its cells are read, as in CSV, and nothing else has to know of these formats. A file is decoded on
//! a thread of its own: what a reader panics on is damage, and lines are read while the next ones are decoded.

mod broken;
mod cells;
mod dictionary;
mod sheets;
mod spss;
mod stata;
mod transport;

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use inbounds_input::{FileLocation, OpenedFile, guarded};

use self::broken::Broken;
use self::cells::{Cells, DecoderOutput};
pub use self::dictionary::{DeclaredMissing, DictionaryValue, DictionaryVariable};
use crate::{DataError, RowFormat, TextLayout};

/// Most chunks of text that wait to be read.
const WAITING: usize = 4;

/// The text of a file: a header, and a line for each row, with commas between cells.
pub(crate) fn open(
    location: &FileLocation,
    layout: &TextLayout,
    format: RowFormat,
) -> io::Result<Box<dyn Read + Send>> {
    let file = location.open()?;
    let layout = layout.clone();
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    let decode = move || {
        let mut cells = Cells::new(sender.clone());
        let ended = rows(file, format, &layout, &mut cells).and_then(|()| cells.finish());
        // A reader that has stopped needs no error.
        drop(sender.send(DecoderOutput::End(ended)));
    };
    thread::Builder::new().name("decoder".to_owned()).spawn(decode)?;
    Ok(Box::new(Text { receiver, chunk: Cursor::default(), is_over: false }))
}

/// The damage of a file, if it has any.
pub(crate) fn damage(location: &FileLocation, layout: &TextLayout, format: RowFormat) -> Option<DataError> {
    let broken = |broken: Broken| Some(broken.error(location, format));
    let mut text = match open(location, layout, format) {
        Ok(text) => text,
        Err(error) => return broken(error.into()),
    };
    match io::copy(&mut text, &mut io::sink()) {
        Ok(_) => None,
        Err(error) => broken(match error.get_ref().and_then(|inner| inner.downcast_ref::<Broken>()) {
            Some(why) => why.clone(),
            None => Broken::Damaged,
        }),
    }
}

/// The variables of a file, in order; `None` for a format that describes none.
///
/// # Errors
/// [`DataError::DamagedProgramFile`], or [`DataError::Unreadable`].
pub fn dictionary(path: &Path) -> Result<Option<Vec<DictionaryVariable>>, DataError> {
    let Some(format) = RowFormat::from_path(path) else { return Ok(None) };
    let location = FileLocation::from(path);
    let read = match format {
        RowFormat::Spss => spss::dictionary,
        RowFormat::Stata => stata::dictionary,
        RowFormat::SasTransport => transport::dictionary,
        _ => return Ok(None),
    };
    let unreadable = |source| DataError::Unreadable { file: path.to_path_buf(), source };
    let file = location.open().map_err(unreadable)?;
    let variables = guarded(|| read(file)).unwrap_or(Err(Broken::Damaged));
    variables.map(Some).map_err(|broken| broken.error(&location, format))
}

fn rows(file: OpenedFile, format: RowFormat, layout: &TextLayout, cells: &mut Cells) -> Result<(), Broken> {
    match format {
        RowFormat::Spss => spss::rows(file, cells),
        RowFormat::Stata => stata::rows(file, cells),
        RowFormat::SasTransport => transport::rows(file, cells),
        RowFormat::Excel | RowFormat::OpenDocument => sheets::rows(file, format, layout, cells),
        RowFormat::Csv
        | RowFormat::Tsv
        | RowFormat::JsonLines
        | RowFormat::Arrow
        | RowFormat::Parquet
        | RowFormat::Memory => unreachable!("{format} is not decoded here"),
    }
}

/// Text as it is decoded.
struct Text {
    receiver: Receiver<DecoderOutput>,
    chunk: Cursor<Vec<u8>>,
    is_over: bool,
}

impl Read for Text {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.chunk.read(out)? {
                0 if out.is_empty() || self.is_over => return Ok(0),
                0 => {}
                read => return Ok(read),
            }
            match self.receiver.recv() {
                Ok(DecoderOutput::Text(text)) => self.chunk = Cursor::new(text),
                Ok(DecoderOutput::End(Ok(()))) => self.is_over = true,
                Ok(DecoderOutput::End(Err(broken))) => return Err(broken.into_error()),
                // The decoder is gone without a word: it panicked.
                Err(_) => return Err(Broken::Damaged.into_error()),
            }
        }
    }
}

#[cfg(test)]
mod tests;
