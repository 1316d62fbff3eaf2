//! Sums of doubles that know how far they may be off.

/// A running sum with a bound on its error.
///
/// Adding `n` doubles one by one is off by at most `n u` times the sum of their sizes, `u` the unit of rounding; each
/// term may itself be off by `ulps` of its size. Both are counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    value: f64,
    size: f64,
    ulps: f64,
}

impl Sum {
    /// The empty sum, of terms each of which is off by at most `ulps` units in its last place.
    pub(super) fn of_terms_within(ulps: f64) -> Self {
        Self { value: 0.0, size: 0.0, ulps }
    }

    pub(super) fn add(&mut self, term: f64) {
        self.value += term;
        self.size += term.abs();
        self.ulps += 1.0;
    }

    pub(super) fn value(self) -> f64 {
        self.value
    }

    /// A bound on the distance from the exact sum.
    pub(super) fn slack(self) -> f64 {
        self.ulps * f64::EPSILON * self.size
    }
}
