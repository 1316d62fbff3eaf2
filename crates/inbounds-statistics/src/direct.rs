//! Statistics measured by one mechanism.

use std::collections::HashMap;

use inbounds_mechanisms::{
    interval::StepInterval,
    mechanism::{ErrorAt, Measurements},
    sampler::Entropy,
};

use crate::{Component, Estimate, ExpectedError, Supposed};

/// A statistic whose estimate is its one component, bounded by the component's mechanism.
#[derive(Debug, Clone)]
pub struct Direct {
    /// What is measured.
    pub component: Component,
}

impl Direct {
    /// One estimate a cell; `rounding` settles those between grid points.
    pub fn estimate(&self, measured: &Measurements, level: f64, rounding: &mut dyn Entropy) -> Vec<Estimate> {
        let worst_bias = self.worst_bias();
        // Small counts often share an interval.
        let mut known = HashMap::new();
        let mut over = |interval: StepInterval| {
            let found = known.entry((interval.lower, interval.upper));
            *found.or_insert_with(|| self.component.mechanism.error_over(interval))
        };
        let mut estimate = |steps: &i128| self.estimate_one(*steps, (level, rounding), worst_bias, &mut over);
        measured.steps().iter().map(&mut estimate).collect()
    }

    fn estimate_one(
        &self,
        measurement: i128,
        (level, rounding): (f64, &mut dyn Entropy),
        worst_bias: f64,
        over: &mut dyn FnMut(StepInterval) -> ErrorAt,
    ) -> Estimate {
        let Component { mechanism, .. } = &self.component;
        let steps = mechanism.estimate(measurement).round(rounding);
        let interval = mechanism.interval(measurement, level);
        let (here, over) = (mechanism.error_at(steps), over(interval));
        let end = |steps: Option<i128>, open: f64| steps.map_or(open, |steps| self.component.value(steps));
        let step = self.component.step();
        Estimate {
            measurement: Some(self.component.value(measurement)),
            value: self.component.value(steps),
            lower: end(interval.lower, f64::NEG_INFINITY),
            upper: end(interval.upper, f64::INFINITY),
            bias_at_estimate: here.bias * step,
            bias_error: 0.0,
            bias_over_interval: Some(over.bias * step),
            worst_bias: Some(worst_bias),
            rmse_at_estimate: here.rmse * step,
            rmse_over_interval: Some(over.rmse * step),
            rmse_error: 0.0,
        }
    }

    /// Error at the ends of the range and far from them.
    pub fn expected_errors(&self, supposed: &Supposed) -> Vec<ExpectedError> {
        let mechanism = &self.component.mechanism;
        let (end, inside) = mechanism.landmarks();
        let (at_end, at_inside) = match (mechanism.range().lower(), mechanism.range().upper()) {
            (Some(_), Some(_)) => ("at the lower end", "in the middle"),
            (Some(_), None) => ("at the lower end", "far from the end"),
            (None, Some(_)) => ("at the upper end", "far from the end"),
            (None, None) => ("", "everywhere"),
        };
        let expected = |(case, candidate): (&str, i128)| {
            let error = mechanism.error_at(candidate);
            let step = self.component.step();
            let interval = mechanism.interval(candidate, supposed.level);
            let width = interval.upper.zip(interval.lower).map(|(upper, lower)| (upper - lower) as f64 * step);
            ExpectedError {
                case: case.to_owned(),
                bias: error.bias * step,
                rmse: error.rmse * step,
                half_width: width.map(|width| 0.5 * width),
            }
        };
        end.map(|end| (at_end, end)).into_iter().chain([(at_inside, inside)]).map(expected).collect()
    }

    /// The largest absolute bias over the range.
    pub fn worst_bias(&self) -> f64 {
        self.component.mechanism.worst_bias() * self.component.step()
    }
}
