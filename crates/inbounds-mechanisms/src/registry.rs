//! All mechanisms, one line each. Command line, plans, documentation tables and contract tests iterate over this list.

use std::sync::Arc;

use inbounds_core::{Epsilon, Sensitivity, StepRange};

use crate::{
    calibrate::CalibrationError,
    mechanism::{ClampedDiscreteLaplace, ConditionedDiscreteLaplace, Mechanism},
};

type Calibrate = fn(&Epsilon, &Sensitivity, StepRange) -> Result<Arc<dyn Mechanism>, CalibrationError>;

/// A mechanism that can be chosen by name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Full name, as in manifests.
    pub name: &'static str,
    /// The word that plans use.
    pub plan_name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whether it reads the noisy value only, so that it needs no range and keeps the plain scale.
    pub post_processing: bool,
    calibrate: Calibrate,
}

impl PartialEq for Entry {
    /// Names are unique.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Entry {}

impl Entry {
    /// Calibrates the mechanism.
    ///
    /// # Errors
    /// [`CalibrationError`].
    pub fn calibrate(
        &self,
        epsilon: &Epsilon,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        (self.calibrate)(epsilon, sensitivity, range)
    }
}

/// Every mechanism of this version.
#[rustfmt::skip]
pub const MECHANISMS: &[Entry] = &[
    Entry { name: ClampedDiscreteLaplace::NAME, plan_name: "clamped", summary: "noise, then the nearest point of the range", post_processing: true, calibrate: ClampedDiscreteLaplace::calibrate },
    Entry { name: ConditionedDiscreteLaplace::NAME, plan_name: "conditioned", summary: "noise given that the result is in the range", post_processing: false, calibrate: ConditionedDiscreteLaplace::calibrate },
];

/// The mechanism where none is named: the first of the list.
pub fn default() -> &'static Entry {
    &MECHANISMS[0]
}

/// The mechanism of a full name or a plan name.
pub fn find(name: &str) -> Option<&'static Entry> {
    MECHANISMS.iter().find(|entry| entry.name == name || entry.plan_name == name)
}
