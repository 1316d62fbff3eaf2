//! The number of a row's key in the public key list.
//!
//! Each key column turns into a code (the number of its value among the listed values of that column), and codes are
//! folded from left to right: (prefix, code) is looked up in a table of the listed prefixes, so the last number is
//! that of the whole key. The number one past the last stands for "not listed" at every stage, so there are no nulls
//! and no branches.

mod codes;

use self::codes::Codes;
use crate::{
    KeyRow, Keys, Kind,
    cell_rules::CellReader,
    keys::{Numbering, PrefixTable},
};
use arrow::array::ArrayRef;
use arrow::error::Result;

/// From the columns of a key to its number in the list: `keys.len()` for a key that is not listed.
pub(super) struct KeyIndex {
    columns: Vec<Codes>,
    /// Tables from the number of a prefix and the next code to the number of the longer prefix.
    tables: Vec<PrefixTable>,
}

impl KeyIndex {
    /// For columns that are read by these rules, and hold this.
    pub(super) fn new(keys: &Keys, readers: Vec<(&CellReader, Kind)>) -> Self {
        let width = keys.columns().len();
        let columns: Vec<Codes> =
            readers.into_iter().enumerate().map(|(column, reader)| Codes::new(keys, column, reader)).collect();
        // Of each column the code of each value that keys have.
        let of_values: Vec<Vec<u32>> = columns
            .iter()
            .enumerate()
            .map(|(column, codes)| keys.values(column).map(|value| codes.of_listed(value)).collect())
            .collect();
        let code = |row: KeyRow<'_>, column: usize| of_values[column][row.places()[column] as usize];
        let mut prefixes: Vec<u32> = keys.rows().map(|row| code(row, 0)).collect();
        let mut listed = columns[0].listed();
        let mut tables = Vec::with_capacity(width - 1);
        for (column, codes) in columns.iter().enumerate().skip(1) {
            let mut table = Numbering::new(listed, codes.listed(), keys.len());
            for (prefix, row) in prefixes.iter_mut().zip(keys.rows()) {
                *prefix = table.number(*prefix, code(row, column));
            }
            listed = table.numbered();
            tables.push(table.finish());
        }
        Self { columns, tables }
    }

    /// The number of each row, from the columns of the key as they are stored.
    pub(super) fn numbers(&self, arrays: &[ArrayRef]) -> Result<Vec<u32>> {
        let mut numbers = self.columns[0].encode(&arrays[0])?;
        for ((codes, array), table) in self.columns[1..].iter().zip(&arrays[1..]).zip(&self.tables) {
            table.extend(&mut numbers, &codes.encode(array)?);
        }
        Ok(numbers)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{Int32Array, StringArray};

    use super::*;
    use crate::{CellRules, KeyValue};

    fn index(keys: &Keys) -> KeyIndex {
        let reader = CellReader::new(&CellRules::default());
        let kind = |place| (&reader, keys.kind(place).expect("values"));
        KeyIndex::new(keys, (0..keys.columns().len()).map(kind).collect())
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
        assert_eq!(index(&keys).numbers(&[a, b, c]).expect("known types"), [2, 0, 4, 4, 4, 4]);
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
        assert_eq!(index.numbers(&arrays).expect("known types"), (0..=1500).collect::<Vec<u32>>());
    }
}
