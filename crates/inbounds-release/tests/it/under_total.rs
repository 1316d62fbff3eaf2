//! Statements of `check` on errors under a public total.

use std::path::Path;

use inbounds_release::{AssumedRows, check::check, plan::Plan};

fn known_total(statistic: &str, rows: u64) -> Option<inbounds_bundle::TotalEntry> {
    let text = format!(
        "data.path = 'nowhere.csv'\n[privacy]\nunit = 'row'\nneighbours = 'substitute'\nrows = {rows}\nepsilon = 1\n[columns]\n\
         sex = {{ type = 'text', values = ['f', 'm'] }}\nward = {{ type = 'text', values = ['A', 'B', 'C'] }}\n\
         [[statistic]]\nname = 'a'\nkind = 'count'\n{statistic}\n"
    );
    let plan = Plan::parse(&text, Path::new("nowhere")).expect("a plan");
    let report = check(&plan, &AssumedRows::default()).expect("checks");
    report.statistics.into_iter().next().expect("one").known_total
}

/// Two cells of a known total: a row moves both by one, so the noise has scale 2, and each error is half the difference
/// of two of them. By the definition: `E Err^2 = 2 a / (1 - a)^2 / 2`, `E |Err|` and the distance by sums over both
/// noises.
#[test]
fn errors_of_two_cells_are_half_differences() {
    let law = known_total("by = ['sex']\nlevels = ['all', 'sex']\ntotal = 'rows'", 400).expect("a known total");
    let a = (-0.5f64).exp();
    assert_eq!((law.cells, law.scale), (2, 2.0));
    assert!((law.standard_deviation.powi(2) - a / (1.0 - a).powi(2)).abs() < 1e-9, "{law:?}");
    let mass = |k: i32| (1.0 - a) / (1.0 + a) * a.powi(k.abs());
    let pairs = || (-120..=120).flat_map(|one: i32| (-120..=120).map(move |other: i32| (one, other)));
    let mean: f64 = pairs().map(|(one, other)| mass(one) * mass(other) * f64::from((one - other).abs()) / 2.0).sum();
    assert!((law.mean_absolute - mean).abs() < 1e-9, "{law:?} {mean}");
    // The integral of the distance of distribution functions, in halves of a step.
    let error = |half: i32| {
        pairs().filter(|(one, other)| one - other <= half).map(|(one, other)| mass(one) * mass(other)).sum::<f64>()
    };
    let noise = |half: i32| (-120..=half.div_euclid(2)).map(mass).sum::<f64>();
    let distance: f64 = (-60..60).map(|half| (error(half) - noise(half)).abs() / 2.0).sum();
    assert!((law.wasserstein_to_noise - distance).abs() < 1e-6, "{law:?} {distance}");
    // 200 rows in each cell are a hundred scales from zero.
    assert!(law.nonnegative_bias_bound.expect("bounded below") < 1e-20);
    let few = known_total("by = ['sex']\nlevels = ['all', 'sex']\ntotal = 'rows'", 12).expect("a known total");
    assert!(few.nonnegative_bias_bound.expect("bounded below") > 0.01, "{few:?}");
    assert!(few.sentence().contains("were the 2 cells of one size"));
}

#[test]
fn what_is_not_known_is_not_said() {
    assert_eq!(known_total("by = ['sex']\nlevels = ['all', 'sex']", 400), None);
    assert_eq!(known_total("by = ['ward', 'sex']\nlevels = ['all', 'ward', 'sex']\ntotal = 'rows'", 400), None);
    assert_eq!(known_total("by = ['sex']", 400), None);
    let free = known_total("by = ['sex']\nlevels = ['all', 'sex']\ntotal = 'rows'\nrange = 'unbounded'", 400);
    assert_eq!(free.expect("a known total").nonnegative_bias_bound, None);
    assert!(known_total("by = ['ward']\nmargins = [[], ['ward']]\ntotal = 'rows'", 400).is_some());
}
