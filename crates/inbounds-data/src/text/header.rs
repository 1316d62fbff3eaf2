//! The header of delimited text: public names, or a first row in their place.
//!
//! A header is trusted to be one, so what can be told from the first line is checked: data in the place of the header
//! would otherwise turn up as column names in messages.

use std::collections::HashMap;
use std::path::Path;

use inbounds_input::FileLocation;

use super::{FittingEncodings, RowText, TextLayout, damage, open_rows};
use crate::{DataError, RowFormat, nfc};

/// Usual separators of fields.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The first record of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// The names of its columns, each once: a name that stands in several columns has their number behind it.
    pub(crate) names: Vec<String>,
    /// The separator that the file names.
    pub(crate) separator: Option<u8>,
}

/// The names in the first record of a file, below the lines that are left out.
pub(crate) fn header(location: &FileLocation, layout: &TextLayout, format: RowFormat) -> Result<Header, DataError> {
    let path = location.path();
    let unreadable = |source| {
        let file = path.to_path_buf();
        damage(location, layout, format).unwrap_or(DataError::Unreadable { file, source })
    };
    let refuse = |problem: String| DataError::CsvHeader { file: path.to_path_buf(), problem };
    let RowText { text, separator, .. } = open_rows(location, layout, format).map_err(unreadable)?;
    let dialect = TextLayout { separator: layout.separator.or(separator), ..layout.clone() }.dialect(format);
    let mut record = csv::ByteRecord::new();
    let has_record = dialect.reader(text).read_byte_record(&mut record).map_err(|error| match error.into_kind() {
        csv::ErrorKind::Io(source) => unreadable(source),
        _ => refuse("it cannot be read as CSV".to_owned()),
    })?;
    if !has_record {
        let left_out = layout.skip > 0 || layout.footer > 0;
        let why = if left_out { "`skip` and `footer` leave no line of the file" } else { "the file is empty" };
        return Err(refuse(why.to_owned()));
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
        let name = nfc(name.trim());
        if !layout.header && name.parse::<f64>().is_ok() {
            return Err(refuse(format!(
                "field {} is a number; if it is the name of a column, such as a year, write `header = true` in \
                    [data] (or `--header` \
                 behind `plan init`)",
                index + 1
            )));
        }
        // pandas writes its index under an empty name.
        names.push(if name.is_empty() { format!("(unnamed {})", index + 1) } else { name.into_owned() });
    }
    let names = apart(names);
    match (layout.separator.or(separator), &names[..]) {
        (None, [name]) if format.has_separators() => other_separator(path, name, dialect.separator),
        _ => Ok(()),
    }?;
    Ok(Header { names, separator })
}

/// Names of columns, with the number of the column behind each that several have: which of them is meant matters only
/// to a plan that
/// uses one.
fn apart(names: Vec<String>) -> Vec<String> {
    let mut times: HashMap<&str, usize> = HashMap::with_capacity(names.len());
    names.iter().for_each(|name| *times.entry(name).or_default() += 1);
    let one = |(index, name): (usize, &String)| match times.get(name.as_str()) {
        Some(2..) => numbered(name, index + 1),
        _ => name.clone(),
    };
    names.iter().enumerate().map(one).collect()
}

/// Name of one of several columns with the same name.
fn numbered(name: &str, column: usize) -> String {
    format!("{name} (column {column})")
}

/// Refuses one column whose name seems to be several, unless the separator was given.
fn other_separator(path: &Path, name: &str, expected: u8) -> Result<(), DataError> {
    match SEPARATORS.into_iter().find(|&other| other != expected && name.as_bytes().contains(&other)) {
        None => Ok(()),
        Some(separator) => Err(DataError::OtherSeparator { file: path.to_path_buf(), expected, separator }),
    }
}
