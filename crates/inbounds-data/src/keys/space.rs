//! All keys that can be, where they are public: too many to list, and numbered without listing them.

use crate::{DataError, KeyValue};

/// The values that a column of a key can have. Public.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum KeyDomain {
    /// These, in increasing order, each once.
    Values(Vec<KeyValue>),
    /// All whole numbers from the first to the second.
    Integers(i64, i64),
}

impl KeyDomain {
    /// Listed values in any order.
    pub fn of_values(values: impl IntoIterator<Item = KeyValue>) -> Self {
        let mut values: Vec<KeyValue> = values.into_iter().collect();
        values.sort();
        values.dedup();
        Self::Values(values)
    }

    /// `true` for a value that a column of the key can have.
    pub fn contains(&self, value: &KeyValue) -> bool {
        self.place(value).is_some()
    }

    fn size(&self) -> u128 {
        match self {
            Self::Values(values) => values.len() as u128,
            Self::Integers(first, last) => u128::try_from(i128::from(*last) - i128::from(*first) + 1).unwrap_or(0),
        }
    }

    fn place(&self, value: &KeyValue) -> Option<u64> {
        match (self, value) {
            (Self::Values(values), _) => values.binary_search(value).ok().map(|place| place as u64),
            (Self::Integers(first, last), KeyValue::Integer(value)) if (first..=last).contains(&value) => {
                Some(value.abs_diff(*first))
            }
            (Self::Integers(..), _) => None,
        }
    }

    fn value(&self, place: u64) -> KeyValue {
        match self {
            Self::Values(values) => values[usize::try_from(place).expect("a place in a list")].clone(),
            Self::Integers(first, _) => KeyValue::Integer(first.wrapping_add_unsigned(place)),
        }
    }
}

/// All combinations of values that the columns of a key can have, in the order of keys: by the first column, then the
/// second, and so on.
///
/// # Example
/// ```
/// use inbounds_data::{KeyDomain, KeySpace, KeyValue};
/// let sex = KeyDomain::of_values(["m", "f"].map(|sex| KeyValue::Text(sex.to_owned())));
/// let space = KeySpace::new(vec![("sex".to_owned(), sex), ("code".to_owned(), KeyDomain::Integers(0, 99_999))])?;
/// assert_eq!(space.cells(), 200_000);
/// let key = [KeyValue::Text("m".to_owned()), KeyValue::Integer(7)];
/// assert_eq!((space.rank(&key), space.key(100_007)), (Some(100_007), key.to_vec()));
/// assert_eq!(space.rank(&[KeyValue::Text("x".to_owned()), KeyValue::Integer(7)]), None);
/// # Ok::<(), inbounds_data::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeySpace {
    columns: Vec<(String, KeyDomain)>,
    cells: u64,
}

impl KeySpace {
    /// Most keys of a space.
    pub const LARGEST: u64 = 1 << 63;

    /// The combinations of these columns.
    ///
    /// # Errors
    /// [`DataError::Keys`] without a key, or with more than [`KeySpace::LARGEST`].
    pub fn new(columns: Vec<(String, KeyDomain)>) -> Result<Self, DataError> {
        let cells = columns.iter().try_fold(1_u128, |cells, (_, domain)| cells.checked_mul(domain.size()));
        match cells.and_then(|cells| u64::try_from(cells).ok()) {
            Some(cells @ 1..=Self::LARGEST) if !columns.is_empty() => Ok(Self { columns, cells }),
            _ => Err(DataError::Keys { problem: "there must be from 1 to 2^63 keys".to_owned() }),
        }
    }

    /// Number of keys.
    pub fn cells(&self) -> u64 {
        self.cells
    }

    /// The columns with the values that they can have.
    pub fn columns(&self) -> &[(String, KeyDomain)] {
        &self.columns
    }

    /// The place of a key, from 0; `None` if it is none of them.
    pub fn rank(&self, key: &[KeyValue]) -> Option<u64> {
        if key.len() != self.columns.len() {
            return None;
        }
        let mut cells = self.columns.iter().zip(key);
        cells.try_fold(0, |rank, ((_, domain), value)| Some(rank * domain.size() as u64 + domain.place(value)?))
    }

    /// The key at a place.
    ///
    /// # Panics
    /// If there are fewer keys.
    pub fn key(&self, rank: u64) -> Vec<KeyValue> {
        assert!(rank < self.cells, "a place in the space");
        let mut rest = rank;
        let value = |(_, domain): &(String, KeyDomain)| {
            let size = domain.size() as u64;
            let place = rest % size;
            rest /= size;
            domain.value(place)
        };
        let mut key: Vec<KeyValue> = self.columns.iter().rev().map(value).collect();
        key.reverse();
        key
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(first: i64, last: i64) -> KeyDomain {
        KeyDomain::Integers(first, last)
    }

    #[test]
    fn ranks_are_the_order_of_keys() -> Result<(), DataError> {
        let truths = KeyDomain::of_values([true, false].map(KeyValue::Boolean));
        let columns = [integers(-2, 2), truths, integers(i64::MAX - 2, i64::MAX)];
        let space = KeySpace::new(columns.map(|domain| ("a".to_owned(), domain)).to_vec())?;
        let keys: Vec<Vec<KeyValue>> = (0..space.cells()).map(|rank| space.key(rank)).collect();
        assert_eq!(keys.len(), 5 * 2 * 3);
        assert!(keys.is_sorted_by(|a, b| a < b), "{keys:?}");
        assert!((0..).zip(&keys).all(|(rank, key)| space.rank(key) == Some(rank)));
        Ok(())
    }

    #[test]
    fn a_space_has_from_one_to_its_largest_number_of_keys() {
        let space = |domains: &[KeyDomain]| {
            KeySpace::new(domains.iter().map(|domain| ("a".to_owned(), domain.clone())).collect())
        };
        assert!(space(&[]).is_err() && space(&[integers(3, 2)]).is_err());
        assert!(space(&[integers(i64::MIN, i64::MAX)]).is_err());
        let largest = space(&[integers(0, i64::MAX)]).expect("2^63 keys");
        assert_eq!(largest.key(KeySpace::LARGEST - 1), [KeyValue::Integer(i64::MAX)]);
        assert!(space(&[integers(0, i64::MAX), integers(0, 1)]).is_err());
        assert!(space(&vec![integers(i64::MIN, i64::MAX); 3]).is_err());
    }
}
