//! Questions as records that travel to workers: whatever a constructor checks is checked again where they arrive.

use serde::{Deserialize, Serialize};

use crate::{Bins, DataError, DateFormat, Day, Expression, Formula, KeyRow, KeyValue, Keys, Missing};

/// [`Keys`], unchecked.
#[derive(Serialize, Deserialize)]
pub(crate) enum KeysRecord {
    Listed { columns: Vec<String>, rows: Vec<Vec<KeyValue>> },
    Margins { columns: Vec<String>, values: Vec<Vec<KeyValue>>, sets: Vec<Vec<usize>> },
}

impl From<Keys> for KeysRecord {
    fn from(keys: Keys) -> Self {
        let columns = keys.columns().to_vec();
        match keys.margins() {
            None => Self::Listed { columns, rows: keys.rows().map(KeyRow::to_vec).collect() },
            Some(sets) => {
                let values = (0..columns.len()).map(|place| keys.values(place).cloned().collect()).collect();
                Self::Margins { columns, values, sets: sets.to_vec() }
            }
        }
    }
}

impl TryFrom<KeysRecord> for Keys {
    type Error = DataError;

    fn try_from(record: KeysRecord) -> Result<Self, DataError> {
        match record {
            KeysRecord::Listed { columns, rows } => Self::new(columns, rows),
            KeysRecord::Margins { columns, values, sets } => Self::of_margins(columns, values, sets),
        }
    }
}

/// [`Bins`], unchecked.
#[derive(Deserialize)]
pub(crate) struct BinsRecord {
    column: String,
    edges: Vec<f64>,
    missing: Missing,
}

impl TryFrom<BinsRecord> for Bins {
    type Error = DataError;

    fn try_from(BinsRecord { column, edges, missing }: BinsRecord) -> Result<Self, DataError> {
        Self::new(column, edges, missing)
    }
}

/// [`DateFormat`], unchecked.
#[derive(Deserialize)]
pub(crate) struct DateFormatRecord {
    patterns: Vec<String>,
}

impl TryFrom<DateFormatRecord> for DateFormat {
    type Error = String;

    fn try_from(DateFormatRecord { patterns }: DateFormatRecord) -> Result<Self, String> {
        Self::any(&patterns)
    }
}

impl From<Day> for i64 {
    fn from(day: Day) -> Self {
        day.days()
    }
}

impl TryFrom<i64> for Day {
    type Error = &'static str;

    fn try_from(days: i64) -> Result<Self, &'static str> {
        Self::from_days(days).ok_or("must be a day of a year with four digits")
    }
}

impl From<Formula> for String {
    fn from(formula: Formula) -> Self {
        formula.into_text()
    }
}

impl TryFrom<String> for Formula {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, &'static str> {
        match Expression::parse(&text) {
            Ok(Expression::Formula(formula)) => Ok(formula),
            _ => Err("must be a formula"),
        }
    }
}

/// A grid, by the exponent of its spacing.
pub(crate) mod grid {
    use inbounds_core::Grid;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(grid: &Grid, serializer: S) -> Result<S::Ok, S::Error> {
        grid.exponent().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Grid, D::Error> {
        Grid::power_of_two(i32::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

/// An encoding, by its label.
pub(crate) mod encoding {
    use encoding_rs::Encoding;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    use crate::TextEncoding;

    pub(crate) fn serialize<S: Serializer>(encoding: &&'static Encoding, serializer: S) -> Result<S::Ok, S::Error> {
        encoding.name().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<&'static Encoding, D::Error> {
        match TextEncoding::named(&String::deserialize(deserializer)?) {
            Some(TextEncoding::Other(encoding)) => Ok(encoding),
            _ => Err(D::Error::custom("must be an encoding of text")),
        }
    }
}

/// An exact number, by its text.
pub(crate) mod rational {
    use inbounds_core::Rational;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(number: &Rational, serializer: S) -> Result<S::Ok, S::Error> {
        number.to_string().serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Rational, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use inbounds_core::{Grid, Rational};
    use serde::{Serialize, de::DeserializeOwned};

    use super::*;
    use crate::{
        CellRules, Clip, ContributionBound, Cuts, DatePart, DateSpan, Derivation, Kind, NumberRange, PerUnit, Query,
        RowFormat, Source, TextEncoding, UnitColumn, UnitTake,
    };

    fn travelled<T: Serialize + DeserializeOwned + PartialEq + Debug>(record: &T) {
        let bytes = postcard::to_stdvec(record).expect("a record");
        assert_eq!(postcard::from_bytes::<T>(&bytes).as_ref(), Ok(record));
        // No piece of it panics, and none of those that are read is what it was.
        for end in 0..bytes.len() {
            assert!(postcard::from_bytes::<T>(&bytes[..end]).is_err());
        }
    }

    fn formula(text: &str) -> Derivation {
        let Ok(Expression::Formula(formula)) = Expression::parse(text) else { panic!("{text}") };
        let range = NumberRange { lower: Rational::ratio(-1, 3), upper: Rational::from(7u128) };
        Derivation::Computed { ranges: vec![range; formula.columns().len()], formula }
    }

    #[test]
    fn a_source_arrives_as_it_was_sent() {
        let day = |text| Day::parse(text).expect("a day");
        let take = UnitTake::First { column: "a".into(), order: "b".into() };
        let texts = ["a - b / (c + 1) * -2.5e-3", "least(abs(a), floor(b), \"a b\")", "-(-a) - - b", "a - (b - c) - 1"];
        let mut source = Source::new("rows/**/*.csv").declare("a", Kind::Date).derive(
            "year",
            Derivation::Cut {
                from: "a".into(),
                cuts: Cuts::Days(vec![day("1999-12-31")]),
                classes: vec![KeyValue::Text("old".into()), KeyValue::Text("new".into())],
            },
        );
        for (place, text) in texts.into_iter().enumerate() {
            source = source.derive(place.to_string(), formula(text));
        }
        source = source
            .derive("age", Derivation::Taken { from: "a".into(), part: DatePart::AgeAt(day("2024-02-29")) })
            .derive("days", Derivation::Elapsed { from: "a".into(), to: "b".into(), unit: DateSpan::Days })
            .derive("is", Derivation::Condition("a IS NULL".into()))
            .spell(
                "a",
                CellRules { date: DateFormat::any(&["%d.%m.%Y", "%F"]).expect("dates"), ..CellRules::default() },
            );
        source.format = Some(RowFormat::Csv);
        source.text.encoding = TextEncoding::Other(encoding_rs::KOI8_U);
        source.per_unit = Some(PerUnit {
            unit: "id".into(),
            columns: vec![UnitColumn { name: "first".into(), take, filter: Some("b > 1".into()) }],
        });
        travelled(&source);
    }

    #[test]
    fn a_query_arrives_as_it_was_sent() {
        let keys = vec![vec![KeyValue::Integer(-7), KeyValue::Boolean(true)]];
        let clip = |exponent| Clip {
            column: "income".into(),
            lower: i64::MIN / 1024,
            upper: 1 << 53,
            grid: Grid::power_of_two(exponent).expect("a grid"),
            missing: Missing::Impute(3),
        };
        travelled(&Query {
            filter: Some("a = 'ä'".into()),
            keys: Some(Keys::new(vec!["k".into(), "l".into()], keys).expect("keys")),
            bins: Some(Bins::new("x", vec![-0.1, 0.3, 1e300], Missing::Drop).expect("bins")),
            values: vec![clip(-2), clip(10)],
            products: vec![(0, 1)],
            bound: Some(ContributionBound { groups: Some(2), ..ContributionBound::of_rows("id", u64::MAX) }),
            rows_per_cell: Some(1),
        });
        let values = vec![vec![KeyValue::Boolean(true)], vec![KeyValue::Integer(2), KeyValue::Integer(-3)]];
        let margins = Keys::of_margins(vec!["k".into(), "l".into()], values, vec![vec![0], vec![1]]);
        travelled(&Query { keys: Some(margins.expect("keys")), ..Query::default() });
    }

    #[test]
    fn what_no_constructor_would_make_is_refused() {
        let twice = (0_u8, vec!["k"], vec![vec![KeyValue::Integer(1)], vec![KeyValue::Integer(1)]]);
        let bytes = postcard::to_stdvec(&twice).expect("a record");
        assert!(postcard::from_bytes::<Keys>(&bytes).is_err());
        let falling = postcard::to_stdvec(&("x", vec![1.0, 0.0], Missing::Drop)).expect("a record");
        assert!(postcard::from_bytes::<Bins>(&falling).is_err());
        for text in ["a = 1", "a +", ""] {
            let bytes = postcard::to_stdvec(text).expect("a record");
            assert!(postcard::from_bytes::<Formula>(&bytes).is_err(), "{text}");
        }
    }
}
