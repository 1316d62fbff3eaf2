//! Where a statistic is measured, and what it may spend.

use std::sync::Arc;

use inbounds_core::{CoreError, Delta, Epsilon, Grid, Guarantee, Quantity, Rational, Rho, Sensitivity, StepRange};
use inbounds_mechanisms::{
    mechanism::{Mechanism, Together},
    registry::Chosen,
};

use super::{Component, SharedNumbers, SharedVector};
use crate::{Column, Design, StatisticError};

/// Everything that a statistic's description does not say itself.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Unit, relation and public number of rows.
    pub design: Design,
    /// Number of public cells: 1 for a whole, the number of keys for a grouped statistic.
    pub cells: u64,
    /// True if rows are grouped by public keys (rows of unlisted keys count nowhere).
    pub grouped: bool,
    /// True if a filter selects rows.
    pub filtered: bool,
    /// Which mechanism measures it.
    pub mechanism: Chosen,
    /// Its part of epsilon.
    pub epsilon: Epsilon,
    /// Its part of delta, which any noise of its own spends where that spares a hundredth of the error or more
    /// ([`Chosen::calibrate_spending`]); zero for noise that is to leave delta alone.
    pub delta: Delta,
    /// Rho of all components for each square of epsilon, where Gaussian noise is accounted for together with that of
    /// other statistics: a component with the part `p` of epsilon has `rho = p rho_rate epsilon^2`. It takes the place
    /// of epsilon and delta for mechanisms that spend delta.
    pub rho_rate: Option<Rational>,
    /// Joint measurement of its numbers, once for it and for other statistics, for whose epsilon and delta `epsilon`
    /// and `delta` stand then. `None` for measurements of its own.
    pub together: Option<SharedNumbers>,
}

impl Setting {
    /// The public number of rows where every row counts exactly once, whatever its values.
    pub fn rows(&self) -> Option<u64> {
        self.covered_rows().filter(|_| !self.grouped)
    }

    /// The public number of rows where the public keys cover every row, which the data must keep: one row is in one
    /// cell.
    pub fn covered_rows(&self) -> Option<u64> {
        self.design.public_rows().filter(|_| !self.filtered)
    }

    /// The public number of rows where every row counts exactly once with a value in each of these columns.
    pub fn complete_rows(&self, columns: &[Column]) -> Option<u64> {
        self.rows().filter(|_| columns.iter().all(|column| column.bounds.keeps_every_row()))
    }

    /// The same with this many numbers that are each measured once: by one vector of cube noise, or with Gaussian
    /// noise, where the mechanism has it.
    pub fn with_numbers(self, numbers: usize) -> Self {
        Self { together: Some(self.numbers(numbers)), ..self }
    }

    /// This many numbers that are each measured once, as [`Setting::with_numbers`] has them. Statistics that are given
    /// the same copy find what they need of the law of the noise once.
    pub fn numbers(&self, numbers: usize) -> SharedNumbers {
        if self.mechanism.entry().is_clamped_gaussian() {
            return SharedNumbers::Gaussian(numbers);
        }
        let rows = self.design.contribution().among(self.cells).rows();
        SharedNumbers::Cube(SharedVector::new(Together::new(self.epsilon.clone(), numbers, rows)))
    }

    /// Number of cells, in memory.
    pub(crate) fn cell_count(&self) -> usize {
        usize::try_from(self.cells).expect("cells are held in memory")
    }

    /// A component that spends a part of epsilon and delta; `grid` and `divisor` are its unit.
    ///
    /// # Errors
    /// [`StatisticError::Calibration`], [`StatisticError::RuleOfOneNumber`] of a rule of one's own for a part of what
    /// is spent, and
    /// [`StatisticError::Core`] for an epsilon beyond what can be calibrated or noise too wide
    /// for a double.
    pub fn component(
        &self,
        (role, part): (Quantity, &Rational),
        (grid, divisor): (Grid, u64),
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Component, StatisticError> {
        if let Chosen::Own(_) = self.mechanism
            && *part != Rational::ONE
        {
            return Err(StatisticError::RuleOfOneNumber);
        }
        let step = Rational::from_f64(grid.spacing()).expect("a spacing is a number");
        let step = &step / &Rational::from(u128::from(divisor));
        let mechanism = match &self.together {
            Some(SharedNumbers::Cube(vector)) => vector.together.coordinate(sensitivity, range, 1)?,
            Some(SharedNumbers::Gaussian(numbers)) => {
                let part = Rational::ratio(1, *numbers as u128);
                self.calibrated(&part, sensitivity, (range, &step))?
            }
            None => self.calibrated(part, sensitivity, (range, &step))?,
        };
        let component = Component { role, mechanism, grid, divisor };
        let scale = component.scale();
        if scale.is_finite() {
            Ok(component)
        } else {
            Err(CoreError::parameter("scale of the noise", scale, "finite: narrow the bounds of the columns").into())
        }
    }

    /// A component whose mechanism keeps it in a range at least as wide as one unit can move it.
    ///
    /// # Errors
    /// [`StatisticError::SensitivityWiderThanRange`], and those of [`Setting::component`].
    pub fn bounded_component(
        &self,
        role: (Quantity, &Rational),
        (grid, divisor): (Grid, u64),
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Component, StatisticError> {
        let step = grid.spacing() / divisor as f64;
        match range.width().filter(|width| *width < sensitivity.linf) {
            Some(width) => Err(StatisticError::SensitivityWiderThanRange {
                width: width as f64 * step,
                sensitivity: sensitivity.linf as f64 * step,
            }),
            None => self.component(role, (grid, divisor), sensitivity, range),
        }
    }

    /// The mechanism of a component for a part of epsilon, and of delta or rho where it spends these.
    fn calibrated(
        &self,
        part: &Rational,
        sensitivity: &Sensitivity,
        (range, step): (StepRange, &Rational),
    ) -> Result<Arc<dyn Mechanism>, StatisticError> {
        let (epsilon, delta) = (self.epsilon.share(part)?, Delta::new(self.delta.value() * part)?);
        Ok(match self.rho_rate.as_ref().filter(|_| self.mechanism.entry().needs_delta()) {
            Some(rate) => {
                let rho = Rho::new(rate * &(epsilon.value() * self.epsilon.value()))?;
                self.mechanism.calibrate(&Guarantee::ZeroConcentrated { rho }, sensitivity, range, step)?
            }
            None => self.mechanism.calibrate_spending((epsilon, delta), sensitivity, range, step)?,
        })
    }
}
