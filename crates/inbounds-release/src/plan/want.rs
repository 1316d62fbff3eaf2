//! Accuracy that the plan wants of a statistic.

use inbounds_core::Rational;
use inbounds_input::document::Spanned;
use inbounds_statistics::ColumnMoments;

use super::granularity::Granularity;

/// The most that a statistic may err by noise, which its epsilon is found from.
///
/// # Example
/// ```
/// use inbounds_release::plan::{Plan, WantedError};
/// let text = "data.path = 'a.parquet'\n[privacy]\nunit = 'row'\nneighbours = 'add-remove'\nepsilon = 'least'\n\
///     [[statistic]]\nname = 'a'\nkind = 'count'\nwant = { margin = 10 }";
/// let plan = Plan::parse(text, ".".as_ref())?;
/// let want = &plan.statistics[0].want[0].value;
/// assert_eq!((want.error, want.most.to_string()), (WantedError::Margin, "10".to_owned()));
/// # Ok::<(), inbounds_release::plan::DocumentErrors>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Want {
    /// Which error.
    pub error: WantedError,
    /// Its largest value, in the unit of the statistic.
    pub most: Rational,
    /// The level or margin that it is for; all of them where the plan leaves it out.
    pub granularity: Option<Spanned<Granularity>>,
    /// The number of rows that it is for, where the error depends on it.
    pub rows: Option<Spanned<u64>>,
    /// The moments of the column that it is for, where they are public; any that the column can have where the plan
    /// leaves it out.
    pub about: Option<Spanned<PublicMoments>>,
}

/// Public moments of the values of a column in a group: one at least, in the column's unit.
///
/// # Law
/// Of values `x_1, ..., x_n`: `mean = (x_1 + ... + x_n) / n` and `sd^2 = ((x_1 - mean)^2 + ... + (x_n - mean)^2) / n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicMoments {
    /// The mean.
    pub mean: Option<Spanned<Rational>>,
    /// The standard deviation, at least 0.
    pub sd: Option<Spanned<Rational>>,
}

impl PublicMoments {
    /// As the largest errors of a statistic are restricted to them.
    pub(crate) fn to_column_moments(&self) -> ColumnMoments {
        let value = |number: &Option<Spanned<Rational>>| number.as_ref().map(|number| number.value.to_f64());
        ColumnMoments { mean: value(&self.mean), deviation: value(&self.sd) }
    }
}

pub use inbounds_bundle::WantedError;
