//! A mechanism and the meaning of its steps.

use std::sync::Arc;

use inbounds_core::{Grid, Quantity};
use inbounds_mechanisms::mechanism::Mechanism;

/// One measured vector: a mechanism and the meaning of its steps.
#[derive(Debug, Clone)]
pub struct Component {
    /// The measured quantity.
    pub role: Quantity,
    /// The calibrated mechanism.
    pub mechanism: Arc<dyn Mechanism>,
    /// Grid of the answer.
    pub grid: Grid,
    /// A value is `steps * grid spacing / divisor`.
    pub divisor: u64,
}

impl Component {
    /// One step in the statistic's unit.
    pub fn step(&self) -> f64 {
        self.grid.spacing() / self.divisor as f64
    }

    /// The value of a step count.
    pub fn value(&self, steps: i128) -> f64 {
        self.grid.value(steps) / self.divisor as f64
    }

    /// The value of the end of a range, `open` where it has none.
    pub fn end(&self, steps: Option<i128>, open: f64) -> f64 {
        steps.map_or(open, |steps| self.value(steps))
    }

    /// The l1 sensitivity in the statistic's unit.
    pub fn sensitivity(&self) -> f64 {
        self.mechanism.sensitivity().l1 as f64 * self.step()
    }

    /// The noise scale in the statistic's unit.
    pub fn scale(&self) -> f64 {
        self.mechanism.noise().scale() * self.step()
    }
}
