//! The probability with which the intervals of a statistic hold, and what that leaves to each number.

use inbounds_core::IntervalMethod;
use inbounds_statistics::{Simulation, Statistic};

use crate::plan::{self, IntervalChoice};

/// The intervals of a prepared statistic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Coverage {
    /// The level that is asked for.
    pub(crate) level: f64,
    /// True if it is that of all intervals at once.
    pub(crate) joint: bool,
    /// True if errors of different cells are independent.
    independent: bool,
}

impl Coverage {
    pub(crate) fn for_statistic(statistic: &plan::Statistic) -> Self {
        let IntervalChoice { level, joint } = &statistic.interval;
        let independent = statistic.kind.planned().has_independent_cells();
        Self { level: level.to_f64(), joint: *joint, independent }
    }

    /// The level at which the interval of each number is made.
    ///
    /// # Law
    /// That all of `m` independent intervals hold has the probability of their product, so that each has the level
    /// `level^(1/m)`, exactly. The `k` numbers of one cell, and cells that have measurements in common, divide the
    /// chance of a miss: each has `1 - miss / k`. Cells that add up have one statistic for all of them
    /// (`levels/at_once.rs`), which is made at the level itself: they are not `by_cell`.
    pub(crate) fn of_number(&self, prepared: &dyn Statistic, by_cell: bool) -> f64 {
        if !by_cell || !self.joint {
            return self.level;
        }
        let (cells, outputs) = (prepared.cells().max(1) as f64, prepared.outputs().len().max(1) as f64);
        1.0 - miss_of_number(1.0 - self.level, self.independent, (cells, outputs))
    }

    /// Why no interval of the level can be made, where noise that is drawn again tells them.
    pub(crate) fn refusal(&self, prepared: &dyn Statistic, by_cell: bool) -> Option<String> {
        let miss = 1.0 - self.of_number(prepared, by_cell);
        let is_drawn = match prepared.interval_method() {
            IntervalMethod::BootstrapErrorRank
            | IntervalMethod::NoisyDistributionInverted
            | IntervalMethod::RatioOfIntervals => true,
            IntervalMethod::NoiseQuantile
            | IntervalMethod::NoiseQuantileCutToRange
            | IntervalMethod::WholeRange
            | IntervalMethod::DistanceCdfInverted
            | IntervalMethod::PublishedCdfInverted
            | IntervalMethod::PublishedTailsInverted
            | IntervalMethod::TailsInvertedCutToRange
            | IntervalMethod::DistancesTestInverted
            | IntervalMethod::SharedNoiseTestInverted
            | IntervalMethod::SimulatedErrorRank => false,
        };
        (is_drawn && miss < Simulation::LEAST_MISS * (1.0 - 1e-6)).then(|| {
            let numbers = prepared.cells() * prepared.outputs().len();
            format!(
                "joint intervals of {numbers} numbers leave each a chance of {miss:.1e} to miss, and these intervals are made of noise that \
                 is drawn again, at most 100,000 times"
            )
        })
    }
}

/// The probability that the interval of one number misses, so that any interval of `outputs` numbers in `cells` cells
/// misses with a probability of at most `miss`.
fn miss_of_number(miss: f64, independent: bool, (cells, outputs): (f64, f64)) -> f64 {
    match independent {
        true => -libm::expm1(libm::log1p(-miss) / cells) / outputs,
        false => miss / (cells * outputs),
    }
}

#[cfg(test)]
mod tests {
    use super::miss_of_number;

    /// Five hundred independent cells that each hold with `1 - miss` all hold with the level; the union bound leaves
    /// each less.
    #[test]
    fn independent_cells_have_the_root_of_the_level() {
        let own = miss_of_number(0.1, true, (500.0, 1.0));
        assert!(((1.0 - own).powi(500) - 0.9).abs() < 1e-12, "{own}");
        assert!((miss_of_number(0.1, false, (500.0, 1.0)) - 0.0002).abs() < 1e-18);
        assert!((miss_of_number(0.1, true, (500.0, 4.0)) - own / 4.0).abs() < 1e-18);
        assert!((miss_of_number(0.1, true, (1.0, 1.0)) - 0.1).abs() < 1e-15);
    }
}
