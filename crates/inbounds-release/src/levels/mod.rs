//! Grouped statistics that add up: levels of a hierarchy, or margins of a table, measured, all of them solved for
//! together.
//!
//! The engine answers the finest cells once. The answers of coarser levels are their sums along a public map, so that a
//! row whose key is not listed counts at no level. One unit moves a level as it moves a grouped statistic with the
//! level's number of cells; each level has noise of its own for its share of epsilon, and the shares add up to 1. A
//! level without a share is not measured, and follows from the others. What follows
//! is post-processing: numbers in their range that add up, by weighted least squares, and their errors by
//! drawing the noise again. Claim: `levels-sensitivity`. A margin is a level here: all that differs is which cells are
//! sums of which, so `hierarchy` alone distinguishes them.
//!
//! - `asked`: what the plan says; `at_levels`: which statistics can be asked so; `granularity`: what a level or margin
//!   is called; `hierarchy`, `table`, `tables`: their public cells;
//! - `known`: public numbers of cells, which are not measured;
//! - `split`, `calibrate`: what epsilon each level has, and its noise;
//! - `additive`: what adds up: `sum`s and counts, or for `mean`s the distances to both bounds;
//! - `redundant_level`: levels that need not be measured;
//! - `solving`, `interval`: estimates with their errors; `sparse`: errors to expect where most cells are empty.

mod additive;
mod amount;
mod asked;
mod at_once;
mod calibrate;
mod error;
mod hierarchy;
mod interval;
mod known;
mod level;
mod mean;
mod redundant_level;
mod solving;
mod sparse;
mod split;
mod sum;
mod table;
mod tables;

use std::{ops::Range, sync::Arc};

use inbounds_bundle::{Among, TotalEntry};
use inbounds_core::{Answer, Epsilon, IntervalMethod, Quantity, Tally};
use inbounds_data::Keys;
use inbounds_mechanisms::{account::Event, mechanism::Measurements};
use inbounds_reconcile::under_total;
use inbounds_statistics::{
    Ask, CellEntry, Clip, Column, Component, ErrorDependence, Estimate, ExpectedError, Output, OutputRange,
    RowsMeasured, Scenario, Setting, Statistic, WorstError,
};

pub(crate) use asked::Asked;
pub use error::LevelsError;
pub(crate) use hierarchy::Nodes;
pub(crate) use known::{Known, PublicMargin, SumsToKnown};

use self::{
    additive::Additive, calibrate::Calibrated, hierarchy::Hierarchy, mean::Distances, solving::Solving, sum::Sums,
};
pub(crate) use crate::plan::AtLevels;
pub use crate::plan::Granularity;
use crate::{
    estimated::Estimated,
    progress::{Progress, Silent},
    projection::{Fit, Measured},
};

/// Most cells of a table with margins in which some combinations of values are no cells: they are solved for together.
pub(crate) const MOST_LINKED: usize = 10_000;

/// A level that is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MeasuredLevel<'a> {
    /// Its name in the plan.
    pub(crate) granularity: &'a Granularity,
    /// Which of the cells of all levels are its.
    pub(crate) cells: Range<usize>,
}

/// A count, sum or mean with levels or margins, ready to be measured.
#[derive(Debug, Clone)]
pub struct Levels {
    hierarchy: Hierarchy,
    additive: Arc<dyn Additive>,
    /// One a level; none for a level that is not measured, which the last one never is.
    components: Vec<Option<Component>>,
    epsilon: Epsilon,
    fit: Fit,
    /// Levels whose numbers are public.
    known: Vec<Known>,
}

impl Levels {
    /// Divides epsilon and calibrates every level, in the range that follows from the terms.
    #[cfg(test)]
    pub(crate) fn prepare(
        asked: Asked<'_>,
        keys: &Keys,
        measured: &AtLevels,
        setting: &Setting,
    ) -> Result<Self, LevelsError> {
        Self::prepare_in(&OutputRange::Natural, asked, keys, (measured, &[]), setting)
    }

    /// Divides epsilon and calibrates every level: unbounded sums and counts are those of the linear fit, which have no
    /// bias and may be negative. `public` numbers of cells are met, and not measured.
    pub(crate) fn prepare_in(
        range: &OutputRange,
        asked: Asked<'_>,
        keys: &Keys,
        (measured, public): (&AtLevels, &[PublicMargin]),
        setting: &Setting,
    ) -> Result<Self, LevelsError> {
        let sums = |sums: Sums| if *range == OutputRange::Unbounded { sums.free() } else { sums };
        let clip = |column: &Column| Clip::for_sums(&column.bounds, &setting.epsilon);
        let rows = match asked {
            Asked::Levels(_) => setting.design.rows,
            // Tables are solved without an end that a number of rows would give.
            Asked::Margins(_) | Asked::Both(..) => None,
        };
        let additive: Arc<dyn Additive> = match measured {
            AtLevels::Counts | AtLevels::CountsOfAllRows => Arc::new(sums(Sums::count(rows))),
            AtLevels::Sums(column) => Arc::new(sums(Sums::clipped(clip(column)?, rows))),
            AtLevels::Means(column) => Arc::new(Distances::new(clip(column)?, rows)),
        };
        let hierarchy = match asked {
            Asked::Levels(levels) => Hierarchy::of_tree(&levels.names, keys),
            Asked::Margins(margins) => Hierarchy::of_table(margins, keys)?,
            Asked::Both(levels, margins) => Hierarchy::of_tables(levels, margins, keys)?,
        };
        let total = match measured {
            AtLevels::CountsOfAllRows => setting.covered_rows(),
            AtLevels::Counts | AtLevels::Sums(_) | AtLevels::Means(_) => None,
        };
        let known = known::known(&hierarchy, keys, (total, setting.design.rows), public)?;
        if !known.is_empty() && hierarchy.is_linked() {
            return Err(LevelsError::LinkedTotal);
        }
        let of_known: Vec<usize> = known.iter().map(|known| known.level).collect();
        let Calibrated { hierarchy, components } =
            calibrate::calibrated(&*additive, hierarchy, (asked, &of_known), setting)?;
        Ok(Self { hierarchy, additive, components, epsilon: setting.epsilon.clone(), fit: asked.fit(), known })
    }

    /// Names of the levels, in the same order.
    pub fn granularities(&self) -> impl Iterator<Item = &Granularity> {
        self.hierarchy.levels.iter().map(|level| &level.granularity)
    }

    /// Numbers of cells of the levels, in the same order.
    pub fn cells_by_level(&self) -> impl Iterator<Item = usize> {
        self.hierarchy.levels.iter().map(level::Level::cells)
    }

    /// The levels that are measured, one for each measured vector.
    pub(crate) fn measured_levels(&self) -> impl Iterator<Item = MeasuredLevel<'_>> {
        let begins = self.cells_by_level().scan(0, |end, cells| Some(std::mem::replace(end, *end + cells)));
        let levels = self.hierarchy.levels.iter().zip(begins).zip(&self.components);
        let levels = levels.filter(|(_, component)| component.is_some());
        levels.map(|((level, begin), _)| MeasuredLevel {
            granularity: &level.granularity,
            cells: begin..begin + level.cells(),
        })
    }

    fn levels_with_noise(&self) -> impl Iterator<Item = (&level::Level, &Component)> {
        let levels = self.hierarchy.levels.iter().zip(&self.components);
        levels.filter_map(|(level, component)| Some((level, component.as_ref()?)))
    }

    /// The cells of all levels, level after level.
    pub(crate) fn nodes<'a>(&'a self, keys: &'a Keys) -> Nodes<'a> {
        self.hierarchy.nodes(keys)
    }

    /// Exact law of the errors of cells that are measured once and add up to a number that everyone knows, were they
    /// all of one size; `None` where more is measured, or the noise has no known law under a total.
    pub(crate) fn under_total(&self) -> Option<TotalEntry> {
        let [Known { level, values, .. }] = &self.known[..] else { return None };
        let &[rows] = &values[..] else { return None };
        if self.hierarchy.levels.len() != 2 {
            return None;
        }
        let finest = 1_usize.checked_sub(*level)?;
        let cells = self.hierarchy.levels[finest].cells();
        let measured = calibrate::without_value(self.components[finest].as_ref());
        let even = vec![rows as f64 / cells as f64; cells];
        let is_bounded = self.ranges().iter().all(|(lower, _)| *lower == 0.0);
        under_total(cells, (measured.noise?, measured.step), is_bounded.then_some(&even))
    }

    /// The largest RMSE of the linear fit, of a level or margin or of all, for cells of `rows` rows where it depends
    /// on them.
    pub(crate) fn worst_rmse(&self, granularity: Option<&Granularity>, rows: u64) -> f64 {
        let variances = self.granularities().zip(self.hierarchy.variances(&self.noise()));
        let asked = variances.filter(|(level, _)| granularity.is_none_or(|granularity| level.is(granularity)));
        let rmse = asked.map(|(_, variance)| self.additive.worst_rmse(variance, rows.max(1) as f64));
        rmse.fold(0.0, f64::max)
    }

    /// Variance of each level's noise, in steps of its cells; infinite where there is no measurement.
    fn noise(&self) -> Vec<f64> {
        self.without_values().map(|measured| measured.variance).collect()
    }

    /// Measurement of each level before its value is known: a public number has no error.
    fn without_values(&self) -> impl Iterator<Item = Measured> {
        self.components.iter().enumerate().map(|(level, component)| match self.known_at(level) {
            Some(_) => Measured { value: 0.0, variance: 0.0, noise: None, step: 1.0 },
            None => calibrate::without_value(component.as_ref()),
        })
    }

    /// The public numbers of a level.
    /// The measured vectors of counts that add up to numbers that `public` states; residuals say nothing of these.
    pub(crate) fn sums_to_known(&self, keys: &Keys) -> Vec<SumsToKnown<'_>> {
        let vectors = self.components.iter().enumerate().filter_map(|(level, one)| Some((level, one.as_ref()?)));
        let counts = vectors.enumerate().filter(|(_, (_, component))| component.role == Quantity::COUNT);
        let mut sums = Vec::new();
        for (vector, (level, component)) in counts {
            for known in self.known.iter().filter(|known| known.is_stated()) {
                if let Some(part) = self.hierarchy.part_of(level, known.level, keys) {
                    sums.push(SumsToKnown { known, vector, step: component.step(), part });
                }
            }
        }
        sums
    }

    /// The columns and values of a cell of a level, such as `g = b`; none for the total.
    pub(crate) fn cell_in_words(&self, level: usize, cell: usize, keys: &Keys) -> Option<String> {
        let begin: usize = self.cells_by_level().take(level).sum();
        let words = self.nodes(keys).get(begin + cell).0.in_words(keys.columns());
        (!words.is_empty()).then_some(words)
    }

    fn known_at(&self, level: usize) -> Option<&[u64]> {
        self.known.iter().find(|known| known.level == level).map(|known| &known.values[..])
    }

    /// Numbers in their range that add up: the estimate of each output, cell by cell, level after level. A notice says
    /// if a level left its measurements behind. Each interval holds by itself.
    pub(crate) fn estimate_watched(
        &self,
        measured: &[Measurements],
        level: f64,
        seed: u64,
        progress: &dyn Progress,
    ) -> Estimated {
        self.estimate_covering(measured, (level, false), seed, progress)
    }

    /// The same with intervals of a level, each by itself or all at once.
    pub(crate) fn estimate_covering(
        &self,
        measured: &[Measurements],
        (level, joint): (f64, bool),
        seed: u64,
        progress: &dyn Progress,
    ) -> Estimated {
        let parents = self.hierarchy.parents();
        let measured = self.measured(measured);
        let model = self.additive.model(&parents, &measured);
        let solver = self.hierarchy.solver(&model, self.hierarchy.is_whole(&*self.additive), self.fit);
        // Of residuals only the total is a measurement of a cell.
        let own = if self.hierarchy.has_residuals() { 1 } else { parents.len() };
        let solving = Solving::new((parents.len(), own), model, solver, measured, (level, seed)).joint(joint);
        let (levels, entries) = (self.hierarchy.levels.len(), self.additive.entries().len());
        let mut drift = solving.drift(levels, &self.hierarchy.level_of_nodes(), entries);
        let estimates = self.additive.describe(&solving, &mut drift, progress);
        let among = |level: usize| match &self.hierarchy.levels[level].granularity {
            Granularity::Level(level) => Among::Level { level: level.clone() },
            Granularity::Margin(margin) => Among::Margin { margin: margin.clone() },
            Granularity::Both { level, margin } => {
                Among::MarginOfLevel { level: level.clone(), margin: margin.clone() }
            }
        };
        let notices = drift.notices(&solving.solved.estimates, &solving.linear, among);
        Estimated { estimates, projection: Some(solving.entry()), notices }
    }

    /// Every number of a cell with its law, in steps: all cells of the first entry, then all of the next. Those of a
    /// level that is not measured have infinite variance.
    fn measured(&self, measured: &[Measurements]) -> Vec<Measured> {
        let entries = self.additive.entries().len();
        let mut measured = measured.iter();
        let mut by_cell: Vec<Measured> = Vec::new();
        for (index, (level, known)) in self.hierarchy.levels.iter().zip(self.without_values()).enumerate() {
            if let Some(values) = self.known_at(index) {
                by_cell.extend(values.iter().map(|&value| Measured { value: value as f64, ..known }));
                continue;
            }
            if known.noise.is_none() {
                by_cell.extend(vec![known; level.cells() * entries]);
                continue;
            }
            let steps = measured.next().expect("one vector a measured level").steps();
            by_cell.extend(steps.iter().map(|steps| Measured { value: *steps as f64 * known.step, ..known }));
        }
        (0..entries).flat_map(|entry| by_cell.iter().skip(entry).step_by(entries).copied()).collect()
    }
}

impl Statistic for Levels {
    fn ask(&self) -> Ask {
        Ask { clips: self.additive.clip().into_iter().collect(), ..Ask::default() }
    }

    /// One a measured level, from coarse to fine.
    fn components(&self) -> Vec<&Component> {
        self.components.iter().flatten().collect()
    }

    fn entries(&self, _component: usize) -> Vec<CellEntry> {
        self.additive.entries().to_vec()
    }

    /// Each measured level counts all rows; of residuals the first, which is the total.
    fn rows_measured(&self) -> Vec<RowsMeasured> {
        let Some(entries) = self.additive.rows() else { return Vec::new() };
        let components = if self.hierarchy.has_residuals() { 1 } else { self.components().len() };
        (0..components).map(|component| RowsMeasured { component, entries }).collect()
    }

    fn outputs(&self) -> Vec<Output> {
        self.additive.outputs()
    }

    /// Those of all levels.
    fn cells(&self) -> usize {
        self.cells_by_level().sum()
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        let answer = |(level, _): (&level::Level, &Component)| {
            let (answer, numbers) = (self.additive.answer(level, &tally), self.additive.entries().len());
            if self.hierarchy.has_residuals() {
                answer.residual(&self.hierarchy.values(level), numbers)
            } else {
                answer
            }
        };
        self.levels_with_noise().map(answer).collect()
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        self.estimate_watched(measured, level, seed, &Silent).estimates
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        self.additive.ranges()
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Error of the estimates of each level, averaged over its cells, where nothing is near an end of its range, so
    /// that the sums are all that matters.
    fn expected_errors(&self, _scenario: &Scenario) -> Vec<ExpectedError> {
        let variances = self.hierarchy.variances(&self.noise());
        let levels = self.granularities().zip(variances);
        levels.flat_map(|(level, variance)| self.additive.expected(level, variance)).collect()
    }

    fn error_dependence(&self) -> ErrorDependence {
        self.additive.error_dependence()
    }

    /// The largest over the levels, of the exact linear fit.
    fn worst_error(&self, scenario: &Scenario) -> WorstError {
        let rows = scenario.group_sizes.iter().copied().min().unwrap_or(1);
        WorstError { rmse: self.worst_rmse(None, rows), half_width: None }
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::SimulatedErrorRank
    }

    fn events(&self, label: &str) -> Vec<Event> {
        let event = |(level, component): (&level::Level, &Component)| {
            Event::from_mechanism(format!("{label}: {}", level.granularity), &*component.mechanism)
        };
        self.levels_with_noise().map(event).collect()
    }
}

#[cfg(test)]
mod tests;
