//! Delta that Laplace, conditioned and staircase noise spend where a plan says so: less noise, no more than it grants,
//! and none where it buys nothing.

use std::path::Path;

use inbounds_bundle::Notice;
use inbounds_core::{Guarantee, Rational};
use inbounds_release::{AssumedRows, OpenedPlan, check::check, plan::Plan};

fn plan(delta: &str, statistics: &str) -> Plan {
    let text = format!(
        "data.path = 'nowhere.csv'\n[privacy]\nunit = 'row'\nneighbours = 'substitute'\nrows = 400\nepsilon = 1\ndelta = {delta}\n\
         together = 'none'\n[columns]\nsex = {{ type = 'text', values = ['f', 'm'] }}\n\
         age = {{ type = 'integer', lower = 0, upper = 100 }}\n{statistics}"
    );
    Plan::parse(&text, Path::new("nowhere")).expect("a plan")
}

fn count(name: &str, rest: &str) -> String {
    format!("[[statistic]]\nname = '{name}'\nkind = 'count'\nby = ['sex']\n{rest}\n")
}

/// Guarantee and scale of each component of a plan.
fn components(plan: &Plan) -> Vec<(Guarantee, f64)> {
    let (opened, _) = OpenedPlan::with_or_without_data(plan).expect("an opened plan");
    let guarantees_and_scales = |task: &inbounds_release::PreparedStatistic| -> Vec<(Guarantee, f64)> {
        let components = task.prepared.components().into_iter();
        components.map(|component| (component.mechanism.guarantee().clone(), component.scale())).collect()
    };
    opened.tasks.iter().flat_map(guarantees_and_scales).collect()
}

/// Under substitution a row moves two counts by one each: the scale follows from
/// `(1 - e^(epsilon - 2 tau)) / (1 + e^-tau)^2 <= delta`, by bisection here.
#[test]
fn two_counts_have_the_scale_of_their_divergence() {
    let guarantees_and_scales = components(&plan("0.01", &count("a", "spend_delta = true")));
    let [(guarantee, scale)] = &guarantees_and_scales[..] else { panic!("{guarantees_and_scales:?}") };
    let delta = |tau: f64| (1.0 - (1.0 - 2.0 * tau).exp()) / (1.0 + (-tau).exp()).powi(2);
    let (mut low, mut high) = (0.5, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if delta(middle) <= 0.01 { low = middle } else { high = middle }
    }
    assert!((scale * low - 1.0).abs() < 1e-9, "{scale} and {}", 1.0 / low);
    assert_eq!(guarantee.delta().map(|delta| delta.value().clone()), Some("0.01".parse::<Rational>().expect("number")));
    let without = components(&plan("0.01", &count("a", "")));
    assert_eq!((without[0].0.delta(), without[0].1), (None, 2.0));
}

#[test]
fn delta_is_divided_by_shares_and_what_is_spent_is_granted() {
    let old = |name: &str, rest: &str| count(name, rest).replace("by = ['sex']", "where = 'age >= 65'");
    let all = [
        count("a", "spend_delta = true"),
        old("b", "spend_delta = true\nmechanism = 'conditioned'"),
        count("c", "spend_delta = true\nmechanism = 'clamped-staircase'"),
        count("d", "mechanism = 'clamped-gaussian'"),
        old("e", "mechanism = 'conditioned'"),
    ];
    let plan = plan("0.1", &all.concat());
    let guarantees_and_scales = components(&plan);
    let deltas: Vec<Option<String>> = guarantees_and_scales
        .iter()
        .map(|(guarantee, _)| guarantee.delta().map(|delta| delta.value().to_string()))
        .collect();
    let part = Some("0.02".to_owned());
    assert_eq!(deltas, [part.clone(), part.clone(), part.clone(), part, None]);
    let report = check(&plan, &AssumedRows::default()).expect("a report");
    assert_eq!(report.delta_cost.0.to_string(), "0.08");
    // The conditioned counts err less with delta than without.
    assert!(guarantees_and_scales[1].1 < guarantees_and_scales[4].1);
}

/// A millionth spares a count nothing: it has the scale and the guarantee of a plan without, and check says so.
#[test]
fn a_delta_that_buys_nothing_is_not_spent() {
    let counts = |rest: &str| format!("{}{}", count("a", rest), count("b", "mechanism = 'clamped-gaussian'"));
    let (with, without) = (plan("1e-6", &counts("spend_delta = true")), plan("1e-6", &counts("")));
    assert_eq!(components(&with), components(&without));
    let notices = |plan: &Plan| check(plan, &AssumedRows::default()).expect("a report").notices;
    let [notice] = &notices(&with)[..] else { panic!("one notice") };
    assert_eq!(*notice, Notice::DeltaUnspent { statistics: vec!["a".to_owned()] });
    assert_eq!(
        notice.sentence(),
        "`a` spends no delta, although the plan has `spend_delta`: it would spare less than a hundredth of the RMSE. What is published of it \
         keeps epsilon with certainty."
    );
    assert_eq!(notices(&without), []);
}

/// Where the choice is left, Gaussian noise is compared with Laplace noise that spends its part of delta.
#[test]
fn the_best_mechanism_is_compared_with_spending_noise() {
    let chosen = |rest: &str| {
        let plan = plan("0.05", &count("a", &format!("mechanism = 'best'\n{rest}")));
        let (opened, _) = OpenedPlan::with_or_without_data(&plan).expect("an opened plan");
        let other = opened.chosen[0].other.as_ref().expect("compared").most;
        (opened.chosen[0].mechanism.clone(), other)
    };
    let (pure, spending) = (chosen(""), chosen("spend_delta = true"));
    assert_ne!(pure, spending);
}
