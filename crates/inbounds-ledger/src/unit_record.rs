//! The reading of a unit as it stands in entries: a list of aspects, each with the column that it is about.

use serde::{Deserialize, Serialize};

use crate::{Aspect, UnitReading};

/// One aspect of a reading.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AspectRecord {
    aspect: AspectName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    value: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AspectName {
    Reader,
    Separator,
    Quote,
    Encoding,
    Skip,
    Comment,
    Rule,
    Type,
    Frequency,
    Trim,
    MissingValues,
    Thousands,
    Decimal,
    Numbers,
    Format,
}

/// A reading as entries hold it; without one there is no aspect.
pub(crate) fn records(unit: Option<&UnitReading>) -> Vec<AspectRecord> {
    let record = |(aspect, value): (&Aspect, &str)| {
        let (aspect, column) = named(aspect);
        AspectRecord { aspect, column: column.map(str::to_owned), value: value.to_owned() }
    };
    unit.into_iter().flat_map(UnitReading::aspects).map(record).collect()
}

/// The reading that an entry holds: `Some(None)` for an entry without aspects, from before ledgers held any, and `None`
/// where one of them is no aspect of this schema.
pub(crate) fn reading(records: Vec<AspectRecord>) -> Option<Option<UnitReading>> {
    let aspects = records.into_iter().map(|record| Some((record.aspect.with_column(record.column)?, record.value)));
    let aspects: Vec<(Aspect, String)> = aspects.collect::<Option<_>>()?;
    Some((!aspects.is_empty()).then(|| UnitReading::new(aspects)))
}

fn named(aspect: &Aspect) -> (AspectName, Option<&str>) {
    match aspect {
        Aspect::Reader => (AspectName::Reader, None),
        Aspect::Separator => (AspectName::Separator, None),
        Aspect::Quote => (AspectName::Quote, None),
        Aspect::Encoding => (AspectName::Encoding, None),
        Aspect::Skip => (AspectName::Skip, None),
        Aspect::Comment => (AspectName::Comment, None),
        Aspect::Rule(column) => (AspectName::Rule, Some(column)),
        Aspect::Type(column) => (AspectName::Type, Some(column)),
        Aspect::Frequency(column) => (AspectName::Frequency, Some(column)),
        Aspect::Trim(column) => (AspectName::Trim, Some(column)),
        Aspect::MissingValues(column) => (AspectName::MissingValues, Some(column)),
        Aspect::Thousands(column) => (AspectName::Thousands, Some(column)),
        Aspect::Decimal(column) => (AspectName::Decimal, Some(column)),
        Aspect::Numbers(column) => (AspectName::Numbers, Some(column)),
        Aspect::Format(column) => (AspectName::Format, Some(column)),
    }
}

impl AspectName {
    /// The aspect with this name; `None` where a column is missing, or there is one too many.
    fn with_column(self, column: Option<String>) -> Option<Aspect> {
        match (self, column) {
            (Self::Reader, None) => Some(Aspect::Reader),
            (Self::Separator, None) => Some(Aspect::Separator),
            (Self::Quote, None) => Some(Aspect::Quote),
            (Self::Encoding, None) => Some(Aspect::Encoding),
            (Self::Skip, None) => Some(Aspect::Skip),
            (Self::Comment, None) => Some(Aspect::Comment),
            (Self::Rule, Some(column)) => Some(Aspect::Rule(column)),
            (Self::Type, Some(column)) => Some(Aspect::Type(column)),
            (Self::Frequency, Some(column)) => Some(Aspect::Frequency(column)),
            (Self::Trim, Some(column)) => Some(Aspect::Trim(column)),
            (Self::MissingValues, Some(column)) => Some(Aspect::MissingValues(column)),
            (Self::Thousands, Some(column)) => Some(Aspect::Thousands(column)),
            (Self::Decimal, Some(column)) => Some(Aspect::Decimal(column)),
            (Self::Numbers, Some(column)) => Some(Aspect::Numbers(column)),
            (Self::Format, Some(column)) => Some(Aspect::Format(column)),
            _ => None,
        }
    }
}
