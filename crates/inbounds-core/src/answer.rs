//! The private side of the trust line.

use std::ops::Range;

use crate::{Neighbours, Rational};

/// The exact integer answers of a query over private rows, one a cell, in steps of a public grid. **Private.**
///
/// The type has no `Debug`, `Display`, `Clone` or serialisation, so an answer cannot slip into a message, a log or a
/// bundle; it is consumed by a mechanism, which returns measurements.
///
/// ```compile_fail
/// println!("{:?}", inbounds_core::Answer::new(vec![1]));
/// ```
pub struct Answer(Vec<i128>);

impl Answer {
    /// Wraps exact answers.
    pub fn new(steps: Vec<i128>) -> Self {
        Self(steps)
    }

    /// The exact answers, for a mechanism. Whoever calls this holds private numbers; a test counts the callers.
    pub fn private_steps(&self) -> &[i128] {
        &self.0
    }

    /// The same in memory of their own, for a mechanism that measures them there.
    pub fn into_private_steps(self) -> Vec<i128> {
        self.0
    }

    /// Number of cells, which is public: it is the number of public keys.
    pub fn cells(&self) -> usize {
        self.0.len()
    }

    /// `factor * self + other_factor * other`, cell by cell, as exact integers.
    ///
    /// # Panics
    /// If the two have not the same number of cells, or a cell leaves the range of `i128`.
    pub fn combine(&self, factor: i128, other: &Self, other_factor: i128) -> Self {
        assert_eq!(self.cells(), other.cells(), "answers of one query have the same cells");
        let combine = |(a, b): (&i128, &i128)| {
            let (a, b) = (factor.checked_mul(*a), other_factor.checked_mul(*b));
            a.zip(b).and_then(|(a, b)| a.checked_add(b)).expect("row counts times steps stay below 2^120")
        };
        Self(self.0.iter().zip(&other.0).map(combine).collect())
    }

    /// `sum_i factors[i] * answers[i]`, cell by cell, as exact integers.
    ///
    /// # Panics
    /// If there is no answer, not one factor an answer, or as [`Answer::combine`] does.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Answer;
    /// let net = Answer::weighted(&[Answer::new(vec![5, 0]), Answer::new(vec![2, 1])], &[1, -2]);
    /// assert_eq!(net.private_steps(), [1, -2]);
    /// ```
    pub fn weighted(answers: &[Self], factors: &[i128]) -> Self {
        assert_eq!(answers.len(), factors.len(), "every answer has a factor");
        let nothing = answers.first().expect("an answer").combine(0, &answers[0], 0);
        answers.iter().zip(factors).fold(nothing, |sum, (answer, factor)| sum.combine(1, answer, *factor))
    }

    /// Sums of cells: cell `c` of the result is the sum of all cells `i` of this answer with `group[i] = c`.
    ///
    /// The map is public and the result is private, like what it is made of.
    ///
    /// # Panics
    /// If there is not one group a cell, a group is not below `groups`, or a sum leaves the range of `i128`.
    ///
    /// # Example
    /// ```
    /// let counties = inbounds_core::Answer::new(vec![5, 0, 7]);
    /// assert_eq!(counties.sums(&[0, 1, 0], 2).private_steps(), [12, 0]);
    /// ```
    pub fn sums(&self, group: &[u32], groups: usize) -> Self {
        self.sums_within(0..self.cells(), group, groups)
    }

    /// The same of a run of cells: `group[i]` is that of its cell `i`.
    ///
    /// # Panics
    /// If the run passes the cells, or as [`Answer::sums`] does.
    ///
    /// # Example
    /// ```
    /// let counties = inbounds_core::Answer::new(vec![5, 0, 7]);
    /// assert_eq!(counties.sums_within(1..3, &[0, 0], 1).private_steps(), [7]);
    /// ```
    pub fn sums_within(&self, cells: Range<usize>, group: &[u32], groups: usize) -> Self {
        Self(sums_of_groups(&self.0[cells], group, groups))
    }

    /// Sums over runs of cells: cell `c` of the result is the sum of the cells `spans[c]` of this answer.
    ///
    /// # Panics
    /// If a run passes the cells, or a sum leaves the range of `i128`.
    ///
    /// # Example
    /// ```
    /// let pairs = inbounds_core::Answer::new(vec![5, 1, 7]).sums_of_spans(&[0..2, 2..3]);
    /// assert_eq!(pairs.private_steps(), [6, 7]);
    /// ```
    pub fn sums_of_spans(&self, spans: &[Range<usize>]) -> Self {
        Self(sums_of_spans(&self.0, spans))
    }

    /// Residuals of a table, once the mean along each of its columns is taken away, times the number of its cells: the
    /// answer `prod_j (n_j I - J_j)` times the cells of a table whose column `j` has `n_j` values, the last one
    /// changing fastest, where `J_j` sums along it. A cell may have several numbers, side by side; each of them forms
    /// such a table.
    ///
    /// # Panics
    /// If there are not this many numbers for each cell of such a table, or a number leaves the range of `i128`.
    ///
    /// # Example
    /// ```
    /// let table = inbounds_core::Answer::new(vec![5, 1, 0, 2]);
    /// assert_eq!(table.residual(&[2, 2], 1).private_steps(), [6, -6, -6, 6]);
    /// assert_eq!(inbounds_core::Answer::new(vec![5, 1, 0]).residual(&[3], 1).private_steps(), [9, -3, -6]);
    /// assert_eq!(inbounds_core::Answer::new(vec![8]).residual(&[], 1).private_steps(), [8]);
    /// // Two numbers of each of two cells.
    /// assert_eq!(inbounds_core::Answer::new(vec![5, 1, 0, 2]).residual(&[2], 2).private_steps(), [5, -1, -5, 1]);
    /// ```
    pub fn residual(&self, values: &[usize], numbers: usize) -> Self {
        assert_eq!(values.iter().product::<usize>() * numbers, self.cells(), "the cells of a table");
        let mut cells = self.0.clone();
        let mut stride = cells.len();
        for &n in values {
            let block = stride;
            stride /= n;
            for block in cells.chunks_exact_mut(block) {
                (0..stride).for_each(|line| off_mean(block, (line, stride), n));
            }
        }
        Self(cells)
    }

    /// The number of rows of a whole data set, where the relation makes it public because neighbours have equally many;
    /// `None` under add-remove.
    ///
    /// # Panics
    /// If there is not one cell.
    pub fn public_rows(self, neighbours: Neighbours) -> Option<i128> {
        assert_eq!(self.cells(), 1, "the rows of a whole data set are one number");
        match neighbours {
            Neighbours::Substitute => Some(self.0[0]),
            Neighbours::AddRemove => None,
        }
    }

    /// `true` for one cell with the public number of rows that a guarantee rests on.
    pub fn holds_rows(&self, rows: u64) -> bool {
        self.0 == [i128::from(rows)]
    }

    /// `self * other`, cell by cell, as exact integers.
    ///
    /// # Panics
    /// If the two have not the same number of cells, or a cell leaves the range of `i128`.
    pub fn times(&self, other: &Self) -> Self {
        assert_eq!(self.cells(), other.cells(), "answers of one query have the same cells");
        let product = |(a, b): (&i128, &i128)| a.checked_mul(*b).expect("sums of steps multiply to less than 2^120");
        Self(self.0.iter().zip(&other.0).map(product).collect())
    }

    /// `floor(factor * self)`, cell by cell, exact: how an answer moves to a coarser grid, or to one that no power of
    /// two relates to its own. [`crate::Sensitivity::scaled`] is the sensitivity of the result.
    ///
    /// # Panics
    /// If a cell leaves the range of `i128`.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Answer, Rational};
    /// let thirds = Answer::new(vec![7, -7, 6]).scaled(&Rational::ratio(1, 3));
    /// assert_eq!(thirds.private_steps(), [2, -3, 2]);
    /// ```
    pub fn scaled(&self, factor: &Rational) -> Self {
        let scaled =
            |steps: &i128| (&Rational::from(*steps) * factor).floor().expect("scaled answers stay below 2^120");
        Self(self.0.iter().map(scaled).collect())
    }

    /// Answers about the same cells side by side: the parts of the first cell, then those of the second, and so on.
    ///
    /// # Panics
    /// If they have not the same number of cells.
    pub fn side_by_side(parts: &[Self]) -> Self {
        let cells = parts.first().map_or(0, Self::cells);
        assert!(parts.iter().all(|part| part.cells() == cells), "answers of one query have the same cells");
        Self((0..cells).flat_map(|cell| parts.iter().map(move |part| part.0[cell])).collect())
    }

    /// The first cells, at most `cells`; the others are never read.
    pub fn first_cells(mut self, cells: usize) -> Self {
        self.0.truncate(cells);
        self
    }

    /// Answers about other cells one after another: all of the first, then all of the second, and so on.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Answer;
    /// let margins = Answer::one_after_another(&[Answer::new(vec![5, 1]), Answer::new(vec![6])]);
    /// assert_eq!(margins.private_steps(), [5, 1, 6]);
    /// ```
    pub fn one_after_another<'a>(parts: impl IntoIterator<Item = &'a Self>) -> Self {
        Self(parts.into_iter().flat_map(|part| part.0.iter().copied()).collect())
    }
}

/// Exact answers of 64 bits each, as a program has them in memory. **Private**, and as closed as an [`Answer`].
///
/// ```compile_fail
/// println!("{:?}", inbounds_core::NarrowAnswer::new(vec![1]));
/// ```
pub struct NarrowAnswer(Vec<i64>);

impl NarrowAnswer {
    /// Wraps exact answers.
    pub fn new(steps: Vec<i64>) -> Self {
        Self(steps)
    }

    /// The exact answers, for a mechanism, as [`Answer::into_private_steps`] gives them.
    pub fn into_private_steps(self) -> Vec<i64> {
        self.0
    }
}

/// Sums of public numbers as [`Answer::sums`] makes them of private ones.
///
/// # Panics
/// As [`Answer::sums`] does.
pub fn sums_of_groups(steps: &[i128], group: &[u32], groups: usize) -> Vec<i128> {
    assert_eq!(steps.len(), group.len(), "every cell has a group");
    let mut sums = vec![0i128; groups];
    for (steps, &group) in steps.iter().zip(group) {
        let sum = &mut sums[group as usize];
        *sum = sum.checked_add(*steps).expect("row counts times steps stay below 2^120");
    }
    sums
}

/// Sums of public numbers as [`Answer::sums_of_spans`] makes them of private ones.
///
/// # Panics
/// As [`Answer::sums_of_spans`] does.
pub fn sums_of_spans(steps: &[i128], spans: &[Range<usize>]) -> Vec<i128> {
    let sum = |sum: i128, steps: &i128| sum.checked_add(*steps).expect("row counts times steps stay below 2^120");
    spans.iter().map(|span| steps[span.clone()].iter().fold(0, sum)).collect()
}

/// A line of a block, of `n` cells at this distance: each `n` times itself, less the sum of all.
fn off_mean(block: &mut [i128], (line, stride): (usize, usize), n: usize) {
    let small = "row counts times numbers of cells stay below 2^120";
    let sum =
        block.iter().skip(line).step_by(stride).try_fold(0_i128, |sum, cell| sum.checked_add(*cell)).expect(small);
    for cell in block.iter_mut().skip(line).step_by(stride) {
        *cell = cell.checked_mul(n as i128).and_then(|cell| cell.checked_sub(sum)).expect(small);
    }
}
