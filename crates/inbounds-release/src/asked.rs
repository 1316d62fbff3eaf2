//! A statistic with all that its preparation depends on, from the words of the plan to the library.

use std::sync::Arc;

use inbounds_core::Rational;
use inbounds_statistics::{
    self as statistics, Histogram, LinearCombination, Missing, OutputRange, StatisticError, Supposed, Term,
    bayes::{NaiveBayes, SupposedClass},
    compound::{Column, Compound, Setting, Single},
    covariance::{self, Matrix, Route},
    proportion::{Negative, ProportionVector, Rule, Total},
    quantile::{Quantiles, Values},
    variance::{Measure, Spread},
};

use crate::{
    plan::{MatrixRoute, ProportionRule, ProportionTotal, Spanned, StatisticKind},
    task::Prepared,
    worth::ModelWorth,
};

/// Independent releases of a multiple synthesis; Liu's number.
const RELEASES: u32 = 5;

/// Ratio of two simulated RMSEs that chance does not make: each is known to about 2 %.
const TELLING: f64 = 1.1;

/// What a statistic of the plan asks for. Public, like the plan.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) kind: StatisticKind,
    pub(crate) range: OutputRange,
    pub(crate) setting: Setting,
    /// The columns that it reads, in order, with their bounds.
    pub(crate) columns: Vec<Column>,
    /// Whether all columns have type integer.
    pub(crate) whole: bool,
    /// Whether missing values of every column count as some value.
    pub(crate) imputed: bool,
    /// The classes of a model as the plan describes them, in the order of the keys; none if it does not.
    pub(crate) classes: Vec<SupposedClass>,
}

/// What can be measured at levels.
pub(crate) fn kind_of_levels(kind: &StatisticKind) -> Option<statistics::Kind> {
    match kind {
        StatisticKind::Count => Some(statistics::Kind::Count),
        StatisticKind::Sum { .. } => Some(statistics::Kind::Sum),
        StatisticKind::Mean { .. } => Some(statistics::Kind::Mean),
        _ => None,
    }
}

impl Asked {
    /// Chooses grids, sensitivities, ranges and scales.
    pub(crate) fn prepare(&self) -> Result<Prepared, StatisticError> {
        let compound = match &self.kind {
            StatisticKind::Count => return self.cell_by_cell(statistics::Kind::Count),
            StatisticKind::Sum { .. } => return self.cell_by_cell(statistics::Kind::Sum),
            StatisticKind::Mean { .. } => return self.cell_by_cell(statistics::Kind::Mean),
            StatisticKind::Variance { .. } => self.spread(Measure::Variance)?,
            StatisticKind::StandardDeviation { .. } => self.spread(Measure::StandardDeviation)?,
            StatisticKind::Covariance { route, .. } => {
                self.matrix(covariance::Measure::Covariance, *route).prepare(&self.setting)?
            }
            StatisticKind::Correlation { route, .. } => {
                self.matrix(covariance::Measure::Correlation, *route).prepare(&self.setting)?
            }
            StatisticKind::Proportion { .. } if !self.setting.grouped => {
                return self.cell_by_cell(statistics::Kind::Proportion);
            }
            StatisticKind::Proportion { rule, total } => {
                Arc::new(self.proportions(*rule, *total).prepare(&self.setting)?)
            }
            StatisticKind::NaiveBayes { .. } => {
                Arc::new(NaiveBayes { features: self.columns.clone() }.prepare(&self.setting)?)
            }
            StatisticKind::Histogram { edges, .. } => {
                Arc::new(Histogram { edges: edges.value.clone() }.prepare(&self.setting)?)
            }
            StatisticKind::Quantile { edges, probabilities, .. } => {
                let edges = edges.as_ref().map_or_else(|| self.unit_bins(), |edges| Ok(edges.value.clone()))?;
                let (probabilities, total) = (probabilities.clone(), self.total_of_bins());
                let values = if self.whole { Values::Whole } else { Values::Real };
                Arc::new(Quantiles { edges, probabilities, total, values }.prepare(&self.setting)?)
            }
            StatisticKind::Combination { weights, means } => Arc::new(self.combination(weights, *means)?),
        };
        Ok(Prepared::Compound(compound))
    }

    /// What a model will be worth.
    pub(crate) fn worth(&self, supposed: &Supposed) -> Option<ModelWorth> {
        let StatisticKind::NaiveBayes { .. } = &self.kind else { return None };
        let model = NaiveBayes { features: self.columns.clone() }.prepare(&self.setting).ok()?;
        Some(ModelWorth::of(&model, &self.classes, supposed))
    }

    /// A sentence about a choice of the plan that has a better one; only what can be said before rows are read.
    pub(crate) fn advice(&self) -> Option<String> {
        let (StatisticKind::Covariance { route, .. } | StatisticKind::Correlation { route, .. }) = &self.kind else {
            return None;
        };
        self.rows()?;
        let compared =
            covariance::compare(&self.matrix(covariance::Measure::Covariance, *route), &self.setting).ok()?;
        let (entries, matrix) = (compared.entrywise.first()?.rmse, compared.whole.first()?.rmse);
        if entries.max(matrix) < TELLING * entries.min(matrix) {
            return None;
        }
        let better = match (compared.better, route) {
            (Route::Entrywise, MatrixRoute::Matrix) => "entries",
            (Route::Whole, MatrixRoute::Entries) => "matrix",
            _ => return None,
        };
        Some(format!(
            "measure = \"{better}\" would err less: RMSE {entries:.3e} for \"entries\" and {matrix:.3e} for \"matrix\" (Frobenius norm \
             of the covariances, in products of widths of bounds, evenly spread columns)"
        ))
    }

    /// The public number of rows that the statistic is of, where there is one.
    pub(crate) fn rows(&self) -> Option<u64> {
        // A share that meets a condition is of all rows.
        let rows = match self.kind {
            StatisticKind::Proportion { .. } => self.setting.design.rows,
            _ => self.setting.rows(),
        };
        rows.filter(|_| self.counts_every_row())
    }

    /// The same over another public number of rows.
    pub(crate) fn over_rows(&self, rows: u64) -> Self {
        let mut other = self.clone();
        other.setting.design.rows = Some(rows);
        other
    }

    /// Whether no row is left out for want of a value.
    fn counts_every_row(&self) -> bool {
        self.columns.iter().all(|column| column.bounds.missing != Missing::Drop)
    }

    fn cell_by_cell(&self, kind: statistics::Kind) -> Result<Prepared, StatisticError> {
        let Setting { design, cells, grouped, filtered, mechanism, epsilon, delta } = self.setting.clone();
        let column = self.columns.first().map(|column| column.bounds.clone());
        let range = self.range.clone();
        let described =
            statistics::Statistic { kind, column, cells, grouped, filtered, mechanism, range, epsilon, delta };
        Ok(Prepared::Cells(Box::new(described.prepare(&design)?)))
    }

    pub(crate) fn spread(&self, measure: Measure) -> Result<Arc<dyn Compound>, StatisticError> {
        let [column] = &self.columns[..] else { return Err(StatisticError::NoBounds { kind: measure.name() }) };
        Spread { column: column.clone(), measure }.prepare(&self.setting)
    }

    fn matrix(&self, measure: covariance::Measure, route: MatrixRoute) -> Matrix {
        let route = match route {
            MatrixRoute::Entries => Route::Entrywise,
            MatrixRoute::Matrix => Route::Whole,
        };
        Matrix { columns: self.columns.clone(), measure, route }
    }

    fn combination(&self, weights: &[(Spanned<String>, Rational)], means: bool) -> Result<Single, StatisticError> {
        let of = if means { statistics::Measure::Means } else { statistics::Measure::Sums };
        let term =
            |(column, (_, weight)): (&Column, &(_, Rational))| Term { weight: weight.clone(), column: column.clone() };
        let terms = self.columns.iter().zip(weights).map(term).collect();
        LinearCombination { terms, of }.prepare(&self.setting)
    }

    /// A bin for each whole number between the bounds of the one column.
    fn unit_bins(&self) -> Result<Vec<Rational>, StatisticError> {
        match &self.columns[..] {
            [column] if self.whole => Quantiles::unit_bins(&column.bounds.lower, &column.bounds.upper),
            columns => {
                let column = columns.first().map_or_else(String::new, |column| column.name.clone());
                Err(StatisticError::NoEdges { column })
            }
        }
    }

    /// Rows without a value are in no bin, unless the plan gives them one.
    fn total_of_bins(&self) -> Total {
        let every_row = self.setting.rows().is_some() && self.imputed;
        if every_row { Total::Public } else { Total::Measured }
    }

    pub(crate) fn proportions(&self, rule: ProportionRule, total: ProportionTotal) -> ProportionVector {
        let total = match total {
            ProportionTotal::Listed => Total::Measured,
            ProportionTotal::Rows => Total::Public,
        };
        let releases = if rule == ProportionRule::MultipleSynthesis { RELEASES } else { 1 };
        let rule = match rule {
            ProportionRule::Simplex => Rule::SimplexProjection,
            ProportionRule::Rescaling | ProportionRule::MultipleSynthesis => Rule::Rescaling,
            ProportionRule::AllButOne => Rule::AllButOne { calculated: 0, negative: Negative::Zeroed },
            ProportionRule::UniversalHistogram => Rule::UniversalHistogram { fan_out: 2 },
            ProportionRule::Conditioning => Rule::Conditioning,
        };
        ProportionVector { rule, total, releases }
    }
}
