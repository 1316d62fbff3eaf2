//! One statistic of the plan: what the engine is asked, and how the answer is measured and estimated.

use std::{
    ops::Deref,
    sync::{Arc, OnceLock},
};

use inbounds_bundle::{FileEntry, TotalEntry};
use inbounds_data::{Clip, KeyValue, Keys, Query};
use inbounds_mechanisms::mechanism::Measurements;
use inbounds_statistics::{Estimate, ExpectedError, Scenario, Setting, Statistic, bayes::ClassDistribution};

use crate::{
    cell_keys::CellKeys,
    coverage::Coverage,
    estimated::Estimated,
    key::Key,
    learned::LearnedTable,
    levels::{Granularity, Levels},
    plan::Setup,
    plan::columns::Columns,
    progress::{Progress, Step},
};

/// One statistic of the plan, ready to be asked and measured.
pub struct PreparedStatistic {
    /// Index into [`Plan::statistics`](crate::plan::Plan::statistics).
    pub index: usize,
    /// The question for the engine.
    pub query: Query,
    /// The calibrated statistic.
    pub prepared: CalibratedStatistic,
    /// The columns that it reads.
    pub(crate) columns: Columns,
    /// Setting for which it was calibrated; levels divide it.
    pub(crate) setting: Setting,
    /// Cases in which its errors are stated and compared where the caller names no others
    /// ([`assumed_rows`](mod@crate::assumed_rows)).
    pub(crate) usual: Scenario,
    /// The classes of a model as the plan describes them, in the order of the keys; none if it does not.
    pub(crate) classes: Vec<ClassDistribution>,
    /// The file that lists its keys.
    pub key_file: Option<FileEntry>,
    /// True if intervals for a population are asked for.
    pub population: bool,
    /// Its intervals.
    pub(crate) coverage: Coverage,
}

/// A statistic calibrated for one setting, with what it asks of each row for that. Variants of a task are compared
/// before it takes one; its rows, groups and columns are the same in all.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    pub(crate) setting: Setting,
    pub(crate) prepared: CalibratedStatistic,
    pub(crate) values: Vec<Clip>,
    pub(crate) products: Vec<(usize, usize)>,
    pub(crate) rows_per_cell: Option<u64>,
}

impl PreparedStatistic {
    /// The variant that it is.
    pub(crate) fn variant(&self) -> Variant {
        let Query { values, products, rows_per_cell, .. } = &self.query;
        Variant {
            setting: self.setting.clone(),
            prepared: self.prepared.clone(),
            values: values.clone(),
            products: products.clone(),
            rows_per_cell: *rows_per_cell,
        }
    }

    /// Question of a variant for the engine.
    pub(crate) fn question(&self, variant: &Variant) -> Query {
        let Variant { values, products, rows_per_cell, .. } = variant;
        let (values, products) = (values.clone(), products.clone());
        Query { values, products, rows_per_cell: *rows_per_cell, ..self.query.clone() }
    }

    /// Makes it another variant.
    pub(crate) fn take(&mut self, variant: Variant) {
        let Variant { setting, prepared, values, products, rows_per_cell } = variant;
        (self.setting, self.prepared) = (setting, prepared);
        (self.query.values, self.query.products, self.query.rows_per_cell) = (values, products, rows_per_cell);
    }

    /// The level at which the interval of each of its numbers is made.
    pub(crate) fn level_of_number(&self) -> f64 {
        self.coverage.of_number(&*self.prepared, self.prepared.is_by_cell())
    }

    /// Error to expect for candidate truths, which may be known from [`CalibratedStatistic::usual_errors`].
    pub(crate) fn errors_expected(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let is_usual = *scenario == Scenario { level: scenario.level, ..self.usual.clone() };
        match is_usual && !self.prepared.expects_half_widths() {
            true => self.prepared.usual_errors(&self.usual),
            false => self.prepared.expected_errors(scenario),
        }
    }

    /// Properties that its kind may use.
    pub(crate) fn setup(&self) -> Setup<'_> {
        Setup {
            columns: &self.columns,
            setting: &self.setting,
            key_columns: self.key_columns(),
            classes: &self.classes,
        }
    }

    /// `true` if its noise is one vector with that of other statistics, so that its epsilon is theirs too.
    pub fn shares_noise(&self) -> bool {
        self.setting.together.is_some()
    }

    /// Names of the grouping columns; empty for a whole statistic.
    pub fn key_columns(&self) -> &[String] {
        match &self.prepared {
            CalibratedStatistic::Learned(learned) => &learned.question.columns,
            CalibratedStatistic::Cells(_) | CalibratedStatistic::Levels(_) => {
                self.query.keys.as_ref().map_or(&[], Keys::columns)
            }
        }
    }

    /// Table of a statistic with learned keys, if its keys are learned.
    pub fn learned(&self) -> Option<&LearnedTable> {
        match &self.prepared {
            CalibratedStatistic::Learned(learned) => Some(learned),
            CalibratedStatistic::Cells(_) | CalibratedStatistic::Levels(_) => None,
        }
    }

    /// The same with the keys that noise chose, where they are learned.
    pub(crate) fn with_published(mut self, rows: Vec<Vec<KeyValue>>) -> Self {
        if let CalibratedStatistic::Learned(learned) = &self.prepared {
            self.prepared = CalibratedStatistic::Learned(Arc::new(learned.with_rows(rows)));
        }
        self
    }

    /// The public keys in cell order; one empty key for a whole statistic. With levels or margins, the cells of all of
    /// them from coarse to fine; the key of a coarser cell is the part that its finest cells share. Keys that are
    /// learned are those that noise chose, and none before that.
    pub fn keys(&self) -> Vec<Key<'_>> {
        let keys = self.cell_keys();
        (0..keys.len()).map(|place| keys.get(place).0).collect()
    }

    /// The same, each told when it is asked for.
    pub(crate) fn cell_keys(&self) -> CellKeys<'_> {
        match (&self.query.keys, &self.prepared) {
            (_, CalibratedStatistic::Learned(learned)) => CellKeys::Learned(learned.rows()),
            (None, _) => CellKeys::None,
            (Some(keys), CalibratedStatistic::Levels(levels)) => CellKeys::Nodes(levels.nodes(keys)),
            (Some(keys), CalibratedStatistic::Cells(_)) => CellKeys::Listed(keys),
        }
    }
}

/// A calibrated statistic: it is one, whether its cells add up or not.
#[derive(Debug, Clone)]
pub enum CalibratedStatistic {
    /// Every cell is estimated from what was measured for it.
    Cells(Arc<Cells>),
    /// A count, sum or mean that is measured at levels, or in margins, and adds up.
    Levels(Arc<Levels>),
    /// A count of cells whose keys are learned.
    Learned(Arc<LearnedTable>),
}

/// A statistic whose cells are each estimated from what was measured for them, with the errors to expect of it, which
/// may take long to simulate.
#[derive(Debug)]
pub struct Cells {
    statistic: Arc<dyn Statistic>,
    /// Bias and RMSE of the usual cases, with these, found when they are first asked for.
    usual: OnceLock<(Scenario, Vec<ExpectedError>)>,
}

impl Deref for CalibratedStatistic {
    type Target = dyn Statistic;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Cells(cells) => &*cells.statistic,
            Self::Levels(levels) => &**levels,
            Self::Learned(learned) => learned.count(),
        }
    }
}

/// Ends of a range, `None` for an open one.
pub type Ends = (Option<f64>, Option<f64>);

impl CalibratedStatistic {
    /// True where each cell is estimated from what was measured for it alone.
    pub(crate) fn is_by_cell(&self) -> bool {
        matches!(self, Self::Cells(_))
    }

    /// A statistic of cells.
    pub(crate) fn of_cells(statistic: Arc<dyn Statistic>) -> Self {
        Self::Cells(Arc::new(Cells { statistic, usual: OnceLock::new() }))
    }

    /// Bias and RMSE to expect in the usual cases, without intervals; found once for all copies.
    pub(crate) fn usual_errors(&self, usual: &Scenario) -> Vec<ExpectedError> {
        let usual = Scenario { level: None, ..usual.clone() };
        let errors = match self {
            Self::Cells(cells) => {
                let (known, errors) = cells.usual.get_or_init(|| (usual.clone(), self.expected_errors(&usual)));
                (*known == usual).then(|| errors.clone())
            }
            Self::Levels(_) | Self::Learned(_) => None,
        };
        errors.unwrap_or_else(|| self.expected_errors(&usual))
    }

    /// `true` if they were found before.
    #[cfg(test)]
    pub(crate) fn knows_usual_errors(&self) -> bool {
        matches!(self, Self::Cells(cells) if cells.usual.get().is_some())
    }

    /// The level or margin, and the number of cells, of each measured vector, where there are some.
    pub fn measured_levels(&self) -> Vec<Option<(&Granularity, usize)>> {
        match self {
            Self::Cells(_) | Self::Learned(_) => vec![None; self.components().len()],
            Self::Levels(levels) => {
                levels.measured_levels().map(|level| Some((level.granularity, level.cells.len()))).collect()
            }
        }
    }

    /// Errors to expect of levels where bounds matter most, which are drawn.
    pub(crate) fn drawn_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        match self {
            Self::Levels(levels) => levels.expected_where_sparse(scenario),
            Self::Cells(_) | Self::Learned(_) => Vec::new(),
        }
    }

    /// Exact law of errors under a total that everyone knows.
    pub(crate) fn under_total(&self) -> Option<TotalEntry> {
        match self {
            Self::Levels(levels) => levels.under_total(),
            Self::Cells(_) | Self::Learned(_) => None,
        }
    }

    /// Level that could be left out.
    pub(crate) fn redundant_level(&self) -> Option<String> {
        match self {
            Self::Cells(_) | Self::Learned(_) => None,
            Self::Levels(levels) => levels.redundant_level().map(|redundant| redundant.to_string()),
        }
    }

    /// Ends of the range of each output.
    pub fn ends(&self) -> Vec<Ends> {
        let finite = |end: f64| end.is_finite().then_some(end);
        self.ranges().into_iter().map(|(lower, upper)| (finite(lower), finite(upper))).collect()
    }

    /// The range that all outputs share; open where they differ, as those of a matrix do.
    pub fn shared_ends(&self) -> Ends {
        let ends = self.ends();
        let first = ends.first().copied().unwrap_or((None, None));
        if ends.iter().all(|other| *other == first) { first } else { (None, None) }
    }

    /// Estimates from measurements. Post-processing: costs no privacy. `seed` is published.
    pub(crate) fn estimate_watched(
        &self,
        measured: &[Measurements],
        coverage: Coverage,
        seed: u64,
        progress: &dyn Progress,
    ) -> Estimated {
        progress.begin(Step::Solving);
        let level = coverage.of_number(&**self, self.is_by_cell());
        let mut estimated = match self {
            Self::Cells(_) | Self::Learned(_) => {
                let estimates = self.estimate(measured, level, seed);
                Estimated { estimates, projection: None, notices: Vec::new() }
            }
            Self::Levels(levels) => levels.estimate_covering(measured, (level, coverage.joint), seed, progress),
        };
        // The last step of every kind: what leaves here is inside the range that the bundle states, to the last bit.
        Estimate::move_all_inside(&mut estimated.estimates, &self.ranges());
        estimated
    }
}
