//! Any joint law of noise, by drawing it again.
//!
//! # Idea
//! Noise does not depend on answers, so its draws and the noise that was added are independent draws of one law, and
//! the real error is larger than the `k`-th smallest of `R` drawn ones with probability at most
//! `(R + 1 - k) / (R + 1)`. With `k = ceil((1 - miss) (R + 1))` that is `miss` at most, whatever the law and however
//! few the draws. For a quotient the error at a ratio `r` is `X - r Y`: one pair of draws serves all ratios.
//!
//! # Invariant
//! The draws come from a seed that was fixed before anything was measured.

use std::sync::Arc;

use inbounds_core::monte_carlo::rank;
use inbounds_mechanisms::{
    noise::{DiscreteCube, GridNoise, fill_discrete_cube},
    sampler::{Entropy, SeededEntropy},
};

use super::{AcceptedSet, WeightedNoise};

/// Coordinates of one vector of cube noise, each times two numbers: what they add to a numerator and to a denominator.
#[derive(Debug, Clone)]
pub struct NoiseVector {
    /// The laws of the coordinates that matter, each with its own steps; all of one vector.
    pub coordinates: Vec<(Arc<DiscreteCube>, [f64; 2])>,
}

/// Joint draws of the noise of a numerator and of a denominator; of a form that of a numerator alone.
#[derive(Debug, Clone)]
pub struct JointDraws {
    pairs: Vec<(f64, f64)>,
}

/// Fewest draws, where a level does not need more.
const USUAL: usize = 1999;
/// Most draws.
const MOST: usize = 199_999;

/// Number of draws for a chance of a miss: enough that a hundred of them are beyond the radius, where that is no more
/// than 200,000.
pub fn draws_for(miss: f64) -> Option<usize> {
    let wanted = (100.0 / miss).ceil() as usize - 1;
    let draws = wanted.clamp(USUAL, MOST);
    rank(1.0 - miss, draws).map(|_| draws)
}

impl JointDraws {
    /// Draws of independent terms, each of which adds to both with a step of its own, and of vectors.
    pub fn new(independent: &[(Arc<GridNoise>, [f64; 2])], vectors: &[NoiseVector], draws: usize, seed: u64) -> Self {
        let mut entropy = SeededEntropy::from_seed(seed);
        let mut pairs = vec![(0.0, 0.0); draws];
        let mut noise = vec![0i128; draws];
        for (law, steps) in independent {
            law.law().fill(&mut entropy, &mut noise);
            add(&mut pairs, *steps, noise.iter().map(|steps| *steps as f64));
        }
        for vector in vectors {
            vector.add_to(&mut pairs, &mut entropy);
        }
        Self { pairs }
    }

    /// Draws of a sum of independent terms.
    pub fn of_terms(terms: &[WeightedNoise], draws: usize, seed: u64) -> Self {
        let terms: Vec<_> = terms.iter().map(|term| (term.noise.clone(), [term.step, 0.0])).collect();
        Self::new(&terms, &[], draws, seed)
    }

    /// Number of draws.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// `true` if there are no draws.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// Number of draws, the real one included, that must be at least as far away for a candidate to be accepted.
    fn enough(&self, miss: f64) -> usize {
        let rank = rank(1.0 - miss, self.len()).expect("enough draws for the level");
        self.len() + 1 - rank
    }

    /// The deviation that the noise of the numerator passes with a chance of at most `miss`.
    ///
    /// # Panics
    /// If there are too few draws for it: see [`draws_for`].
    pub fn radius(&self, miss: f64) -> f64 {
        let mut sizes: Vec<f64> = self.pairs.iter().map(|(error, _)| error.abs()).collect();
        let place = self.len() - self.enough(miss);
        let (_, radius, _) = sizes.select_nth_unstable_by(place, f64::total_cmp);
        *radius
    }

    /// The smallest interval with all ratios of a range that measured numerator and denominator do not reject.
    ///
    /// # Method
    /// A draw `(x, y)` is at least as far away as what was measured, `|x - r y| >= |A - r B|`, where
    /// `(x - A - r (y - B)) (x + A - r (y + B))` is not negative: a quadratic function of `r` that changes its sign at
    /// two known ratios. A sweep over the ratios of all draws counts them exactly.
    ///
    /// # Panics
    /// As [`JointDraws::radius`].
    pub fn accepted(&self, (a, b): (f64, f64), miss: f64, range: (f64, f64)) -> AcceptedSet {
        let enough = self.enough(miss);
        // Ratios at which a draw changes sides, and whether it is far enough below all of them.
        let mut changes: Vec<(f64, bool)> = Vec::with_capacity(2 * self.len());
        let mut count = 0usize;
        for &(x, y) in &self.pairs {
            let factors = [(x - a, y - b), (x + a, y + b)];
            // Sign at minus infinity: that of the slopes' product; a factor without slope keeps its own sign.
            let start: f64 = factors
                .iter()
                .map(|(value, slope)| if *slope == 0.0 { *value } else { *slope })
                .map(f64::signum)
                .product();
            let is_zero = factors.iter().any(|(value, slope)| *value == 0.0 && *slope == 0.0);
            if is_zero {
                count += 1;
                continue;
            }
            let mut ends: Vec<f64> =
                factors.iter().filter(|(_, slope)| *slope != 0.0).map(|(value, slope)| value / slope).collect();
            ends.sort_by(f64::total_cmp);
            let mut is_far = start > 0.0;
            count += usize::from(is_far);
            for end in ends {
                changes.push((end, !is_far));
                is_far = !is_far;
            }
        }
        // Where one draw comes in and another goes out, both are in: sets are closed.
        changes.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
        let (mut lower, mut upper) = (None, None);
        let mut take = |from: f64, to: f64, count: usize| {
            let (from, to) = (from.max(range.0), to.min(range.1));
            if count >= enough && from <= to {
                lower.get_or_insert(from);
                upper = Some(to);
            }
        };
        let mut from = f64::NEG_INFINITY;
        for (end, comes_in) in changes {
            take(from, end, count);
            count = if comes_in { count + 1 } else { count - 1 };
            from = end;
        }
        take(from, f64::INFINITY, count);
        lower.zip(upper).map_or(AcceptedSet::Empty, |(lower, upper)| AcceptedSet::between(lower, upper))
    }
}

fn add(pairs: &mut [(f64, f64)], steps: [f64; 2], noise: impl Iterator<Item = f64>) {
    for (pair, noise) in pairs.iter_mut().zip(noise) {
        pair.0 += steps[0] * noise;
        pair.1 += steps[1] * noise;
    }
}

impl NoiseVector {
    fn add_to(&self, pairs: &mut [(f64, f64)], entropy: &mut dyn Entropy) {
        let Some((first, _)) = self.coordinates.first() else { return };
        let dimensions = first.dimensions();
        let mut parts = vec![0i128; pairs.len() * dimensions];
        fill_discrete_cube(first, entropy, &mut parts);
        for (place, (law, steps)) in self.coordinates.iter().enumerate() {
            let noise = parts.iter().skip(place).step_by(dimensions).map(|parts| law.nearest_step(*parts) as f64);
            add(pairs, *steps, noise);
        }
    }
}

#[cfg(test)]
mod tests {
    use inbounds_mechanisms::noise::DiscreteLaplace;

    use super::*;

    fn laplace(tau: &str) -> Arc<GridNoise> {
        Arc::new(GridNoise::Laplace(DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("law")))
    }

    /// The sweep returns the first and the last of a fine grid of ratios that a plain count accepts.
    #[test]
    fn the_sweep_agrees_with_counting_at_every_ratio() {
        let terms = [(laplace("0.5"), [1.0, 0.0]), (laplace("0.5"), [0.0, 1.0]), (laplace("0.3"), [1.0, 1.0])];
        let draws = JointDraws::new(&terms, &[], 399, 7);
        for measured in [(12.0, 40.0), (12.0, 3.0), (-4.0, 60.0), (0.0, 30.0)] {
            let (a, b) = measured;
            let accepted_set = draws.accepted(measured, 0.05, (-5.0, 5.0));
            let enough = draws.enough(0.05);
            let is_far = |r: f64, (x, y): &(f64, f64)| (x - r * y).abs() >= (a - r * b).abs();
            let accepts = |r: &f64| draws.pairs.iter().filter(|pair| is_far(*r, pair)).count() >= enough;
            let ratios = (0..=10_000).map(|k| f64::from(k) / 1000.0 - 5.0);
            let accepted: Vec<f64> = ratios.filter(accepts).collect();
            let AcceptedSet::Between { lower, upper } = accepted_set else { panic!("{measured:?}") };
            let (first, last) = (accepted[0], accepted[accepted.len() - 1]);
            assert!(
                (first - lower).abs() <= 1.1e-3 && (upper - last).abs() <= 1.1e-3,
                "{measured:?}: {accepted_set:?} {first} {last}"
            );
        }
    }

    #[test]
    fn a_radius_is_near_that_of_the_law() {
        let terms =
            [WeightedNoise { noise: laplace("0.1"), step: 1.0 }, WeightedNoise { noise: laplace("0.1"), step: -1.0 }];
        let drawn = JointDraws::of_terms(&terms, 19_999, 1).radius(0.05);
        let exact = super::super::NoiseSum::new(&terms).radius(0.05).value;
        assert!((drawn / exact - 1.0).abs() < 0.04, "{drawn} {exact}");
        assert_eq!((draws_for(0.05), draws_for(0.001), draws_for(1e-6)), (Some(1999), Some(99_999), None));
    }
}
