//! The largest errors of two shares over their intervals.
//!
//! # Law
//! Of a group of two categories the share `p` of the first and the number `n` of rows decide the law of both shares.
//! Rules that keep shares in range lean to equal shares, most where `p` is 0 or 1 and `n` is small beside the noise,
//! and a simulation at the estimate, which is in between, shows a part of that only. So noise is drawn around shares
//! all over the intervals, and the smallest number of rows that the noisy one leaves likely.
//!
//! Of more categories the others decide too, and of a public number of rows the noise does: neither has these errors.

use inbounds_mechanisms::{law::Noise, mechanism::Measurements};

use super::Proportions;
use crate::{
    Case, Component, Estimate, Simulation, errors_in,
    means::{fewest_rows, larger},
};

/// Parts of an interval at whose ends noise is drawn.
const PARTS: u32 = 4;

impl Proportions {
    /// Adds the largest errors over the intervals, where all groups have two categories and a private number of rows.
    pub(super) fn with_errors_over_intervals(
        &self,
        estimates: Vec<Estimate>,
        measured: &[Measurements],
        simulation: &Simulation,
    ) -> Vec<Estimate> {
        let pairs: Option<Vec<[usize; 2]>> = self.groups.iter().map(|group| group.as_slice().try_into().ok()).collect();
        let Some(pairs) = pairs.filter(|_| self.rows.is_none()) else { return estimates };
        let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
        let roots = self.sums(&steps).roots;
        let fewest = |root: &i128| fewest_rows(*root as f64 / self.factor(), self.deviation_of_rows()).round();
        let fewest: Vec<f64> = roots.iter().map(fewest).collect();
        let cases: Vec<Case> = (0..=PARTS)
            .map(|part| {
                let part = f64::from(part) / f64::from(PARTS);
                let mut counts = vec![0; self.categories];
                let mut truth = vec![0.0; self.categories];
                for ([first, second], rows) in pairs.iter().zip(&fewest) {
                    // What either interval allows.
                    let (one, other) = (&estimates[*first], &estimates[*second]);
                    let (lower, upper) = (one.lower.min(1.0 - other.upper), one.upper.max(1.0 - other.lower));
                    let of_first = (rows * (lower + part * (upper - lower))).round().clamp(0.0, *rows);
                    for (k, count) in [(*first, of_first), (*second, rows - of_first)] {
                        (counts[k], truth[k]) = (count as i128, count / rows);
                    }
                }
                Case { answers: self.counts(&counts), truth }
            })
            .collect();
        let drawn = errors_in(self, &cases, simulation);
        let over = |k: usize| drawn.iter().map(|of_case| of_case[k]).fold((0.0, 0.0), larger);
        estimates.into_iter().enumerate().map(|(k, one)| one.with_errors_over_interval(over(k))).collect()
    }

    /// Standard deviation of the noise of the number of rows of a group of two categories, on average over the
    /// releases.
    fn deviation_of_rows(&self) -> f64 {
        let variance = |component: &Component| component.mechanism.noise().variance();
        let of_one = match self.measured_root() {
            Some(root) => variance(&self.components[root]),
            None => 2.0 * variance(&self.components[0]),
        };
        (of_one / self.factor()).sqrt()
    }
}
