//! The number of a row's key in the public key list.
//!
//! Each key column turns into a code (the number of its value among the listed values of that column), and codes are
//! folded from left to right: (prefix, code) is looked up in a table of the listed prefixes, so the last number is
//! that of the whole key. The number one past the last stands for "not listed" at every stage, so there are no nulls
//! and no branches.

mod codes;

use arrow::array::ArrayRef;
use arrow::error::Result;
use hashbrown::HashMap;

use self::codes::Codes;
use crate::{KeyValue, Keys, cell_rules::CellReader};

/// Entries of a prefix table above which it is a hash map, unless it has at most so many a key.
const DENSE: usize = 1 << 20;
const DENSE_PER_KEY: usize = 4;

/// What has no number: there are fewer keys.
const UNNUMBERED: u32 = u32::MAX;

/// From the columns of a key to its number in the list: `keys.len()` for a key that is not listed.
pub(super) struct KeyIndex {
    columns: Vec<Codes>,
    /// How to get from the number of a prefix and the next code to the number of the longer prefix.
    tables: Vec<PrefixTable>,
}

enum PrefixTable {
    Dense { width: u32, numbers: Vec<u32> },
    Sparse { width: u32, numbers: HashMap<u64, u32>, unlisted: u32 },
}

impl KeyIndex {
    /// For columns that are read by these rules.
    pub(super) fn new(keys: &Keys, readers: Vec<&CellReader>) -> Self {
        let width = keys.columns().len();
        let columns: Vec<Codes> =
            readers.into_iter().enumerate().map(|(column, reader)| Codes::new(keys, column, reader)).collect();
        let code = |row: &[KeyValue], column: usize| columns[column].of_listed(&row[column]);
        let mut prefixes: Vec<u32> = keys.rows().iter().map(|row| code(row, 0)).collect();
        let mut listed = columns[0].listed();
        let mut tables = Vec::with_capacity(width - 1);
        for (column, codes) in columns.iter().enumerate().skip(1) {
            let mut table = Numbering::new(listed, codes.listed(), keys.len());
            for (prefix, row) in prefixes.iter_mut().zip(keys.rows()) {
                *prefix = table.number(*prefix, code(row, column));
            }
            let unlisted = table.next;
            tables.push(table.finish());
            listed = unlisted;
        }
        Self { columns, tables }
    }

    /// The number of each row, from the columns of the key as they are stored.
    pub(super) fn of(&self, arrays: &[ArrayRef]) -> Result<Vec<u32>> {
        let mut numbers = self.columns[0].of(&arrays[0])?;
        for ((codes, array), table) in self.columns[1..].iter().zip(&arrays[1..]).zip(&self.tables) {
            table.extend(&mut numbers, &codes.of(array)?);
        }
        Ok(numbers)
    }
}

/// A table of prefixes in the making: they are numbered as they come.
struct Numbering {
    table: PrefixTable,
    /// A key list has fewer than 2^32 keys, so has every column and prefix.
    next: u32,
}

impl Numbering {
    /// No longer prefix yet of so many prefixes and codes, where there are at most `keys`.
    fn new(prefixes: u32, codes: u32, keys: usize) -> Self {
        let width = codes + 1;
        let entries = (prefixes as usize + 1).saturating_mul(width as usize);
        let table = if entries <= DENSE.max(DENSE_PER_KEY.saturating_mul(keys)).min(u32::MAX as usize) {
            PrefixTable::Dense { width, numbers: vec![UNNUMBERED; entries] }
        } else {
            PrefixTable::Sparse { width, numbers: HashMap::new(), unlisted: UNNUMBERED }
        };
        Self { table, next: 0 }
    }

    /// The number of a prefix with one more code: the next one where it is new.
    fn number(&mut self, prefix: u32, code: u32) -> u32 {
        let number = match &mut self.table {
            PrefixTable::Dense { width, numbers } => &mut numbers[(prefix * *width + code) as usize],
            PrefixTable::Sparse { width, numbers, .. } => {
                numbers.entry(place(prefix, *width, code)).or_insert(UNNUMBERED)
            }
        };
        if *number == UNNUMBERED {
            *number = self.next;
            self.next += 1;
        }
        *number
    }

    /// The table, where whatever has no number is not listed.
    fn finish(mut self) -> PrefixTable {
        match &mut self.table {
            PrefixTable::Dense { numbers, .. } => {
                numbers.iter_mut().filter(|number| **number == UNNUMBERED).for_each(|number| *number = self.next);
            }
            PrefixTable::Sparse { unlisted, .. } => *unlisted = self.next,
        }
        self.table
    }
}

/// Where a prefix with one more code stands.
fn place(prefix: u32, width: u32, code: u32) -> u64 {
    u64::from(prefix) * u64::from(width) + u64::from(code)
}

impl PrefixTable {
    fn extend(&self, prefixes: &mut [u32], codes: &[u32]) {
        let pairs = prefixes.iter_mut().zip(codes);
        match self {
            Self::Dense { width, numbers } => {
                pairs.for_each(|(prefix, &code)| *prefix = numbers[(*prefix * width + code) as usize]);
            }
            Self::Sparse { width, numbers, unlisted } => pairs.for_each(|(prefix, &code)| {
                *prefix = numbers.get(&place(*prefix, *width, code)).copied().unwrap_or(*unlisted);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int32Array, StringArray};

    use super::*;
    use crate::CellRules;

    fn index(keys: &Keys) -> KeyIndex {
        let reader = CellReader::new(&CellRules::default());
        KeyIndex::new(keys, vec![&reader; keys.columns().len()])
    }

    fn keys(rows: &[(&str, i64, bool)]) -> Keys {
        let row = |&(text, integer, boolean): &(&str, i64, bool)| {
            vec![KeyValue::Text(text.to_owned()), KeyValue::Integer(integer), KeyValue::Boolean(boolean)]
        };
        let columns = ["a", "b", "c"].map(str::to_owned).to_vec();
        Keys::new(columns, rows.iter().map(row).collect()).expect("distinct")
    }

    #[test]
    fn three_columns_fold_to_the_row_of_the_list() {
        let keys = keys(&[("y", 1, true), ("x", 2, true), ("x", 1, false), ("y", 1, false)]);
        let a: ArrayRef =
            Arc::new(StringArray::from(vec![Some("x"), Some("y"), Some("x"), Some("x"), None, Some("z")]));
        let b: ArrayRef = Arc::new(Int32Array::from(vec![Some(1), Some(1), Some(2), None, Some(1), Some(1)]));
        let c: ArrayRef = Arc::new(StringArray::from(vec!["false", "true", "false", "true", "true", "true"]));
        assert_eq!(index(&keys).of(&[a, b, c]).expect("known types"), [2, 0, 4, 4, 4, 4]);
    }

    #[test]
    fn a_sparse_table_answers_as_a_dense_one() {
        let rows: Vec<Vec<KeyValue>> = (0..1500)
            .map(|i| vec![i, (i * 7919) % 100_003])
            .map(|row| row.into_iter().map(KeyValue::Integer).collect())
            .collect();
        let keys = Keys::new(vec!["a".to_owned(), "b".to_owned()], rows.clone()).expect("distinct");
        let index = index(&keys);
        assert!(matches!(index.tables[0], PrefixTable::Sparse { .. }));
        let (a, b): (Vec<i32>, Vec<i32>) = (0..1501).map(|i| (i, (i * 7919) % 100_003)).unzip();
        let arrays: [ArrayRef; 2] = [Arc::new(Int32Array::from(a)), Arc::new(Int32Array::from(b))];
        assert_eq!(index.of(&arrays).expect("known types"), (0..=1500).collect::<Vec<u32>>());
    }
}
