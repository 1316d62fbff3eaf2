//! Gaussian noise of one plan, accounted for together: less of it, and no more loss than the plan states.

use std::path::Path;

use inbounds_core::{Delta, Epsilon, Guarantee, Rational, Sensitivity};
use inbounds_mechanisms::{
    account::Event,
    calibrate::gaussian::{GaussianVector, composed_delta, variance_parameter},
    noise::GridNoise,
    sampler::{Entropy, SeededEntropy},
};
use inbounds_release::{OpenedPlan, plan::Plan};

/// An opened of a plan of rows with an epsilon of 1 and a delta of 10^-6, in which equal counts are measured each by
/// itself.
fn opened(statistics: &str) -> OpenedPlan {
    let text = format!(
        "data.path = 'nowhere.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 1, delta = 1e-6, together = 'none' }}\n\
         columns.sex = {{ type = 'text', values = ['f', 'm'] }}\n{statistics}"
    );
    let plan = Plan::parse(&text, Path::new("nowhere")).expect("a plan");
    OpenedPlan::with_or_without_data(&plan).expect("an opened plan").0
}

fn count(name: usize, rest: &str) -> String {
    format!("[[statistic]]\nname = 's{name}'\nkind = 'count'\n{rest}\n")
}

const GAUSSIAN: &str = "mechanism = 'clamped-gaussian'";

/// `sigma^2` of each statistic's Gaussian noise, in plan order.
fn variances(opened: &OpenedPlan) -> Vec<Rational> {
    let variance = |task: &inbounds_release::PreparedStatistic| match task.prepared.components()[0].mechanism.noise() {
        GridNoise::Gaussian(law) => law.sigma_squared().clone(),
        other => panic!("no Gaussian noise: {other:?}"),
    };
    opened.tasks.iter().map(variance).collect()
}

/// `sigma^2` of a count with these parts of epsilon 1 and delta 10^-6.
fn alone(part: &Rational) -> Rational {
    let epsilon = Epsilon::new(part.clone()).expect("positive");
    let delta = Delta::new(&"1e-6".parse::<Rational>().expect("a number") * part).expect("a probability");
    let count = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "test", squares: None };
    variance_parameter(&Guarantee::Approximate { epsilon, delta }, &count).expect("calibrates").parameter
}

/// Probabilities of discrete Gaussian noise on `{-reach, .., reach}`, from the definition; what lies beyond is below
/// 10^-30.
fn law(variance: f64) -> (i64, Vec<f64>) {
    let reach = (12.0 * variance.sqrt()).ceil() as i64;
    let weights: Vec<f64> = (-reach..=reach).map(|x| (-((x * x) as f64) / (2.0 * variance)).exp()).collect();
    let total: f64 = weights.iter().sum();
    (reach, weights.iter().map(|weight| weight / total).collect())
}

/// The hockey-stick divergence at `epsilon` of `n` counts that one row moves by one, with noise of one variance: by
/// convolution, with no formula of any accountant. The loss at noises `x_i` is `sum (1 - 2 x_i) / (2 s)`, which depends
/// on their sum alone.
fn delta_of_equal(variance: f64, n: usize, epsilon: f64) -> f64 {
    let (reach, one) = law(variance);
    let mut sums = vec![1.0];
    for _ in 0..n {
        let mut next = vec![0.0; sums.len() + one.len() - 1];
        for (at, mass) in sums.iter().enumerate().filter(|(_, mass)| **mass > 1e-40) {
            one.iter().zip(&mut next[at..]).for_each(|(more, next)| *next += mass * more);
        }
        sums = next;
    }
    let centre = reach * n as i64;
    let excess = |(at, mass): (usize, &f64)| {
        let loss = (n as f64 - 2.0 * (at as i64 - centre) as f64) / (2.0 * variance);
        mass * -(epsilon - loss).min(0.0).exp_m1()
    };
    sums.iter().enumerate().map(excess).sum()
}

/// The same for two counts with noise of any variances, over all pairs of noises.
fn delta_of_two(variances: [f64; 2], epsilon: f64) -> f64 {
    let [(reach, one), (other_reach, other)] = variances.map(law);
    let loss = |x: i64, variance: f64| (1.0 - 2.0 * x as f64) / (2.0 * variance);
    let mut delta = 0.0;
    for (x, mass) in (-reach..).zip(&one) {
        let first = loss(x, variances[0]);
        for (y, more) in (-other_reach..).zip(&other) {
            let left = epsilon - first - loss(y, variances[1]);
            delta += if left < 0.0 { -mass * more * left.exp_m1() } else { 0.0 };
        }
    }
    delta
}

#[test]
fn gaussian_counts_need_about_the_root_of_their_number_less_noise() {
    for (n, least) in [(2, 1.2), (4, 1.7), (10, 2.7)] {
        let opened = opened(&(0..n).map(|name| count(name, GAUSSIAN)).collect::<String>());
        let variances = variances(&opened);
        assert!(variances.iter().all(|variance| *variance == variances[0]), "equal parts have equal noise");
        let (together, one_by_one) = (variances[0].to_f64(), alone(&Rational::ratio(1, n as u128)).to_f64());
        let gain = (one_by_one / together).sqrt();
        let delta = delta_of_equal(together, n, 1.0);
        assert!(gain > least && gain < 1.05 * (n as f64).sqrt(), "{n}: {gain}");
        assert!((opened.joint[0].noise * gain - 1.0).abs() < 1e-9, "what is stated is what is saved");
        assert_eq!((opened.cost.epsilon.to_string(), opened.joint.len()), ("1".to_owned(), 1));
        let stated = opened.cost.delta.to_f64();
        assert!(delta <= stated && stated <= 1e-6, "{n}: {delta} {stated}");
        // No accountant could do with half of the noise.
        assert!(delta > 0.02 * stated, "{n}: {delta}");
        assert!(delta_of_equal(together / 4.0, n, 1.0) > 1e-6);
    }
}

#[test]
fn noise_stays_in_proportion_to_the_parts() {
    let statistics = count(0, &format!("share = 0.7\n{GAUSSIAN}")) + &count(1, &format!("share = 0.3\n{GAUSSIAN}"));
    let opened = opened(&statistics);
    let pair = variances(&opened);
    assert_eq!(&pair[0] * &Rational::from(49u128), &pair[1] * &Rational::from(9u128));
    let parts = [Rational::ratio(7, 10), Rational::ratio(3, 10)];
    assert!(pair.iter().zip(&parts).all(|(variance, part)| *variance < alone(part)));
    let delta = delta_of_two([pair[0].to_f64(), pair[1].to_f64()], 1.0);
    let stated = opened.cost.delta.to_f64();
    assert!(delta <= stated && stated <= 1e-6 && delta > 0.02 * stated, "{delta} {stated}");
}

#[test]
fn one_number_alone_keeps_its_sharper_account() {
    let alone_in_plan = opened(&count(0, GAUSSIAN));
    assert!(alone_in_plan.joint.is_empty());
    assert_eq!(variances(&alone_in_plan)[0], alone(&Rational::ONE));
    // Apart from four others by `sex`, it is as much alone.
    let of_sex = |name: usize, sex: &str| count(name, &format!("{GAUSSIAN}\nwhere = \"sex = '{sex}'\""));
    let apart = opened(&((0..4).map(|name| of_sex(name, "f")).collect::<String>() + &of_sex(4, "m")));
    let separate = variances(&apart);
    assert_eq!(separate[4], alone(&Rational::ONE));
    assert_eq!(apart.joint.iter().map(|joint| joint.statistics.clone()).collect::<Vec<_>>(), [vec![0, 1, 2, 3]]);
    let together = opened(&(0..4).map(|name| count(name, GAUSSIAN)).collect::<String>());
    assert_eq!(separate[0], variances(&together)[0]);
    assert_eq!(apart.cost.epsilon, Rational::ONE);
}

/// Whatever mechanisms, shares and conditions, each class costs at most its epsilon and delta, and its Gaussian noise
/// is proved at its parts.
#[test]
fn no_class_costs_more_than_is_granted() {
    let mut entropy = SeededEntropy::from_seed(3);
    let mut draw = |below: u64| entropy.word() % below;
    let (mut joint, mut mixed) = (0, 0);
    for _ in 0..60 {
        let mut statistic = |name: usize| {
            let mechanism = if draw(3) > 0 { GAUSSIAN } else { "" };
            let rows = ["", "", "where = \"sex = 'f'\"", "where = \"sex = 'm'\"", "by = ['sex']"][draw(5) as usize];
            let share = ["1/8", "1/16", "1/10"][draw(3) as usize];
            count(name, &format!("{mechanism}\n{rows}\nshare = '{share}'"))
        };
        let statistics: String = (0..7).map(&mut statistic).collect();
        let opened = opened(&statistics);
        assert!(opened.cost.epsilon <= Rational::ONE && opened.cost.delta <= "1e-6".parse().expect("a number"));
        joint += usize::from(!opened.joint.is_empty());
        mixed += usize::from(!opened.joint.is_empty() && opened.tasks.len() > opened.joint[0].statistics.len());
        for class in &opened.grants.together().classes {
            let members = class
                .iter()
                .flat_map(|place| opened.tasks[*place].prepared.components().into_iter().map(move |c| (place, c)));
            let members: Vec<_> = members
                .filter_map(|(place, component)| match Event::from_mechanism(String::new(), &*component.mechanism) {
                    Event::Gaussian { vector, .. } => Some((place, vector)),
                    _ => None,
                })
                .collect();
            if members.is_empty() {
                continue;
            }
            let sum = |part: &dyn Fn(usize) -> Rational| {
                members.iter().fold(Rational::ZERO, |sum, (place, _)| &sum + &part(**place))
            };
            let epsilon = Epsilon::new(sum(&|place| opened.grants.epsilon(place).value().clone())).expect("positive");
            let delta = Delta::new(sum(&|place| opened.grants.delta(place).value().clone())).expect("a probability");
            let vectors: Vec<GaussianVector> = members.iter().map(|(_, vector)| vector.clone()).collect();
            assert!(composed_delta(&vectors, epsilon.value()) <= *delta.value(), "{statistics}");
        }
    }
    assert!(joint > 40 && mixed > 30, "{joint} {mixed}");
}

/// One row moves one cell of each measured margin by one, so that three margins with even parts are three counts.
#[test]
fn margins_with_gaussian_noise_lose_what_the_plan_grants_and_nearly_all_of_it() {
    let asked = "by = ['sex', 'ward']\nmargins = [['sex'], ['ward'], ['sex', 'ward']]\nmechanism = 'clamped-gaussian'";
    let text = format!(
        "data.path = 'nowhere.csv'\nprivacy = {{ unit = 'row', neighbours = 'add-remove', epsilon = 1, delta = 1e-6 }}\n\
         columns.sex = {{ type = 'text', values = ['f', 'm'] }}\ncolumns.ward = {{ type = 'integer', values = [1, 2, 3] }}\n{}",
        count(0, asked)
    );
    let plan = Plan::parse(&text, Path::new("nowhere")).expect("a plan");
    let opened = OpenedPlan::with_or_without_data(&plan).expect("an opened plan").0;
    let variances: Vec<f64> =
        opened.tasks[0].prepared.components().iter().map(|one| one.mechanism.noise().scale().powi(2)).collect();
    assert_eq!(variances.len(), 3);
    let delta = delta_of_equal(variances[0], 3, 1.0);
    assert!(variances.iter().all(|variance| *variance == variances[0]), "{variances:?}");
    assert!(delta <= 1e-6 && delta > 1e-7, "{delta}");
    assert!(opened.cost.epsilon <= Rational::ONE && opened.joint.len() == 1, "{:?}", opened.cost);
    // Half as much noise would lose more than that.
    assert!(delta_of_equal(variances[0] / 4.0, 3, 1.0) > 1e-6);
}
