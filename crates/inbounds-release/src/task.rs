//! One statistic of the plan: what the engine is asked, and how the answer is measured and estimated.

use inbounds_core::Epsilon;
use inbounds_data::{KeyValue, Keys, Query, Tally};
use inbounds_mechanisms::{
    account::Event,
    mechanism::Measurements,
    sampler::{Entropy, SeededEntropy},
};
use inbounds_statistics::{self as statistics, Clip, Component, Estimate, ExpectedError};

use crate::{
    levels::{Levels, ProjectionEntry},
    progress::Progress,
};

/// One statistic of the plan, ready to be asked and measured.
pub struct Task {
    /// Index into [`Plan::statistics`](crate::plan::Plan::statistics).
    pub index: usize,
    /// The question for the engine.
    pub query: Query,
    /// The calibrated statistic.
    pub prepared: Prepared,
}

impl Task {
    /// Names of the grouping columns; empty for a whole statistic.
    pub fn key_columns(&self) -> &[String] {
        self.query.keys.as_ref().map_or(&[], Keys::columns)
    }

    /// The public keys in cell order; one empty key for a whole statistic. With levels, the cells of all levels from
    /// coarse to fine; the key of a cell of a coarser level is the part that its finest cells share.
    pub fn keys(&self) -> Vec<&[KeyValue]> {
        match (&self.query.keys, &self.prepared) {
            (None, _) => vec![&[]],
            (Some(keys), Prepared::Levels(levels)) => levels.keys(keys),
            (Some(keys), Prepared::Cells(_)) => keys.rows().iter().map(Vec::as_slice).collect(),
        }
    }
}

/// A calibrated statistic.
#[derive(Debug, Clone)]
pub enum Prepared {
    /// Every cell is measured and estimated by itself.
    Cells(Box<statistics::Prepared>),
    /// A count of which every level is measured, and which adds up.
    Levels(Levels),
}

/// What a statistic's measurements came to.
pub(crate) struct Estimated {
    /// One estimate a cell.
    pub(crate) estimates: Vec<Estimate>,
    /// How levels were made to add up.
    pub(crate) projection: Option<ProjectionEntry>,
}

impl Prepared {
    /// What the engine does to each value; `None` for a count.
    pub fn clip(&self) -> Option<Clip> {
        match self {
            Self::Cells(cells) => cells.clip,
            Self::Levels(_) => None,
        }
    }

    /// The measured vectors.
    pub fn components(&self) -> Vec<&Component> {
        match self {
            Self::Cells(cells) => cells.components(),
            Self::Levels(levels) => levels.components(),
        }
    }

    /// The level and the number of cells of each measured vector, where there are levels.
    pub fn levels(&self) -> Vec<Option<(&str, usize)>> {
        match self {
            Self::Cells(cells) => vec![None; cells.components().len()],
            Self::Levels(levels) => levels.names().zip(levels.cells()).map(Some).collect(),
        }
    }

    /// What is subtracted from each value before it is summed into `component`; `None` for a plain sum or count.
    pub fn centre_of(&self, component: &Component) -> Option<f64> {
        match self {
            Self::Cells(cells) => cells.centre_of(component),
            Self::Levels(_) => None,
        }
    }

    /// What measuring costs, one event a measured vector.
    pub fn events(&self, label: &str) -> Vec<Event> {
        match self {
            Self::Cells(cells) => cells.events(label),
            Self::Levels(levels) => levels.events(label),
        }
    }

    /// Ends of the range in the statistic's unit, `None` for an open one.
    pub fn ends(&self) -> (Option<f64>, Option<f64>) {
        match self {
            Self::Cells(cells) => cells.ends(),
            Self::Levels(levels) => levels.ends(),
        }
    }

    /// Epsilon of the statistic.
    pub fn epsilon(&self) -> &Epsilon {
        match self {
            Self::Cells(cells) => cells.epsilon(),
            Self::Levels(levels) => levels.epsilon(),
        }
    }

    /// Error to expect for a few candidate truths, before anything is measured.
    pub fn expected_errors(&self) -> Vec<ExpectedError> {
        match self {
            Self::Cells(cells) => cells.expected_errors(),
            Self::Levels(levels) => levels.expected_errors(),
        }
    }

    /// The largest absolute bias over the range; `None` where none is known.
    pub fn worst_bias(&self) -> Option<f64> {
        match self {
            Self::Cells(cells) => Some(cells.worst_bias()),
            Self::Levels(_) => None,
        }
    }

    /// Identifier of the bias formula.
    pub fn bias_formula(&self) -> &'static str {
        match self {
            Self::Cells(cells) => cells.bias_formula(),
            Self::Levels(_) => "parametric-bootstrap",
        }
    }

    /// Identifier of the interval's method.
    pub fn interval_method(&self) -> &'static str {
        match self {
            Self::Cells(cells) => cells.interval_method(),
            Self::Levels(_) => "simulated-error-rank-cut-to-range",
        }
    }

    /// Measures the engine's exact answers. **The only step that reads them.**
    pub(crate) fn measure(&self, tally: Tally, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        match self {
            Self::Cells(cells) => cells.measure(tally.counts, tally.sums.into_iter().next(), entropy),
            Self::Levels(levels) => levels.measure(tally.counts, entropy),
        }
    }

    /// Estimates from measurements. Post-processing: costs no privacy. `rounding` is published.
    pub(crate) fn estimate(
        &self,
        measured: &[Measurements],
        level: f64,
        rounding: &mut SeededEntropy,
        progress: &dyn Progress,
    ) -> Estimated {
        match self {
            Self::Cells(cells) => Estimated { estimates: cells.estimate(measured, level, rounding), projection: None },
            Self::Levels(levels) => {
                let (estimates, projection) = levels.estimate(measured, level, rounding.word(), progress);
                Estimated { estimates, projection: Some(projection) }
            }
        }
    }
}
