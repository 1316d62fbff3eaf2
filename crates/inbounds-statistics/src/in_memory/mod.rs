//! Statistics in a few lines, over exact counts or rows that are in memory.
//!
//! A description says what is asked ([`Count`], [`Mean`], ...). [`Describe::per_row`] and its kin say whom the
//! guarantee protects; [`Protected::epsilon`] calibrates; [`Publisher`] takes what is private and publishes. Nothing
//! here bounds how many rows a unit has: under [`Describe::per_unit`] the caller keeps at most this many of each.

mod bare;
mod published;
mod records;

use std::{marker::PhantomData, sync::Arc};

use inbounds_core::{Answer, Delta, Epsilon, Neighbours, Tally};
use inbounds_mechanisms::{
    registry::{self, Chosen},
    sampler::Entropy,
};

pub use bare::{BareMechanism, BareNoise, laplace};
pub use published::Published;
pub use records::Records;

use crate::{
    Contribution, Count, Design, DistinctUnits, Estimate, ExpectedError, Histogram, LinearCombination, Mean, Output,
    PrivacyUnit, Scenario, Setting, Share, StandardDeviation, Statistic, StatisticError, Sum, Variance,
    bayes::NaiveBayes,
    covariance::Matrix,
    proportion::ProportionVector,
    quantile::{ChosenQuantiles, Quantiles},
};

/// The description of a statistic.
pub trait Describe: Sized {
    /// Calibrates it in a setting.
    ///
    /// # Errors
    /// [`StatisticError`]; none depends on data.
    fn calibrate(&self, setting: &Setting) -> Result<Arc<dyn Statistic>, StatisticError>;

    /// Protects each row.
    fn per_row(self, neighbours: Neighbours) -> Protected<Self> {
        Protected::new(self, Design { neighbours, unit: PrivacyUnit::Row, rows: None })
    }

    /// Protects all rows of a unit, of which the caller keeps at most `most_rows`.
    fn per_unit(self, neighbours: Neighbours, most_rows: u64) -> Protected<Self> {
        self.per_unit_within(neighbours, Contribution::of_rows(most_rows))
    }

    /// Protects all rows of a unit, of which the caller keeps no more than this.
    fn per_unit_within(self, neighbours: Neighbours, contribution: Contribution) -> Protected<Self> {
        Protected::new(self, Design { neighbours, unit: PrivacyUnit::Column(contribution), rows: None })
    }

    /// Protects each of a public number of rows: neighbours have one row replaced.
    fn among_rows(self, rows: u64) -> Protected<Self> {
        Protected::new(self, Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(rows) })
    }
}

macro_rules! describe {
    ($($description:ty,)*) => {
        $(impl Describe for $description {
            fn calibrate(&self, setting: &Setting) -> Result<Arc<dyn Statistic>, StatisticError> {
                Ok(self.prepare(setting)?.into_statistic())
            }
        })*
    };
}

describe! {
    Count, DistinctUnits, Share, Sum, Mean, Variance, StandardDeviation, Histogram, LinearCombination, Matrix, ProportionVector, Quantiles,
    ChosenQuantiles, NaiveBayes,
}

/// Preparation of a description, behind one pointer.
trait IntoStatistic {
    fn into_statistic(self) -> Arc<dyn Statistic>;
}

impl<S: Statistic + 'static> IntoStatistic for S {
    fn into_statistic(self) -> Arc<dyn Statistic> {
        Arc::new(self)
    }
}

impl IntoStatistic for Arc<dyn Statistic> {
    fn into_statistic(self) -> Self {
        self
    }
}

impl IntoStatistic for Arc<dyn crate::Simulated> {
    fn into_statistic(self) -> Arc<dyn Statistic> {
        self
    }
}

impl Count {
    /// The number of rows, each of which is protected.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Neighbours;
    /// use inbounds_mechanisms::sampler::SeededEntropy;
    /// use inbounds_statistics::Count;
    /// let count = Count::per_row(Neighbours::AddRemove).epsilon("0.5")?;
    /// let published = count.release(3, &mut SeededEntropy::from_seed(1));
    /// assert!(published.interval.contains(published.value) && published.value >= 0.0);
    /// # Ok::<(), inbounds_statistics::StatisticError>(())
    /// ```
    pub fn per_row(neighbours: Neighbours) -> Protected<Self> {
        Describe::per_row(Self::default(), neighbours)
    }

    /// The number of rows, where all rows of a unit are protected, of which the caller keeps at most `most_rows`.
    pub fn per_unit(neighbours: Neighbours, most_rows: u64) -> Protected<Self> {
        Describe::per_unit(Self::default(), neighbours, most_rows)
    }
}

impl DistinctUnits {
    /// The number of units, each with rows in at most `most_groups` of the groups, of which the caller keeps at most so
    /// many.
    ///
    /// # Example
    /// Persons in each of three districts, where a person is counted once in at most two districts:
    /// ```
    /// use inbounds_core::Neighbours;
    /// use inbounds_mechanisms::sampler::SeededEntropy;
    /// use inbounds_statistics::DistinctUnits;
    /// let persons = DistinctUnits::per_unit(Neighbours::AddRemove, 2).groups(3).epsilon("0.5")?;
    /// let published = persons.release_all(vec![40, 3, 12], &mut SeededEntropy::from_seed(1));
    /// assert!(published.iter().all(|district| district.value >= 0.0));
    /// # Ok::<(), inbounds_statistics::StatisticError>(())
    /// ```
    pub fn per_unit(neighbours: Neighbours, most_groups: u64) -> Protected<Self> {
        Describe::per_unit(Self::default(), neighbours, most_groups)
    }
}

/// A description with whom it protects.
#[derive(Debug, Clone)]
pub struct Protected<D> {
    description: D,
    design: Design,
    groups: Option<u64>,
    filtered: bool,
    mechanism: Chosen,
    delta: Delta,
}

impl<D: Describe> Protected<D> {
    fn new(description: D, design: Design) -> Self {
        let mechanism = registry::default().into();
        Self { description, design, groups: None, filtered: false, mechanism, delta: Delta::ZERO }
    }

    /// One number for each of a number of public groups; a row is in one of them, or in none.
    pub fn groups(self, groups: u64) -> Self {
        Self { groups: Some(groups), ..self }
    }

    /// Only rows that meet a condition count, so that their number is private.
    pub fn filtered(self) -> Self {
        Self { filtered: true, ..self }
    }

    /// Another mechanism than the clamped one, or a [`TabulatedRule`](inbounds_mechanisms::bounding::TabulatedRule).
    pub fn mechanism(self, mechanism: impl Into<Chosen>) -> Self {
        Self { mechanism: mechanism.into(), ..self }
    }

    /// The delta that noise spends: Gaussian noise all of it, other noise where that spares a hundredth of the error or
    /// more.
    pub fn delta(self, delta: Delta) -> Self {
        Self { delta, ..self }
    }

    /// Calibrates. Epsilon is text, such as "0.5" or "1/3", because it is exact.
    ///
    /// # Errors
    /// [`StatisticError`]; none depends on data.
    pub fn epsilon(self, epsilon: &str) -> Result<Publisher<D>, StatisticError> {
        let setting = Setting {
            design: self.design,
            cells: self.groups.unwrap_or(1),
            grouped: self.groups.is_some(),
            filtered: self.filtered,
            mechanism: self.mechanism,
            epsilon: Epsilon::new(epsilon.parse()?)?,
            delta: self.delta,
            rho_rate: None,
            together: None,
        };
        let statistic = self.description.calibrate(&setting)?;
        Ok(Publisher { statistic, groups: setting.cell_count(), level: 0.95, describes: PhantomData })
    }
}

/// A statistic that takes what is private and publishes, as often as there is data. Each release spends its epsilon.
#[derive(Debug, Clone)]
pub struct Publisher<D> {
    statistic: Arc<dyn Statistic>,
    groups: usize,
    level: f64,
    describes: PhantomData<D>,
}

impl<D> Publisher<D> {
    /// Intervals of another level than 0.95.
    pub fn level(self, level: f64) -> Self {
        Self { level, ..self }
    }

    /// The statistic, for all that is not said here.
    pub fn statistic(&self) -> &dyn Statistic {
        &*self.statistic
    }

    /// Errors to expect for a few assumed truths, and the largest of all where it is searched for, before anything is
    /// measured.
    pub fn expected_errors(&self) -> Vec<ExpectedError> {
        let scenario = Scenario { level: Some(self.level), ..Scenario::default() };
        [self.statistic.expected_errors(&scenario), self.statistic.worst_cases(&scenario)].concat()
    }

    /// Publishes rows: the outputs of the first group, then those of the next.
    ///
    /// # Panics
    /// If a row has another number of values than the statistic has columns, or a group is beyond those that were
    /// declared.
    pub fn release_rows(&self, rows: &Records, entropy: &mut dyn Entropy) -> Vec<Published> {
        self.publish(rows.tally(&self.statistic.ask(), self.groups), entropy)
    }

    /// Publishes exact answers to [`Statistic::ask`].
    pub fn publish(&self, tally: Tally, entropy: &mut dyn Entropy) -> Vec<Published> {
        let measured = self.statistic.measure(tally, entropy);
        let mut estimates = self.statistic.estimate(&measured, self.level, entropy.word());
        Estimate::move_all_inside(&mut estimates, &self.statistic.ranges());
        let outputs = self.statistic.outputs();
        let published =
            |(estimate, output): (&Estimate, &Output)| Published::new(output.quantity.clone(), estimate, self.level);
        estimates.iter().zip(outputs.iter().cycle()).map(published).collect()
    }
}

/// Descriptions that read numbers of rows and no value.
pub trait Counting {}

impl Counting for Count {}
impl Counting for DistinctUnits {}
impl Counting for Share {}
impl Counting for ProportionVector {}

impl<D: Counting> Publisher<D> {
    /// Publishes one number from an exact count, which is moved in.
    ///
    /// # Panics
    /// If there are several groups.
    pub fn release(&self, count: u64, entropy: &mut dyn Entropy) -> Published {
        assert_eq!(self.groups, 1, "several groups have a count each: see release_all");
        self.release_all(vec![count], entropy).remove(0)
    }

    /// Publishes exact counts, one a group, which are moved in.
    ///
    /// # Panics
    /// If there is not one count a group.
    pub fn release_all(&self, counts: Vec<u64>, entropy: &mut dyn Entropy) -> Vec<Published> {
        assert_eq!(self.groups, counts.len(), "one count a group");
        let counts = Answer::new(counts.into_iter().map(i128::from).collect());
        self.publish(Tally { counts, sums: Vec::new(), products: Vec::new() }, entropy)
    }
}
