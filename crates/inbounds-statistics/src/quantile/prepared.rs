//! Quantiles ready to be measured.

use inbounds_core::{Answer, Epsilon, IntervalMethod, Tally, sums_of_groups};
use inbounds_mechanisms::{mechanism::Measurements, sampler::SeededEntropy};

use super::{
    Layers, Quantiles,
    distribution::place,
    inversion::{self, Spread, held, outputs, rank},
    monotone,
    open::{leave_open, over},
    quantile,
};
use crate::{
    Ask, Case, CellEntry, Component, Entries, Estimate, ExpectedError, Output, PossibleEstimate, RowsMeasured,
    Scenario, Simulated, Simulation, Statistic, expect, redrawn_points, simulate,
};

/// Edges whose pivots are looked at together, so that each draw is read in runs.
const BLOCK: usize = 16;

/// Quantiles of every cell: one output a probability.
#[derive(Debug, Clone)]
pub struct PreparedQuantiles {
    pub(super) description: Quantiles,
    pub(super) edges: Vec<f64>,
    /// Smallest and largest value of each bin.
    pub(super) bins: Vec<(f64, f64)>,
    pub(super) probabilities: Vec<f64>,
    /// The public number of rows, where there is one.
    pub(super) rows: Option<u64>,
    pub(super) cells: usize,
    pub(super) layers: Layers,
    /// One a layer, bins first.
    pub(super) components: Vec<Component>,
    pub(super) epsilon: Epsilon,
}

impl PreparedQuantiles {
    fn bins(&self) -> usize {
        self.bins.len()
    }

    /// Smallest and largest value that a quantile can be.
    fn range(&self) -> (f64, f64) {
        (self.bins[0].0, self.bins[self.bins() - 1].1)
    }

    fn rows(&self) -> Option<f64> {
        self.rows.map(|rows| rows as f64)
    }

    /// The measured vectors of one cell.
    fn of_cell<'a>(&self, measured: &[&'a [i128]], cell: usize) -> Vec<&'a [i128]> {
        let sizes = self.layers.sizes().iter();
        measured.iter().zip(sizes).map(|(steps, nodes)| &steps[cell * nodes..(cell + 1) * nodes]).collect()
    }

    /// Monotone numbers of rows below the edges of one cell.
    fn below(&self, cell: &[&[i128]]) -> Vec<f64> {
        monotone(&self.layers.below(cell, self.rows()), self.layers.variances(), self.rows())
    }

    /// Numbers below the edges that noise alone makes, drawn again and again.
    fn draws(&self, count: usize, seed: u64) -> Vec<Vec<f64>> {
        let mut entropy = SeededEntropy::from_seed(seed);
        let mut draw = || {
            let noise: Vec<Vec<i128>> = self
                .components
                .iter()
                .zip(self.layers.sizes())
                .map(|(component, nodes)| component.mechanism.noise().add_to(&vec![0; *nodes], &mut entropy))
                .collect();
            // Noise around no rows at all: a public number of them, too, is nothing.
            self.layers.below(&noise.iter().map(Vec::as_slice).collect::<Vec<&[i128]>>(), self.rows().map(|_| 0.0))
        };
        (0..count).map(|_| draw()).collect()
    }

    /// The thresholds `t_j` of the pivots of one probability.
    fn thresholds(&self, p: f64, level: f64, draws: &[Vec<f64>]) -> Vec<f64> {
        let edges = self.bins() - 1;
        let Some(rank) = rank(level, draws.len()) else { return vec![f64::INFINITY; edges] };
        let mut pivots = vec![0.0; BLOCK * draws.len()];
        let mut thresholds = Vec::with_capacity(edges);
        for from in (0..edges).step_by(BLOCK) {
            let block = from..(from + BLOCK).min(edges);
            for (place, below) in draws.iter().enumerate() {
                block.clone().enumerate().for_each(|(edge, j)| pivots[edge * draws.len() + place] = pivot(below, j, p));
            }
            let of_edges = pivots.chunks_exact_mut(draws.len()).take(block.len());
            thresholds.extend(of_edges.map(|pivots| *pivots.select_nth_unstable_by(rank - 1, f64::total_cmp).1));
        }
        thresholds
    }

    /// The bins that may hold the quantile, as an interval; see the module.
    fn interval(&self, cell: &[&[i128]], p: f64, thresholds: &[f64]) -> (f64, f64) {
        let below = self.layers.below(cell, self.rows());
        let pivots: Vec<f64> = (0..self.bins() - 1).map(|j| pivot(&below, j, p)).collect();
        let (first, last) = held(&pivots, thresholds, &below);
        (self.bins[first].0, self.bins[last].1)
    }

    /// Counts of the bins that make the estimates.
    fn fitted(&self, cell: &[&[i128]]) -> Vec<i128> {
        let mut before = 0;
        let take = |below: f64| {
            let rounded = below.round() as i128;
            let count = rounded - before;
            before = rounded;
            count
        };
        self.below(cell).into_iter().map(take).collect()
    }

    /// The values among which counts of the bins leave the quantile open: those of its bin, or all where there are no
    /// rows.
    fn open(&self, counts: &[i128], p: f64) -> (f64, f64) {
        let mut rows = 0;
        let below: Vec<f64> = counts
            .iter()
            .map(|count| {
                rows += count;
                rows as f64
            })
            .collect();
        if rows <= 0 { self.range() } else { self.bins[place(&below, p).0] }
    }

    /// The node of each bin in a layer, cell by cell, and the number of nodes.
    fn nodes(&self, layer: usize) -> (Vec<u32>, usize) {
        let nodes = self.layers.sizes()[layer];
        let node = |bin: usize| bin / self.bins() * nodes + self.layers.node(layer, bin % self.bins());
        ((0..self.cells * self.bins()).map(|bin| node(bin) as u32).collect(), self.cells * nodes)
    }

    /// The counts of every layer for public counts of bins, one cell after the other.
    fn layer_counts(&self, bins: &[i128]) -> Vec<Vec<i128>> {
        let layer = |layer: usize| {
            let (group, groups) = self.nodes(layer);
            sums_of_groups(bins, &group, groups)
        };
        (0..self.layers.sizes().len()).map(layer).collect()
    }
}

/// `d_j = s_j - p s_k` at an inner edge; the last sum is the number of rows where that is known.
fn pivot(below: &[f64], j: usize, p: f64) -> f64 {
    below[j] - p * below[below.len() - 1]
}

impl Statistic for PreparedQuantiles {
    fn ask(&self) -> Ask {
        Ask { edges: Some(self.description.edges.clone()), ..Ask::default() }
    }

    fn components(&self) -> Vec<&Component> {
        self.components.iter().collect()
    }

    fn entries(&self, component: usize) -> Vec<CellEntry> {
        let name = |node: usize| {
            let bins = self.layers.bins_of(component, node);
            CellEntry::Bin([self.edges[bins.start], self.edges[bins.end]])
        };
        (0..self.layers.sizes()[component]).map(name).collect()
    }

    fn rows_measured(&self) -> Vec<RowsMeasured> {
        // Every layer counts all rows, and the coarsest with the least noise.
        let rows_measured = |component| RowsMeasured { component, entries: Entries::Rows };
        (0..self.components.len()).rev().map(rows_measured).collect()
    }

    fn outputs(&self) -> Vec<Output> {
        outputs(&self.probabilities)
    }

    fn cells(&self) -> usize {
        self.cells
    }

    fn answers(&self, tally: Tally) -> Vec<Answer> {
        let answer = |layer: usize| {
            let (group, groups) = self.nodes(layer);
            tally.counts.sums(&group, groups)
        };
        (0..self.components.len()).map(answer).collect()
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        vec![self.range(); self.probabilities.len()]
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let mut estimates = simulate(self, measured, &Simulation { level, seed, ..Simulation::default() });
        let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
        let outputs = self.probabilities.len();
        let draws = self.draws(inversion::draws(level), seed);
        for (output, p) in self.probabilities.iter().enumerate() {
            let thresholds = self.thresholds(*p, level, &draws);
            for cell in 0..self.cells {
                let measured = self.of_cell(&steps, cell);
                let estimate = &mut estimates[cell * outputs + output];
                let (lower, upper) = self.interval(&measured, *p, &thresholds);
                (estimate.lower, estimate.upper) = (lower.min(estimate.value), upper.max(estimate.value));
                leave_open(estimate, self.open(&self.fitted(&measured), *p));
            }
        }
        estimates
    }

    fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    fn expects_half_widths(&self) -> bool {
        false
    }

    fn expected_errors(&self, scenario: &Scenario) -> Vec<ExpectedError> {
        let sizes = self.rows.map_or_else(|| scenario.group_sizes.clone(), |rows| vec![rows]);
        let spreads = |rows: u64| Spread::for_bins(self.bins()).iter().map(move |spread| (*spread, rows));
        let groups: Vec<(Spread, u64)> = sizes.into_iter().flat_map(spreads).collect();
        let counts: Vec<Vec<i128>> = groups.iter().map(|(spread, rows)| spread.counts(self.bins(), *rows)).collect();
        let case = |counts: &Vec<i128>| {
            let answers = self.layer_counts(&counts.repeat(self.cells));
            let truth = self.point(&answers.iter().map(Vec::as_slice).collect::<Vec<&[i128]>>());
            Case { answers, truth }
        };
        let cases: Vec<Case> = counts.iter().map(case).collect();
        let outputs = groups.iter().enumerate().flat_map(|(place, (spread, rows))| {
            self.probabilities.iter().enumerate().map(move |(output, p)| (spread.case(*p, *rows), place, output))
        });
        let outputs: Vec<(String, usize, usize)> = outputs.collect();
        let errors = expect(self, &cases, &outputs, Simulation::default().replicates);
        let over_the_bin = |(error, (_, place, output)): (ExpectedError, &(String, usize, usize))| {
            let open = self.open(&counts[*place], self.probabilities[*output]);
            let (bias, rmse) = over((error.bias, error.rmse), cases[*place].truth[*output], open);
            ExpectedError { bias, rmse, ..error }
        };
        errors.into_iter().zip(&outputs).map(over_the_bin).collect()
    }

    /// Of rows that lie evenly on either side of the quantile.
    fn possible_estimates(&self, truth: f64, rows: u64, draws: usize, _: f64) -> Option<Vec<PossibleEstimate>> {
        let [p] = self.probabilities[..] else { return None };
        let (lower, upper) = self.range();
        let below = |edge: f64| match edge <= truth {
            true if truth > lower => p * (edge - lower) / (truth - lower),
            false if truth < upper => p + (1.0 - p) * (edge - truth) / (upper - truth),
            _ => 1.0,
        };
        let rows = self.rows.unwrap_or(rows) as f64;
        let reached: Vec<i128> = self.edges.iter().map(|edge| (rows * below(*edge)).round() as i128).collect();
        let counts: Vec<i128> = reached.windows(2).map(|ends| ends[1] - ends[0]).collect();
        let case = Case { answers: self.layer_counts(&counts.repeat(self.cells)), truth: vec![truth; self.cells] };
        Some(redrawn_points(self, &case, draws))
    }

    fn interval_method(&self) -> IntervalMethod {
        IntervalMethod::NoisyDistributionInverted
    }
}

impl Simulated for PreparedQuantiles {
    /// Where the estimates before monotonicity first reach the probability; none where they add up to no row.
    fn raw(&self, measured: &[&[i128]]) -> Vec<Option<f64>> {
        let raw_quantiles = |cell: usize| {
            let below = self.layers.below(&self.of_cell(measured, cell), self.rows());
            let total = below[below.len() - 1];
            let at = |p: &f64| (total > 0.0).then(|| quantile(&self.bins, &below, *p, self.description.values));
            self.probabilities.iter().map(at).collect::<Vec<Option<f64>>>()
        };
        (0..self.cells).flat_map(raw_quantiles).collect()
    }

    fn point(&self, measured: &[&[i128]]) -> Vec<f64> {
        let quantiles = |cell: usize| {
            let below = self.below(&self.of_cell(measured, cell));
            let at = |p: &f64| quantile(&self.bins, &below, *p, self.description.values);
            self.probabilities.iter().map(at).collect::<Vec<f64>>()
        };
        (0..self.cells).flat_map(quantiles).collect()
    }

    fn answers_at(&self, _estimates: &[f64], measured: &[&[i128]]) -> Vec<Vec<i128>> {
        let bins: Vec<i128> = (0..self.cells).flat_map(|cell| self.fitted(&self.of_cell(measured, cell))).collect();
        self.layer_counts(&bins)
    }
}
