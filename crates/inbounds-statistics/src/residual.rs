//! How far one privacy unit moves what is left of a margin once the mean along each of its columns is taken away.

use inbounds_core::{Neighbours, Rational, Sensitivity};

use crate::{Design, of_sum};

/// Sensitivity of the residual of a margin of a table of counts: of the numbers `R x` with `R = prod_j (n_j I - J_j)` over the columns of the margin,
/// whose cells are `x`, where column `j` has `n_j` values and `J_j` sums along it. Without any column it is the total.
///
/// # Law
/// Row `c` of `R`, what one row in the cell `c` adds, has the largest entry `prod (n_j - 1)` at `c`, the sum `prod 2 (n_j - 1)` of absolute values
/// and the sum of squares `P = prod n_j (n_j - 1)`. Rows of two cells have a product of at least `-P / (n - 1)`, with `n` the fewest values that a column has,
/// so that replacing one moves the sum of squares by at most `2 P n / (n - 1)`, and an entry by `n / (n - 1)` of the largest. And no vector grows by `R`
/// more than `prod n_j` times. So, with `f = n / (n - 1)`, a unit that has at most `m` rows, and moves the cells by at most `L` in the `l2` norm ([`of_sum`]):
///
/// | design | l1 | linf | squares |
/// |---|---|---|---|
/// | add-remove | `m prod 2 (n_j - 1)` | `m prod (n_j - 1)` | `min(m^2 P, L^2 prod n_j^2)` |
/// | substitute | twice as much | `m f prod (n_j - 1)` | `min(2 m^2 P f, L^2 prod n_j^2)` |
///
/// All cells may change. With one row a unit, `linf` and `squares` are attained, and `l1` is under add-remove. All are zero if a column has one value. Claims:
/// `residual-add-remove`, `residual-substitute`.
///
/// # Panics
/// If the margin has 2^64 cells or more.
///
/// # Example
/// ```
/// use inbounds_core::Neighbours;
/// use inbounds_statistics::{Design, PrivacyUnit, of_residual};
/// // A row in one of three cells adds 2 to it and takes 1 from the others.
/// let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
/// let one = of_residual(&design, &[3]);
/// assert_eq!((one.l1, one.linf, one.cells, one.l2_squared()), (4, 2, 3, 6u128.into()));
/// ```
///
/// # References
/// Xiao, He, Zhang and Kifer 2023, ResidualPlanner, theorem 3, for one row a unit under add-remove.
pub fn of_residual(design: &Design, values: &[u64]) -> Sensitivity {
    let cells = values.iter().try_fold(1_u64, |cells, n| cells.checked_mul(*n)).expect("fewer than 2^64 cells");
    let rule = match design.neighbours {
        Neighbours::AddRemove => "residual-add-remove",
        Neighbours::Substitute => "residual-substitute",
    };
    let of_cells = of_sum(design, (1, 1), cells, false);
    let Some(fewest) = values.iter().copied().min().map(u128::from) else { return Sensitivity { rule, ..of_cells } };
    if fewest == 1 {
        return Sensitivity { l1: 0, linf: 0, cells: 0, rule, squares: Some(Rational::ZERO) };
    }
    let m = u128::from(design.contribution().rows());
    let largest: u128 = values.iter().map(|n| u128::from(n - 1)).product();
    let absolute = (m * largest) << values.len();
    let whole = |number: u128| Rational::from(number);
    let square = |number: &Rational| number * number;
    let squares = &whole(u128::from(cells)) * &(&square(&whole(m)) * &whole(largest));
    let grown = &of_cells.l2_squared() * &square(&whole(u128::from(cells)));
    let pair = |number: u128| number / (fewest - 1) * fewest;
    let (l1, linf, squares) = match design.neighbours {
        Neighbours::AddRemove => (absolute, m * largest, squares),
        Neighbours::Substitute => {
            let factor = Rational::ratio(2 * fewest as i128, fewest - 1);
            (2 * absolute, m * pair(largest), &squares * &factor)
        }
    };
    Sensitivity { l1, linf, cells, rule, squares: Some(squares.min(grown)) }
}

#[cfg(test)]
mod tests {
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

    /// All numbers by cell that a unit can have: `rows` rows at most, in cells of its own choice.
    fn units(cells: usize, rows: i128) -> Vec<Vec<i128>> {
        if cells == 0 {
            return vec![Vec::new()];
        }
        let with = |first: i128| {
            units(cells - 1, rows - first).into_iter().map(move |mut rest| {
                rest.push(first);
                rest
            })
        };
        (0..=rows).flat_map(with).collect()
    }

    /// By trying all units, and all pairs of them.
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
        for (values, rows) in cases {
            let cells = values.iter().product::<u64>() as usize;
            let moved: Vec<Vec<i128>> = units(cells, rows.into()).iter().map(|unit| residual(values, unit)).collect();
            for neighbours in [Neighbours::AddRemove, Neighbours::Substitute] {
                let unit = PrivacyUnit::Column(Contribution::of_rows(rows));
                let stated = of_residual(&Design { neighbours, unit, rows: None }, values);
                let others = if neighbours == Neighbours::AddRemove { &vec![vec![0; cells]] } else { &moved };
                let (mut l1, mut linf, mut squares) = (0, 0, 0);
                for (one, other) in moved.iter().flat_map(|one| others.iter().map(move |other| (one, other))) {
                    let changes = || one.iter().zip(other).map(|(one, other)| one.abs_diff(*other));
                    l1 = l1.max(changes().sum());
                    linf = linf.max(changes().max().unwrap_or(0));
                    squares = squares.max(changes().map(|change| change * change).sum());
                }
                let case = format!("{values:?}, {rows} rows, {neighbours:?}: {l1} {linf} {squares}, stated {stated:?}");
                assert!(
                    l1 <= stated.l1 && linf <= stated.linf && Rational::from(squares) <= stated.l2_squared(),
                    "{case}"
                );
                let attained = rows == 1 || neighbours == Neighbours::AddRemove || values.len() == 1;
                assert!(!attained || (linf == stated.linf && Rational::from(squares) == stated.l2_squared()), "{case}");
                let is_least = neighbours == Neighbours::Substitute || l1 == stated.l1;
                assert!(is_least, "{case}");
            }
        }
    }

    #[test]
    fn rows_in_several_cells_move_it_less() {
        let unit = PrivacyUnit::Column(Contribution::new(9, 9, 1));
        let spread = of_residual(&Design { neighbours: Neighbours::AddRemove, unit, rows: None }, &[100]);
        // Nine cells by one each, all less than a hundred times as far.
        assert_eq!(spread.l2_squared(), Rational::from(9 * 10_000_u128));
    }
}
