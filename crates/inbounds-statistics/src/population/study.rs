//! Bias, error and coverage at sample sizes that are not at hand.

use inbounds_core::monte_carlo;
use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

use super::{Interval, KnownVariance, Measured, interval, sampling::SamplingLaw};
use crate::{Component, StatisticError};

/// A population, by the parameters that its samples need.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Population {
    /// Ones with this probability, else zeros. One component: the mean.
    Proportion {
        /// Probability of a one.
        p: f64,
    },
    /// A column with this mean and variance, and many rows. One component: the mean.
    Mean {
        /// The mean.
        mean: f64,
        /// The variance.
        variance: f64,
        /// Bounds of the column.
        bounds: (f64, f64),
    },
    /// A normal column. One component: the variance.
    Variance {
        /// The variance.
        variance: f64,
        /// Bounds of the column, wide enough that next to nothing is clipped.
        bounds: (f64, f64),
    },
    /// Two normal columns. Three components: variance, covariance, variance.
    Covariance {
        /// Variance of either.
        variances: [f64; 2],
        /// Their correlation.
        correlation: f64,
        /// Bounds of either.
        bounds: [(f64, f64); 2],
    },
}

/// Repeated sampling of a population, with measurement and estimation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Study {
    /// The population.
    pub population: Population,
    /// Level of the intervals.
    pub level: f64,
    /// Samples drawn at each size.
    pub replicates: usize,
    /// Seed of the draws, which protect nothing.
    pub seed: u64,
}

/// Errors of the estimate of a population's parameter at a sample size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AtSize {
    /// Number of rows.
    pub rows: u64,
    /// Mean of the estimate less the parameter.
    pub bias: f64,
    /// Its Monte Carlo standard error.
    pub bias_error: f64,
    /// Root mean square of the estimate less the parameter.
    pub rmse: f64,
    /// Share of the intervals that contain the parameter.
    pub coverage: f64,
    /// Its Monte Carlo standard error.
    pub coverage_error: f64,
    /// Mean width of the intervals.
    pub width: f64,
}

impl Study {
    /// Bias, error and coverage at each size; `prepare` gives the components for a size, in the population's order.
    ///
    /// The estimate is the mechanism's, a covariance moved between the roots of the products of its variances. Where
    /// both bias and RMSE tend to zero with growing sizes, the release is consistent for the parameter.
    ///
    /// # Errors
    /// Those of `prepare` and of the intervals.
    ///
    /// # Panics
    /// If `prepare` gives another number of components than the population needs.
    ///
    /// # Example
    /// ```
    /// use inbounds_statistics::{Column, Describe, Mean, Missing, population::{Population, Study}};
    /// let column = Column::whole("insured", "0", "1", Missing::Impute(0u128.into())).expect("numbers");
    /// let prepare = |rows: u64| {
    ///     let share = Mean::new(column.clone()).among_rows(rows).epsilon("0.5")?;
    ///     Ok(share.statistic().components().into_iter().cloned().collect())
    /// };
    /// let study = Study { population: Population::Proportion { p: 0.1 }, level: 0.95, replicates: 200, seed: 1 };
    /// let at = study.at_sizes(&[50, 500], prepare).expect("valid");
    /// assert!(at[0].rmse > 3.0 * at[1].rmse && at[1].coverage > 0.9);
    /// ```
    pub fn at_sizes(
        &self,
        sizes: &[u64],
        prepare: impl Fn(u64) -> Result<Vec<Component>, StatisticError>,
    ) -> Result<Vec<AtSize>, StatisticError> {
        sizes.iter().map(|&rows| self.at_size(rows, &prepare(rows)?)).collect()
    }

    fn at_size(&self, rows: u64, components: &[Component]) -> Result<AtSize, StatisticError> {
        let truth = self.population.parameter();
        let sampler = Sampler::new(&self.population, rows);
        let mut entropy = SeededEntropy::from_seed(self.seed ^ rows);
        let mut sums = [0.0; 4];
        for _ in 0..self.replicates {
            let sample = sampler.draw(&self.population, &mut entropy);
            assert_eq!(components.len(), sample.len(), "one component a statistic of the sample");
            let measured: Vec<Measured> = components
                .iter()
                .zip(sample)
                .map(|(component, value)| {
                    let answer = libm::round(value / component.step()) as i128;
                    Measured { component, steps: component.mechanism.measure(&[answer], &mut entropy)[0] }
                })
                .collect();
            let error = self.population.estimate(&measured) - truth;
            let interval = self.population.interval(&measured, rows, self.level)?;
            let covered = f64::from(u8::from(interval.contains(truth)));
            let terms = [error, error * error, covered, interval.upper - interval.lower];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let count = self.replicates as f64;
        let (bias, bias_error) = monte_carlo::mean_and_error(sums[0], sums[1], count);
        // A covered interval counts 1, and 1 is its own square.
        let (coverage, coverage_error) = monte_carlo::mean_and_error(sums[2], sums[2], count);
        Ok(AtSize {
            rows,
            bias,
            bias_error,
            rmse: (sums[1] / count).sqrt(),
            coverage,
            coverage_error,
            width: sums[3] / count,
        })
    }
}

impl Population {
    /// The parameter that is estimated.
    pub fn parameter(&self) -> f64 {
        match *self {
            Self::Proportion { p } => p,
            Self::Mean { mean, .. } => mean,
            Self::Variance { variance, .. } => variance,
            Self::Covariance { variances: [v, w], correlation, .. } => correlation * (v * w).sqrt(),
        }
    }

    fn estimate(&self, measured: &[Measured]) -> f64 {
        let value = |measured: &Measured| {
            let steps = measured.component.mechanism.estimate(measured.steps);
            measured.component.value(steps.whole) + steps.fraction * measured.component.step()
        };
        match measured {
            [variance, covariance, other] => {
                let largest = (value(variance) * value(other)).max(0.0).sqrt();
                value(covariance).clamp(-largest, largest)
            }
            _ => value(&measured[0]),
        }
    }

    fn interval(&self, measured: &[Measured], rows: u64, level: f64) -> Result<Interval, StatisticError> {
        match *self {
            Self::Proportion { .. } => interval::proportion(&measured[0], rows, level),
            Self::Mean { bounds, .. } => interval::mean(&measured[0], rows, bounds, KnownVariance::Bounds, level),
            Self::Variance { bounds, .. } => interval::variance(&measured[0], rows, bounds, level),
            Self::Covariance { bounds, .. } => {
                interval::covariance([&measured[0], &measured[1], &measured[2]], rows, bounds, level)
            }
        }
    }
}

/// The laws that samples of a size are drawn from.
struct Sampler {
    laws: Vec<SamplingLaw>,
    rows: f64,
}

impl Sampler {
    fn new(population: &Population, rows: u64) -> Self {
        let chi_squared = |degrees: u64| SamplingLaw::chi_squared_share(degrees, 1001);
        let laws = match *population {
            Population::Proportion { p } => vec![SamplingLaw::binomial_share(rows, p)],
            Population::Mean { .. } => vec![SamplingLaw::normal()],
            Population::Variance { .. } => vec![chi_squared(rows - 1)],
            // Bartlett's decomposition.
            Population::Covariance { .. } => {
                vec![chi_squared(rows - 1), SamplingLaw::normal(), chi_squared((rows - 2).max(1))]
            }
        };
        Self { laws, rows: rows as f64 }
    }

    /// Statistics of a sample, clipped to what the bounds allow where that is simple.
    fn draw(&self, population: &Population, entropy: &mut dyn Entropy) -> Vec<f64> {
        let mut drawn = self.laws.iter().map(|law| law.draw(entropy));
        let mut next = || drawn.next().expect("a law for each draw");
        match *population {
            Population::Proportion { .. } => vec![next()],
            Population::Mean { mean, variance, bounds } => {
                vec![(mean + next() * (variance / self.rows).sqrt()).clamp(bounds.0, bounds.1)]
            }
            Population::Variance { variance, .. } => vec![variance * next()],
            Population::Covariance { variances: [v, w], correlation, .. } => {
                let degrees = self.rows - 1.0;
                let first = (degrees * next()).sqrt();
                let across = next();
                let second = ((degrees - 1.0) * next()).sqrt();
                let rest = (1.0 - correlation * correlation).max(0.0).sqrt();
                let along = correlation * first + rest * across;
                let beside = rest * second;
                let scale = |x: f64| x / degrees;
                vec![
                    v * scale(first * first),
                    (v * w).sqrt() * scale(first * along),
                    w * scale(along * along + beside * beside),
                ]
            }
        }
    }
}
