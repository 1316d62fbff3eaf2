//! One statistic of the plan: what the engine is asked, and how the answer is measured and estimated.

use std::sync::Arc;

use inbounds_bundle::{FileEntry, Notice, ProjectionEntry};
use inbounds_core::{Epsilon, IntervalMethod, Quantity, Rational};
use inbounds_data::{KeyValue, Keys, Query, Tally};
use inbounds_mechanisms::{
    account::Event,
    mechanism::{BiasFormula, Measurements},
    sampler::{Entropy, SeededEntropy},
};
use inbounds_statistics::{
    self as statistics, Clip, Component, Doubt, Estimate, ExpectedError, RowsMeasured, Supposed,
    compound::{Compound, Moments, Output, Unit},
};

use crate::{asked::Asked, levels::Levels, progress::Progress};

/// One statistic of the plan, ready to be asked and measured.
pub struct Task {
    /// Index into [`Plan::statistics`](crate::plan::Plan::statistics).
    pub index: usize,
    /// The question for the engine.
    pub query: Query,
    /// The calibrated statistic.
    pub prepared: Prepared,
    /// What it was prepared from; `None` with levels.
    pub(crate) asked: Option<Asked>,
    /// The file that lists its keys.
    pub key_file: Option<FileEntry>,
    /// Whether intervals for a population are asked for.
    pub population: bool,
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
            (Some(keys), _) => keys.rows().iter().map(Vec::as_slice).collect(),
        }
    }

    /// Number of published cells.
    pub fn cells(&self) -> usize {
        match &self.prepared {
            Prepared::Compound(compound) => compound.cells(),
            _ => self.keys().len(),
        }
    }
}

/// A calibrated statistic.
#[derive(Debug, Clone)]
pub enum Prepared {
    /// Every cell is measured and estimated by itself.
    Cells(Box<statistics::Prepared>),
    /// A count, sum or mean of which every level is measured, and which adds up.
    Levels(Levels),
    /// Several measured vectors or several outputs a cell.
    Compound(Arc<dyn Compound>),
}

/// What a statistic's measurements came to.
pub(crate) struct Estimated {
    /// One estimate a cell.
    pub(crate) estimates: Vec<Estimate>,
    /// How levels were made to add up.
    pub(crate) projection: Option<ProjectionEntry>,
    /// What making them add up did that a reader has to know.
    pub(crate) notices: Vec<Notice>,
}

impl Prepared {
    /// What the engine does to the values of each column that the statistic reads.
    pub fn clips(&self) -> Vec<Clip> {
        match self {
            Self::Cells(cells) => cells.clip.into_iter().collect(),
            Self::Levels(levels) => levels.clip().into_iter().collect(),
            Self::Compound(compound) => compound.ask().clips,
        }
    }

    /// Pairs of columns whose products are summed.
    pub(crate) fn products(&self) -> Vec<(usize, usize)> {
        match self {
            Self::Compound(compound) => compound.ask().products,
            _ => Vec::new(),
        }
    }

    /// Edges of bins, if the statistic has bins.
    pub(crate) fn edges(&self) -> Option<Vec<Rational>> {
        match self {
            Self::Compound(compound) => compound.ask().edges,
            _ => None,
        }
    }

    /// What is published of each cell.
    pub fn outputs(&self) -> Vec<Output> {
        let one = |unit| vec![Output { quantity: Quantity::Statistic, unit }];
        match self {
            Self::Cells(cells) if cells.clip.is_some() => one(Unit::Columns(vec![0])),
            Self::Cells(cells) if cells.components().iter().any(|component| component.role == Quantity::Proportion) => {
                one(Unit::None)
            }
            Self::Cells(_) => one(Unit::Rows),
            Self::Levels(levels) => levels.outputs(),
            Self::Compound(compound) => compound.outputs(),
        }
    }

    /// The measured vectors.
    pub fn components(&self) -> Vec<&Component> {
        match self {
            Self::Cells(cells) => cells.components(),
            Self::Levels(levels) => levels.components(),
            Self::Compound(compound) => compound.components(),
        }
    }

    /// The level and the number of cells of each measured vector, where there are levels.
    pub fn levels(&self) -> Vec<Option<(&str, usize)>> {
        match self {
            Self::Cells(cells) => vec![None; cells.components().len()],
            Self::Levels(levels) => levels.names().zip(levels.cells()).map(Some).collect(),
            Self::Compound(compound) => vec![None; compound.components().len()],
        }
    }

    /// The measured vectors that each say how many rows the statistic is of, the last one by cell; none where no number of
    /// rows is measured.
    pub(crate) fn rows_measured(&self) -> Vec<RowsMeasured> {
        match self {
            Self::Cells(cells) => cells.rows_measured().into_iter().collect(),
            Self::Levels(levels) => levels.rows_measured(),
            Self::Compound(compound) => compound.rows_measured(),
        }
    }

    /// What is subtracted from each value before it is summed into `component`; `None` for a plain sum or count.
    pub fn centre_of(&self, component: &Component) -> Option<f64> {
        match self {
            Self::Cells(_) | Self::Levels(_) => None,
            Self::Compound(compound) => compound.centre_of(component),
        }
    }

    /// What measuring costs, one event a measured vector.
    pub fn events(&self, label: &str) -> Vec<Event> {
        match self {
            Self::Cells(cells) => cells.events(label),
            Self::Levels(levels) => levels.events(label),
            Self::Compound(compound) => compound.events(label),
        }
    }

    /// Range of each output, `None` for an open end.
    pub fn ranges(&self) -> Vec<(Option<f64>, Option<f64>)> {
        let ranges = match self {
            Self::Cells(cells) => return vec![cells.ends()],
            Self::Levels(levels) => levels.ranges(),
            Self::Compound(compound) => compound.ranges(),
        };
        let finite = |end: f64| end.is_finite().then_some(end);
        ranges.into_iter().map(|(lower, upper)| (finite(lower), finite(upper))).collect()
    }

    /// The range that all outputs share; open where they differ, as those of a matrix do.
    pub fn ends(&self) -> (Option<f64>, Option<f64>) {
        let ranges = self.ranges();
        let first = ranges.first().copied().unwrap_or((None, None));
        if ranges.iter().all(|range| *range == first) { first } else { (None, None) }
    }

    /// Epsilon of the statistic.
    pub fn epsilon(&self) -> &Epsilon {
        match self {
            Self::Cells(cells) => cells.epsilon(),
            Self::Levels(levels) => levels.epsilon(),
            Self::Compound(compound) => compound.epsilon(),
        }
    }

    /// Error to expect for a few candidate truths, before anything is measured.
    pub fn expected_errors(&self, supposed: &Supposed) -> Vec<ExpectedError> {
        match self {
            Self::Cells(cells) => cells.expected_errors(supposed),
            Self::Levels(levels) => levels.expected_errors(),
            Self::Compound(compound) => compound.expected_errors(supposed),
        }
    }

    /// The largest absolute bias over the range; `None` where none is known.
    pub fn worst_bias(&self) -> Option<f64> {
        match self {
            Self::Cells(cells) => Some(cells.worst_bias()),
            Self::Levels(_) => None,
            Self::Compound(compound) => compound.worst_bias(),
        }
    }

    /// Identifier of the bias formula.
    pub fn bias_formula(&self) -> BiasFormula {
        match self {
            Self::Cells(cells) => cells.bias_formula(),
            Self::Levels(_) => BiasFormula::ParametricBootstrap,
            Self::Compound(compound) => compound.bias_formula(),
        }
    }

    /// Identifier of the interval's method.
    pub fn interval_method(&self) -> IntervalMethod {
        match self {
            Self::Cells(cells) => cells.interval_method(),
            Self::Levels(_) => IntervalMethod::SimulatedErrorRank,
            Self::Compound(compound) => compound.interval_method(),
        }
    }

    /// What in the measurements makes the numbers of no use.
    pub(crate) fn doubts(&self, measured: &[Measurements]) -> Vec<Doubt> {
        let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
        match self {
            Self::Cells(_) | Self::Levels(_) => Vec::new(),
            Self::Compound(compound) => compound.doubts(&steps),
        }
    }

    /// Measures the engine's exact answers. **The only step that reads them.**
    pub(crate) fn measure(&self, tally: Tally, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        match self {
            Self::Cells(cells) => cells.measure(tally.counts, tally.sums.into_iter().next(), entropy),
            Self::Levels(levels) => levels.measure(&tally, entropy),
            Self::Compound(compound) => {
                let Tally { counts, sums, products } = tally;
                compound.measure(Moments { counts, sums, products }, entropy)
            }
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
        let alone = |estimates| Estimated { estimates, projection: None, notices: Vec::new() };
        let mut found = match self {
            Self::Cells(cells) => alone(cells.estimate(measured, level, rounding)),
            Self::Levels(levels) => {
                let (estimates, projection, notice) = levels.estimate(measured, level, rounding.word(), progress);
                Estimated { estimates, projection: Some(projection), notices: notice.into_iter().collect() }
            }
            Self::Compound(compound) => {
                progress.begin(crate::progress::Step::Solving);
                alone(compound.estimate(measured, level, rounding.word()))
            }
        };
        // The last step of every kind: what leaves here is inside the range that the bundle states, to the last bit.
        let ranges = self.ranges();
        for (estimate, &(lower, upper)) in found.estimates.iter_mut().zip(ranges.iter().cycle()) {
            estimate.move_inside((lower.unwrap_or(f64::NEG_INFINITY), upper.unwrap_or(f64::INFINITY)));
        }
        found
    }
}
