//! A post-processing rule as a table.

use super::DesignError;

/// Value of a rule for raw values above its table.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Tail {
    /// The last value of the table.
    Constant,
    /// The raw value less a constant shift `c`: `y - c`.
    Shifted(f64),
}

/// A rule `phi` from raw values (whole grid steps) to published values.
///
/// # Law
/// `phi(y)` is tabulated for `y = first, ..., last`; below the table it is the first value, above it what [`Tail`]
/// says.
///
/// # Example
/// ```
/// use inbounds_mechanisms::designer::{Table, Tail};
/// let clamp = Table::new(0, vec![0.0, 1.0, 2.0], Tail::Shifted(0.0))?;
/// assert_eq!([-7, 1, 9].map(|raw| clamp.at(raw)), [0.0, 1.0, 9.0]);
/// # Ok::<(), inbounds_mechanisms::designer::DesignError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    first: i64,
    values: Vec<f64>,
    above: Tail,
}

impl Table {
    /// The rule with these values from `first` on.
    ///
    /// # Errors
    /// [`DesignError::Table`] unless there is a value, and all values and the shift are finite.
    pub fn new(first: i64, values: Vec<f64>, above: Tail) -> Result<Self, DesignError> {
        let shift = if let Tail::Shifted(shift) = above { shift } else { 0.0 };
        if values.is_empty() || !shift.is_finite() || !values.iter().all(|value| value.is_finite()) {
            return Err(DesignError::Table);
        }
        Ok(Self::of_finite(first, values, above))
    }

    /// The rule of values that are there and finite.
    pub(super) fn of_finite(first: i64, values: Vec<f64>, above: Tail) -> Self {
        Self { first, values, above }
    }

    /// The smallest raw value in the table.
    pub fn first(&self) -> i64 {
        self.first
    }

    /// The largest raw value in the table.
    pub fn last(&self) -> i64 {
        self.first + self.values.len() as i64 - 1
    }

    /// Rule above the table.
    pub fn above(&self) -> Tail {
        self.above
    }

    /// The published value for a raw value.
    pub fn at(&self, raw: i64) -> f64 {
        match self.above {
            Tail::Shifted(shift) if raw > self.last() => raw as f64 - shift,
            _ => self.values[(raw.clamp(self.first, self.last()) - self.first) as usize],
        }
    }

    /// Raw values with their published values, from first to last.
    pub fn rows(&self) -> impl Iterator<Item = (i64, f64)> + '_ {
        (self.first..).zip(self.values.iter().copied())
    }

    /// The largest `|phi(y) - y|` over the table and, where there is a shift, above it.
    pub(super) fn largest_move(&self) -> f64 {
        let shift = if let Tail::Shifted(shift) = self.above { shift.abs() } else { 0.0 };
        self.rows().map(|(raw, value)| (value - raw as f64).abs()).fold(shift, f64::max)
    }

    /// `(1 - share) self + share other`, for two rules with the same window and form.
    pub(super) fn blend(&self, other: &Self, share: f64) -> Self {
        let mix = |own: f64, new: f64| if share < 1.0 { own + share * (new - own) } else { new };
        let values = self.values.iter().zip(&other.values).map(|(own, new)| mix(*own, *new)).collect();
        let above = match (self.above, other.above) {
            (Tail::Shifted(own), Tail::Shifted(new)) => Tail::Shifted(mix(own, new)),
            (above, _) => above,
        };
        Self { first: self.first, values, above }
    }
}
