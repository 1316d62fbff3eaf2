//! Scenarios for the rows where errors are stated before anything is measured.

/// Scenarios where errors are stated before anything is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Scenario {
    /// Numbers of rows of a group, where the error depends on it and the number is not public.
    pub group_sizes: Vec<u64>,
    /// Number of rows of all groups together, where it is assumed; shares are of all groups.
    pub rows: Option<u64>,
    /// Level of the intervals whose half widths are told; none where only bias and RMSE are asked for.
    pub level: Option<f64>,
    /// Moments of the column in a group, to which the largest errors are restricted. Statistics without a
    /// [`MomentRegion`] do not use them.
    pub moments: ColumnMoments,
}

impl Default for Scenario {
    /// Groups of 100 and of 10,000 rows, intervals of 95 %, any moments.
    fn default() -> Self {
        Self {
            group_sizes: vec![100, 10_000],
            rows: None,
            level: Some(0.95),
            moments: ColumnMoments { mean: None, deviation: None },
        }
    }
}

impl Scenario {
    /// Sizes of groups, none above `most`, each once.
    pub(crate) fn sizes_up_to(&self, most: f64) -> Vec<f64> {
        let mut sizes: Vec<f64> = self.group_sizes.iter().map(|rows| (*rows as f64).min(most)).collect();
        sizes.dedup();
        sizes
    }
}

/// Mean and standard deviation of the values `x_1, ..., x_n` of a column in a group, in its unit; any where it is
/// `None`.
///
/// # Law
/// ```text
/// mean = (x_1 + ... + x_n) / n,      deviation^2 = ((x_1 - mean)^2 + ... + (x_n - mean)^2) / n
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ColumnMoments {
    /// The mean.
    pub mean: Option<f64>,
    /// The standard deviation.
    pub deviation: Option<f64>,
}

impl ColumnMoments {
    /// `true` if neither moment is restricted.
    pub(crate) fn are_any(&self) -> bool {
        *self == Self { mean: None, deviation: None }
    }

    /// The case that is the worst of all that have these moments.
    pub(crate) fn worst_case(&self) -> String {
        match (self.mean, self.deviation) {
            (None, None) => "worst within the bounds".to_owned(),
            (Some(mean), None) => format!("worst with mean {mean}"),
            (None, Some(deviation)) => format!("worst with standard deviation {deviation}"),
            (Some(mean), Some(deviation)) => format!("with mean {mean} and standard deviation {deviation}"),
        }
    }
}

/// The moments that a column can have, where they decide the error of a statistic besides its noise and the number of
/// rows.
///
/// # Law
/// For values between `lower` and `upper` the possible moments are
///
/// ```text
/// lower <= mean <= upper,      0 <= deviation <= sqrt((upper - mean)(mean - lower)).
/// ```
///
/// The largest deviation is that of values that are all at the ends (Bhatia and Davis 2000, Theorem 1).
///
/// # Example
/// ```
/// use inbounds_statistics::{ImpossibleMoments, MomentRegion, ColumnMoments};
/// let region = MomentRegion { lower: 0.0, upper: 80.0, has_deviation: true };
/// let moments = |mean, deviation| ColumnMoments { mean: Some(mean), deviation: Some(deviation) };
/// assert_eq!(region.admits(&moments(2.9, 4.5)), Ok(()));
/// let most = (77.0f64 * 3.0).sqrt();
/// assert_eq!(region.admits(&moments(3.0, 15.5)), Err(ImpossibleMoments::Deviation { most }));
/// assert_eq!(region.admits(&moments(81.0, 4.5)), Err(ImpossibleMoments::Mean));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MomentRegion {
    /// The least mean.
    pub lower: f64,
    /// The largest mean.
    pub upper: f64,
    /// True if the error depends on the deviation too.
    pub has_deviation: bool,
}

/// Moments that no column has, or on which the error does not depend.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ImpossibleMoments {
    /// The mean is not in the region.
    Mean,
    /// The error does not depend on the deviation.
    UnusedDeviation,
    /// The deviation is below 0 or above the largest.
    Deviation {
        /// The largest with the mean; without one, the largest of all.
        most: f64,
    },
}

/// Part of the width of a region by which moments may be outside: bounds move inward onto the grid by less.
const ROUNDING: f64 = 1e-8;

impl MomentRegion {
    /// Checks that a column can have these moments.
    ///
    /// # Errors
    /// [`ImpossibleMoments`].
    pub fn admits(&self, moments: &ColumnMoments) -> Result<(), ImpossibleMoments> {
        let Self { lower, upper, has_deviation } = *self;
        let rounding = ROUNDING * (upper - lower);
        if moments.mean.is_some_and(|mean| !(lower - rounding..=upper + rounding).contains(&mean)) {
            return Err(ImpossibleMoments::Mean);
        }
        let Some(deviation) = moments.deviation else { return Ok(()) };
        if !has_deviation {
            return Err(ImpossibleMoments::UnusedDeviation);
        }
        let mean = moments.mean.unwrap_or(0.5 * (lower + upper));
        let most = libm::sqrt(((upper - mean) * (mean - lower)).max(0.0));
        if (0.0..=most + rounding).contains(&deviation) { Ok(()) } else { Err(ImpossibleMoments::Deviation { most }) }
    }
}
