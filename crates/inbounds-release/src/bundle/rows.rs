//! Row labels of a table, a block at a time.

use std::ops::Range;

use inbounds_bundle::KindWord;
use inbounds_data::{KeyValue, Keys, Kind};

use crate::{Labels, Released, levels::Granularity, plan::Plan};

/// The unit of what is in that of its statistic.
pub(super) const OWN_UNIT: &str = "unit of the statistic, see release.json";

/// Numbers of a statistic that follow one another in a table, with what is known of them.
pub(super) struct Vector<'a, T> {
    pub(super) statistic: &'a str,
    pub(super) kind: KindWord,
    pub(super) columns: &'a [String],
    /// The keys that were listed, if they were.
    listed: Option<&'a Keys>,
    pub(super) labels: Labels<'a>,
    pub(super) known: T,
}

impl<'a, T> Vector<'a, T> {
    pub(super) fn new(plan: &'a Plan, released: &'a Released, labels: Labels<'a>, known: T) -> Self {
        let described = &plan.statistics[released.task.index];
        let (statistic, kind) = (described.name.value.as_str(), described.kind.word());
        let (columns, listed) = (released.task.key_columns(), released.task.query.keys.as_ref());
        Self { statistic, kind, columns, listed, labels, known }
    }

    /// Kind of the values of a grouping column; each column has one. None without values.
    fn kind_of(&self, column: &str) -> Option<Kind> {
        let place = self.columns.iter().position(|name| name == column)?;
        let first = || (0..self.labels.len()).find_map(|number| self.labels.key(number).get(place)?.kind());
        match self.listed {
            // The missing cell is a word among them.
            Some(keys) if keys.values(place).any(|value| *value == KeyValue::Missing) => Some(Kind::Text),
            Some(keys) => keys.values(place).find_map(KeyValue::kind),
            None => first(),
        }
    }
}

/// A row of a table.
pub(super) struct Row<'r, T> {
    pub(super) vector: &'r Vector<'r, T>,
    /// Its place among the numbers of its vector.
    pub(super) place: usize,
}

/// Rows of a table that follow one another.
pub(super) struct Block<'r, T> {
    /// Vector after vector, with the places of the numbers.
    parts: Vec<(&'r Vector<'r, T>, Range<usize>)>,
}

impl<'r, T> Block<'r, T> {
    /// The rows, one by one.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'r, T>> {
        self.parts.iter().flat_map(|(vector, places)| places.clone().map(|place| Row { vector: *vector, place }))
    }

    /// Properties of the vector of each row.
    pub(super) fn known(&self) -> impl Iterator<Item = &'r T> {
        self.vectors().map(|vector| &vector.known)
    }

    /// The vector of each row.
    pub(super) fn vectors(&self) -> impl Iterator<Item = &'r Vector<'r, T>> {
        self.parts.iter().flat_map(|(vector, places)| std::iter::repeat_n(*vector, places.len()))
    }

    /// The value of a grouping column in each row.
    pub(super) fn keys(&self, column: &str) -> impl Iterator<Item = Option<&'r KeyValue>> {
        self.parts.iter().flat_map(move |(vector, places)| {
            let place = vector.columns.iter().position(|name| name == column);
            // Of a vector without the column no key is looked for.
            let with = place.map_or(0..0, |_| places.clone());
            let keys = vector.labels.keys(with).map(move |(key, _)| key.get(place.unwrap_or(usize::MAX)));
            keys.chain(std::iter::repeat_n(None, if place.is_some() { 0 } else { places.len() }))
        })
    }

    /// The level or margin of each row.
    pub(super) fn granularities(&self) -> impl Iterator<Item = Option<&'r Granularity>> {
        self.parts
            .iter()
            .flat_map(|(vector, places)| vector.labels.keys(places.clone()).map(|(_, granularity)| granularity))
    }
}

/// A grouping column of a table.
pub(super) struct By<'a> {
    pub(super) column: &'a str,
    /// Kind of its values: text where they are of several kinds, or missing, or there are none.
    pub(super) kind: Kind,
}

/// The rows of a table: vector after vector.
pub(super) struct Rows<'a, T> {
    vectors: Vec<Vector<'a, T>>,
    pub(super) by: Vec<By<'a>>,
}

impl<'a, T> Rows<'a, T> {
    /// The rows of these vectors, which are of these statistics.
    pub(super) fn new(statistics: &'a [Released], vectors: Vec<Vector<'a, T>>) -> Self {
        let mut by: Vec<&String> = statistics.iter().flat_map(|released| released.task.key_columns()).collect();
        by.sort_unstable();
        by.dedup();
        let typed = |column: &'a String| {
            let mut kinds = vectors.iter().filter_map(|vector| vector.kind_of(column));
            let first = kinds.next().unwrap_or(Kind::Text);
            By { column, kind: if kinds.all(|kind| kind == first) { first } else { Kind::Text } }
        };
        let by = by.into_iter().map(typed).collect();
        Self { vectors, by }
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.vectors.iter().map(|vector| vector.labels.len()).sum()
    }

    /// Some of the rows.
    pub(super) fn block(&self, range: Range<usize>) -> Block<'_, T> {
        let mut parts = Vec::new();
        let mut begin = 0;
        for vector in &self.vectors {
            let end = begin + vector.labels.len();
            let places = range.start.max(begin)..range.end.min(end);
            if !places.is_empty() {
                parts.push((vector, places.start - begin..places.end - begin));
            }
            begin = end;
        }
        Block { parts }
    }
}
