//! The folds of the units of a shard, and the rows of a batch that go into them.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, Float64Array, Int64Array, StringViewArray};

use super::cells::{Cells, array_of};
use super::reduction::{End, Fold, FoldOf};
use crate::Kind;
use crate::engine::files::program::Values;
use crate::engine::files::units::{Kept, Rows, Stream, Words};

/// Folds whose rows are told in one word of a stream.
pub(super) const IN_A_WORD: usize = 64;

/// All folds of the units of a shard.
pub(super) struct Folds {
    units: usize,
    columns: Vec<Column>,
}

/// One fold, with what it is for each unit.
enum Column {
    Rows(Vec<i64>),
    Sum { sums: Vec<i128>, exponent: i32 },
    Mean { sums: Vec<i128>, cells: Vec<u64>, exponent: i32 },
    Words { best: Vec<Option<(u64, u64)>>, kind: Kind, end: End },
    Texts { best: Vec<Option<(u64, Box<str>)>>, letters: usize, end: End },
    Any(Vec<bool>),
}

impl Column {
    fn new(quantity: &FoldOf) -> Self {
        match *quantity {
            FoldOf::Rows => Self::Rows(Vec::new()),
            FoldOf::Sum { exponent, .. } => Self::Sum { sums: Vec::new(), exponent },
            FoldOf::Mean { exponent, .. } => Self::Mean { sums: Vec::new(), cells: Vec::new(), exponent },
            FoldOf::Extreme { kind: Kind::Text, end, .. } => Self::Texts { best: Vec::new(), letters: 0, end },
            FoldOf::Extreme { kind, end, .. } => Self::Words { best: Vec::new(), kind, end },
            FoldOf::Any { .. } => Self::Any(Vec::new()),
        }
    }

    fn add_unit(&mut self) {
        match self {
            Self::Rows(rows) => rows.push(0),
            Self::Sum { sums, .. } => sums.push(0),
            Self::Mean { sums, cells, .. } => {
                sums.push(0);
                cells.push(0);
            }
            Self::Words { best, .. } => best.push(None),
            Self::Texts { best, .. } => best.push(None),
            Self::Any(any) => any.push(false),
        }
    }

    fn take(&mut self, unit: usize, words: &mut Words<'_>) {
        match self {
            Self::Rows(rows) => rows[unit] += 1,
            // No sum of fewer than 2^64 steps of at most 2^53 leaves 128 bits.
            Self::Sum { sums, .. } => sums[unit] += i128::from(words.word() as i64),
            Self::Mean { sums, cells, .. } => {
                sums[unit] += i128::from(words.word() as i64);
                cells[unit] += 1;
            }
            Self::Words { best, end, .. } => {
                let candidate = (words.word(), words.word());
                if best[unit].is_none_or(|best| end.is_before(candidate.cmp(&best))) {
                    best[unit] = Some(candidate);
                }
            }
            Self::Texts { best, letters, end } => {
                let (order, text) = (words.word(), words.text());
                let is_before = |(known, best): &(u64, Box<str>)| end.is_before((order, text).cmp(&(*known, best)));
                if best[unit].as_ref().is_none_or(is_before) {
                    let before = best[unit].replace((order, text.into()));
                    *letters = *letters + text.len() - before.map_or(0, |(_, text)| text.len());
                }
            }
            Self::Any(any) => any[unit] |= words.word() != 0,
        }
    }

    /// Bytes of memory.
    fn bytes(&self) -> usize {
        match self {
            Self::Rows(rows) => size_of::<i64>() * rows.capacity(),
            Self::Sum { sums, .. } => size_of::<i128>() * sums.capacity(),
            Self::Mean { sums, cells, .. } => size_of::<i128>() * sums.capacity() + size_of::<u64>() * cells.capacity(),
            Self::Words { best, .. } => size_of::<Option<(u64, u64)>>() * best.capacity(),
            Self::Texts { best, letters, .. } => size_of::<Option<(u64, Box<str>)>>() * best.capacity() + letters,
            Self::Any(any) => any.capacity(),
        }
    }

    /// Prefetches what is kept of a unit: returns a word of it.
    fn prefetch(&self, unit: usize) -> i64 {
        match self {
            Self::Rows(rows) => rows[unit],
            Self::Sum { sums, .. } | Self::Mean { sums, .. } => sums[unit] as i64,
            Self::Words { best, .. } => best[unit].map_or(0, |(order, _)| order as i64),
            Self::Texts { best, .. } => best[unit].as_ref().map_or(0, |(order, _)| *order as i64),
            Self::Any(any) => any[unit].into(),
        }
    }

    /// The cells of all units.
    fn finish(self) -> ArrayRef {
        match self {
            Self::Rows(rows) => Arc::new(Int64Array::from(rows)),
            Self::Sum { sums, exponent: 0 } => {
                let nearest = |sum: i128| i64::try_from(sum).unwrap_or(if sum < 0 { i64::MIN } else { i64::MAX });
                Arc::new(Int64Array::from_iter_values(sums.into_iter().map(nearest)))
            }
            Self::Sum { sums, exponent } => {
                Arc::new(Float64Array::from_iter_values(sums.into_iter().map(|sum| value(sum, exponent))))
            }
            Self::Mean { sums, cells, exponent } => {
                let mean = |(sum, cells): (i128, u64)| (cells > 0).then(|| value(sum, exponent) / cells as f64);
                Arc::new(sums.into_iter().zip(cells).map(mean).collect::<Float64Array>())
            }
            Self::Words { best, kind, .. } => array_of(best.iter().map(|best| best.map(|(_, cell)| cell)), kind),
            Self::Texts { best, .. } => {
                Arc::new(best.iter().map(|best| best.as_ref().map(|(_, text)| text)).collect::<StringViewArray>())
            }
            Self::Any(any) => Arc::new(BooleanArray::from(any)),
        }
    }
}

/// A sum of steps as the nearest double, times the spacing of its grid.
fn value(sum: i128, exponent: i32) -> f64 {
    sum as f64 * 2f64.powi(exponent)
}

impl End {
    /// `true` if a value that compares like this comes before.
    fn is_before(self, compared: Ordering) -> bool {
        match self {
            Self::Least => compared == Ordering::Less,
            Self::Greatest => compared == Ordering::Greater,
        }
    }
}

impl Folds {
    pub(super) fn new(folds: &[Fold]) -> Self {
        Self { units: 0, columns: folds.iter().map(|fold| Column::new(&fold.quantity)).collect() }
    }

    /// Number of units.
    pub(super) fn units(&self) -> usize {
        self.units
    }

    /// The cells of all units, column by column; nothing is kept of them.
    pub(super) fn finish(&mut self) -> Vec<ArrayRef> {
        std::mem::take(&mut self.columns).into_iter().map(Column::finish).collect()
    }
}

impl Kept for Folds {
    fn add_unit(&mut self) {
        self.units += 1;
        self.columns.iter_mut().for_each(Column::add_unit);
    }

    fn take(&mut self, unit: usize, _: impl FnOnce() -> u64, words: &mut Words<'_>) {
        for columns in self.columns.chunks_mut(IN_A_WORD) {
            let mut takes = words.word();
            while takes != 0 {
                columns[takes.trailing_zeros() as usize].take(unit, words);
                takes &= takes - 1;
            }
        }
    }

    fn bytes(&self) -> usize {
        self.columns.iter().map(Column::bytes).sum()
    }

    fn prefetch(&self, unit: usize) -> i64 {
        self.columns.iter().fold(0, |sum, column| column.prefetch(unit) ^ sum)
    }
}

/// The rows of a batch, as the folds take them.
pub(super) struct BatchRows<'v>(Vec<Part<'v>>);

/// The same for one fold.
struct Part<'v> {
    condition: Option<&'v BooleanArray>,
    quantity: PartOf<'v>,
}

enum PartOf<'v> {
    Rows,
    Steps(&'v Int64Array),
    Extreme { order: Option<Cells>, cell: Cells },
    Any(Cells),
}

impl<'v> BatchRows<'v> {
    pub(super) fn new(folds: &[Fold], values: &'v Values) -> Self {
        let part = |fold: &Fold| Part {
            condition: fold.condition.map(|id| values.truth(id)),
            quantity: match fold.quantity {
                FoldOf::Rows => PartOf::Rows,
                FoldOf::Sum { steps, .. } | FoldOf::Mean { steps, .. } => PartOf::Steps(values.steps(steps)),
                FoldOf::Extreme { order, cell, .. } => PartOf::Extreme {
                    order: order.map(|id| Cells::from_array(values.array(id))),
                    cell: Cells::from_array(values.array(cell)),
                },
                FoldOf::Any { cell } => PartOf::Any(Cells::from_array(values.array(cell))),
            },
        };
        Self(folds.iter().map(part).collect())
    }
}

impl Part<'_> {
    fn takes(&self, row: usize) -> bool {
        self.condition.is_none_or(|condition| condition.is_valid(row) && condition.value(row))
            && match &self.quantity {
                PartOf::Rows => true,
                PartOf::Steps(steps) => steps.is_valid(row),
                PartOf::Extreme { order, cell } => {
                    cell.is_valid(row) && order.as_ref().is_none_or(|order| order.is_valid(row))
                }
                PartOf::Any(cell) => cell.is_valid(row),
            }
    }

    fn write(&self, row: usize, stream: &mut Stream) {
        match &self.quantity {
            PartOf::Rows => {}
            PartOf::Steps(steps) => stream.push(steps.value(row) as u64),
            PartOf::Extreme { order, cell } => {
                match order {
                    Some(order) => order.write(row, stream),
                    None => stream.push(0),
                }
                cell.write(row, stream);
            }
            PartOf::Any(cell) => cell.write(row, stream),
        }
    }
}

impl Cells {
    fn write(&self, row: usize, stream: &mut Stream) {
        match self {
            Self::Words { words, .. } => stream.push(words[row]),
            Self::Texts(texts) => stream.push_text(texts.value(row)),
        }
    }
}

impl Rows for BatchRows<'_> {
    /// A unit is a row of its table, whatever is taken of it.
    fn counts(&self, _: usize) -> bool {
        true
    }

    /// A bit for each fold that takes the row, and then what they take.
    fn write(&self, row: usize, stream: &mut Stream) {
        for parts in self.0.chunks(IN_A_WORD) {
            let takes = parts.iter().enumerate().filter(|(_, part)| part.takes(row));
            let bits = takes.fold(0, |bits, (place, _)| bits | 1 << place);
            stream.push(bits);
            parts.iter().enumerate().filter(|(place, _)| bits >> place & 1 == 1).for_each(|(_, part)| {
                part.write(row, stream);
            });
        }
    }
}
