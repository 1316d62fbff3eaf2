//! Sums with compensated rounding, and plain ones.

/// Half the distance from one to the next double is the relative error of one rounding; this is the whole distance.
pub(crate) const ULP: f64 = f64::EPSILON;

/// A running sum with its own rounding error carried along (Neumaier).
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Sum {
    head: f64,
    tail: f64,
}

impl Sum {
    /// Adds one term.
    pub(crate) fn add(&mut self, term: f64) {
        let head = self.head + term;
        self.tail += if self.head.abs() >= term.abs() { (self.head - head) + term } else { (term - head) + self.head };
        self.head = head;
    }

    /// Adds another sum.
    pub(crate) fn merge(&mut self, other: Self) {
        self.add(other.head);
        self.tail += other.tail;
    }

    /// The sum, rounded once; an overflow stays an infinity.
    pub(crate) fn value(self) -> f64 {
        if self.head.is_finite() { self.head + self.tail } else { self.head }
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

/// The sum of `terms`, with an error of about one rounding.
pub(crate) fn sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    terms.into_iter().collect::<Sum>().value()
}

/// The sum of what `function` makes of numbers, as partial sums that do not wait for each other: quick, and the same on
/// all processors.
#[inline(always)]
pub(crate) fn in_lanes(numbers: &[f64], function: impl Fn(f64) -> f64) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for chunk in chunks {
        sums.iter_mut().zip(chunk).for_each(|(sum, number)| *sum += function(*number));
    }
    sums.into_iter().chain(rest.iter().map(|number| function(*number))).sum()
}

/// The sum of products, one after the other.
pub(crate) fn dot(one: &[f64], other: &[f64]) -> f64 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

/// The largest of the absolute values, or zero.
pub(crate) fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0, |largest: f64, number| largest.max(number.abs()))
}

/// `part / whole`, and zero where both are zero: a residual relative to its terms.
pub(crate) fn relative(part: f64, whole: f64) -> f64 {
    if part == 0.0 { 0.0 } else { part / whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_survive_between_large_ones() {
        assert_eq!(sum([1.0, 1e100, 1.0, -1e100]), 2.0);
        assert_eq!(sum([0.1; 10]), 1.0);
        assert_eq!(sum([f64::MAX, f64::MAX]), f64::INFINITY);
    }
}
