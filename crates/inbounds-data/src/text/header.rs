//! The header of delimited text: public names, or a first row in their place.
//!
//! A header is trusted to be one, so what can be told from the first line is checked: data in the place of the header would
//! otherwise turn up as column names in messages.

use std::path::Path;

use inbounds_input::FileLocation;

use super::{FittingEncodings, TextLayout, damage, open};
use crate::{DataError, RowFormat};

/// What separates fields in files that people have.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The names in the first line of a file.
pub(crate) fn header(
    location: &FileLocation,
    layout: &TextLayout,
    format: RowFormat,
) -> Result<Vec<String>, DataError> {
    let (path, dialect) = (location.path(), layout.dialect(format));
    let unreadable = |source| {
        let file = path.to_path_buf();
        damage(location, layout.encoding).unwrap_or(DataError::Unreadable { file, source })
    };
    let refuse = |problem: String| DataError::CsvHeader { file: path.to_path_buf(), problem };
    let text = open(location, layout.encoding).map_err(unreadable)?;
    let mut record = csv::ByteRecord::new();
    let found = dialect.reader(text).read_byte_record(&mut record).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(source) => unreadable(source),
        _ => refuse("it cannot be read as CSV".to_owned()),
    })?;
    if !found {
        return Err(refuse("the file is empty".to_owned()));
    }
    let mut names = Vec::with_capacity(record.len());
    for (index, field) in record.iter().enumerate() {
        let name = std::str::from_utf8(field).map_err(|_| DataError::HeaderNotUtf8 {
            file: path.to_path_buf(),
            field: index + 1,
            fitting: FittingEncodings::of_lines(&record),
        })?;
        let name = if index == 0 { name.trim_start_matches('\u{feff}') } else { name };
        if name.chars().any(|sign| sign.is_control() && !matches!(sign, '\n' | '\r' | '\t')) {
            let problem =
                format!("field {} holds signs that no text has: name the `encoding`, such as \"utf-16\"", index + 1);
            return Err(refuse(problem));
        }
        if name.trim().parse::<f64>().is_ok() {
            return Err(refuse(format!("field {} is a number", index + 1)));
        }
        // pandas writes its index under an empty name.
        names.push(if name.is_empty() { format!("(unnamed {})", index + 1) } else { name.to_owned() });
    }
    for (index, name) in names.iter().enumerate() {
        if let Some(first) = names[..index].iter().position(|earlier| earlier == name) {
            return Err(refuse(format!("fields {} and {} are the same", first + 1, index + 1)));
        }
    }
    match (layout.separator, &names[..]) {
        (None, [name]) => other_separator(path, name, dialect.separator),
        _ => Ok(()),
    }?;
    Ok(names)
}

/// Refuses one column whose name seems to be several, unless the separator was given.
fn other_separator(path: &Path, name: &str, expected: u8) -> Result<(), DataError> {
    match SEPARATORS.into_iter().find(|&other| other != expected && name.as_bytes().contains(&other)) {
        None => Ok(()),
        Some(separator) => Err(DataError::OtherSeparator { file: path.to_path_buf(), expected, separator }),
    }
}
