//! The private side of the trust line.

/// The exact integer answers of a query over private rows, one a cell, in steps of a public grid. **Private.**
///
/// The type has no `Debug`, `Display`, `Clone` or serialisation, so an answer cannot slip into a message, a log or a
/// bundle; it is consumed by a mechanism, which returns measurements.
///
/// ```compile_fail
/// println!("{:?}", inbounds_core::Answer::new(vec![1]));
/// ```
pub struct Answer(Vec<i128>);

impl Answer {
    /// Wraps exact answers.
    pub fn new(steps: Vec<i128>) -> Self {
        Self(steps)
    }

    /// The exact answers, for a mechanism. Whoever calls this holds private numbers.
    pub fn private_steps(&self) -> &[i128] {
        &self.0
    }

    /// Number of cells, which is public: it is the number of public keys.
    pub fn cells(&self) -> usize {
        self.0.len()
    }

    /// `factor * self + other_factor * other`, cell by cell, as exact integers.
    ///
    /// # Panics
    /// If the two have not the same number of cells, or a cell leaves the range of `i128`.
    pub fn combine(&self, factor: i128, other: &Self, other_factor: i128) -> Self {
        assert_eq!(self.cells(), other.cells(), "answers of one query have the same cells");
        let combine = |(a, b): (&i128, &i128)| {
            let (a, b) = (factor.checked_mul(*a), other_factor.checked_mul(*b));
            a.zip(b).and_then(|(a, b)| a.checked_add(b)).expect("row counts times steps stay below 2^120")
        };
        Self(self.0.iter().zip(&other.0).map(combine).collect())
    }
}
