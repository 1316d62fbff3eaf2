//! Names of nodes, each kept once, numbered in the order in which they first appear.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// Most names: the two numbers above say "root" and "not placed" where a parent is meant.
pub(super) const MOST: usize = u32::MAX as usize - 2;

/// A set of names with a number for each.
#[derive(Default)]
pub(super) struct Names {
    text: String,
    /// Where each name ends in the text; it begins where the one before ends.
    ends: Vec<usize>,
    numbers: HashTable<u32>,
    hasher: RandomState,
}

impl Names {
    /// The number of a name, a new one if it is new; none if there are too many.
    pub(super) fn number(&mut self, name: &str) -> Option<u32> {
        let hash = self.hasher.hash_one(name);
        let (text, ends, hasher) = (&self.text, &self.ends, &self.hasher);
        if let Some(&number) = self.numbers.find(hash, |&number| slice(text, ends, number) == name) {
            return Some(number);
        }
        let number = u32::try_from(ends.len()).ok().filter(|&number| (number as usize) < MOST)?;
        self.numbers.insert_unique(hash, number, |&number| hasher.hash_one(slice(text, ends, number)));
        self.text.push_str(name);
        self.ends.push(self.text.len());
        Some(number)
    }

    /// The number of a name that is known.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        self.numbers.find(self.hasher.hash_one(name), |&number| self.name(number) == name).copied()
    }

    /// The name of a number.
    pub(super) fn name(&self, number: u32) -> &str {
        slice(&self.text, &self.ends, number)
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
        self.numbers = HashTable::new();
    }
}

fn slice<'t>(text: &'t str, ends: &[usize], number: u32) -> &'t str {
    let number = number as usize;
    let begin = if number == 0 { 0 } else { ends[number - 1] };
    &text[begin..ends[number]]
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
        assert_eq!(names.number(""), Some(5_000));
        assert_eq!(names.iter().last(), Some(""));
    }
}
