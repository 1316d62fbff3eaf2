//! How accurate the plan wants a statistic to be.

use inbounds_core::Rational;
use inbounds_input::document::Spanned;

use crate::levels::Granularity;

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
    pub of: Option<Spanned<Granularity>>,
    /// The number of rows that it is for, where the error depends on it.
    pub rows: Option<Spanned<u64>>,
}

pub use inbounds_bundle::WantedError;
