//! The scatter of a column in each cell, whatever the private number of rows.

use inbounds_core::{Answer, Grid, Rational, StepRange};
use inbounds_mechanisms::registry::Bounds;

use crate::{
    Component, StatisticError,
    compound::{Moments, Setting},
    second_moments::{OnGrid, coarsening, power_of_two},
    sensitivity::of_scatter,
};

/// `floor(2^-k sum (x - mean)^2)` in squared steps, as `floor(2^-k (n sum x^2 - (sum x)^2) / n)`, and 0 where there is no row.
///
/// A scatter is not a whole number, of which [`Sensitivity::scaled`](inbounds_core::Sensitivity::scaled) speaks. But in each cell it
/// moves by no more than so many whole squared widths as rows of the unit come or go there, these add up to the stated l1, and
/// `ceil` is monotone, so floors move no further than those of whole numbers do.
#[derive(Debug, Clone)]
pub(super) struct Scatter {
    pub(super) component: Component,
    factor: Rational,
}

impl Scatter {
    /// Calibrates the scatters of all cells to one of `parts` equal parts of epsilon.
    ///
    /// # Errors
    /// Those of the calibration.
    pub(super) fn prepare(setting: &Setting, column: &OnGrid, parts: u128) -> Result<Self, StatisticError> {
        let part = Rational::ratio(1, parts);
        let epsilon = (setting.epsilon.value() * &part).to_f64();
        let width = column.width();
        let exponent = coarsening(width as f64 * width as f64, epsilon);
        let factor = power_of_two(-exponent);
        let sensitivity = of_scatter(&setting.design, width, setting.cells).scaled(&factor);
        let grid = Grid::power_of_two(2 * column.gridded.grid.exponent() + exponent)?;
        // A conditioned scatter keeps one step from zero, so that no variance is zero; answers of zero count as one step.
        let lower = i128::from(setting.mechanism.bounding == Bounds::Conditioned);
        let range = StepRange::new(Some(lower), None)?;
        let role = format!("scatter of {}", column.name);
        let component = setting.component((role, &part), (grid, 1), &sensitivity, range)?;
        Ok(Self { component, factor })
    }

    /// The exact answer for the column at a place.
    pub(super) fn answer(&self, moments: &Moments, column: usize) -> Answer {
        let Moments { counts, sums, products } = moments;
        let rows_times_squares = counts.times(&products[column]);
        let times_rows = rows_times_squares.combine(1, &sums[column].times(&sums[column]), -1);
        // Both floors together are the floor of the quotient.
        times_rows.scaled(&self.factor).floor_quotient(counts)
    }

    /// The mechanism's estimate of a scatter.
    pub(super) fn estimate(&self, measurement: i128) -> f64 {
        let steps = self.component.mechanism.estimate(measurement);
        self.component.value(steps.whole) + steps.fraction * self.component.step()
    }

    /// The answer whose value is nearest to a value.
    pub(super) fn steps_of(&self, value: f64) -> i128 {
        libm::round(value / self.component.step()) as i128
    }
}
