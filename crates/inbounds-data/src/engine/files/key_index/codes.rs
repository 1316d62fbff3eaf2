//! The codes of one key column: the number of a value among the listed values, in order of first appearance.
//!
//! Every row is looked up, so the way depends on the type. A text of at most 12 bytes is looked up as the one 128-bit
//! word in which Arrow keeps it, a longer one by its letters. Integers that span a small range index an array. A column
//! that Parquet stores as a dictionary is looked up once for each value of the dictionary and not for each row.

use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{Array, ArrayData, ArrayRef, AsArray, StringViewArray, make_view};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int32Type};
use arrow::error::Result;
use hashbrown::HashMap;

use super::super::read::{booleans, integers, unsigned};
use crate::{KeyValue, Keys, Kind, cell_rules::CellReader};

/// Longest text, in bytes, that an Arrow view holds inline.
const INLINE: usize = 12;
/// Widest range of integer keys that is looked up in an array.
const DENSE: i128 = 1 << 16;
/// Dictionaries whose codes are remembered: one or two for each thread that reads.
const REMEMBERED: usize = 64;

pub(super) struct Codes {
    values: Values,
    listed: u32,
    /// The code of a cell without a value: that of any other value unless it is listed.
    missing: u32,
    reader: CellReader,
    dictionaries: Mutex<Vec<(ArrayData, Arc<[u32]>)>>,
}

enum Values {
    Text {
        short: HashMap<u128, u32>,
        long: HashMap<String, u32>,
    },
    Range {
        least: i64,
        codes: Vec<u32>,
    },
    Integer(HashMap<i64, u32>),
    /// Codes of `false` and `true`.
    Boolean([u32; 2]),
}

impl Codes {
    pub(super) fn new(keys: &Keys, column: usize, (reader, kind): (&CellReader, Kind)) -> Self {
        let numbers: HashMap<&KeyValue, u32> = keys.values(column).zip(0..).collect();
        let listed = u32::try_from(numbers.len()).expect("a key list has fewer than 2^32 keys");
        let missing = numbers.get(&KeyValue::Missing).copied().unwrap_or(listed);
        let values = Values::new(&numbers, listed, kind);
        Self { values, listed, missing, reader: reader.clone(), dictionaries: Mutex::default() }
    }

    /// Number of distinct values, which is also the code of any other value.
    pub(super) fn listed(&self) -> u32 {
        self.listed
    }

    /// The code of one value.
    pub(super) fn of_listed(&self, value: &KeyValue) -> u32 {
        match (&self.values, value) {
            (Values::Text { .. }, KeyValue::Text(text)) => self.of_spelling(text),
            (Values::Boolean(codes), KeyValue::Boolean(value)) => codes[usize::from(*value)],
            (_, KeyValue::Integer(value)) => self.of_integer(*value),
            (_, KeyValue::Missing) => self.missing,
            _ => self.listed,
        }
    }

    /// The codes of a column of rows.
    pub(super) fn encode(&self, array: &ArrayRef) -> Result<Vec<u32>> {
        if let DataType::Dictionary(key, _) = array.data_type() {
            return match **key {
                DataType::Int32 => self.of_dictionary(array),
                // Other widths of index are rare; the values stay shared.
                _ => {
                    let DataType::Dictionary(_, values) = array.data_type() else { unreachable!("matched above") };
                    self.of_dictionary(&cast(array, &DataType::Dictionary(Box::new(DataType::Int32), values.clone()))?)
                }
            };
        }
        match &self.values {
            Values::Text { .. } => self.of_texts(array),
            Values::Boolean(codes) => {
                let values = booleans(array, &self.reader)?;
                Ok(values.iter().map(|value| value.map_or(self.missing, |value| codes[usize::from(value)])).collect())
            }
            Values::Range { .. } | Values::Integer(_) => self.of_integers(array),
        }
    }

    fn of_dictionary(&self, array: &ArrayRef) -> Result<Vec<u32>> {
        let dictionary = array.as_dictionary::<Int32Type>();
        let codes = self.of_dictionary_values(dictionary.values())?;
        let code = |key: i32| usize::try_from(key).ok().and_then(|key| codes.get(key)).copied().unwrap_or(self.listed);
        let keys = dictionary.keys();
        Ok(match keys.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => keys.values().iter().map(|&key| code(key)).collect(),
            Some(_) => keys.iter().map(|key| key.map_or(self.missing, code)).collect(),
        })
    }

    /// Looks each value of a dictionary up once; the batches of one Parquet column chunk share their dictionary.
    fn of_dictionary_values(&self, values: &ArrayRef) -> Result<Arc<[u32]>> {
        let data = values.to_data();
        // A panic in another thread cannot leave the list half-written.
        let seen = || self.dictionaries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, codes)) = seen().iter().rev().find(|(known, _)| known.ptr_eq(&data)) {
            return Ok(codes.clone());
        }
        let codes: Arc<[u32]> = self.encode(values)?.into();
        let mut seen = seen();
        if seen.len() == REMEMBERED {
            seen.remove(0);
        }
        seen.push((data, codes.clone()));
        Ok(codes)
    }

    fn of_texts(&self, array: &ArrayRef) -> Result<Vec<u32>> {
        let code = |text: Option<&str>| text.map_or(self.missing, |text| self.of_text(text));
        Ok(match array.data_type() {
            DataType::Utf8View => self.of_views(array.as_string_view()),
            DataType::LargeUtf8 => array.as_string::<i64>().iter().map(code).collect(),
            _ => array.as_string::<i32>().iter().map(code).collect(),
        })
    }

    fn of_views(&self, array: &StringViewArray) -> Vec<u32> {
        let Values::Text { short, .. } = &self.values else { return vec![self.listed; array.len()] };
        let code = |(row, view): (usize, &u128)| {
            if array.is_null(row) {
                self.missing
            } else if *view as u32 as usize <= INLINE {
                short.get(view).copied().unwrap_or_else(|| self.of_text(array.value(row)))
            } else {
                self.of_text(array.value(row))
            }
        };
        array.views().iter().enumerate().map(code).collect()
    }

    /// The code of a cell as it stands. Listed values are texts as they are read, so one that is found is right.
    fn of_text(&self, cell: &str) -> u32 {
        let code = self.of_spelling(cell);
        if code < self.listed {
            return code;
        }
        match self.reader.text(cell) {
            None => self.missing,
            Some(text) if *text != *cell => self.of_spelling(&text),
            Some(_) => self.listed,
        }
    }

    fn of_spelling(&self, text: &str) -> u32 {
        let Values::Text { short, long } = &self.values else { return self.listed };
        let code = if text.len() <= INLINE { short.get(&make_view(text.as_bytes(), 0, 0)) } else { long.get(text) };
        code.copied().unwrap_or(self.listed)
    }

    fn of_integers(&self, array: &ArrayRef) -> Result<Vec<u32>> {
        if *array.data_type() == DataType::UInt64 {
            // Not through `integers`, which saturates: a larger value must not meet the key 2^63 - 1.
            let code = |value: Option<u64>| match value.map(i64::try_from) {
                None => self.missing,
                Some(Err(_)) => self.listed,
                Some(Ok(value)) => self.of_integer(value),
            };
            return Ok(unsigned(array, &self.reader).iter().map(code).collect());
        }
        let values = integers(array, &self.reader)?;
        Ok(match values.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => values.values().iter().map(|&value| self.of_integer(value)).collect(),
            Some(_) => values.iter().map(|value| value.map_or(self.missing, |value| self.of_integer(value))).collect(),
        })
    }

    fn of_integer(&self, value: i64) -> u32 {
        match &self.values {
            Values::Range { least, codes } => {
                let place = value.wrapping_sub(*least) as u64;
                usize::try_from(place).ok().and_then(|place| codes.get(place)).copied().unwrap_or(self.listed)
            }
            Values::Integer(codes) => codes.get(&value).copied().unwrap_or(self.listed),
            Values::Text { .. } | Values::Boolean(_) => self.listed,
        }
    }
}

impl Values {
    fn new(numbers: &HashMap<&KeyValue, u32>, listed: u32, kind: Kind) -> Self {
        match kind {
            Kind::Integer => Self::of_integers(numbers, listed),
            Kind::Boolean => Self::Boolean(
                [false, true].map(|truth| numbers.get(&KeyValue::Boolean(truth)).copied().unwrap_or(listed)),
            ),
            _ => Self::of_texts(numbers),
        }
    }

    fn of_integers(numbers: &HashMap<&KeyValue, u32>, listed: u32) -> Self {
        let integers: HashMap<i64, u32> = numbers
            .iter()
            .filter_map(|(value, &code)| if let KeyValue::Integer(value) = value { Some((*value, code)) } else { None })
            .collect();
        let (Some(&least), Some(&most)) = (integers.keys().min(), integers.keys().max()) else {
            return Self::Integer(integers);
        };
        let span = i128::from(most) - i128::from(least) + 1;
        if span > DENSE {
            return Self::Integer(integers);
        }
        let mut codes = vec![listed; usize::try_from(span).expect("a short range")];
        for (value, code) in integers {
            codes[usize::try_from(value - least).expect("inside the range")] = code;
        }
        Self::Range { least, codes }
    }

    fn of_texts(numbers: &HashMap<&KeyValue, u32>) -> Self {
        let (mut short, mut long) = (HashMap::new(), HashMap::new());
        for (value, &code) in numbers {
            match value {
                KeyValue::Text(text) if text.len() <= INLINE => {
                    short.insert(make_view(text.as_bytes(), 0, 0), code);
                }
                KeyValue::Text(text) => {
                    long.insert(text.clone(), code);
                }
                KeyValue::Integer(_) | KeyValue::Boolean(_) | KeyValue::Missing => {}
            }
        }
        Self::Text { short, long }
    }
}
