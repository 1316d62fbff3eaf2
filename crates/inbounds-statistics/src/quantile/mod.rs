//! Quantiles from noisy counts of bins.
//!
//! # What is estimated
//! The quantile of the *rows*: the smallest value `v` with at least `p n` of the `n` rows at or below it, where values
//! beyond the outer edges count as these. It is a value of some row, never one between two rows.
//!
//! # Estimate
//! With edges `e_0 < ... < e_k`, counts of the bins are measured, and where it pays also counts of runs of bins (see
//! [`Layers`]). The least-squares estimates `s_1, ..., s_k` of the numbers of rows below the edges, given the public
//! number `n` of rows where there is one, are made monotone within `[0, n]` by the exact projection, with the
//! reciprocals of their variances as weights. Dividing by the last gives a distribution function, and its inverse the
//! quantiles. All come from one such function, so estimates increase with the probability and stay in `[e_0, e_k]`.
//! Bins of whole numbers have estimates that are whole numbers in them; with one value a bin (see
//! [`Quantiles::unit_bins`]) nothing is left to guess.
//!
//! # Error
//! Counts of bins say in which bin the quantile of the rows lies, not where: all rows of a bin may have one value.
//! Noise is drawn again around the estimated counts; with `m` the mean and `v` the variance of the new estimates, and
//! `t` the place of the quantile in its bin `[a, b]`,
//!
//! ```text
//! bias = m - t,        mean square error = v + (m - t)^2,
//! ```
//!
//! which are largest at `t = a` or `t = b`. These are what is stated: they hold for rows that are heaped at one value
//! of a bin as for others, and a bin of one value adds nothing. Where the estimated counts are all 0, `[a, b]` is the
//! whole range.
//!
//! # Interval
//! The row quantile lies in bin `j` exactly if `C_(j-1) < p n <= C_j` for the true numbers `C` below the edges. The
//! pivot
//!
//! ```text
//! d_j = s_j - p n    where n is public,        d_j = s_j - p s_k    where it is not
//! ```
//!
//! is `C_j - p n` plus a linear map of the noise: a law without unknowns. Drawn `R` times independently, its
//! `ceil((1 + level)/2 (R + 1))`-th smallest value `t_j` is passed by the actual noise with probability at most
//! `(1 - level)/2`, by exchangeability and exactly, for any law. The interval begins with the first bin whose
//! `d_j >= -t_j` and ends with the last whose `d_(j-1) <= t_(j-1)`: the true bin is left out on one side only if its
//! own pivot errs there by more than `t`, so both sides together miss with probability at most `1 - level`, without any
//! allowance for the number of bins. It reaches from the smallest value of the first to the largest of the last. Claim:
//! `quantile-interval`.

mod chosen;
mod distribution;
mod inversion;
mod layers;
mod open;
mod prepared;

use inbounds_core::{Grid, Quantity, Rational, StepRange};
use inbounds_mechanisms::registry::{self, Entry};

pub use chosen::{ChosenQuantiles, PreparedChoice, Runs};
pub use distribution::{Values, monotone, quantile};
pub use layers::Layers;
pub use prepared::PreparedQuantiles;

use crate::{RawRule, Setting, StatisticError, edges, of_sum, proportion::Total};

/// Bins beyond which finer ones only cost: draws of the noise of all of them are held in memory.
pub const MOST_COUNTED_BINS: usize = 4096;

/// Quantiles of a column, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quantiles {
    /// Public edges `e_0 < ... < e_k`; values beyond the ends count in the first and the last bin.
    pub edges: Vec<Rational>,
    /// Probabilities, each above 0 and below 1.
    pub probabilities: Vec<Rational>,
    /// Total of the counts of a cell: public or measured.
    pub total: Total,
    /// Which values the column has.
    pub values: Values,
}

impl Quantiles {
    /// Edges of one bin for each whole number from `lower` to `upper`. The last edge lies half a unit above the last of
    /// them: a last bin is closed, and must not hold the whole number that follows, which is no value of the column.
    ///
    /// # Errors
    /// [`StatisticError::Edges`] without a whole number between the bounds, [`StatisticError::TooManyBins`] for more
    /// than can be measured.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::Rational;
    /// use inbounds_statistics::quantile::Quantiles;
    /// let edges = Quantiles::unit_bins(&"0.5".parse()?, &"3".parse()?).expect("valid");
    /// assert_eq!(edges.iter().map(Rational::to_f64).collect::<Vec<_>>(), [1.0, 2.0, 3.0, 3.5]);
    /// assert!(Quantiles::unit_bins(&"0".parse()?, &"99999".parse()?).is_err());
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn unit_bins(lower: &Rational, upper: &Rational) -> Result<Vec<Rational>, StatisticError> {
        let (first, last) = (Grid::INTEGERS.ceil(lower), Grid::INTEGERS.floor(upper));
        let (Some(first), Some(last)) = (first, last) else {
            return Err(StatisticError::TooManyBins { kind: "quantile", most: MOST_COUNTED_BINS, found: usize::MAX });
        };
        if first > last {
            return Err(StatisticError::Edges { found: format!("no whole number from {lower} to {upper}") });
        }
        let values = usize::try_from(last - first + 1).unwrap_or(usize::MAX);
        if values > MOST_COUNTED_BINS {
            return Err(StatisticError::TooManyBins { kind: "quantile", most: MOST_COUNTED_BINS, found: values });
        }
        let end = &Rational::from(last) + &Rational::ratio(1, 2);
        Ok((first..=last).map(Rational::from).chain([end]).collect())
    }

    /// Calibrates the counts of bins, and of runs of them.
    ///
    /// # Guarantee
    /// Each layer of counts is a histogram, and epsilon is split evenly over them; the quantiles are post-processing.
    /// Claim: `binned-counts`.
    ///
    /// # Errors
    /// [`StatisticError`]: edges or probabilities that are not admissible, no public number of rows where it is said to
    /// be, a mechanism whose bounding would go unused, or no calibration.
    ///
    /// # Example
    /// The median and the upper quartile of 100 rows.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Design, PrivacyUnit, Simulated, Statistic, Setting, proportion::Total};
    /// use inbounds_statistics::quantile::{Quantiles, Values};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(100) },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let ages = Quantiles {
    ///     edges: vec!["0".parse()?, "20".parse()?, "40".parse()?, "100".parse()?],
    ///     probabilities: vec!["0.5".parse()?, "0.75".parse()?],
    ///     total: Total::Public, values: Values::Real,
    /// };
    /// let ages = ages.prepare(&setting).expect("valid");
    /// assert_eq!(ages.point(&[&[25, 50, 25]]), [30.0, 40.0]);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<PreparedQuantiles, StatisticError> {
        let edges = edges::check(&self.edges)?;
        if edges.len() - 1 > MOST_COUNTED_BINS {
            return Err(StatisticError::TooManyBins {
                kind: "quantile",
                most: MOST_COUNTED_BINS,
                found: edges.len() - 1,
            });
        }
        let bins = self.values.in_bins(&edges)?;
        if self.probabilities.is_empty() {
            return Err(StatisticError::AtLeast { name: "number of probabilities", least: 1, found: 0 });
        }
        let inside = |p: &Rational| p.is_positive() && *p < Rational::ONE;
        if let Some(p) = self.probabilities.iter().find(|p| !inside(p)) {
            return Err(StatisticError::Probability { found: p.to_f64() });
        }
        if !setting.mechanism.entry().is_clamped() {
            return Err(StatisticError::RuleMechanism {
                rule: RawRule::Quantile,
                mechanism: setting.mechanism.entry().plan_name,
                accepted: registry::names(Entry::is_clamped, "", "or"),
            });
        }
        let quantity = "a quantile of a public number of rows, which neither filter nor keys may divide,";
        let rows = match self.total {
            Total::Public => Some(setting.rows().ok_or(StatisticError::NoRows { quantity })?),
            Total::Measured => None,
        };
        if rows == Some(0) {
            return Err(StatisticError::FewRows { quantity: "a quantile", least: 1, found: 0 });
        }
        let layers = Layers::choose(edges.len() - 1, rows.is_some());
        let share = Rational::ratio(1, layers.sizes().len() as u128);
        let measured = |(layer, nodes): (usize, &usize)| {
            let cells = setting.cells.saturating_mul(*nodes as u64);
            let design = setting.design.with(|unit| unit.in_bins(setting.cells));
            let sensitivity = of_sum(&design, (1, 1), cells, false);
            let role = Quantity::Count { layer: Some(layer), release: None };
            setting.component((role, &share), (Grid::INTEGERS, 1), &sensitivity, StepRange::UNBOUNDED)
        };
        let components = layers.sizes().iter().enumerate().map(measured).collect::<Result<_, _>>()?;
        Ok(PreparedQuantiles {
            description: self.clone(),
            edges,
            bins,
            probabilities: self.probabilities.iter().map(Rational::to_f64).collect(),
            rows,
            cells: usize::try_from(setting.cells).unwrap_or(usize::MAX),
            layers,
            components,
            epsilon: setting.epsilon.clone(),
        })
    }
}
