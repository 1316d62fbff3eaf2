//! A lower bound on epsilon from samples of two releases.
//!
//! **Law.** For neighbours `x`, `x'` and any event `S`, `P(M(x) in S) <= e^epsilon P(M(x') in S) + delta`. The event is
//! chosen on the first half of the samples, so on the second half it is fixed, and by Clopper and Pearson
//!
//! ```text
//! epsilon >= ln((p - delta) / q),    p <= P(M(x) in S),    q >= P(M(x') in S),
//! ```
//!
//! holds with confidence `1 - miss`, each of the two bounds failing with probability `miss / 2` at most. Claim:
//! `audit-lower-bound`.

use crate::binomial;

/// Samples of numbers that a release shows: one list a number, one entry a run.
pub(crate) type Samples = Vec<Vec<f64>>;

/// An event, as a condition on one number.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Event {
    AtLeast(f64),
    AtMost(f64),
    Equals(f64),
}

impl Event {
    fn holds(self, value: f64) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
            Self::Equals(target) => value == target,
        }
    }

    fn hits(self, values: &[f64]) -> u64 {
        values.iter().filter(|value| self.holds(**value)).count() as u64
    }
}

/// Thresholds that are tried for each number.
const THRESHOLDS: usize = 60;

/// A lower bound on epsilon; zero where nothing better is shown. Fails with probability `miss` at most.
///
/// # Panics
/// If the two sides do not show the same numbers in equally many runs.
pub(crate) fn epsilon_at_least(sides: &[Samples; 2], delta: f64, miss: f64) -> f64 {
    let runs = sides[0].first().map_or(0, Vec::len);
    assert!(sides.iter().all(|side| side.len() == sides[0].len() && side.iter().all(|number| number.len() == runs)));
    let half = runs / 2;
    if half == 0 {
        return 0.0;
    }
    let mut chosen: Option<(f64, usize, Event, usize)> = None;
    for (number, (one, other)) in sides[0].iter().zip(&sides[1]).enumerate() {
        let first = [&one[..half], &other[..half]];
        for event in events(first) {
            let hits = first.map(|values| event.hits(values) as f64);
            for (from, against) in [(0, 1), (1, 0)] {
                let promise = promise(hits[from], hits[against], half as f64, delta, miss);
                if chosen.is_none_or(|(best, ..)| promise > best) {
                    chosen = Some((promise, number, event, from));
                }
            }
        }
    }
    let Some((_, number, event, from)) = chosen else { return 0.0 };
    let second = |side: usize| &sides[side][number][half..];
    let trials = (runs - half) as u64;
    let p = binomial::lower(event.hits(second(from)), trials, 0.5 * miss);
    let q = binomial::upper(event.hits(second(1 - from)), trials, 0.5 * miss);
    libm::log((p - delta).max(0.0) / q).max(0.0)
}

/// Log ratio that an event is likely to show, by a normal approximation. It only selects events.
fn promise(hits: f64, against: f64, runs: f64, delta: f64, miss: f64) -> f64 {
    let z = libm::sqrt(-2.0 * libm::log(miss));
    let spread = |p: f64| z * libm::sqrt(p * (1.0 - p) / runs) + 0.5 * z * z / runs;
    let (p, q) = (hits / runs, against / runs);
    libm::log(((p - spread(p)).max(0.0) - delta).max(f64::MIN_POSITIVE) / (q + spread(q)))
}

/// Events of a number: halves of the line between the values seen, and the values seen most.
fn events(first: [&[f64]; 2]) -> Vec<Event> {
    let mut seen: Vec<f64> = first.concat();
    seen.sort_by(f64::total_cmp);
    let step = (seen.len() / THRESHOLDS).max(1);
    let mut thresholds: Vec<f64> = seen.iter().copied().step_by(step).chain(seen.last().copied()).collect();
    thresholds.dedup();
    let halves = thresholds.iter().flat_map(|at| [Event::AtLeast(*at), Event::AtMost(*at)]);
    let mut atoms: Vec<(usize, f64)> = seen.chunk_by(|a, b| a == b).map(|atom| (atom.len(), atom[0])).collect();
    atoms.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.total_cmp(&b.1)));
    let atoms = atoms.into_iter().take(8).map(|(_, value)| Event::Equals(value));
    halves.chain(atoms).collect()
}

#[cfg(test)]
mod tests {
    use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

    use super::*;

    /// Laplace noise of scale 1 around a centre, in hundredths.
    fn laplace(seed: u64, centre: f64, runs: usize) -> Vec<f64> {
        let mut words = SeededEntropy::from_seed(seed);
        let draw = || {
            let u = (words.word() >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            centre - u.signum() * libm::log(1.0 - 2.0 * u.abs())
        };
        std::iter::repeat_with(draw).take(runs).collect()
    }

    /// A hundred bounds on a mechanism of epsilon 1: near it from below, and none above it, though each may be once
    /// in 20.
    #[test]
    fn bounds_come_near_and_do_not_pass() {
        let bound = |seed: u64| {
            let sides = [0.0, 1.0].map(|centre| vec![laplace(2 * seed + centre as u64, centre, 20_000)]);
            epsilon_at_least(&sides, 0.0, 0.05)
        };
        let bounds: Vec<f64> = (0..100).map(bound).collect();
        let above = bounds.iter().filter(|bound| **bound > 1.0).count();
        let mean = bounds.iter().sum::<f64>() / 100.0;
        assert!(above <= 10, "{above} of 100 pass");
        assert!((0.85..1.0).contains(&mean), "{mean}");
    }

    #[test]
    fn what_tells_tables_apart_for_certain_is_bounded_by_the_runs_alone() {
        let sides = [vec![vec![0.0; 1000]], vec![vec![1.0; 1000]]];
        let bound = epsilon_at_least(&sides, 0.0, 0.05);
        // ln(p / q) with 500 of 500 against 0 of 500, each missed once in 40.
        let expected = libm::log(libm::pow(0.025, 1.0 / 500.0) / (1.0 - libm::pow(0.025, 1.0 / 500.0)));
        assert!((bound - expected).abs() < 1e-9, "{bound} {expected}");
        let same = [vec![vec![0.0; 1000]], vec![vec![0.0; 1000]]];
        assert_eq!(epsilon_at_least(&same, 0.0, 0.05), 0.0);
        // With all of the probability in delta nothing is shown.
        assert_eq!(epsilon_at_least(&sides, 1.0, 0.05), 0.0);
    }
}
