//! The dictionary of a file, record by record.

use std::collections::HashMap;
use std::io::{self, Read};

use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

use super::super::broken::Broken;
use super::super::dictionary::DeclaredMissing;
use super::bytes::{Element, take};

/// Most bytes of half a letter.
const HALF: usize = 3;

/// Bytes of a text in one variable, and of the texts in it where several variables hold one.
const PART: usize = 255;
/// The same without the last bytes, by which the number of variables is counted.
const COUNTED: usize = 252;

/// Formats that show a number of seconds as a date, or as a date and a time.
const MOMENTS: [u8; 10] = [20, 22, 23, 24, 28, 29, 30, 38, 39, 41];

/// Packing of rows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Compression {
    None,
    Codes,
    Zlib,
}

/// The dictionary of a file.
pub(super) struct Header {
    pub(super) compression: Compression,
    /// Number that is added to small whole numbers to make a code of them.
    pub(super) bias: f64,
    /// True where the first byte of a number is the most significant one.
    pub(super) is_big: bool,
    /// Number of rows, where the file says it.
    pub(super) rows: Option<u64>,
    pub(super) variables: Vec<Variable>,
    encoding: &'static Encoding,
}

/// A variable, which may take several of those that the file stores.
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) label: Option<String>,
    pub(super) width: Width,
    pub(super) shown: Shown,
    pub(super) missing: Vec<DeclaredMissing>,
    pub(super) labels: Vec<(Element, String)>,
}

/// Type of a variable: a number, or a text in parts.
pub(super) enum Width {
    Number,
    /// A text, in the parts that the file stores.
    Text(Vec<Part>),
}

/// A part of a text.
#[derive(Clone, Copy)]
pub(super) struct Part {
    /// Bytes of the text in it.
    pub(super) bytes: usize,
    /// Elements that it takes.
    pub(super) elements: usize,
}

/// Display format of a number.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Shown {
    Number,
    Moment,
}

/// A variable as the file stores it.
struct Stored {
    /// The name of at most eight bytes.
    name: Vec<u8>,
    label: Option<Vec<u8>>,
    /// Bytes of a text; none of a number.
    width: Option<usize>,
    format: u8,
    /// One of a range and then of single values, as the file says.
    is_range: bool,
    missing: Vec<Element>,
    labels: Vec<(Element, Vec<u8>)>,
}

/// Records that stand behind the variables.
#[derive(Default)]
struct Extensions {
    encoding: Option<&'static Encoding>,
    /// Long names by names of at most eight bytes, in the encoding of the file.
    names: HashMap<Vec<u8>, Vec<u8>>,
    /// Bytes of texts that take several variables, by the name of the first one.
    widths: HashMap<Vec<u8>, usize>,
    /// Values of texts of more than eight bytes that are declared missing, by name.
    missing: HashMap<Vec<u8>, Vec<Vec<u8>>>,
    rows: Option<u64>,
}

impl Header {
    /// Reads a dictionary, up to the first row.
    pub(super) fn read(file: &mut impl Read) -> Result<Self, Broken> {
        let magic: [u8; 4] = take(file)?;
        if magic != *b"$FL2" && magic != *b"$FL3" {
            return Err(Broken::Damaged);
        }
        let _program: [u8; 60] = take(file)?;
        // Its bytes tell in which order all others are.
        let is_big = match take(file)? {
            [2 | 3, 0, 0, 0] => false,
            [0, 0, 0, 2 | 3] => true,
            _ => return Err(Broken::Damaged),
        };
        let numbers = Numbers { is_big };
        let _elements_a_row: [u8; 4] = take(file)?;
        let compression = match (numbers.int(file)?, magic == *b"$FL3") {
            (0, _) => Compression::None,
            (1, false) => Compression::Codes,
            (2, true) => Compression::Zlib,
            _ => return Err(Broken::Damaged),
        };
        let _weight: [u8; 4] = take(file)?;
        let rows = u64::try_from(numbers.int(file)?).ok();
        let bias = numbers.float(take(file)?);
        let _dates_and_label: [u8; 84] = take(file)?;
        let (stored, extensions) = numbers.records(file)?;
        let encoding = extensions.encoding.unwrap_or(WINDOWS_1252);
        let rows = extensions.rows.or(rows);
        let variables =
            joined(stored, &extensions, |bytes| decoded(encoding, bytes), |element| numbers.float(element))?;
        Ok(Self { compression, bias, is_big, rows, variables, encoding })
    }

    pub(super) fn number(&self, element: Element) -> f64 {
        Numbers { is_big: self.is_big }.float(element)
    }

    pub(super) fn long(&self, element: Element) -> i64 {
        if self.is_big { i64::from_be_bytes(element) } else { i64::from_le_bytes(element) }
    }

    pub(super) fn text(&self, bytes: &[u8]) -> String {
        decoded(self.encoding, bytes)
    }

    /// The text of a cell. SPSS cuts texts at bytes, so that the last letter may be half of one; no other may.
    pub(super) fn cell(&self, bytes: &[u8]) -> Result<String, Broken> {
        let end = bytes.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |last| last + 1);
        let decoded = (0..=HALF.min(end))
            .find_map(|cut| self.encoding.decode_without_bom_handling_and_without_replacement(&bytes[..end - cut]));
        decoded.map(|text| text.trim_end_matches(['\0', ' ']).to_owned()).ok_or(Broken::Letters)
    }
}

/// A text without the blanks behind it. SPSS cuts texts at bytes, so that the last letter may be half of one.
fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> String {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    text.trim_end_matches(['\0', ' ', char::REPLACEMENT_CHARACTER]).to_owned()
}

/// Variables of the files joined to those of people.
fn joined(
    stored: Vec<(usize, Stored)>,
    extensions: &Extensions,
    text: impl Fn(&[u8]) -> String,
    number: impl Fn(Element) -> f64,
) -> Result<Vec<Variable>, Broken> {
    let mut variables = Vec::new();
    let mut stored = stored.into_iter().map(|(_, stored)| stored);
    while let Some(first) = stored.next() {
        let width = match (first.width, extensions.widths.get(&first.name)) {
            (None, _) => Width::Number,
            (Some(bytes), None) => Width::Text(vec![part(bytes, bytes)]),
            (Some(bytes), Some(&length)) if length <= PART => Width::Text(vec![part(bytes, length.min(bytes))]),
            (Some(bytes), Some(&length)) => {
                let mut parts = vec![part(bytes, PART.min(bytes))];
                for _ in 1..length.div_ceil(COUNTED) {
                    let bytes = stored.next().and_then(|next| next.width).ok_or(Broken::Damaged)?;
                    let left = length.saturating_sub(parts.iter().map(|part| part.bytes).sum());
                    parts.push(part(bytes, left.min(PART).min(bytes)));
                }
                Width::Text(parts)
            }
        };
        let missing = match (&width, &first.missing[..]) {
            (Width::Text(_), single) => {
                let long = extensions.missing.get(&first.name).into_iter().flatten();
                single
                    .iter()
                    .map(|value| &value[..])
                    .chain(long.map(Vec::as_slice))
                    .map(|value| DeclaredMissing::Text(text(value)))
                    .collect()
            }
            (Width::Number, [least, largest, single @ ..]) if first.is_range => {
                let range = DeclaredMissing::Range(number(*least), number(*largest));
                [range].into_iter().chain(single.iter().map(|value| DeclaredMissing::Number(number(*value)))).collect()
            }
            (Width::Number, single) => single.iter().map(|value| DeclaredMissing::Number(number(*value))).collect(),
        };
        let name = extensions.names.get(&first.name).unwrap_or(&first.name);
        let shown = if MOMENTS.contains(&first.format) { Shown::Moment } else { Shown::Number };
        let label = first.label.map(|label| text(&label)).filter(|label| !label.is_empty());
        let labels = first.labels.iter().map(|(value, label)| (*value, text(label))).collect();
        variables.push(Variable { name: text(name), label, width, shown, missing, labels });
    }
    Ok(variables)
}

/// A part of a text: its number of bytes in the file, and how many of them are text.
fn part(stored: usize, bytes: usize) -> Part {
    Part { bytes, elements: stored.div_ceil(8) }
}

/// The order of the bytes of numbers.
#[derive(Clone, Copy)]
struct Numbers {
    is_big: bool,
}

impl Numbers {
    fn int(self, file: &mut impl Read) -> Result<i32, Broken> {
        let bytes = take(file)?;
        Ok(if self.is_big { i32::from_be_bytes(bytes) } else { i32::from_le_bytes(bytes) })
    }

    fn float(self, element: Element) -> f64 {
        if self.is_big { f64::from_be_bytes(element) } else { f64::from_le_bytes(element) }
    }

    /// A number of things that is not negative.
    fn count(self, file: &mut impl Read) -> Result<usize, Broken> {
        usize::try_from(self.int(file)?).map_err(|_| Broken::Damaged)
    }

    /// Records up to the one that ends a dictionary. A stored variable has the place of its first element, by which
    /// labels refer to it.
    fn records(self, file: &mut impl Read) -> Result<(Vec<(usize, Stored)>, Extensions), Broken> {
        let (mut stored, mut extensions) = (Vec::new(), Extensions::default());
        let mut elements = 0;
        loop {
            match self.int(file)? {
                2 => {
                    elements += 1;
                    if let Some(variable) = self.variable(file)? {
                        stored.push((elements, variable));
                    }
                }
                3 => self.labels(file, &mut stored)?,
                6 => {
                    let lines = self.count(file)?;
                    bytes(file, lines.saturating_mul(80))?;
                }
                7 => self.extension(file, &mut extensions)?,
                999 => {
                    let _filler = self.int(file)?;
                    return Ok((stored, extensions));
                }
                _ => return Err(Broken::Damaged),
            }
        }
    }

    /// A variable; none for a further element of a text.
    fn variable(self, file: &mut impl Read) -> Result<Option<Stored>, Broken> {
        let width = self.int(file)?;
        let (has_label, missing) = (self.int(file)?, self.int(file)?);
        let [_, format, ..] = self.int(file)?.to_be_bytes();
        let _written: [u8; 4] = take(file)?;
        let name: [u8; 8] = take(file)?;
        let label = match has_label {
            0 => None,
            1 => {
                let length = self.count(file)?;
                let mut label = bytes(file, length.next_multiple_of(4))?;
                label.truncate(length);
                Some(label)
            }
            _ => return Err(Broken::Damaged),
        };
        if !(-3..=3).contains(&missing) {
            return Err(Broken::Damaged);
        }
        let values = (0..missing.unsigned_abs()).map(|_| take(file)).collect::<Result<_, _>>()?;
        let width = match width {
            -1 => return Ok(None),
            0 => None,
            1..=255 => usize::try_from(width).ok(),
            _ => return Err(Broken::Damaged),
        };
        let name = trimmed(&name);
        let is_range = missing <= -2;
        Ok(Some(Stored { name, label, width, format, is_range, missing: values, labels: Vec::new() }))
    }

    /// Labels of values, and the variables that have them.
    fn labels(self, file: &mut impl Read, stored: &mut [(usize, Stored)]) -> Result<(), Broken> {
        let mut labels = Vec::new();
        for _ in 0..self.count(file)? {
            let value = take(file)?;
            let [length] = take(file)?;
            let length = usize::from(length);
            let mut label = bytes(file, (length + 1).next_multiple_of(8) - 1)?;
            label.truncate(length);
            labels.push((value, label));
        }
        if self.int(file)? != 4 {
            return Err(Broken::Damaged);
        }
        for _ in 0..self.count(file)? {
            let place = self.count(file)?;
            let (_, variable) = stored.iter_mut().find(|(first, _)| *first == place).ok_or(Broken::Damaged)?;
            variable.labels.clone_from(&labels);
        }
        Ok(())
    }

    fn extension(self, file: &mut impl Read, extensions: &mut Extensions) -> Result<(), Broken> {
        let (kind, size, count) = (self.int(file)?, self.count(file)?, self.count(file)?);
        let data = bytes(file, size.checked_mul(count).ok_or(Broken::Damaged)?)?;
        let mut rest = &data[..];
        match kind {
            // Of eight numbers the last one is a code page.
            3 if count >= 8 && size == 4 && extensions.encoding.is_none() => {
                let page = self.int(&mut &data[28..])?;
                extensions.encoding = match page {
                    65001 => Some(UTF_8),
                    28591..=28605 => Encoding::for_label(format!("iso-8859-{}", page - 28590).as_bytes()),
                    // Old files say 2 for ASCII and 3 for that of the machine.
                    page => Encoding::for_label(format!("windows-{page}").as_bytes()),
                };
            }
            13 => {
                let pairs = data.split(|byte| *byte == b'\t').filter_map(|pair| split_once(pair, b'='));
                extensions.names = pairs.map(|(short, long)| (trimmed(short), trimmed(long))).collect();
            }
            14 => {
                let pairs = data.split(|byte| *byte == 0).filter_map(|pair| split_once(trimmed_start(pair), b'='));
                for (short, width) in pairs {
                    let width = std::str::from_utf8(width)
                        .ok()
                        .and_then(|width| width.trim_matches(['\0', ' ', '\t']).parse().ok());
                    extensions.widths.insert(trimmed(short), width.ok_or(Broken::Damaged)?);
                }
            }
            16 if size == 8 && count == 2 => {
                let rows: Element = take(&mut &data[8..])?;
                let rows = if self.is_big { i64::from_be_bytes(rows) } else { i64::from_le_bytes(rows) };
                extensions.rows = u64::try_from(rows).ok();
            }
            20 => extensions.encoding = Encoding::for_label(&data).or(extensions.encoding),
            22 => {
                while !rest.is_empty() {
                    let length = self.count(&mut rest)?;
                    let name = trimmed(&bytes(&mut rest, length)?);
                    let [values] = take(&mut rest)?;
                    let length = self.count(&mut rest)?;
                    let values = (0..values).map(|_| bytes(&mut rest, length)).collect::<Result<_, _>>()?;
                    extensions.missing.insert(name, values);
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// So many bytes. What a damaged file asks for and does not have takes no memory.
fn bytes(file: &mut impl Read, length: usize) -> Result<Vec<u8>, Broken> {
    let mut bytes = Vec::new();
    let read = file.take(length as u64).read_to_end(&mut bytes)?;
    if read == length { Ok(bytes) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()) }
}

fn split_once(pair: &[u8], sign: u8) -> Option<(&[u8], &[u8])> {
    let place = pair.iter().position(|byte| *byte == sign)?;
    Some((&pair[..place], &pair[place + 1..]))
}

fn trimmed(name: &[u8]) -> Vec<u8> {
    let end = name.iter().rposition(|byte| !matches!(byte, b' ' | 0)).map_or(0, |place| place + 1);
    name[..end].to_vec()
}

/// A name without the tabs before it, which part it from the entry before.
fn trimmed_start(name: &[u8]) -> &[u8] {
    let begin = name.iter().position(|byte| !matches!(byte, b'\t' | b' ')).unwrap_or(name.len());
    &name[begin..]
}
