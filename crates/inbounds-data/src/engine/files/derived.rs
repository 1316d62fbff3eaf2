//! The values of derived columns: whole batches at once, and a value or a missing one for every row. Claim:
//! `derived-of-one-row`.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, DictionaryArray, Float64Array, Int32Array, Int64Array, StringArray,
};
use arrow::buffer::{NullBuffer, ScalarBuffer};
use arrow::compute::take;
use arrow::datatypes::{Float64Type, Int32Type, Int64Type};
use arrow::error::Result;

use super::bins::BinIndex;
use super::days::{elapsed, parts};
use super::key_index::KeyIndex;
use super::program::{NodeId, Values};
use crate::cell_rules::CellReader;
use crate::{DataError, DatePart, DateSpan, Formula, KeyValue, Keys, Kind, NumberRange, Outcomes};

/// Maker of the values of a column from others.
pub(super) enum Maker<'a> {
    /// A part of days.
    Part(DatePart),
    /// The time between two days.
    Elapsed(DateSpan),
    /// The class of an amount.
    Cut { index: BinIndex, choice: Choice },
    /// The outcome of a code, or of a combination of codes; `unlisted` is the number of all that have no code.
    Recode { index: Box<KeyIndex>, unlisted: u32, choice: Choice },
    /// A condition that is a node already.
    Truth,
    /// A number that is computed, of numbers that are clipped to these ends.
    Formula { formula: &'a Formula, ends: Vec<(f64, f64)>, kind: Kind },
}

/// Values to choose from, by number.
pub(super) struct Choice {
    /// The place of the value for each number; none for a missing one.
    places: Vec<Option<i32>>,
    values: ArrayRef,
}

impl<'a> Maker<'a> {
    /// Maker of the outcomes of codes, read by the rules of their column.
    pub(super) fn recode(
        codes: &[(KeyValue, Option<KeyValue>)],
        others: Option<&KeyValue>,
        reader: (&CellReader, Kind),
    ) -> std::result::Result<Self, DataError> {
        let rows = codes.iter().map(|(code, _)| vec![code.clone()]).collect();
        let keys = Keys::new(vec!["codes".to_owned()], rows)?;
        let outcomes: Vec<Option<&KeyValue>> = codes.iter().map(|(_, to)| to.as_ref()).chain([others]).collect();
        Ok(Self::coded(&keys, vec![reader], Choice::new(&outcomes)))
    }

    /// Maker of the entries of a public list for the values of columns, read by their rules.
    pub(super) fn look_up(
        columns: &[String],
        keys: &[Vec<KeyValue>],
        to: &Outcomes,
        readers: Vec<(&CellReader, Kind)>,
    ) -> std::result::Result<Self, DataError> {
        let keys = Keys::new(columns.to_vec(), keys.to_vec())?;
        let choice = match to {
            Outcomes::Values { of: values, others } => {
                Choice::new(&values.iter().chain([others]).map(Option::as_ref).collect::<Vec<_>>())
            }
            Outcomes::Numbers { of: numbers, others } => Choice::of_numbers(numbers.iter().chain([others]).copied()),
        };
        Ok(Self::coded(&keys, readers, choice))
    }

    fn coded(keys: &Keys, readers: Vec<(&CellReader, Kind)>, choice: Choice) -> Self {
        let unlisted = u32::try_from(keys.len()).expect("fewer than 2^32 keys");
        Self::Recode { index: Box::new(KeyIndex::new(keys, readers)), unlisted, choice }
    }

    /// A formula whose columns are clipped to these ranges.
    pub(super) fn formula(formula: &'a Formula, ranges: &[NumberRange], kind: Kind) -> Self {
        let ends = ranges.iter().map(|range| (range.lower.to_f64(), range.upper.to_f64())).collect();
        Self::Formula { formula, ends, kind }
    }

    /// `true` if it looks up the values that it is given.
    pub(super) fn looks_up(&self) -> bool {
        matches!(self, Self::Recode { .. })
    }

    /// The values of a batch, made of these nodes.
    pub(super) fn evaluate(&self, from: &[NodeId], values: &Values) -> Result<ArrayRef> {
        match self {
            Self::Part(part) => parts(values.array(from[0]).as_primitive::<Int64Type>(), *part),
            Self::Elapsed(unit) => {
                let days = |place: usize| values.array(from[place]).as_primitive::<Int64Type>();
                Ok(Arc::new(elapsed(days(0), days(1), *unit)))
            }
            Self::Cut { index, choice } => choice.choose(index.bins(values.array(from[0])).into_iter()),
            Self::Recode { index, unlisted, choice } => {
                let codes: Vec<ArrayRef> = from.iter().map(|id| values.array(*id).clone()).collect();
                let numbers = index.numbers(&codes)?.into_iter();
                match values.nulls(from).filter(|nulls| nulls.null_count() > 0) {
                    None => choice.choose(numbers),
                    // A missing cell is none of the others: it has the number behind theirs, unless it is a code
                    // itself.
                    Some(nulls) => choice.choose(
                        numbers
                            .zip(&nulls)
                            .map(|(number, valid)| if number == *unlisted && !valid { unlisted + 1 } else { number }),
                    ),
                }
            }
            Self::Truth => Ok(Arc::new(values.truth(from[0]).clone())),
            Self::Formula { formula, ends, kind } => {
                let columns: Vec<&ArrayRef> = from.iter().map(|id| values.array(*id)).collect();
                Ok(computed(formula, ends, *kind, &columns))
            }
        }
    }
}

impl Choice {
    pub(super) fn of_classes(classes: &[KeyValue]) -> Self {
        Self::new(&classes.iter().map(Some).collect::<Vec<_>>())
    }

    /// The outcome of each number; of those behind the last, a missing value.
    fn new(outcomes: &[Option<&KeyValue>]) -> Self {
        let mut values: Vec<&KeyValue> = Vec::new();
        let mut known: hashbrown::HashMap<&KeyValue, i32> = hashbrown::HashMap::new();
        let places = outcomes.iter().map(|outcome| {
            let outcome = (*outcome)?;
            Some(*known.entry(outcome).or_insert_with(|| {
                values.push(outcome);
                i32::try_from(values.len() - 1).expect("fewer than 2^31 values")
            }))
        });
        let places = places.collect();
        Self { places, values: array(&values) }
    }

    /// Numbers, each by itself; of numbers behind the last, a missing value.
    fn of_numbers(outcomes: impl Iterator<Item = Option<f64>>) -> Self {
        let (mut places, mut values) = (Vec::new(), Vec::new());
        for outcome in outcomes {
            places.push(outcome.map(|outcome| {
                values.push(outcome);
                i32::try_from(values.len() - 1).expect("fewer than 2^31 values")
            }));
        }
        Self { places, values: Arc::new(Float64Array::from(values)) }
    }

    fn choose(&self, numbers: impl Iterator<Item = u32>) -> Result<ArrayRef> {
        let keys: Int32Array = numbers.map(|number| self.places.get(number as usize).copied().flatten()).collect();
        if self.values.as_string_opt::<i32>().is_some() {
            // Each distinct value is then looked up once.
            return Ok(Arc::new(DictionaryArray::<Int32Type>::try_new(keys, self.values.clone())?));
        }
        take(&self.values, &keys, None)
    }
}

/// Values of one kind.
fn array(values: &[&KeyValue]) -> ArrayRef {
    match values.first() {
        Some(KeyValue::Integer(_)) => Arc::new(Int64Array::from_iter(values.iter().map(|value| match value {
            KeyValue::Integer(integer) => Some(*integer),
            _ => None,
        }))),
        Some(KeyValue::Boolean(_)) => Arc::new(BooleanArray::from_iter(values.iter().map(|value| match value {
            KeyValue::Boolean(truth) => Some(*truth),
            _ => None,
        }))),
        _ => Arc::new(StringArray::from_iter(values.iter().map(|value| match value {
            KeyValue::Text(text) => Some(text),
            _ => None,
        }))),
    }
}

/// The numbers of a formula: missing where one of its columns is.
fn computed(formula: &Formula, ends: &[(f64, f64)], kind: Kind, columns: &[&ArrayRef]) -> ArrayRef {
    let rows = columns.first().map_or(0, |column| column.len());
    let clipped: Vec<Vec<f64>> = columns.iter().zip(ends).map(|(column, ends)| clipped(column, *ends)).collect();
    let nulls = NullBuffer::union_many(columns.iter().map(|column| column.nulls()));
    let numbers = formula.of_rows(&clipped, rows);
    match kind {
        // Whole, and at most 2^53.
        Kind::Integer => {
            let integers: Vec<i64> = numbers.into_iter().map(|number| number as i64).collect();
            Arc::new(Int64Array::new(ScalarBuffer::from(integers), nulls))
        }
        _ => Arc::new(Float64Array::new(ScalarBuffer::from(numbers), nulls)),
    }
}

/// Numbers between two ends, truth values as 0 and 1; some number between them where there is none.
fn clipped(column: &ArrayRef, (lower, upper): (f64, f64)) -> Vec<f64> {
    let clip = |number: f64| number.clamp(lower, upper);
    match column.as_primitive_opt::<Float64Type>() {
        Some(numbers) => numbers.values().iter().map(|&number| clip(number)).collect(),
        None => column.as_boolean().values().iter().map(|truth| clip(f64::from(u8::from(truth)))).collect(),
    }
}
