//! Units that come one after another, as in a file that is sorted by them: they need not be remembered.
//!
//! **Idea.** Where the units of a batch ascend, or descend, all rows of a unit lie together. If no other batch has
//! units between the ends of this one, its inner units have no rows elsewhere: what is kept of them is tallied at once,
//! and forgotten. Rows of the two units at its ends are kept by name, with those of other batches.
//!
//! **Invariant.** An inner unit is tallied at once only in a batch that is in order, and the whole counts only if the
//! spans of all batches, from their least unit to their greatest, share no more than ends. Otherwise it is forgotten,
//! and all rows are read again with every unit kept by name. The comparison is that of the names themselves.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use super::super::units::{Name, Rows, UnitNames};

/// Order of units in all batches, as far as it is known.
#[derive(Default)]
pub(super) struct Spans {
    is_broken: AtomicBool,
    /// Least and greatest unit of each batch.
    spans: Mutex<Vec<[OwnedName; 2]>>,
}

/// The name of a unit. Private.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum OwnedName {
    Integer(i64),
    Text(Box<str>),
}

impl From<Name<'_>> for OwnedName {
    fn from(name: Name<'_>) -> Self {
        match name {
            Name::Integer(unit) => Self::Integer(unit),
            Name::Text(unit) => Self::Text(unit.into()),
        }
    }
}

/// The rows of a batch that count, in an order of their units.
pub(super) struct Ordered<'n> {
    /// Each with its unit, in the order of the batch.
    rows: Vec<(usize, Name<'n>)>,
}

impl Spans {
    /// The rows of a batch that count, if they are in order; otherwise from here on there is no order.
    pub(super) fn add<'n>(&self, names: &'n UnitNames<'_>, rows: &impl Rows) -> Option<Ordered<'n>> {
        let named = |row: usize| Some((row, names.name_at(row).filter(|_| rows.counts(row))?));
        let rows: Vec<_> = (0..names.len()).filter_map(named).collect();
        let unit = |&(_, name): &(usize, Name<'n>)| name;
        let (Some(first), Some(last)) = (rows.first().map(unit), rows.last().map(unit)) else {
            return Some(Ordered { rows });
        };
        let descends = first > last;
        if !rows.is_sorted_by(|(_, a), (_, b)| if descends { a >= b } else { a <= b }) {
            self.is_broken.store(true, Ordering::Relaxed);
            return None;
        }
        let span = [first.min(last).into(), first.max(last).into()];
        self.spans.lock().unwrap_or_else(PoisonError::into_inner).push(span);
        Some(Ordered { rows })
    }

    pub(super) fn is_broken(&self) -> bool {
        self.is_broken.load(Ordering::Relaxed)
    }

    /// `true` if all batches were in order, and share nothing but ends.
    pub(super) fn hold(&self) -> bool {
        let mut spans = self.spans.lock().unwrap_or_else(PoisonError::into_inner);
        spans.sort_unstable();
        !self.is_broken() && spans.is_sorted_by(|[_, greatest], [least, _]| greatest <= least)
    }
}

impl<'n> Ordered<'n> {
    /// Hands each row of the two units at the ends to `outer`, and the rows of each inner unit together to `inner`.
    pub(super) fn each(
        &self,
        mut outer: impl FnMut(usize, Name<'n>),
        mut inner: impl FnMut(Name<'n>, &[(usize, Name<'n>)]),
    ) {
        let (Some(&(_, first)), Some(&(_, last))) = (self.rows.first(), self.rows.last()) else { return };
        for rows in self.rows.chunk_by(|(_, a), (_, b)| a == b) {
            let (_, unit) = rows[0];
            if unit == first || unit == last {
                rows.iter().for_each(|&(row, _)| outer(row, unit));
            } else {
                inner(unit, rows);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, StringArray};

    use super::super::super::units::Stream;
    use super::*;

    struct All;

    impl Rows for All {
        fn counts(&self, _: usize) -> bool {
            true
        }

        fn write(&self, _: usize, _: &mut Stream) {}
    }

    /// Test of batches of these units: `true` if they hold together, and the finished units of each.
    fn inner(batches: &[ArrayRef]) -> (bool, Vec<Vec<usize>>) {
        let spans = Spans::default();
        let mut done = Vec::new();
        for batch in batches {
            let names = UnitNames::new(batch).expect("units");
            let mut rows = Vec::new();
            if let Some(ordered) = spans.add(&names, &All) {
                ordered.each(|_, _| {}, |_, of_unit| rows.extend(of_unit.iter().map(|&(row, _)| row)));
            }
            done.push(rows);
        }
        (spans.hold(), done)
    }

    fn integers(batches: &[&[i64]]) -> Vec<ArrayRef> {
        batches.iter().map(|batch| Arc::new(Int64Array::from(batch.to_vec())) as ArrayRef).collect()
    }

    #[test]
    fn batches_may_share_no_more_than_their_ends() {
        let (hold, done) = inner(&integers(&[&[1, 2, 2, 3], &[3, 3], &[9, 7, 7, 5], &[3, 4, 5], &[9], &[]]));
        assert!(hold);
        assert_eq!(done, [vec![1, 2], vec![], vec![1, 2], vec![1], vec![], vec![]]);
        for wrong in [
            [&[1, 2, 3][..], &[2, 2]],
            [&[1, 3], &[2, 4]],
            [&[5, 1], &[2, 2]],
            [&[1, 2, 1], &[7, 8]],
            [&[1, 5], &[1, 5]],
        ] {
            assert!(!inner(&integers(&wrong)).0, "{wrong:?}");
        }
    }

    #[test]
    fn texts_are_in_the_order_of_their_bytes() {
        let batch = |texts: &[Option<&str>]| Arc::new(StringArray::from(texts.to_vec())) as ArrayRef;
        let (hold, done) =
            inner(&[batch(&[Some("B"), None, Some("a"), None, Some("é")]), batch(&[Some("10"), Some("9")])]);
        assert!(hold);
        assert_eq!(done, [vec![2], vec![]]);
        assert!(!inner(&[batch(&[Some("9"), Some("10"), Some("11")])]).0);
    }
}
