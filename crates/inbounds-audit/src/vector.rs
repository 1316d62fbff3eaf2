//! The vectors of numbers that a release measures, as an attack compares them.

use std::sync::Arc;

use inbounds_core::Answer;
use inbounds_mechanisms::{
    mechanism::{Measurements, Mechanism},
    partition::KeySelection,
};
use inbounds_statistics::Component;

/// The exact numbers of a table: one vector for each that is measured, in the order of
/// [`Subject::vectors`](crate::subject::Subject::vectors).
pub(crate) type Exact = Vec<Vec<i128>>;

/// A measured vector.
pub(crate) struct Vector {
    /// The place of its statistic in the plan; none for diagnostics.
    pub(crate) statistic: Option<usize>,
    /// The measured quantity.
    pub(crate) role: String,
    pub(crate) mechanism: Arc<dyn Mechanism>,
    /// Those with whose noise its noise is drawn.
    pub(crate) drawn: DrawnWith,
    /// True for a repetition: the same number, with the same noise, as an earlier one.
    pub(crate) is_repeat: bool,
    /// The least number that gets noise, where keys are learned: 0 if they are chosen from a public space, otherwise 1.
    pub(crate) least: i128,
    /// Measured form of its numbers.
    pub(crate) form: VectorForm,
    /// The threshold from which on a number is published with its key, where keys are learned.
    pub(crate) threshold: Option<i128>,
    /// The choice of keys, where they are learned.
    pub(crate) selection: Option<KeySelection>,
}

impl Vector {
    /// `true` for a count of the rows that statistics leave out.
    pub(crate) fn is_of_left_out(&self) -> bool {
        matches!(self.drawn, DrawnWith::LeftOut(_))
    }

    /// `true` for one number of a vector of cube noise.
    pub(crate) fn is_cube(&self) -> bool {
        self.mechanism.noise().as_cube().is_some()
    }
}

/// Measured form of the exact numbers of a vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum VectorForm {
    /// Each of them.
    Numbers,
    /// Which of the bins that they count holds a quantile: shown as how many quantiles each bin was chosen for.
    ChosenBins,
    /// Their sums over runs that a choice decided, which are not lined up with them: their loss is told, and no run is
    /// sampled.
    Runs,
}

impl VectorForm {
    /// That of each component of a statistic.
    pub(crate) fn of_components(components: &[&Component]) -> Vec<Self> {
        let chooses = components.iter().any(|component| component.mechanism.selection().is_some());
        let form = |component: &&Component| match component.mechanism.selection() {
            Some(_) => Self::ChosenBins,
            None if chooses => Self::Runs,
            None => Self::Numbers,
        };
        components.iter().map(form).collect()
    }

    /// Measured numbers, one for each exact one.
    pub(crate) fn lined_up(self, vector: &Measurements, numbers: usize) -> Vec<i128> {
        match self {
            Self::Numbers => vector.steps().to_vec(),
            Self::Runs => vec![0; numbers],
            Self::ChosenBins => {
                let selection = vector.mechanism().selection().expect("a choice of bins");
                let mut times = vec![0; numbers];
                for (cell, chosen) in vector.steps().chunks(selection.probabilities().len()).enumerate() {
                    chosen.iter().for_each(|bin| times[cell * selection.bins() + *bin as usize] += 1);
                }
                times
            }
        }
    }
}

/// The vectors of a statistic, or of several that share a vector of noise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum DrawnWith {
    /// Those of the group of statistics at this place.
    Group(usize),
    /// Those of its own statistic.
    Statistic(usize),
    /// The rows that this statistic and others leave out.
    LeftOut(usize),
    /// Nothing.
    Diagnostics,
}

/// The exact numbers of rows that the audit made up, which are of no person. They leave their type here.
pub(crate) fn steps(answer: &Answer) -> Vec<i128> {
    answer.private_steps().to_vec()
}
