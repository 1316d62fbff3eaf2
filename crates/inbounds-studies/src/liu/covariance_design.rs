//! The design of the simulation: what is released, at which correlations and numbers of rows.

use inbounds_mechanisms::bounding::Range;

use super::mechanism::{Calibrated, Mechanism};
use crate::{
    Context, StudyError,
    draws::Draws,
    monte_carlo::{Sample, Tally, simulate},
};

pub(super) const EPSILON: f64 = 1.0 / 3.0;

/// True variances.
pub(super) const TRUTH: (f64, f64) = (1.0, 2.0);

pub(super) const CORRELATIONS: [f64; 3] = [0.0, -0.4, 0.7];

pub(super) const ROWS: [f64; 5] = [50.0, 100.0, 200.0, 400.0, 800.0];

/// Widths of the ranges of the two columns, `[-3, 3]` and `[-4.5, 4.5]`.
pub(super) const WIDTHS: (f64, f64) = (6.0, 9.0);

/// Released statistics, in the order of the tables.
pub(super) const STATISTICS: [&str; 4] = ["S11", "S22", "S12", "r"];

/// Released values of the four statistics; correlations only where they are defined.
#[derive(Default)]
pub(super) struct Released(pub(super) [Sample; 4]);

impl Tally for Released {
    fn absorb(&mut self, later: Self) {
        self.0.iter_mut().zip(later.0).for_each(|(sum, later)| sum.absorb(later));
    }
}

/// One cell of the design.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Setting {
    pub(super) correlation: f64,
    pub(super) rows: f64,
    pub(super) mechanism: Mechanism,
}

impl Setting {
    pub(super) fn covariance(&self) -> f64 {
        self.correlation * libm::sqrt(TRUTH.0 * TRUTH.1)
    }

    pub(super) fn truths(&self) -> [f64; 4] {
        [TRUTH.0, TRUTH.1, self.covariance(), self.correlation]
    }

    /// A variance of a column of some width: sensitivity `width^2 / n`, range up to `n width^2 / (4 (n - 1))`.
    pub(super) fn variance(&self, width: f64) -> Result<Calibrated, StudyError> {
        let range = Range::new(0.0, self.rows * width * width / (4.0 * (self.rows - 1.0)))?;
        self.mechanism.calibrate(EPSILON, width * width / self.rows, range)
    }

    /// The covariance between the ends that released variances leave.
    fn release_covariance(&self, end: f64, draws: &mut Draws) -> f64 {
        // Where a clamped variance is zero, so is every covariance; no noise is left to draw.
        let Ok(range) = Range::new(-end, end) else { return 0.0 };
        let sensitivity = WIDTHS.0 * WIDTHS.1 / self.rows;
        let calibrated = self.mechanism.calibrate(EPSILON, sensitivity, range);
        calibrated.expect("a finite range").draw(draws, self.covariance())
    }

    pub(super) fn simulate(&self, context: &Context<'_>) -> Result<Released, StudyError> {
        let (first, second) = (self.variance(WIDTHS.0)?, self.variance(WIDTHS.1)?);
        let name = format!("{} {} {}", self.correlation, self.rows, self.mechanism.name());
        Ok(simulate(context, &name, Released::default, |draws, released| {
            let (s11, s22) = (first.draw(draws, TRUTH.0), second.draw(draws, TRUTH.1));
            let end = libm::sqrt(s11 * s22);
            let s12 = self.release_covariance(end, draws);
            let Released([all11, all22, all12, all]) = released;
            all11.0.push(s11);
            all22.0.push(s22);
            all12.0.push(s12);
            if end > 0.0 {
                all.0.push(s12 / end);
            }
        }))
    }
}

/// A cell with what was released in it.
pub(super) struct Simulated {
    pub(super) setting: Setting,
    pub(super) released: Released,
}
