//! Abilities of every statistic: it states its question to the rows, measures the exact answers once, and turns
//! measurements into estimates that state their errors.
//!
//! A description ([`Count`](crate::Count), [`Mean`](crate::Mean), [`Variance`](crate::Variance), ...) is prepared in a
//! [`Setting`] and becomes a [`Statistic`]. Where no formula for the error is known it is [`Simulated`] too: noise is
//! drawn again around its own estimates ([`simulate`]), which are public, so that this costs no privacy.

mod cell_entry;
mod component;
mod setting;
mod shared_numbers;
mod simulate;
mod single;
mod vectors;

use std::{fmt, ops::Range};

use inbounds_core::{Answer, Epsilon, IntervalMethod, Quantity, Rational, Tally};
use inbounds_mechanisms::{
    account::Event,
    mechanism::{BiasFormula, Measurements},
    sampler::Entropy,
};

pub use cell_entry::CellEntry;
pub use component::Component;
pub use setting::Setting;
pub use shared_numbers::{SharedNumbers, SharedVector};
pub(crate) use simulate::{Case, errors_at, errors_in, errors_of_cells, expect, expected, redrawn, redrawn_points};
pub use simulate::{Simulation, simulate};
pub(crate) use single::Reading;
pub use single::Single;
pub use vectors::measure;
pub(crate) use vectors::measure_public;

use crate::{
    Clip, Doubt, ErrorDependence, Estimate, ExpectedError, MomentRegion, PossibleEstimate, RowsMeasured, Scenario,
    StatisticError, WorstError,
    population::{Interval, NoInterval},
};

/// The engine's exact computations for every cell besides its number of rows.
///
/// A row with a missing value that is dropped counts nowhere: counts, sums and products are over the same rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ask {
    /// The columns that are summed, in the order of the statistic's columns.
    pub clips: Vec<Clip>,
    /// Pairs of `clips` whose products of steps are summed; a pair of equals asks for squares.
    pub products: Vec<(usize, usize)>,
    /// Edges `e_0 < ... < e_k` that divide each cell into `k` bins by the statistic's one column, bins changing
    /// fastest; `None` for undivided cells.
    pub edges: Option<Vec<Rational>>,
    /// Most rows of a unit that count in one cell; `None` for as many as its bound allows.
    pub rows_per_cell: Option<u64>,
}

/// One number that is published for every cell.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Quantity of the output.
    pub quantity: Quantity,
    /// Its unit.
    pub unit: Unit,
}

/// The unit of an output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unit {
    /// A pure number: proportions, correlations.
    None,
    /// Rows.
    Rows,
    /// Privacy units.
    Units,
    /// The product of the units of these columns, by their place in the statistic: `[j]` of a mean, `[j, j]` of a
    /// variance.
    Columns(Vec<usize>),
}

/// A calibrated statistic.
pub trait Statistic: fmt::Debug + Send + Sync {
    /// The question for the engine.
    fn ask(&self) -> Ask;

    /// The measured vectors.
    fn components(&self) -> Vec<&Component>;

    /// Entries of each cell in a measured vector, in order.
    fn entries(&self, component: usize) -> Vec<CellEntry> {
        let _ = component;
        vec![CellEntry::Only]
    }

    /// The run of cells that each number of a measured vector belongs to, where a vector does not go cell by cell;
    /// `None` where it does, entries changing fastest.
    fn spans(&self, component: usize) -> Option<Vec<Range<usize>>> {
        let _ = component;
        None
    }

    /// The measured vectors that each say how many rows there are in all, the last one for each cell; none where no
    /// number of rows is measured.
    fn rows_measured(&self) -> Vec<RowsMeasured> {
        Vec::new()
    }

    /// Published outputs of each cell.
    fn outputs(&self) -> Vec<Output>;

    /// Number of cells; without keys 1. Cells that bins divide count with their bins where bins are outputs.
    fn cells(&self) -> usize;

    /// The vector of which every number is published as its mechanism estimates it, cell by cell, so that the law of
    /// what is published is that of the mechanism; `None` where estimates are made of several numbers.
    fn published_as_estimated(&self) -> Option<&Component> {
        None
    }

    /// Exact answers to measure: the numbers of each component, in their order. **Private.**
    ///
    /// A statistic of a public number of rows may panic where the tally is of another number: check it first.
    fn answers(&self, tally: Tally) -> Vec<Answer>;

    /// Measures exact answers, one vector a component. **The only step that reads them.**
    ///
    /// # Panics
    /// If there is not one answer a component, or where noise is shared with other statistics, which are measured with
    /// it.
    fn measure_answers(&self, answers: Vec<Answer>, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        vectors::measure(&self.components(), answers, entropy)
    }

    /// Measures what a tally answers.
    ///
    /// # Panics
    /// As [`Statistic::answers`] does.
    fn measure(&self, tally: Tally, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        self.measure_answers(self.answers(tally), entropy)
    }

    /// Estimates with their errors, cell by cell. `seed` is that of simulated noise and of rounding; it may be
    /// published.
    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate>;

    /// Range of each output, infinite at an open end.
    fn ranges(&self) -> Vec<(f64, f64)>;

    /// Number subtracted from each value before it is summed into `component`; `None` for a plain sum or count.
    fn centre_of(&self, component: &Component) -> Option<f64> {
        let _ = component;
        None
    }

    /// Doubts from the measurements, which make the numbers of no use; nothing for most statistics.
    fn doubts(&self, measured: &[&[i128]]) -> Vec<Doubt> {
        let _ = measured;
        Vec::new()
    }

    /// Checks that the rows say enough about a population of which they are a random sample; if not, the error says
    /// why.
    ///
    /// # Errors
    /// [`NoInterval`].
    fn has_population_interval(&self) -> Result<(), NoInterval> {
        Err(NoInterval::NoParameter)
    }

    /// Intervals for the population that the rows are a random sample of, one an output, cell by cell; `None` for an
    /// output without one. `seed` is that of simulated samples; it may be published.
    ///
    /// # Errors
    /// What [`Statistic::has_population_interval`] says; [`StatisticError::Core`] unless `0 < level < 1`.
    fn population_intervals(
        &self,
        measured: &[Measurements],
        level: f64,
        seed: u64,
    ) -> Result<Vec<Option<Interval>>, StatisticError> {
        let _ = (measured, level, seed);
        Ok(self.has_population_interval().map(|()| Vec::new())?)
    }

    /// Epsilon of all components together.
    fn epsilon(&self) -> &Epsilon;

    /// Error to expect for candidate truths, before anything is measured.
    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError>;

    /// Estimates that noise may make of the first output of one cell, were its truth `truth` in a group of this many
    /// rows: as many as `draws`, of fresh noise from a public seed, with intervals of `level`. `None` where an output
    /// is made of several others, or the law is known by a formula ([`Statistic::published_as_estimated`]).
    fn possible_estimates(&self, truth: f64, rows: u64, draws: usize, level: f64) -> Option<Vec<PossibleEstimate>> {
        let _ = (truth, rows, draws, level);
        None
    }

    /// The largest errors over all that rows within their bounds and with the moments of the scenario can be, one for
    /// each assumed number of rows, where error depends on more than that number; before anything is measured.
    fn worst_cases(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let _ = scenario;
        Vec::new()
    }

    /// `true` if [`Statistic::expected_errors`] states half widths of intervals where the scenario has a level.
    fn expects_half_widths(&self) -> bool {
        true
    }

    /// Quantity on which its error depends besides the noise.
    fn error_dependence(&self) -> ErrorDependence {
        ErrorDependence::Values
    }

    /// The moments of a column that decide its error besides the noise and the number of rows; `None` where none do, or
    /// no law of the error by them is known.
    fn moment_region(&self) -> Option<MomentRegion> {
        None
    }

    /// The largest error to expect. Without a formula it is the largest of [`Statistic::expected_errors`] and
    /// [`Statistic::worst_cases`]; of columns with the moments of the scenario, that of the latter, as the former have
    /// others.
    fn worst_error(&self, scenario: &Scenario) -> WorstError {
        let worst = self.worst_cases(scenario);
        if self.moment_region().is_some() && !scenario.moments.are_any() {
            return WorstError::among(&worst);
        }
        WorstError::among(&[self.expected_errors(scenario), worst].concat())
    }

    /// The largest absolute bias over the range; `None` where none is known.
    fn worst_bias(&self) -> Option<f64> {
        None
    }

    /// Identifier of the bias formula.
    fn bias_formula(&self) -> BiasFormula {
        BiasFormula::ParametricBootstrap
    }

    /// Identifier of the interval's method.
    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::BootstrapErrorRank
    }

    /// The components whose guarantees add up to what measuring costs: all, or the first of those that are one vector
    /// of noise.
    fn priced(&self) -> Vec<&Component> {
        vectors::priced(self.components())
    }

    /// Cost of the measurement: one event a component, or one for all that are one vector of noise.
    fn events(&self, label: &str) -> Vec<Event> {
        let event = |component: &Component| {
            Event::from_mechanism(format!("{label}: {}", component.role), &*component.mechanism)
        };
        self.priced().into_iter().map(event).collect()
    }
}

/// A statistic whose estimates are a pure function of its measurements, so that its errors can be simulated: noise is
/// drawn again around the answers of which the estimates would be the truth.
pub trait Simulated: Statistic {
    /// The raw value of each output, cell by cell, before any constraint; `None` where measurements give none.
    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>>;

    /// The estimate of each output, cell by cell, inside the constraints.
    fn point(&self, measured: &[&[i128]]) -> Vec<f64>;

    /// The outputs around which noise is drawn again for bias and error: the estimates, unless these lean to one side
    /// and so would understate their bias.
    fn reference(&self, measured: &[&[i128]]) -> Vec<f64> {
        self.point(measured)
    }

    /// The vector whose numbers are measured, where they are those of one, which other statistics may be simulated with
    /// too.
    fn vector(&self) -> Option<&SharedVector> {
        None
    }

    /// The exact answers of which the estimates would be the truth, as nearly as the grid allows: one vector a
    /// component. What estimates leave open, such as the number of rows behind a proportion, is as measured.
    fn answers_at(&self, estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>>;
}
