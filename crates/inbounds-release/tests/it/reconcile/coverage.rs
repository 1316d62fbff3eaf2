//! Intervals cover the truth at their level, whatever the law of the noise, and a wrong law is noticed.

use std::fmt::Write;

use inbounds_mechanisms::{
    law::DiscreteLaplace,
    sampler::{Entropy, Reach, SeededEntropy, sample_discrete_gaussian, sample_discrete_laplace},
};
use inbounds_release::reconcile::Options;

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

/// How often each node's interval held the truth.
fn covered(stated: f64) -> Vec<f64> {
    let mut bench = Bench::new();
    let mut entropy = SeededEntropy::from_seed(17);
    let mut hits = [0; TRUTH.len()];
    for run in 0..RUNS {
        let counts = measurements(&mut entropy, stated);
        let options = Options { replicates: 39, seed: run as u64, ..Options::default() };
        let found = bench.run(&counts, "", options).expect("feasible");
        for node in found.nodes() {
            let place = TRUTH.iter().position(|(name, ..)| *name == node.name).expect("a node");
            let (lower, upper) = node.interval.expect("replicates");
            assert!(0.0 <= lower && lower <= upper);
            hits[place] += usize::from((lower..=upper).contains(&TRUTH[place].2));
        }
    }
    hits.iter().map(|&hits| f64::from(hits as u32) / RUNS as f64).collect()
}

/// Coverage is at least 0.95 in expectation. Of right code one node in 100,000 is seen below 0.9 (360 of 400 runs, a
/// binomial tail of 2e-5), so the test fails for one seed in 5,000. Scales stated at half their size are noticed.
#[test]
fn intervals_cover_at_the_level() {
    let right = covered(1.0);
    assert!(right.iter().all(|&share| share >= 0.9), "{right:?}");
    // Far from zero nothing is cut, and an interval that never missed would be idle.
    assert!(right[1] <= 0.993 && right[3] <= 0.993, "{right:?}");
    let wrong = covered(0.5);
    assert!(wrong[1] < 0.9 && wrong[3] < 0.9, "{wrong:?}");
}
