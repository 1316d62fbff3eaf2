//! `.dta` of Stata, all versions since 4.

mod lengths;

use std::io::BufReader;

use dta::stata::dta::characteristic_reader::CharacteristicReader;
use dta::stata::dta::dta_error::DtaError;
use dta::stata::dta::dta_reader::DtaReader;
use dta::stata::dta::long_string_table::LongStringTable;
use dta::stata::dta::value::Value;
use dta::stata::dta::value_label_table::ValueLabelTable;
use dta::stata::dta::variable::Variable;
use dta::stata::dta::variable_type::VariableType;
use dta::stata::temporal::kind::TemporalKind;
use inbounds_input::OpenedFile;

use super::broken::Broken;
use super::cells::{Cells, DAYS_SINCE_1960, SECONDS_SINCE_1960};
use super::dictionary::{DictionaryValue, DictionaryVariable};
use crate::Kind;

/// Months and quarters from the beginning of 1960 to 1970.
const MONTHS: i32 = 120;
const QUARTERS: i32 = 40;

impl From<DtaError> for Broken {
    fn from(error: DtaError) -> Self {
        match error {
            DtaError::Io { source, .. } => source.into(),
            _ => Self::Damaged,
        }
    }
}

/// A file behind the description of its variables.
type Opened = CharacteristicReader<BufReader<OpenedFile>>;

/// Fewest bytes of a file for each variable that it has.
const LEAST: u64 = 12;

fn opened(file: OpenedFile) -> Result<Opened, Broken> {
    let length = file.length()?;
    let mut file = BufReader::new(file);
    lengths::check(&mut file, length)?;
    let header = DtaReader::new().from_reader(file).read_header()?;
    if u64::from(header.header().variable_count()) > length / LEAST {
        return Err(Broken::Damaged);
    }
    Ok(header.read_schema()?)
}

/// Writes the rows of a file. All kinds of missing numbers are missing cells.
pub(super) fn rows(file: OpenedFile, cells: &mut Cells) -> Result<(), Broken> {
    let mut notes = opened(file)?;
    notes.skip_to_end()?;
    let mut records = notes.into_record_reader()?;
    // Long texts stand behind the rows that refer to them.
    let mut long_texts = LongStringTable::for_reading();
    let has_long_texts = |variable: &Variable| variable.variable_type() == VariableType::LongString;
    if records.schema().variables().iter().any(has_long_texts) {
        let mut reader = records.seek_long_strings()?;
        reader.read_remaining_into(&mut long_texts)?;
        records = reader.seek_records()?;
    }
    let (schema, encoding) = (records.schema().clone(), records.encoding());
    schema.variables().iter().for_each(|variable| cells.text(variable.name()));
    cells.end_row()?;
    let times: Vec<_> =
        schema.variables().iter().map(|variable| TemporalKind::from_format(variable.format())).collect();
    while let Some(record) = records.read_record()? {
        for (value, time) in record.values().iter().zip(&times) {
            let number = match value {
                Value::Byte(number) => number.present().map(f64::from),
                Value::Int(number) => number.present().map(f64::from),
                Value::Long(number) => number.present().map(f64::from),
                Value::Double(number) => number.present(),
                Value::Float(number) => match (number.present(), time) {
                    (Some(number), None) => {
                        cells.single(number);
                        continue;
                    }
                    (number, _) => number.map(f64::from),
                },
                Value::String(text) => {
                    cells.text(text.trim_end());
                    continue;
                }
                Value::LongStringRef(reference) => {
                    let text = long_texts.get(reference);
                    match text.as_ref().and_then(|text| text.data_str(encoding)) {
                        Some(text) => cells.text(text.trim_end()),
                        None => cells.missing(),
                    }
                    continue;
                }
            };
            write(number, *time, cells);
        }
        cells.end_row()?;
    }
    Ok(())
}

/// Writes a number, or what its format makes of it.
fn write(number: Option<f64>, time: Option<TemporalKind>, cells: &mut Cells) {
    #[expect(clippy::cast_possible_truncation, reason = "a number of months or quarters")]
    let floor = |number: f64| number.floor() as i32;
    match (number, time) {
        (None, _) => cells.missing(),
        (Some(days), Some(TemporalKind::Date)) => cells.day(days - DAYS_SINCE_1960),
        (Some(thousandths), Some(TemporalKind::DateTime | TemporalKind::DateTimeLeap)) => {
            cells.moment(thousandths / 1e3 - SECONDS_SINCE_1960);
        }
        (Some(months), Some(TemporalKind::Month)) => cells.month(floor(months) - MONTHS),
        (Some(quarters), Some(TemporalKind::Quarter)) => cells.quarter(floor(quarters) - QUARTERS),
        (Some(number), _) => cells.number(number),
    }
}

/// The variables of a file.
pub(super) fn dictionary(file: OpenedFile) -> Result<Vec<DictionaryVariable>, Broken> {
    let mut labels = ValueLabelTable::new();
    let mut reader = opened(file)?.seek_value_labels()?;
    let schema = reader.schema().clone();
    reader.read_remaining_into(&mut labels)?;
    let described = |variable: &Variable| {
        let kind = match (variable.variable_type(), TemporalKind::from_format(variable.format())) {
            (_, Some(TemporalKind::Date | TemporalKind::DateTime | TemporalKind::DateTimeLeap)) => Some(Kind::Date),
            (VariableType::FixedString(_) | VariableType::LongString, _) => Some(Kind::Text),
            (_, Some(TemporalKind::Month | TemporalKind::Quarter)) => Some(Kind::Text),
            (VariableType::Byte | VariableType::Int | VariableType::Long, _) => Some(Kind::Integer),
            // Numbers of pandas and R are doubles whether or not they are whole.
            (VariableType::Float | VariableType::Double, _) => None,
        };
        let values = labels.get(variable.value_label_name()).into_iter().flat_map(|set| set.entries());
        // From here on numbers are the 27 kinds of missing.
        let is_value = |value: &i32| *value <= LARGEST;
        let values = values
            .filter(|entry| is_value(&entry.value()))
            .map(|entry| DictionaryValue { code: entry.value().to_string(), label: entry.label().to_owned() });
        let label = Some(variable.label().to_owned()).filter(|label| !label.is_empty());
        let name = variable.name().to_owned();
        DictionaryVariable { name, label, kind, values: values.collect(), missing: Vec::new() }
    };
    Ok(schema.variables().iter().map(described).collect())
}

/// The largest number of 32 bits that is no kind of missing.
const LARGEST: i32 = 2_147_483_620;
