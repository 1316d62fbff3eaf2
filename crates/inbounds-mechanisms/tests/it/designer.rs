//! Designed rules against closed forms, against brute force over simple families, and against themselves.

use std::collections::BTreeMap;

use inbounds_mechanisms::{
    bounding::{Bounding, Clamped, Range},
    designer::{Answers, Criterion, DesignError, DesignStatus, Designer, RuleDesign, Table, Tail},
    law::{Laplace, Noise},
    noise::DiscreteLaplace,
};

use serde_json::Value;

use crate::{
    reference::discrete,
    tables::{number, rows, table},
};

/// A lattice law given by its masses at 0, 1, ..., every function by direct summation.
struct Masses(Vec<f64>);

impl Masses {
    /// Masses proportional to `exp(-k^2 / (2 sigma^2))`.
    fn discrete_gaussian(sigma: f64) -> Self {
        let reach = (40.0 * sigma) as i32;
        let weights: Vec<f64> = (0..=reach).map(|k| (-f64::from(k * k) / (2.0 * sigma * sigma)).exp()).collect();
        let total = 2.0 * weights[1..].iter().rev().sum::<f64>() + weights[0];
        Self(weights.iter().map(|weight| weight / total).collect())
    }

    /// `sum_{s < k <= t} f(k) P(N = k)` over positive `k`, small terms first.
    fn sum(&self, s: f64, t: f64, f: impl Fn(f64) -> f64) -> f64 {
        let terms = self.0.iter().enumerate().skip(1).rev().map(|(k, mass)| (k as f64, mass));
        terms.filter(|(k, _)| s < *k && *k <= t).map(|(k, mass)| f(k) * mass).sum()
    }
}

impl Noise for Masses {
    fn ln_density(&self, x: f64) -> f64 {
        if x.fract() == 0.0 { self.0.get(x.abs() as usize).map_or(f64::NEG_INFINITY, |m| m.ln()) } else { f64::NAN }
    }

    fn cdf(&self, x: f64) -> f64 {
        self.sf(-x.floor() - 1.0)
    }

    fn sf(&self, x: f64) -> f64 {
        let k = x.floor();
        if k >= 0.0 { self.sum(k, f64::INFINITY, |_| 1.0) } else { 1.0 - self.sum(-k - 1.0, f64::INFINITY, |_| 1.0) }
    }

    fn quantile(&self, p: f64) -> f64 {
        let reach = self.0.len() as i64;
        (-reach..=reach).map(|k| k as f64).find(|k| self.cdf(*k) >= p).unwrap_or(f64::INFINITY)
    }

    fn variance(&self) -> f64 {
        2.0 * self.half_second_moment(f64::INFINITY)
    }

    fn spacing(&self) -> f64 {
        1.0
    }

    fn half_mass(&self, t: f64) -> f64 {
        0.5 * self.0[0] + self.sum(0.0, t, |_| 1.0)
    }

    fn first_moment_between(&self, s: f64, t: f64) -> f64 {
        self.sum(s, t, |k| k)
    }

    fn half_second_moment(&self, t: f64) -> f64 {
        self.sum(0.0, t, |k| k * k)
    }

    fn excess_between(&self, s: f64, t: f64) -> f64 {
        self.sum(s, f64::INFINITY, |k| k.min(t) - s)
    }

    fn capped_second_moment(&self, t: f64) -> f64 {
        self.sum(0.0, f64::INFINITY, |k| k.min(t) * k.min(t))
    }
}

fn laplace(tau: &Value) -> DiscreteLaplace {
    DiscreteLaplace::with_inverse_scale(tau.to_string().parse().expect("number")).expect("admissible")
}

fn clamp(answers: Answers) -> Table {
    match answers {
        Answers::HalfLine => Table::new(0, vec![0.0], Tail::Shifted(0.0)).expect("finite"),
        Answers::UpTo(top) => Table::new(0, (0..=top).map(f64::from).collect(), Tail::Constant).expect("finite"),
    }
}

/// `(y - c) 1[y >= t]`.
fn threshold(t: i64, c: f64) -> Table {
    Table::new(-1, (-1..t).map(|_| 0.0).collect(), Tail::Shifted(c)).expect("finite")
}

/// The exact value lies between the lower bound and the attained value, which are close.
fn assert_brackets(design: &RuleDesign, exact: f64, attained: f64, tolerance: f64, label: &str) {
    assert_eq!(design.status, DesignStatus::Optimal, "{label}");
    assert!((design.gap - (attained - design.lower_bound)).abs() <= 1e-15 * attained, "{label}: {design:?}");
    assert!(design.gap >= 0.0 && design.gap <= tolerance * exact, "{label}: gap {:e}", design.gap);
    // The tables have sixteen digits themselves.
    let digits = 1e-14 * exact;
    assert!(design.lower_bound <= exact + digits, "{label}: {} is above {exact}", design.lower_bound);
    assert!(attained >= exact - digits, "{label}: {attained} is below {exact}");
}

#[test]
fn half_line_has_the_closed_form_of_the_least_worst_bias() {
    for row in rows(&table("s5_discrete.json"), "half_line_minimax") {
        let (label, exact) = (row.to_string(), number(row, "B"));
        let designer = Designer::new(&laplace(&row["tau"]), Answers::HalfLine).expect("admissible");
        let free = designer.design(Criterion::WorstBias).expect("designs");
        assert_brackets(&free, exact, free.errors.worst_bias, 1e-7, &label);
        // Every best rule is zero below q0.
        let forced = free.rule.rows().filter(|(y, _)| (*y as f64) < number(row, "q0"));
        assert!(forced.map(|(_, value)| value).fold(0.0, f64::max) < 1e-4, "{label}");
        // The best rules include one without bias at large answers.
        let unbiased = designer.clone().unbiased_at_infinity().design(Criterion::WorstBias).expect("designs");
        assert_brackets(&unbiased, exact, unbiased.errors.worst_bias, 1e-7, &label);
        assert_eq!(unbiased.rule.above(), Tail::Shifted(0.0), "{label}");
        // And ones in order.
        let ordered = designer.clone().monotone();
        for ordered in [ordered.clone(), ordered.unbiased_at_infinity()] {
            let design = ordered.design(Criterion::WorstBias).expect("designs");
            assert_brackets(&design, exact, design.errors.worst_bias, 1e-7, &label);
            assert!((-9..200).is_sorted_by_key(|y| design.rule.at(y)), "{label}");
        }
        // The published best rule and the clamp, by the same sums.
        let q0 = number(row, "q0") as i64;
        let mut values = vec![0.0; q0 as usize];
        values.push(number(row, "phi_q0"));
        let closed = Table::new(0, values, Tail::Shifted(exact)).expect("finite");
        assert!((designer.errors(&closed).worst_bias / exact - 1.0).abs() < 1e-11, "{label}");
        let clamped = designer.errors(&clamp(Answers::HalfLine)).worst_bias;
        assert!((clamped / number(row, "clamp_worst_bias") - 1.0).abs() < 1e-11, "{label}: {clamped}");
    }
}

#[test]
fn finite_ranges_have_the_closed_form_of_the_least_worst_bias() {
    let table = table("s5_discrete.json");
    for row in rows(&table, "finite_minimax") {
        let label = row.to_string();
        let answers = Answers::UpTo(number(row, "N") as u32);
        let designer = Designer::new(&laplace(&row["tau"]), answers).expect("admissible");
        let design = designer.design(Criterion::WorstBias).expect("designs");
        assert_brackets(&design, number(row, "formula"), design.errors.worst_bias, 1e-7, &label);
        let ordered = designer.clone().monotone().design(Criterion::WorstBias).expect("designs");
        assert_brackets(&ordered, number(row, "formula"), ordered.errors.worst_bias, 1e-7, &label);
        let clamped = designer.errors(&clamp(answers)).worst_bias;
        assert!((clamped / number(row, "clamp") - 1.0).abs() < 1e-11, "{label}: {clamped}");
    }
}

/// A lattice of many steps a scale comes close to the continuous law; for an even number of steps and the one-bit rule
/// it is exactly there.
#[test]
fn fine_lattices_reach_the_continuous_limits() {
    let golden = table("s4_interval_minimax.json");
    let steps = 120;
    for row in rows(&golden, "lp") {
        let (nu, exact) = (number(row, "nu"), number(row, "B_star"));
        let noise = discrete((-nu / f64::from(steps)).exp());
        let design = Designer::new(&noise, Answers::UpTo(steps)).expect("admissible");
        let design = design.design(Criterion::WorstBias).expect("designs");
        let computed = design.errors.worst_bias * nu / f64::from(steps);
        let tolerance = if nu < number(&golden, "nu_c") { 1e-8 } else { 1e-2 };
        assert_eq!(design.status, DesignStatus::Optimal, "nu {nu}");
        assert!((computed / exact - 1.0).abs() < tolerance, "nu {nu}: {computed} {exact}");
    }
    let half_line = table("s3_halfline_minimax.json");
    let noise = discrete((-0.05f64).exp());
    let designer = Designer::new(&noise, Answers::HalfLine).expect("admissible");
    let computed = 0.05 * designer.design(Criterion::WorstBias).expect("designs").errors.worst_bias;
    assert!((computed / number(&half_line, "W_1_over_e") - 1.0).abs() < 1e-3, "{computed}");
    assert!((computed / number(&half_line["lp_half_line"], "value") - 1.0).abs() < 1e-3, "{computed}");
}

/// Under every bias budget a designed rule is at least as good as the best rule `(y - c) 1[y >= t]`.
#[test]
fn designs_are_at_least_as_good_as_thresholds() {
    let scale: f64 = 10.0;
    let noise = discrete((-1.0 / scale).exp());
    // The table averages over answers up to five scales, by the trapezoidal rule.
    let weights: Vec<f64> = (0..=50).map(|q| if q == 0 || q == 50 { 0.5 } else { 1.0 }).collect();
    let designer = Designer::new(&noise, Answers::HalfLine).expect("admissible");
    let designer = designer.with_weights(&weights).expect("weights");
    for row in rows(&table("s3_halfline_minimax.json"), "pareto_within_T_c_family") {
        let label = row.to_string();
        let member = threshold((number(row, "T") * scale).round() as i64, number(row, "c") * scale);
        let member = designer.errors(&member);
        let worst_bias = member.worst_bias;
        for (computed, key) in [(member.worst_mse, "sup_mse"), (member.mean_mse, "avg_mse_0_5")] {
            assert!((computed / (scale * scale) / number(row, key) - 1.0).abs() < 0.05, "{key} {computed} of {label}");
        }
        let worst = designer.design(Criterion::WorstMse { worst_bias }).expect("designs");
        assert_eq!(worst.status, DesignStatus::Optimal, "{label}");
        assert!(worst.errors.worst_bias <= worst_bias, "{label}");
        assert!(worst.errors.worst_mse <= member.worst_mse * (1.0 + 1e-9), "{label}: {:?} {member:?}", worst.errors);
        let mean = designer.design(Criterion::MeanMse { worst_bias }).expect("designs");
        assert_eq!(mean.status, DesignStatus::Optimal, "{label}");
        assert!(mean.errors.worst_bias <= worst_bias, "{label}");
        assert!(mean.errors.mean_mse < member.mean_mse, "{label}: {:?} {member:?}", mean.errors);
        assert!(worst.gap <= 1e-7 * worst.errors.worst_mse && mean.gap <= 1e-7 * mean.errors.mean_mse, "{label}");
    }
}

/// Without a bias bound that matters, the least mean error is that of the posterior mean, whatever the law.
#[test]
fn least_mean_error_is_that_of_the_posterior_mean() {
    let gaussian = Masses::discrete_gaussian(2.5);
    let weights: Vec<f64> = (0..=12).map(|q| 1.0 + f64::from(q % 4)).collect();
    let designer = Designer::new(&gaussian, Answers::UpTo(12)).expect("admissible");
    let designer = designer.with_window(-30, 42).expect("window").with_weights(&weights).expect("weights");
    let design = designer.design(Criterion::MeanMse { worst_bias: 12.0 }).expect("designs");
    let likelihood = |y: i64, q: usize| weights[q] * gaussian.ln_density((y - q as i64) as f64).exp();
    let (mut risk, total) = (0.0, weights.iter().sum::<f64>());
    for y in -60..=72 {
        let mass: f64 = (0..=12).map(|q| likelihood(y, q)).sum();
        let mean = (0..=12).map(|q| q as f64 * likelihood(y, q)).sum::<f64>() / mass;
        risk += (0..=12).map(|q| likelihood(y, q) * (mean - q as f64).powi(2)).sum::<f64>() / total;
        if (-8..=20).contains(&y) {
            assert!((design.rule.at(y) - mean).abs() < 1e-5, "at {y}: {} {mean}", design.rule.at(y));
        }
    }
    assert!((design.errors.mean_mse / risk - 1.0).abs() < 1e-9, "{} {risk}", design.errors.mean_mse);
    assert_brackets(&design, risk * (1.0 + 1e-12), design.errors.mean_mse, 1e-7, "posterior mean");
    // Between two answers, equal weights are the least favourable ones, so worst and mean error agree.
    let two = Designer::new(&gaussian, Answers::UpTo(1)).expect("admissible");
    let mean = two.design(Criterion::MeanMse { worst_bias: 1.0 }).expect("designs");
    let worst = two.design(Criterion::WorstMse { worst_bias: 1.0 }).expect("designs");
    assert!((worst.errors.worst_mse / mean.errors.mean_mse - 1.0).abs() < 1e-8, "{worst:?} {mean:?}");
}

/// The least worst bias of the rules `(y - c) 1[y >= t]`, by search: it is convex in the shift.
fn best_threshold(designer: &Designer, sigma: f64) -> Table {
    let candidates = (0..=(4.0 * sigma) as i64).map(|t| {
        let worst = |c: f64| designer.errors(&threshold(t, c)).worst_bias;
        let (mut low, mut high) = (-sigma, sigma.min(t as f64));
        for _ in 0..60 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            (low, high) = if worst(left) < worst(right) { (low, right) } else { (left, high) };
        }
        (worst(low), threshold(t, low))
    });
    candidates.min_by(|x, y| x.0.total_cmp(&y.0)).expect("candidates").1
}

/// A law without closed forms. The figures are those of the default window; clamp and thresholds are found without the
/// designer's programme.
#[test]
fn discrete_gaussian_rules_beat_clamp_and_thresholds() {
    for (sigma, clamped, thresholded, monotone, free) in [
        (1.0, 0.363790991855, 0.258110494444, 0.157904693033, 0.154132261581),
        (3.0, 1.185682715425, 0.595019929054, 0.484071242507, 0.418864697966),
    ] {
        let designer = Designer::new(&Masses::discrete_gaussian(sigma), Answers::HalfLine).expect("admissible");
        let close = |computed: f64, expected: f64, label: &str| {
            assert!((computed / expected - 1.0).abs() < 1e-8, "{label} at sigma {sigma}: {computed:.12}");
        };
        let best = best_threshold(&designer, sigma);
        let of_best = designer.errors(&best);
        close(designer.errors(&clamp(Answers::HalfLine)).worst_bias, clamped, "clamp");
        close(of_best.worst_bias, thresholded, "threshold");
        let ordered = designer.clone().monotone();
        for (designer, expected, label) in [(&ordered, monotone, "monotone"), (&designer, free, "free")] {
            let design = designer.design(Criterion::WorstBias).expect("designs");
            assert_eq!(design.status, DesignStatus::Optimal, "{label} at sigma {sigma}");
            assert!(design.gap <= 1e-7 * expected, "{label} at sigma {sigma}: {:e}", design.gap);
            close(design.errors.worst_bias, expected, label);
        }
        // With the bias of the best threshold allowed, what is left buys error.
        let worst_bias = of_best.worst_bias;
        let mean = ordered.design(Criterion::MeanMse { worst_bias }).expect("designs");
        let worst = ordered.design(Criterion::WorstMse { worst_bias }).expect("designs");
        assert_eq!((mean.status, worst.status), (DesignStatus::Optimal, DesignStatus::Optimal), "sigma {sigma}");
        assert!(mean.errors.mean_mse < 0.95 * of_best.mean_mse, "{:?} {of_best:?}", mean.errors);
        assert!(worst.errors.worst_mse < 0.95 * of_best.worst_mse, "{:?} {of_best:?}", worst.errors);
        for design in [mean, worst] {
            let values: Vec<f64> = design.rule.rows().map(|(_, value)| value).collect();
            assert!(values.is_sorted() && values[0] >= 0.0, "sigma {sigma}");
        }
    }
}

/// Rules drawn at random from the form, and rules around the best one, stay above the bound; a damaged rule shows.
#[test]
fn no_rule_beats_the_bound_and_damage_is_caught() {
    let noise = Masses::discrete_gaussian(2.0);
    let designer = Designer::new(&noise, Answers::UpTo(8)).expect("admissible");
    let mut state = 1u64;
    let mut uniform = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    for criterion in
        [Criterion::WorstBias, Criterion::MeanMse { worst_bias: 1.2 }, Criterion::WorstMse { worst_bias: 1.2 }]
    {
        let design = designer.design(criterion).expect("designs");
        assert_eq!(design.status, DesignStatus::Optimal, "{criterion:?}");
        let value = |rule: &Table| {
            let errors = designer.errors(rule);
            match criterion {
                Criterion::WorstBias => errors.worst_bias,
                Criterion::MeanMse { worst_bias } if errors.worst_bias <= worst_bias => errors.mean_mse,
                Criterion::WorstMse { worst_bias } if errors.worst_bias <= worst_bias => errors.worst_mse,
                _ => f64::INFINITY,
            }
        };
        let attained = value(&design.rule);
        assert!(attained >= design.lower_bound && attained - design.lower_bound <= 1e-7 * attained, "{criterion:?}");
        let mut improved = 0;
        for size in [10.0, 1.0, 0.1, 1e-2, 1e-3] {
            for _ in 0..40 {
                let values = design.rule.rows().map(|(_, v)| (v + size * (uniform() - 0.5)).clamp(0.0, 8.0)).collect();
                let rule = Table::new(design.rule.first(), values, Tail::Constant).expect("finite");
                assert!(value(&rule) >= design.lower_bound, "{criterion:?} {size}");
                improved += i32::from(value(&rule) < attained - 1e-7 * attained);
            }
        }
        assert_eq!(improved, 0, "{criterion:?}");
        // One value off by half a step, at the middle, where every answer sees it.
        let values = design.rule.rows().map(|(y, v)| if y == 4 { (v + 0.5).min(8.0) - 0.25 } else { v }).collect();
        let damaged = Table::new(design.rule.first(), values, Tail::Constant).expect("finite");
        assert!(value(&damaged) - design.lower_bound > 1e-4 * attained, "{criterion:?} {}", value(&damaged));
    }
}

#[test]
fn impossible_bounds_name_the_least_possible_one() {
    let designer = Designer::new(&discrete((-1f64).exp()), Answers::HalfLine).expect("admissible");
    let exact = 1.0 / (1.0 + 1f64.exp());
    for criterion in [Criterion::MeanMse { worst_bias: 0.9 * exact }, Criterion::WorstMse { worst_bias: 0.9 * exact }] {
        let design = designer.design(criterion).expect("designs");
        let DesignStatus::Infeasible { least } = design.status else { panic!("{:?}", design.status) };
        assert!((least / exact - 1.0).abs() < 1e-8 && design.lower_bound > 0.9 * exact, "{design:?}");
        // What it names is possible.
        let again = designer.design(Criterion::WorstMse { worst_bias: least }).expect("designs");
        assert!(
            !matches!(again.status, DesignStatus::Infeasible { .. }) && again.errors.worst_bias <= least,
            "{again:?}"
        );
    }
}

/// A scale of a hundred steps: every criterion and form ends with a gap that certifies it, in about a second each.
#[test]
fn wide_noise_is_designed_for_like_narrow_noise() {
    let exact = |tau: f64| (1..1000).map(f64::from).map(|q| q / (1.0 + (tau * q).exp())).fold(0.0, f64::max);
    let designer = Designer::new(&discrete((-0.01f64).exp()), Answers::HalfLine).expect("admissible");
    let forms = [designer.clone(), designer.clone().monotone(), designer.unbiased_at_infinity()];
    for (form, designer) in forms.into_iter().enumerate() {
        let least = designer.design(Criterion::WorstBias).expect("designs");
        assert_brackets(&least, exact(0.01), least.errors.worst_bias, 1e-7, &form.to_string());
        for criterion in [Criterion::MeanMse { worst_bias: 35.0 }, Criterion::WorstMse { worst_bias: 35.0 }] {
            let design = designer.design(criterion).expect("designs");
            assert_eq!(design.status, DesignStatus::Optimal, "form {form}, {criterion:?}: gap {:e}", design.gap);
            assert!(design.errors.worst_bias <= 35.0);
        }
    }
}

/// Stopped early, a design says so, and rule and bound are still valid.
#[test]
fn an_early_stop_leaves_a_larger_gap() {
    let designer = Designer::new(&discrete((-0.2f64).exp()), Answers::UpTo(20)).expect("admissible");
    let full = designer.design(Criterion::WorstBias).expect("designs");
    let early = designer.clone().with_iteration_limit(4).design(Criterion::WorstBias).expect("designs");
    assert_eq!((full.status, early.status), (DesignStatus::Optimal, DesignStatus::IterationLimit));
    assert!(early.gap > 1e3 * full.gap, "{early:?}");
    assert!(early.lower_bound <= full.errors.worst_bias && full.lower_bound <= early.errors.worst_bias);
}

/// The designer's sums for the clamp are the closed forms of [`Clamped`].
#[test]
fn errors_of_the_clamp_are_its_closed_forms() {
    let noise = discrete((-0.3f64).exp());
    for (answers, upper) in [(Answers::HalfLine, f64::INFINITY), (Answers::UpTo(9), 9.0)] {
        let law = Clamped::new(noise.clone(), Range::new(0.0, upper).expect("ordered"));
        let designer = Designer::new(&noise, answers).expect("admissible");
        for q in 0..=9 {
            let at = f64::from(q);
            let (bias, mse) = (designer.bias(&clamp(answers), q), designer.mse(&clamp(answers), q));
            assert!((bias - law.bias(at)).abs() < 1e-12 * noise.scale(), "{answers:?} at {q}: {bias}");
            assert!((mse / law.mse(at) - 1.0).abs() < 1e-12, "{answers:?} at {q}: {mse}");
        }
    }
}

/// Claim `designed-rule-loss`: the published law of a designed rule, enumerated, has the loss of the noise at most.
#[test]
fn designed_rules_keep_epsilon() {
    let tau = 0.4f64;
    let noise = discrete((-tau).exp());
    let rule = Designer::new(&noise, Answers::UpTo(6))
        .expect("admissible")
        .design(Criterion::WorstBias)
        .expect("designs")
        .rule;
    let published = |noise: &DiscreteLaplace, q: i64| {
        let mut law = BTreeMap::<u64, f64>::new();
        for y in -300..=300 {
            *law.entry(rule.at(y).to_bits()).or_default() += noise.ln_density((y - q) as f64).exp();
        }
        law
    };
    let loss = |noise: &DiscreteLaplace| {
        let pairs = (0..6).map(|q| (published(noise, q), published(noise, q + 1)));
        let ratios = pairs.flat_map(|(p, r)| p.into_iter().map(move |(value, mass)| (mass / r[&value]).ln().abs()));
        ratios.fold(0.0, f64::max)
    };
    assert!(loss(&noise) <= tau + 1e-12, "{}", loss(&noise));
    // The same rule over too little noise is caught.
    assert!(loss(&discrete((-1.1 * tau).exp())) > 1.05 * tau);
}

#[test]
fn the_designer_refuses_what_it_cannot_do() {
    let noise = discrete((-1f64).exp());
    let continuous = Laplace::with_scale(1.0).expect("positive");
    let error = Designer::new(&continuous, Answers::HalfLine).expect_err("no lattice");
    assert_eq!(error, DesignError::Lattice { spacing: 0.0 });
    assert_eq!(Designer::new(&noise, Answers::UpTo(0)).expect_err("one answer"), DesignError::Answers);
    let narrow = Designer::new(&discrete((-100f64).exp()), Answers::HalfLine);
    assert_eq!(narrow.expect_err("no noise"), DesignError::TooNarrow);
    for wide in [(discrete((-1e-6f64).exp()), Answers::HalfLine), (noise.clone(), Answers::UpTo(5000))] {
        assert!(matches!(Designer::new(&wide.0, wide.1), Err(DesignError::TooWide { .. })), "{wide:?}");
    }
    let designer = Designer::new(&noise, Answers::UpTo(5)).expect("admissible");
    for (first, last) in [(1, 9), (0, 4), (-1000, 1500)] {
        assert!(designer.clone().with_window(first, last).is_err(), "{first} {last}");
    }
    for weights in [vec![], vec![0.0], vec![-1.0, 2.0], vec![f64::NAN], vec![f64::INFINITY], vec![1.0; 7]] {
        let error = designer.clone().with_weights(&weights).expect_err("no weights");
        assert_eq!(error, DesignError::Weights { largest: 6 }, "{weights:?}");
    }
    for worst_bias in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(designer.design(Criterion::MeanMse { worst_bias }).is_err(), "{worst_bias}");
    }
    assert_eq!(Table::new(0, vec![], Tail::Constant), Err(DesignError::Table));
    assert_eq!(Table::new(0, vec![0.0], Tail::Shifted(f64::NAN)), Err(DesignError::Table));
}
