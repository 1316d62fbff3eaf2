//! The law of a sum of independent noises, each times a public number.
//!
//! # Idea
//! Every term is put on one lattice, and their masses are convolved by Fourier transforms. Where all terms lie on a
//! common lattice of few points, that is exact. Otherwise each is moved to the nearest point of a lattice of pitch `h`,
//! by at most `h/2`, so that the sum moves by at most `m h/2` for `m` terms: with `R` the sum on the lattice,
//! `P(|S| > t) <= P(|R| > t - m h/2)`.
//!
//! # Invariant
//! `upper[k]` is at least `P(R >= k h)` less [`SLACK`], and the error that is stated holds for every draw.

use std::sync::Arc;

use inbounds_mechanisms::{interval::noise_radius, law::Noise, noise::GridNoise};

use super::{OUTWARD, fourier::Transform};

/// Noise times a public number: `step * n`, with `n` a whole number drawn from a law.
#[derive(Debug, Clone)]
pub struct WeightedNoise {
    /// The law of `n`; of cube noise that of one number of a vector.
    pub noise: Arc<GridNoise>,
    /// Amount that one step of the noise adds to the sum, of either sign.
    pub step: f64,
}

impl WeightedNoise {
    /// `E (step n)^2`.
    pub fn variance(&self) -> f64 {
        self.step * self.step * self.noise.variance()
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.step.abs() == other.step.abs() && (Arc::ptr_eq(&self.noise, &other.noise) || self.noise == other.noise)
    }

    /// `P(step n > x)` for `x >= 0`.
    fn above(&self, x: f64) -> f64 {
        self.noise.sf(x / self.step.abs())
    }

    /// The same of `step (n + U)`, `U` uniform within half a step: a density that is symmetric and falls to both sides.
    fn spread_above(&self, x: f64) -> f64 {
        let place = x / self.step.abs();
        let nearest = place.round();
        let beyond = self.noise.sf(nearest);
        let mass = if nearest >= 1.0 { self.noise.sf(nearest - 1.0) - beyond } else { 1.0 - 2.0 * beyond };
        beyond + mass.max(0.0) * (nearest + 0.5 - place)
    }
}

/// Mass beyond the lattice, by Chernoff's bound.
const TINY: f64 = 1e-13;

/// Bound on what rounding of transforms and the ends of the lattice add to a tail.
pub(super) const SLACK: f64 = 1e-11;

/// Points of a lattice on one side, of a sum whose terms have a common lattice and of any other.
const MOST_EXACT: f64 = 65_536.0;
const POINTS: f64 = 32_768.0;
/// The same where one law is summed over for each of many candidates.
const POINTS_OF_QUOTIENT: f64 = 2_048.0;

/// Placement of terms on the lattice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Putting {
    /// As they are: the masses may be uneven.
    Sharp,
    /// So that masses are symmetric and fall to both sides: terms on another lattice are first spread over their steps.
    Unimodal,
}

/// The law of a sum of independent noises `S`, as that of a sum `R` on a lattice that is never farther away than a
/// stated error.
#[derive(Debug, Clone)]
pub struct NoiseSum {
    pitch: f64,
    error: f64,
    /// Mass at `k` pitches, `k` from zero on.
    pub(super) masses: Vec<f64>,
    /// `P(R >= k pitch)`.
    upper: Vec<f64>,
    variance: f64,
}

/// A deviation that a sum passes, either way, with at most the chance that was asked for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SumRadius {
    /// The deviation.
    pub value: f64,
    /// The smallest such deviation is at most so much smaller.
    pub error: f64,
}

impl NoiseSum {
    /// The law of a sum of independent terms.
    ///
    /// # Panics
    /// If there are no terms.
    ///
    /// # Example
    /// A difference of two counts with discrete Laplace noise of scale 2: `P(|N1 - N2| > 8) = 0.043`.
    /// ```
    /// use std::sync::Arc;
    /// use inbounds_figures::law::{NoiseSum, WeightedNoise};
    /// use inbounds_mechanisms::noise::{DiscreteLaplace, GridNoise};
    /// let noise = Arc::new(GridNoise::Laplace(DiscreteLaplace::with_inverse_scale("0.5".parse()?)?));
    /// let terms = [1.0, -1.0].map(|step| WeightedNoise { noise: noise.clone(), step });
    /// let radius = NoiseSum::new(&terms).radius(0.05);
    /// assert_eq!((radius.value, radius.error), (8.0, 0.0));
    /// # Ok::<(), inbounds_core::CoreError>(())
    /// ```
    pub fn new(terms: &[WeightedNoise]) -> Self {
        Self::on_lattice(terms, Putting::Sharp, POINTS)
    }

    /// The law of a sum on a lattice where its masses are symmetric and fall to both sides.
    pub(super) fn unimodal(terms: &[WeightedNoise]) -> Self {
        Self::on_lattice(terms, Putting::Unimodal, POINTS_OF_QUOTIENT)
    }

    fn on_lattice(terms: &[WeightedNoise], putting: Putting, points: f64) -> Self {
        assert!(!terms.is_empty(), "a sum has terms");
        let window = window(terms);
        let exact = common_step(terms, putting).filter(|pitch| window / pitch <= MOST_EXACT);
        let pitch = exact.unwrap_or(window / points);
        let size = (2.0 * (window / pitch).ceil() + 4.0) as usize;
        let size = size.next_power_of_two();
        let transform = Transform::new(size);
        let mut product = vec![1.0; size];
        for (term, alike) in counted(terms) {
            let spectrum = transform.of_even(&masses(term, pitch, size, exact.is_some(), putting));
            product.iter_mut().zip(spectrum).for_each(|(product, value)| *product *= value.powi(alike));
        }
        // A single term is not worth two roundings.
        let sum = if terms.len() == 1 {
            masses(&terms[0], pitch, size, exact.is_some(), putting)
        } else {
            transform.of_even(&product).into_iter().map(|mass| (mass / size as f64).max(0.0)).collect()
        };
        let masses: Vec<f64> = sum[..=size / 2].to_vec();
        let mut upper: Vec<f64> = masses
            .iter()
            .rev()
            .scan(0.0, |tail, mass| {
                *tail += mass;
                Some(*tail)
            })
            .collect();
        upper.reverse();
        let error = match (exact, putting) {
            (Some(_), _) => 0.0,
            (None, Putting::Sharp) => 0.5 * pitch * terms.len() as f64,
            (None, Putting::Unimodal) => {
                0.5 * (pitch * terms.len() as f64 + terms.iter().map(|term| term.step.abs()).sum::<f64>())
            }
        };
        let variance = terms.iter().map(WeightedNoise::variance).sum();
        Self { pitch, error, masses, upper, variance }
    }

    /// The least deviation `t` that is found with `P(|S| > t) <= miss`.
    ///
    /// # Guarantee
    /// `P(|S| > t) <= miss`, and `P(|S| > t - error - x) > miss (1 - 1e-6)` for any `x > 0`, for `miss` of `1e-4` or
    /// more. Claim: `figure-sum`.
    pub fn radius(&self, miss: f64) -> SumRadius {
        let tail = (0.5 * miss * (1.0 - OUTWARD) - SLACK).max(0.0);
        // The least k with P(R >= (k + 1) pitch) <= tail.
        let steps = self.upper.partition_point(|upper| *upper > tail).saturating_sub(1);
        let value = steps as f64 * self.pitch + self.error;
        // Sums of lattices that are no multiples of the pitch lie between its points.
        let error = if self.error > 0.0 { 2.0 * self.error + self.pitch } else { 0.0 };
        SumRadius { value, error: error.min(value) }
    }

    /// The radius of a sum of independent terms; of one term by its own law, exactly.
    pub fn radius_of(terms: &[WeightedNoise], miss: f64) -> SumRadius {
        match terms {
            [] => SumRadius { value: 0.0, error: 0.0 },
            [only] => {
                let steps = noise_radius(&*only.noise, 1.0 - miss) as f64;
                SumRadius { value: steps * only.step.abs(), error: 0.0 }
            }
            several => Self::new(several).radius(miss),
        }
    }

    /// `E S^2`.
    pub fn variance(&self) -> f64 {
        self.variance
    }

    pub(super) fn pitch(&self) -> f64 {
        self.pitch
    }

    pub(super) fn error(&self) -> f64 {
        self.error
    }

    /// `P(R + pitch U >= x)` with `U` uniform within a half, for any `x`.
    pub(super) fn spread_above(&self, x: f64) -> f64 {
        let place = x / self.pitch;
        if place < 0.0 { 1.0 - self.spread_beyond(-place) } else { self.spread_beyond(place) }
    }

    fn spread_beyond(&self, place: f64) -> f64 {
        let nearest = place.round();
        let Some(mass) = self.masses.get(nearest as usize) else { return 0.0 };
        let beyond = self.upper.get(nearest as usize + 1).copied().unwrap_or(0.0);
        beyond + mass * (nearest + 0.5 - place)
    }
}

/// Terms of one law and size, with how many there are.
fn counted(terms: &[WeightedNoise]) -> Vec<(&WeightedNoise, i32)> {
    let mut counts: Vec<(&WeightedNoise, i32)> = Vec::new();
    for term in terms {
        match counts.iter_mut().find(|(known, _)| known.is_alike(term)) {
            Some((_, count)) => *count += 1,
            None => counts.push((term, 1)),
        }
    }
    counts
}

/// A deviation that the sum passes with a chance of at most [`TINY`]: Chernoff's bound at the best of some rates.
fn window(terms: &[WeightedNoise]) -> f64 {
    let variance: f64 = terms.iter().map(WeightedNoise::variance).sum();
    let tail = libm::log(2.0 / TINY);
    let end =
        terms.iter().map(|term| term.noise.law().exponential_rate() / term.step.abs()).fold(f64::INFINITY, f64::min);
    let normal = libm::sqrt(2.0 * tail / variance);
    let bound = |rate: f64| {
        let moments = terms.iter().map(|term| term.noise.law().ln_exponential_moment(rate * term.step.abs()));
        (moments.sum::<f64>() + tail) / rate
    };
    let shares = [0.5, 0.7, 0.8, 0.9, 0.95, 0.98].map(|share| share * end);
    let rates = [normal, 0.5 * normal].into_iter().chain(shares).filter(|rate| *rate < end && rate.is_finite());
    rates.map(bound).fold(f64::INFINITY, f64::min)
}

/// The pitch of which the steps of all terms are multiples, if they are small ones. In a unimodal sum they must be
/// equal.
fn common_step(terms: &[WeightedNoise], putting: Putting) -> Option<f64> {
    let least = terms.iter().map(|term| term.step.abs()).fold(f64::INFINITY, f64::min);
    let parts = if putting == Putting::Unimodal { 1..=1 } else { 1..=12 };
    let is_multiple = |step: f64, pitch: f64| {
        let times = step / pitch;
        let nearest = times.round();
        (times - nearest).abs() <= 1e-12 * nearest && (putting == Putting::Sharp || nearest == 1.0)
    };
    let pitches = parts.map(|parts| least / f64::from(parts));
    pitches.into_iter().find(|pitch| terms.iter().all(|term| is_multiple(term.step.abs(), *pitch)))
}

/// Masses of a term on the lattice, in the circular order of transforms.
fn masses(term: &WeightedNoise, pitch: f64, size: usize, exact: bool, putting: Putting) -> Vec<f64> {
    let mut masses = vec![0.0; size];
    let half = size / 2;
    let mut put = |place: usize, mass: f64| {
        masses[place] = mass;
        if place > 0 {
            masses[size - place] = mass;
        }
    };
    if exact {
        let times = (term.step.abs() / pitch).round() as usize;
        for step in 0..=half / times {
            put(step * times, libm::exp(term.noise.ln_density(step as f64)));
        }
        return masses;
    }
    let above = |place: f64| match putting {
        Putting::Sharp => term.above(place * pitch),
        Putting::Unimodal => term.spread_above(place * pitch),
    };
    let mut before = above(0.5);
    put(0, 1.0 - 2.0 * before);
    for place in 1..=half {
        let beyond = above(place as f64 + 0.5);
        put(place, (before - beyond).max(0.0));
        before = beyond;
        if beyond < 1e-18 {
            break;
        }
    }
    masses
}

#[cfg(test)]
mod tests {
    use inbounds_mechanisms::noise::{DiscreteCube, DiscreteGaussian, DiscreteLaplace, DiscreteStaircase};

    use super::*;

    fn laplace(tau: &str) -> Arc<GridNoise> {
        Arc::new(GridNoise::Laplace(DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("law")))
    }

    fn weighted(noise: &Arc<GridNoise>, step: f64) -> WeightedNoise {
        WeightedNoise { noise: noise.clone(), step }
    }

    /// `P(|S| > t)` by a plain loop over two terms.
    fn tail(terms: &[WeightedNoise; 2], t: f64) -> f64 {
        let mass = |term: &WeightedNoise, k: i64| term.noise.ln_density(k as f64).exp();
        let mut sum = 0.0;
        for j in -600..=600 {
            for k in -600..=600 {
                let value = terms[0].step * j as f64 + terms[1].step * k as f64;
                if value.abs() > t * (1.0 + 1e-12) {
                    sum += mass(&terms[0], j) * mass(&terms[1], k);
                }
            }
        }
        sum
    }

    #[test]
    fn radii_agree_with_enumeration() {
        let gaussian = DiscreteGaussian::with_variance_parameter("9".parse().expect("number")).expect("law");
        let staircase = DiscreteStaircase::new("1".parse().expect("number"), 3, 1).expect("law");
        let cube = DiscreteCube::new("0.5".parse().expect("number"), 3, 1).expect("law");
        let (gaussian, staircase, cube) = (
            Arc::new(GridNoise::Gaussian(gaussian)),
            Arc::new(GridNoise::Staircase(staircase)),
            Arc::new(GridNoise::Cube(cube)),
        );
        let (one, other) = (laplace("0.5"), laplace("1.2"));
        let cases = [
            ([weighted(&one, 1.0), weighted(&one, -1.0)], true),
            ([weighted(&one, 1.0), weighted(&other, 0.25)], true),
            ([weighted(&one, 2.0), weighted(&gaussian, 3.0)], true),
            ([weighted(&staircase, 1.0), weighted(&cube, -1.0)], true),
            ([weighted(&one, 1.0), weighted(&other, std::f64::consts::SQRT_2)], false),
            ([weighted(&gaussian, 0.37), weighted(&cube, 1.91)], false),
        ];
        for (terms, is_exact) in cases {
            for miss in [0.3, 0.05, 0.001] {
                let radius = NoiseSum::new(&terms).radius(miss);
                assert!(tail(&terms, radius.value) <= miss, "{terms:?} {miss}: {radius:?}");
                let less = if is_exact { radius.value - 1e-9 } else { radius.value - radius.error - 1e-9 };
                assert!(tail(&terms, less) > miss, "{terms:?} {miss}: {radius:?} is too wide");
                assert_eq!(radius.error == 0.0, is_exact);
                assert!(radius.error < 1e-2 * radius.value, "{radius:?}");
            }
        }
    }

    /// Of fine grids and many terms the radius is that of a normal law, but for heavier tails.
    #[test]
    fn many_fine_terms_are_nearly_normal() {
        let noise = laplace("1e-9");
        let terms: Vec<WeightedNoise> = (1..=30).map(|k| weighted(&noise, 1.0 / f64::from(k))).collect();
        let sum = NoiseSum::new(&terms);
        let radius = sum.radius(0.05);
        let deviations = radius.value / sum.variance().sqrt();
        assert!((1.9..2.1).contains(&deviations), "{deviations}");
        assert!(radius.error / radius.value < 0.02, "{radius:?}");
        let one = NoiseSum::radius_of(&terms[..1], 0.05);
        assert!((one.value * 1e-9 - 20f64.ln()).abs() < 1e-6);
    }
}
