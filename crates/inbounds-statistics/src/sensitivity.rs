//! How far one privacy unit moves a sum of clipped contributions.

use inbounds_core::{Neighbours, Sensitivity};

use crate::{Design, PrivacyUnit};

/// The range of a sum of contributions in `[lower, upper]`: of `rows` rows that all count, else of at most `most`, else of any
/// number, when it keeps only the sign of its terms.
pub(crate) fn range_of_sum(
    (lower, upper): (i128, i128),
    rows: Option<u64>,
    most: Option<u64>,
) -> (Option<i128>, Option<i128>) {
    let times = |end: i128, rows: u64| Some(end * i128::from(rows));
    match (rows, most) {
        (Some(rows), _) => (times(lower, rows), times(upper, rows)),
        (None, Some(most)) => (times(lower.min(0), most), times(upper.max(0), most)),
        (None, None) => ((lower >= 0).then_some(0), (upper <= 0).then_some(0)),
    }
}

/// Sensitivity of a (grouped) sum whose rows contribute between `lower` and `upper` steps; a count is the sum of ones.
///
/// # Law
/// With `m` rows per unit, `M = max(|lower|, |upper|)` and the spread `W0 = max(upper, 0) - min(lower, 0)` of what a row,
/// present or not, can contribute:
///
/// | design | l1 | linf | cells |
/// |---|---|---|---|
/// | add-remove | `m M` | `m M` | `min(m, cells)` |
/// | substitute, every row counts once | `upper - lower` | same | 1 |
/// | substitute, one cell | `m W0` | same | 1 |
/// | substitute, grouped | `2 m M` | `m max(M, W0)` | `min(2 m, cells)` |
///
/// Every entry is attained. Claims: `sum-add-remove`, `sum-substitute-every-row`, `sum-substitute`,
/// `sum-substitute-grouped`.
///
/// `every_row` says that each row of a public number of rows counts exactly once: no filter, no keys, nothing dropped.
///
/// # Example
/// Replacing a row moves one unit of a count from one group to another.
/// ```
/// use inbounds_core::Neighbours;
/// use inbounds_statistics::{Design, PrivacyUnit, of_sum};
/// let design = Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(100) };
/// let sensitivity = of_sum(&design, (1, 1), 7, false);
/// assert_eq!((sensitivity.l1, sensitivity.linf, sensitivity.cells), (2, 1, 2));
/// ```
pub fn of_sum(design: &Design, (lower, upper): (i128, i128), cells: u64, every_row: bool) -> Sensitivity {
    let m = u128::from(design.rows_per_unit());
    let largest = lower.unsigned_abs().max(upper.unsigned_abs());
    let spread = upper.max(0).abs_diff(lower.min(0));
    let whole = |l1: u128, rule| Sensitivity { l1, linf: l1, cells: 1, rule };
    match design.neighbours {
        Neighbours::AddRemove => Sensitivity {
            l1: m * largest,
            linf: m * largest,
            cells: cells.min(design.rows_per_unit()),
            rule: "sum-add-remove",
        },
        Neighbours::Substitute if every_row && design.unit == PrivacyUnit::Row => {
            whole(upper.abs_diff(lower), "sum-substitute-every-row")
        }
        Neighbours::Substitute if cells == 1 => whole(m * spread, "sum-substitute"),
        Neighbours::Substitute => Sensitivity {
            l1: 2 * m * largest,
            linf: m * largest.max(spread),
            cells: cells.min(design.rows_per_unit().saturating_mul(2)),
            rule: "sum-substitute-grouped",
        },
    }
}
