//! Why a file gives no more rows.

use std::error::Error;
use std::fmt;
use std::io;

use inbounds_input::FileLocation;

use crate::{DataError, RowFormat};

/// Why a file gives no more rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The reader has stopped.
    Unread,
    /// The file is not what its format says, or ends too early.
    Damaged,
    /// Bytes that are no letters in the encoding of the file.
    Letters,
    /// The disk or the store.
    Unreadable(io::ErrorKind),
    /// The workbook has no sheet of that name, but these.
    NoSheet { sheet: String, sheets: Vec<String> },
    /// The workbook can be read with its password alone.
    Password,
}

impl Broken {
    /// The error of a file.
    pub(super) fn error(self, location: &FileLocation, format: RowFormat) -> DataError {
        let file = location.path().to_path_buf();
        match self {
            Self::NoSheet { sheet, sheets } => DataError::NoSheet { file, sheet, sheets },
            Self::Password => DataError::Password { file },
            Self::Letters => DataError::ProgramFileLetters { file, format },
            Self::Unreadable(kind) => DataError::Unreadable { file, source: kind.into() },
            Self::Unread | Self::Damaged => DataError::DamagedProgramFile { file, format },
        }
    }
}

impl Broken {
    /// The same on its way through a reader of text.
    pub(super) fn into_error(self) -> io::Error {
        io::Error::new(io::ErrorKind::InvalidData, self)
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the file has no more rows")
    }
}

impl Error for Broken {}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => Self::Damaged,
            kind => Self::Unreadable(kind),
        }
    }
}
