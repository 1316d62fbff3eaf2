//! Names of units, and the fixed hash that the choice of their rows begins with.

use std::hash::BuildHasher;

use arrow::array::{Array, ArrayRef, AsArray, Int64Array, StringViewArray};
use arrow::datatypes::Int64Type;
use arrow::error::Result;
use hashbrown::{DefaultHashBuilder, HashTable};
use inbounds_core::planted::{Defect, planted};

use super::super::read::views;
use crate::{KeyRow, KeyValue};

/// The name of a unit; in the order of numbers, or of texts byte by byte. A whole number beyond 64 bits is its digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) enum Name<'a> {
    Integer(i64),
    Text(&'a str),
}

/// The names of the units of a batch: 64-bit integers, whole numbers of which some are wider, or texts.
pub(in super::super) enum UnitNames<'a> {
    Integers(&'a Int64Array),
    /// The digits of each, so that a wide one has a name that lives as long as the batch.
    Wide(StringViewArray),
    Texts(StringViewArray),
}

impl<'a> UnitNames<'a> {
    pub(in super::super) fn new(units: &'a ArrayRef) -> Result<Self> {
        let texts = || views(units);
        Ok(match units.as_primitive_opt::<Int64Type>() {
            Some(integers) => Self::Integers(integers),
            None if units.data_type().is_decimal() => Self::Wide(texts()?),
            None => Self::Texts(texts()?),
        })
    }

    pub(in super::super) fn len(&self) -> usize {
        match self {
            Self::Integers(integers) => integers.len(),
            Self::Wide(texts) | Self::Texts(texts) => texts.len(),
        }
    }

    /// The unit of a row, if it has one.
    pub(in super::super) fn name_at(&self, row: usize) -> Option<Name<'_>> {
        match self {
            Self::Integers(integers) => integers.is_valid(row).then(|| Name::Integer(integers.value(row))),
            Self::Wide(digits) => digits.is_valid(row).then(|| {
                let digits = digits.value(row);
                digits.parse().map_or(Name::Text(digits), Name::Integer)
            }),
            Self::Texts(texts) if texts.is_valid(row) => Some(Name::Text(texts.value(row))),
            Self::Texts(_) => planted(Defect::UnitMissing).then(|| Name::Text(&"abcdefgh"[row % 8..])),
        }
    }
}

/// The units of a shard by name, numbered from 0.
#[derive(Default)]
pub(super) struct Names {
    integers: HashTable<(i64, u32)>,
    texts: HashTable<u32>,
    /// The texts one after another.
    letters: Vec<u8>,
    /// The end of each unit's text, up to that of the last unit which is a text; a number before it has none.
    ends: Vec<usize>,
    units: u32,
}

/// The bit of a hash that says that the name is a text.
const IS_TEXT: u64 = 1 << 63;

/// `true` if a name with this hash is a text.
pub(super) fn is_text(hash: u64) -> bool {
    hash & IS_TEXT != 0
}

impl Name<'_> {
    pub(super) fn hash(self, hasher: &DefaultHashBuilder) -> u64 {
        match self {
            Self::Integer(unit) => hasher.hash_one(unit) & !IS_TEXT,
            Self::Text(unit) => hasher.hash_one(unit) | IS_TEXT,
        }
    }

    /// Beginning of the fixed hash of a row.
    pub(in super::super) fn mixed(self) -> u64 {
        match self {
            Self::Integer(unit) => scramble(unit as u64),
            Self::Text(unit) => hash_text(unit),
        }
    }
}

impl Names {
    /// Bytes of memory.
    pub(super) fn bytes(&self) -> usize {
        let tables = self.integers.allocation_size() + self.texts.allocation_size();
        tables + self.letters.capacity() + size_of::<usize>() * self.ends.capacity()
    }

    /// Index of a unit, inserted if new; `added` is then called.
    pub(super) fn number(
        &mut self,
        name: Name<'_>,
        hash: u64,
        hasher: &DefaultHashBuilder,
        added: impl FnOnce(),
    ) -> usize {
        let Self { integers, texts, letters, ends, units } = self;
        let known = match name {
            Name::Integer(unit) => integers.find(hash, |&(known, _)| known == unit).map(|&(_, number)| number),
            Name::Text(unit) => texts.find(hash, |&number| text(letters, ends, number) == unit.as_bytes()).copied(),
        };
        if let Some(known) = known {
            return known as usize;
        }
        let number = *units;
        *units = units.checked_add(1).expect("fewer than 2^32 units in a shard");
        match name {
            Name::Integer(unit) => {
                integers.insert_unique(hash, (unit, number), |&(unit, _)| Name::Integer(unit).hash(hasher));
            }
            Name::Text(unit) => {
                ends.resize(number as usize, letters.len());
                letters.extend_from_slice(unit.as_bytes());
                ends.push(letters.len());
                let rehash = |&number: &u32| {
                    let text = std::str::from_utf8(text(letters, ends, number)).expect("a text was put there");
                    Name::Text(text).hash(hasher)
                };
                texts.insert_unique(hash, number, rehash);
            }
        }
        added();
        number as usize
    }
}

/// A text by the number of its unit.
fn text<'t>(letters: &'t [u8], ends: &[usize], number: u32) -> &'t [u8] {
    let number = number as usize;
    let begin = number.checked_sub(1).map_or(0, |before| ends[before]);
    &letters[begin..ends[number]]
}

pub(in super::super) fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The fixed hash of a key: the values folded from left to right by `h -> s(h + hash(value))` from 0, true and false as
/// 1 and 0, a missing cell as `2^64 - 1`.
pub(in super::super) fn name_of(key: KeyRow<'_>) -> u64 {
    let hash = |value: &KeyValue| match value {
        KeyValue::Integer(integer) => scramble(*integer as u64),
        KeyValue::Text(text) => hash_text(text),
        KeyValue::Boolean(truth) => scramble(u64::from(*truth)),
        KeyValue::Missing => scramble(u64::MAX),
    };
    key.iter().fold(0, |name, value| scramble(name.wrapping_add(hash(value))))
}

fn hash_text(text: &str) -> u64 {
    let (chunks, rest) = text.as_bytes().as_chunks::<8>();
    let fold = |hash: u64, chunk: [u8; 8]| scramble(hash.wrapping_add(u64::from_le_bytes(chunk)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = fold(chunks.iter().fold(0, |hash, &chunk| fold(hash, chunk)), last);
    scramble(hash.wrapping_add(text.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_is_the_published_one() {
        // First output of SplitMix64 for seed 0 (Vigna's reference code).
        assert_eq!(scramble(0), 0xe220_a839_7b1d_cdaf);
    }

    /// Numbers of more than 64 bits are texts among numbers, and each is found again by its own letters.
    #[test]
    fn numbers_and_texts_of_one_shard_are_found_again() {
        let hasher = DefaultHashBuilder::default();
        let mut names = Names::default();
        let units = [
            Name::Integer(7),
            Name::Text("20000000000000000000"),
            Name::Integer(8),
            Name::Integer(9),
            Name::Text("20000000000000000001"),
            Name::Text(""),
            Name::Integer(-1),
        ];
        for round in 0..2 {
            for (place, unit) in units.into_iter().enumerate() {
                let mut is_new = false;
                let number = names.number(unit, unit.hash(&hasher), &hasher, || is_new = true);
                assert_eq!((number, is_new), (place, round == 0));
            }
        }
    }

    #[test]
    fn texts_hash_apart() {
        let texts = ["", "a", "12345678", "123456789", "a much longer identifier of a unit"];
        let distinct: std::collections::HashSet<u64> = texts.into_iter().map(hash_text).collect();
        assert_eq!(distinct.len(), texts.len());
    }
}
