//! Sensitivity: the largest change of an answer by one privacy unit.

use crate::Rational;

/// The largest change of an integer answer between neighbours.
///
/// Neighbouring answers `q`, `q'` (one entry a cell) satisfy
///
/// ```text
/// sum_j |q_j - q'_j| <= l1,      max_j |q_j - q'_j| <= linf,      #{ j : q_j != q'_j } <= cells
/// ```
///
/// with `l1` and `linf` in grid steps. The number of cells matters for conditioned mechanisms, whose worst case spreads
/// the change over as many cells as it may (`refs/claims.toml`, `conditioned-vector-loss`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sensitivity {
    /// Largest l1 change in grid steps.
    pub l1: u128,
    /// Largest change of one cell in grid steps.
    pub linf: u128,
    /// Largest number of cells that change together.
    pub cells: u64,
    /// Name of the rule that gave the numbers; a row of `refs/claims.toml`.
    pub rule: &'static str,
    /// The largest `sum_j (q_j - q'_j)^2` in squared grid steps, where it is known to be less than what the three
    /// bounds allow.
    pub squares: Option<Rational>,
}

impl Sensitivity {
    /// The largest squared l2 change: `squares` where that is known, and else the largest `sum_j (q_j - q'_j)^2` under
    /// the three bounds.
    ///
    /// Squares grow fastest where a cell moves most, so as many cells as may move by `linf`, and one by what is left:
    /// `k linf^2 + r^2` with `k = min(cells, floor(l1 / linf))` and, if a cell is left, `r = l1 - k linf`.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Rational, Sensitivity};
    /// let sensitivity = Sensitivity { l1: 7, linf: 3, cells: 5, rule: "sum-add-remove", squares: None };
    /// assert_eq!(sensitivity.l2_squared(), Rational::from(3u128 * 3 + 3 * 3 + 1));
    /// assert_eq!(Sensitivity { squares: Some(Rational::from(15u128)), ..sensitivity }.l2_squared(), Rational::from(15u128));
    /// ```
    pub fn l2_squared(&self) -> Rational {
        let bound = self.l2_squared_of_bounds();
        self.squares.iter().cloned().fold(bound, Ord::min)
    }

    fn l2_squared_of_bounds(&self) -> Rational {
        let cells = u128::from(self.cells);
        let linf = self.linf.min(self.l1);
        if linf == 0 || cells == 0 {
            return Rational::ZERO;
        }
        let full = cells.min(self.l1 / linf);
        let rest = if full < cells { self.l1 - full * linf } else { 0 };
        let square = |steps: u128| &Rational::from(steps) * &Rational::from(steps);
        &(&Rational::from(full) * &square(linf)) + &square(rest)
    }

    /// The sensitivity of `floor(factor * q)`, cell by cell, for a positive factor.
    ///
    /// # Law
    /// `|floor(x) - floor(y)| <= ceil(|x - y|)`, so a cell moves by at most `ceil(factor linf)` steps. With
    /// `factor = p/r` in lowest terms `ceil(factor d) <= factor d + (r - 1)/r` for whole `d`, so the cells that change
    /// move by at most `floor(factor l1 + cells (r - 1)/r)` together, and by no more than `cells` times the first.
    /// Claim: `floor-sensitivity`.
    ///
    /// # Panics
    /// If the factor is not positive or the result has no room in 127 bits.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Rational, Sensitivity};
    /// let fine = Sensitivity { l1: 7, linf: 4, cells: 2, rule: "sum-add-remove", squares: None };
    /// let coarse = fine.scaled(&Rational::ratio(1, 3));
    /// assert_eq!((coarse.l1, coarse.linf, coarse.cells), (3, 2, 2));
    /// ```
    pub fn scaled(&self, factor: &Rational) -> Self {
        assert!(factor.is_positive(), "answers are scaled by positive factors");
        let denominator = Rational::from(u128::try_from(factor.parts().1).expect("denominators of grids are small"));
        let loss = &(&denominator - &Rational::ONE) / &denominator;
        let floor = |value: Rational| {
            value.floor().and_then(|steps| u128::try_from(steps).ok()).expect("scaled sensitivities stay below 2^120")
        };
        let cells = Rational::from(u128::from(self.cells));
        let linf = floor(&(factor * &Rational::from(self.linf)) + &loss);
        let l1 = floor(&(factor * &Rational::from(self.l1)) + &(&cells * &loss));
        Self { l1: l1.min(linf.saturating_mul(u128::from(self.cells))), linf, squares: None, ..self.clone() }
    }

    /// The largest change of an answer of one cell, and `None` when more cells change together.
    pub fn one_cell(&self) -> Option<u128> {
        (self.cells == 1).then(|| self.l1.min(self.linf))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest sum of squares, by trying every change.
    fn brute_force(l1: u128, linf: u128, cells: u64) -> u128 {
        if cells == 0 {
            return 0;
        }
        (0..=linf.min(l1)).map(|d| d * d + brute_force(l1 - d, linf, cells - 1)).max().expect("zero is a change")
    }

    #[test]
    fn l2_is_the_largest_sum_of_squares() {
        for l1 in 0..9 {
            for linf in 0..9 {
                for cells in 0..4 {
                    let sensitivity = Sensitivity { l1, linf, cells, rule: "test", squares: None };
                    assert_eq!(sensitivity.l2_squared(), Rational::from(brute_force(l1, linf, cells)));
                }
            }
        }
    }

    /// The largest sum of `|floor(f q) - floor(f q')|`, by trying every change from every answer of a period.
    fn brute_force_floor((p, r): (i128, i128), l1: i128, linf: i128, cells: u64) -> i128 {
        if cells == 0 {
            return 0;
        }
        let moved =
            |d: i128| (0..r).map(|q| (p * (q + d)).div_euclid(r) - (p * q).div_euclid(r)).max().expect("a period");
        (0..=linf.min(l1)).map(|d| moved(d) + brute_force_floor((p, r), l1 - d, linf, cells - 1)).max().expect("zero")
    }

    #[test]
    fn floors_move_no_further_than_stated_and_as_far_in_one_cell() {
        for (p, r) in [(1, 1), (3, 1), (1, 2), (1, 3), (2, 3), (5, 4)] {
            for l1 in 0..8u128 {
                for linf in 1..6u128 {
                    for cells in 1..4u64 {
                        let sensitivity = Sensitivity { l1, linf: linf.min(l1), cells, rule: "test", squares: None };
                        let stated = sensitivity.scaled(&Rational::ratio(p, r as u128));
                        let largest = brute_force_floor((p, r), l1 as i128, linf as i128, cells);
                        assert!(stated.l1 >= largest as u128, "{p}/{r}: {sensitivity:?} {stated:?} {largest}");
                        let one = brute_force_floor((p, r), l1 as i128, linf as i128, 1);
                        assert_eq!(stated.linf, one as u128, "{p}/{r}: {sensitivity:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn l2_does_not_overflow() {
        let huge = Sensitivity { l1: u128::MAX, linf: u128::MAX, cells: 1, rule: "test", squares: None };
        assert_eq!(huge.l2_squared(), &Rational::from(u128::MAX) * &Rational::from(u128::MAX));
    }
}
