//! A proportion vector ready to be measured.

use std::ops::Range;

use inbounds_core::{Answer, Epsilon, Quantity, Tally, sums_of_spans};
use inbounds_mechanisms::mechanism::{Measurements, StepValue};

use super::{
    Combined, ProportionVector, ShareRule, all_but_one, combine, condition, onto_simplex, population::Law, rescale,
    universal_histogram,
};
use crate::{
    Ask, Case, Component, ErrorDependence, Estimate, ExpectedError, Output, RowsMeasured, Simulated, Simulation,
    Statistic, StatisticError, Supposed, Unit, WorstError, expect,
    population::{Interval, NoInterval},
    simulate,
};

/// Draws for an error that a plan may be held to.
const WORST_REPLICATES: usize = 1600;

/// Shares of categories, measured as counts.
///
/// One output a cell, and the cells are the categories.
#[derive(Debug, Clone)]
pub struct Proportions {
    pub(super) description: ProportionVector,
    pub(super) categories: usize,
    /// The public number of rows, where there is one.
    pub(super) rows: Option<u64>,
    /// Measured layers a release.
    pub(super) layers: usize,
    /// Release by release, from the categories up.
    pub(super) components: Vec<Component>,
    pub(super) epsilon: Epsilon,
}

impl Proportions {
    /// What the description says.
    pub fn description(&self) -> &ProportionVector {
        &self.description
    }

    /// The combination of all releases, one a category; `None` for a single release, which says nothing of its own spread.
    pub fn combined(&self, measured: &[&[i128]]) -> Option<Vec<Combined>> {
        if self.description.releases < 2 {
            return None;
        }
        let releases: Vec<Vec<f64>> = measured.chunks(self.layers).map(|release| self.shares(release)).collect();
        let rows = self.total(&self.sums(measured)).max(1) as f64 / self.factor();
        let of = |k: usize| combine(&releases.iter().map(|shares| shares[k]).collect::<Vec<f64>>(), rows);
        Some((0..self.categories).map(of).collect())
    }

    /// Intervals for the shares in the population that the rows are a sample of, one a category, at the level.
    ///
    /// # Guarantee
    /// Each covers with probability at least `level`, whatever the shares, the number of rows and epsilon; see the module
    /// `population`. They read the counts of the categories before any constraint. Claim: `population-share-interval`.
    ///
    /// `None` where the law of a sum of measurements is not known: several measurements of conditioned counts, or of other
    /// noise than discrete Laplace, whether from several releases or added up to a total.
    pub fn population(&self, measured: &[&[i128]], level: f64) -> Vec<Option<(f64, f64)>> {
        let sums = self.sums(measured);
        let (releases, miss) = (self.description.releases as usize, 1.0 - level);
        let law = |component: usize, terms: usize| Law::of(&*self.components[component].mechanism, terms);
        let rows = match (self.rows, self.measured_root()) {
            (Some(rows), _) => Some((rows, rows)),
            (None, Some(root)) => {
                law(root, releases).map(|law| law.rows(self.total(&sums), self.factor() as i128, miss))
            }
            (None, None) => {
                law(0, releases * self.categories).map(|law| law.rows(self.total(&sums), self.factor() as i128, miss))
            }
        };
        let interval = |k: usize| {
            let terms = if Some(k) == self.calculated() { releases * (self.categories - 1) } else { releases };
            Some(law(0, terms)?.shares(sums.leaves[k], self.factor() as i128, rows?, miss))
        };
        (0..self.categories).map(interval).collect()
    }

    fn calculated(&self) -> Option<usize> {
        match self.description.rule {
            ShareRule::AllButOne { calculated, .. } => Some(calculated),
            _ => None,
        }
    }

    /// The component of the root, where it is measured.
    fn measured_root(&self) -> Option<usize> {
        let measured = matches!(self.description.rule, ShareRule::UniversalHistogram { .. }) && self.rows.is_none();
        measured.then(|| self.layers - 1)
    }

    /// Times that each count was measured.
    fn factor(&self) -> f64 {
        f64::from(self.description.releases)
    }

    /// Raw counts added up over all releases.
    fn sums(&self, measured: &[&[i128]]) -> Sums {
        let mut sums = Sums { leaves: vec![0; self.categories], root: 0 };
        for release in measured.chunks(self.layers) {
            let mut counts = release[0].to_vec();
            if let Some((calculated, rows)) = self.calculated().zip(self.rows) {
                counts.insert(calculated, i128::from(rows) - counts.iter().sum::<i128>());
            }
            sums.leaves.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
            sums.root += match (self.rows, self.measured_root()) {
                (Some(rows), _) => i128::from(rows),
                (None, Some(root)) => release[root][0],
                (None, None) => counts.iter().sum(),
            };
        }
        sums
    }

    fn total(&self, sums: &Sums) -> i128 {
        sums.root
    }

    /// The shares that one release gives.
    fn shares(&self, release: &[&[i128]]) -> Vec<f64> {
        let raw = || release[0].iter().map(|count| *count as f64).collect::<Vec<f64>>();
        let rows = || self.rows.map_or_else(|| release[0].iter().sum::<i128>().max(1) as f64, |rows| rows as f64);
        match self.description.rule {
            ShareRule::Rescaling => rescale(&self.bounded(0, release[0])),
            ShareRule::AllButOne { calculated, negative } => {
                let others: Vec<f64> = self.bounded(0, release[0]).iter().map(|count| count / rows()).collect();
                all_but_one(&others, calculated, negative)
            }
            ShareRule::UniversalHistogram { fan_out } => {
                let layer = |(level, counts): (usize, &&[i128])| self.bounded(level, counts);
                let layers: Vec<Vec<f64>> = release.iter().enumerate().map(layer).collect();
                let variance = |component: &Component| {
                    use inbounds_mechanisms::law::Noise;
                    component.mechanism.noise().variance()
                };
                let variances: Vec<f64> = self.components[..self.layers].iter().map(variance).collect();
                universal_histogram(&layers, &variances, fan_out, self.rows.map_or(1.0, |rows| rows as f64))
            }
            ShareRule::SimplexProjection => onto_simplex(&raw(), &vec![1.0; self.categories], rows())
                .expect("counts are finite, their precisions one, and the total positive"),
            ShareRule::Conditioning => condition(&raw(), self.components[0].mechanism.noise().scale(), rows() as u64),
        }
    }

    /// Counts of a layer as their mechanism keeps them in range.
    fn bounded(&self, level: usize, counts: &[i128]) -> Vec<f64> {
        let mechanism = &self.components[level].mechanism;
        let value = |StepValue { whole, fraction }| whole as f64 + fraction;
        counts.iter().map(|count| value(mechanism.estimate(*count))).collect()
    }

    /// The categories that each count of a layer is of.
    fn nodes(&self, level: usize) -> Vec<Range<usize>> {
        let one = |k: usize| k..k + 1;
        match self.description.rule {
            ShareRule::AllButOne { calculated, .. } => {
                (0..self.categories).filter(|k| *k != calculated).map(one).collect()
            }
            ShareRule::UniversalHistogram { fan_out } => {
                let width = (0..level).fold(1usize, |width, _| width.saturating_mul(fan_out));
                (0..self.categories).step_by(width).map(|k| k..k.saturating_add(width).min(self.categories)).collect()
            }
            ShareRule::Rescaling | ShareRule::SimplexProjection | ShareRule::Conditioning => {
                (0..self.categories).map(one).collect()
            }
        }
    }

    /// The counts of all components that counts of the categories make.
    fn counts(&self, categories: &[i128]) -> Vec<Vec<i128>> {
        let component = |component: usize| sums_of_spans(categories, &self.nodes(component % self.layers));
        (0..self.components.len()).map(component).collect()
    }
}

/// Raw counts over all releases, and what they add up to.
struct Sums {
    leaves: Vec<i128>,
    root: i128,
}

impl Statistic for Proportions {
    fn ask(&self) -> Ask {
        Ask::default()
    }

    fn components(&self) -> Vec<&Component> {
        self.components.iter().collect()
    }

    fn spans(&self, component: usize) -> Option<Vec<Range<usize>>> {
        let nodes = self.nodes(component % self.layers);
        let plain = nodes.len() == self.categories && nodes.iter().all(|node| node.len() == 1);
        (!plain).then_some(nodes)
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        if self.spans(0).is_none() { vec![RowsMeasured::COUNTS] } else { Vec::new() }
    }

    fn outputs(&self) -> Vec<Output> {
        vec![Output { quantity: Quantity::Statistic, unit: Unit::None }]
    }

    fn cells(&self) -> usize {
        self.categories
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        let answer = |index: usize| tally.counts.sums_of_spans(&self.nodes(index % self.layers));
        (0..self.components.len()).map(answer).collect()
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        let lowest = match self.description.rule {
            // The others are each at most 1.
            ShareRule::AllButOne { negative: super::Negative::Kept, .. } => 2.0 - self.categories as f64,
            _ => 0.0,
        };
        vec![(lowest, 1.0)]
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        simulate(self, measured, &Simulation { level, seed, ..Simulation::default() })
    }

    fn has_population_interval(&self) -> Result<(), NoInterval> {
        NoInterval::judge_rows(self.rows)
    }

    fn population_intervals(
        &self,
        measured: &[Measurements],
        level: f64,
        _seed: u64,
    ) -> Result<Vec<Option<Interval>>, StatisticError> {
        let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
        let shares = self.population(&steps, level).into_iter();
        Ok(shares.map(|ends| ends.map(|(lower, upper)| Interval { lower, upper })).collect())
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn error_dependence(&self) -> ErrorDependence {
        if self.rows.is_some() { ErrorDependence::Noise } else { ErrorDependence::Rows }
    }

    fn expects_half_widths(&self) -> bool {
        false
    }

    fn expected_errors(&self, supposed: &Supposed) -> Vec<ExpectedError> {
        self.errors_of_cases(supposed, Simulation::default().replicates)
    }

    /// As [`Statistic::expected_errors`], from more draws: it is known to some 2 %.
    fn worst_error(&self, supposed: &Supposed) -> WorstError {
        WorstError::of(&self.errors_of_cases(supposed, WORST_REPLICATES))
    }
}

impl Proportions {
    /// Errors where shares are equal and where one category has all.
    fn errors_of_cases(&self, supposed: &Supposed, replicates: usize) -> Vec<ExpectedError> {
        let all = self.rows.or(supposed.rows);
        let sizes = all.map_or_else(|| supposed.group_sizes.clone(), |rows| vec![rows]);
        let cases = sizes.into_iter().flat_map(|rows| {
            let even = vec![i128::from(rows) / self.categories as i128; self.categories];
            let mut one = vec![0; self.categories];
            one[0] = i128::from(rows);
            let of = if self.rows.is_some() { String::new() } else { format!(" of {rows} rows") };
            [
                (format!("the first of equal shares{of}"), even, 0),
                (format!("a category with all{of}"), one.clone(), 0),
                (format!("a category with none{of}"), one, 1),
            ]
        });
        let supposed = |(place, (name, mut counts, category)): (usize, (String, Vec<i128>, usize))| {
            let wanted = self.rows.map_or(counts.iter().sum(), i128::from);
            counts[category] += wanted - counts.iter().sum::<i128>();
            let truth: Vec<f64> = counts.iter().map(|count| *count as f64 / wanted as f64).collect();
            (Case { answers: self.counts(&counts), truth }, (name, place, category))
        };
        let (cases, outputs): (Vec<Case>, Vec<_>) = cases.enumerate().map(supposed).unzip();
        expect(self, &cases, &outputs, replicates)
    }
}

impl Simulated for Proportions {
    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        let sums = self.sums(measured);
        let total = self.total(&sums);
        sums.leaves.iter().map(|count| (total > 0).then(|| *count as f64 / total as f64)).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let mut sums = vec![0.0; self.categories];
        for release in measured.chunks(self.layers) {
            sums.iter_mut().zip(self.shares(release)).for_each(|(sum, share)| *sum += share);
        }
        sums.iter().map(|sum| sum / self.factor()).collect()
    }

    /// The shares nearest to the raw counts of all releases: rules that move each count, or each release, into its range lean to
    /// equal shares, and noise drawn around what they give would show half of that only.
    fn reference(&self, measured: &[&[i128]]) -> Vec<f64> {
        let sums = self.sums(measured);
        let total = self.total(&sums).max(1) as f64;
        let counts: Vec<f64> = sums.leaves.iter().map(|count| *count as f64).collect();
        onto_simplex(&counts, &vec![1.0; self.categories], total)
            .expect("counts are finite, their precisions one, and the total positive")
    }

    fn answers_at(&self, estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>> {
        let rows = match self.rows {
            Some(rows) => rows as f64,
            None => (self.total(&self.sums(measured)) as f64 / self.factor()).max(1.0),
        };
        self.counts(&estimates.iter().map(|share| (share * rows).round() as i128).collect::<Vec<i128>>())
    }
}
