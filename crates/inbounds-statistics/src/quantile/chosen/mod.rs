//! Quantiles chosen among bins by ranks, and the interval that counts beside them give.
//!
//! # Estimate
//! Permute-and-flip over ranks ([`RankSelection`]) chooses the bin of each quantile with its part of epsilon. The
//! middle of the chosen bin, or the value of a bin that holds one whole number, is the estimate. It needs no count, so
//! that it errs by some `1 / epsilon` rows whatever the number of bins is;
//! [`Quantiles`](super::Quantiles), which counts all bins, errs by more where rows are few and by less where many
//! quantiles are asked for.
//!
//! # Interval
//! A chosen bin alone leaves every value open (see [`RankSelection`]), so the rest of epsilon, `interval_share`,
//! measures counts of runs of bins around the chosen ones ([`Runs`]): narrow near them and wide far away. With these
//! counts the interval is that of
//! [`Quantiles`](super::Quantiles): the true number below an edge less `p` times all is the measured one and noise
//! without unknowns, whose quantiles tell which runs may hold the quantile of the rows. The runs follow from a choice
//! whose noise is independent of that of the counts, so that the level holds for each choice. Without counts the
//! interval is the range. Claim: `quantile-interval`.
//!
//! # Error
//! The law of the choice is known for any counts. Bias and RMSE are those for the measured counts, made monotone and
//! spread evenly over the bins of each run, about the quantile that these have; and about any value of the chosen bin.
//! Where there are no counts, they add up to no row, or the interval is the range, the largest error that the range
//! allows is stated.

mod runs;

use std::collections::HashMap;

use inbounds_core::{Answer, Delta, Epsilon, Grid, IntervalMethod, Neighbours, Quantity, Rational, StepRange, Tally};
use inbounds_mechanisms::{
    mechanism::{BiasFormula, Measurements},
    sampler::{Entropy, SeededEntropy},
    selection::{MovedRows, RankSelection},
};

pub use runs::Runs;

use super::{
    Values,
    distribution::{place, running_sums},
    inversion::{self, Spread, held, outputs, rank},
    monotone,
    open::{leave_open, over},
    quantile,
};
use crate::{
    Ask, CellEntry, Component, Estimate, ExpectedError, Output, Scenario, Setting, Statistic, StatisticError, edges,
    of_sum,
};

/// Draws of choices for several quantiles, whose law has no closed form.
const CHOICES: usize = 199;

/// Quantiles that are chosen, described.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenQuantiles {
    /// Public edges `e_0 < ... < e_k`; values beyond the ends count in the first and the last bin.
    pub edges: Vec<Rational>,
    /// Increasing probabilities, each above 0 and below 1.
    pub probabilities: Vec<Rational>,
    /// Which values the column has.
    pub values: Values,
    /// The part of epsilon that counts for intervals have, below 1; none at 0. [`ChosenQuantiles::default_share`] where
    /// it is `None`.
    pub interval_share: Option<Rational>,
    /// Least number of rows that a cell is publicly expected to have, if that is known: the default share follows from
    /// it.
    pub least_rows: Option<u64>,
}

impl ChosenQuantiles {
    /// The part of epsilon that intervals have where nothing else is said: a twenty-fifth, with which the estimate errs
    /// by some 4 % more than with all of epsilon; none for a public or expected number of rows that is too small for
    /// such counts to narrow the range.
    ///
    /// # Law
    /// Counts of `k` runs, one row a unit, leave out nothing of the range as long as `max(p, 1 - p) n` is within twice
    /// the standard deviation `sqrt(2 k p (1 - p)) / (share epsilon)` of the pivots, for each `p`, but for their noise:
    /// within three times the interval is the range too often to be worth its part.
    pub fn default_share(&self, setting: &Setting) -> Rational {
        let share = Rational::ratio(1, 25);
        let Some(rows) = setting.rows().or(self.least_rows) else { return share };
        let noise = 1.0 / (share.to_f64() * setting.epsilon.value().to_f64());
        let runs = Runs::most(self.probabilities.len(), self.edges.len().saturating_sub(1)) as f64;
        let tells = |p: &Rational| {
            let p = p.to_f64();
            p.max(1.0 - p) * rows as f64 > 3.0 * noise * (2.0 * runs * p * (1.0 - p)).sqrt()
        };
        if self.probabilities.iter().any(tells) { share } else { Rational::ZERO }
    }

    /// Calibrates the choice, and the counts for intervals.
    ///
    /// # Guarantee
    /// The choice and the counts divide epsilon. Claims: `permute-and-flip`, `binned-counts`.
    ///
    /// # Errors
    /// [`StatisticError`]: edges or probabilities that are not admissible, a share outside `[0, 1)`, or no calibration.
    ///
    /// # Example
    /// The median of ages, whose counts say that it lies in the second bin.
    /// ```
    /// use inbounds_core::{Answer, Delta, Epsilon, Neighbours, Tally};
    /// use inbounds_mechanisms::{registry, sampler::SeededEntropy};
    /// use inbounds_statistics::quantile::{ChosenQuantiles, Values};
    /// use inbounds_statistics::{Design, PrivacyUnit, Setting, Statistic};
    /// let setting = Setting {
    ///     design: Design { neighbours: Neighbours::AddRemove, unit: PrivacyUnit::Row, rows: None },
    ///     cells: 1, grouped: false, filtered: false, mechanism: (&registry::RANKS).into(),
    ///     epsilon: Epsilon::new("1".parse()?)?, delta: Delta::ZERO, rho_rate: None, together: None,
    /// };
    /// let ages = ChosenQuantiles {
    ///     edges: (0..=10).map(|edge| (10 * edge as i128).into()).collect(),
    ///     probabilities: vec!["0.5".parse()?],
    ///     values: Values::Real,
    ///     interval_share: Some("0.25".parse()?),
    ///     least_rows: None,
    /// };
    /// let ages = ages.prepare(&setting).expect("valid");
    /// let counts = Answer::new(vec![400, 9_000, 500, 50, 0, 0, 0, 0, 0, 0]);
    /// let tally = Tally { counts, sums: Vec::new(), products: Vec::new() };
    /// let measured = ages.measure(tally, &mut SeededEntropy::from_seed(1));
    /// let median = &ages.estimate(&measured, 0.95, 1)[0];
    /// assert_eq!((median.lower, median.value, median.upper), (10.0, 15.0, 20.0));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn prepare(&self, setting: &Setting) -> Result<PreparedChoice, StatisticError> {
        let edges = edges::check(&self.edges)?;
        let bins = self.values.in_bins(&edges)?;
        let share = self.interval_share.clone().unwrap_or_else(|| self.default_share(setting));
        if share >= Rational::ONE || share < Rational::ZERO {
            return Err(StatisticError::IntervalShare { found: share.to_f64() });
        }
        let setting = Setting { together: None, ..setting.clone() };
        let own = setting.epsilon.share(&(&Rational::ONE - &share))?;
        let rows = setting.design.contribution().among(setting.cells).rows();
        let moved = match (setting.design.neighbours, setting.cells) {
            (Neighbours::AddRemove, _) => MovedRows::Added(rows),
            (Neighbours::Substitute, 1) => MovedRows::ReplacedInPlace(rows),
            (Neighbours::Substitute, _) => MovedRows::Replaced(rows),
        };
        let choice = RankSelection::calibrate(&own, &self.probabilities, bins.len(), moved)?;
        let choice = Component {
            role: Quantity::ChosenBin,
            mechanism: std::sync::Arc::new(choice),
            grid: Grid::INTEGERS,
            divisor: 1,
        };
        let cells = usize::try_from(setting.cells).unwrap_or(usize::MAX);
        let most_runs = Runs::most(self.probabilities.len(), bins.len());
        let counts = (share > Rational::ZERO).then(|| {
            let numbers = setting.cells.saturating_mul(most_runs as u64);
            let design = setting.design.with(|unit| unit.in_bins(setting.cells));
            let sensitivity = of_sum(&design, (1, 1), numbers, false);
            let counted = Setting {
                mechanism: inbounds_mechanisms::registry::default().into(),
                delta: Delta::ZERO,
                ..setting.clone()
            };
            counted.component((Quantity::COUNT, &share), (Grid::INTEGERS, 1), &sensitivity, StepRange::UNBOUNDED)
        });
        Ok(PreparedChoice {
            edges: self.edges.clone(),
            values: self.values,
            probabilities: self.probabilities.iter().map(Rational::to_f64).collect(),
            rows: setting.rows().map(|rows| rows as f64).filter(|_| setting.cells == 1),
            bins,
            cells,
            most_runs,
            choice,
            counts: counts.transpose()?,
            epsilon: setting.epsilon,
        })
    }
}

/// Chosen quantiles, calibrated: one output a probability.
#[derive(Debug, Clone)]
pub struct PreparedChoice {
    edges: Vec<Rational>,
    values: Values,
    probabilities: Vec<f64>,
    /// The number of rows where each counts in the one cell.
    rows: Option<f64>,
    /// Smallest and largest value of each bin.
    bins: Vec<(f64, f64)>,
    cells: usize,
    most_runs: usize,
    choice: Component,
    /// Counts of runs of bins around the chosen ones.
    counts: Option<Component>,
    epsilon: Epsilon,
}

/// Measurements of one cell.
struct CellView<'a> {
    places: &'a [i128],
    runs: Runs,
    counts: Option<&'a [i128]>,
}

impl PreparedChoice {
    fn selection(&self) -> &RankSelection {
        self.choice.mechanism.selection().expect("a choice of bins")
    }

    /// Smallest and largest value that a quantile can be.
    fn range(&self) -> (f64, f64) {
        (self.bins[0].0, self.bins[self.bins.len() - 1].1)
    }

    /// The estimate where a bin is chosen.
    fn value(&self, place: usize) -> f64 {
        self.values.middle(self.bins[place])
    }

    /// The runs of each cell, from the chosen bins.
    fn runs(&self, places: &[i128]) -> Vec<Runs> {
        let of_cell = |places: &[i128]| {
            Runs::around(&places.iter().map(|place| *place as usize).collect::<Vec<_>>(), self.bins.len())
        };
        places.chunks(self.probabilities.len()).map(of_cell).collect()
    }

    fn views<'a>(&self, measured: &[&'a [i128]]) -> Vec<CellView<'a>> {
        let places = measured[0].chunks(self.probabilities.len());
        let counts =
            |cell: usize| measured.get(1).map(|counts| &counts[cell * self.most_runs..(cell + 1) * self.most_runs]);
        let view =
            |(cell, (places, runs)): (usize, (&'a [i128], Runs))| CellView { places, runs, counts: counts(cell) };
        places.zip(self.runs(measured[0])).enumerate().map(view).collect()
    }

    /// Counts of the bins that the counts of runs make likely, and the quantiles that these have; none where they tell
    /// of no row.
    fn model(&self, view: &CellView) -> Option<(Vec<f64>, Vec<f64>)> {
        let below = view.runs.below(view.counts?);
        let variances: Vec<f64> = (1..=below.len()).map(|runs| runs as f64).collect();
        let below = monotone(&below, &variances, None);
        let rows = below[below.len() - 1];
        if rows < 1.0 {
            return None;
        }
        let mut counts = vec![0.0; self.bins.len()];
        let mut before = 0.0;
        for (run, after) in view.runs.spans().zip(&below) {
            let each = (after - before) / run.len() as f64;
            counts[run].iter_mut().for_each(|count| *count = each);
            before = *after;
        }
        let quantiles = self.quantiles_of(&running_sums(&counts));
        Some((counts, quantiles))
    }

    /// The quantiles of rows spread evenly over each bin, from the numbers of rows below the edges.
    fn quantiles_of(&self, below: &[f64]) -> Vec<f64> {
        self.probabilities.iter().map(|p| quantile(&self.bins, below, *p, self.values)).collect()
    }

    /// Bias and RMSE of the chosen values about these, for public counts, and the standard error of each.
    fn errors(&self, counts: &[f64], truths: &[f64], seed: u64) -> Vec<[(f64, f64); 2]> {
        let moments = |values: &mut dyn Iterator<Item = (f64, f64)>, truth: f64| {
            values.fold((0.0, 0.0), |(bias, square), (value, weight)| {
                let error = value - truth;
                (bias + weight * error, square + weight * error * error)
            })
        };
        if let [truth] = truths {
            let law = self.selection().law(counts);
            let mut values = law.iter().enumerate().map(|(place, mass)| (self.value(place), *mass));
            let (bias, square) = moments(&mut values, *truth);
            return vec![[(bias, square.sqrt()), (0.0, 0.0)]];
        }
        let mut entropy = SeededEntropy::from_seed(seed);
        let draws = self.selection().choices_around(counts, CHOICES, &mut entropy);
        let weight = 1.0 / CHOICES as f64;
        let of_output = |(output, truth): (usize, &f64)| {
            let mut values = draws.iter().map(|places| (self.value(places[output]), weight));
            let (bias, square) = moments(&mut values, *truth);
            let spread = (square - bias * bias).max(0.0);
            let squares = draws.iter().map(|places| (self.value(places[output]) - truth).powi(2));
            let of_square = (squares.map(|one| (one - square).powi(2)).sum::<f64>() * weight * weight).sqrt();
            let rmse = square.sqrt();
            let rmse_error = if rmse > 0.0 { of_square / (2.0 * rmse) } else { 0.0 };
            [(bias, rmse), ((spread * weight).sqrt(), rmse_error)]
        };
        truths.iter().enumerate().map(of_output).collect()
    }

    /// The thresholds that noise of `runs` counts passes on one side with probability `(1 - level) / 2`, at each inner
    /// edge.
    fn thresholds(&self, runs: usize, p: f64, level: f64, seed: u64) -> Vec<f64> {
        let count = inversion::draws(level);
        let (Some(component), Some(rank)) = (&self.counts, rank(level, count)) else {
            return vec![f64::INFINITY; runs - 1];
        };
        let mut entropy = SeededEntropy::from_seed(seed);
        let nothing = vec![0; runs];
        let draws: Vec<Vec<f64>> = (0..count)
            .map(|_| {
                let noise = component.mechanism.noise().add_to(&nothing, &mut entropy);
                runs::pivots(&runs::sums(noise.iter().copied()), p, self.rows.map(|_| 0.0))
            })
            .collect();
        let threshold = |edge: usize| {
            let mut pivots: Vec<f64> = draws.iter().map(|draw| draw[edge]).collect();
            *pivots.select_nth_unstable_by(rank - 1, f64::total_cmp).1
        };
        (0..runs - 1).map(threshold).collect()
    }

    /// The values of the runs that may hold the quantile.
    fn interval(&self, view: &CellView, p: f64, thresholds: &[f64]) -> (f64, f64) {
        let Some(counts) = view.counts else { return self.range() };
        let below = view.runs.below(counts);
        let (first, last) = held(&runs::pivots(&below, p, self.rows), thresholds, &below);
        let run = |place: usize| view.runs.spans().nth(place).expect("a run");
        (self.bins[run(first).start].0, self.bins[run(last).end - 1].1)
    }
}

impl Statistic for PreparedChoice {
    fn ask(&self) -> Ask {
        Ask { edges: Some(self.edges.clone()), ..Ask::default() }
    }

    fn components(&self) -> Vec<&Component> {
        std::iter::once(&self.choice).chain(&self.counts).collect()
    }

    fn entries(&self, component: usize) -> Vec<CellEntry> {
        if component == 0 {
            let entry = |p: &f64| CellEntry::Of(Quantity::Quantile { probability: *p });
            return self.probabilities.iter().map(entry).collect();
        }
        (0..self.most_runs).map(CellEntry::Run).collect()
    }

    fn outputs(&self) -> Vec<Output> {
        outputs(&self.probabilities)
    }

    fn cells(&self) -> usize {
        self.cells
    }

    /// The counts of all bins, for the choice and again for the runs.
    fn answers(&self, tally: Tally) -> Vec<Answer> {
        let copy = self.counts.as_ref().map(|_| Answer::one_after_another([&tally.counts]));
        std::iter::once(tally.counts).chain(copy).collect()
    }

    /// Chooses first: the runs that are counted follow from the chosen bins.
    fn measure_answers(&self, answers: Vec<Answer>, entropy: &mut dyn Entropy) -> Vec<Measurements> {
        assert_eq!(answers.len(), self.components().len(), "one answer a component");
        let mut answers = answers.into_iter();
        let of_choice = answers.next().expect("an answer");
        let chosen = Measurements::take(self.choice.mechanism.clone(), of_choice, entropy);
        let (Some(component), Some(counts)) = (&self.counts, answers.next()) else { return vec![chosen] };
        let run = |(cell, runs): (usize, &Runs)| runs.of_bins(self.bins.len(), (cell * self.most_runs) as u32);
        let runs: Vec<u32> = self.runs(chosen.steps()).iter().enumerate().flat_map(run).collect();
        let counts = counts.sums(&runs, self.cells * self.most_runs);
        let counted = Measurements::take(component.mechanism.clone(), counts, entropy);
        vec![chosen, counted]
    }

    fn ranges(&self) -> Vec<(f64, f64)> {
        vec![self.range(); self.probabilities.len()]
    }

    fn estimate(&self, measured: &[Measurements], level: f64, seed: u64) -> Vec<Estimate> {
        let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
        let mut thresholds: HashMap<(usize, usize), Vec<f64>> = HashMap::new();
        let mut estimates = Vec::with_capacity(self.cells * self.probabilities.len());
        let (low, high) = self.range();
        for view in self.views(&steps) {
            let runs = view.runs.number();
            let interval = |(output, p): (usize, &f64)| {
                let of_runs =
                    thresholds.entry((runs, output)).or_insert_with(|| self.thresholds(runs, *p, level, seed));
                self.interval(&view, *p, of_runs)
            };
            let intervals: Vec<(f64, f64)> = self.probabilities.iter().enumerate().map(interval).collect();
            // Counts that rule no value out may be of noise alone.
            let is_told = |interval: &(f64, f64)| *interval != (low, high);
            let model = intervals.iter().any(is_told).then(|| self.model(&view)).flatten();
            let errors = model.map(|(counts, truths)| self.errors(&counts, &truths, seed));
            for (output, &(lower, upper)) in intervals.iter().enumerate() {
                let place = view.places[output] as usize;
                let value = self.value(place);
                let farthest = if value - low > high - value { low } else { high };
                let unknown = [(value - farthest, (value - farthest).abs()), (0.0, 0.0)];
                let told = errors.as_ref().filter(|_| is_told(&(lower, upper)));
                let [error, of_error] = told.map_or(unknown, |errors| errors[output]);
                let mut estimate = Estimate {
                    measurement: Some(value),
                    value,
                    lower: lower.min(value),
                    upper: upper.max(value),
                    bias_at_estimate: error.0,
                    bias_error: of_error.0,
                    bias_over_interval: None,
                    worst_bias: None,
                    rmse_at_estimate: error.1,
                    rmse_over_interval: None,
                    rmse_error: of_error.1,
                };
                if told.is_some() {
                    leave_open(&mut estimate, self.bins[place]);
                }
                estimates.push(estimate);
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
        let sizes = self.rows.map_or_else(|| scenario.group_sizes.clone(), |rows| vec![rows as u64]);
        let bins = self.bins.len();
        let (low, high) = self.range();
        // Without counts the interval is the range; with counts its width depends on where the rows are.
        let half_width = scenario.level.filter(|_| self.counts.is_none()).map(|_| 0.5 * (high - low));
        let expected = |(spread, rows): (&Spread, u64)| {
            let counts: Vec<f64> = spread.counts(bins, rows).into_iter().map(|count| count as f64).collect();
            let below = running_sums(&counts);
            let truths = self.quantiles_of(&below);
            let errors = self.errors(&counts, &truths, 1);
            let named = |((p, truth), [error, _]): ((&f64, f64), [(f64, f64); 2])| {
                let (bias, rmse) = over(error, truth, self.bins[place(&below, *p).0]);
                ExpectedError { case: spread.case(*p, rows), bias, rmse, half_width }
            };
            self.probabilities.iter().zip(truths).zip(errors).map(named).collect::<Vec<_>>()
        };
        let cases = sizes.into_iter().flat_map(|rows| Spread::for_bins(bins).iter().map(move |spread| (spread, rows)));
        cases.flat_map(expected).collect()
    }

    fn bias_formula(&self) -> BiasFormula {
        BiasFormula::ChosenBins
    }

    fn interval_method(&self) -> IntervalMethod {
        match self.counts {
            Some(_) => IntervalMethod::NoisyDistributionInverted,
            None => IntervalMethod::WholeRange,
        }
    }
}
