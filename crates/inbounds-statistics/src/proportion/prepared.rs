//! A proportion vector ready to be measured.

use std::ops::Range;

use inbounds_core::{Answer, Epsilon, Quantity, Tally, sums_of_spans};
use inbounds_mechanisms::mechanism::{Measurements, StepValue};

use super::{
    Combined, ProportionVector, ShareRule, all_but_one, combine, condition, onto_simplex, population::Law, rescale,
    universal_histogram,
};
use crate::{
    Ask, Case, Component, ErrorDependence, Estimate, ExpectedError, Output, RowsMeasured, Scenario, Simulated,
    Simulation, Statistic, StatisticError, Unit, WorstError, expect,
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
    /// The categories whose shares add up to 1, one list for each such group.
    pub(super) groups: Vec<Vec<usize>>,
    /// The group of each category.
    pub(super) group_of: Vec<usize>,
    /// The public number of rows, where there is one.
    pub(super) rows: Option<u64>,
    /// Measured layers a release.
    pub(super) layers: usize,
    /// Release by release, from the categories up.
    pub(super) components: Vec<Component>,
    pub(super) epsilon: Epsilon,
}

impl Proportions {
    /// The description that was prepared.
    pub fn description(&self) -> &ProportionVector {
        &self.description
    }

    /// The combination of all releases, one a category; `None` for a single release, which says nothing of its own
    /// spread.
    pub fn combined(&self, measured: &[&[i128]]) -> Option<Vec<Combined>> {
        if self.description.releases < 2 {
            return None;
        }
        let releases: Vec<Vec<f64>> = measured.chunks(self.layers).map(|release| self.shares(release)).collect();
        let sums = self.sums(measured);
        let combined_share = |k: usize| {
            let rows = sums.roots[self.group_of[k]].max(1) as f64 / self.factor();
            combine(&releases.iter().map(|shares| shares[k]).collect::<Vec<f64>>(), rows)
        };
        Some((0..self.categories).map(combined_share).collect())
    }

    /// Intervals for the shares in the population that the rows are a sample of, one a category, at the level.
    ///
    /// # Guarantee
    /// Each covers with probability at least `level`, whatever the shares, the number of rows and epsilon; see the
    /// module `population`. They read the counts of the categories before any constraint. Claim:
    /// `population-share-interval`.
    ///
    /// `None` where the law of a sum of measurements is not known: several measurements of conditioned counts, or of
    /// other noise than discrete Laplace, whether from several releases or added up to a total.
    pub fn population(&self, measured: &[&[i128]], level: f64) -> Vec<Option<(f64, f64)>> {
        let sums = self.sums(measured);
        let (releases, miss) = (self.description.releases as usize, 1.0 - level);
        let law = |component: usize, terms: usize| Law::for_sum(&*self.components[component].mechanism, terms);
        let rows = |(group, members): (usize, &Vec<usize>)| match (self.rows, self.measured_root()) {
            (Some(rows), _) => Some((rows, rows)),
            (None, root) => {
                let (component, terms) = root.map_or((0, releases * members.len()), |root| (root, releases));
                law(component, terms).map(|law| law.rows(sums.roots[group], self.factor() as i128, miss))
            }
        };
        let rows: Vec<_> = self.groups.iter().enumerate().map(rows).collect();
        let interval = |k: usize| {
            let terms = if Some(k) == self.calculated() { releases * (self.categories - 1) } else { releases };
            Some(law(0, terms)?.shares(sums.leaves[k], self.factor() as i128, rows[self.group_of[k]]?, miss))
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
    pub(super) fn measured_root(&self) -> Option<usize> {
        let measured = matches!(self.description.rule, ShareRule::UniversalHistogram { .. }) && self.rows.is_none();
        measured.then(|| self.layers - 1)
    }

    /// Times that each count was measured.
    pub(super) fn factor(&self) -> f64 {
        f64::from(self.description.releases)
    }

    /// Raw counts added up over all releases.
    pub(super) fn sums(&self, measured: &[&[i128]]) -> Sums {
        let mut sums = Sums { leaves: vec![0; self.categories], roots: vec![0; self.groups.len()] };
        for release in measured.chunks(self.layers) {
            let mut counts = release[0].to_vec();
            if let Some((calculated, rows)) = self.calculated().zip(self.rows) {
                counts.insert(calculated, i128::from(rows) - counts.iter().sum::<i128>());
            }
            sums.leaves.iter_mut().zip(&counts).for_each(|(sum, count)| *sum += count);
            for (root, group) in sums.roots.iter_mut().zip(&self.groups) {
                *root += match (self.rows, self.measured_root()) {
                    (Some(rows), _) => i128::from(rows),
                    (None, Some(root)) => release[root][0],
                    (None, None) => group.iter().map(|k| counts[*k]).sum(),
                };
            }
        }
        sums
    }

    /// The same for each category, from what is made of the counts of its group.
    fn by_group(&self, shares: impl Fn(usize, &[usize]) -> Vec<f64>) -> Vec<f64> {
        let mut all = vec![0.0; self.categories];
        for (place, group) in self.groups.iter().enumerate() {
            group.iter().zip(shares(place, group)).for_each(|(k, share)| all[*k] = share);
        }
        all
    }

    /// The shares that one release gives.
    fn shares(&self, release: &[&[i128]]) -> Vec<f64> {
        let raw = |group: &[usize]| group.iter().map(|k| release[0][*k] as f64).collect::<Vec<f64>>();
        let sum = |group: &[usize]| group.iter().map(|k| release[0][*k]).sum::<i128>().max(1) as f64;
        let rows = |group: &[usize]| self.rows.map_or_else(|| sum(group), |rows| rows as f64);
        match self.description.rule {
            ShareRule::Rescaling => {
                let counts = self.bounded(0, release[0]);
                self.by_group(|_, group| rescale(&group.iter().map(|k| counts[*k]).collect::<Vec<f64>>()))
            }
            ShareRule::AllButOne { calculated, negative } => {
                let rows = self.rows.map_or_else(|| release[0].iter().sum::<i128>().max(1) as f64, |rows| rows as f64);
                let others: Vec<f64> = self.bounded(0, release[0]).iter().map(|count| count / rows).collect();
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
            ShareRule::SimplexProjection => self.by_group(|_, group| nearest(&raw(group), rows(group))),
            ShareRule::Conditioning => {
                let scale = self.components[0].mechanism.noise().scale();
                self.by_group(|_, group| condition(&raw(group), scale, rows(group) as u64))
            }
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
    pub(super) fn counts(&self, categories: &[i128]) -> Vec<Vec<i128>> {
        let component = |component: usize| sums_of_spans(categories, &self.nodes(component % self.layers));
        (0..self.components.len()).map(component).collect()
    }
}

/// Raw counts over all releases, and what they add up to.
pub(super) struct Sums {
    leaves: Vec<i128>,
    /// One for each group.
    pub(super) roots: Vec<i128>,
}

/// The nearest shares to some counts.
fn nearest(counts: &[f64], rows: f64) -> Vec<f64> {
    onto_simplex(counts, &vec![1.0; counts.len()], rows)
        .expect("counts are finite, their precisions one, and the total positive")
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
        let simulation = Simulation::at(level, seed);
        let estimates = simulate(self, measured, &simulation);
        self.with_errors_over_intervals(estimates, measured, &simulation)
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

    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        self.errors_of_cases(scenario, Simulation::default().replicates)
    }

    /// As [`Statistic::expected_errors`], from more draws: it is known to some 2 %.
    fn worst_error(&self, scenario: &Scenario) -> WorstError {
        WorstError::among(&self.errors_of_cases(scenario, WORST_REPLICATES))
    }
}

impl Proportions {
    /// Errors where shares are equal and where one category has all.
    fn errors_of_cases(&self, scenario: &Scenario, replicates: usize) -> Vec<ExpectedError> {
        let all = self.rows.or(scenario.rows);
        let sizes = all.map_or_else(|| scenario.group_sizes.clone(), |rows| vec![rows]);
        // Groups err alike but for their numbers of categories: the first has these counts, and all others the same.
        let (first, members) = (self.groups[0][0], &self.groups[0]);
        let second = members[1];
        let cases = sizes.into_iter().flat_map(|rows| {
            let group = |share: &dyn Fn(usize, usize) -> i128| {
                let mut counts = vec![0; self.categories];
                for group in &self.groups {
                    group.iter().enumerate().for_each(|(place, k)| counts[*k] = share(place, group.len()));
                }
                counts
            };
            let all = i128::from(rows);
            // What does not divide evenly is the first one's.
            let part = |place: usize, size: usize| {
                if place == 0 { all - all / size as i128 * (size as i128 - 1) } else { all / size as i128 }
            };
            let even = group(&part);
            let one = group(&|place, _| if place == 0 { all } else { 0 });
            let among_rows = if self.rows.is_some() { String::new() } else { format!(" of {rows} rows") };
            [
                (format!("the first of equal shares{among_rows}"), rows, even, first),
                (format!("a category with all{among_rows}"), rows, one.clone(), first),
                (format!("a category with none{among_rows}"), rows, one, second),
            ]
        });
        let case = |(place, (name, rows, counts, category)): (usize, (String, u64, Vec<i128>, usize))| {
            let truth: Vec<f64> = counts.iter().map(|count| *count as f64 / rows as f64).collect();
            (Case { answers: self.counts(&counts), truth }, (name, place, category))
        };
        let (cases, outputs): (Vec<Case>, Vec<_>) = cases.enumerate().map(case).unzip();
        expect(self, &cases, &outputs, replicates)
    }
}

impl Simulated for Proportions {
    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        let sums = self.sums(measured);
        let share = |(k, count): (usize, &i128)| {
            let total = sums.roots[self.group_of[k]];
            (total > 0).then(|| *count as f64 / total as f64)
        };
        sums.leaves.iter().enumerate().map(share).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let mut sums = vec![0.0; self.categories];
        for release in measured.chunks(self.layers) {
            sums.iter_mut().zip(self.shares(release)).for_each(|(sum, share)| *sum += share);
        }
        sums.iter().map(|sum| sum / self.factor()).collect()
    }

    /// The shares nearest to the raw counts of all releases: rules that move each count, or each release, into its
    /// range lean to equal shares, and noise drawn around what they give would show half of that only.
    fn reference(&self, measured: &[&[i128]]) -> Vec<f64> {
        let sums = self.sums(measured);
        self.by_group(|place, group| {
            let counts: Vec<f64> = group.iter().map(|k| sums.leaves[*k] as f64).collect();
            nearest(&counts, sums.roots[place].max(1) as f64)
        })
    }

    fn answers_at(&self, estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>> {
        let sums = self.sums(measured);
        let rows = |group: usize| match self.rows {
            Some(rows) => rows as f64,
            None => (sums.roots[group] as f64 / self.factor()).max(1.0),
        };
        let count = |(k, share): (usize, &f64)| (share * rows(self.group_of[k])).round() as i128;
        self.counts(&estimates.iter().enumerate().map(count).collect::<Vec<i128>>())
    }
}
