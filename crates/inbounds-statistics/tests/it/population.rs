//! Intervals for population parameters against samples drawn from populations, row by row.
//!
//! Coverage may fall short of the level by 4.5 standard errors, so that each comparison fails by chance with
//! probability below 1e-5, over fixed seeds. An interval that forgets the sampling error must fail the same test.

use inbounds_core::Tally;
use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};
use inbounds_statistics::{
    Component, Mean, OutputRange, Statistic, StatisticError, Variance,
    covariance::{Matrix, Measure, Route},
    population::{self, Interval, KnownVariance, Measured, NoInterval, Population, Study},
    proportion::population_share,
};

use crate::engine::{column, one_column, private_rows, public_rows, tally, whole_column};

const LEVEL: f64 = 0.95;

/// A uniform number in (0, 1).
fn uniform(entropy: &mut dyn Entropy) -> f64 {
    ((entropy.word() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// A standard normal number, by Box and Muller.
fn normal(entropy: &mut dyn Entropy) -> f64 {
    let (u, v) = (uniform(entropy), uniform(entropy));
    (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

/// Variance of a standard normal variable clipped at `-c` and `c`, by quadrature.
fn clipped_variance(c: f64) -> f64 {
    let step = 1e-4;
    let points = (0..200_000).map(|i| -10.0 + (f64::from(i) + 0.5) * step);
    points.map(|z| z.clamp(-c, c).powi(2) * (-0.5 * z * z).exp() * step / std::f64::consts::TAU.sqrt()).sum()
}

/// The component of a mean of values in `[0, upper]` over `rows` rows.
fn mean_component(rows: u64, epsilon: &str, mechanism: &str, upper: &str, integer: bool) -> Component {
    let column = if integer { whole_column("x", "0", upper) } else { column("x", "0", upper) };
    let mean = Mean { column, range: OutputRange::Natural };
    mean.prepare(&public_rows(rows, epsilon, mechanism)).expect("valid").components()[0].clone()
}

/// One measurement of a mean.
fn measure(component: &Component, mean: f64, entropy: &mut dyn Entropy) -> i128 {
    component.mechanism.measure(&[(mean / component.step()).round() as i128], entropy)[0]
}

/// The interval that noise alone would have.
fn noise_only(measured: &Measured, level: f64) -> Interval {
    let interval = measured.component.mechanism.interval(measured.steps, level);
    let end = |steps: Option<i128>, open: f64| steps.map_or(open, |steps| measured.component.value(steps));
    Interval { lower: end(interval.lower, f64::NEG_INFINITY), upper: end(interval.upper, f64::INFINITY) }
}

/// Share of covered runs, of the interval and of the one that forgets sampling.
fn coverage(runs: usize, seed: u64, mut run: impl FnMut(&mut SeededEntropy) -> (bool, bool)) -> (f64, f64) {
    let mut entropy = SeededEntropy::from_seed(seed);
    let (mut ours, mut control) = (0, 0);
    for _ in 0..runs {
        let (covered, without) = run(&mut entropy);
        ours += usize::from(covered);
        control += usize::from(without);
    }
    (ours as f64 / runs as f64, control as f64 / runs as f64)
}

/// The least coverage that passes.
fn least(runs: usize) -> f64 {
    LEVEL - 4.5 * (LEVEL * (1.0 - LEVEL) / runs as f64).sqrt()
}

/// Liu's second study: proportions of 0.1, 0.2, 0.3, 0.4 in 50 to 500 rows.
#[test]
fn proportions_are_covered() {
    const RUNS: usize = 200;
    let mut control_failures = 0;
    for (case, (rows, epsilon, p, mechanism)) in [
        (50, "0.1", 0.1, "clamped"),
        (50, "1", 0.1, "clamped"),
        (50, "1", 0.4, "conditioned"),
        (200, "0.1", 0.1, "conditioned"),
        (500, "0.1", 0.4, "clamped"),
        (500, "1", 0.1, "clamped-gaussian"),
    ]
    .into_iter()
    .enumerate()
    {
        let component = mean_component(rows, epsilon, mechanism, "1", true);
        let (ours, control) = coverage(RUNS, case as u64, |entropy| {
            let ones = (0..rows).filter(|_| uniform(entropy) < p).count();
            let steps = measure(&component, ones as f64 / rows as f64, entropy);
            let measured = Measured { component: &component, steps };
            let interval = population::proportion(&measured, rows, LEVEL).expect("valid");
            (interval.contains(p), noise_only(&measured, LEVEL).contains(p))
        });
        assert!(ours >= least(RUNS), "{rows} {epsilon} {p} {mechanism}: {ours}");
        control_failures += usize::from(control < least(RUNS));
    }
    // Where noise is small beside sampling, forgetting the latter shows.
    assert!(control_failures >= 2, "{control_failures}");
}

/// Skewed values, `10 u^3`, of mean 2.5 and variance 8.04.
#[test]
fn means_are_covered() {
    const RUNS: usize = 200;
    for (case, (rows, epsilon, mechanism)) in
        [(50, "1", "clamped"), (200, "0.1", "conditioned"), (800, "5", "clamped")].into_iter().enumerate()
    {
        let component = mean_component(rows, epsilon, mechanism, "10", false);
        let spread = Variance { column: column("x", "0", "10") };
        let spread = spread.prepare(&public_rows(rows, epsilon, "clamped")).expect("valid");
        for from_bounds in [true, false] {
            let (ours, control) = coverage(RUNS, case as u64, |entropy| {
                let values: Vec<f64> = (0..rows).map(|_| 10.0 * uniform(entropy).powi(3)).collect();
                let steps = measure(&component, values.iter().sum::<f64>() / rows as f64, entropy);
                let measured = Measured { component: &component, steps };
                let moments = tally(&*spread, &one_column(&values));
                let spreads = spread.measure(moments, entropy);
                let known = Measured { component: spread.components()[0], steps: spreads[0].steps()[0] };
                let spread = if from_bounds { KnownVariance::Bounds } else { KnownVariance::Measured(&known) };
                let interval = population::mean(&measured, rows, (0.0, 10.0), spread, LEVEL).expect("valid");
                (interval.contains(2.5), noise_only(&measured, LEVEL).contains(2.5))
            });
            assert!(ours >= least(RUNS), "{rows} {epsilon} {mechanism} {from_bounds}: {ours}");
            assert!(epsilon != "5" || control < least(RUNS), "{control}");
        }
    }
}

/// Normal columns of Liu's first study: variances 1 and 2, bounds `[-3, 3]` and `[-4.5, 4.5]`, epsilon 1/3 an entry,
/// and more.
#[test]
fn variances_and_covariances_are_covered() {
    const RUNS: usize = 100;
    let bounds = [(-3.0, 3.0), (-4.5, 4.5)];
    let truth = [clipped_variance(3.0), 2.0 * clipped_variance(4.5 / 2f64.sqrt())];
    for (case, (rows, epsilon, r)) in
        [(50, "1", 0.7), (200, "1", -0.4), (800, "1", 0.0), (800, "60", 0.7)].into_iter().enumerate()
    {
        let columns = vec![column("x", "-3", "3"), column("y", "-4.5", "4.5")];
        let matrix = Matrix { columns, measure: Measure::Covariance, route: Route::Entrywise };
        let prepared = matrix.prepare(&public_rows(rows, epsilon, "clamped")).expect("valid");
        let components = prepared.components();
        // Clipping takes next to nothing from the covariance.
        let covariance = r * (truth[0] * truth[1]).sqrt();
        let mut covered = [[0; 2]; 2];
        let mut entropy = SeededEntropy::from_seed(case as u64);
        for _ in 0..RUNS {
            let moments = sample(&*prepared, rows, r, &mut entropy);
            let measured = prepared.measure(moments, &mut entropy);
            let measured: Vec<Measured> = (0..3)
                .map(|entry| Measured { component: components[entry], steps: measured[entry].steps()[0] })
                .collect();
            let of_variance = population::variance(&measured[0], rows, bounds[0], LEVEL).expect("valid");
            let of_both = [&measured[0], &measured[1], &measured[2]];
            let of_covariance = population::covariance(of_both, rows, bounds, LEVEL).expect("valid");
            covered[0][0] += usize::from(of_variance.contains(truth[0]));
            covered[0][1] += usize::from(noise_only(&measured[0], LEVEL).contains(truth[0]));
            covered[1][0] += usize::from(of_covariance.contains(covariance));
            covered[1][1] += usize::from(noise_only(&measured[1], LEVEL).contains(covariance));
        }
        let share = |count: usize| count as f64 / RUNS as f64;
        for [ours, control] in covered {
            assert!(share(ours) >= least(RUNS), "{rows} {epsilon} {r}: {covered:?}");
            assert!(epsilon != "60" || share(control) < least(RUNS), "{rows} {epsilon} {r}: {covered:?}");
        }
    }
}

/// A private number of normal rows of variance 1 and mean 1/2, bounds `[-5, 5]`: variance and mean, and the intervals
/// that are simulated for the rows alone.
#[test]
fn private_rows_are_covered() {
    const RUNS: usize = 200;
    for (case, (rows, epsilon)) in [(50, "1"), (200, "1"), (800, "3"), (200, "300")].into_iter().enumerate() {
        let spread = Variance { column: column("x", "-5", "5") };
        let prepared = spread.prepare(&private_rows(1, epsilon, "clamped")).expect("valid");
        let mut covered = [[0; 2]; 2];
        let mut entropy = SeededEntropy::from_seed(case as u64);
        for seed in 0..RUNS as u64 {
            let values: Vec<f64> = (0..rows).map(|_| 0.5 + normal(&mut entropy)).collect();
            let measured = prepared.measure(tally(&*prepared, &one_column(&values)), &mut entropy);
            let intervals = prepared.population_intervals(&measured, LEVEL, seed).expect("a variance");
            let intervals = [intervals[0], intervals[1]].map(|interval| interval.expect("variance and mean have one"));
            let control = prepared.estimate(&measured, LEVEL, seed);
            for (parameter, truth) in [1.0, 0.5].into_iter().enumerate() {
                covered[parameter][0] += usize::from(intervals[parameter].contains(truth));
                let within = control[parameter].lower <= truth && truth <= control[parameter].upper;
                covered[parameter][1] += usize::from(within);
            }
        }
        let share = |count: usize| count as f64 / RUNS as f64;
        for [ours, control] in covered {
            assert!(share(ours) >= least(RUNS), "{rows} {epsilon}: {covered:?}");
            assert!(epsilon != "300" || share(control) < least(RUNS), "{rows} {epsilon}: {covered:?}");
        }
    }
    let both = Matrix {
        columns: vec![column("x", "0", "1"), column("y", "0", "1")],
        measure: Measure::Covariance,
        route: Route::Whole,
    };
    let other = both.prepare(&private_rows(1, "1", "clamped")).expect("valid");
    let refused = StatisticError::NoPopulation(NoInterval::CovariancesOfPrivateRows);
    assert_eq!(other.population_intervals(&[], LEVEL, 0), Err(refused));
}

/// Answers about a sample of two correlated normal columns.
fn sample(prepared: &dyn Statistic, rows: u64, r: f64, entropy: &mut dyn Entropy) -> Tally {
    let row = |_| {
        let (u, v) = (normal(entropy), normal(entropy));
        (0, vec![u, 2f64.sqrt() * (r * u + (1.0 - r * r).sqrt() * v)])
    };
    tally(prepared, &(0..rows).map(row).collect::<Vec<_>>())
}

/// With more rows and more epsilon the intervals close in.
#[test]
fn intervals_shrink() {
    let width = |rows: u64, epsilon: &str| {
        let component = mean_component(rows, epsilon, "clamped", "1", true);
        let measured = Measured { component: &component, steps: i128::from(rows / 5) };
        let interval = population::proportion(&measured, rows, LEVEL).expect("valid");
        interval.upper - interval.lower
    };
    assert!(width(50, "1") > 1.5 * width(200, "1") && width(50, "0.1") > 2.0 * width(50, "1"));
    // With next to no noise it is the interval of Clopper and Pearson for 10 of 50.
    assert!((width(50, "60") - (0.3372 - 0.1003)).abs() < 1e-3, "{}", width(50, "60"));
}

/// The errors that a study states for sizes are those of samples drawn row by row.
#[test]
fn studies_agree_with_rows() {
    const RUNS: usize = 300;
    let rows = 60;
    let prepare = |rows: u64| Ok(vec![mean_component(rows, "0.5", "clamped", "1", true)]);
    let study = Study { population: Population::Proportion { p: 0.05 }, level: LEVEL, replicates: RUNS, seed: 4 };
    let at = study.at_sizes(&[rows, 4 * rows, 64 * rows], prepare).expect("valid");
    let component = &prepare(rows).expect("valid")[0];
    let mut entropy = SeededEntropy::from_seed(99);
    let errors: Vec<f64> = (0..RUNS)
        .map(|_| {
            let ones = (0..rows).filter(|_| uniform(&mut entropy) < 0.05).count();
            let steps = measure(component, ones as f64 / rows as f64, &mut entropy);
            component.value(component.mechanism.estimate(steps).whole) - 0.05
        })
        .collect();
    let bias = errors.iter().sum::<f64>() / RUNS as f64;
    assert!((bias - at[0].bias).abs() < 4.5 * 1.5 * at[0].bias_error, "{bias} {at:?}");
    assert!(at.iter().all(|at| at.coverage >= least(RUNS)), "{at:?}");
    // Consistency: bias and error go to zero.
    assert!(at[0].rmse > 1.8 * at[1].rmse && at[1].rmse > 3.0 * at[2].rmse, "{at:?}");
    assert!(at[2].bias.abs() < 4.5 * at[2].bias_error, "{at:?}");
}

#[test]
fn studies_of_moments_cover() {
    const RUNS: usize = 30;
    let variance = |rows: u64| {
        let spread = Variance { column: column("x", "-3", "3") };
        Ok(spread.prepare(&public_rows(rows, "1", "clamped"))?.components().into_iter().cloned().collect())
    };
    let population = Population::Variance { variance: 0.8, bounds: (-3.0, 3.0) };
    let study = Study { population, level: LEVEL, replicates: RUNS, seed: 4 };
    let at = study.at_sizes(&[50, 800], variance).expect("valid");
    assert!(at[0].rmse > 4.0 * at[1].rmse && at.iter().all(|at| at.coverage >= least(RUNS)), "{at:?}");
    let covariance = |rows: u64| {
        let columns = vec![column("x", "-3", "3"), column("y", "-3", "3")];
        let matrix = Matrix { columns, measure: Measure::Covariance, route: Route::Entrywise };
        Ok(matrix.prepare(&public_rows(rows, "3", "clamped"))?.components().into_iter().cloned().collect())
    };
    let population = Population::Covariance { variances: [0.8, 0.8], correlation: 0.5, bounds: [(-3.0, 3.0); 2] };
    let at = Study { population, ..study }.at_sizes(&[50, 800], covariance).expect("valid");
    assert!(at[0].rmse > 3.0 * at[1].rmse && at.iter().all(|at| at.coverage >= least(RUNS)), "{at:?}");
    assert!(at[1].bias.abs() < 4.5 * at[1].bias_error + 0.01, "{at:?}");
}

#[test]
fn bad_levels_and_sizes_are_answered() {
    let component = mean_component(50, "1", "clamped", "1", true);
    let measured = Measured { component: &component, steps: 10 };
    for level in [0.0, 1.0, f64::NAN, -3.0] {
        assert!(matches!(population::proportion(&measured, 50, level), Err(StatisticError::Core(_))), "{level}");
    }
    let few = population::variance(&measured, 1, (0.0, 1.0), LEVEL).expect_err("one row");
    assert_eq!(few, StatisticError::TooFewRows { kind: "variance", rows: 1 });
    // A measurement that no parameter explains still has an interval inside the range.
    let far = Measured { component: &component, steps: 10_000 };
    let interval = population::proportion(&far, 50, LEVEL).expect("valid");
    assert_eq!((interval.lower, interval.upper), (1.0, 1.0));
}

/// The interval of a proportion and that of a share of a vector invert the same test by different sums, so they are the
/// same to the lattice of the coarser one, for mechanisms of either kind and measurements beyond either end.
#[test]
fn a_proportion_and_a_share_have_the_same_interval() {
    for mechanism in ["clamped", "conditioned", "clamped-staircase", "clamped-gaussian"] {
        for rows in [2u64, 50, 2000] {
            let component = mean_component(rows, "0.5", mechanism, "1", true);
            let n = rows as i128;
            let inside = if mechanism == "conditioned" { 0..=n } else { -9..=n + 9 };
            for steps in [-9, 0, 1, n / 7, n / 2, n - 1, n, n + 9].into_iter().filter(|steps| inside.contains(steps)) {
                let measured = Measured { component: &component, steps };
                let one = population::proportion(&measured, rows, LEVEL).expect("valid");
                let (lower, upper) = population_share(&*component.mechanism, steps, rows, LEVEL);
                let apart = (one.lower - lower).abs().max((one.upper - upper).abs());
                assert!(apart < 5e-7, "{mechanism} {rows} {steps}: {one:?} {lower} {upper}");
            }
        }
    }
}
