//! Covariance and correlation matrices: exact answers, Liu's study, coverage and constraints of what runs.
//!
//! Each comparison fails by chance with probability below 1e-5 (4.5 standard errors), over fixed seeds.

use std::{fs, path::Path, sync::Arc};

use inbounds_mechanisms::{mechanism::Measurements, sampler::SeededEntropy};
use inbounds_project::{
    constraint::{MatrixConstraint, Symmetric},
    psd,
};
use inbounds_statistics::{
    Setting, Simulated, StatisticError,
    covariance::{Matrix, Measure, Route, compare},
};
use serde_json::Value;

use crate::engine::{column, private_rows, public_rows, tally};

fn matrix(names: &[&str], measure: Measure, route: Route) -> Matrix {
    Matrix { columns: names.iter().map(|name| column(name, "-3", "3")).collect(), measure, route }
}

/// Rows of `d` columns with correlations of both signs.
fn rows(n: usize, d: usize) -> Vec<(usize, Vec<f64>)> {
    let value =
        |i: usize, j: usize| (i as f64 * (0.7 + 0.1 * j as f64)).sin() + (i as f64 * 0.3).cos() * (j as f64 - 0.8);
    (0..n).map(|i| (0, (0..d).map(|j| value(i, j)).collect())).collect()
}

/// Entries on and above the diagonal.
fn covariances(rows: &[(usize, Vec<f64>)], divisor: f64) -> Vec<f64> {
    let n = rows.len() as f64;
    let d = rows[0].1.len();
    let mean = |j: usize| rows.iter().map(|(_, row)| row[j]).sum::<f64>() / n;
    let entry = |(j, k): (usize, usize)| {
        rows.iter().map(|(_, row)| (row[j] - mean(j)) * (row[k] - mean(k))).sum::<f64>() / divisor
    };
    (0..d).flat_map(|j| (j..d).map(move |k| (j, k))).map(entry).collect()
}

/// The distance of entries, with ones on the diagonal for correlations, from the nearest semidefinite matrix.
fn indefiniteness(entries: &[f64], size: usize, unit_diagonal: bool) -> f64 {
    let place = |j: usize, k: usize| {
        let (j, k) = (j.min(k), j.max(k));
        j * size - j * (j + 1) / 2 + k
    };
    let at = |i: usize| {
        let (j, k) = (i / size, i % size);
        if unit_diagonal && j == k { 1.0 } else { entries[place(j, k)] }
    };
    let matrix = Symmetric::from_rows(size, (0..size * size).map(at).collect()).expect("symmetric");
    let solution = psd::project(&matrix, &MatrixConstraint::semidefinite(), psd::Method::Newton).expect("finite");
    matrix.distance(&solution.matrix.expect("feasible"))
}

#[test]
fn without_noise_estimates_are_the_statistic() {
    let (n, names) = (40usize, ["a", "b", "c"]);
    let rows = rows(n, 3);
    for (route, mechanism) in [
        (Route::Entrywise, "clamped"),
        (Route::Entrywise, "conditioned"),
        (Route::Whole, "clamped"),
        (Route::Whole, "clamped-gaussian"),
    ] {
        let prepared = matrix(&names, Measure::Covariance, route).prepare(&public_rows(n as u64, "4000", mechanism));
        let prepared = prepared.expect("valid");
        let measured = prepared.measure(tally(&*prepared, &rows), &mut SeededEntropy::from_seed(1));
        for (got, truth) in prepared.estimate(&measured, 0.95, 1).iter().zip(covariances(&rows, n as f64 - 1.0)) {
            assert!((got.value - truth).abs() < 0.12, "{route:?} {mechanism}: {got:?} {truth}");
        }
    }
    let setting = private_rows(1, "1000", "clamped");
    let prepared = matrix(&names, Measure::Correlation, Route::Whole).prepare(&setting).expect("valid");
    let measured = prepared.measure(tally(&*prepared, &rows), &mut SeededEntropy::from_seed(1));
    let got = prepared.estimate(&measured, 0.95, 1);
    let truth = covariances(&rows, n as f64);
    assert!((got[0].value - truth[0]).abs() < 0.05);
    assert!((got[1].value - truth[1] / (truth[0] * truth[3]).sqrt()).abs() < 0.05, "{:?} {truth:?}", got[1]);
    assert_eq!(prepared.outputs()[1].quantity.to_string(), "correlation of a and b");
    assert_eq!(got.len(), 6 + 3 + 1);
}

fn liu() -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../refs/tables/s7_liu_study1_covariance.json");
    let table: Value = serde_json::from_str(&fs::read_to_string(path).expect("table")).expect("JSON");
    table["rows"].as_array().expect("rows").clone()
}

/// Variances 1 and 2, covariance `r sqrt(2)`, bounds `[-3, 3]` and `[-4.5, 4.5]`, epsilon 1/3 an entry.
fn study(n: u64, mechanism: &str, measure: Measure) -> Arc<dyn Simulated> {
    let columns = vec![column("x", "-3", "3"), column("y", "-4.5", "4.5")];
    let matrix = Matrix { columns, measure, route: Route::Entrywise };
    matrix.prepare(&public_rows(n, "1", mechanism)).expect("valid")
}

/// Mean and standard error of what `value` makes of each draw, where it makes something.
fn mean_of(draws: &[Vec<f64>], value: impl Fn(&[f64]) -> Option<f64>) -> (f64, f64) {
    let values: Vec<f64> = draws.iter().filter_map(|draw| value(draw)).collect();
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / n;
    (mean, (variance / n).sqrt())
}

/// Estimates of `draws` measurements of fixed covariances.
fn draws(prepared: &dyn Simulated, truth: &[f64], draws: usize) -> Vec<Vec<f64>> {
    let mut entropy = SeededEntropy::from_seed(11);
    let answers = prepared.answers_at(truth, &[]);
    let draw = |_| {
        let components = prepared.components();
        let steps = components.iter().zip(&answers).map(|(c, answers)| c.mechanism.measure(answers, &mut entropy));
        let steps: Vec<Vec<i128>> = steps.collect();
        prepared.point(&steps.iter().map(Vec::as_slice).collect::<Vec<_>>())
    };
    (0..draws).map(draw).collect()
}

#[test]
fn lius_study_of_a_covariance_matrix() {
    let mut compared = 0;
    for row in liu() {
        let number = |key: &str| row[key].as_f64().expect("number");
        let (n, r) = (number("n") as u64, number("r"));
        let mechanism = match row["mechanism"].as_str() {
            Some("bit") => "clamped",
            Some("trunc_exact") => "conditioned",
            // The scale of the paper is not private, so there is no such mechanism here.
            _ => continue,
        };
        let truth = [1.0, r * 2f64.sqrt(), 2.0];
        let draws = draws(&*study(n, mechanism, Measure::Covariance), &truth, 4000);
        let mut compare = |name: &str, estimate: (f64, f64)| {
            let (mean, error) = (number(&format!("{name}_mean")), number(&format!("{name}_mean_se")));
            let tolerance = 4.5 * error.hypot(estimate.1);
            assert!((estimate.0 - mean).abs() < tolerance, "{n} {r} {mechanism} {name}: {estimate:?} {mean}");
            compared += 1;
        };
        compare("S11", mean_of(&draws, |draw| Some(draw[0])));
        compare("S22", mean_of(&draws, |draw| Some(draw[2])));
        if mechanism == "clamped" {
            compare("S12", mean_of(&draws, |draw| Some(draw[1])));
            let correlation =
                |draw: &[f64]| (draw[0] > 0.0 && draw[2] > 0.0).then(|| draw[1] / (draw[0] * draw[2]).sqrt());
            compare("r", mean_of(&draws, correlation));
            let (undefined, error) = mean_of(&draws, |draw| Some(f64::from(u8::from(draw[0] * draw[2] == 0.0))));
            assert!((undefined - number("r_undefined_fraction")).abs() < 4.5 * error.max(1e-3), "{n} {r}: {undefined}");
        }
    }
    assert_eq!(compared, 15 * 4 + 15 * 2);
}

/// The comparison above tells the papers' scale from the one that is private.
#[test]
fn the_papers_scale_is_told_apart() {
    let papers = liu().into_iter().find(|row| row["mechanism"] == "trunc_liu" && row["n"] == 50).expect("a row");
    let (own_mean, error) =
        mean_of(&draws(&*study(50, "conditioned", Measure::Covariance), &[1.0, 0.0, 2.0], 4000), |d| Some(d[0]));
    assert!((own_mean - papers["S11_mean"].as_f64().expect("number")).abs() > 10.0 * error, "{own_mean} {error}");
}

#[test]
fn estimates_are_semidefinite_and_inside_their_ranges() {
    let names = ["a", "b", "c", "d"];
    let rows = rows(30, 4);
    let settings = [
        (Route::Entrywise, public_rows(30, "2", "clamped")),
        (Route::Entrywise, public_rows(30, "4", "conditioned")),
        (Route::Whole, public_rows(30, "2", "clamped")),
        (Route::Whole, private_rows(1, "2", "clamped")),
    ];
    for (route, setting) in settings {
        for measure in [Measure::Covariance, Measure::Correlation] {
            let prepared = matrix(&names, measure, route).prepare(&setting).expect("valid");
            for seed in 0..100 {
                let measured = prepared.measure(tally(&*prepared, &rows), &mut SeededEntropy::from_seed(seed));
                let steps: Vec<&[i128]> = measured.iter().map(Measurements::steps).collect();
                let point = prepared.point(&steps);
                let away = indefiniteness(&point, 4, measure == Measure::Correlation);
                assert!(away < 1e-9, "{route:?} {measure:?}: {away} {point:?}");
                for (value, (lower, upper)) in point.iter().zip(prepared.ranges()) {
                    assert!((lower..=upper).contains(value), "{route:?} {measure:?}: {value} [{lower}, {upper}]");
                }
            }
        }
    }
}

/// A noisy variance of exactly zero is said: no raw correlation, no number out of nothing, the interval is all there
/// is.
#[test]
fn undefined_correlations_are_said() {
    let prepared = study(50, "clamped", Measure::Correlation);
    let published = |steps: [i128; 3]| {
        let components = prepared.components();
        let measured: Vec<Measurements> = components
            .iter()
            .zip(steps)
            .map(|(component, steps)| Measurements::from_published(component.mechanism.clone(), vec![steps]))
            .collect();
        prepared.estimate(&measured, 0.95, 1)[1]
    };
    let steps = |values: &[f64]| -> Vec<i128> { prepared.answers_at(values, &[]).concat() };
    let usual = steps(&[1.0, 0.5, 2.0]);
    let defined = published([usual[0], usual[1], usual[2]]);
    assert!((defined.value - 0.5).abs() < 1e-6 && defined.measurement.is_some(), "{defined:?}");
    let undefined = published([-usual[0], usual[1], usual[2]]);
    assert_eq!((undefined.value, undefined.measurement), (0.0, None));
    assert_eq!((undefined.lower, undefined.upper), (-1.0, 1.0));
}

const REPLICATES: usize = 150;

/// Coverage of every output may fall short of 0.9 by 4.5 standard errors.
#[test]
fn intervals_cover() {
    let rows = rows(200, 3);
    let cases: [(Measure, Route, Setting, f64); 7] = [
        (Measure::Covariance, Route::Entrywise, public_rows(200, "1", "clamped"), 199.0),
        (Measure::Covariance, Route::Entrywise, public_rows(200, "1", "conditioned"), 199.0),
        (Measure::Covariance, Route::Whole, public_rows(200, "1", "clamped-gaussian"), 199.0),
        (Measure::Correlation, Route::Entrywise, public_rows(200, "1", "clamped"), 199.0),
        (Measure::Covariance, Route::Whole, private_rows(1, "3", "clamped"), 200.0),
        // Variances are known here, and not there.
        (Measure::Correlation, Route::Entrywise, private_rows(1, "20", "clamped"), 200.0),
        (Measure::Correlation, Route::Entrywise, private_rows(1, "3", "clamped"), 200.0),
    ];
    for (measure, route, setting, divisor) in cases {
        let mut truth = covariances(&rows, divisor);
        if measure == Measure::Correlation {
            let variances = [truth[0], truth[3], truth[5]];
            for (at, j, k) in [(1, 0, 1), (2, 0, 2), (4, 1, 2)] {
                truth[at] /= f64::sqrt(variances[j] * variances[k]);
            }
        }
        let prepared = matrix(&["a", "b", "c"], measure, route).prepare(&setting).expect("valid");
        let mut covered = vec![0.0; truth.len()];
        let mut entropy = SeededEntropy::from_seed(5);
        for seed in 0..REPLICATES {
            let measured = prepared.measure(tally(&*prepared, &rows), &mut entropy);
            for ((covered, estimate), truth) in
                covered.iter_mut().zip(prepared.estimate(&measured, 0.9, seed as u64)).zip(&truth)
            {
                *covered +=
                    f64::from(u8::from(estimate.lower <= *truth && *truth <= estimate.upper)) / REPLICATES as f64;
            }
        }
        let least = 0.9 - 4.5 * (0.09 / REPLICATES as f64).sqrt();
        assert!(covered.iter().all(|covered| *covered >= least), "{measure:?} {route:?}: {covered:?}");
    }
}

/// Laplace noise is the same on either route, so only what is done with the range differs; Gaussian noise is not.
#[test]
fn routes_are_compared() {
    for (mechanism, n, d, least, most) in [
        ("clamped", 100, 2, 0.95, 1.15),
        ("clamped", 1000, 3, 0.95, 1.05),
        ("clamped", 1000, 6, 0.95, 1.15),
        ("clamped-gaussian", 1000, 3, 0.4, 0.5),
    ] {
        let names = ["a", "b", "c", "d", "e", "f"];
        let description = matrix(&names[..d], Measure::Covariance, Route::Whole);
        let comparison = compare(&description, &public_rows(n, "1", mechanism)).expect("valid");
        for (matrix, entrywise) in comparison.whole.iter().zip(&comparison.entrywise) {
            let ratio = matrix.rmse / entrywise.rmse;
            assert!((least..most).contains(&ratio), "{mechanism} {d}: {ratio} {comparison:?}");
        }
        assert_eq!(comparison.better == Route::Whole, mechanism == "clamped-gaussian", "{comparison:?}");
    }
}

#[test]
fn bad_descriptions_are_answered() {
    let refuse = |matrix: Matrix, setting: &Setting| matrix.prepare(setting).map(|_| ()).expect_err("refused");
    let setting = public_rows(50, "1", "clamped");
    let one = refuse(matrix(&["a"], Measure::Covariance, Route::Whole), &setting);
    assert_eq!(
        one.to_string(),
        "a covariance matrix needs at least 2 columns, and this one has 1: for one column ask for its variance"
    );
    let twice = refuse(matrix(&["a", "b", "a"], Measure::Correlation, Route::Whole), &setting);
    assert_eq!(twice.to_string(), "column `a` is named twice: each column of a correlation may appear once");
    let names: Vec<String> = (0..12).map(|j| format!("c{j}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for route in [Route::Entrywise, Route::Whole] {
        let many = refuse(matrix(&names, Measure::Covariance, route), &setting);
        assert!(matches!(many, StatisticError::TooManyEntries { entries: 78, .. }), "{many}");
    }
    let conditioned =
        refuse(matrix(&["a", "b"], Measure::Covariance, Route::Whole), &public_rows(50, "1", "conditioned"));
    assert!(matches!(conditioned, StatisticError::SumsMechanism { .. }), "{conditioned}");
}
