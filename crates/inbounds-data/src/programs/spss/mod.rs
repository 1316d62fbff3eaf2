//! `.sav` and `.zsav` of SPSS, by the description of the format in the manual of PSPP.
//!
//! The dictionary comes first: [`header`] reads it record by record. Behind it are the rows, each a sequence of
//! elements of eight bytes, which [`elements`] unpacks. A text takes several elements, and one of more than 255 bytes
//! several variables.

mod bytes;
mod elements;
mod header;

use std::io::BufReader;

use inbounds_input::OpenedFile;

use self::bytes::Element;
use self::elements::Elements;
use self::header::{Header, Shown, Variable, Width};
use super::broken::Broken;
use super::cells::{Cells, moment_text, number_text};
use super::dictionary::{DictionaryValue, DictionaryVariable};
use crate::Kind;

/// Seconds from the beginning of the Gregorian calendar, on which SPSS counts, to 1970.
const SECONDS: f64 = 12_219_379_200.0;

/// Writes the rows of a file. What the file declares missing are missing cells.
pub(super) fn rows(file: OpenedFile, cells: &mut Cells) -> Result<(), Broken> {
    let mut file = BufReader::new(file);
    let header = Header::read(&mut file)?;
    header.variables.iter().for_each(|variable| cells.text(&variable.name));
    cells.end_row()?;
    let mut elements = Elements::new(file, &header)?;
    let mut row = 0_u64;
    let mut bytes = Vec::new();
    while let Some(first) = elements.next()? {
        let mut first = Some(first);
        for variable in &header.variables {
            let mut element = || match first.take() {
                Some(first) => Ok(first),
                None => elements.next()?.ok_or(Broken::Damaged),
            };
            match &variable.width {
                Width::Number => write(header.number(element()?), variable, cells),
                Width::Text(parts) => {
                    bytes.clear();
                    for part in parts {
                        let begin = bytes.len();
                        for _ in 0..part.elements {
                            bytes.extend(element()?);
                        }
                        bytes.truncate(begin + part.bytes);
                    }
                    let text = header.cell(&bytes)?;
                    match variable.missing.iter().any(|missing| missing.is_text(&text)) {
                        true => cells.missing(),
                        false => cells.text(&text),
                    }
                }
            }
        }
        cells.end_row()?;
        row += 1;
    }
    match header.rows {
        Some(rows) if rows != row => Err(Broken::Damaged),
        _ => Ok(()),
    }
}

fn write(number: f64, variable: &Variable, cells: &mut Cells) {
    if is_system_missing(number) || variable.missing.iter().any(|missing| missing.is_number(number)) {
        return cells.missing();
    }
    match variable.shown {
        Shown::Moment => cells.moment(number - SECONDS),
        Shown::Number => cells.number(number),
    }
}

fn is_system_missing(number: f64) -> bool {
    number == f64::MIN || !number.is_finite()
}

/// The variables of a file.
pub(super) fn dictionary(file: OpenedFile) -> Result<Vec<DictionaryVariable>, Broken> {
    let header = Header::read(&mut BufReader::new(file))?;
    let described = |variable: &Variable| {
        let kind = match (&variable.width, variable.shown) {
            (Width::Text(_), _) => Some(Kind::Text),
            (Width::Number, Shown::Moment) => Some(Kind::Date),
            // Numbers are stored alike whether or not they are whole, and decimals are those of the screen.
            (Width::Number, Shown::Number) => None,
        };
        let is_missing = |code: &Element| match variable.width {
            Width::Number => variable.missing.iter().any(|missing| missing.is_number(header.number(*code))),
            Width::Text(_) => variable.missing.iter().any(|missing| missing.is_text(&header.text(code))),
        };
        let code_of = |code: &Element| match (&variable.width, variable.shown) {
            (Width::Text(_), _) => header.text(code),
            (_, Shown::Moment) => moment_text(header.number(*code) - SECONDS).unwrap_or_default(),
            (_, Shown::Number) => number_text(header.number(*code)),
        };
        let values = variable.labels.iter().filter(|(code, _)| !is_missing(code));
        let values = values.map(|(code, label)| DictionaryValue { code: code_of(code), label: label.clone() });
        let (name, label) = (variable.name.clone(), variable.label.clone());
        DictionaryVariable { name, label, kind, values: values.collect(), missing: variable.missing.clone() }
    };
    Ok(header.variables.iter().map(described).collect())
}
