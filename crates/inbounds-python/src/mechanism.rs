//! Calibrated mechanisms for whole numbers.

use std::sync::Arc;

use inbounds_core::{Answer, Sensitivity, StepRange};
use inbounds_mechanisms::{
    mechanism::{Measurements, Mechanism as Calibrated},
    posterior::Prior,
};
use pyo3::prelude::*;

use crate::{exact, failure::Failure};

/// A measurement, its estimate, its interval, and bias and RMSE at the estimate.
type Released = (i128, i128, (Option<i128>, Option<i128>), f64, f64);

/// A mechanism for whole numbers, calibrated. It holds nothing private.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Mechanism {
    mechanism: Arc<dyn Calibrated>,
}

#[pymethods]
impl Mechanism {
    /// Calibrates a mechanism, by its word in plans, to a guarantee, a sensitivity and a range.
    #[staticmethod]
    #[pyo3(signature = (word, epsilon, delta, sensitivity, lower, upper))]
    fn calibrate(
        py: Python<'_>,
        word: &str,
        epsilon: &str,
        delta: Option<&str>,
        sensitivity: u128,
        lower: Option<i128>,
        upper: Option<i128>,
    ) -> PyResult<Self> {
        let calibrated = || -> Result<Arc<dyn Calibrated>, Failure> {
            let entry = exact::mechanism(word)?;
            let guarantee = entry.guarantee(exact::epsilon(epsilon)?, exact::delta(delta)?);
            let sensitivity = Sensitivity { l1: sensitivity, linf: sensitivity, cells: 1, rule: "given" };
            Ok(entry.calibrate(&guarantee, &sensitivity, StepRange::new(lower, upper)?)?)
        };
        Ok(Self { mechanism: py.detach(calibrated).map_err(|failure| failure.raise(py))? })
    }

    /// Publishes answers, each with its own noise. They are private, and nothing keeps them.
    #[pyo3(signature = (answers, level, seed=None))]
    fn release(&self, py: Python<'_>, answers: Vec<i128>, level: f64, seed: Option<u64>) -> PyResult<Vec<Released>> {
        let released = || -> Result<Vec<Released>, Failure> {
            let mut entropy = exact::entropy(seed)?;
            let measured = Measurements::take(self.mechanism.clone(), Answer::new(answers), &mut *entropy);
            let one = |&measurement: &i128| {
                let estimate = self.mechanism.estimate(measurement).round(&mut *entropy);
                let interval = self.mechanism.interval(measurement, level);
                let error = self.mechanism.error_at(estimate);
                (measurement, estimate, (interval.lower, interval.upper), error.bias, error.rmse)
            };
            Ok(measured.steps().iter().map(one).collect())
        };
        py.detach(released).map_err(|failure| failure.raise(py))
    }

    /// Bias and root mean square error of the estimate, were these the answers.
    fn errors(&self, py: Python<'_>, answers: Vec<i128>) -> (Vec<f64>, Vec<f64>) {
        py.detach(|| {
            let errors = answers.iter().map(|&answer| self.mechanism.error_at(answer));
            errors.map(|error| (error.bias, error.rmse)).unzip()
        })
    }

    /// Intervals for the answers, given their measurements.
    fn intervals(&self, py: Python<'_>, measurements: Vec<i128>, level: f64) -> Vec<(Option<i128>, Option<i128>)> {
        py.detach(|| {
            let interval = |&measurement: &i128| self.mechanism.interval(measurement, level);
            measurements.iter().map(interval).map(|interval| (interval.lower, interval.upper)).collect()
        })
    }

    /// Probability that the noise is at most each of these numbers of steps.
    fn noise_cdf(&self, py: Python<'_>, steps: Vec<f64>) -> Vec<f64> {
        py.detach(|| steps.iter().map(|&steps| self.mechanism.noise().law().cdf(steps)).collect())
    }

    /// Least numbers of steps that the noise is at most with these probabilities.
    fn noise_ppf(&self, py: Python<'_>, probabilities: Vec<f64>) -> Vec<f64> {
        py.detach(|| probabilities.iter().map(|&p| self.mechanism.noise().law().quantile(p)).collect())
    }

    /// Mean and quantiles of what is known of the answer after a measurement, if every answer in the range was as likely before.
    fn posterior(&self, py: Python<'_>, measurement: i128, probabilities: Vec<f64>) -> PyResult<(f64, Vec<i128>)> {
        let found = py.detach(|| self.mechanism.posterior(measurement, &Prior::Flat));
        let posterior = found.map_err(|error| Failure::Parameter(error.to_string()).raise(py))?;
        Ok((posterior.mean(), probabilities.iter().map(|&p| posterior.quantile(p)).collect()))
    }

    /// Whether a measurement is its answer plus the noise.
    #[getter]
    fn adds_noise(&self) -> bool {
        self.mechanism.adds_noise()
    }

    /// Its registered name.
    #[getter]
    fn name(&self) -> &'static str {
        self.mechanism.name()
    }

    /// Scale of the noise: `b` of Laplace noise, the standard deviation of other noise.
    #[getter]
    fn scale(&self) -> f64 {
        self.mechanism.noise().scale()
    }

    /// Largest absolute bias over the range.
    #[getter]
    fn worst_bias(&self) -> f64 {
        self.mechanism.worst_bias()
    }
}
