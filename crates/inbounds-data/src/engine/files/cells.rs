//! Counts, sums and sums of products per cell: keys and bins are public, so the cells are dense arrays, one for each
//! count, value and product.

use arrow::array::{Array, Int64Array};
use arrow::buffer::NullBuffer;
use inbounds_core::Answer;
use inbounds_core::planted::{Defect, keep_rows, planted};

use crate::Tally;

/// Shape of a tally.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) cells: usize,
    pub(super) values: usize,
    /// Pairs of values that are multiplied.
    pub(super) products: Vec<(usize, usize)>,
}

impl Shape {
    /// Sums and products in a cell.
    pub(super) fn sums(&self) -> usize {
        self.values + self.products.len()
    }

    /// `true` if the numbers of a tally take fewer than 2^31 bytes.
    pub(super) fn fits(&self) -> bool {
        let cell = self.sums().checked_mul(SUM).and_then(|sums| sums.checked_add(COUNT));
        cell.and_then(|cell| cell.checked_mul(self.cells)).is_some_and(|bytes| i32::try_from(bytes).is_ok())
    }
}

/// A count as an exact answer.
fn count(rows: i64) -> i128 {
    i128::from(if planted(Defect::CountWraps) { rows & 255 } else { rows })
}

/// Bytes of a count.
const COUNT: usize = size_of::<i64>();
/// Bytes of a sum.
const SUM: usize = size_of::<i128>();

/// Count and sums per cell, and one cell more that takes the rows that do not count.
///
/// # Why nothing overflows
/// Steps are at most 2^53 in magnitude, those that are multiplied at most 2^31, and a table has fewer than 2^63 rows: a
/// count is below 2^63, a sum below 2^116 and a sum of products below 2^125, inside an `i128`.
pub(super) struct Cells {
    counts: Vec<i64>,
    /// One for each value.
    sums: Vec<Vec<i128>>,
    /// One for each pair of values.
    products: Vec<((usize, usize), Vec<i128>)>,
}

/// Hand-written: the derived one would print private numbers.
impl std::fmt::Debug for Cells {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Cells").finish_non_exhaustive()
    }
}

impl Cells {
    pub(super) fn new(shape: &Shape) -> Self {
        let cells = shape.cells + 1;
        Self {
            counts: vec![0; cells],
            sums: vec![vec![0; cells]; shape.values],
            products: shape.products.iter().map(|&pair| (pair, vec![0; cells])).collect(),
        }
    }

    /// The answers of the listed cells.
    pub(super) fn into_tally(self) -> Tally {
        let listed = self.unlisted();
        if planted(Defect::RowsPublished) || planted(Defect::EmptyRefused) {
            keep_rows(self.counts.iter().sum::<i64>().unsigned_abs());
        }
        let answer = |mut sums: Vec<i128>| {
            sums.truncate(listed);
            if planted(Defect::SumWraps) {
                sums.iter_mut().for_each(|sum| *sum = i128::from(*sum as i32));
            }
            Answer::new(sums)
        };
        Tally {
            counts: answer(self.counts.into_iter().map(count).collect()),
            sums: self.sums.into_iter().map(answer).collect(),
            products: self.products.into_iter().map(|(_, sums)| answer(sums)).collect(),
        }
    }

    /// Adds what another thread tallied for the same question.
    pub(super) fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(&other.counts).for_each(|(total, count)| *total += count);
        let others = other.sums.iter().chain(other.products.iter().map(|(_, sums)| sums));
        let all = self.sums.iter_mut().chain(self.products.iter_mut().map(|(_, sums)| sums));
        for (totals, sums) in all.zip(others) {
            totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
    }

    /// The counts of the listed cells.
    pub(super) fn counts(&self) -> impl Iterator<Item = i64> + '_ {
        self.counts[..self.unlisted()].iter().copied()
    }

    /// All numbers of the listed cells: counts, then each sum, then each sum of products.
    pub(super) fn numbers(&self) -> impl Iterator<Item = i128> {
        let sums = self.sums.iter().chain(self.products.iter().map(|(_, sums)| sums));
        let listed = self.unlisted();
        let counts = self.counts[..listed].iter().map(|&count| i128::from(count));
        counts.chain(sums.flat_map(move |sums| sums[..listed].iter().copied()))
    }

    /// Adds numbers in that order; `None` if there are too few, or more rows than a count holds.
    pub(super) fn add_numbers(&mut self, mut next: impl FnMut() -> Option<i128>) -> Option<()> {
        let listed = self.unlisted();
        for count in &mut self.counts[..listed] {
            *count = count.checked_add(i64::try_from(next()?).ok()?)?;
        }
        for sums in self.sums.iter_mut().chain(self.products.iter_mut().map(|(_, sums)| sums)) {
            for sum in &mut sums[..listed] {
                *sum = sum.checked_add(next()?)?;
            }
        }
        Some(())
    }

    /// The cell of the rows that do not count.
    fn unlisted(&self) -> usize {
        self.counts.len() - 1
    }

    /// A batch of rows.
    pub(super) fn add(&mut self, cells: &[u32], steps: &[&Int64Array]) {
        match steps {
            [] => self.add_rows(cells),
            [steps] if self.products.is_empty() => self.add_steps(cells, steps),
            steps => self.add_many(cells, steps),
        }
    }

    /// Adds a batch of weighted rows.
    pub(super) fn add_weighted(&mut self, cells: &[u32], steps: &[&Int64Array], weights: &[i64]) {
        let valid = NullBuffer::union_many(steps.iter().map(|steps| steps.nulls()));
        let counted = valid.map(|valid| self.only(cells, &valid));
        let cells = counted.as_deref().unwrap_or(cells);
        cells.iter().zip(weights).for_each(|(&cell, weight)| self.counts[cell as usize] += weight);
        for (sums, steps) in self.sums.iter_mut().zip(steps) {
            let terms = steps.values().iter().zip(weights);
            add_to(sums, cells, terms.map(|(&steps, &weight)| i128::from(steps) * i128::from(weight)));
        }
        for ((left, right), sums) in &mut self.products {
            let pairs = steps[*left].values().iter().zip(steps[*right].values()).zip(weights);
            let product = |((&left, &right), &weight): ((&i64, &i64), &i64)| {
                i128::from(left) * i128::from(right) * i128::from(weight)
            };
            add_to(sums, cells, pairs.map(product));
        }
    }

    /// One row that counts.
    pub(super) fn add_row(&mut self, cell: u32, steps: &[i64]) {
        let cell = cell as usize;
        self.counts[cell] += 1;
        self.sums.iter_mut().zip(steps).for_each(|(sums, &steps)| sums[cell] += i128::from(steps));
        for ((left, right), sums) in &mut self.products {
            sums[cell] += i128::from(steps[*left]) * i128::from(steps[*right]);
        }
    }

    /// Rows without values.
    fn add_rows(&mut self, cells: &[u32]) {
        let counts = &mut self.counts[..];
        cells.iter().for_each(|&cell| counts[cell as usize] += 1);
    }

    /// Rows with one value: count and sum in one go, the most frequent query.
    fn add_steps(&mut self, cells: &[u32], steps: &Int64Array) {
        let unlisted = self.unlisted();
        // Slices: a vector's pointer would be loaded again for every row.
        let (counts, sums) = (&mut self.counts[..], &mut self.sums[0][..]);
        let mut add = |cell: usize, steps: i64| {
            counts[cell] += 1;
            sums[cell] += i128::from(steps);
        };
        let rows = cells.iter().zip(steps.values());
        match steps.nulls() {
            None => rows.for_each(|(&cell, &steps)| add(cell as usize, steps)),
            Some(valid) => rows
                .zip(valid.iter())
                .for_each(|((&cell, &steps), valid)| add(if valid { cell as usize } else { unlisted }, steps)),
        }
    }

    /// Rows with any number of values, of which all must be there: one loop for each array of cells.
    fn add_many(&mut self, cells: &[u32], steps: &[&Int64Array]) {
        let valid = NullBuffer::union_many(steps.iter().map(|steps| steps.nulls()));
        let counted = valid.map(|valid| self.only(cells, &valid));
        let cells = counted.as_deref().unwrap_or(cells);
        self.add_rows(cells);
        for (sums, steps) in self.sums.iter_mut().zip(steps) {
            add_to(sums, cells, steps.values().iter().map(|&steps| steps.into()));
        }
        for ((left, right), sums) in &mut self.products {
            let pairs = steps[*left].values().iter().zip(steps[*right].values());
            add_to(sums, cells, pairs.map(|(&left, &right)| i128::from(left) * i128::from(right)));
        }
    }

    /// The cells of valid rows; the others go where rows do not count.
    fn only(&self, cells: &[u32], valid: &NullBuffer) -> Vec<u32> {
        let unlisted = u32::try_from(self.unlisted()).expect("fewer than 2^32 cells");
        cells.iter().zip(valid).map(|(&cell, valid)| if valid { cell } else { unlisted }).collect()
    }
}

fn add_to(sums: &mut [i128], cells: &[u32], terms: impl Iterator<Item = i128>) {
    cells.iter().zip(terms).for_each(|(&cell, term)| sums[cell as usize] += term);
}
