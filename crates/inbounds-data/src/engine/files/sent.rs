//! Rows on their way from the machine that reads them to the one that keeps them.
//!
//! A row is what [`Rows::write`] writes of it, behind the name of its unit: the number of its words with a bit for a name that is a text,
//! the name, and the words, all as [`super::numbers`] writes numbers. Hashes of names differ from one process to the next, so none travels.

use std::ops::ControlFlow;

use super::numbers::{read, write};
use super::units::{Name, Rows, Stream, UnitNames};

/// Rows that one thread has read for another machine. Private, and without a form in which it could be shown.
pub(super) struct Outbox {
    bytes: Vec<u8>,
    rows: u64,
    /// The words of one row; memory used again.
    stream: Stream,
}

impl Outbox {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), rows: 0, stream: Stream::new() }
    }

    /// Takes the rows of a batch that count, whose units are these.
    pub(super) fn add(&mut self, names: &UnitNames<'_>, rows: &impl Rows) {
        let Self { bytes, rows: sent, stream } = self;
        for row in 0..names.len() {
            let Some(name) = names.of(row).filter(|_| rows.counts(row)) else { continue };
            stream.write_only([row], rows).for_each(|words| write_row(name, words.rest(), bytes));
            *sent += 1;
        }
    }

    /// Writes how many rows all of these have, and then the rows.
    pub(super) fn write_all<'s>(boxes: impl Iterator<Item = &'s Self> + Clone, bytes: &mut Vec<u8>) {
        write(boxes.clone().map(|sent| i128::from(sent.rows)).sum(), bytes);
        boxes.for_each(|sent| bytes.extend_from_slice(&sent.bytes));
    }
}

fn write_row(name: Name<'_>, words: &[u64], bytes: &mut Vec<u8>) {
    let head = (words.len() as i128) << 1;
    match name {
        Name::Integer(unit) => {
            write(head, bytes);
            write(unit.into(), bytes);
        }
        Name::Text(unit) => {
            write(head | 1, bytes);
            write(unit.len() as i128, bytes);
            bytes.extend_from_slice(unit.as_bytes());
        }
    }
    // As signed numbers, for many are small negative ones.
    words.iter().for_each(|&word| write((word as i64).into(), bytes));
}

/// A row that has arrived: its words.
pub(super) struct Arrived<'w>(pub(super) &'w [u64]);

impl Rows for Arrived<'_> {
    fn counts(&self, _: usize) -> bool {
        true
    }

    fn write(&self, _: usize, stream: &mut Stream) {
        self.0.iter().for_each(|&word| stream.push(word));
    }
}

/// Hands each row that [`Outbox::write_all`] wrote to `take`, which returns false for words that no row has; false if there are no such rows.
pub(super) fn take_rows(bytes: &mut &[u8], mut take: impl FnMut(Name<'_>, &[u64]) -> bool) -> bool {
    let Some(rows) = read(bytes).and_then(|rows| u64::try_from(rows).ok()) else { return false };
    let mut words = Vec::new();
    let taken = (0..rows).try_for_each(|_| match take_row(bytes, &mut words) {
        Some(name) if take(name, &words) => ControlFlow::Continue(()),
        _ => ControlFlow::Break(()),
    });
    taken.is_continue()
}

/// The name of the next row; its words are put into `words`.
fn take_row<'b>(bytes: &mut &'b [u8], words: &mut Vec<u64>) -> Option<Name<'b>> {
    let head = usize::try_from(read(bytes)?).ok()?;
    let name = if head & 1 == 0 {
        Name::Integer(i64::try_from(read(bytes)?).ok()?)
    } else {
        let length = usize::try_from(read(bytes)?).ok()?;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Name::Text(std::str::from_utf8(text).ok()?)
    };
    words.clear();
    for _ in 0..head >> 1 {
        words.push(i64::try_from(read(bytes)?).ok()? as u64);
    }
    Some(name)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    struct Numbered(Vec<Vec<u64>>);

    impl Rows for Numbered {
        fn counts(&self, row: usize) -> bool {
            !self.0[row].is_empty()
        }

        fn write(&self, row: usize, stream: &mut Stream) {
            self.0[row].iter().for_each(|&word| stream.push(word));
        }
    }

    /// The rows that arrive, each as the name of its unit and its words.
    fn arrived(bytes: &[u8]) -> Option<Vec<(String, Vec<u64>)>> {
        let mut rows = Vec::new();
        let mut rest = bytes;
        let whole = take_rows(&mut rest, |name, words| {
            let name = match name {
                Name::Integer(unit) => unit.to_string(),
                Name::Text(unit) => unit.to_owned(),
            };
            rows.push((name, words.to_vec()));
            true
        });
        (whole && rest.is_empty()).then_some(rows)
    }

    #[test]
    fn rows_arrive_as_they_were_sent() {
        let rows = Numbered(vec![vec![0, u64::MAX], vec![], vec![7], vec![1 << 63, 5, 6]]);
        let integers: ArrayRef = Arc::new(Int64Array::from(vec![Some(i64::MIN), Some(2), None, Some(-3)]));
        let texts: ArrayRef =
            Arc::new(StringArray::from(vec![Some("a unit of many letters"), None, Some(""), Some("é")]));
        for (units, names) in [
            (integers, vec![i64::MIN.to_string(), "-3".to_owned()]),
            (texts, vec!["a unit of many letters".to_owned(), String::new(), "é".to_owned()]),
        ] {
            let mut boxes = [Outbox::new(), Outbox::new()];
            boxes[1].add(&UnitNames::new(&units).expect("units"), &rows);
            let mut bytes = Vec::new();
            Outbox::write_all(boxes.iter(), &mut bytes);
            let found = arrived(&bytes).expect("rows");
            assert_eq!(found.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), names);
            assert_eq!((&found[0].1, &found.last().expect("a row").1), (&vec![0, u64::MAX], &vec![1 << 63, 5, 6]));
            // No piece of it panics, and none is whole.
            assert!((0..bytes.len()).all(|end| arrived(&bytes[..end]).is_none()));
        }
    }
}
