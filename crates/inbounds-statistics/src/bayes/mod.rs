//! Gaussian naive Bayes as a released model.

mod accuracy;
mod doubts;
mod errors;
mod model;
mod posterior;

use inbounds_core::{Answer, Epsilon, Quantity, Tally};
use inbounds_mechanisms::mechanism::Measurements;

pub use accuracy::{ClassDistribution, ExpectedAccuracy};
pub use model::{Class, Model};

use crate::{
    Ask, CellEntry, Column, Component, Doubt, Estimate, ExpectedError, Output, RowsMeasured, Scenario, Setting,
    SharedVector, Simulated, Simulation, Statistic, StatisticError, Unit, expected,
    second_moments::{Moments, OnGrid, Truth},
    simulate,
};
use posterior::Raw;

/// The description of a classifier: its classes are the public keys, one cell each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveBayes {
    /// The features, with the bounds to which rows are clipped.
    pub features: Vec<Column>,
}

/// A classifier ready to be measured: of each class a number of rows, and of each feature a mean and a variance.
///
/// # Law
/// Of `d > 1` features the number of rows of each class, and the sum and the sum of squares of each feature, are one
/// vector of cube noise with all of epsilon ([`Together`](inbounds_mechanisms::mechanism::Together)). Of one feature,
/// or with another mechanism than the default, or with more numbers than a vector has, each takes an equal part of
/// epsilon, for all classes at once: three sums that are one vector of l1 sensitivity `R^2` and tell the number of
/// rows, the mean and the variance of the feature in each class ([`crate::of_bernstein`]); the number of rows of a
/// class is then the mean of what its features tell. Noise is plain, so raw values are unbiased up to the ratio.
///
/// A mean is clamped to the bounds. A variance is a **posterior mean**: the average of the classes' variances, weighted
/// by their rows, is estimated first, with a prior that is uniform in the standard deviation, and each class's variance
/// then, with a prior that is log-normal about the average with 0.7 as standard deviation of the logarithm. It is
/// always positive, because a variance of zero makes a class impossible ([`Model::log_posteriors`]), and is the raw
/// variance where noise is small. Claims: `cube-pieces`, `bernstein-add-remove`, `bernstein-substitute`.
///
/// # Errors
/// Bias and RMSE are stated for the estimates as truth, and as the largest over corners of all intervals together,
/// because a posterior mean leans to what it supposes.
///
/// # Departure from the paper
/// Holohan et al. divide by the exact number of rows of a class and calibrate to it, `R / n` for means and
/// `(n - 1) R^2 / n^2` for variances. Scales then tell the private `n`, and priors are exact, which is no differential
/// privacy under either relation: a row that is replaced may change class. Here everything that is measured has a fixed
/// sensitivity.
///
/// # References
/// Holohan et al. 2020, section 6.
#[derive(Debug, Clone)]
pub struct Bayes {
    sums: Moments,
    most_rows: Option<u64>,
    epsilon: Epsilon,
}

const KIND: &str = "naive Bayes classifier";

impl NaiveBayes {
    /// Chooses grids, sensitivities, ranges and scales.
    ///
    /// # Errors
    /// [`StatisticError::TooFewClasses`], [`StatisticError::NoFeatures`], [`StatisticError::RepeatedColumn`], and those
    /// of the variance of a private number of rows. None depends on data.
    ///
    /// # Example
    /// Nine numbers share a vector, so each sum of a feature between 0 and 1, taken from the middle, has noise of the
    /// standard deviation `sqrt((9 + 1)(9 + 2) / 3) / (2 epsilon)`.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{
    ///     ColumnBounds, Design, Missing, PrivacyUnit, bayes::NaiveBayes, Column, Simulated, Statistic, Setting,
    /// };
    /// let bounds = ColumnBounds { lower: "0".parse()?, upper: "1".parse()?, integer: false, missing: Missing::Drop };
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
    ///     cells: 3, grouped: true, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("8".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let features = ["a", "b", "c", "d"].map(|name| Column { name: name.into(), bounds: bounds.clone() });
    /// let bayes = NaiveBayes { features: features.into() }.prepare(&setting).expect("valid");
    /// assert_eq!(bayes.components().len(), 9);
    /// let deviation = (10.0 * 11.0 / 3.0f64).sqrt() / (2.0 * 8.0);
    /// assert!((bayes.components()[1].scale() / deviation - 1.0).abs() < 1e-6);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Bayes, StatisticError> {
        if setting.cells < 2 || !setting.grouped {
            return Err(StatisticError::TooFewClasses { classes: setting.cells });
        }
        if self.features.is_empty() {
            return Err(StatisticError::NoFeatures);
        }
        let repeated =
            |(j, column): &(usize, &Column)| self.features[..*j].iter().any(|other| other.name == column.name);
        if let Some((_, column)) = self.features.iter().enumerate().find(repeated) {
            return Err(StatisticError::RepeatedColumn { kind: KIND, column: column.name.clone() });
        }
        let columns = self.features.iter().map(|column| OnGrid::new(KIND, column, None));
        let sums = Moments::prepare(KIND, setting, columns.collect::<Result<_, _>>()?)?;
        Ok(Bayes { sums, most_rows: setting.design.rows, epsilon: setting.epsilon.clone() })
    }
}

impl Bayes {
    /// Outputs of a class: means, variances, rows.
    fn stride(&self) -> usize {
        2 * self.features().len() + 1
    }

    fn features(&self) -> impl ExactSizeIterator<Item = &OnGrid> {
        self.sums.columns()
    }

    fn each_class<T>(&self, outputs: impl FnMut(usize) -> Vec<T>) -> Vec<T> {
        (0..self.sums.cells()).flat_map(outputs).collect()
    }

    fn rows_range(&self) -> (f64, f64) {
        (0.0, self.most_rows.map_or(f64::INFINITY, |rows| rows as f64))
    }

    /// The model that estimates describe, for the names of the classes in the order of the keys.
    ///
    /// # Panics
    /// If there is not one name a class, or not the estimates of [`Simulated::point`].
    pub fn model(&self, classes: &[String], estimates: &[f64]) -> Model {
        assert_eq!(classes.len() * self.stride(), estimates.len(), "estimates of every class");
        let features = self.features().len();
        let rows = |outputs: &[f64]| outputs[2 * features].max(1.0);
        let total: f64 = estimates.chunks(self.stride()).map(rows).sum();
        let class = |(name, outputs): (&String, &[f64])| Class {
            name: name.clone(),
            log_prior: libm::log(rows(outputs) / total),
            means: outputs[..features].to_vec(),
            variances: outputs[features..2 * features].to_vec(),
        };
        Model {
            features: self.features().map(|column| column.name.clone()).collect(),
            classes: classes.iter().zip(estimates.chunks(self.stride())).map(class).collect(),
        }
    }

    /// Raw variances of a feature with their noise, class by class, in squared widths.
    fn raw_variances(&self, cells: &[Spread], feature: usize, span: f64) -> Vec<Raw> {
        let raw = |cell: &Spread| {
            let value = cell.variances[feature];
            // The noise where the variance is, not where noise has put it.
            let at = value.clamp(0.0, span * span / 4.0);
            let (mean, first) = self.sums.noise(feature, cell.rows, cell.deviations[feature], at);
            // The squared deviation errs by the square of the mean's error too.
            let noise = first.hypot(2f64.sqrt() * mean * mean);
            Raw { value: value / (span * span), noise: noise / (span * span) }
        };
        cells.iter().map(raw).collect()
    }

    /// Posterior means of the variances of a feature, class by class, in the feature's unit.
    fn variances(&self, cells: &[Spread], feature: usize, span: f64) -> Vec<f64> {
        let raw = self.raw_variances(cells, feature, span);
        let total: f64 = cells.iter().map(|cell| cell.rows).sum();
        let weighted = |quantity: &dyn Fn(&Raw) -> f64| -> Vec<f64> {
            raw.iter().zip(cells).map(|(raw, cell)| cell.rows / total * quantity(raw)).collect()
        };
        let pooled = Raw {
            value: weighted(&|raw| raw.value).iter().sum(),
            noise: weighted(&|raw| raw.noise).iter().map(|noise| noise * noise).sum::<f64>().sqrt(),
        };
        let common = pooled.common();
        raw.iter().map(|raw| raw.near(common) * span * span).collect()
    }
}

/// Estimates from the sums of a class, with means inside the bounds.
struct Spread {
    rows: f64,
    deviations: Vec<f64>,
    variances: Vec<f64>,
}

impl Statistic for Bayes {
    fn ask(&self) -> Ask {
        let clips: Vec<_> = self.features().map(|column| column.clip).collect();
        let products = (0..clips.len()).map(|j| (j, j)).collect();
        Ask { clips, products, ..Ask::default() }
    }

    fn components(&self) -> Vec<&Component> {
        self.sums.components()
    }

    fn entries(&self, _: usize) -> Vec<CellEntry> {
        self.sums.entries()
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        vec![self.sums.rows_measured()]
    }

    fn outputs(&self) -> Vec<Output> {
        let mean = |(j, column): (usize, &OnGrid)| Output {
            quantity: Quantity::Mean { column: Some(column.name.clone()) },
            unit: Unit::Columns(vec![j]),
        };
        let variance = |(j, column): (usize, &OnGrid)| Output {
            quantity: Quantity::Variance { column: column.name.clone() },
            unit: Unit::Columns(vec![j, j]),
        };
        let (means, variances) = (self.features().enumerate().map(mean), self.features().enumerate().map(variance));
        means.chain(variances).chain([Output { quantity: Quantity::Rows, unit: Unit::Rows }]).collect()
    }

    fn cells(&self) -> usize {
        self.sums.cells()
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        self.sums.answers(tally)
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let means = self.features().map(OnGrid::range);
        let variances = self.features().map(|column| (0.0, column.span().powi(2) / 4.0));
        means.chain(variances).chain([self.rows_range()]).collect()
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let simulation = Simulation::at(level, seed);
        let mut estimates = simulate(self, measured, &simulation);
        errors::over_intervals(self, &mut estimates, &simulation);
        estimates
    }

    fn doubts(&self, measured: &[&[i128]]) -> Vec<Doubt> {
        doubts::find(self, measured)
    }

    fn expects_half_widths(&self) -> bool {
        false
    }

    /// Errors of the first feature's variance, relative to that of evenly spread values, in classes of two sizes.
    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let even = |column: &OnGrid| column.span().powi(2) / 12.0;
        let truth = |rows: &f64| -> Vec<f64> {
            let middles = self.features().map(OnGrid::middle);
            middles.chain(self.features().map(even)).chain([*rows]).collect()
        };
        let sizes = scenario.sizes_up_to(self.rows_range().1);
        let errors = expected(self, &sizes.iter().map(truth).collect::<Vec<_>>());
        let at = |(rows, errors): (f64, Vec<(f64, f64)>)| {
            let (bias, rmse) = errors[self.features().len()];
            let name = self.features().next().map_or("", |column| column.name.as_str());
            ExpectedError {
                case: format!("variance of {name}, evenly spread, class of {rows} rows"),
                bias,
                rmse,
                half_width: None,
            }
        };
        sizes.into_iter().zip(errors).map(at).collect()
    }
}

impl Simulated for Bayes {
    fn vector(&self) -> Option<&SharedVector> {
        self.sums.vector()
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        self.each_class(|class| {
            let cell = self.sums.cell(measured, class);
            let counted = |value: f64| (cell.count > 0.0).then_some(value);
            let means = self.features().zip(&cell.deviations).map(|(column, d)| counted(column.middle() + d));
            let variances = cell.squares.iter().zip(&cell.deviations).map(|(square, d)| counted(square - d * d));
            means.chain(variances).chain([Some(cell.count)]).collect()
        })
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let (lowest, most) = self.rows_range();
        let spread = |class: usize| {
            let cell = self.sums.cell(measured, class);
            let inside = |(column, d): (&OnGrid, &f64)| d.clamp(-0.5 * column.span(), 0.5 * column.span());
            let deviations: Vec<f64> = self.features().zip(&cell.deviations).map(inside).collect();
            let variances = cell.squares.iter().zip(&deviations).map(|(square, d)| square - d * d).collect();
            (cell.count, Spread { rows: cell.rows, deviations, variances })
        };
        let (counts, cells): (Vec<f64>, Vec<Spread>) = (0..self.sums.cells()).map(spread).unzip();
        let spans = self.features().map(OnGrid::span).enumerate();
        let variances: Vec<Vec<f64>> = spans.map(|(j, span)| self.variances(&cells, j, span)).collect();
        self.each_class(|class| {
            let means = self.features().zip(&cells[class].deviations).map(|(column, d)| column.middle() + d);
            let variances = variances.iter().map(|of_feature| of_feature[class]);
            means.chain(variances).chain([counts[class].round().clamp(lowest, most)]).collect()
        })
    }

    fn answers_at(&self, estimates: &[f64], _: &[&[i128]]) -> Vec<Vec<i128>> {
        let features = self.features().len();
        let truth = |outputs: &[f64]| Truth {
            rows: outputs[2 * features],
            deviations: self.features().zip(outputs).map(|(column, mean)| mean - column.middle()).collect(),
            variances: outputs[features..2 * features].to_vec(),
        };
        self.sums.answers_at(&estimates.chunks(self.stride()).map(truth).collect::<Vec<_>>())
    }
}
