//! Histograms and quantiles as a release uses them.

use inbounds_core::{Answer, Rational, Tally};
use inbounds_mechanisms::{registry, sampler::SeededEntropy};
use inbounds_statistics::{
    Histogram, Setting, Simulated, Statistic, StatisticError,
    proportion::Total,
    quantile::{Layers, PreparedQuantiles, Quantiles, Values},
};

use crate::engine::clamped;

fn edges(bins: u32) -> Vec<Rational> {
    (0..=bins).map(|edge| Rational::from(u128::from(edge))).collect()
}

fn quantiles(bins: u32, probabilities: &[&str], rows: Option<u64>) -> Quantiles {
    Quantiles {
        edges: edges(bins),
        probabilities: probabilities.iter().map(|p| p.parse().expect("number")).collect(),
        total: if rows.is_some() { Total::Public } else { Total::Measured },
        values: Values::Real,
    }
}

fn moments(counts: &[i128]) -> Tally {
    Tally { counts: Answer::new(counts.to_vec()), sums: Vec::new(), products: Vec::new() }
}

/// Rows that thin out to the right, with an empty bin, and the bins of their order statistics.
fn skewed(bins: usize, rows: i128) -> Vec<i128> {
    let weights: Vec<f64> =
        (0..bins).map(|j| if j == 3 { 0.0 } else { (-4.0 * j as f64 / bins as f64).exp() }).collect();
    let all: f64 = weights.iter().sum();
    let mut counts: Vec<i128> = weights.iter().map(|weight| (weight / all * rows as f64) as i128).collect();
    counts[0] += rows - counts.iter().sum::<i128>();
    counts
}

fn bin_of(counts: &[i128], p: f64) -> usize {
    let rows = counts.iter().sum::<i128>() as f64;
    let mut below = 0;
    let reaches = |count: &i128| {
        below += count;
        below as f64 >= p * rows
    };
    counts.iter().position(reaches).expect("all rows are below the last edge")
}

/// The interval holds the bin of the order statistic. 150 draws: coverage 0.95 gives fewer than 129 with probability
/// 6e-6, over all comparisons with less than 1e-4.
#[test]
fn intervals_hold_the_order_statistic() {
    for (bins, rows, public) in [(20u32, 200, true), (20, 200, false), (80, 3000, true), (80, 3000, false)] {
        let public = public.then_some(rows as u64);
        let probabilities = ["0.1", "0.5", "0.9"];
        let prepared = quantiles(bins, &probabilities, public).prepare(&clamped(public, 1, "1")).expect("valid");
        assert_eq!(prepared.components().len(), if bins == 80 { 2 } else { 1 });
        let counts = skewed(bins as usize, rows);
        let mut entropy = SeededEntropy::from_seed(u64::from(bins));
        let (mut covered, mut width) = ([0.0; 3], 0.0);
        for seed in 0..150 {
            let measured = prepared.measure(moments(&counts), &mut entropy);
            let estimates = prepared.estimate(&measured, 0.95, seed);
            assert!(estimates.windows(2).all(|pair| pair[0].value <= pair[1].value));
            for ((covered, estimate), p) in covered.iter_mut().zip(&estimates).zip([0.1, 0.5, 0.9]) {
                let bin = bin_of(&counts, p) as f64;
                *covered += f64::from(u8::from(estimate.lower <= bin && bin + 1.0 <= estimate.upper));
                width += (estimate.upper - estimate.lower) / 450.0;
            }
        }
        assert!(covered.iter().all(|covered| *covered >= 129.0), "{bins} {public:?}: {covered:?}");
        assert!(width < 0.25 * f64::from(bins), "idle: {bins} {public:?}: {width}");
    }
}

/// A band that ignores the noise misses: the test above can fail.
#[test]
fn the_bin_of_the_estimate_alone_covers_too_little() {
    let prepared = quantiles(20, &["0.5"], Some(200)).prepare(&clamped(Some(200), 1, "0.2")).expect("valid");
    let counts = skewed(20, 200);
    let mut entropy = SeededEntropy::from_seed(4);
    let bin = bin_of(&counts, 0.5) as f64;
    let hits = (0..200).filter(|_| {
        let measured = prepared.measure(moments(&counts), &mut entropy);
        let point = prepared.point(&[measured[0].steps()])[0];
        (bin..=bin + 1.0).contains(&point)
    });
    assert!(hits.count() < 120);
}

#[test]
fn without_noise_quantiles_are_those_of_the_bins_in_every_cell() {
    let cells = [vec![10, 0, 10, 20], vec![0, 0, 0, 0], vec![0, 7, 0, 0]];
    for values in [Values::Real, Values::Whole] {
        let described = Quantiles { values, ..quantiles(4, &["0.25", "0.5", "0.75"], None) };
        let prepared: PreparedQuantiles = described.prepare(&clamped(None, 3, "1")).expect("valid");
        let exact = cells.concat();
        let wanted = match values {
            Values::Real => [1.0, 3.0, 3.5, 1.0, 2.0, 3.0, 1.25, 1.5, 1.75],
            // The last bin is closed: it holds 3 and 4.
            Values::Whole => [0.0, 2.0, 3.0, 0.0, 1.0, 2.0, 1.0, 1.0, 1.0],
        };
        assert_eq!(prepared.point(&[&exact]), wanted);
        assert_eq!(prepared.answers_at(&wanted, &[&exact])[0], exact);
        let raw = prepared.raw(&[&exact]);
        assert_eq!(raw[3..6], [None; 3]);
        assert_eq!((raw[0], raw[8]), (Some(wanted[0]), Some(wanted[8])));
        let names: Vec<String> = prepared.entries(0).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["0 to 1", "1 to 2", "2 to 3", "3 to 4"]);
        assert!(
            prepared
                .expected_errors(&Default::default())
                .iter()
                .all(|error| error.rmse.is_finite() && error.rmse > 0.0)
        );
    }
}

/// The table in the documentation of `Layers`.
#[test]
fn layers_are_chosen_by_their_error() {
    for (bins, error, sizes) in [(16, 2.8, 1), (64, 9.6, 2), (256, 20.1, 2), (1024, 41.1, 3)] {
        let chosen = Layers::choose(bins, true);
        assert!(
            (chosen.error() - error).abs() < 0.06 && chosen.sizes().len() == sizes,
            "{bins}: {} {:?}",
            chosen.error(),
            chosen.sizes()
        );
    }
}

/// Every data set of two rows in three bins of two cells, under both relations: each measured vector of a quantile over
/// 50 bins and of a histogram moves by at most its sensitivity, and some neighbour attains it.
#[test]
fn binned_counts_attain_their_sensitivity() {
    for rows in [Some(2u64), None] {
        let histogram = Histogram { edges: edges(3) }.prepare(&clamped(rows, 2, "1")).expect("valid");
        let stated = histogram.components()[0].mechanism.sensitivity();
        let places = 6;
        let counts = |set: &[usize]| {
            (0..places).map(|bin| set.iter().filter(|row| **row == bin).count() as i128).collect::<Vec<i128>>()
        };
        let mut largest = (0u128, 0u128, 0u64);
        // Place 6 is a row without a value.
        for (a, b, c) in (0..=places).flat_map(|a| (0..=places).flat_map(move |b| (0..=places).map(move |c| (a, b, c))))
        {
            let neighbour = if rows.is_some() { vec![a, c] } else { vec![a] };
            let pairs = counts(&[a, b]).into_iter().zip(counts(&neighbour));
            let changes: Vec<u128> = pairs.map(|(x, y)| x.abs_diff(y)).collect();
            largest.0 = largest.0.max(changes.iter().sum());
            largest.1 = largest.1.max(changes.iter().copied().max().unwrap_or(0));
            largest.2 = largest.2.max(changes.iter().filter(|change| **change > 0).count() as u64);
        }
        assert_eq!((stated.l1, stated.linf, stated.cells), largest, "{rows:?}");
    }
}

#[test]
fn what_divides_nothing_is_refused() {
    let valid = quantiles(4, &["0.5"], Some(10));
    let public = clamped(Some(10), 1, "1");
    let with = |change: fn(&mut Quantiles)| {
        let mut described = valid.clone();
        change(&mut described);
        described.prepare(&public).expect_err("refused")
    };
    assert!(matches!(with(|q| q.edges.truncate(1)), StatisticError::Edges { .. }));
    assert!(matches!(with(|q| q.edges.swap(0, 1)), StatisticError::Edges { .. }));
    assert!(matches!(with(|q| q.edges[1] = q.edges[0].clone()), StatisticError::Edges { .. }));
    assert!(matches!(with(|q| q.edges = edges(5000)), StatisticError::TooManyBins { found: 5000, .. }));
    assert_eq!(with(|q| q.probabilities[0] = Rational::ONE), StatisticError::Probability { found: 1.0 });
    assert_eq!(with(|q| q.probabilities[0] = Rational::ZERO), StatisticError::Probability { found: 0.0 });
    assert!(matches!(with(|q| q.probabilities.clear()), StatisticError::AtLeast { .. }));
    let filtered = Setting { filtered: true, ..public.clone() };
    assert!(matches!(valid.prepare(&filtered), Err(StatisticError::NoRows { .. })));
    let folded = Setting { mechanism: registry::find("folded").expect("registered").into(), ..public };
    assert!(matches!(valid.prepare(&folded), Err(StatisticError::RuleMechanism { .. })));
    assert!(matches!(Histogram { edges: Vec::new() }.prepare(&folded), Err(StatisticError::Edges { .. })));
}
