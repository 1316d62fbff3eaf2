//! `.xpt`, the transport format of SAS, versions 5 and 8.

use std::io::BufReader;

use encoding_rs::WINDOWS_1252;
use inbounds_input::OpenedFile;
use sas_xport::sas::SasVariableType;
use sas_xport::sas::xport::{XportDataset, XportError, XportReader, XportValue, XportVariable};

use super::broken::Broken;
use super::cells::{Cells, DAYS_SINCE_1960, SECONDS_SINCE_1960};
use super::dictionary::DictionaryVariable;
use crate::Kind;

/// Formats of SAS that show a number of days as a date.
const DATES: [&str; 22] = [
    "B8601DA", "DATE", "DAY", "DDMMYY", "DOWNAME", "E8601DA", "JULDAY", "JULIAN", "MMDDYY", "MMYY", "MONNAME", "MONTH",
    "MONYY", "NENGO", "QTR", "QTRR", "WEEKDATE", "WEEKDATX", "WORDDATE", "WORDDATX", "YYMMDD", "YYMON",
];
/// Formats that show a number of seconds as a moment.
const MOMENTS: [&str; 5] = ["B8601DT", "DATEAMPM", "DATETIME", "E8601DT", "TOD"];

impl From<XportError> for Broken {
    fn from(_: XportError) -> Self {
        Self::Damaged
    }
}

/// Display format by which the numbers of a variable are read.
#[derive(Clone, Copy, PartialEq)]
enum Shown {
    Number,
    Day,
    Moment,
}

fn shown(variable: &XportVariable) -> Shown {
    let format =
        variable.full_format().trim_end_matches(|sign: char| sign.is_ascii_digit() || sign == '.').to_uppercase();
    match format.as_str() {
        // `TOD` shows the time of a moment, and its number may be one of a day alone.
        format if format != "TOD" && MOMENTS.contains(&format) => Shown::Moment,
        format if DATES.contains(&format) => Shown::Day,
        _ => Shown::Number,
    }
}

/// Bytes of a record: a file has whole ones.
const RECORD: u64 = 80;

/// The first table of a file. Letters that are no UTF-8 are those of Windows, as SAS writes them there.
fn opened(file: OpenedFile) -> Result<XportDataset<BufReader<OpenedFile>>, Broken> {
    if !file.length()?.is_multiple_of(RECORD) {
        return Err(Broken::Damaged);
    }
    let mut options = XportReader::options();
    options.add_fallback_encoding(WINDOWS_1252);
    options.from_reader(BufReader::new(file))?.next_dataset()?.ok_or(Broken::Damaged)
}

/// Writes the rows of the first table of a file. All kinds of missing numbers are missing cells.
pub(super) fn rows(file: OpenedFile, cells: &mut Cells) -> Result<(), Broken> {
    let mut table = opened(file)?;
    let variables = table.schema().variables();
    variables.iter().for_each(|variable| cells.text(variable.full_name()));
    let shown: Vec<Shown> = variables.iter().map(shown).collect();
    cells.end_row()?;
    while let Some(record) = table.next_record()? {
        for (value, shown) in record.iter().zip(&shown) {
            match (value, shown) {
                (XportValue::Character(text), _) => cells.text(text.trim_end()),
                (XportValue::Number(number), _) if number.is_nan() => cells.missing(),
                (XportValue::Number(number), Shown::Number) => cells.number(*number),
                (XportValue::Number(days), Shown::Day) => cells.day(days - DAYS_SINCE_1960),
                (XportValue::Number(seconds), Shown::Moment) => cells.moment(seconds - SECONDS_SINCE_1960),
            }
        }
        cells.end_row()?;
    }
    Ok(())
}

/// The variables of the first table of a file. The format has no values and no codes for missing.
pub(super) fn dictionary(file: OpenedFile) -> Result<Vec<DictionaryVariable>, Broken> {
    let described = |variable: &XportVariable| {
        let kind = match (variable.value_type(), shown(variable)) {
            (SasVariableType::Character, _) => Some(Kind::Text),
            (SasVariableType::Numeric, Shown::Day | Shown::Moment) => Some(Kind::Date),
            (SasVariableType::Numeric, Shown::Number) => None,
        };
        let label = Some(variable.full_label().trim().to_owned()).filter(|label| !label.is_empty());
        DictionaryVariable { name: variable.full_name().to_owned(), label, kind, ..DictionaryVariable::default() }
    };
    Ok(opened(file)?.schema().variables().iter().map(described).collect())
}
