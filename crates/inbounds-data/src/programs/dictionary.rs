//! What a file says of its variables: labels, values, codes for missing.

use std::path::Path;

use inbounds_input::{FileLocation, guarded};

use super::{Broken, spss, stata, transport};
use crate::{DataError, Kind, RowFormat};

/// A variable of a file of a statistical program, as its header describes it. No row is read.
///
/// Cells that the file declares missing are read as missing, and none of them is among the values.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DictionaryVariable {
    /// Its name.
    pub name: String,
    /// Its label.
    pub label: Option<String>,
    /// Its kind; none for numbers that need not be whole, since one that is shown without decimals is not whole by that
    /// alone.
    pub kind: Option<Kind>,
    /// Labelled values, in order.
    pub values: Vec<DictionaryValue>,
    /// What the file declares missing, in words: codes, and ranges such as `97 to 99`.
    pub missing: Vec<String>,
}

/// A value with a label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DictionaryValue {
    /// The value, as its cells are read.
    pub code: String,
    /// Its label.
    pub label: String,
}

/// The variables of a file, in order; `None` for a format that describes none.
///
/// # Errors
/// [`DataError::DamagedProgramFile`], or [`DataError::Unreadable`].
pub fn dictionary(path: &Path) -> Result<Option<Vec<DictionaryVariable>>, DataError> {
    let Some(format) = RowFormat::of(path) else { return Ok(None) };
    let location = FileLocation::from(path);
    let read = match format {
        RowFormat::Spss => spss::dictionary,
        RowFormat::Stata => stata::dictionary,
        RowFormat::SasTransport => transport::dictionary,
        _ => return Ok(None),
    };
    let unreadable = |source| DataError::Unreadable { file: path.to_path_buf(), source };
    let file = location.open().map_err(unreadable)?;
    let found = guarded(|| read(file)).unwrap_or(Err(Broken::Damaged));
    found.map(Some).map_err(|broken| broken.error(&location, format))
}
