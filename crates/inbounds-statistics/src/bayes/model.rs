//! The released model, and its classification.

use crate::StatisticError;

/// A Gaussian naive Bayes classifier: public numbers only.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Names of the features.
    pub features: Vec<String>,
    /// The classes.
    pub classes: Vec<Class>,
}

/// A class of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct Class {
    /// Its name.
    pub name: String,
    /// Logarithm of its part of all rows.
    pub log_prior: f64,
    /// Mean of each feature.
    pub means: Vec<f64>,
    /// Variance of each feature.
    pub variances: Vec<f64>,
}

impl Model {
    /// Logarithms of the classes' probabilities for the features of a row.
    ///
    /// # Law
    /// `ln P(c | x) = ln P(c) + sum_j ln N(x_j; mean_cj, variance_cj)`, less the logarithm of what makes them add up
    /// to 1. A variance of exactly zero gives its class minus infinity, unless `x_j` is the mean itself, which gives it
    /// no more than the prior; where all classes have minus infinity, each keeps it.
    ///
    /// # Errors
    /// [`StatisticError::Row`] unless there is one finite number a feature.
    ///
    /// # Example
    /// ```
    /// use inbounds_statistics::bayes::{Class, Model};
    /// let class = |name: &str, mean: f64| Class {
    ///     name: name.into(), log_prior: 0.5f64.ln(), means: vec![mean], variances: vec![1.0],
    /// };
    /// let model = Model { features: vec!["x".into()], classes: vec![class("low", 0.0), class("high", 2.0)] };
    /// assert_eq!(model.predict(&[1.5])?, "high");
    /// let low = model.log_posteriors(&[1.5])?[0].exp();
    /// assert!((low - 1.0 / (1.0 + 1f64.exp())).abs() < 1e-12); // log odds 2 * 1.5 - 2
    /// # Ok::<(), inbounds_statistics::StatisticError>(())
    /// ```
    pub fn log_posteriors(&self, row: &[f64]) -> Result<Vec<f64>, StatisticError> {
        if row.len() != self.features.len() || row.iter().any(|x| !x.is_finite()) {
            return Err(StatisticError::Row { features: self.features.len(), values: row.len() });
        }
        let joint: Vec<f64> = self.classes.iter().map(|class| class.log_prior + class.log_density(row)).collect();
        let largest = joint.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if largest == f64::NEG_INFINITY {
            return Ok(joint);
        }
        let total: f64 = joint.iter().map(|value| libm::exp(value - largest)).sum();
        Ok(joint.iter().map(|value| value - largest - libm::log(total)).collect())
    }

    /// The name of the most probable class; of equals the first.
    ///
    /// # Errors
    /// Those of [`Model::log_posteriors`].
    pub fn predict(&self, row: &[f64]) -> Result<&str, StatisticError> {
        let posteriors = self.log_posteriors(row)?;
        let mut best = 0;
        for (class, value) in posteriors.iter().enumerate() {
            if *value > posteriors[best] {
                best = class;
            }
        }
        Ok(&self.classes[best].name)
    }

    /// Classes and features whose variance is exactly zero, by name: what a clamped model cannot use.
    pub fn degenerate(&self) -> Vec<(&str, &str)> {
        let of_class = |class: &'_ Class| -> Vec<usize> {
            (0..self.features.len()).filter(|j| class.variances[*j] == 0.0).collect()
        };
        let named = |class| of_class(class).into_iter().map(|j| (class.name.as_str(), self.features[j].as_str()));
        self.classes.iter().flat_map(named).collect()
    }
}

impl Class {
    fn log_density(&self, row: &[f64]) -> f64 {
        let feature = |((x, mean), variance): ((&f64, &f64), &f64)| {
            let squared = (x - mean) * (x - mean);
            if *variance > 0.0 {
                -0.5 * (squared / variance + libm::log(2.0 * std::f64::consts::PI * variance))
            } else if squared > 0.0 {
                f64::NEG_INFINITY
            } else {
                0.0
            }
        };
        row.iter().zip(&self.means).zip(&self.variances).map(feature).sum()
    }
}
