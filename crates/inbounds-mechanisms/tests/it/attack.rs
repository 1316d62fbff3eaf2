//! A distinguisher that reads the last bits of one output, against noise added in doubles and against the grid.
//!
//! Scale 2, neighbouring answers 0 and 1. Event A: `|y| < 1/16` and `y` is not a multiple of `2^-53`. In doubles
//! `1 - s` is a multiple of `2^-53` for every double `s` near one, so that A never happens under the answer 1, but
//! often under the answer 0 (Mironov 2012 on the last bits of Laplace noise). Private noise of this scale must give A
//! under 1 at least `e^(-1/2)` times as often as under 0.

use std::collections::BTreeSet;

use inbounds_core::{Grid, Rational};
use inbounds_mechanisms::{
    noise::DiscreteLaplace,
    sampler::{Entropy, Reach, SeededEntropy, fill_conditioned, fill_discrete_laplace},
};

const DRAWS: usize = 1 << 17;

/// Fine enough that grid points within 1/16 need not be multiples of `2^-53`, were it not for the grid.
const EXPONENT: i32 = -40;

fn is_event(y: f64) -> bool {
    y.abs() < 1.0 / 16.0 && (y * 2f64.powi(53)).fract() != 0.0
}

fn count(values: &[f64]) -> usize {
    values.iter().filter(|y| is_event(**y)).count()
}

/// Noise as it must not be made: an inverse distribution function in doubles, added to the answer in doubles.
fn naive(answer: f64, entropy: &mut dyn Entropy) -> f64 {
    let uniform = ((entropy.word() >> 11) as f64 + 0.5) * 2f64.powi(-53);
    let sign = if entropy.word() & 1 == 0 { 1.0 } else { -1.0 };
    answer - sign * 2.0 * uniform.ln()
}

/// Scale 2 on the grid of spacing `2^EXPONENT`: an inverse scale of `2^(EXPONENT - 1)` per step.
fn law() -> DiscreteLaplace {
    let inverse_scale = Rational::ratio(1, 1 << (1 - EXPONENT));
    DiscreteLaplace::with_inverse_scale(inverse_scale).expect("admissible")
}

/// Answer and noise in steps, published as a double.
fn on_the_grid(answer: f64, noise: &[i128]) -> Vec<f64> {
    let grid = Grid::power_of_two(EXPONENT).expect("in range");
    let steps = grid.floor(&Rational::from_f64(answer).expect("finite")).expect("in range");
    noise.iter().map(|noise| grid.value(steps + noise)).collect()
}

fn ours(answer: f64, seed: u64) -> Vec<f64> {
    let mut noise = vec![0; DRAWS];
    fill_discrete_laplace(&law(), &mut SeededEntropy::from_seed(seed), &mut noise);
    on_the_grid(answer, &noise)
}

/// Under 0 the event has probability of some percent, so that its absence among these draws under 1 has, for private
/// noise, a probability below `e^-1000`.
#[test]
fn noise_added_in_doubles_is_told_apart_by_one_draw() {
    let mut entropy = SeededEntropy::from_seed(1);
    let mut draw = |answer| (0..DRAWS).map(|_| naive(answer, &mut entropy)).collect::<Vec<f64>>();
    let (under_zero, under_one) = (count(&draw(0.0)), count(&draw(1.0)));
    assert!(under_zero > 2_000, "{under_zero} of {DRAWS}");
    assert_eq!(under_one, 0);
}

#[test]
fn the_grid_gives_the_distinguisher_nothing() {
    assert_eq!([count(&ours(0.0, 2)), count(&ours(1.0, 3))], [0, 0]);
}

/// The sharper form: what can be published is the same set for both answers, all points of the grid near them, and
/// frequencies within it differ by no more than the guarantee and chance allow.
#[test]
fn neighbours_reach_the_same_grid() {
    let grid = Grid::power_of_two(EXPONENT).expect("in range");
    for (answer, seed) in [(0.0, 4), (1.0, 5)] {
        assert!(ours(answer, seed).iter().all(|y| (y / grid.spacing()).fract() == 0.0), "answer {answer}");
    }
    // A coarse grid, where a sample visits every point of a window: scale 2, spacing 1/16.
    let law = DiscreteLaplace::with_inverse_scale(Rational::ratio(1, 32)).expect("admissible");
    let window = |answer: i128, seed| {
        let mut noise = vec![0; DRAWS];
        fill_discrete_laplace(&law, &mut SeededEntropy::from_seed(seed), &mut noise);
        noise.into_iter().map(|noise| answer + noise).filter(|y| (-16..=32).contains(y)).collect::<Vec<_>>()
    };
    let (zero, one) = (window(0, 6), window(16, 7));
    let reached = |values: &[i128]| values.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(reached(&zero), reached(&one));
    assert_eq!(reached(&zero).len(), 49);
    // Neighbours at distance 1 and scale 2: a factor of e^(1/2), and five standard deviations of chance.
    for y in -16..=32 {
        let [a, b] = [&zero, &one].map(|values| values.iter().filter(|value| **value == y).count() as f64);
        assert!(a - 0.5f64.exp() * b < 5.0 * (a + 2.8 * b).sqrt(), "{y}: {a} against {b}");
        assert!(b - 0.5f64.exp() * a < 5.0 * (b + 2.8 * a).sqrt(), "{y}: {b} against {a}");
    }
}

/// Conditioned noise: both answers reach every point of the range, and nothing outside it.
#[test]
fn conditioned_neighbours_reach_the_same_range() {
    let law = DiscreteLaplace::with_inverse_scale(Rational::ratio(1, 32)).expect("admissible");
    for answer in [0i128, 16, 64] {
        let mut noise = vec![0; DRAWS];
        let reach = Reach { below: Some(answer as u128), above: Some(64 - answer as u128) };
        fill_conditioned(&law, |_| reach, &mut SeededEntropy::from_seed(8), &mut noise);
        let reached: BTreeSet<i128> = noise.into_iter().map(|noise| answer + noise).collect();
        assert_eq!(reached, (0..=64).collect::<BTreeSet<_>>(), "answer {answer}");
    }
}
