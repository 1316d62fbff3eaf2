//! Names of units, and the fixed hash that the choice of their rows begins with.

use std::hash::BuildHasher;

use hashbrown::DefaultHashBuilder;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Name<'a> {
    Integer(i64),
    Text(&'a str),
}

/// Names of units, by number.
pub(super) enum Names {
    None,
    Integers(Vec<i64>),
    Texts { letters: Vec<u8>, ends: Vec<usize> },
}

impl Name<'_> {
    pub(super) fn hash(self, hasher: &DefaultHashBuilder) -> u64 {
        match self {
            Self::Integer(unit) => hasher.hash_one(unit),
            Self::Text(unit) => hasher.hash_one(unit),
        }
    }

    /// What the fixed hash of a row begins with.
    pub(super) fn mixed(self) -> u64 {
        match self {
            Self::Integer(unit) => scramble(unit as u64),
            Self::Text(unit) => hash_text(unit),
        }
    }
}

impl Names {
    pub(super) fn get(&self, number: usize) -> Name<'_> {
        match self {
            Self::Integers(all) => Name::Integer(all[number]),
            Self::Texts { letters, ends } => {
                let begin = number.checked_sub(1).map_or(0, |before| ends[before]);
                Name::Text(std::str::from_utf8(&letters[begin..ends[number]]).expect("a text was put there"))
            }
            Self::None => unreachable!("a unit has a name"),
        }
    }

    pub(super) fn push(&mut self, name: Name<'_>) {
        match (&mut *self, name) {
            (Self::None, Name::Integer(unit)) => *self = Self::Integers(vec![unit]),
            (Self::None, Name::Text(unit)) => {
                *self = Self::Texts { letters: unit.as_bytes().to_vec(), ends: vec![unit.len()] };
            }
            (Self::Integers(all), Name::Integer(unit)) => all.push(unit),
            (Self::Texts { letters, ends }, Name::Text(unit)) => {
                letters.extend_from_slice(unit.as_bytes());
                ends.push(letters.len());
            }
            _ => unreachable!("the units of a column are of one type"),
        }
    }

    pub(super) fn clear(&mut self) {
        match self {
            Self::None => {}
            Self::Integers(all) => all.clear(),
            Self::Texts { letters, ends } => {
                letters.clear();
                ends.clear();
            }
        }
    }

    pub(super) fn mixed(&self, number: usize) -> u64 {
        self.get(number).mixed()
    }
}

pub(super) fn scramble(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub(super) fn hash_text(text: &str) -> u64 {
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

    #[test]
    fn texts_hash_apart() {
        let texts = ["", "a", "12345678", "123456789", "a much longer identifier of a unit"];
        let distinct: std::collections::HashSet<u64> = texts.into_iter().map(hash_text).collect();
        assert_eq!(distinct.len(), texts.len());
    }
}
