//! The samplers against their law: tests with a stated false-alarm rate, that also reject wrong laws.
//!
//! Seeds are fixed, so a run is repeatable; the false-alarm rate of one comparison, over the choice of its seed, is
//! below 1e-6 (the chi-square quantile used is the Wilson-Hilferty one at 5 standard deviations; Kolmogorov-Smirnov
//! uses the Dvoretzky-Kiefer-Wolfowitz bound), and below 1e-4 for the file.

use inbounds_mechanisms::{
    law::Noise,
    noise::DiscreteLaplace,
    sampler::{Reach, SeededEntropy, fill_conditioned, fill_discrete_laplace, sample_discrete_laplace},
};

pub(crate) const DRAWS: usize = 200_000;

fn law(tau: &str) -> DiscreteLaplace {
    DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
}

/// A way to draw, with the number of draws that selects it.
struct Path {
    name: &'static str,
    draws: usize,
    fill: fn(&DiscreteLaplace, Reach, &mut SeededEntropy, &mut [i128]),
}

const PATHS: [Path; 4] = [
    Path {
        name: "one by one",
        draws: DRAWS,
        fill: |law, reach, entropy, noise| noise.fill_with(|| sample_discrete_laplace(law, reach, entropy)),
    },
    Path {
        name: "conditioned",
        draws: DRAWS,
        fill: |law, reach, entropy, noise| fill_conditioned(law, |_| reach, entropy, noise),
    },
    Path { name: "inversion", draws: 65_000, fill: unlimited },
    Path { name: "table", draws: 400_000, fill: unlimited },
];

fn unlimited(law: &DiscreteLaplace, reach: Reach, entropy: &mut SeededEntropy, noise: &mut [i128]) {
    assert_eq!(reach, Reach::UNLIMITED);
    fill_discrete_laplace(law, entropy, noise);
}

impl Path {
    /// The ways that can draw with this reach.
    fn with(reach: Reach) -> &'static [Self] {
        if reach == Reach::UNLIMITED { &PATHS } else { &PATHS[..2] }
    }

    fn draw(&self, law: &DiscreteLaplace, reach: Reach, seed: u64) -> Vec<i128> {
        let mut noise = vec![0; self.draws];
        (self.fill)(law, reach, &mut SeededEntropy::from_seed(seed), &mut noise);
        noise
    }
}

/// Probability of each integer of a window under the law given the reach.
fn probabilities(tau: f64, reach: Reach, window: std::ops::RangeInclusive<i128>) -> Vec<(i128, f64)> {
    let far = (800.0 / tau) as i128;
    let low = reach.below.map_or(-far, |below| -(below as i128));
    let high = reach.above.map_or(far, |above| above as i128);
    let total: f64 = (low..=high).map(|k| (-tau * k.abs() as f64).exp()).sum();
    window.map(|k| (k, if (low..=high).contains(&k) { (-tau * k.abs() as f64).exp() / total } else { 0.0 })).collect()
}

/// Chi-square statistic in units of standard deviations of its Wilson-Hilferty normal approximation.
pub(crate) fn surprise(draws: &[i128], law: &[(i128, f64)]) -> f64 {
    let n = draws.len() as f64;
    let (first, last) = (law[0].0, law[law.len() - 1].0);
    let mut observed = vec![0f64; law.len()];
    let mut outside = 0f64;
    for k in draws {
        if (first..=last).contains(k) { observed[(k - first) as usize] += 1.0 } else { outside += 1.0 }
    }
    let rest = (1.0 - law.iter().map(|(_, p)| p).sum::<f64>()).max(0.0);
    let mut cells: Vec<(f64, f64)> = law.iter().zip(&observed).map(|((_, p), o)| (p * n, *o)).collect();
    cells.push((rest * n, outside));
    // An outcome of probability zero that happened settles the matter; cells under five expected are pooled.
    if cells.iter().any(|(expected, observed)| *expected < 1e-9 && *observed > 0.0) {
        return f64::INFINITY;
    }
    let (mut statistic, mut used, mut pool) = (0.0, 0.0, (0.0, 0.0));
    for (expected, observed) in cells {
        if expected >= 5.0 {
            statistic += (observed - expected).powi(2) / expected;
            used += 1.0;
        } else {
            pool = (pool.0 + expected, pool.1 + observed);
        }
    }
    if pool.0 >= 5.0 {
        statistic += (pool.1 - pool.0).powi(2) / pool.0;
        used += 1.0;
    }
    let freedom: f64 = used - 1.0;
    let spread = 2.0 / (9.0 * freedom);
    ((statistic / freedom).cbrt() - (1.0 - spread)) / spread.sqrt()
}

const CASES: [(&str, Option<u128>, Option<u128>); 9] = [
    ("1", None, None),
    ("0.05", None, None),
    ("0.3", Some(0), None),
    ("0.3", None, Some(2)),
    ("0.2", Some(3), Some(11)),
    ("0.001", Some(10), Some(10)),
    ("1e-9", Some(20), Some(5)),
    ("3", Some(1), Some(1)),
    ("2", Some(0), Some(4)),
];

#[test]
fn draws_follow_the_law_and_wrong_laws_are_rejected() {
    for (index, (tau, below, above)) in CASES.into_iter().enumerate() {
        let (noise, reach) = (law(tau), Reach { below, above });
        let window = -60..=60;
        let right = probabilities(noise.tau(), reach, window.clone());
        let wrong = probabilities(noise.tau() * 1.05, reach, window);
        for path in Path::with(reach) {
            let case = format!("{}, tau {tau}, {reach:?}", path.name);
            let draws = path.draw(&noise, reach, 100 + index as u64);
            assert!(surprise(&draws, &right) < 5.0, "{case}");

            let shifted: Vec<i128> = draws.iter().map(|k| k + 1).collect();
            assert!(surprise(&shifted, &right) > 5.0, "a shift of one step passes: {case}");
            let hollow: Vec<i128> = draws.iter().map(|k| if *k == 0 { 1 } else { *k }).collect();
            assert!(surprise(&hollow, &right) > 5.0, "a missing atom passes: {case}");
            // A scale wrong by 5 % shows only where the range is not much narrower than the scale.
            if noise.tau() * (below.unwrap_or(60) + above.unwrap_or(60)) as f64 >= 1.0 {
                assert!(surprise(&draws, &wrong) > 5.0, "a scale wrong by 5 % passes: {case}");
            }
        }
    }
}

/// A reach of its own for every element: each answer in `0..=9` has its own law.
#[test]
fn every_element_has_its_own_reach() {
    let noise = law("0.4");
    let reach = |answer: usize| Reach { below: Some(answer as u128), above: Some(9 - answer as u128) };
    let mut draws = vec![0; DRAWS * 5];
    fill_conditioned(&noise, |cell| reach(cell % 10), &mut SeededEntropy::from_seed(12), &mut draws);
    for answer in 0..10 {
        let of_answer: Vec<i128> = draws.iter().skip(answer).step_by(10).copied().collect();
        assert!(surprise(&of_answer, &probabilities(0.4, reach(answer), -9..=9)) < 5.0, "answer {answer}");
        let neighbour = reach(if answer == 9 { 8 } else { answer + 1 });
        assert!(surprise(&of_answer, &probabilities(0.4, neighbour, -9..=9)) > 5.0, "answer {answer}");
    }
}

/// Largest distance between the empirical distribution function and a given one, times the root of the number of draws:
/// above 2.7 with probability below 1e-6.
fn distance(draws: &mut [i128], cdf: impl Fn(f64) -> f64) -> f64 {
    draws.sort_unstable();
    let n = draws.len() as f64;
    let gaps = draws.iter().enumerate().map(|(i, k)| {
        // The law steps at k: compare on both sides of the step.
        ((i + 1) as f64 / n - cdf(*k as f64)).max(cdf(*k as f64 - 1.0) - i as f64 / n)
    });
    // Where draws tie, only the last of them is at the top of the step and the first at its foot.
    gaps.fold(0.0, f64::max) * n.sqrt()
}

/// Scales of one step a cell and of many, up to where every draw is exact, by Kolmogorov-Smirnov.
#[test]
fn huge_scales_follow_the_law() {
    for (tau, n) in [("1e-6", 1_000_000), ("4.5e-13", 1_000_000), ("1e-18", 1_000_000), ("1e-25", 400)] {
        let noise = law(tau);
        let mut draws = vec![0; n];
        fill_discrete_laplace(&noise, &mut SeededEntropy::from_seed(77), &mut draws);
        assert!(distance(&mut draws, |k| noise.cdf(k)) < 2.7, "tau {tau}");
        if n == 1_000_000 {
            let wrong = law(&format!("{}", noise.tau() * 1.05));
            assert!(distance(&mut draws, |k| wrong.cdf(k)) > 2.7, "tau {tau}: a scale wrong by 5 % passes");
            let lopsided = draws.iter().map(|k| if *k < 0 { k / 20 * 19 } else { *k });
            assert!(distance(&mut lopsided.collect::<Vec<_>>(), |k| noise.cdf(k)) > 2.7, "tau {tau}");
        }
    }
}

/// At scales of many steps a cell, all residues of the noise are as frequent: low bits are not lost.
#[test]
fn huge_scales_use_every_step() {
    for (tau, below, above) in [("4.5e-13", None, None), ("1e-18", None, Some(1 << 62)), ("1e-12", Some(999), None)] {
        let mut draws = vec![0; DRAWS];
        let reach = Reach { below, above };
        fill_conditioned(&law(tau), |_| reach, &mut SeededEntropy::from_seed(78), &mut draws);
        let even: Vec<(i128, f64)> = (0..64).map(|k| (k, 1.0 / 64.0)).collect();
        let residues = |draws: &[i128]| draws.iter().map(|k| k.rem_euclid(64)).collect::<Vec<_>>();
        assert!(surprise(&residues(&draws), &even) < 5.0, "tau {tau}");
        let coarse: Vec<i128> = draws.iter().map(|k| k / 2 * 2).collect();
        assert!(surprise(&residues(&coarse), &even) > 5.0, "tau {tau}: a grid twice as coarse passes");
    }
}

/// A range far narrower than the scale has an even law, up to the last step, at both ends of it.
#[test]
fn narrow_ranges_at_huge_scales_are_even() {
    for (below, above) in [(Some(0), Some(99)), (Some(99), Some(0)), (Some(50), Some(49))] {
        let mut draws = vec![0; DRAWS];
        fill_conditioned(&law("1e-9"), |_| Reach { below, above }, &mut SeededEntropy::from_seed(79), &mut draws);
        let first = -(below.unwrap_or(0) as i128);
        let even: Vec<(i128, f64)> = (first..first + 100).map(|k| (k, 0.01)).collect();
        assert!(surprise(&draws, &even) < 5.0, "{below:?} {above:?}");
        let shorter: Vec<(i128, f64)> = (first..first + 99).map(|k| (k, 1.0 / 99.0)).collect();
        assert!(surprise(&draws, &shorter) > 5.0, "{below:?} {above:?}");
    }
}
