//! Keys of margins of a table whose cells are too many to be listed.

use super::{KeyValue, Keys};
use crate::DataError;

/// Index by which the cells of margins are found. The margins of a table of ten columns have thousands of cells, and
/// the table has billions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Margins {
    /// The columns of each margin, by their places.
    pub(crate) sets: Vec<Vec<usize>>,
    /// The cells of each margin.
    pub(crate) lists: Vec<Keys>,
    /// The values of each column.
    pub(crate) values: Vec<Keys>,
}

impl Keys {
    /// The cells of margins of a table, margin after margin, the last column of each changing fastest. The table has
    /// all combinations of the `values` of its columns; a margin is named by the places of its columns, in ascending
    /// order. A row counts once in each margin if all of its columns have listed values, also those that a margin does
    /// not have, and otherwise in none: so margins add up.
    ///
    /// # Errors
    /// [`DataError::Keys`] unless there is a margin, each has columns of the table in ascending order, values of a
    /// column are distinct and of one kind, and there are fewer than 2^32 - 1 cells.
    ///
    /// # Example
    /// ```
    /// use inbounds_data::{KeyValue, Keys};
    /// let values = vec![vec![KeyValue::Boolean(false), KeyValue::Boolean(true)]; 3];
    /// let columns = ["a", "b", "c"].map(str::to_owned).to_vec();
    /// let keys = Keys::of_margins(columns, values, vec![vec![0, 1], vec![2]])?;
    /// assert_eq!(keys.len(), 4 + 2);
    /// assert_eq!(keys.margins(), Some(&[vec![0, 1], vec![2]][..]));
    /// # Ok::<(), inbounds_data::DataError>(())
    /// ```
    pub fn of_margins(
        columns: Vec<String>,
        values: Vec<Vec<KeyValue>>,
        sets: Vec<Vec<usize>>,
    ) -> Result<Self, DataError> {
        let refuse = |problem: String| Err(DataError::Keys { problem });
        if values.len() != columns.len() {
            return refuse(format!("there are values of {} columns for {} columns", values.len(), columns.len()));
        }
        let is_set =
            |set: &Vec<usize>| !set.is_empty() && set.is_sorted_by(|a, b| a < b) && set[set.len() - 1] < columns.len();
        if sets.is_empty() || !sets.iter().all(is_set) {
            return refuse("there must be a margin, and each must name columns in ascending order".to_owned());
        }
        let of_set =
            |set: &Vec<usize>| set.iter().fold(1_usize, |cells, &column| cells.saturating_mul(values[column].len()));
        let cells = sets.iter().map(of_set).fold(0, usize::saturating_add);
        if cells >= u32::MAX as usize {
            return refuse("there must be fewer than 2^32 - 1 keys".to_owned());
        }
        let lists = sets.iter().map(|set| {
            let names = set.iter().map(|&column| columns[column].clone()).collect();
            Self::new(names, combinations(set.iter().map(|&column| values[column].as_slice())))
        });
        let lists: Vec<Self> = lists.collect::<Result<_, _>>()?;
        let one = |(name, values): (&String, &Vec<KeyValue>)| {
            Self::new(vec![name.clone()], values.iter().map(|value| vec![value.clone()]).collect())
        };
        let of_column: Vec<Self> = columns.iter().zip(&values).map(one).collect::<Result<_, _>>()?;
        // The first value of each column that a margin does not have.
        let mut places = Vec::with_capacity(cells * columns.len());
        for (set, list) in sets.iter().zip(&lists) {
            for part in list.rows() {
                let begin = places.len();
                places.resize(begin + columns.len(), 0);
                set.iter().zip(part.places()).for_each(|(&column, &place)| places[begin + column] = place);
            }
        }
        Ok(Self { columns, values, places, margins: Some(Margins { sets, lists, values: of_column }) })
    }

    /// The margins whose cells these are, by the places of their columns; none of keys that are listed one by one.
    pub fn margins(&self) -> Option<&[Vec<usize>]> {
        self.margins.as_ref().map(|margins| margins.sets.as_slice())
    }

    /// In how many groups the keys divide rows: one a key, and of margins as many as the largest has cells.
    pub fn groups(&self) -> usize {
        let largest = self.margins.iter().flat_map(|margins| &margins.lists).map(Self::len).max();
        largest.unwrap_or(self.len())
    }

    /// Index by which margins are found.
    pub(crate) fn by_margin(&self) -> Option<&Margins> {
        self.margins.as_ref()
    }
}

/// All combinations of values of columns, the last column changing fastest.
///
/// # Example
/// ```
/// use inbounds_data::{KeyValue, combinations};
/// let values = [[1, 2, 3], [4, 5, 6]].map(|values| values.map(KeyValue::Integer));
/// let keys = combinations(values.iter().map(|values| values.as_slice()));
/// assert_eq!((keys.len(), &keys[1]), (9, &vec![KeyValue::Integer(1), KeyValue::Integer(5)]));
/// ```
pub fn combinations<'v>(columns: impl Iterator<Item = &'v [KeyValue]>) -> Vec<Vec<KeyValue>> {
    columns.fold(vec![Vec::new()], |rows, values| {
        let longer = |row: &Vec<KeyValue>| {
            let row = row.clone();
            values.iter().map(move |value| row.iter().chain([value]).cloned().collect())
        };
        rows.iter().flat_map(longer).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_margins_have_the_first_values_elsewhere() {
        let values = |n: i64| (0..n).map(|value| KeyValue::Integer(10 + value)).collect::<Vec<_>>();
        let columns = ["a", "b", "c"].map(str::to_owned).to_vec();
        let keys =
            Keys::of_margins(columns, vec![values(2), values(3), values(2)], vec![vec![1], vec![0, 2]]).expect("keys");
        let rows: Vec<String> = keys.rows().map(|row| super::super::shown(&row.to_vec())).collect();
        assert_eq!(rows[..3], ["10, 10, 10", "10, 11, 10", "10, 12, 10"]);
        assert_eq!(rows[3..], ["10, 10, 10", "10, 10, 11", "11, 10, 10", "11, 10, 11"]);
        assert_eq!(keys.values(1).count(), 3);
        let columns = vec!["a".to_owned()];
        for (values, sets) in [
            (vec![values(2)], vec![]),
            (vec![values(2)], vec![vec![]]),
            (vec![values(2)], vec![vec![1]]),
            (vec![values(2)], vec![vec![0, 0]]),
            (vec![values(0)], vec![vec![0]]),
            (vec![], vec![vec![0]]),
        ] {
            assert!(Keys::of_margins(columns.clone(), values, sets).is_err());
        }
    }
}
