//! Names of nodes, each kept once, numbered in the order in which they first appear.

use std::{
    collections::BTreeMap,
    hash::{BuildHasher, RandomState},
};

use hashbrown::HashTable;

/// Most names: the two numbers above say "root" and "not placed" where a parent is meant.
pub(super) const MOST: usize = u32::MAX as usize - 2;

/// A set of names with a number for each.
#[derive(Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in the text; it begins where the one before ends.
    ends: Vec<usize>,
    entries: HashTable<Entry>,
    hasher: RandomState,
    /// Longer names in place of those that several numbers share.
    longer: BTreeMap<u32, String>,
}

/// A name as the table knows it. Its hash is kept, because going back to the text of a name costs more than all the
/// rest: the table grows, and distinguishes other names, without it.
struct Entry {
    hash: u32,
    number: u32,
}

impl Entry {
    /// The hash that the table takes, which needs its high bits as well.
    fn spread(hash: u32) -> u64 {
        u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

impl Names {
    /// The number of a name, a new one if it is new; none if there are too many.
    pub(super) fn number(&mut self, name: &str) -> Option<u32> {
        let hash = self.hash(name);
        if let Some(number) = self.find_hashed(name, hash) {
            return Some(number);
        }
        let number = u32::try_from(self.ends.len()).ok().filter(|&number| (number as usize) < MOST)?;
        self.entries.insert_unique(Entry::spread(hash), Entry { hash, number }, |entry| Entry::spread(entry.hash));
        self.text.push_str(name);
        self.ends.push(self.text.len());
        Some(number)
    }

    /// A further number of a name that has one, which [`Names::find`] does not know until it has a longer name.
    pub(super) fn another(&mut self, name: &str) -> Option<u32> {
        let number = u32::try_from(self.ends.len()).ok().filter(|&number| (number as usize) < MOST)?;
        self.text.push_str(name);
        self.ends.push(self.text.len());
        Some(number)
    }

    /// Gives a number a longer name, under which alone it is found from then on.
    pub(super) fn lengthen(&mut self, number: u32, longer: String) {
        self.longer.insert(number, longer);
    }

    /// The number of a name that is known.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        let number = self.find_hashed(name, self.hash(name));
        let longer = || self.longer.iter().find(|(_, longer)| *longer == name).map(|(number, _)| *number);
        number.filter(|number| !self.longer.contains_key(number)).or_else(longer)
    }

    fn hash(&self, name: &str) -> u32 {
        self.hasher.hash_one(name) as u32
    }

    fn find_hashed(&self, name: &str, hash: u32) -> Option<u32> {
        let same = |entry: &Entry| entry.hash == hash && self.plain(entry.number) == name;
        self.entries.find(Entry::spread(hash), same).map(|entry| entry.number)
    }

    /// The name of a number, which no other number has once those that share one have longer names.
    pub(super) fn name(&self, number: u32) -> &str {
        if self.longer.is_empty() {
            return self.plain(number);
        }
        self.longer.get(&number).map_or_else(|| self.plain(number), String::as_str)
    }

    /// The name of a number as it was read.
    pub(super) fn plain(&self, number: u32) -> &str {
        let number = number as usize;
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.text[begin..self.ends[number]]
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// All names in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|number| self.name(number))
    }

    /// Forgets how to look names up, which is half of the memory, and keeps the names.
    pub(super) fn seal(&mut self) {
        self.entries = HashTable::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_number() {
        let mut names = Names::default();
        let words: Vec<String> = (0..10_000).map(|index| format!("name {}", index % 5_000)).collect();
        let numbers: Vec<u32> = words.iter().map(|word| names.number(word).expect("room")).collect();
        assert_eq!(names.len(), 5_000);
        assert!(numbers[..5_000] == numbers[5_000..] && numbers[..5_000].is_sorted());
        assert_eq!((names.name(17), names.find("name 17"), names.find("")), ("name 17", Some(17), None));
        let twin = names.another("name 17").expect("room");
        names.lengthen(17, "a / name 17".to_owned());
        names.lengthen(twin, "b / name 17".to_owned());
        assert_eq!(
            (names.find("name 17"), names.find("b / name 17"), names.plain(twin)),
            (None, Some(twin), "name 17")
        );
        assert_eq!(names.number(""), Some(5_001));
        assert_eq!(names.iter().last(), Some(""));
    }
}
