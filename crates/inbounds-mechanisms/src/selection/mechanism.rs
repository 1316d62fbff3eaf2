//! A choice of bins as a mechanism: its measurements are places of bins.

use inbounds_core::IntervalMethod;

use super::RankSelection;
use crate::{
    interval::StepInterval,
    mechanism::{BiasFormula, Calibration, ErrorAt, Mechanism, StepValue},
    registry,
    sampler::Entropy,
};

/// Its answers are counts of bins, cell by cell, and its measurements the places of the chosen bins, fewer than the
/// answers: [`Mechanism::take`] is how it measures.
///
/// Errors and intervals of a place without the counts hold for all counts, and are as wide as the range.
impl Mechanism for RankSelection {
    fn name(&self) -> &'static str {
        registry::RANKS.name
    }

    fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    fn selection(&self) -> Option<&RankSelection> {
        Some(self)
    }

    /// # Panics
    /// Always: places are fewer than counts.
    fn measure_in_place(&self, _answers: &mut [i128], _entropy: &mut dyn Entropy) {
        panic!("chosen bins do not take the place of counts: `take` returns them");
    }

    /// The places of the chosen bins, one a probability, cell by cell.
    ///
    /// # Panics
    /// Unless there are counts of all bins for each cell.
    fn take(&self, answers: Vec<i128>, entropy: &mut dyn Entropy) -> Vec<i128> {
        assert_eq!(answers.len() % self.bins(), 0, "counts of all bins of each cell");
        let cells = answers.chunks(self.bins());
        cells.flat_map(|counts| self.choose(counts, &mut *entropy)).map(|bin| bin as i128).collect()
    }

    fn estimate(&self, measurement: i128) -> StepValue {
        StepValue::whole(measurement)
    }

    /// The largest: no less holds for all counts.
    fn error_at(&self, _candidate: i128) -> ErrorAt {
        ErrorAt { bias: self.worst_bias(), rmse: self.worst_bias() }
    }

    fn worst_bias(&self) -> f64 {
        (self.bins() - 1) as f64
    }

    /// All places.
    fn interval(&self, _measurement: i128, _level: f64) -> StepInterval {
        let range = self.range();
        StepInterval { lower: range.lower(), upper: range.upper() }
    }

    /// The same for all candidates.
    fn ln_likelihood(&self, _measurement: i128, _candidate: StepValue) -> f64 {
        0.0
    }

    fn bias_formula(&self) -> BiasFormula {
        BiasFormula::ChosenBins
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::NoisyDistributionInverted
    }
}
