//! Cube noise: its loss and its law by enumeration, its sampler by chi-square tests as in `sampler.rs`, with the same
//! false-alarm rate, below 1e-6 a comparison.

use inbounds_core::{Answer, Epsilon, Rational, Sensitivity, StepRange};
use inbounds_mechanisms::{
    law::Noise,
    mechanism::Together,
    noise::{DiscreteCube, DiscreteLaplace, GridLaw, fill_discrete_cube, fill_discrete_gaussian},
    sampler::{SeededEntropy, fill_discrete_laplace},
};

use crate::{
    sampler::{DRAWS, surprise},
    words::Replay,
};

fn law(tau: &str, dimensions: usize) -> DiscreteCube {
    DiscreteCube::new(tau.parse().expect("number"), dimensions, 1).expect("admissible")
}

/// `B(n, j)` from its recursion, in whole numbers.
fn descents(n: usize) -> Vec<u128> {
    (1..=n as u128).fold(vec![1], |row, n| {
        let own = |j: usize| row.get(j).map_or(0, |weight| weight * (2 * j as u128 + 1));
        let other = |j: usize| j.checked_sub(1).map_or(0, |k| row[k] * (2 * (n - j as u128) + 1));
        (0..=n as usize).map(|j| own(j) + other(j)).collect()
    })
}

fn choose(n: u128, k: u128) -> u128 {
    (0..k).fold(1, |product, i| product * (n - i) / (i + 1))
}

/// The mixture that is drawn is the law: what `J` and `D + 1` geometric draws make of a radius, against its weight,
/// exactly.
#[test]
fn radii_have_their_weights() {
    for dimensions in 1..=8u128 {
        let weights = descents(dimensions as usize);
        for radius in 0..40u128 {
            let drawn: u128 = (0..=dimensions.min(radius))
                .map(|j| weights[j as usize] * choose(radius - j + dimensions, dimensions))
                .sum();
            assert_eq!(drawn, (2 * radius + 1).pow(dimensions as u32), "D = {dimensions}, R = {radius}");
        }
    }
}

/// All vectors of a cube of radius `reach`.
fn vectors(dimensions: usize, reach: i128) -> Vec<Vec<i128>> {
    (0..dimensions).fold(vec![Vec::new()], |vectors, _| {
        let longer =
            |vector: &Vec<i128>| (-reach..=reach).map(|k| [vector.as_slice(), &[k]].concat()).collect::<Vec<_>>();
        vectors.iter().flat_map(longer).collect()
    })
}

fn norm(vector: &[i128]) -> usize {
    vector.iter().map(|k| k.unsigned_abs()).max().unwrap_or(0) as usize
}

/// The mass of a vector with each largest coordinate up to `most`, from the mixture that is drawn.
fn masses(tau: f64, dimensions: usize, most: usize) -> Vec<f64> {
    let weights = descents(dimensions);
    let radius = |r: usize| {
        let part = |j: usize| weights[j] as f64 * choose((r - j + dimensions) as u128, dimensions as u128) as f64;
        let sum: f64 = (0..=dimensions.min(r)).map(part).sum();
        sum * libm::exp(-tau * r as f64)
    };
    let far = most + (60.0 / tau) as usize;
    let radii: Vec<f64> = (0..=far).map(radius).collect();
    let total: f64 = radii.iter().sum();
    let vectors_within = |r: usize| ((2 * r + 1) as f64).powi(dimensions as i32);
    let mut mass = 0.0;
    let mut masses: Vec<f64> =
        (0..=far).rev().map(|r| (mass += radii[r] / total / vectors_within(r), mass).1).collect();
    masses.reverse();
    masses.truncate(most + 1);
    masses
}

/// All moves within the box of one unit's bounds, brought to common steps, and all outputs near: the loss is epsilon,
/// to 1e-9, and with bounds that do not divide the steps within a thousandth below it.
#[test]
fn the_loss_is_epsilon_by_enumeration() {
    for (bounds, steps, epsilon) in [
        (vec![3, 3], 3, 1.0),
        (vec![1, 6], 6, 0.2),
        (vec![2, 1, 4], 4, 1.0),
        (vec![1, 1, 1], 1, 3.0),
        (vec![1, 2, 2, 1], 2, 0.7),
    ] {
        let dimensions = bounds.len();
        let tau = epsilon / f64::from(steps);
        let reach = if dimensions > 3 { 3 } else { 7 };
        let moves = vectors(dimensions, steps.into());
        let moves: Vec<&Vec<i128>> = moves
            .iter()
            .filter(|moved| {
                moved.iter().zip(&bounds).all(|(d, bound)| {
                    let factor = i128::from(steps / bound);
                    d % factor == 0 && (d / factor).abs() <= i128::from(*bound)
                })
            })
            .collect();
        let masses = masses(tau, dimensions, reach as usize + steps as usize);
        let mut loss = 0f64;
        for output in vectors(dimensions, reach) {
            for moved in &moves {
                let other: Vec<i128> = output.iter().zip(*moved).map(|(z, d)| z - d).collect();
                loss = loss.max((masses[norm(&output)] / masses[norm(&other)]).ln().abs());
            }
        }
        assert!((0.999..=1.0 + 1e-9).contains(&(loss / epsilon)), "{bounds:?}: {loss} of {epsilon}");
        assert!(moves.len() > 1 && loss > 0.999_999_999 * epsilon, "{bounds:?}: {loss}");
    }
}

/// The law as it runs: exact inverse scales against exact sensitivities, in rational numbers.
#[test]
fn calibrated_coordinates_lose_at_most_epsilon_and_hardly_less() {
    let slack: Rational = "0.999".parse().expect("number");
    for (text, rows) in [("0.001", 1u64), ("1/3", 7), ("1", 1), ("20", 100)] {
        let epsilon = Epsilon::new(text.parse().expect("number")).expect("positive");
        for dimensions in [2, 3, 4, 9] {
            let together = Together::new(epsilon.clone(), dimensions, rows);
            for bound in [1u128, 2, 30, 110, 99_999, 1 << 31, (1 << 35) + 1] {
                let l1 = bound * u128::from(rows);
                let moved = Sensitivity { l1, linf: l1, cells: 1, rule: "audit", squares: None };
                let coordinate = together.coordinate(&moved, StepRange::UNBOUNDED, 1).expect("calibrates");
                let parameters = coordinate.noise().law().parameters();
                let [inverse_scale, parts, numbers] = &parameters[..] else { panic!("three parameters") };
                assert_eq!(*numbers, Rational::from(dimensions as u128));
                let loss = &(inverse_scale * parts) * &Rational::from(l1);
                assert!(&loss <= epsilon.value(), "{text} {bound}");
                assert!(loss >= &slack * epsilon.value(), "{text} {bound}: more noise than needed");
            }
        }
    }
}

#[test]
fn what_does_not_fit_a_vector_is_refused() {
    let refused = |dimensions: usize, l1: u128| {
        let together = Together::new(Epsilon::new(Rational::ONE).expect("positive"), dimensions, 1);
        let moved = Sensitivity { l1, linf: l1, cells: 1, rule: "audit", squares: None };
        together.coordinate(&moved, StepRange::UNBOUNDED, 1).expect_err("refused").to_string()
    };
    assert!(refused(2, 1 << 49).contains("no room"));
    assert!(refused(2, 0).contains("zero"));
    assert!(refused(65, 1).contains("1 to 64 numbers") && refused(65, 1).contains("65"));
}

/// A number in small steps tells the same number in large ones, with the law that these have.
#[test]
fn coarse_numbers_follow_from_fine_ones() {
    let together = Together::new(Epsilon::new(Rational::ONE).expect("positive"), 2, 1);
    let moved = |l1: u128| Sensitivity { l1, linf: l1, cells: 1, rule: "test", squares: None };
    let fine = together.coordinate(&moved(16_385), StepRange::UNBOUNDED, 1).expect("calibrates");
    let coarse = together.coordinate(&moved(1), StepRange::UNBOUNDED, 16_385).expect("calibrates");
    let answers = || vec![Answer::new(vec![16_385 * 40; DRAWS / 4]), Answer::new(vec![0; DRAWS / 4])];
    let measured = Together::measure(&[fine.clone(), fine], answers(), &mut SeededEntropy::from_seed(3));
    let told = Together::coarsened(coarse.clone(), &measured[0]);
    let noise: Vec<i128> = told.steps().iter().map(|steps| steps - 40).collect();
    let law: Vec<(i128, f64)> = (-15..=15).map(|k| (k, coarse.noise().ln_density(k as f64).exp())).collect();
    assert!(surprise(&noise, &law) < 5.0);
    let answers = vec![Answer::new(vec![40; DRAWS / 4]), Answer::new(vec![0; DRAWS / 4])];
    let direct = Together::measure(&[coarse.clone(), coarse], answers, &mut SeededEntropy::from_seed(3));
    assert_eq!(told.steps(), direct[0].steps(), "the same vectors");
}

/// The law of a coordinate against sums of the vector's law over the other coordinates.
#[test]
fn a_coordinate_has_the_law_of_the_vector() {
    for (tau, dimensions) in [("0.2", 1), ("0.2", 2), ("1", 2), ("0.5", 3), ("3", 4), ("0.05", 5)] {
        let law = law(tau, dimensions);
        let far = 40 + (90.0 / law.tau()) as usize;
        let masses = masses(law.tau(), dimensions, far);
        // Vectors with k in one place and the largest of all r: (2r + 1)^(D-1) of them up to r.
        let up_to = |r: usize| ((2 * r + 1) as f64).powi(dimensions as i32 - 1);
        let coordinate = |k: usize| -> f64 {
            let rings = (k + 1..=far).map(|r| masses[r] * (up_to(r) - up_to(r - 1)));
            masses[k] * up_to(k) + rings.sum::<f64>()
        };
        let mut tail = 0.5 * (1.0 - coordinate(0));
        for k in 0..30usize {
            let mass = coordinate(k);
            let case = format!("tau {tau} D {dimensions} k {k}");
            assert!(
                (law.ln_density(k as f64) - mass.ln()).abs() < 1e-11,
                "{case}: {} {mass}",
                law.ln_density(k as f64)
            );
            tail -= if k > 0 { mass } else { 0.0 };
            assert!((law.sf(k as f64) - tail).abs() < 1e-11, "{case}: {} {tail}", law.sf(k as f64));
        }
        let variance: f64 = (1..far - 40).map(|k| 2.0 * (k * k) as f64 * coordinate(k)).sum();
        assert!((law.variance() / variance - 1.0).abs() < 1e-9, "tau {tau} D {dimensions}");
        for rate in [0.1, 0.3, 0.5] {
            let rate = rate * law.tau();
            let terms = (1..far - 20).map(|k| 2.0 * libm::cosh(rate * k as f64) * coordinate(k));
            let moment = (coordinate(0) + terms.sum::<f64>()).ln();
            let computed = GridLaw::ln_exponential_moment(&law, rate);
            assert!((computed - moment).abs() < 1e-9, "tau {tau} D {dimensions} {rate}: {computed} {moment}");
        }
    }
}

/// The limit of a fine grid: variance, and the gain over equal shares of epsilon.
#[test]
fn variances_are_those_of_the_continuous_cube() {
    for dimensions in [1usize, 2, 3, 5, 10, 50, 64] {
        let law = law("0.0000000001", dimensions);
        let d = dimensions as f64;
        let exact = (d + 1.0) * (d + 2.0) / 3.0 * 1e20;
        assert!((law.variance() / exact - 1.0).abs() < 1e-12, "D = {dimensions}");
        let shares = 2.0 * d * d * 1e20;
        assert!((shares / law.variance() - 6.0 * d * d / ((d + 1.0) * (d + 2.0))).abs() < 1e-9);
    }
}

/// Coordinates on a coarser grid are sums of the masses of their parts.
#[test]
fn steps_have_the_mass_of_their_parts() {
    for (tau, dimensions, parts) in
        [("0.01", 2, 21u64), ("0.3", 3, 3), ("0.002", 4, 1001), ("1.2", 2, 5), ("1e-7", 3, 99_999)]
    {
        let (fine, law) = (law(tau, dimensions), DiscreteCube::new(tau.parse().expect("number"), dimensions, parts));
        let (law, reach) = (law.expect("admissible"), (parts / 2) as f64);
        assert_eq!([-(parts as i128), -1, 0, 1, parts as i128].map(|z| law.nearest_step(z)), [-1, 0, 0, 0, 1]);
        for k in 0..12 {
            let middle = k as f64 * parts as f64;
            let (upper, case) = (fine.sf(middle - reach - 1.0), format!("{tau} {dimensions} {parts} {k}"));
            assert!((law.sf(k as f64 - 1.0) / upper - 1.0).abs() < 1e-13, "{case}");
            if parts < 2000 {
                let mass: f64 = (0..parts).map(|part| fine.ln_density(middle - reach + part as f64).exp()).sum();
                assert!((law.ln_density(k as f64) - mass.ln()).abs() < 1e-11, "{case}");
            }
        }
        let mass: f64 = (1..4000).map(|k| 2.0 * (k * k) as f64 * law.ln_density(f64::from(k)).exp()).sum();
        if law.tau() > 0.03 {
            assert!(
                (law.variance() / mass - 1.0).abs() < 1e-10,
                "{tau} {dimensions} {parts}: {} {mass}",
                law.variance()
            );
        }
    }
}

fn draw(law: &DiscreteCube, seed: u64) -> Vec<i128> {
    let mut vectors = vec![0; DRAWS * law.dimensions()];
    fill_discrete_cube(law, &mut SeededEntropy::from_seed(seed), &mut vectors);
    vectors
}

/// One number for each of the vectors with no coordinate beyond `reach`, and -1 for the others.
fn places(vectors: &[i128], dimensions: usize, reach: i128) -> Vec<i128> {
    let place = |vector: &[i128]| match norm(vector) as i128 <= reach {
        true => vector.iter().fold(0, |place, k| place * (2 * reach + 1) + k + reach),
        false => -1,
    };
    vectors.chunks(dimensions).map(place).collect()
}

fn probabilities(tau: f64, dimensions: usize, reach: i128) -> Vec<(i128, f64)> {
    let masses = masses(tau, dimensions, reach as usize);
    vectors(dimensions, reach).iter().enumerate().map(|(place, vector)| (place as i128, masses[norm(vector)])).collect()
}

const CASES: [(&str, usize, i128); 5] = [("0.5", 1, 12), ("0.7", 2, 8), ("0.3", 2, 12), ("1", 3, 4), ("2", 4, 2)];

#[test]
fn vectors_follow_the_law_and_wrong_laws_are_rejected() {
    for (index, (tau, dimensions, reach)) in CASES.into_iter().enumerate() {
        let law = law(tau, dimensions);
        let vectors = draw(&law, 500 + index as u64);
        let right = probabilities(law.tau(), dimensions, reach);
        let label = format!("tau {tau} D {dimensions}");
        let surprise_of = |vectors: &[i128]| surprise(&places(vectors, dimensions, reach), &right);
        assert!(surprise_of(&vectors) < 5.0, "{label}");
        let wrong = probabilities(law.tau() * 1.05, dimensions, reach);
        assert!(surprise(&places(&vectors, dimensions, reach), &wrong) > 5.0, "a scale wrong by 5 % passes: {label}");
        let shifted: Vec<i128> = vectors.iter().map(|k| k + 1).collect();
        assert!(surprise_of(&shifted) > 5.0, "a shift of one step passes: {label}");
        let hollow: Vec<i128> = vectors.iter().map(|k| if *k == 0 { 1 } else { *k }).collect();
        assert!(surprise_of(&hollow) > 5.0, "a missing atom passes: {label}");
        if dimensions > 1 {
            // The right law for each coordinate, but of vectors apart.
            let mut alone = vec![0; vectors.len()];
            law.fill(&mut SeededEntropy::from_seed(9), &mut alone);
            assert!(surprise_of(&alone) > 5.0, "independent coordinates pass: {label}");
            let mut laplace = vec![0; vectors.len()];
            let same = DiscreteLaplace::with_inverse_scale(law.inverse_scale().clone()).expect("admissible");
            fill_discrete_laplace(&same, &mut SeededEntropy::from_seed(9), &mut laplace);
            assert!(surprise_of(&laplace) > 5.0, "Laplace noise passes: {label}");
            let mut fewer = draw(&self::law(tau, dimensions - 1), 600);
            fewer.truncate(fewer.len() / dimensions * dimensions);
            assert!(surprise_of(&fewer) > 5.0, "vectors of fewer dimensions pass: {label}");
            let mut gaussian = vec![0; vectors.len()];
            let variance = Rational::from_f64(law.variance()).expect("finite");
            fill_discrete_gaussian(&variance, &mut SeededEntropy::from_seed(9), &mut gaussian);
            assert!(surprise_of(&gaussian) > 5.0, "Gaussian noise of the same variance passes: {label}");
        }
    }
}

/// One coordinate by itself.
#[test]
fn coordinates_alone_follow_their_law() {
    for (tau, dimensions, parts) in [("0.5", 2, 1), ("0.2", 7, 1), ("0.01", 3, 31)] {
        let law = DiscreteCube::new(tau.parse().expect("number"), dimensions, parts).expect("admissible");
        let mut draws = vec![0; DRAWS];
        law.fill(&mut SeededEntropy::from_seed(41), &mut draws);
        let right: Vec<(i128, f64)> = (-90..=90).map(|k| (k, law.ln_density(k as f64).exp())).collect();
        assert!(surprise(&draws, &right) < 5.0, "{tau} {dimensions}");
        let other = DiscreteCube::new(tau.parse().expect("number"), dimensions + 1, parts).expect("admissible");
        let wrong: Vec<(i128, f64)> = (-90..=90).map(|k| (k, other.ln_density(k as f64).exp())).collect();
        assert!(surprise(&draws, &wrong) > 5.0, "another dimension passes: {tau} {dimensions}");
    }
}

/// At huge scales the deciles of a coordinate and of the largest, and the sign, must come out right: binomial counts
/// within five standard deviations, and a scale wrong by 5 % is seen.
#[test]
fn huge_scales_follow_the_quantiles() {
    for (tau, dimensions) in [("1e-6", 3), ("3.5e-15", 2), ("3.5e-15", 5), ("1e-17", 4)] {
        let law = law(tau, dimensions);
        let vectors: Vec<f64> = draw(&law, 77).iter().map(|k| *k as f64).collect();
        let n = vectors.len() as f64;
        for p in [0.1f64, 0.5, 0.9] {
            let border = law.quantile(0.5 + p / 2.0);
            let below = |factor: f64| vectors.iter().filter(|k| k.abs() < border * factor).count() as f64;
            // Coordinates of a vector go together: the count of one varies at most as that of whole vectors.
            let sd = (n * dimensions as f64 * p * (1.0 - p)).sqrt();
            assert!((below(1.0) - n * p).abs() < 5.0 * sd, "{tau} {dimensions} p {p}");
        }
        // The largest coordinate has the gamma law of shape D in the limit.
        let largest: Vec<f64> = vectors
            .chunks(dimensions)
            .map(|vector| vector.iter().fold(0.0, |most: f64, k| most.max(k.abs())))
            .collect();
        let count = largest.len() as f64;
        for y in [0.5, 1.0, 1.7] {
            let p = inbounds_core::special::gamma_cdf(dimensions.min(3) as u32, y * dimensions as f64);
            if dimensions > 3 {
                continue;
            }
            let below = |factor: f64| {
                largest.iter().filter(|k| **k * law.tau() < y * dimensions as f64 * factor).count() as f64
            };
            let sd = (count * p * (1.0 - p)).sqrt();
            assert!((below(1.0) - count * p).abs() < 5.0 * sd, "{tau} {dimensions} {y}");
            assert!((below(1.05) - count * p).abs() > 5.0 * sd, "{tau} {dimensions} {y} has no power");
        }
        let negative = vectors.iter().filter(|k| **k < 0.0).count() as f64;
        assert!((negative - n / 2.0).abs() < 2.5 * n.sqrt(), "{tau} {dimensions}");
    }
}

/// With `a = 1/2` to 60 digits and one dimension `J` is 0 with probability 2/3, and words next to the border ask for
/// more words, which decide.
#[test]
fn border_words_are_settled_by_more_words() {
    let halving = law("0.693147180559945309417232121458176568075500134360255254120680", 1);
    let border = u64::MAX / 3 * 2;
    for (word, more, shift) in
        [(border, 0, 0), (border, u64::MAX, 1), (border - 99, 0, 0), (border + 99, 0, 1), (0, 0, 0), (u64::MAX, 0, 1)]
    {
        // Words: two geometric draws of zero, the shift, what extends it where that is needed, and the place.
        let exact = word == border;
        let fourth = if exact { more } else { u64::MAX };
        let mut words = Replay::new(vec![u64::MAX, u64::MAX, word, fourth], u64::MAX);
        let mut vector = [0];
        fill_discrete_cube(&halving, &mut words, &mut vector);
        assert_eq!(vector, [shift], "{word:x} {more:x}: the last place of a radius of {shift}");
        assert_eq!(words.read(), 4 + usize::from(exact), "{word:x}");
    }
}

/// As many words for every vector but for undecided ones, and whatever words come draws end.
#[test]
fn words_are_counted_and_the_extreme_ones_end() {
    for (tau, dimensions, _) in CASES.into_iter().chain([("1000", 3, 0), ("1e-14", 64, 0), ("1e-24", 3, 0)]) {
        let law = law(tau, dimensions);
        let wide = law.tau() < 1e-6;
        for word in [1, 1 << 63 | 5, 0xdead_beef_1234_5678, u64::MAX - 1] {
            let mut words = Replay::new(Vec::new(), word);
            let mut vector = vec![0; dimensions];
            fill_discrete_cube(&law, &mut words, &mut vector);
            let geometric = (dimensions + 1) * if wide { 2 } else { 1 };
            assert!(words.read() >= geometric + 1 + dimensions, "{tau} {dimensions} {word:x}");
            if word == 0xdead_beef_1234_5678 && law.tau() > 1e-18 {
                assert_eq!(words.read(), geometric + 1 + dimensions, "{tau} {dimensions}");
            }
        }
    }
}
