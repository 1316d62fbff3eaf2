//! The mechanism that measures a number.

use std::sync::Arc;

use inbounds_core::{Delta, Epsilon, Guarantee, Rational, Sensitivity, StepRange};

use crate::{bounding::TabulatedRule, calibrate::CalibrationError, mechanism::Mechanism, registry::Entry};

/// Mechanism that measures a number: one of the registry, or noise with a table of one's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// One of the registry.
    Listed(&'static Entry),
    /// A table of one's own, and the noise that it is for.
    Own(Arc<TabulatedRule>),
}

impl From<&'static Entry> for Chosen {
    fn from(entry: &'static Entry) -> Self {
        Self::Listed(entry)
    }
}

impl From<TabulatedRule> for Chosen {
    fn from(rule: TabulatedRule) -> Self {
        Self::Own(Arc::new(rule))
    }
}

impl Chosen {
    /// Its name, noise and requirements, whatever a table says.
    pub fn entry(&self) -> &'static Entry {
        match self {
            Self::Listed(entry) => entry,
            Self::Own(rule) => rule.entry(),
        }
    }

    /// Calibrates the mechanism of a number whose steps have this length in the unit of a table.
    ///
    /// # Errors
    /// [`CalibrationError`].
    pub fn calibrate(
        &self,
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        range: StepRange,
        step: &Rational,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        match self {
            Self::Listed(entry) => entry.calibrate(guarantee, sensitivity, range),
            Self::Own(rule) => rule.calibrate(guarantee, sensitivity, range, step),
        }
    }

    /// The same for this much of epsilon and delta: a table's noise spends delta where it needs one, a mechanism of the
    /// registry as
    /// [`Entry::calibrate_spending`] does.
    ///
    /// # Errors
    /// [`CalibrationError`].
    pub fn calibrate_spending(
        &self,
        (epsilon, delta): (Epsilon, Delta),
        sensitivity: &Sensitivity,
        range: StepRange,
        step: &Rational,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        match self {
            Self::Listed(entry) => entry.calibrate_spending(epsilon, delta, sensitivity, range),
            Self::Own(rule) => rule.calibrate(&rule.entry().guarantee(epsilon, delta), sensitivity, range, step),
        }
    }
}
