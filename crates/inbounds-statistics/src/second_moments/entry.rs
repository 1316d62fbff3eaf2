//! One variance or covariance over a public number of rows.

use inbounds_core::{Answer, Grid, Quantity, Rational, Sensitivity, StepRange, Tally};

use super::{OnGrid, coarsening, power_of_two};
use crate::{Component, Setting, StatisticError, sensitivity::of_centred_product};

/// Measurement of a pair of columns (or of one, twice).
///
/// # Law
/// The answer is `floor(V / ((n - 1) 2^k))` with `V = n sum x y - (sum x)(sum y)` in squared steps and `2^k` chosen so
/// that the scale of the noise is about `2^32` of its steps. One of these steps is `2^k gx gy / n` of the covariance,
/// for grid spacings `gx`, `gy`. The floor lowers the answer by less than one such step, and makes a sensitivity of
/// `Rx Ry / 2^k` steps a whole number of them.
///
/// With `floor(n^2/4)` the largest product of two parts of `n`, `V` is at most `floor(n^2/4) Rx Ry` in size (half of
/// the rows at either end), which for a variance is `n R^2 / (4 (n - 1))` for even `n`, `(n + 1) R^2 / (4 n)` for odd
/// `n`.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) component: Component,
    factor: Rational,
    rows: u64,
}

impl Entry {
    /// Calibrates the entry of `columns` for a part of epsilon; `square` where both are the same.
    ///
    /// # Errors
    /// Those of the calibration.
    pub(crate) fn prepare(
        setting: &Setting,
        (role, part): (Quantity, &Rational),
        (x, y): (&OnGrid, &OnGrid),
        rows: u64,
        square: bool,
    ) -> Result<Self, StatisticError> {
        let epsilon = (setting.epsilon.value() * part).to_f64();
        let area = x.width() as f64 * y.width() as f64;
        let exponent = coarsening(area, epsilon);
        let factor = &power_of_two(-exponent) / &Rational::from(u128::from(rows - 1));
        let sensitivity = Self::sensitivity(rows, (x, y)).scaled(&factor);
        let grid = Grid::power_of_two(x.gridded.grid.exponent() + y.gridded.grid.exponent() + exponent)?;
        let component =
            setting.component((role, part), (grid, rows), &sensitivity, range(&factor, (x, y), rows, square)?)?;
        Ok(Self { component, factor, rows })
    }

    fn sensitivity(rows: u64, (x, y): (&OnGrid, &OnGrid)) -> Sensitivity {
        of_centred_product(rows, (x.width().unsigned_abs(), y.width().unsigned_abs()))
    }

    /// The exact answer: of sums `x` and `y` and the sum of products `product`, by their place.
    pub(crate) fn answer(&self, tally: &Tally, (x, y): (usize, usize), product: usize) -> Answer {
        centred_product(tally, self.rows, (x, y), product).scaled(&self.factor)
    }

    /// The answer whose value is nearest to a value.
    pub(crate) fn steps_of(&self, value: f64) -> i128 {
        libm::round(value / self.component.step()) as i128
    }
}

/// `n sum x y - (sum x)(sum y)`.
///
/// # Panics
/// If the rows are not `rows`: its sensitivity holds for that number only, which is public, so that stopping tells
/// nothing.
pub(crate) fn centred_product(tally: &Tally, rows: u64, (x, y): (usize, usize), product: usize) -> Answer {
    assert!(
        tally.counts.holds_rows(rows),
        "the public number of rows must be the number of rows: the guarantee rests on it"
    );
    tally.products[product].combine(i128::from(rows), &tally.sums[x].times(&tally.sums[y]), -1)
}

/// The range of the answer: from 0 for a variance, to both sides for a covariance.
fn range(factor: &Rational, (x, y): (&OnGrid, &OnGrid), rows: u64, square: bool) -> Result<StepRange, StatisticError> {
    let halves = u128::from(rows / 2) * u128::from(rows - rows / 2);
    let largest = &(&Rational::from(halves) * &Rational::from(x.width())) * &Rational::from(y.width());
    let largest = (&largest * factor).floor().expect("(rows * steps)^2 is at most 2^116");
    // The floor of a negative number that is not whole is one further down.
    let lower = if square { 0 } else { -largest - 1 };
    Ok(StepRange::new(Some(lower), Some(largest))?)
}
