//! A released naive Bayes model, for numbers in memory.

use std::path::PathBuf;

use inbounds_release::predict::{self, PredictError};
use inbounds_statistics::bayes::{Class, Model};
use pyo3::{buffer::PyBuffer, prelude::*, types::PyBytes};

use crate::{
    failure::Failure,
    numbers::{bytes, copied},
    work,
};

/// The name of a class, the logarithm of its part of all rows, and means and variances of the features.
type Numbers = (String, f64, Vec<f64>, Vec<f64>);

/// A released naive Bayes model: public numbers only.
#[pyclass(frozen, module = "inbounds._inbounds")]
pub(crate) struct Classifier {
    model: Model,
}

#[pymethods]
impl Classifier {
    /// The model of a bundle; the only one, or the one named.
    #[staticmethod]
    #[pyo3(signature = (folder, statistic=None))]
    fn of_bundle(py: Python<'_>, folder: PathBuf, statistic: Option<&str>) -> PyResult<Self> {
        let unreadable = |error: PredictError| Failure::Data(error.to_string());
        let model = work::apart(py, || predict::model(&folder, statistic).map_err(unreadable))?;
        Ok(Self { model: model.model().clone() })
    }

    /// A model of numbers that one was made of before.
    #[staticmethod]
    fn of_numbers(py: Python<'_>, features: Vec<String>, classes: Vec<Numbers>) -> PyResult<Self> {
        work::apart(py, || {
            let class = |(name, log_prior, means, variances)| Class { name, log_prior, means, variances };
            let classes: Vec<Class> = classes.into_iter().map(class).collect();
            let fits = |class: &Class| class.means.len() == features.len() && class.variances.len() == features.len();
            if features.is_empty() || !classes.iter().all(fits) {
                let message = "a class needs a mean and a variance for each feature";
                return Err(Failure::Parameter(message.to_owned()));
            }
            Ok(Self { model: Model { features, classes } })
        })
    }

    /// Names of the features.
    #[getter]
    fn features(&self) -> Vec<String> {
        self.model.features.clone()
    }

    /// The numbers of each class.
    #[getter]
    fn classes(&self, py: Python<'_>) -> PyResult<Vec<Numbers>> {
        let class = |class: &Class| (class.name.clone(), class.log_prior, class.means.clone(), class.variances.clone());
        work::apart(py, || Ok(self.model.classes.iter().map(class).collect()))
    }

    /// Logarithms of the probabilities of the classes, row by row, for rows one after the other.
    fn log_posteriors<'py>(&self, py: Python<'py>, rows: PyBuffer<f64>) -> PyResult<Bound<'py, PyBytes>> {
        let rows = copied(py, &rows)?;
        let posteriors = work::apart(py, || {
            let mut all = Vec::with_capacity(rows.len() / self.model.features.len() * self.model.classes.len());
            for row in rows.chunks(self.model.features.len()) {
                match self.model.log_posteriors(row) {
                    Ok(row_posteriors) => all.extend(row_posteriors),
                    Err(_) => {
                        return Err(Failure::Parameter("a row needs one finite number a feature".to_owned()));
                    }
                }
            }
            Ok(all)
        });
        Ok(bytes(py, &posteriors?))
    }
}
