//! Totals of rows that a scenario assumes.

/// Largest number that is assumed, in steps.
pub(super) const MOST: f64 = 1e15;

/// Sum, in steps, over rows that contribute this much each: over a number of rows, or to about `plenty` steps where
/// their number is not assumed.
pub(super) fn amount(of_row: f64, rows: Option<u64>, plenty: f64) -> f64 {
    let rows = rows.map_or_else(|| libm::ceil(plenty / of_row), |rows| rows as f64);
    (rows * of_row).min(MOST)
}
