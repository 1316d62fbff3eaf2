//! Gaussian naive Bayes as a released model.

mod model;
mod scatter;

use inbounds_core::Epsilon;
use inbounds_mechanisms::{
    mechanism::{Family, Measurements},
    registry::{self, Bounds, Entry},
    sampler::Entropy,
};

pub use model::{Class, Model};

use crate::{
    Component, ExpectedError, RowsMeasured, StatisticError,
    compound::{Ask, Column, Compound, Moments, Output, Setting, Unit, expected},
    second_moments::{CellSums, NoisySums, OnGrid},
};
use scatter::Scatter;

/// The description of a classifier: its classes are the public keys, one cell each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NaiveBayes {
    /// The features, with the bounds to which rows are clipped.
    pub features: Vec<Column>,
}

/// A classifier ready to be measured: of each class a number of rows, and of each feature a mean and a variance.
///
/// # Law
/// With `d` features, `2 d + 1` parts of epsilon each go, for all classes at once, to the numbers `n` of rows, to the centred sums
/// of the features, and to their scatters `sum (x - mean)^2`. Number and sums get plain noise of the mechanism's family; the
/// mean is their ratio clamped to the bounds. The scatter has sensitivity `R^2` whatever `n` ([`crate::of_scatter`]) and the range
/// `[0, inf)`, which the *mechanism* keeps; the variance is the scatter over `max(n, 1)`, at most `R^2 / 4`. Claims:
/// `scatter-any-design`, and the rules of [`crate::of_sum`].
///
/// # Which mechanism
/// A clamped scatter is exactly zero about as often as noise beats it, and a class with a variance of zero can never be
/// chosen ([`Model::log_posteriors`]). A conditioned one is greater than zero always (its range starts one step above), and the
/// classifier stays usable at epsilons where the clamped one is not.
///
/// # Departure from the paper
/// Holohan et al. divide by the exact number of rows of a class and calibrate to it, `R / n` for means and `(n - 1) R^2 / n^2` for
/// variances. Scales then tell the private `n`, and priors are exact, which is no differential privacy under either relation:
/// a row that is replaced may change class. Here numbers, sums and scatters have fixed sensitivities.
///
/// # References
/// Holohan et al. 2020, section 6.
#[derive(Debug, Clone)]
pub struct Bayes {
    sums: NoisySums,
    scatters: Vec<Scatter>,
    most_rows: Option<u64>,
    epsilon: Epsilon,
}

/// What a class may hold at most, so that its scatter is exact: sums stay below `2^116`.
const MOST_ROWS: u64 = 1 << 33;

const KIND: &str = "naive Bayes classifier";

impl NaiveBayes {
    /// Chooses grids, sensitivities, ranges and scales.
    ///
    /// # Errors
    /// [`StatisticError::TooFewClasses`], [`StatisticError::NoFeatures`], [`StatisticError::RepeatedColumn`], and those of a
    /// variance. None depends on data.
    ///
    /// # Example
    /// Nine components share epsilon for four features: numbers of rows, four sums, four scatters.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{
    ///     ColumnBounds, Design, Missing, PrivacyUnit, bayes::NaiveBayes, compound::{Column, Compound, Setting},
    /// };
    /// let bounds = ColumnBounds { lower: "0".parse()?, upper: "1".parse()?, integer: false, missing: Missing::Drop };
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
    ///     cells: 3, grouped: true, filtered: false, mechanism: registry::find("conditioned").expect("registered"),
    ///     epsilon: Epsilon::new("9".parse()?)?, delta: Delta::ZERO,
    /// };
    /// let features = ["a", "b", "c", "d"].map(|name| Column { name: name.into(), bounds: bounds.clone() });
    /// let bayes = NaiveBayes { features: features.into() }.prepare(&setting).expect("valid");
    /// assert_eq!(bayes.components().len(), 9);
    /// assert_eq!(bayes.components()[0].scale(), 1.0);
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
        let columns = self.features.iter().map(|column| OnGrid::new(KIND, column, Some(MOST_ROWS)));
        let columns: Vec<OnGrid> = columns.collect::<Result<_, _>>()?;
        let parts = 2 * columns.len() as u128 + 1;
        let scatter = |column: &OnGrid| Scatter::prepare(setting, column, parts);
        let scatters = columns.iter().map(scatter).collect::<Result<_, _>>()?;
        let plain = Setting { mechanism: plain(setting.mechanism), ..setting.clone() };
        let sums = NoisySums::prepare(KIND, &plain, columns, vec![], parts)?;
        Ok(Bayes { sums, scatters, most_rows: setting.design.rows, epsilon: setting.epsilon.clone() })
    }
}

/// The clamped mechanism of the same noise; without a range it is that noise and nothing else.
fn plain(mechanism: &Entry) -> &'static Entry {
    let same = |entry: &&Entry| entry.noise == mechanism.noise && entry.bounding == Bounds::After(Family::Clamped);
    registry::MECHANISMS.iter().find(same).expect("every noise has its clamped mechanism")
}

impl Bayes {
    /// Outputs of a class: means, variances, rows.
    fn stride(&self) -> usize {
        2 * self.features().len() + 1
    }

    fn features(&self) -> &[OnGrid] {
        &self.sums.columns
    }

    fn each_class<T>(&self, outputs: impl Fn(usize) -> Vec<T>) -> Vec<T> {
        (0..self.sums.cells).flat_map(outputs).collect()
    }

    fn rows_range(&self) -> (f64, f64) {
        (0.0, self.most_rows.map_or(f64::INFINITY, |rows| rows as f64))
    }

    /// The model that estimates describe, for the names of the classes in the order of the keys.
    ///
    /// # Panics
    /// If there is not one name a class, or not the estimates of [`Compound::point`].
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
            features: self.features().iter().map(|column| column.name.clone()).collect(),
            classes: classes.iter().zip(estimates.chunks(self.stride())).map(class).collect(),
        }
    }
}

impl Compound for Bayes {
    fn ask(&self) -> Ask {
        let features = self.features();
        let clips = features.iter().map(|column| column.clip).collect();
        Ask { clips, products: (0..features.len()).map(|j| (j, j)).collect(), edges: None }
    }

    fn components(&self) -> Vec<&Component> {
        self.sums.components().into_iter().chain(self.scatters.iter().map(|scatter| &scatter.component)).collect()
    }

    fn rows_measured(&self) -> Option<RowsMeasured> {
        Some(RowsMeasured::COUNTS)
    }

    fn outputs(&self) -> Vec<Output> {
        let named = |what: &str, power: usize| {
            let output = |(j, column): (usize, &OnGrid)| Output {
                name: format!("{what} of {}", column.name),
                unit: Unit::Columns(vec![j; power]),
            };
            self.features().iter().enumerate().map(output).collect::<Vec<_>>()
        };
        let rows = Output { name: "rows".to_owned(), unit: Unit::Rows };
        named("mean", 1).into_iter().chain(named("variance", 2)).chain([rows]).collect()
    }

    fn cells(&self) -> usize {
        self.sums.cells
    }

    fn measure(&self, moments: Moments, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        let scatters: Vec<_> = (0..self.scatters.len()).map(|j| self.scatters[j].answer(&moments, j)).collect();
        let mut measured = self.sums.measure(moments, entropy);
        let take =
            |(scatter, answer): (&Scatter, _)| Measurements::take(scatter.component.mechanism.clone(), answer, entropy);
        measured.extend(self.scatters.iter().zip(scatters).map(take));
        measured
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        self.each_class(|class| {
            let cell = self.sums.cell(measured, class);
            let counted = |value: f64| cell.counted.then_some(value);
            let mean = |(j, column): (usize, &OnGrid)| {
                counted(column.middle() + self.sums.sums[j].value(measured[1 + j][class]) / cell.rows)
            };
            let variance = |(scatter, measured): (&Scatter, &&[i128])| {
                counted(scatter.component.value(measured[class]) / cell.rows)
            };
            let means = self.features().iter().enumerate().map(mean);
            let variances = self.scatters.iter().zip(&measured[1 + self.features().len()..]).map(variance);
            means.chain(variances).chain([Some(measured[0][class] as f64)]).collect()
        })
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let (lowest, most) = self.rows_range();
        self.each_class(|class| {
            let cell = self.sums.cell(measured, class);
            let means =
                self.features().iter().zip(&cell.deviations).map(|(column, deviation)| column.middle() + deviation);
            let scatters = self.scatters.iter().zip(&measured[1 + self.features().len()..]);
            let variances = scatters.zip(self.features()).map(|((scatter, measured), column)| {
                (scatter.estimate(measured[class]) / cell.rows).min(column.span().powi(2) / 4.0)
            });
            means.chain(variances).chain([(measured[0][class] as f64).clamp(lowest, most)]).collect()
        })
    }

    fn answers_at(&self, estimates: &[f64], _: &[&[i128]]) -> Vec<Vec<i128>> {
        let features = self.features().len();
        let sums = |outputs: &[f64]| CellSums {
            rows: outputs[2 * features],
            counted: true,
            deviations: self.features().iter().zip(outputs).map(|(column, mean)| mean - column.middle()).collect(),
            products: vec![],
        };
        let classes: Vec<&[f64]> = estimates.chunks(self.stride()).collect();
        let mut answers = self.sums.answers_at(&classes.iter().map(|outputs| sums(outputs)).collect::<Vec<_>>());
        answers.extend(self.scatters.iter().enumerate().map(|(j, scatter)| {
            let scatter_of = |outputs: &&[f64]| scatter.steps_of(outputs[features + j] * outputs[2 * features]);
            classes.iter().map(scatter_of).collect()
        }));
        answers
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let means = self.features().iter().map(OnGrid::range);
        let variances = self.features().iter().map(|column| (0.0, column.span().powi(2) / 4.0));
        means.chain(variances).chain([self.rows_range()]).collect()
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Errors of the first feature's variance, relative to that of evenly spread values, in classes of two sizes.
    fn expected_errors(&self) -> Vec<ExpectedError> {
        let even = |column: &OnGrid| column.span().powi(2) / 12.0;
        let at = |rows: f64| {
            let rows = rows.min(self.rows_range().1);
            let middles = self.features().iter().map(OnGrid::middle);
            let truth: Vec<f64> = middles.chain(self.features().iter().map(even)).chain([rows]).collect();
            let (bias, rmse) = expected(self, &truth)[self.features().len()];
            let name = &self.features()[0].name;
            ExpectedError { case: format!("variance of {name}, evenly spread, class of {rows} rows"), bias, rmse }
        };
        [100.0, 10_000.0].map(at).into()
    }
}
