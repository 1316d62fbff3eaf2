//! What is wanted of means, variances and deviations of a private number of rows is kept whatever the rows are like.

use std::fmt::Write as _;

use inbounds_mechanisms::sampler::SeededEntropy;
use inbounds_release::plan::Plan;
use inbounds_statistics::Scenario;
use tempfile::TempDir;

use super::opened;

pub(super) const ROWS: usize = 240;

/// Standard errors of the mean square by which it may exceed what is wanted, were a promise kept exactly: 4 in one of
/// 24 cases have a probability below 1e-3 by the normal law, and seeds are fixed. The mean square of 400 errors by
/// Laplace noise is then 1.45 times what is wanted, the root 1.2.
const STANDARD_ERRORS: f64 = 4.0;

/// Whole numbers from 0 to 100 by quantile: all at one end, nearly all there and the rest at the other, a tenth there,
/// heaps at both ends, falling like an exponential, at one place in the middle, and even.
pub(super) fn columns() -> [(&'static str, Vec<i64>); 7] {
    let by_quantile = |value: fn(f64) -> f64| -> Vec<i64> {
        (0..ROWS).map(|row| value((row as f64 + 0.5) / ROWS as f64).round() as i64).collect()
    };
    [
        ("all at the lower end", by_quantile(|_| 0.0)),
        ("nearly all at the lower end", by_quantile(|part| if part > 0.97 { 100.0 } else { 0.0 })),
        ("a tenth at the upper end", by_quantile(|part| if part > 0.9 { 100.0 } else { 0.0 })),
        ("heaps at both ends", by_quantile(|part| if part > 0.5 { 100.0 } else { 0.0 })),
        ("exponential", by_quantile(|part| (-4.0 * (1.0 - part).ln()).min(100.0))),
        ("in the middle", by_quantile(|_| 50.0)),
        ("even", by_quantile(|part| 100.0 * part)),
    ]
}

/// Mean square over releases, its standard error, what is wanted, and the RMSE of the few cases that were all that a
/// want was held to once.
pub(super) struct Kept {
    pub(super) mean_square: f64,
    pub(super) standard_error: f64,
    pub(super) wanted: f64,
    few: f64,
    pub(super) epsilon: f64,
}

/// Mean and standard deviation of values.
pub(super) fn moments(values: &[i64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<i64>() as f64 / n;
    (mean, (values.iter().map(|value| (*value as f64 - mean).powi(2)).sum::<f64>() / n).sqrt())
}

/// The folder and the text of a plan of one statistic of these rows, which wants an RMSE, with more of it in `about`.
pub(super) fn plan_of(kind: &str, (wanted, delta): (f64, bool), values: &[i64], about: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut rows = String::from("x\n");
    values.iter().for_each(|value| writeln!(rows, "{value}").expect("a String takes text"));
    std::fs::write(folder.path().join("rows.csv"), rows).expect("written");
    let (delta, mechanism) = if delta { ("delta = 1e-6, ", "mechanism = 'clamped-gaussian'\n") } else { ("", "") };
    let text = format!(
        "data.path = 'rows.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', {delta}epsilon = 'least' }}\n\
         columns.x = {{ type = 'integer', lower = 0, upper = 100, missing = 0 }}\n\
         [[statistic]]\nname = 's'\nkind = '{kind}'\ncolumn = 'x'\n{mechanism}want = {{ rmse = {wanted}, rows = {ROWS}{about} }}\n"
    );
    (folder, text)
}

pub(super) fn study(kind: &str, want: (f64, bool), values: &[i64], (releases, about): (u64, &str)) -> Kept {
    let (folder, text) = plan_of(kind, want, values, about);
    let opened = opened(&text, folder.path());
    let plan = Plan::parse(&text, folder.path()).expect("a plan");
    let prepared = &opened.tasks[0].prepared;
    let (mean, deviation) = moments(values);
    let truth = match kind {
        "mean" => mean,
        "variance" => deviation * deviation,
        _ => deviation,
    };
    let mut entropy = SeededEntropy::from_seed(41);
    let (mut squares, mut fourths) = (0.0, 0.0);
    for _ in 0..releases {
        let measured = opened.measure(opened.answer(&plan, None).expect("rows"), &mut entropy).statistics;
        let square = (prepared.estimate(&measured[0], 0.95, 1)[0].value - truth).powi(2);
        squares += square;
        fourths += square * square;
    }
    let scenario = Scenario { group_sizes: vec![ROWS as u64], ..Scenario::default() };
    let few = prepared.expected_errors(&scenario).iter().map(|error| error.rmse).fold(0.0, f64::max);
    let count = releases as f64;
    let mean_square = squares / count;
    let standard_error = ((fourths / count - mean_square * mean_square) / count).sqrt();
    Kept { mean_square, standard_error, wanted: want.0, few, epsilon: opened.grants.granted().value().to_f64() }
}

/// All columns, for each kind, with noise of the usual law and Gaussian.
fn are_kept(releases: u64) {
    for (kind, wanted) in [("variance", 60.0), ("standard-deviation", 6.0), ("mean", 1.0)] {
        let mut most: f64 = 0.0;
        for delta in [false, true] {
            if delta && kind == "mean" {
                continue;
            }
            for (name, values) in columns() {
                let Kept { mean_square, standard_error, wanted, few, .. } =
                    study(kind, (wanted, delta), &values, (releases, ""));
                let excess = (mean_square - wanted * wanted) / standard_error.max(1e-12);
                assert!(excess < STANDARD_ERRORS, "{kind} of {name}: {} for {wanted}", mean_square.sqrt());
                most = most.max((mean_square - STANDARD_ERRORS * standard_error).max(0.0).sqrt() / few);
            }
        }
        // With the same allowance the other way, what was promised from few cases is broken. Means always had their
        // worst case.
        assert!(kind == "mean" || most > 1.2, "{kind}: {most}");
    }
}

/// Every column of every kind errs at most what was wanted; variances and deviations err more than the few cases tell
/// that were all that a want was held to once, by a fifth or more.
#[test]
fn wants_are_kept_by_all_columns() {
    are_kept(300);
}

#[test]
#[ignore = "slow: 2,000 releases of each of 35 plans; run by name in a release build"]
fn wants_are_kept_by_all_columns_in_many_releases() {
    are_kept(2000);
}
