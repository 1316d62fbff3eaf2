//! Choice of the public grid from public numbers.

use inbounds_core::{Epsilon, Grid, Rational};

use crate::{ColumnBounds, StatisticError};

/// Steps per scale of the noise: rounding a row then errs by at most `2^-33` of the scale.
const STEPS_PER_SCALE: i32 = 32;

/// Steps per width of the column's bounds, so that bounds lose at most `2^-30` of it when moved onto the grid.
const STEPS_PER_WIDTH: i32 = 30;

/// Every step count that one row can contribute stays exact as a double and far inside `i64`.
const LARGEST_STEPS: i128 = 1 << 53;

/// Steps per width of a column whose squares are summed.
const STEPS_PER_WIDTH_SQUARED: i32 = 24;

/// Least and largest width of bounds, size of a bound, size of an edge of a bin, and width over epsilon: errors are
/// stated with squares and fourth powers of these, which doubles must hold whatever the noise turns out to be.
pub(crate) const MAGNITUDES: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

/// A column's grid and its bounds on it, moved inward.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gridded {
    pub(crate) grid: Grid,
    pub(crate) lower: i64,
    pub(crate) upper: i64,
}

/// The grid of a sum over `bounds`: the integers for a column of whole numbers, else the power of two at or below
/// `min(scale 2^-32, width 2^-30)`, coarsened where the bounds would pass `2^53` steps.
pub(crate) fn choose(bounds: &ColumnBounds, epsilon: &Epsilon) -> Result<Gridded, StatisticError> {
    let refuse = || StatisticError::Bounds {
        lower: bounds.lower.to_f64(),
        upper: bounds.upper.to_f64(),
        epsilon: epsilon.clone(),
    };
    let grid = if bounds.integer {
        Grid::INTEGERS
    } else {
        let width = (&bounds.upper - &bounds.lower).to_f64();
        let scale = width / epsilon.value().to_f64();
        let largest = bounds.lower.to_f64().abs().max(bounds.upper.to_f64().abs());
        if ![width, scale, largest].iter().all(|number| MAGNITUDES.contains(number)) {
            return Err(refuse());
        }
        let fine = (exponent_of(scale) - STEPS_PER_SCALE).min(exponent_of(width) - STEPS_PER_WIDTH);
        Grid::power_of_two(fine.max(exponent_of(largest) - 51)).map_err(|_| refuse())?
    };
    let within =
        |steps: Option<i128>| steps.filter(|steps| steps.abs() <= LARGEST_STEPS).and_then(|s| i64::try_from(s).ok());
    let lower = within(grid.ceil(&bounds.lower)).ok_or_else(refuse)?;
    let upper = within(grid.floor(&bounds.upper)).ok_or_else(refuse)?;
    if lower < upper { Ok(Gridded { grid, lower, upper }) } else { Err(refuse()) }
}

/// The grid of a column whose products are summed: the integers for whole numbers, else `2^24` steps or more to the
/// width of the bounds, coarsened where steps would pass `2^31`, up to which the engine's products are exact, or where
/// `(rows * steps)^2` would pass `2^116`. `None` where nothing is left of the bounds.
pub(crate) fn for_squares(bounds: &ColumnBounds, rows: Option<u64>) -> Option<Gridded> {
    let width = (&bounds.upper - &bounds.lower).to_f64();
    let largest = bounds.lower.to_f64().abs().max(bounds.upper.to_f64().abs());
    if !(width.is_normal() && largest.is_normal()) {
        return None;
    }
    let rows_bits = rows.map_or(0, |rows| 64 - rows.leading_zeros() as i32);
    let coarsest = exponent_of(largest) + 1 - (58 - rows_bits).min(31);
    let fine = if bounds.integer { 0 } else { exponent_of(width) - STEPS_PER_WIDTH_SQUARED };
    let grid = Grid::power_of_two(fine.max(coarsest)).ok()?;
    let end = |steps: Option<i128>| steps.and_then(|steps| i64::try_from(steps).ok());
    let (lower, upper) = (end(grid.ceil(&bounds.lower))?, end(grid.floor(&bounds.upper))?);
    (lower < upper).then_some(Gridded { grid, lower, upper })
}

/// The exponent `e` with `2^e <= x < 2^(e+1)` for a finite positive `x`.
pub(crate) fn exponent_of(x: f64) -> i32 {
    libm::ilogb(x)
}

/// The grid point nearest to an exact value, inside the bounds.
pub(crate) fn nearest(gridded: &Gridded, value: &Rational) -> i64 {
    let half = Rational::ratio(1, 2);
    let spacing = Rational::from_f64(gridded.grid.spacing()).expect("a power of two");
    let steps = gridded.grid.floor(&(value + &(&half * &spacing))).unwrap_or(0);
    (steps.clamp(i128::from(gridded.lower), i128::from(gridded.upper))) as i64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Missing;

    fn bounds(lower: &str, upper: &str, integer: bool) -> ColumnBounds {
        let read = |text: &str| text.parse().expect("number");
        ColumnBounds { lower: read(lower), upper: read(upper), integer, missing: Missing::Drop }
    }

    fn epsilon(text: &str) -> Epsilon {
        Epsilon::new(text.parse().expect("number")).expect("positive")
    }

    #[test]
    fn whole_numbers_live_on_the_integers() {
        let gridded = choose(&bounds("0", "110", true), &epsilon("0.1")).expect("fits");
        assert_eq!((gridded.grid, gridded.lower, gridded.upper), (Grid::INTEGERS, 0, 110));
    }

    #[test]
    fn bounds_move_inward_by_less_than_a_step() {
        for (lower, upper, eps) in
            [("0.1", "0.7", "1"), ("-3", "1e6", "1e-3"), ("1e9", "1000000001", "2"), ("0", "1e-9", "50")]
        {
            let declared = bounds(lower, upper, false);
            let gridded = choose(&declared, &epsilon(eps)).expect("fits");
            let spacing = Rational::from_f64(gridded.grid.spacing()).expect("finite");
            let at = |steps: i64| &Rational::from(i128::from(steps)) * &spacing;
            assert!(at(gridded.lower) >= declared.lower && at(gridded.upper) <= declared.upper);
            assert!(&at(gridded.lower) - &declared.lower < spacing && &declared.upper - &at(gridded.upper) < spacing);
            assert!(gridded.upper.abs_diff(gridded.lower) >= 1 << 20, "{lower} {upper}");
        }
    }

    #[test]
    fn squares_stay_exact() {
        for (lower, upper, integer) in [("0.1", "0.7", false), ("-3", "1e6", false), ("100000", "100001", false)] {
            for rows in [None, Some(2), Some(1000), Some(1 << 40)] {
                let gridded = for_squares(&bounds(lower, upper, integer), rows).expect("fits");
                let largest = gridded.lower.unsigned_abs().max(gridded.upper.unsigned_abs());
                assert!(largest <= 1 << 31);
                assert!(rows.is_none_or(|rows| u128::from(rows) * u128::from(largest) <= 1 << 58));
            }
        }
        assert_eq!(for_squares(&bounds("0", "110", true), Some(100)).expect("fits").grid, Grid::INTEGERS);
        assert_eq!(for_squares(&bounds("1e12", "1000000000001", true), None), None);
        assert_eq!(for_squares(&bounds("1", "1", true), None), None);
    }

    #[test]
    fn numbers_beyond_doubles_are_refused() {
        for (upper, eps) in
            [("1e-350", "1"), ("1", "1e350"), ("1", "1e-350"), ("1e350", "1"), ("1e61", "1"), ("1e-61", "1")]
        {
            let refused = choose(&bounds("0", upper, false), &epsilon(eps));
            assert!(matches!(refused, Err(StatisticError::Bounds { .. })), "{upper} {eps}");
        }
    }

    #[test]
    fn bounds_too_close_for_their_size_are_refused() {
        assert!(matches!(
            choose(&bounds("1e30", "1000000000000000000000000000001", false), &epsilon("1")),
            Err(StatisticError::Bounds { .. })
        ));
    }
}
