//! Distance by which a unit moves the measured numbers, found by measuring neighbours with the same noise, against what
//! the mechanism was calibrated to.
//!
//! Noise is added to the exact answers, so two measurements from the same seed differ by exactly what the answers
//! differ by, after all centring, coarsening and flooring. Every statistic goes through this, for every design.

use std::{collections::BTreeMap, sync::Arc};

use inbounds_core::{Answer, Neighbours, Rational, Tally};
use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_statistics::{
    Ask, Clip, ClipMissing, Column, ColumnBounds, CombinedMeasure, Contribution, Count, Design, Histogram,
    LinearCombination, Mean, Missing, OutputRange, PrivacyUnit, Setting, Share, Simulated, StandardDeviation,
    Statistic, StatisticError, Sum, Term, Variance,
    bayes::NaiveBayes,
    covariance::{Matrix, Measure, Route},
    proportion::{Negative, ProportionVector, ShareRule, Total},
    quantile::{Quantiles, Values},
};

use crate::engine::{column, public_rows};

/// A row: its listed cell, if it has one, and its values, if they are there.
#[derive(Debug, Clone)]
struct Row {
    cell: Option<usize>,
    values: Vec<Option<f64>>,
}

/// Exact answers over keys, with bins inside them.
fn answers(ask: &Ask, keys: usize, rows: &[Row]) -> Tally {
    let bins = ask.edges.as_ref().map_or(1, |edges| edges.len() - 1);
    let steps = |row: &Row| -> Option<Vec<i128>> {
        let one = |(clip, value): (&Clip, &Option<f64>)| match (value, clip.missing) {
            (Some(value), _) => {
                let steps = (value / clip.grid.spacing()).round() as i128;
                Some(steps.clamp(clip.lower.into(), clip.upper.into()))
            }
            (None, ClipMissing::Impute(steps)) => Some(steps.into()),
            (None, ClipMissing::Drop) => None,
        };
        ask.clips.iter().zip(&row.values).map(one).collect()
    };
    let cell = |row: &Row| -> Option<usize> {
        let Some(edges) = &ask.edges else { return row.cell };
        let value = row.values[0]?;
        let inner = &edges[1..edges.len() - 1];
        Some(row.cell? * bins + inner.iter().filter(|edge| edge.to_f64() <= value).count())
    };
    let counting: Vec<(usize, Vec<i128>)> = rows.iter().filter_map(|row| Some((cell(row)?, steps(row)?))).collect();
    let total = |quantity: &dyn Fn(&[i128]) -> i128| {
        let mut totals = vec![0; keys * bins];
        counting.iter().for_each(|(cell, steps)| totals[*cell] += quantity(steps));
        Answer::new(totals)
    };
    Tally {
        counts: total(&|_| 1),
        sums: (0..ask.clips.len()).map(|j| total(&|steps| steps[j])).collect(),
        products: ask.products.iter().map(|&(j, k)| total(&|steps| steps[j] * steps[k])).collect(),
    }
}

/// Seed of the noise of both sides.
const NOISE_SEED: u64 = 7;

/// Pairs of neighbours for each statistic and setting.
const TRIALS: usize = 40;

/// Draws of rows, most of them at corners, where neighbours differ most.
struct Source {
    entropy: SeededEntropy,
    keys: usize,
    /// True if every row has a listed cell.
    covered: bool,
}

const COLUMNS: [(&str, &str); 3] = [("0", "5"), ("-3", "4"), ("-2", "-1")];

impl Source {
    fn below(&mut self, n: usize) -> usize {
        (self.entropy.word() % n as u64) as usize
    }

    fn row(&mut self) -> Row {
        let values = COLUMNS.map(|(lower, upper)| {
            let (lower, upper): (f64, f64) = (lower.parse().expect("number"), upper.parse().expect("number"));
            match self.below(8) {
                0..3 => Some(lower),
                3..6 => Some(upper + 7.0),
                6 => Some(lower + (upper - lower) * self.below(1000) as f64 / 1000.0),
                _ => None,
            }
        });
        let cell = self.below(if self.covered { self.keys } else { self.keys + 1 });
        Row { cell: (cell < self.keys).then_some(cell), values: values.into() }
    }

    fn rows(&mut self, n: usize) -> Vec<Row> {
        (0..n).map(|_| self.row()).collect()
    }

    /// Rows that others join: usually several of one kind.
    fn others(&mut self, n: usize) -> Vec<Row> {
        if self.below(2) == 0 { self.rows(n) } else { vec![self.row(); n] }
    }
}

/// Both sides of a pair of neighbours.
fn neighbours(source: &mut Source, design: &Design) -> (Vec<Row>, Vec<Row>) {
    let most = design.rows_per_unit() as usize;
    let n = design.rows.map_or_else(|| source.below(12), |rows| rows as usize - 1);
    let others = source.others(n);
    let with = |unit: Vec<Row>| [others.clone(), unit].concat();
    let some = |source: &mut Source| {
        let rows = if design.rows.is_some() { 1 } else { source.below(most + 1) };
        source.others(rows)
    };
    match design.neighbours {
        Neighbours::AddRemove => (others.clone(), with(some(source))),
        Neighbours::Substitute => (with(some(source)), with(some(source))),
    }
}

fn columns(missing: &Missing) -> Vec<Column> {
    let named = |(j, (lower, upper)): (usize, &(&str, &str))| {
        let read = |text: &str| text.parse().expect("number");
        let bounds = ColumnBounds { lower: read(lower), upper: read(upper), integer: j != 1, missing: missing.clone() };
        Column { name: format!("x{j}"), bounds }
    };
    COLUMNS.iter().enumerate().map(named).collect()
}

type Prepared = Result<Arc<dyn Statistic>, StatisticError>;

/// Every statistic.
fn all(setting: &Setting, missing: &Missing) -> Vec<(&'static str, Prepared)> {
    fn any(prepared: Result<impl Statistic + 'static, StatisticError>) -> Prepared {
        Ok(Arc::new(prepared?))
    }
    fn shared(prepared: Result<Arc<dyn Simulated>, StatisticError>) -> Prepared {
        Ok(prepared?)
    }
    let columns = columns(missing);
    let range = OutputRange::Natural;
    let edges = || ["-1", "1", "2", "4", "6"].map(|edge| edge.parse().expect("number")).into();
    let matrix = |measure, route| shared(Matrix { columns: columns.clone(), measure, route }.prepare(setting));
    let terms = || -> Vec<Term> {
        let weights: [Rational; 3] = ["1/3", "-2", "0.25"].map(|weight| weight.parse().expect("number"));
        weights.into_iter().zip(columns.clone()).map(|(weight, column)| Term { weight, column }).collect()
    };
    let combination = |measure| any(LinearCombination { terms: terms(), measure }.prepare(setting));
    let quantiles = |total, edges| {
        let probabilities = vec![Rational::ratio(1, 2)];
        any(Quantiles { edges, probabilities, total, values: Values::Real }.prepare(setting))
    };
    let many = (0..=128).map(|edge| Rational::from(edge as i128 - 40)).collect();
    let proportions = |rule, total, releases| any(ProportionVector { rule, total, releases }.prepare(setting));
    let all_but_one = ShareRule::AllButOne { calculated: 1, negative: Negative::Zeroed };
    vec![
        ("count", any(Count::default().prepare(setting))),
        ("sum", Sum { column: columns[1].clone(), range: range.clone() }.prepare(setting)),
        ("mean", Mean { column: columns[0].clone(), range }.prepare(setting)),
        ("proportion", any(Share::default().prepare(setting))),
        ("variance", shared(Variance { column: columns[1].clone() }.prepare(setting))),
        ("standard deviation", shared(StandardDeviation { column: columns[0].clone() }.prepare(setting))),
        ("covariance", matrix(Measure::Covariance, Route::Entrywise)),
        ("correlation", matrix(Measure::Correlation, Route::Whole)),
        ("naive Bayes", any(NaiveBayes { features: columns.clone() }.prepare(setting))),
        ("histogram", any(Histogram { edges: edges() }.prepare(setting))),
        ("quantiles", quantiles(Total::Measured, edges())),
        ("quantiles in layers", quantiles(Total::Measured, many)),
        ("sums", combination(CombinedMeasure::Sums)),
        ("means", combination(CombinedMeasure::Means)),
        ("shares", proportions(ShareRule::SimplexProjection, Total::Measured, 2)),
        ("shares of all", proportions(ShareRule::Rescaling, Total::Public, 1)),
        ("shares but one", proportions(all_but_one, Total::Public, 1)),
        ("tree", proportions(ShareRule::UniversalHistogram { fan_out: 2 }, Total::Measured, 1)),
    ]
}

/// Every admissible unit, relation and way to leave rows out.
fn settings(epsilon: &str) -> Vec<Setting> {
    let units = [
        PrivacyUnit::Row,
        PrivacyUnit::Column(Contribution::of_rows(2)),
        PrivacyUnit::Column(Contribution::of_rows(3)),
    ];
    let mut settings = Vec::new();
    for (neighbours, rows) in [(Neighbours::AddRemove, None), (Neighbours::Substitute, None)] {
        for unit in units {
            for cells in [1, 2, 4] {
                let design = Design { neighbours, unit, rows };
                let grouped = cells > 1;
                settings.push(Setting { design, cells, grouped, filtered: true, ..public_rows(2, epsilon, "clamped") });
            }
        }
    }
    for rows in [2, 3, 8] {
        for (cells, filtered) in [(1, false), (1, true), (4, false)] {
            settings.push(Setting { cells, grouped: cells > 1, filtered, ..public_rows(rows, epsilon, "clamped") });
        }
    }
    settings
}

/// The largest l1 change of neighbours as a part of what is stated, of the component where it is least.
fn check(setting: &Setting, name: &str, statistic: &dyn Statistic, seed: u64) -> f64 {
    let (ask, components) = (statistic.ask(), statistic.components());
    let keys = setting.cells as usize;
    // Where keys must cover every row, they do.
    let covered = setting.covered_rows().is_some();
    let mut source = Source { entropy: SeededEntropy::from_seed(seed), keys, covered };
    let mut reached = vec![0f64; components.len()];
    for _ in 0..TRIALS {
        let (one, other) = neighbours(&mut source, &setting.design);
        let measure =
            |rows: &[Row]| statistic.measure(answers(&ask, keys, rows), &mut SeededEntropy::from_seed(NOISE_SEED));
        let pairs = measure(&one).into_iter().zip(measure(&other));
        for (((a, b), component), reached) in pairs.zip(&components).zip(&mut reached) {
            let stated = component.mechanism.sensitivity();
            let moved: Vec<u128> = a.steps().iter().zip(b.steps()).map(|(a, b)| a.abs_diff(*b)).collect();
            let (l1, linf) = (moved.iter().sum::<u128>(), moved.iter().copied().max().unwrap_or(0));
            let cells = moved.iter().filter(|moved| **moved > 0).count() as u64;
            assert!(
                l1 <= stated.l1 && linf <= stated.linf && cells <= stated.cells,
                "{name}, {}: {l1} {linf} {cells}, {stated:?}, {setting:?}, {one:?} {other:?}",
                component.role
            );
            *reached = reached.max(l1 as f64 / stated.l1 as f64);
        }
    }
    reached.into_iter().fold(1.0, f64::min)
}

/// Of all statistics but two, neighbours are found that move every component by at least half of what is stated, so
/// that a sensitivity half as large would not pass. A scatter comes near its own with many rows only, and the root of a
/// tree does not move where keys cover every row.
#[test]
fn no_unit_moves_an_answer_further_than_its_noise_was_calibrated_to() {
    let mut largest = BTreeMap::new();
    for (seed, epsilon) in ["1e-8", "0.5", "40"].into_iter().enumerate() {
        for setting in settings(epsilon) {
            for missing in [Missing::Drop, Missing::Impute(Rational::from(-1i128))] {
                for (name, prepared) in all(&setting, &missing) {
                    let Ok(statistic) = prepared else { continue };
                    let reached = check(&setting, name, &*statistic, seed as u64);
                    let entry = largest.entry(name).or_insert(reached);
                    *entry = reached.max(*entry);
                }
            }
        }
    }
    assert_eq!(largest.len(), 18, "every statistic has a setting: {largest:?}");
    assert!(largest.values().all(|reached| *reached > 0.5), "{largest:?}");
}

/// Bounds whose squares or scales leave the doubles are refused before anything is measured.
#[test]
fn bounds_beyond_doubles_are_refused() {
    let design = Design { neighbours: Neighbours::Substitute, unit: PrivacyUnit::Row, rows: Some(2) };
    for (lower, upper) in [("-1e300", "1e300"), ("0", "1e60"), ("0", "1e-60")] {
        let columns = ["a", "b"].map(|name| column(name, lower, upper));
        for mechanism in ["clamped", "clamped-gaussian"] {
            let setting = Setting { design, ..public_rows(2, "300", mechanism) };
            for route in [Route::Entrywise, Route::Whole] {
                let matrix = Matrix { columns: columns.clone().into(), measure: Measure::Covariance, route };
                let refused = matrix.prepare(&setting).expect_err("too wide or too narrow");
                assert!(matches!(refused, StatisticError::SquaresTooWide { .. }), "{lower} {upper}: {refused}");
            }
        }
    }
    let unit = PrivacyUnit::Column(Contribution::of_rows(1 << 20));
    let design = Design { neighbours: Neighbours::AddRemove, unit, rows: None };
    let terms = vec![Term { weight: Rational::ONE, column: column("a", "-1e300", "1e300") }];
    let sum = LinearCombination { terms, measure: CombinedMeasure::Sums };
    let refused = sum.prepare(&Setting { design, ..public_rows(2, "1e-4", "clamped") }).expect_err("too wide");
    assert!(matches!(refused, StatisticError::Bounds { .. }), "{refused}");
}
