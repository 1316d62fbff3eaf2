//! Calibrated mechanisms for whole numbers.

use std::{collections::HashMap, ops::Range, sync::Arc};

use inbounds_advise::design::{noise_named, noise_words};
use inbounds_core::{Answer, NarrowAnswer, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::{
    bounding::{TabulatedRow, TabulatedRule},
    calibrate::CalibrationError,
    mechanism::{Measurements, Mechanism as Calibrated},
    posterior::Prior,
};
use pyo3::{
    buffer::PyBuffer,
    prelude::*,
    types::{PyByteArray, PyBytes},
};

use crate::{
    exact,
    failure::Failure,
    fault::shielded,
    numbers::{Whole, bytes, copied},
    work,
};

/// Bytes of a number.
const WIDTH: usize = 8;

/// Draws at once, so few that all that they pass through stays in the cache; signals are looked for in between.
const AT_ONCE: usize = 1 << 14;

/// A measurement, its estimate, its interval, and bias and RMSE at the estimate.
type Released = (i128, i128, (Option<i128>, Option<i128>), f64, f64);

/// A mechanism for whole numbers, calibrated. It holds nothing private.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Mechanism {
    mechanism: Arc<dyn Calibrated>,
}

/// A sensitivity that the caller answers for, of one cell.
fn given(steps: u128) -> Sensitivity {
    Sensitivity { l1: steps, linf: steps, cells: 1, rule: "given", squares: None }
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
            let (epsilon, delta) = (exact::epsilon(epsilon)?, exact::delta(delta)?);
            Ok(entry.calibrate_spending(epsilon, delta, &given(sensitivity), StepRange::new(lower, upper)?)?)
        };
        Ok(Self { mechanism: work::apart(py, calibrated)? })
    }

    /// Calibrates noise with a rule of one's own, from measurements and what to publish for them.
    #[expect(clippy::too_many_arguments, reason = "one argument for each key of the function in Python")]
    #[staticmethod]
    #[pyo3(signature = (noise, rows, epsilon, delta, sensitivity, lower, upper))]
    fn tabulated(
        py: Python<'_>,
        noise: &str,
        rows: Vec<(i128, f64)>,
        epsilon: &str,
        delta: Option<&str>,
        sensitivity: u128,
        lower: Option<i128>,
        upper: Option<i128>,
    ) -> PyResult<Self> {
        let calibrated = || -> Result<Arc<dyn Calibrated>, Failure> {
            let noise = noise_named(noise)
                .ok_or_else(|| Failure::Parameter(format!("noise is one of {}", noise_words().join(", "))))?;
            let row = |(line, (measurement, estimate)): (u64, (i128, f64))| {
                let finite = Rational::from_f64(estimate)
                    .ok_or_else(|| Failure::Parameter(format!("line {line}: estimate must be a finite number")))?;
                Ok(TabulatedRow { line, measurement: measurement.into(), estimate: finite })
            };
            let rows = (1..).zip(rows).map(row).collect::<Result<_, Failure>>()?;
            let rule = TabulatedRule::new(noise, rows, None).map_err(CalibrationError::from)?;
            let guarantee = rule.entry().guarantee(exact::epsilon(epsilon)?, exact::delta(delta)?);
            Ok(rule.calibrate(&guarantee, &given(sensitivity), StepRange::new(lower, upper)?, &Rational::ONE)?)
        };
        Ok(Self { mechanism: work::apart(py, calibrated)? })
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
        work::apart(py, released)
    }

    /// A measurement of each answer, as the bytes of an array of 64 bits each; nothing keeps the answers. A measurement
    /// beyond them is the nearest number that has as many.
    #[pyo3(signature = (answers, seed=None))]
    fn measure<'py>(
        &self,
        py: Python<'py>,
        answers: PyBuffer<i64>,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let answers = copied(py, &answers)?;
        shielded(py, || self.measured(py, answers.len(), seed, |cells| answers[cells].to_vec()))
    }

    /// So many measurements of one answer, as [`Mechanism::measure`] gives them.
    #[pyo3(signature = (answer, size, seed=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        answer: i64,
        size: usize,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        shielded(py, || self.measured(py, size, seed, |cells| vec![answer; cells.len()]))
    }

    /// The estimate of each measurement, as the bytes of an array of 64 bits each. Where an estimate lies between two
    /// whole numbers it is one of them, at random by a seed or without one.
    #[pyo3(signature = (measurements, seed=None))]
    fn estimate<'py>(
        &self,
        py: Python<'py>,
        measurements: PyBuffer<i64>,
        seed: Option<u64>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let measurements = copied(py, &measurements)?;
        let mut entropy = exact::entropy(seed).map_err(|failure| failure.raise(py))?;
        PyByteArray::new_with(py, WIDTH * measurements.len(), |bytes| {
            work::apart(py, || {
                for (cell, &one) in bytes.chunks_exact_mut(WIDTH).zip(&measurements) {
                    let estimate = self.mechanism.estimate(one.into()).round(&mut *entropy);
                    cell.copy_from_slice(&narrowed(estimate).to_ne_bytes());
                }
                Ok(())
            })
        })
    }

    /// Bias and root mean square error of the estimate, were these the answers.
    fn errors<'py>(&self, py: Python<'py>, answers: Whole) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let answers = answers.numbers(py)?;
        let (bias, rmse): (Vec<f64>, Vec<f64>) = work::apart(py, || {
            let mut known: HashMap<i128, (f64, f64)> = HashMap::new();
            let mut error = |&answer: &i128| {
                *known.entry(answer).or_insert_with(|| {
                    let error = self.mechanism.error_at(answer);
                    (error.bias, error.rmse)
                })
            };
            Ok(answers.iter().map(&mut error).unzip())
        })?;
        Ok((bytes(py, &bias), bytes(py, &rmse)))
    }

    /// Both ends of intervals for the answers, given their measurements; infinite where there is none.
    fn intervals<'py>(
        &self,
        py: Python<'py>,
        measurements: Whole,
        level: f64,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let measurements = measurements.numbers(py)?;
        let (lower, upper): (Vec<f64>, Vec<f64>) = work::apart(py, || {
            let interval = |&measurement: &i128| {
                let interval = self.mechanism.interval(measurement, level);
                let or = |end: Option<i128>, none: f64| end.map_or(none, |end| end as f64);
                (or(interval.lower, f64::NEG_INFINITY), or(interval.upper, f64::INFINITY))
            };
            Ok(measurements.iter().map(interval).unzip())
        })?;
        Ok((bytes(py, &lower), bytes(py, &upper)))
    }

    /// Probability that the noise is at most each of these numbers of steps.
    fn noise_cdf<'py>(&self, py: Python<'py>, steps: PyBuffer<f64>) -> PyResult<Bound<'py, PyBytes>> {
        let steps = copied(py, &steps)?;
        let probabilities: Vec<f64> = work::apart(py, || {
            let law = self.mechanism.noise().law();
            Ok(steps.iter().map(|&steps| law.cdf(steps)).collect())
        })?;
        Ok(bytes(py, &probabilities))
    }

    /// Least numbers of steps that the noise is at most with these probabilities.
    fn noise_ppf<'py>(&self, py: Python<'py>, probabilities: PyBuffer<f64>) -> PyResult<Bound<'py, PyBytes>> {
        let probabilities = copied(py, &probabilities)?;
        let quantiles: Vec<f64> = work::apart(py, || {
            let law = self.mechanism.noise().law();
            Ok(probabilities.iter().map(|&p| law.quantile(p)).collect())
        })?;
        Ok(bytes(py, &quantiles))
    }

    /// Of each measurement the mean, and the quantiles one after the other, of what is known of its answer, if every
    /// answer in the range was as likely before.
    fn posterior<'py>(
        &self,
        py: Python<'py>,
        measurements: Whole,
        probabilities: Vec<f64>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let measurements = measurements.numbers(py)?;
        let (means, quantiles) = work::apart(py, || {
            let (mut means, mut quantiles) = (Vec::new(), Vec::new());
            for &measurement in &measurements {
                let posterior = self.mechanism.posterior(measurement, &Prior::Flat);
                let posterior = posterior.map_err(|error| Failure::Parameter(error.to_string()))?;
                means.push(posterior.mean());
                quantiles.extend(probabilities.iter().map(|&p| posterior.quantile(p) as f64));
            }
            Ok((means, quantiles))
        })?;
        Ok((bytes(py, &means), bytes(py, &quantiles)))
    }

    /// `True` if a measurement is its answer plus the noise.
    #[getter]
    fn adds_noise(&self, py: Python<'_>) -> PyResult<bool> {
        work::apart(py, || Ok(self.mechanism.adds_noise()))
    }

    /// Its registered name.
    #[getter]
    fn name(&self, py: Python<'_>) -> PyResult<&'static str> {
        work::apart(py, || Ok(self.mechanism.name()))
    }

    /// Scale of the noise: `b` of Laplace noise, the standard deviation of other noise.
    #[getter]
    fn scale(&self, py: Python<'_>) -> PyResult<f64> {
        work::apart(py, || Ok(self.mechanism.noise().scale()))
    }

    /// The delta that it spends, if it spends one.
    #[getter]
    fn delta(&self, py: Python<'_>) -> PyResult<Option<String>> {
        work::apart(py, || Ok(self.mechanism.guarantee().delta().map(ToString::to_string)))
    }

    /// Largest absolute bias over the range.
    #[getter]
    fn worst_bias(&self, py: Python<'_>) -> PyResult<f64> {
        work::apart(py, || Ok(self.mechanism.worst_bias()))
    }
}

impl Mechanism {
    /// Measurements of answers that are given part by part.
    fn measured<'py>(
        &self,
        py: Python<'py>,
        size: usize,
        seed: Option<u64>,
        part: impl Fn(Range<usize>) -> Vec<i64>,
    ) -> PyResult<Bound<'py, PyByteArray>> {
        let mut entropy = exact::entropy(seed).map_err(|failure| failure.raise(py))?;
        let most = || Failure::Parameter("so many measurements do not fit into memory".to_owned()).raise(py);
        let bytes = size.checked_mul(WIDTH).filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(most)?;
        PyByteArray::new_with(py, bytes, |bytes| {
            for (number, cells) in bytes.chunks_mut(WIDTH * AT_ONCE).enumerate() {
                let (start, count) = (number * AT_ONCE, cells.len() / WIDTH);
                let answer = NarrowAnswer::new(part(start..start + count));
                work::apart(py, || {
                    let measured = Measurements::take_narrow(&*self.mechanism, answer, &mut *entropy);
                    cells.copy_from_slice(bytemuck::cast_slice(&measured));
                    Ok(())
                })?;
                py.check_signals()?;
            }
            Ok(())
        })
    }
}

/// The number, or the nearest one of 64 bits. Noise alone is never as large; an answer can be.
fn narrowed(step: i128) -> i64 {
    i64::try_from(step).unwrap_or(if step < 0 { i64::MIN } else { i64::MAX })
}
