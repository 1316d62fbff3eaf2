//! The cells of a figure.

use std::collections::BTreeMap;

use inbounds_bundle::{QualityEntry, UnitEntry};
use inbounds_core::ids;
use inbounds_mechanisms::law::{Gaussian, Noise};

use crate::method::FigureMethod;

ids! {
    /// Extent of an interval.
    Extent {
        /// Two ends.
        Bounded = "bounded",
        /// A lower end alone.
        AtLeast = "at-least",
        /// An upper end alone.
        AtMost = "at-most",
        /// Nothing that is possible is ruled out.
        Everything = "everything",
        /// The measurements rule out all that is possible, so all of it is shown.
        Contradiction = "contradiction",
    }
}

ids! {
    /// Comparison of a figure with the value that means "no difference".
    Against {
        /// The whole interval is above it.
        Higher = "higher",
        /// The whole interval is below it.
        Lower = "lower",
        /// It is in the interval.
        Untold = "cannot-be-told",
    }
}

/// A figure of one key.
#[derive(Debug, Clone, PartialEq)]
pub struct FigureCell {
    /// Values of the columns that identify it.
    pub key: BTreeMap<String, String>,
    /// Which number of the cell it is; empty where a cell has one.
    pub output: String,
    /// The unit of its numbers, in words.
    pub unit: String,
    /// From the estimates; none where that divides by zero.
    pub estimate: Option<f64>,
    /// From the measurements; none where that divides by zero.
    pub raw: Option<f64>,
    /// The lower end of the interval; minus infinity where nothing bounds it.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
    /// Extent of the interval.
    pub extent: Extent,
    /// Against the value that says "no difference", for kinds that have one.
    pub against: Option<Against>,
    /// The same where the answers for all cells of the figure are to be right at once.
    pub against_all: Option<Against>,
    /// Method of the interval.
    pub method: FigureMethod,
    /// The ends of the shortest interval of its kind are at most so much nearer.
    pub method_error: f64,
    /// The chance with which the interval of this cell by itself may miss.
    pub miss: f64,
    /// Root mean square error of the raw figure, which is unbiased; none where it divides by a noisy number, so that it
    /// has neither a mean nor a variance.
    pub raw_rmse: Option<f64>,
    /// Bias and RMSE of the estimate, were the truths the estimates; none where they are undefined or do not follow
    /// from what is published.
    pub errors_at_estimate: Option<(f64, f64)>,
    /// The class of its relative error, by `quality` of the plan of the release; none where there are no classes, or a
    /// relative error says nothing of its kind.
    pub quality: Option<String>,
}

/// Between the units of numerator and denominator.
pub(crate) const PER: &str = " per ";

impl FigureCell {
    /// Its unit for people, with `called` giving the name of each unit in it.
    pub fn unit_called(&self, called: impl Fn(UnitEntry) -> String) -> String {
        self.unit.split(PER).map(|unit| called(UnitEntry::from(unit.to_owned()))).collect::<Vec<_>>().join(PER)
    }

    /// The same with its class. An interval without one of its ends, and a figure that divides by zero, are in the
    /// last. The RMSE of a figure that states none is that of a normal error with its interval.
    pub(crate) fn classed(mut self, quality: &QualityEntry) -> Self {
        let rmse = self.errors_at_estimate.map_or_else(|| self.normal_rmse(), |(_, rmse)| rmse);
        let class = quality.class_of(self.estimate.unwrap_or(0.0), (self.lower, self.upper), rmse);
        self.quality = Some(class.to_owned());
        self
    }

    /// Half of the width of the interval over the normal quantile of its level; infinite where an end, or the estimate,
    /// is missing.
    fn normal_rmse(&self) -> f64 {
        let normal = Gaussian::with_std_dev(1.0).expect("one is finite and positive");
        let half = 0.5 * (self.upper - self.lower);
        self.estimate.map_or(f64::INFINITY, |_| half / normal.quantile(1.0 - 0.5 * self.miss))
    }
}

impl Extent {
    pub(crate) fn classify(lower: f64, upper: f64, possible: (f64, f64), contradicts: bool) -> Self {
        match (lower > possible.0, upper < possible.1) {
            _ if contradicts => Self::Contradiction,
            (false, false) if possible.0 < possible.1 => Self::Everything,
            _ => match (lower.is_finite(), upper.is_finite()) {
                (true, true) => Self::Bounded,
                (true, false) => Self::AtLeast,
                (false, true) => Self::AtMost,
                (false, false) => Self::Everything,
            },
        }
    }
}

impl Against {
    pub(crate) fn compare(neutral: f64, lower: f64, upper: f64) -> Self {
        match () {
            () if lower > neutral => Self::Higher,
            () if upper < neutral => Self::Lower,
            () => Self::Untold,
        }
    }
}
