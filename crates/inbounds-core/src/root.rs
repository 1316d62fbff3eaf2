//! The one bracketed root search.

/// Bisects `[low, high]` until the two ends are neighbouring doubles, and returns them.
///
/// `holds` must be true at `low`, false at `high`, and switch once in between; the returned pair `(a, b)` has
/// `holds(a)`, not `holds(b)`. A caller who needs the safe side of a root takes the end that is safe.
///
/// # Example
/// ```
/// let (below, above) = inbounds_core::root::bisect(1.0, 2.0, |x| x * x < 2.0);
/// assert_eq!(below.next_up(), above);
/// assert!((below - 2f64.sqrt()).abs() < 1e-15);
/// ```
pub fn bisect(mut low: f64, mut high: f64, holds: impl Fn(f64) -> bool) -> (f64, f64) {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return (low, high);
        }
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The largest integer in `[low, high)` at which `holds`, for a predicate that is true at `low` and switches at most once.
pub fn bisect_integer(mut low: i128, mut high: i128, holds: impl Fn(i128) -> bool) -> i128 {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
