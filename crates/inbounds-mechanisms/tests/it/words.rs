//! The samplers word by word: borders, deep tails, how many words are read, and what a seed stands for.

use inbounds_core::Rational;
use inbounds_mechanisms::{
    noise::DiscreteLaplace,
    sampler::{
        Entropy, Reach, SecureEntropy, SeededEntropy, fill_conditioned, fill_discrete_laplace, sample_discrete_laplace,
    },
};

/// No noise downward, so that one word is one distance.
const UPWARD: Reach = Reach { below: Some(0), above: None };

fn law(tau: &str) -> DiscreteLaplace {
    DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
}

/// `tau = ln 2` to 60 digits: `a^k = 2^-k` to within 1e-60.
fn halving() -> DiscreteLaplace {
    let tau: Rational = "0.693147180559945309417232121458176568075500134360255254120680".parse().expect("number");
    DiscreteLaplace::with_inverse_scale(tau).expect("admissible")
}

/// A source that replays given words, then one word for ever.
pub(crate) struct Replay(Vec<u64>, usize, u64);

impl Replay {
    pub(crate) fn new(words: Vec<u64>, then: u64) -> Self {
        Self(words, 0, then)
    }

    /// Number of words that were read.
    pub(crate) fn read(&self) -> usize {
        self.1
    }
}

impl Entropy for Replay {
    fn word(&mut self) -> u64 {
        self.1 += 1;
        self.0.get(self.1 - 1).copied().unwrap_or(self.2)
    }
}

/// Distance words `2^(64-k)` straddle the border between `k - 1` and `k` until further words are read.
#[test]
fn border_words_are_settled_by_more_words() {
    for k in [1u32, 2, 10, 40] {
        let border = 1u64 << (64 - k);
        let mut above = Replay::new(vec![border], 1 << 63);
        assert_eq!(sample_discrete_laplace(&halving(), UPWARD, &mut above), i128::from(k) - 1);
        assert!(above.read() > 1, "the word on the border was decided without more words");
        let mut below = Replay::new(vec![border - 1], u64::MAX >> 1);
        assert_eq!(sample_discrete_laplace(&halving(), UPWARD, &mut below), i128::from(k));
        let mut clear = Replay::new(vec![border + border / 3], 0);
        assert_eq!(sample_discrete_laplace(&halving(), UPWARD, &mut clear), i128::from(k) - 1);
        assert_eq!(clear.read(), 1, "a clear word needs no other");
    }
}

/// In bulk, undecided draws are settled after their block, in order, with the result of exact inversion on the same
/// bits: the border word of `k` followed by the `i`-th further word.
#[test]
fn undecided_draws_of_a_block_take_further_words_in_order() {
    // Half of the extended words lie above their border, half below.
    let border = |i: u64| 1u64 << (64 - 1 - i % 30);
    let words: Vec<u64> = (0..512).map(|i| if i % 2 == 0 { border(i) } else { border(i) - 1 }).collect();
    let further: Vec<u64> = (0..512).map(|i| (2 * i + 1) << 40).collect();
    let mut noise = vec![0; 512];
    let mut entropy = Replay::new([words.clone(), further.clone()].concat(), 0);
    fill_conditioned(&halving(), |_| UPWARD, &mut entropy, &mut noise);
    assert_eq!(entropy.read(), 1024, "every word of the block lies on a border");
    for (i, noise) in noise.into_iter().enumerate() {
        let k = 1 + i as i128 % 30;
        assert_eq!(noise, if i % 2 == 0 { k - 1 } else { k }, "draw {i}");
        let mut alone = Replay::new(vec![words[i], further[i]], 0);
        assert_eq!(noise, sample_discrete_laplace(&halving(), UPWARD, &mut alone), "draw {i}");
    }
}

/// The word zero is the whole tail beyond `2^-64`: further words decide how far it goes, at every scale.
#[test]
fn the_tail_has_no_end() {
    for tau in ["1", "6", "10", "47.1", "300", "1e-5", "1e-10"] {
        // Eleven zero words and 23 zero bits leave 2^-728.
        let mut words = [vec![0; 11], vec![1 << 40]].concat();
        let noise = law(tau);
        let expected = 728.0 * std::f64::consts::LN_2 / noise.tau();
        if noise.scale() > 2e6 {
            // The second word of a wide scale gives the step within a cell; it is read before further ones.
            words.insert(1, 1 << 62);
        }
        let k = sample_discrete_laplace(&noise, UPWARD, &mut Replay::new(words, 1 << 63));
        let cell = noise.scale() / 1e6;
        assert!((k as f64 - expected).abs() <= 1.0 + cell, "tau {tau}: {k}, expected about {expected}");
    }
}

#[test]
fn the_extreme_words_end() {
    let reaches =
        [(None, None), (Some(0), None), (None, Some(2)), (Some(0), Some(0)), (Some(3), Some(11)), (Some(1), None)];
    for tau in ["1000", "3", "0.3", "1e-9", "1e-15", "1e-25"] {
        for (below, above) in reaches {
            let (noise, reach) = (law(tau), Reach { below, above });
            for word in [0, 1, u64::MAX - 1, u64::MAX] {
                for then in [1 << 63, 0x9E37_79B9_7F4A_7C15] {
                    let k = sample_discrete_laplace(&noise, reach, &mut Replay::new(vec![word; 2], then));
                    assert!(below.is_none_or(|b| -(b as i128) <= k) && above.is_none_or(|a| k <= a as i128), "{k}");
                }
            }
        }
    }
}

struct Counting(SeededEntropy, usize);

impl Entropy for Counting {
    fn word(&mut self) -> u64 {
        self.1 += 1;
        self.0.word()
    }
}

/// One word a draw, or two at wide scales, whatever the answer: the count does not tell where in its range it lies.
#[test]
fn the_number_of_words_does_not_depend_on_the_answer() {
    for (tau, words) in [("0.01", 10_000), ("1e-9", 20_000)] {
        let noise = law(tau);
        let width = (10.0 * noise.scale()) as u128;
        for answer in [0, 1, width / 2, width - 1, width] {
            let reach = Reach { below: Some(answer), above: Some(width - answer) };
            let mut one_by_one = Counting(SeededEntropy::from_seed(5), 0);
            (0..10_000).for_each(|_| _ = sample_discrete_laplace(&noise, reach, &mut one_by_one));
            assert_eq!(one_by_one.1, words, "tau {tau}, answer {answer}");
            let mut bulk = Counting(SeededEntropy::from_seed(5), 0);
            fill_conditioned(&noise, |_| reach, &mut bulk, &mut [0; 10_000]);
            assert_eq!(bulk.1, words, "tau {tau}, answer {answer}, in bulk");
        }
    }
}

#[test]
fn filling_is_repeated_words() {
    let (mut one, mut many) = (SeededEntropy::from_seed(1), SeededEntropy::from_seed(1));
    for length in [1usize, 3, 31, 32, 33, 500] {
        let mut words = vec![0; length];
        many.fill(&mut words);
        assert!(words.into_iter().all(|word| word == one.word()), "length {length}");
    }
}

/// The draws of a seed are the same on every processor: sums over draws with weights, made once.
#[test]
fn a_seed_gives_the_same_noise_everywhere() {
    let digest = |noise: &[i128]| {
        noise.iter().fold(0u64, |digest, k| digest.rotate_left(7).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ *k as u64)
    };
    let digests =
        [("0.5", 1 << 18), ("0.5", 3_000), ("0.00001", 3_000), ("1e-12", 3_000), ("1e-25", 20)].map(|(tau, n)| {
            let (mut noise, mut conditioned, mut alike) = (vec![0; n], vec![0; n], vec![0; n]);
            fill_discrete_laplace(&law(tau), &mut SeededEntropy::from_seed(6), &mut noise);
            let reach = |i: usize| Reach { below: Some(i as u128 % 20), above: Some(1 << 30) };
            fill_conditioned(&law(tau), reach, &mut SeededEntropy::from_seed(6), &mut conditioned);
            let one_range = |i: usize| Reach { below: Some(i as u128 % 20), above: Some(19 - i as u128 % 20) };
            fill_conditioned(&law(tau), one_range, &mut SeededEntropy::from_seed(6), &mut alike);
            [digest(&noise), digest(&conditioned), digest(&alike)]
        });
    assert_eq!(
        digests,
        [
            [9855257567319778477, 8273955070965378508, 530425363234113506],
            [3171739533923821594, 8559082307537878006, 17735102624258304956],
            [11427191398346601024, 5600710242625904588, 14344409414357991578],
            [6770737441792659572, 1513521390916805392, 6594027089700297436],
            [9561201202530600081, 13187834487008738556, 7102495427287331023],
        ]
    );
}

#[test]
fn seeds_repeat_and_the_system_does_not() {
    let noise = law("0.01");
    let draw = |entropy: &mut dyn Entropy| {
        let mut draws = vec![0; 50];
        fill_discrete_laplace(&noise, entropy, &mut draws);
        draws
    };
    let seeded = || draw(&mut SeededEntropy::from_seed(3));
    assert_eq!(seeded(), seeded());
    let secure = || draw(&mut SecureEntropy::from_os().expect("entropy"));
    assert_ne!(secure(), secure());
}
