//! Rounding of published numbers for their readers.

use inbounds_core::ids;
use serde::{Deserialize, Serialize};

use crate::{
    Id,
    figures::{figure, group_digits},
};

ids! {
    /// Rule by which the multiples are chosen.
    RoundingMethod {
        /// Each number is rounded to the nearest multiple; there are no totals.
        Nearest = "nearest",
        /// Each number is rounded up or down so that totals add up, with the least sum of changes.
        Controlled = "controlled",
        /// The parts are rounded up or down, and totals are their sums.
        Summed = "summed",
        /// Each number is rounded to the nearest multiple, since nothing near them adds up.
        Apart = "apart",
    }
}

/// Numbers of a statistic as page and workbook show them: multiples of `to`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "field names are the schema; docs/bundle.md describes each")]
pub struct RoundingEntry {
    pub to: u64,
    pub method: Id<RoundingMethod>,
    /// The largest distance of a rounded number from its estimate.
    pub farthest: f64,
}

impl RoundingEntry {
    /// Sentence beside the numbers.
    ///
    /// # Example
    /// ```
    /// use inbounds_bundle::{RoundingEntry, RoundingMethod};
    /// let entry = RoundingEntry { to: 5, method: RoundingMethod::Controlled.into(), farthest: 4.25 };
    /// assert_eq!(
    ///     entry.sentence(),
    ///     "Numbers are rounded to multiples of 5, up or down so that totals still add up; none is moved by more than 4.25. \
    ///      The tables of the bundle have all digits."
    /// );
    /// ```
    pub fn sentence(&self) -> String {
        let how = match self.method.known() {
            Some(RoundingMethod::Nearest) | None => "",
            Some(RoundingMethod::Controlled) => ", up or down so that totals still add up",
            Some(RoundingMethod::Summed) => "; totals are the sums of rounded parts",
            Some(RoundingMethod::Apart) => ", each by itself: rounded parts need not add up to rounded totals",
        };
        format!(
            "Numbers are rounded to multiples of {}{how}; none is moved by more than {}. The tables of the bundle have all digits.",
            group_digits(&self.to.to_string()),
            figure(self.farthest)
        )
    }

    /// Ends of an interval moved outwards to multiples of `to`.
    pub fn outwards(to: u64, (lower, upper): (f64, f64)) -> (f64, f64) {
        let to = to as f64;
        ((lower / to).floor() * to, (upper / to).ceil() * to)
    }
}
