//! A test that the time of drawing does not reveal where in its range the answer lies. Slow and by name, because a busy
//! machine makes any clock noisy:
//!
//! `cargo test --release -p inbounds-mechanisms --test it timing -- --ignored --nocapture`
//!
//! CPU times of the thread for vectors of a million draws, in rounds that interleave the answers, compared by the
//! Mann-Whitney rank test. A comparison rejects at five standard deviations: a false alarm below 1e-6 if the times are
//! exchangeable, whatever their distribution. A sampler by rejection, whose number of tries depends on the answer, must
//! be rejected by the same test.

#![cfg(unix)]

use std::{hint::black_box, time::Duration};

use inbounds_core::Rational;
use inbounds_mechanisms::{
    noise::DiscreteLaplace,
    sampler::{Entropy, Reach, SeededEntropy, fill_conditioned, fill_discrete_laplace, sample_discrete_laplace},
};
use rustix::time::{ClockId, clock_gettime};

const ROUNDS: usize = 40;
const DRAWS: usize = 1_000_000;
/// Width of the range in scales.
const WIDTH: u128 = 10;

/// A law of a given scale, and the width of the range.
fn law(scale: u128) -> (DiscreteLaplace, u128) {
    let law = DiscreteLaplace::with_inverse_scale(Rational::ratio(1, scale)).expect("admissible");
    (law, WIDTH * scale)
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Times of `draw` for the answers at an end and in the middle, in rounds.
fn times(width: u128, mut draw: impl FnMut(u128, &mut dyn Entropy)) -> [Vec<f64>; 2] {
    let answers = [0, width / 2];
    let mut entropy = SeededEntropy::from_seed(1);
    answers.iter().for_each(|answer| draw(*answer, &mut entropy));
    let mut times = [vec![], vec![]];
    for round in 0..ROUNDS {
        // Either answer goes first in every other round.
        for which in if round % 2 == 0 { [0, 1] } else { [1, 0] } {
            let start = cpu_time();
            draw(black_box(answers[which]), &mut entropy);
            times[which].push((cpu_time() - start).as_secs_f64());
        }
    }
    times
}

/// The Mann-Whitney statistic in standard deviations.
fn rank_difference(times: &[Vec<f64>; 2]) -> f64 {
    let [n, m] = [times[0].len() as f64, times[1].len() as f64];
    let pairs = times[0].iter().flat_map(|a| times[1].iter().map(move |b| a.total_cmp(b)));
    let wins: f64 = pairs.map(|order| 0.5 * f64::from(order as i8) + 0.5).sum();
    (wins - n * m / 2.0) / (n * m * (n + m + 1.0) / 12.0).sqrt()
}

#[expect(clippy::print_stdout, reason = "figures for whoever runs it by name")]
fn report(name: &str, draws: usize, times: &[Vec<f64>; 2]) -> f64 {
    let [end, middle] = times.each_ref().map(|times| {
        let mut sorted = times.clone();
        sorted.sort_by(f64::total_cmp);
        let quartile = |share: usize| sorted[sorted.len() * share / 4] / draws as f64 * 1e9;
        format!("{:.3} ns ({:.3} to {:.3})", quartile(2), quartile(1), quartile(3))
    });
    let z = rank_difference(times);
    println!("{name}: a draw at the end {end}, in the middle {middle}, rank test {z:.1}");
    z
}

#[ignore = "slow, and needs a quiet machine"]
#[test]
fn the_time_of_noise_does_not_tell_the_answer() {
    let mut noise = vec![0i128; DRAWS];
    // A scale of one step a cell, and one of many.
    for scale in [20, 1 << 41] {
        let (law, width) = law(scale);
        let reach = |answer| Reach { below: Some(answer), above: Some(width - answer) };
        let bulk = times(width, |answer, entropy| fill_conditioned(&law, |_| reach(answer), entropy, &mut noise));
        assert!(report(&format!("conditioned, in bulk, b = {scale}"), DRAWS, &bulk).abs() < 5.0);
        let single = times(width, |answer, entropy| {
            noise.iter_mut().for_each(|noise| *noise = sample_discrete_laplace(&law, reach(answer), entropy));
        });
        assert!(report(&format!("conditioned, one by one, b = {scale}"), DRAWS, &single).abs() < 5.0);
        // What clamping publishes first is the answer plus noise; the rest is computed from that.
        let clamped = times(width, |answer, entropy| {
            fill_discrete_laplace(&law, entropy, &mut noise);
            noise.iter_mut().for_each(|noise| *noise += answer as i128);
        });
        assert!(report(&format!("clamped, b = {scale}"), DRAWS, &clamped).abs() < 5.0);
    }
}

#[ignore = "slow, and needs a quiet machine"]
#[test]
fn the_test_rejects_a_sampler_by_rejection() {
    let (law, width) = law(20);
    let mut noise = vec![0i128; DRAWS / 4];
    let tried = times(width, |answer, entropy| {
        let inside = 0..=width as i128;
        for noise in &mut noise {
            *noise = loop {
                let draw = sample_discrete_laplace(&law, Reach::UNLIMITED, entropy);
                if inside.contains(&(answer as i128 + draw)) {
                    break draw;
                }
            };
        }
    });
    assert!(report("by rejection", noise.len(), &tried) > 5.0);
}
