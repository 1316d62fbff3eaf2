//! Histograms: numbers of rows in the bins of a column.

use inbounds_core::{Epsilon, Grid, Rational, StepRange};
use inbounds_mechanisms::{
    mechanism::{Measurements, StepValue},
    sampler::{Entropy, SeededEntropy},
};

use crate::{
    Component, Direct, Estimate, ExpectedError, StatisticError,
    compound::{Ask, Compound, Moments, Output, Setting, Unit},
    edges, of_sum,
};

/// A histogram, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// Public edges `e_0 < ... < e_k` of the bins `[e_0, e_1), ..., [e_(k-1), e_k]`; values beyond the ends count in the
    /// first and the last bin.
    pub edges: Vec<Rational>,
}

impl Histogram {
    /// Calibrates one count a bin.
    ///
    /// # Guarantee
    /// A histogram is a count grouped by bins, within cells or not, with the sensitivity of [`of_sum`]: one row moves one bin by
    /// one under add-remove, two under substitution. Claim: `histogram`.
    ///
    /// # Errors
    /// [`StatisticError::Edges`], and what calibration refuses.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Design, Histogram, PrivacyUnit, compound::{Compound, Setting}};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO,
    /// };
    /// let ages = Histogram { edges: vec!["0".parse()?, "18".parse()?, "65".parse()?, "120".parse()?] };
    /// let bins = ages.prepare(&setting).expect("valid");
    /// assert_eq!((bins.cells(), bins.components()[0].scale()), (3, 2.0));
    /// assert_eq!(bins.point(&[&[4, -2, 7]]), [4.0, 0.0, 7.0]);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Bins, StatisticError> {
        let bins = edges::check(&self.edges)?.len() as u64 - 1;
        let cells = setting.cells.saturating_mul(bins);
        let sensitivity = of_sum(&setting.design, (1, 1), cells, false);
        let range = StepRange::new(Some(0), setting.design.rows.map(i128::from))?;
        if let Some(width) = range.width().filter(|width| *width < sensitivity.linf) {
            return Err(StatisticError::SensitivityWiderThanRange {
                width: width as f64,
                sensitivity: sensitivity.linf as f64,
            });
        }
        let unit = (Grid::INTEGERS, 1);
        let component = setting.component(("count".into(), &Rational::ONE), unit, &sensitivity, range)?;
        Ok(Bins {
            edges: self.edges.clone(),
            cells: usize::try_from(cells).unwrap_or(usize::MAX),
            direct: Direct { component },
            epsilon: setting.epsilon.clone(),
        })
    }
}

/// A histogram ready to be measured. Its cells are the bins, those of the first cell first.
#[derive(Debug, Clone)]
pub struct Bins {
    edges: Vec<Rational>,
    cells: usize,
    direct: Direct,
    epsilon: Epsilon,
}

impl Compound for Bins {
    fn ask(&self) -> Ask {
        Ask { edges: Some(self.edges.clone()), ..Ask::default() }
    }

    fn components(&self) -> Vec<&Component> {
        vec![&self.direct.component]
    }

    fn outputs(&self) -> Vec<Output> {
        vec![Output { name: String::new(), unit: Unit::Rows }]
    }

    fn cells(&self) -> usize {
        self.cells
    }

    fn measure(&self, moments: Moments, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        vec![Measurements::take(self.direct.component.mechanism.clone(), moments.counts, entropy)]
    }

    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        measured[0].iter().map(|count| Some(*count as f64)).collect()
    }

    /// The mechanism's estimates, which some mechanisms place between whole numbers.
    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let value = |StepValue { whole, fraction }| whole as f64 + fraction;
        measured[0].iter().map(|count| value(self.direct.component.mechanism.estimate(*count))).collect()
    }

    fn answers_at(&self, estimates: &[f64], _measured: &[&[i128]]) -> Vec<Vec<i128>> {
        vec![estimates.iter().map(|count| count.round() as i128).collect()]
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let range = self.direct.component.mechanism.range();
        vec![(0.0, range.upper().map_or(f64::INFINITY, |upper| upper as f64))]
    }

    /// The mechanism's own formulas for every bin. Estimates between whole numbers are rounded at random, by the seed.
    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        self.direct.estimate(&measured[0], level, &mut SeededEntropy::from_seed(seed))
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn expected_errors(&self) -> Vec<ExpectedError> {
        self.direct.expected_errors()
    }

    fn worst_bias(&self) -> Option<f64> {
        Some(self.direct.worst_bias())
    }

    fn bias_formula(&self) -> &'static str {
        self.direct.component.mechanism.bias_formula()
    }

    fn interval_method(&self) -> &'static str {
        self.direct.component.mechanism.interval_method()
    }
}
