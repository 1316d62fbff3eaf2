//! Keys that no list names: which the rows have, and the number of rows of each.

use inbounds_core::Answer;

use crate::{ContributionBound, KeyDomain, KeyRow, KeySpace, KeyValue, Keys};

/// A question for the keys that rows have. Public: it names columns, and holds no cell.
///
/// A row counts if it passes the filter and has a value in each column. Under a bound at most `rows` rows of a unit
/// count, chosen as [`ContributionBound`] says, with the values of the key in place of the cell: neither the rows nor
/// the keys of other units decide.
///
/// # Example
/// ```
/// use inbounds_data::{Engine, FileEngine, LearnKeys, Source};
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("rows.csv");
/// std::fs::write(&path, "code,person\nB20,ann\nA01,bob\nB20,bob\n,bob\n")?;
/// let engine = FileEngine::open(&Source::new(path.display().to_string()))?;
/// let learned = engine.learn(&LearnKeys::from_columns(&["code"]), None)?;
/// assert_eq!(learned.counts.private_steps(), [1, 2]);
/// // Noise chose the second.
/// let published = learned.keys.published(&[1]).expect("one key");
/// assert_eq!(published.row(0)[0].to_string(), "B20");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LearnKeys {
    /// Condition that a row must meet, as in [`Query::filter`](crate::Query::filter).
    pub filter: Option<String>,
    /// The columns of the key, at least one: integers, text or Booleans.
    pub columns: Vec<String>,
    /// Most bytes of a text: a longer one is missing, so its row does not count. A public rule, because keys are
    /// published whole.
    pub longest_text: usize,
    /// Columns of the key whose values are known: a row with another value there does not count.
    pub known: Vec<(String, KeyDomain)>,
    /// Bound on the rows of one unit.
    pub bound: Option<ContributionBound>,
    /// With a bound, most rows of a unit that count for one key, at least 1; with 1 the counts are those of distinct
    /// units.
    pub rows_per_cell: Option<u64>,
}

impl LearnKeys {
    /// The bytes of a text unless something else is said.
    pub const LONGEST_TEXT: usize = 256;

    /// The keys that all rows have in these columns.
    pub fn from_columns(columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self {
            filter: None,
            columns,
            longest_text: Self::LONGEST_TEXT,
            known: Vec::new(),
            bound: None,
            rows_per_cell: None,
        }
    }
}

/// The answer to [`LearnKeys`]. **Private**, keys and all.
pub struct LearnedCells {
    /// The keys, in their own order.
    pub keys: LearnedKeys,
    /// Number of rows of each key, in the order of the keys; 0 where a bound left none.
    pub counts: Answer,
}

/// The keys that rows have. **Private**: a key that is present may reveal that a person is.
///
/// They are in the order of their values, column by column: numbers by size, texts byte by byte, false before true. It
/// says nothing of the order of the rows. The type has no `Debug`, `Display`, `Clone` or serialisation: what may be
/// published of it is chosen by noise on the counts, as by `KeySelection` of `inbounds-mechanisms`, and taken by
/// [`LearnedKeys::published`].
///
/// ```compile_fail
/// fn show(keys: inbounds_data::LearnedKeys) {
///     println!("{keys:?}");
/// }
/// ```
pub struct LearnedKeys {
    columns: Vec<String>,
    rows: Vec<Vec<KeyValue>>,
}

impl From<Keys> for LearnedKeys {
    /// Public keys, held as if they were learned.
    fn from(keys: Keys) -> Self {
        let mut rows: Vec<Vec<KeyValue>> = keys.rows().map(KeyRow::to_vec).collect();
        rows.sort();
        Self { columns: keys.columns().to_vec(), rows }
    }
}

impl LearnedKeys {
    /// Public keys of a space, in its order, held as if they were learned.
    pub fn of_space(space: &KeySpace, rows: Vec<Vec<KeyValue>>) -> Self {
        Self { columns: space.columns().iter().map(|(name, _)| name.clone()).collect(), rows }
    }

    /// Sorted, distinct keys.
    pub(crate) fn new(columns: Vec<String>, rows: Vec<Vec<KeyValue>>) -> Self {
        Self { columns, rows }
    }

    /// The places of the keys in a space, in increasing order. **Private**: they are the keys.
    ///
    /// # Panics
    /// If a key is none of the space.
    pub fn ranks(&self, space: &KeySpace) -> Vec<u64> {
        self.rows.iter().map(|key| space.rank(key).expect("a key of the space")).collect()
    }

    /// The keys at these places, which noise chose and are public; `None` where it chose none.
    ///
    /// # Panics
    /// If a place is beyond the keys, or places do not ascend.
    pub fn published(self, places: &[usize]) -> Option<Keys> {
        assert!(places.is_sorted_by(|a, b| a < b), "places ascend");
        let mut rows: Vec<Option<Vec<KeyValue>>> = self.rows.into_iter().map(Some).collect();
        let chosen: Vec<_> = places.iter().map(|&place| rows[place].take().expect("each place once")).collect();
        let keys = |chosen| Keys::new(self.columns, chosen).expect("learned keys are distinct, a column of one kind");
        (!chosen.is_empty()).then(|| keys(chosen))
    }
}
