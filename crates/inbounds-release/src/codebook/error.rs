//! Why a codebook is not read.

use std::{io, path::PathBuf};

use inbounds_data::DataError;
use thiserror::Error;

/// A codebook that is not read. Codebooks are public, so that errors show what is wrong.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CodebookError {
    /// The file cannot be read.
    #[error("{}: {source}", .path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The file is no text in UTF-8.
    #[error(
        "{name} is no text in UTF-8, as codebooks are that are no .sav, .dta or .xpt file; convert it, such as with \
         `iconv -f LATIN1 -t UTF-8`"
    )]
    NotUtf8 {
        /// The file.
        name: String,
    },
    /// A file of a statistical program whose dictionary cannot be read.
    #[error("the dictionary of {name}: {source}")]
    Dictionary {
        /// The file.
        name: String,
        /// Why.
        source: Box<DataError>,
    },
    /// The file is not what it begins as.
    #[error("{name} is no codebook that can be read: {reason}")]
    Damaged {
        /// The file.
        name: String,
        /// The mistake, and its place.
        reason: String,
    },
    /// A format that is not known.
    #[error(
        "{name} is in no known format of codebooks: {reason}; known are a Frictionless Table Schema or data package, CSV on the \
         Web metadata, DDI Codebook 2.5, a REDCap data dictionary, and a table with the columns \
         variable,type,min,max,values,missing,label,unit of which all but the first may be left out"
    )]
    UnknownFormat {
        /// The file.
        name: String,
        /// The content found instead.
        reason: String,
    },
    /// Several tables are described, and none is called like the data.
    #[error(
        "{name} describes several tables, {tables}, and none of them is the file {data}: rename the file, or write a codebook of one"
    )]
    WhichTable {
        /// The codebook.
        name: String,
        /// Names of the tables.
        tables: String,
        /// The name of the file with rows.
        data: String,
    },
    /// It says nothing.
    #[error("{name} describes no variable")]
    NoVariables {
        /// The file.
        name: String,
    },
    /// It is another file's.
    #[error("{name} describes none of the columns of the data: it has {variables}, and the data have {columns}")]
    OtherData {
        /// The codebook.
        name: String,
        /// Some of its variables.
        variables: String,
        /// Some columns of the data.
        columns: String,
    },
}

impl CodebookError {
    /// A file that is not what it begins as.
    pub(super) fn damaged(name: &str, reason: impl ToString) -> Self {
        Self::Damaged { name: name.to_owned(), reason: reason.to_string() }
    }
}
