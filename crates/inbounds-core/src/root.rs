//! The one bracketed root search, and the one search for a largest value.

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

/// The same ends as those of [`bisect`], with fewer calls of a predicate that takes long, given a `guess` of the root.
///
/// The bisection goes the same way; beyond a part `margin` of the guess on either side it supposes what a predicate
/// that switches once says. Where that is not so at both ends of the margin, every call is made.
///
/// # Example
/// ```
/// use std::cell::Cell;
/// let calls = Cell::new(0);
/// let holds = |x: f64| (calls.set(calls.get() + 1), x * x < 2.0).1;
/// let near = inbounds_core::root::bisect_near(0.0, 10.0, (1.41421356, 1e-8), holds);
/// assert_eq!(near, inbounds_core::root::bisect(0.0, 10.0, |x| x * x < 2.0));
/// assert!(calls.get() < 40);
/// ```
pub fn bisect_near(low: f64, high: f64, (guess, margin): (f64, f64), holds: impl Fn(f64) -> bool) -> (f64, f64) {
    let (below, above) = (guess * (1.0 - margin), guess * (1.0 + margin));
    if below <= low || above >= high || !holds(below) || holds(above) {
        return bisect(low, high, holds);
    }
    bisect(low, high, |x| x <= below || (x < above && holds(x)))
}

/// The largest positive double at which `holds`, for a predicate that is true below a root and false above, searched
/// for by doubling and halving from a positive number on; zero where no double holds.
///
/// # Example
/// ```
/// let found = inbounds_core::root::largest_that_holds(1.0, |x| x * x < 1e6);
/// assert!((found - 1000.0).abs() < 1e-9);
/// assert_eq!(inbounds_core::root::largest_that_holds(1.0, |_| false), 0.0);
/// ```
pub fn largest_that_holds(from: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let mut high = from;
    while holds(high) {
        high *= 2.0;
    }
    let mut low = high / 2.0;
    while low > 0.0 && !holds(low) {
        low /= 2.0;
    }
    bisect(low, high, holds).0
}

/// The largest integer in `[low, high)` at which `holds`, for a predicate that is true at `low` and switches at most
/// once.
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

/// The largest value found of a function that rises and then falls on `[low, high]`, and where, by golden sections.
///
/// The search ends when `narrow(low, high)`, or when doubles leave nothing between; both ends are tried too.
///
/// # Example
/// ```
/// let (top, at) = inbounds_core::root::largest(0.0, 3.0, |low, high| high - low < 1e-9, |x| 2.0 * x - x * x);
/// assert!((top - 1.0).abs() < 1e-15 && (at - 1.0).abs() < 1e-7);
/// ```
pub fn largest(mut low: f64, mut high: f64, narrow: impl Fn(f64, f64) -> bool, f: impl Fn(f64) -> f64) -> (f64, f64) {
    const GOLDEN: f64 = 0.618_033_988_749_894_8;
    let at = |x: f64| (f(x), x);
    let larger = |a: (f64, f64), b: (f64, f64)| if b.0 > a.0 { b } else { a };
    let mut best = larger(at(low), at(high));
    let (mut left, mut right) = (at(high - GOLDEN * (high - low)), at(low + GOLDEN * (high - low)));
    while left.1 < right.1 && !narrow(low, high) {
        best = larger(best, larger(left, right));
        if left.0 >= right.0 {
            (high, right) = (right.1, left);
            left = at(high - GOLDEN * (high - low));
        } else {
            (low, left) = (left.1, right);
            right = at(low + GOLDEN * (high - low));
        }
    }
    larger(best, larger(left, right))
}
