//! Group keys: public, given beforehand, never learned from the rows.

mod file;
mod margins;
mod prefixes;
mod row;
mod space;

use std::fmt;

use hashbrown::HashMap;

pub use file::{LookupRow, read_keys, read_lookup};
pub use row::KeyRow;
pub use space::{KeyDomain, KeySpace};

pub(crate) use self::margins::Margins;
pub use self::margins::combinations;
pub(crate) use self::prefixes::{Numbering, PrefixTable};
use crate::{CellRules, DataError, Kind};

/// A column of a file with group keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyColumn {
    /// Its name, in the file as in the data.
    pub name: String,
    /// Kind of its values: integers, text or Booleans.
    pub kind: Kind,
    /// Spelling of its cells.
    pub cells: CellRules,
}

/// One cell of a group key. There are no float keys: which floats are equal is a matter of rounding.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum KeyValue {
    /// A whole number.
    Integer(i64),
    /// A string, compared byte by byte.
    Text(String),
    /// True or false.
    Boolean(bool),
    /// A cell without a value of the type of its column: empty, a code for a missing value, or unreadable.
    Missing,
}

impl KeyValue {
    /// The word for the missing cell in plans, lists of keys and tables.
    pub const MISSING: &str = "missing";

    /// The value of a word that lists of keys and codes do not take for the text that it is: `missing` for the missing
    /// cell, and `'missing'`, in single quotes, for the text `missing`.
    ///
    /// # Example
    /// ```
    /// use inbounds_data::KeyValue;
    /// assert_eq!(KeyValue::of_word("missing"), Some(KeyValue::Missing));
    /// assert_eq!(KeyValue::of_word("'missing'"), Some(KeyValue::Text("missing".to_owned())));
    /// assert_eq!(KeyValue::of_word("Missing"), None);
    /// ```
    pub fn of_word(word: &str) -> Option<Self> {
        match word {
            Self::MISSING => Some(Self::Missing),
            "'missing'" => Some(Self::Text(Self::MISSING.to_owned())),
            _ => None,
        }
    }

    /// The kind of column this value can be found in; a cell may be missing in a column of any kind.
    pub fn kind(&self) -> Option<Kind> {
        match self {
            Self::Integer(_) => Some(Kind::Integer),
            Self::Text(_) => Some(Kind::Text),
            Self::Boolean(_) => Some(Kind::Boolean),
            Self::Missing => None,
        }
    }
}

impl fmt::Display for KeyValue {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(value) => value.fmt(formatter),
            Self::Text(value) => value.fmt(formatter),
            Self::Boolean(value) => value.fmt(formatter),
            Self::Missing => formatter.write_str(Self::MISSING),
        }
    }
}

/// The public list of group keys: the cells of an answer, in this order.
///
/// A listed key without rows has the answer 0; rows of other keys are dropped without trace. Both are needed: a key
/// that is published only if a unit has it would reveal that a unit has it. Of a table, margins can be listed without
/// its cells ([`Keys::of_margins`]).
///
/// # Example
/// ```
/// use inbounds_data::{KeyValue, Keys};
/// let keys = Keys::new(
///     vec!["state".into(), "age".into()],
///     vec![
///         vec![KeyValue::Text("CA".into()), KeyValue::Integer(41)],
///         vec![KeyValue::Text("NV".into()), KeyValue::Integer(41)],
///     ],
/// )?;
/// assert_eq!(keys.len(), 2);
/// # Ok::<(), inbounds_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(try_from = "crate::records::KeysRecord", into = "crate::records::KeysRecord")]
pub struct Keys {
    columns: Vec<String>,
    /// Of each column, in the order in which they first occur; of margins as they were given.
    values: Vec<Vec<KeyValue>>,
    /// Key after key, the place of its value of each column among `values`: of millions of keys the values are kept
    /// once.
    places: Vec<u32>,
    margins: Option<Margins>,
}

impl Keys {
    /// Keys over `columns`, one row of values each.
    ///
    /// # Errors
    /// [`DataError::Keys`] unless there is at least one column and one row, columns and rows are distinct, every row
    /// has one value per column, and the values of a column are of one kind.
    pub fn new(columns: Vec<String>, rows: Vec<Vec<KeyValue>>) -> Result<Self, DataError> {
        let refuse = |problem: String| Err(DataError::Keys { problem });
        if columns.is_empty() || rows.is_empty() {
            return refuse("there must be at least one column and one key".to_owned());
        }
        if let Some((_, column)) = columns.iter().enumerate().find(|(i, column)| columns[..*i].contains(column)) {
            return refuse(format!("column `{column}` is listed twice"));
        }
        // One less than u32::MAX: the engine keeps an index for "not listed".
        if u32::try_from(rows.len()).is_ok_and(|len| len == u32::MAX) || u32::try_from(rows.len()).is_err() {
            return refuse("there must be fewer than 2^32 - 1 keys".to_owned());
        }
        for (index, row) in rows.iter().enumerate() {
            if row.len() != columns.len() {
                let (length, expected) = (row.len(), columns.len());
                return refuse(format!("key {} has {length} values for {expected} columns", index + 1));
            }
        }
        for (place, name) in columns.iter().enumerate() {
            let mut kinds = rows.iter().enumerate().filter_map(|(index, row)| Some((index + 1, row[place].kind()?)));
            if let Some((first, kind)) = kinds.next()
                && let Some((other, other_kind)) = kinds.find(|(_, other_kind)| *other_kind != kind)
            {
                return refuse(format!("column `{name}` is {kind} in key {first} and {other_kind} in key {other}"));
            }
        }
        let (values, places) = Self::placed(&rows, columns.len());
        if let Some(second) = first_repeated(&places, &values) {
            let first = rows.iter().position(|row| *row == rows[second]).expect("a row that came before");
            return refuse(format!("keys {} and {} are the same: {}", first + 1, second + 1, shown(&rows[second])));
        }
        Ok(Self { columns, values, places, margins: None })
    }

    /// The values of each column, and of each row the place of each of its values among them.
    fn placed(rows: &[Vec<KeyValue>], columns: usize) -> (Vec<Vec<KeyValue>>, Vec<u32>) {
        let (mut values, mut places) = (Vec::with_capacity(columns), vec![0; rows.len() * columns]);
        for column in 0..columns {
            let (mut known, mut list) = (HashMap::new(), Vec::new());
            for (row, place) in rows.iter().zip(places[column..].iter_mut().step_by(columns)) {
                *place = *known.entry(&row[column]).or_insert_with(|| {
                    list.push(row[column].clone());
                    list.len() as u32 - 1
                });
            }
            values.push(list);
        }
        (values, places)
    }

    /// Each of these keys with every combination of values of further columns, the last of which changes fastest.
    ///
    /// # Errors
    /// Those of [`Keys::new`].
    ///
    /// # Example
    /// ```
    /// use inbounds_data::{KeyValue, Keys};
    /// let states = ["CA", "NV"].map(|state| vec![KeyValue::Text(state.to_owned())]);
    /// let states = Keys::new(vec!["state".into()], states.to_vec())?;
    /// let open = vec![KeyValue::Boolean(true), KeyValue::Boolean(false)];
    /// let keys = states.crossed(vec![("open".to_owned(), open)])?;
    /// assert_eq!((keys.len(), keys.row(2).to_vec()), (4, vec![KeyValue::Text("NV".into()), KeyValue::Boolean(true)]));
    /// # Ok::<(), inbounds_data::DataError>(())
    /// ```
    pub fn crossed(&self, columns: Vec<(String, Vec<KeyValue>)>) -> Result<Self, DataError> {
        let (names, lists): (Vec<String>, Vec<Vec<KeyValue>>) = columns.into_iter().unzip();
        // What is said of one key holds for all: names, kinds, and that no value stands twice.
        let mut first = self.row(0).to_vec();
        let names = [self.columns.clone(), names].concat();
        for list in &lists {
            let row = |value: &KeyValue| [&first[..], std::slice::from_ref(value)].concat();
            Self::new(names[..=first.len()].to_vec(), list.iter().map(row).collect())?;
            first.push(list[0].clone());
        }
        let keys = lists.iter().fold(self.len(), |keys, list| keys.saturating_mul(list.len()));
        if keys >= u32::MAX as usize {
            return Err(DataError::Keys { problem: "there must be fewer than 2^32 - 1 keys".to_owned() });
        }
        let mut places = Vec::with_capacity(keys * names.len());
        let of_table = lists.iter().fold(1, |cells, list| cells * list.len());
        for key in self.rows() {
            for cell in 0..of_table {
                places.extend_from_slice(key.places());
                let mut run = of_table;
                places.extend(lists.iter().map(|list| {
                    run /= list.len();
                    (cell / run % list.len()) as u32
                }));
            }
        }
        Ok(Self { columns: names, values: [self.values.clone(), lists].concat(), places, margins: None })
    }

    /// Those of the keys that are kept, in their order.
    ///
    /// # Errors
    /// [`DataError::Keys`] if none is.
    pub fn filtered(&self, mut keep: impl FnMut(KeyRow<'_>) -> bool) -> Result<Self, DataError> {
        Self::new(self.columns.clone(), self.rows().filter(|row| keep(*row)).map(KeyRow::to_vec).collect())
    }

    /// Names of the key columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The keys, one value per column each; of a margin the first key of each of its cells.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = KeyRow<'_>> + DoubleEndedIterator + Clone {
        self.places.chunks_exact(self.columns.len()).map(|places| KeyRow::new(&self.values, places))
    }

    /// The key at a place.
    ///
    /// # Panics
    /// If there are fewer keys.
    pub fn row(&self, place: usize) -> KeyRow<'_> {
        let columns = self.columns.len();
        KeyRow::new(&self.values, &self.places[place * columns..(place + 1) * columns])
    }

    /// The values of the column at a place that keys have, each once.
    pub fn values(&self, place: usize) -> impl Iterator<Item = &KeyValue> {
        self.values[place].iter()
    }

    /// Kind of the values of the column at a place; none where it lists only the missing cell.
    pub(crate) fn kind(&self, place: usize) -> Option<Kind> {
        self.values(place).find_map(KeyValue::kind)
    }

    /// Number of keys, or of cells of all margins, at least 1.
    #[expect(clippy::len_without_is_empty, reason = "never empty")]
    pub fn len(&self) -> usize {
        self.places.len() / self.columns.len()
    }
}

/// The first key that is one before it. Beginnings of keys are numbered as they come, so that this is the first with
/// the number of another.
fn first_repeated(places: &[u32], values: &[Vec<KeyValue>]) -> Option<usize> {
    let columns = values.len();
    let keys = places.len() / columns;
    let (mut prefixes, mut listed) = (vec![0; keys], 1);
    for (column, values) in values.iter().enumerate() {
        let mut table = Numbering::new(listed, values.len() as u32, keys);
        let codes = places[column..].iter().step_by(columns);
        prefixes.iter_mut().zip(codes).for_each(|(prefix, code)| *prefix = table.number(*prefix, *code));
        listed = table.numbered();
    }
    (0..).zip(prefixes).position(|(row, number): (u32, u32)| number < row)
}

fn shown(row: &[KeyValue]) -> String {
    row.iter().map(KeyValue::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(columns: &[&str], rows: Vec<Vec<KeyValue>>) -> String {
        let columns = columns.iter().map(|name| (*name).to_owned()).collect();
        Keys::new(columns, rows).expect_err("keys are refused").to_string()
    }

    #[test]
    fn refusals_name_the_key() {
        let text = |value: &str| KeyValue::Text(value.to_owned());
        assert_eq!(message(&["a"], vec![]), "keys: there must be at least one column and one key");
        assert_eq!(message(&["a", "a"], vec![vec![text("x"), text("y")]]), "keys: column `a` is listed twice");
        assert_eq!(message(&["a", "b"], vec![vec![text("x")]]), "keys: key 1 has 1 values for 2 columns");
        assert_eq!(
            message(&["a"], vec![vec![text("x")], vec![KeyValue::Integer(1)]]),
            "keys: column `a` is text in key 1 and integer in key 2"
        );
        let twice = vec![vec![text("x"), text("y")], vec![text("x"), text("z")], vec![text("x"), text("y")]];
        assert_eq!(message(&["a", "b"], twice), "keys: keys 1 and 3 are the same: x, y");
    }

    /// Crossed keys are those listed one by one, and refused as these are.
    #[test]
    fn crossed_keys_are_those_listed_one_by_one() {
        let text = |value: &str| KeyValue::Text(value.to_owned());
        let number = KeyValue::Integer;
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        let places = Keys::new(names(&["place"]), vec![vec![text("x")], vec![text("y")]]).expect("distinct");
        let columns = |sexes: &[&str], ages: &[i64]| {
            let sexes = sexes.iter().map(|sex| text(sex)).collect();
            vec![("sex".to_owned(), sexes), ("age".to_owned(), ages.iter().copied().map(number).collect())]
        };
        let crossed = places.crossed(columns(&["m", "f"], &[3, 1, 2])).expect("distinct");
        let mut rows = Vec::new();
        for place in ["x", "y"] {
            for sex in ["m", "f"] {
                rows.extend([3, 1, 2].map(|age| vec![text(place), text(sex), number(age)]));
            }
        }
        assert_eq!(crossed, Keys::new(names(&["place", "sex", "age"]), rows).expect("distinct"));
        let refused = |columns| places.crossed(columns).expect_err("keys are refused").to_string();
        assert_eq!(refused(columns(&["m", "m"], &[1])), "keys: keys 1 and 2 are the same: x, m");
        assert_eq!(refused(columns(&["m"], &[])), "keys: there must be at least one column and one key");
        assert_eq!(refused(vec![("place".to_owned(), vec![number(1)])]), "keys: column `place` is listed twice");
    }

    /// Keys with many values, and with more than 2^64 combinations of values, are distinguished, too.
    #[test]
    fn keys_of_many_columns_are_told_apart() {
        let row = |i: i64, columns: i64| -> Vec<KeyValue> {
            (0..columns).map(|column| KeyValue::Integer((i * (2 * column + 7919)) % 997)).collect()
        };
        for columns in [2, 6, 7, 20] {
            let names: Vec<String> = (0..columns).map(|column| column.to_string()).collect();
            let mut rows: Vec<Vec<KeyValue>> = (0..997).map(|i| row(i, columns)).collect();
            let keys = Keys::new(names.clone(), rows.clone()).expect("distinct");
            assert!((0..columns as usize).all(|place| keys.values(place).count() == 997), "{columns}");
            rows.push(row(400, columns));
            let error = Keys::new(names, rows).expect_err("the same").to_string();
            assert!(error.starts_with("keys: keys 401 and 998 are the same: "), "{error}");
        }
    }
}
