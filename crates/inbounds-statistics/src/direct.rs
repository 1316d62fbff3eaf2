//! Statistics measured by one mechanism.

use inbounds_mechanisms::mechanism::Measurements;

use crate::{Component, Estimate, ExpectedError};

/// A statistic whose estimate is its one component, bounded by the component's mechanism.
#[derive(Debug, Clone)]
pub struct Direct {
    /// What is measured.
    pub component: Component,
}

impl Direct {
    /// One estimate a cell.
    pub fn estimate(&self, measured: &Measurements, level: f64) -> Vec<Estimate> {
        let worst_bias = self.worst_bias();
        measured.steps().iter().map(|steps| self.estimate_one(*steps, worst_bias, level)).collect()
    }

    fn estimate_one(&self, measurement: i128, worst_bias: f64, level: f64) -> Estimate {
        let Component { mechanism, .. } = &self.component;
        let steps = mechanism.estimate(measurement);
        let interval = mechanism.interval(measurement, level);
        let error = mechanism.error_at(steps);
        let end = |steps: Option<i128>, open: f64| steps.map_or(open, |steps| self.component.value(steps));
        Estimate {
            measurement: Some(self.component.value(measurement)),
            value: self.component.value(steps),
            lower: end(interval.lower, f64::NEG_INFINITY),
            upper: end(interval.upper, f64::INFINITY),
            bias_at_estimate: error.bias * self.component.step(),
            worst_bias,
            rmse_at_estimate: error.rmse * self.component.step(),
        }
    }

    /// Error at the ends of the range and far from them.
    pub fn expected_errors(&self) -> Vec<ExpectedError> {
        let mechanism = &self.component.mechanism;
        let range = mechanism.range();
        let far = (50.0 * mechanism.noise().scale()).ceil() as i128;
        let (end, inside) = match (range.lower(), range.upper()) {
            (Some(lower), Some(upper)) => {
                (Some(("at the lower end", lower)), ("in the middle", lower + (upper - lower) / 2))
            }
            (Some(lower), None) => (Some(("at the lower end", lower)), ("far from the end", lower + far)),
            (None, Some(upper)) => (Some(("at the upper end", upper)), ("far from the end", upper - far)),
            (None, None) => (None, ("everywhere", 0)),
        };
        let expected = |(case, candidate): (&str, i128)| {
            let error = mechanism.error_at(candidate);
            let step = self.component.step();
            ExpectedError { case: case.to_owned(), bias: error.bias * step, rmse: error.rmse * step }
        };
        end.into_iter().chain([inside]).map(expected).collect()
    }

    /// The largest absolute bias over the range.
    pub fn worst_bias(&self) -> f64 {
        self.component.mechanism.worst_bias() * self.component.step()
    }
}
