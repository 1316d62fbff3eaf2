//! One key of a list.

use std::{fmt, ops::Index};

use super::KeyValue;

/// A key of a list: one value of each of its columns.
///
/// # Example
/// ```
/// use inbounds_data::{KeyValue, Keys};
/// let key = |ward: i64, open: bool| vec![KeyValue::Integer(ward), KeyValue::Boolean(open)];
/// let keys = Keys::new(vec!["ward".into(), "open".into()], vec![key(7, true), key(9, true)])?;
/// let last = keys.row(1);
/// assert_eq!((&last[0], last.get(2), last.to_vec()), (&KeyValue::Integer(9), None, key(9, true)));
/// // The second ward that keys have, and the only truth.
/// assert_eq!(last.places(), [1, 0]);
/// # Ok::<(), inbounds_data::DataError>(())
/// ```
#[derive(Clone, Copy)]
pub struct KeyRow<'a> {
    /// The values of each column.
    values: &'a [Vec<KeyValue>],
    /// The place of its own among them.
    places: &'a [u32],
}

impl<'a> KeyRow<'a> {
    pub(super) fn new(values: &'a [Vec<KeyValue>], places: &'a [u32]) -> Self {
        Self { values, places }
    }

    /// The value of the column at a place; none where there is no such column.
    pub fn get(self, column: usize) -> Option<&'a KeyValue> {
        let place = *self.places.get(column)?;
        Some(&self.values[column][place as usize])
    }

    /// The place of the value of each column among those that keys have: `place` of `keys.values(column)`.
    pub fn places(self) -> &'a [u32] {
        self.places
    }

    /// Its values, in the order of their columns.
    pub fn iter(self) -> impl ExactSizeIterator<Item = &'a KeyValue> + Clone {
        self.values.iter().zip(self.places).map(|(values, place)| &values[*place as usize])
    }

    /// Number of columns.
    #[expect(clippy::len_without_is_empty, reason = "a key has a column")]
    pub fn len(self) -> usize {
        self.places.len()
    }

    /// The values themselves.
    pub fn to_vec(self) -> Vec<KeyValue> {
        self.iter().cloned().collect()
    }
}

impl Index<usize> for KeyRow<'_> {
    type Output = KeyValue;

    fn index(&self, column: usize) -> &KeyValue {
        &self.values[column][self.places[column] as usize]
    }
}

impl PartialEq<[KeyValue]> for KeyRow<'_> {
    fn eq(&self, other: &[KeyValue]) -> bool {
        self.iter().eq(other)
    }
}

impl PartialEq<Vec<KeyValue>> for KeyRow<'_> {
    fn eq(&self, other: &Vec<KeyValue>) -> bool {
        self.iter().eq(other)
    }
}

impl PartialEq for KeyRow<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for KeyRow<'_> {}

impl fmt::Debug for KeyRow<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}
