//! Largest move of sums of clipped contributions by one privacy unit.

use inbounds_core::{
    Neighbours, Sensitivity,
    planted::{Defect, planted},
};

use crate::{Design, PrivacyUnit};

/// The range of a sum of contributions in `[lower, upper]`: of `rows` rows that all count, else of at most `most`, else
/// of any number, when it keeps only the sign of its terms.
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
/// A unit has at most `m` rows, in at most `g` of the cells and at most `r` in each
/// ([`Contribution::among`](crate::Contribution::among) the cells). With `M = max(|lower|, |upper|)` and the spread
/// `W0 = max(upper, 0) - min(lower, 0)` of what a row, present or not, can contribute:
///
/// | design | l1 | linf | cells |
/// |---|---|---|---|
/// | add-remove | `m M` | `r M` | `g` |
/// | substitute, every row counts once | `upper - lower` | same | 1 |
/// | substitute, one cell | `m W0` | same | 1 |
/// | substitute, grouped | `S M + (2 m - S) max(W0 - M, 0)` | `r max(M, W0)` | `min(2 g, cells)` |
///
/// `S` is the number of rows that two units can have in cells of their own,
/// `S = R(floor(cells / 2)) + R(ceil(cells / 2))` with `R(q) = min(m, min(g, q) r)` in `q` cells: each moves its cell
/// by `M`. Rows of the other unit in the same cell add `W0 - M`. Where `r = m` it is `S = 2 m`. Every entry is
/// attained. Claims: `sum-add-remove`, `sum-substitute-every-row`, `sum-substitute`, `sum-substitute-grouped`.
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
    let unit = design.contribution().among(cells);
    let [m, r] = [unit.rows(), unit.rows_per_group()].map(u128::from);
    let largest = lower.unsigned_abs().max(upper.unsigned_abs());
    let spread = upper.max(0).abs_diff(lower.min(0));
    let of_one_cell = |l1: u128, rule| Sensitivity { l1, linf: l1, cells: 1, rule, squares: None };
    match design.neighbours {
        Neighbours::AddRemove => Sensitivity {
            l1: m * largest,
            linf: r * largest,
            cells: unit.groups(),
            rule: "sum-add-remove",
            squares: None,
        },
        Neighbours::Substitute if every_row && design.unit == PrivacyUnit::Row => {
            of_one_cell(upper.abs_diff(lower), "sum-substitute-every-row")
        }
        Neighbours::Substitute if cells == 1 => of_one_cell(m * spread, "sum-substitute"),
        Neighbours::Substitute => {
            let linf = r * largest.max(spread);
            let rows_in = |cells: u64| u128::from(unit.among(cells).rows());
            let apart = rows_in(cells / 2) + rows_in(cells.div_ceil(2));
            let l1 = apart * largest + (2 * m - apart) * spread.saturating_sub(largest);
            Sensitivity {
                l1: if planted(Defect::SensitivityHalved) { m * largest } else { l1 },
                linf,
                cells: cells.min(unit.groups().saturating_mul(2)),
                rule: "sum-substitute-grouped",
                squares: None,
            }
        }
    }
}

/// Sensitivity of the numbers of distinct units in groups, where a unit counts at most once in a group.
///
/// # Law
/// Of `k` groups a unit is in at most `g` ([`Contribution::among`](crate::Contribution::among) them), and adds 1 to
/// each:
///
/// | design | l1 | linf | cells |
/// |---|---|---|---|
/// | add-remove | `g` | 1 | `g` |
/// | substitute | `min(2 g, k)` | 1 | `min(2 g, k)` |
///
/// Every entry is attained. Claims: `units-add-remove`, `units-substitute`.
///
/// # Example
/// A person with up to 20 rows is one person in the whole, and in at most 7 of 7 districts.
/// ```
/// use inbounds_core::Neighbours;
/// use inbounds_statistics::{Contribution, Design, PrivacyUnit, of_distinct_units};
/// let unit = PrivacyUnit::Column(Contribution::of_rows(20));
/// let design = Design { neighbours: Neighbours::AddRemove, unit, rows: None };
/// assert_eq!((of_distinct_units(&design, 1).l1, of_distinct_units(&design, 7).l1), (1, 7));
/// ```
pub fn of_distinct_units(design: &Design, cells: u64) -> Sensitivity {
    let groups = design.contribution().among(cells).groups();
    let (moved, rule) = match design.neighbours {
        Neighbours::AddRemove => (groups, "units-add-remove"),
        Neighbours::Substitute => (groups.saturating_mul(2), "units-substitute"),
    };
    let cells = cells.min(moved);
    Sensitivity { l1: cells.into(), linf: 1, cells, rule, squares: None }
}

/// Sensitivity of the centred sum of products `V = n sum x y - (sum x)(sum y)`, that is `n (n - 1)` times the
/// covariance of two columns, or the variance of one, when one of a public number `n` of rows is replaced.
///
/// # Law
/// With `a`, `b` the means of the other rows, `V / n` is that of the other rows and `(n - 1)/n (x - a)(y - b)`. Over a
/// rectangle of sides `Rx`, `Ry` that holds `(a, b)`, the product `(x - a)(y - b)` varies by at most `Rx Ry`: its
/// largest value is `a b` or `(Rx - a)(Ry - b)`, its least `-a (Ry - b)` or `-(Rx - a) b`, and each pair of these
/// differs by a side times a part of the other. So
///
/// ```text
/// |V - V'| <= (n - 1) Rx Ry,      |cov - cov'| <= Rx Ry / n,      |var - var'| <= R^2 / n,
/// ```
///
/// attained with all other rows at one corner. Claim: `covariance-substitute`.
///
/// # Example
/// ```
/// assert_eq!(inbounds_statistics::of_centred_product(5, (3, 3)).l1, 4 * 9);
/// ```
///
/// # References
/// The rule `R^2 / n`: Liu 2016, table 1.
pub fn of_centred_product(rows: u64, widths: (u128, u128)) -> Sensitivity {
    let l1 = u128::from(rows - 1) * widths.0 * widths.1;
    Sensitivity { l1, linf: l1, cells: 1, rule: "covariance-substitute", squares: None }
}

/// Sensitivity of all variances and covariances of `columns` columns together, each measured in the same number of
/// steps `entry` for its own sensitivity, when one of a public number of rows is replaced.
///
/// # Law
/// Of the `m = columns (columns + 1)/2` entries on and above the diagonal each moves by at most `entry` (see
/// [`of_centred_product`]), and all move by that much at once when a row moves from the corner where all other rows are
/// to the opposite one. So `l1 = m entry`, the squared l2 is `m entry^2`, and both are attained. Claim:
/// `covariance-matrix-substitute`.
///
/// # Example
/// ```
/// let sensitivity = inbounds_statistics::of_covariance_matrix(3, 10);
/// assert_eq!((sensitivity.l1, sensitivity.linf, sensitivity.cells), (60, 10, 6));
/// ```
pub fn of_covariance_matrix(columns: usize, entry: u128) -> Sensitivity {
    let entries = columns as u64 * (columns as u64 + 1) / 2;
    Sensitivity {
        l1: u128::from(entries) * entry,
        linf: entry,
        cells: entries,
        rule: "covariance-matrix-substitute",
        squares: None,
    }
}

/// Sensitivity of two grouped sums measured as one vector: the distances of rows from the lower bound of their column,
/// and to the upper bound, `width` steps apart.
///
/// # Law
/// A row at `x` in `[lower, upper]` adds `x - lower` to one sum of its cell and `upper - x` to the other: `W = width`
/// together, wherever it lies. With `m`, `g` and `r` as in [`of_sum`], and `k = 2`, but 1 where `W = 1` and no row lies
/// strictly between:
///
/// | design | l1 | linf | cells |
/// |---|---|---|---|
/// | add-remove | `m W` | `r W` | `min(k m, 2 g)` |
/// | substitute | `2 m W` | `r W` | `min(2 k m, 2 min(2 g, cells))` |
///
/// Every entry is attained. Claims: `distances-add-remove`, `distances-substitute`.
///
/// # Example
/// Ages from 0 to 110: a person more moves both sums by 110 together, as much as the sum of ages alone.
/// ```
/// use inbounds_core::Neighbours;
/// use inbounds_statistics::{Design, PrivacyUnit, of_distances, of_sum};
/// let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
/// assert_eq!(of_distances(&design, 110, 7).l1, 110);
/// assert_eq!(of_distances(&design, 110, 7).l1, of_sum(&design, (0, 110), 7, false).l1);
/// ```
pub fn of_distances(design: &Design, width: u128, cells: u64) -> Sensitivity {
    let unit = design.contribution().among(cells);
    let [m, r] = [unit.rows(), unit.rows_per_group()].map(u128::from);
    let moved = unit.rows().saturating_mul(if width > 1 { 2 } else { 1 });
    let both_ends = |groups: u64| groups.min(cells).saturating_mul(2);
    match design.neighbours {
        Neighbours::AddRemove => Sensitivity {
            l1: m * width,
            linf: r * width,
            cells: moved.min(both_ends(unit.groups())),
            rule: "distances-add-remove",
            squares: None,
        },
        Neighbours::Substitute => Sensitivity {
            l1: 2 * m * width,
            linf: r * width,
            cells: moved.saturating_mul(2).min(both_ends(unit.groups().saturating_mul(2))),
            rule: "distances-substitute",
            squares: None,
        },
    }
}

/// Sensitivity of three grouped sums measured as one vector: the squared distances of rows to the upper bound of their
/// column, twice the products of their distances to both bounds, and the squared distances to the lower bound, `width`
/// steps apart.
///
/// # Law
/// A row at `x` in `[lower, upper]` adds `(upper - x)^2`, `2 (x - lower)(upper - x)` and `(x - lower)^2` to the sums of
/// its cell: none is negative and together they are `(upper - lower)^2 = W^2`, wherever it lies. With `m`, `g` and `r`
/// as in [`of_sum`], `k = 3` and `e = 3`, but `k = 1` and `e = 2` where `W = 1` and no row lies strictly between:
///
/// | design | l1 | linf | cells |
/// |---|---|---|---|
/// | add-remove | `m W^2` | `r W^2` | `min(k m, e g)` |
/// | substitute | `2 m W^2` | `r W^2` | `min(2 k m, e min(2 g, cells))` |
///
/// Every entry is attained. Claims: `bernstein-add-remove`, `bernstein-substitute`.
///
/// # Example
/// Three sums that tell number of rows, mean and variance cost what the sum of squares alone does.
/// ```
/// use inbounds_core::Neighbours;
/// use inbounds_statistics::{Design, PrivacyUnit, of_bernstein, of_sum};
/// let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
/// assert_eq!(of_bernstein(&design, 110, 7).l1, of_sum(&design, (0, 110 * 110), 7, false).l1);
/// ```
pub fn of_bernstein(design: &Design, width: u128, cells: u64) -> Sensitivity {
    let unit = design.contribution().among(cells);
    let [most, of_group] = [unit.rows(), unit.rows_per_group()].map(|rows| u128::from(rows) * width * width);
    let (of_row, of_cell) = if width > 1 { (3, 3) } else { (1, 2) };
    let moved = unit.rows().saturating_mul(of_row);
    let entries = |groups: u64| groups.min(cells).saturating_mul(of_cell);
    match design.neighbours {
        Neighbours::AddRemove => Sensitivity {
            l1: most,
            linf: of_group,
            cells: moved.min(entries(unit.groups())),
            rule: "bernstein-add-remove",
            squares: None,
        },
        Neighbours::Substitute => Sensitivity {
            l1: 2 * most,
            linf: of_group,
            cells: moved.saturating_mul(2).min(entries(unit.groups().saturating_mul(2))),
            rule: "bernstein-substitute",
            squares: None,
        },
    }
}

/// Sensitivity of the counts of rows that a statistic leaves out, by reason, where a row is the unit and may be added
/// or removed.
///
/// # Law
/// A row is left out for at most one reason, so it adds 1 to one of the counts: l1 = linf = 1. A row that is left out
/// counts in no number of the statistic. So in a release where the statistics cost `e_1, ..., e_n`, counts that cost as
/// much as the statistics that leave out just these rows cost nothing more: each row is in the numbers of a statistic
/// or in its counts. Claim: `left-out-rows`.
///
/// # Example
/// ```
/// assert_eq!(inbounds_statistics::of_left_out(3).l1, 1);
/// ```
pub fn of_left_out(reasons: u64) -> Sensitivity {
    Sensitivity { l1: 1, linf: 1, cells: reasons.min(1), rule: "left-out-rows", squares: None }
}

/// Sensitivity of counts of a survey: the rows, if `rows`; for each of `listed` columns the rows whose key is listed;
/// for each of `bounded` columns the rows whose number is below its bounds, within, or above.
///
/// # Law
/// A row adds 1 to the rows, at most 1 to the count of each listed column, and at most 1 to one of the three counts of
/// each bounded column. So with `m` rows per unit, `R` for `rows`, `L` and `C` for the columns:
///
/// | design | l1 | linf |
/// |---|---|---|
/// | add-remove | `m (R + L + C)` | `m` |
/// | substitute | `m (L + max(R + C, 2 C))` | `m` |
///
/// Under substitution `a` rows become `b`, at most `m` each, which moves the rows by `|a - b|`, a listed column by at
/// most `max(a, b)` and a bounded one by at most `a + b`; where the unit is a row both are 1, and `R` must be 0, as the
/// number of rows is public. Every entry is attained. Claim: `survey-counts`.
///
/// # Example
/// ```
/// use inbounds_core::Neighbours;
/// use inbounds_statistics::{Design, PrivacyUnit, of_survey};
/// let design = Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None };
/// assert_eq!(of_survey(&design, true, 2, 3).l1, 6);
/// ```
pub fn of_survey(design: &Design, rows: bool, listed: u64, bounded: u64) -> Sensitivity {
    let m = design.rows_per_unit();
    let rows = u64::from(rows);
    let (moved, cells) = match design.neighbours {
        Neighbours::AddRemove => (rows + listed + bounded, rows + listed + bounded * m.min(3)),
        Neighbours::Substitute => {
            let moved = listed + (rows + bounded).max(2 * bounded);
            (moved, if m == 1 { moved } else { rows + listed + 3 * bounded })
        }
    };
    let linf = if moved == 0 { 0 } else { u128::from(m) };
    Sensitivity { l1: u128::from(m) * u128::from(moved), linf, cells, rule: "survey-counts", squares: None }
}
