//! Largest move by one privacy unit of the residuals of a margin, once the mean along each of its columns is taken
//! away.

use inbounds_core::{Neighbours, Rational, Sensitivity};

use crate::{Design, of_distances, of_sum};

/// Terms that a row adds to its cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowTerms {
    /// A number between these two; 1 and 1 for a count.
    Number(i128, i128),
    /// Two numbers, at zero or above, that add up to this: the distances of a value from the lower and to the upper of
    /// two bounds.
    Distances(u128),
}

impl RowTerms {
    /// Numbers that a row adds.
    fn count(self) -> u64 {
        match self {
            Self::Number(..) => 1,
            Self::Distances(_) => 2,
        }
    }

    /// The most that a row adds to its cell in all, and the most by which this may change when it is replaced there.
    fn most(self) -> (u128, u128) {
        match self {
            Self::Number(lower, upper) => {
                (lower.unsigned_abs().max(upper.unsigned_abs()), upper.max(0).abs_diff(lower.min(0)))
            }
            Self::Distances(width) => (width, width),
        }
    }

    /// Largest move of `cells` cells by a unit: [`of_sum`] or [`of_distances`].
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Neighbours;
    /// use inbounds_statistics::{Design, PrivacyUnit, RowTerms};
    /// let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
    /// assert_eq!(RowTerms::Number(-5, 2).of_cells(&design, 7).l1, 5);
    /// assert_eq!(RowTerms::Distances(7).of_cells(&design, 7).l1, 7);
    /// ```
    pub fn of_cells(self, design: &Design, cells: u64) -> Sensitivity {
        match self {
            Self::Number(lower, upper) => of_sum(design, (lower, upper), cells, false),
            Self::Distances(width) => of_distances(design, width, cells),
        }
    }
}

/// Sensitivity of the residual of a margin of a table of sums: of the numbers `R x` with `R = prod_j (n_j I - J_j)`
/// over the columns of the margin, whose cells are `x`, where column `j` has `n_j` values and `J_j` sums along it.
/// Without any column it is the total. Of two numbers a cell it is the residual of each, side by side.
///
/// # Law
/// Row `c` of `R`, what one row in the cell `c` adds to a count, has the largest entry `prod (n_j - 1)` at `c`, the sum
/// `prod 2 (n_j - 1)` of absolute values and the sum of squares `P = prod n_j (n_j - 1)`. Rows of two cells have a
/// product of at least `-P / (n - 1)`, with `n` the fewest values that a column has, and at most `P`. A row adds at
/// most `M` to its cell, and at most `W` more than another row, or none, does. So one that is replaced by one of
/// another cell moves the sum of squares by at most `2 M^2 P n / (n - 1)`, if neither adds what has another sign, and
/// an entry by `M n / (n - 1)` times the largest; in all other cases these are at most `W^2 P`, and `W` times the
/// largest. For distances `M` and `W` are the width: with `v` and `w` those from the lower bound,
/// `v w + (M - v)(M - w)` is between 0 and `M^2`. And no vector grows by `R` more than `prod n_j` times. So, with
/// `f = n / (n - 1)`, a unit that has at most `m` rows, and moves the cells by at most `L` in the `l2` norm
/// ([`of_sum`], [`of_distances`]):
///
/// | design | l1 | linf | squares |
/// |---|---|---|---|
/// | add-remove | `m M prod 2 (n_j - 1)` | `m M prod (n_j - 1)` | `min(m^2 M^2 P, L^2 prod n_j^2)` |
/// | substitute | twice as much | `m max(f M, W) prod (n_j - 1)` | `min(m^2 max(2 f M^2, W^2) P, L^2 prod n_j^2)` |
///
/// All cells may change. Where `l1` or `linf` is 2^128 or more, both are stated as 2^128 - 1, far beyond any noise that
/// is drawn. With one row a unit, `linf` and `squares` are attained, and `l1` is under add-remove. All are zero if a
/// column has one value. Claims: `residual-add-remove`, `residual-substitute`.
///
/// # Panics
/// If the margin has 2^63 cells or more.
///
/// # Example
/// ```
/// use inbounds_core::Neighbours;
/// use inbounds_statistics::{Design, PrivacyUnit, RowTerms, of_residual};
/// // A row in one of three cells adds 2 to it and takes 1 from the others.
/// let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
/// let one = of_residual(&design, RowTerms::Number(1, 1), &[3]);
/// assert_eq!((one.l1, one.linf, one.cells, one.l2_squared()), (4, 2, 3, 6u128.into()));
/// // A value between -5 and 2 adds up to five times as much.
/// assert_eq!(of_residual(&design, RowTerms::Number(-5, 2), &[3]).l1, 20);
/// ```
///
/// # References
/// Xiao, He, Zhang and Kifer 2023, ResidualPlanner, theorem 3, for counts with one row a unit under add-remove.
pub fn of_residual(design: &Design, terms: RowTerms, values: &[u64]) -> Sensitivity {
    let cells = values.iter().try_fold(1_u64, |cells, n| cells.checked_mul(*n));
    let cells = cells.filter(|cells| *cells < 1 << 63).expect("fewer than 2^63 cells");
    let rule = match design.neighbours {
        Neighbours::AddRemove => "residual-add-remove",
        Neighbours::Substitute => "residual-substitute",
    };
    let of_cells = terms.of_cells(design, cells);
    let Some(fewest) = values.iter().copied().min().map(u128::from) else { return Sensitivity { rule, ..of_cells } };
    if fewest == 1 {
        return Sensitivity { l1: 0, linf: 0, cells: 0, rule, squares: Some(Rational::ZERO) };
    }
    let m = u128::from(design.contribution().rows());
    let (most, spread) = terms.most();
    let largest: u128 = values.iter().map(|n| u128::from(n - 1)).product();
    let rational = |number: u128| Rational::from(number);
    let square = |number: &Rational| number * number;
    // P times the square of the rows.
    let squares = &rational(u128::from(cells)) * &(&square(&rational(m)) * &rational(largest));
    let grown = &of_cells.l2_squared() * &square(&rational(u128::from(cells)));
    let (l1, linf, squares) = match design.neighbours {
        Neighbours::AddRemove => ([most, largest << values.len()], most * largest, &squares * &square(&rational(most))),
        Neighbours::Substitute => {
            let apart = &square(&rational(most)) * &Rational::ratio(2 * fewest as i128, fewest - 1);
            let factor = apart.max(square(&rational(spread)));
            let pair = (most * (largest / (fewest - 1)) * fewest).max(spread * largest);
            ([2 * most, largest << values.len()], pair, &squares * &factor)
        }
    };
    let l1 = l1.into_iter().try_fold(m, u128::checked_mul);
    // Where one is beyond what is stated both are, so that the squares alone count.
    let (l1, linf) = l1.zip(m.checked_mul(linf)).unwrap_or((u128::MAX, u128::MAX));
    Sensitivity { l1, linf, cells: terms.count() * cells, rule, squares: Some(squares.min(grown)) }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Contribution, PrivacyUnit};

    /// `prod (n_j I - J_j)` of numbers by cell, the last column changing fastest.
    fn residual(values: &[u64], cells: &[i128]) -> Vec<i128> {
        let mut all = cells.to_vec();
        for (place, &n) in values.iter().enumerate() {
            let stride: u64 = values[place + 1..].iter().product();
            let line = |cell: u64| cell / (stride * n) * (stride * n) + cell % stride;
            let sum = |cell: u64| (0..n).map(|value| all[(line(cell) + value * stride) as usize]).sum::<i128>();
            all = (0..all.len() as u64).map(|cell| i128::from(n) * all[cell as usize] - sum(cell)).collect();
        }
        all
    }

    /// All numbers by cell that a unit can have: `rows` rows at most, in cells of its own choice, each of which adds
    /// one of `terms` there.
    fn units(cells: usize, rows: u64, terms: &[Vec<i128>]) -> BTreeSet<Vec<Vec<i128>>> {
        let mut units = BTreeSet::from([vec![vec![0; cells]; terms[0].len()]]);
        for _ in 0..rows {
            for unit in units.clone() {
                for (cell, terms) in (0..cells).flat_map(|cell| terms.iter().map(move |terms| (cell, terms))) {
                    let mut unit = unit.clone();
                    unit.iter_mut().zip(terms).for_each(|(numbers, term)| numbers[cell] += term);
                    units.insert(unit);
                }
            }
        }
        units
    }

    /// By trying all units, and all pairs of them: of counts, of sums of either sign and of one, and of distances.
    #[test]
    fn no_unit_moves_a_residual_further() {
        let cases: [(&[u64], u64); 9] = [
            (&[], 2),
            (&[2], 3),
            (&[3], 2),
            (&[5], 1),
            (&[2, 2], 2),
            (&[3, 2], 2),
            (&[4, 3], 1),
            (&[2, 2, 3], 1),
            (&[1, 3], 2),
        ];
        let distances = |width: i128| (0..=width).map(|from| vec![from, width - from]).collect::<Vec<_>>();
        let numbers = |all: &[i128]| all.iter().map(|number| vec![*number]).collect::<Vec<_>>();
        let kinds = [
            (RowTerms::Number(1, 1), numbers(&[1])),
            (RowTerms::Number(2, 3), numbers(&[2, 3])),
            (RowTerms::Number(-3, 2), numbers(&[-3, 0, 2])),
            (RowTerms::Number(-3, 0), numbers(&[-3, -1])),
            (RowTerms::Distances(2), distances(2)),
        ];
        for ((values, rows), (terms, added)) in cases.iter().flat_map(|case| kinds.iter().map(move |kind| (case, kind)))
        {
            let cells = values.iter().product::<u64>() as usize;
            let of_unit =
                |unit: Vec<Vec<i128>>| unit.iter().flat_map(|own| residual(values, own)).collect::<Vec<i128>>();
            let moved: BTreeSet<Vec<i128>> = units(cells, *rows, added).into_iter().map(of_unit).collect();
            let nothing = BTreeSet::from([vec![0; added[0].len() * cells]]);
            for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
                let unit = PrivacyUnit::Column(Contribution::of_rows(*rows));
                let stated = of_residual(&Design { neighbours, unit, rows: None }, *terms, values);
                let others = if neighbours == Neighbours::AddRemove { &nothing } else { &moved };
                let (mut l1, mut linf, mut squares) = (0, 0, 0);
                for (one, other) in moved.iter().flat_map(|one| others.iter().map(move |other| (one, other))) {
                    let changes = || one.iter().zip(other).map(|(one, other)| one.abs_diff(*other));
                    l1 = l1.max(changes().sum());
                    linf = linf.max(changes().max().unwrap_or(0));
                    squares = squares.max(changes().map(|change| change * change).sum());
                }
                let case = format!(
                    "{terms:?}, {values:?}, {rows} rows, {neighbours:?}: {l1} {linf} {squares}, stated {stated:?}"
                );
                let is_within = l1 <= stated.l1 && linf <= stated.linf;
                assert!(is_within && Rational::from(squares) <= stated.l2_squared(), "{case}");
                let attained = *rows == 1 || neighbours == Neighbours::AddRemove || values.len() == 1;
                assert!(!attained || (linf == stated.linf && Rational::from(squares) == stated.l2_squared()), "{case}");
                let is_least = neighbours == Neighbours::Substitute || l1 == stated.l1;
                assert!(is_least, "{case}");
            }
        }
    }

    #[test]
    fn numbers_beyond_words_are_never_stated_as_small_ones() {
        let unit = PrivacyUnit::Column(Contribution::of_rows(1 << 45));
        let design = Design { neighbours: Neighbours::AddRemove, unit, rows: None };
        let stated = of_residual(&design, RowTerms::Number(0, 1 << 62), &[1000, 1000]);
        assert_eq!((stated.l1, stated.linf), (u128::MAX, u128::MAX));
        // The squares of 2^45 rows at 2^62 are those of one row at 1, times the square of both.
        let one = Design { unit: PrivacyUnit::Row, ..design };
        let one = of_residual(&one, RowTerms::Number(1, 1), &[1000, 1000]).l2_squared();
        let factor = Rational::from(1_u128 << (45 + 62));
        assert_eq!(stated.l2_squared(), &(&factor * &factor) * &one);
    }

    #[test]
    fn rows_in_several_cells_move_it_less() {
        let unit = PrivacyUnit::Column(Contribution::new(9, 9, 1));
        let design = Design { neighbours: Neighbours::AddRemove, unit, rows: None };
        let spread = of_residual(&design, RowTerms::Number(1, 1), &[100]);
        // Nine cells by one each, all less than a hundred times as far.
        assert_eq!(spread.l2_squared(), Rational::from(9 * 10_000_u128));
    }
}
