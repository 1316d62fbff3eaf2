//! Intervals cover the truth at their level, whatever the law of the noise, and a wrong law is noticed.

use std::fmt::Write;

use inbounds_mechanisms::{
    noise::{DiscreteLaplace, sample_discrete_gaussian},
    sampler::{Entropy, Reach, SeededEntropy, sample_discrete_laplace},
};
use inbounds_reconcile::{Fit, Options};

use super::Bench;

const RUNS: usize = 400;

/// True values: a sparse region beside a full one.
const TRUTH: [(&str, &str, f64); 9] = [
    ("all", "", 180.0),
    ("full", "all", 178.0),
    ("sparse", "all", 2.0),
    ("f1", "full", 120.0),
    ("f2", "full", 58.0),
    ("s1", "sparse", 0.0),
    ("s2", "sparse", 2.0),
    ("s3", "sparse", 0.0),
    ("s4", "sparse", 0.0),
];

/// A file of noisy values, drawn by samplers that share no code with the simulation: exact discrete ones, and inversion
/// for Laplace noise. It states the scales `stated` times what they are.
fn measurements(entropy: &mut SeededEntropy, stated: f64) -> String {
    let discrete = DiscreteLaplace::with_inverse_scale("0.2".parse().expect("a number")).expect("a law");
    let mut text = "node,parent,value,law,scale\n".to_owned();
    for (index, (node, parent, truth)) in TRUTH.into_iter().enumerate() {
        let (noise, law, scale) = match index % 3 {
            0 => (sample_discrete_laplace(&discrete, Reach::UNLIMITED, entropy) as f64, "discrete-laplace", 5.0),
            1 => {
                let variance = "30.25".parse().expect("a number");
                (sample_discrete_gaussian(&variance, entropy) as f64, "discrete-gaussian", 5.5)
            }
            _ => {
                let uniform = (entropy.word() as f64 + 0.5) / 2f64.powi(64) - 0.5;
                (-4.0 * uniform.signum() * (1.0 - 2.0 * uniform.abs()).ln(), "laplace", 4.0)
            }
        };
        writeln!(text, "{node},{parent},{},{law},{}", truth + noise, stated * scale).expect("text");
    }
    text
}

/// Share of runs in which each node's interval contained the truth.
fn covered(stated: f64, fit: Fit) -> Vec<f64> {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(17);
    let mut hits = [0; TRUTH.len()];
    for run in 0..RUNS {
        let counts = measurements(&mut entropy, stated);
        let options = Options { replicates: 39, seed: run as u64, fit: Some(fit), ..Options::default() };
        let reconciled = bench.run(&counts, "", options).expect("feasible");
        for node in reconciled.nodes() {
            let place = TRUTH.iter().position(|(name, ..)| *name == node.name).expect("a node");
            let (lower, upper) = node.interval.expect("replicates");
            assert!(0.0 <= lower && lower <= upper);
            hits[place] += usize::from((lower..=upper).contains(&TRUTH[place].2));
        }
    }
    hits.iter().map(|&hits| f64::from(hits as u32) / RUNS as f64).collect()
}

/// Coverage is at least 0.95 in expectation. Of right code one node in 100,000 is seen below 0.9 (360 of 400 runs, a
/// binomial tail of 2e-5), so the test fails for one seed in 2,500. Scales stated at half their size are noticed.
#[test]
fn intervals_cover_at_the_level() {
    for fit in [Fit::TopDown, Fit::Shrunk] {
        let right = covered(1.0, fit);
        assert!(right.iter().all(|&share| share >= 0.9), "{fit:?} {right:?}");
        // Far from zero nothing is cut, and an interval that never missed would be idle.
        assert!(right[1] <= 0.993 && right[3] <= 0.993, "{fit:?} {right:?}");
    }
    let wrong = covered(0.5, Fit::TopDown);
    assert!(wrong[1] < 0.9 && wrong[3] < 0.9, "{wrong:?}");
}

/// Another system: its constraints, and the truth, which satisfies them, with what its intervals must stay within.
struct Other {
    rules: &'static str,
    truth: &'static [(&'static str, f64)],
    range: (f64, f64),
}

const OTHERS: [Other; 4] = [
    Other { rules: "total = 60", truth: &[("a", 0.0), ("b", 20.0), ("c", 40.0)], range: (0.0, 60.0) },
    Other {
        rules: "order = [[\"a\", \"b\", \"c\"]]",
        truth: &[("a", 3.0), ("b", 3.0), ("c", 50.0)],
        range: (0.0, f64::INFINITY),
    },
    Other {
        rules: "[[equality]]\nterms = { a = 2, b = -1 }\nequals = 0\n[[inequality]]\nterms = { c = 1, d = 1 }\nat_least = 9",
        truth: &[("a", 15.0), ("b", 30.0), ("c", 9.0), ("d", 0.0)],
        range: (0.0, f64::INFINITY),
    },
    Other {
        rules: "[matrix]\npositive_semidefinite = true",
        truth: &[("x:x", 40.0), ("y:y", 10.0), ("x:y", 20.0)],
        range: (f64::NEG_INFINITY, f64::INFINITY),
    },
];

const OTHER_RUNS: usize = 200;

/// The least share of intervals that held the truth, over the nodes; noise is Laplace of scale 4.
fn least_covered(other: &Other, stated: f64) -> f64 {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(23);
    let mut hits = vec![0_u32; other.truth.len()];
    for run in 0..OTHER_RUNS {
        let mut text = "node,value,law,scale\n".to_owned();
        for (node, truth) in other.truth {
            let uniform = (entropy.word() as f64 + 0.5) / 2f64.powi(64) - 0.5;
            let noise = -4.0 * uniform.signum() * (1.0 - 2.0 * uniform.abs()).ln();
            writeln!(text, "{node},{},laplace,{}", truth + noise, 4.0 * stated).expect("text");
        }
        let options = Options { replicates: 39, seed: run as u64, ..Options::default() };
        let reconciled = bench.run(&text, other.rules, options).expect("feasible");
        for (hits, (node, reconciled)) in hits.iter_mut().zip(other.truth.iter().zip(reconciled.nodes())) {
            let (lower, upper) = reconciled.interval.expect("replicates");
            assert!(reconciled.name == node.0 && other.range.0 <= lower && lower <= upper && upper <= other.range.1);
            *hits += u32::from((lower..=upper).contains(&node.1));
        }
    }
    f64::from(hits.into_iter().min().expect("nodes")) / OTHER_RUNS as f64
}

/// More than 24 misses of 200 at a level of 95 % have probability 3e-5, so the 13 nodes raise a false alarm once in
/// 2,500 seeds. Scales stated at half their size are noticed, and no interval is so wide that it never misses.
#[test]
fn intervals_cover_under_other_constraints() {
    for other in &OTHERS {
        let right = least_covered(other, 1.0);
        assert!((0.88..1.0).contains(&right), "{}: {right}", other.rules);
        let wrong = least_covered(other, 0.5);
        assert!(wrong < 0.88, "{}: {wrong}", other.rules);
    }
}
