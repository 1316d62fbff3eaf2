//! Histograms: numbers of rows in the bins of a column.

use inbounds_core::{Quantity, Rational};

use crate::{Ask, OutputRange, Setting, Single, StatisticError, count::counted, edges};

/// A histogram, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Histogram {
    /// Public edges `e_0 < ... < e_k` of the bins `[e_0, e_1), ..., [e_(k-1), e_k]`; values beyond the ends count in
    /// the first and the last bin.
    pub edges: Vec<Rational>,
}

impl Histogram {
    /// Calibrates one count a bin. The cells of the result are the bins, those of the first cell first.
    ///
    /// # Guarantee
    /// A histogram is a count grouped by bins, within cells or not, with the sensitivity of [`crate::of_sum`]: one row
    /// moves one bin by one under add-remove, two under substitution. Claim: `binned-counts`.
    ///
    /// # Errors
    /// [`StatisticError::Edges`], and what calibration refuses.
    ///
    /// # Example
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Neighbours};
    /// use inbounds_mechanisms::registry;
    /// use inbounds_statistics::{Design, Histogram, PrivacyUnit, Simulated, Statistic, Setting};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
    ///     cells: 1, grouped: false, filtered: false, mechanism: registry::default().into(),
    ///     epsilon: Epsilon::new("0.5".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let ages = Histogram { edges: vec!["0".parse()?, "18".parse()?, "65".parse()?, "120".parse()?] };
    /// let bins = ages.prepare(&setting).expect("valid");
    /// assert_eq!((bins.cells(), bins.components()[0].scale()), (3, 2.0));
    /// assert_eq!(bins.point(&[&[4, -2, 7]]), [4.0, 0.0, 7.0]);
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<Single, StatisticError> {
        let bins = edges::check(&self.edges)?.len() as u64 - 1;
        let cells = setting.cells.saturating_mul(bins);
        let design = setting.design.with(|unit| unit.in_bins(setting.cells));
        let binned = Setting { cells, design, ..setting.clone() };
        let count = counted(&binned, &OutputRange::Natural, Quantity::COUNT, 1, setting.design.rows)?;
        Ok(Single { ask: Ask { edges: Some(self.edges.clone()), ..Ask::default() }, ..count })
    }
}
