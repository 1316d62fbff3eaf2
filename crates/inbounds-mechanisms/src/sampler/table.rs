//! Sixteen bits of a random word instead of 64, wherever they decide.
//!
//! Noise without limits is one function of a uniform real (the law of [`super::inversion`] with one step a cell),
//! monotone on each side. So where that function is decided and equal at both ends of an interval of length `2^-16`,
//! it has that value on all of the interval, and 16 bits are enough. Where they are not, they are extended to a full
//! word by 48 more, and from there on everything is as without a table.
//!
//! A table costs 65,537 evaluations of the function, which pays for vectors of about as many draws and more; it leaves
//! about `2 b ln(65536/b)` of the 65,536 intervals undecided, few while the scale `b` is small.

use super::{
    BLOCK, Entropy, Output, Reach,
    exact::settle,
    inversion::{UNDECIDED, Unlimited},
};
use crate::law::discrete_laplace::DiscreteLaplace;

/// Draws from one word.
const LANES: usize = 4;

/// Intervals that sixteen bits distinguish.
const INTERVALS: usize = 1 << 16;

/// Stands for an interval that holds more than one noise.
const OPEN: i16 = i16::MIN;

/// The fewest draws for which building it pays.
const FEWEST_DRAWS: usize = 1 << 16;

/// Beyond this scale too many intervals are open.
const LARGEST_SCALE: f64 = 256.0;

/// The noise of every interval.
pub(super) struct Table<'a> {
    law: &'a DiscreteLaplace,
    noise: Vec<i16>,
}

impl<'a> Table<'a> {
    /// `true` if a table makes a vector of `draws` faster, the building included.
    pub(super) fn pays(law: &DiscreteLaplace, draws: usize) -> bool {
        draws >= FEWEST_DRAWS && law.scale() <= LARGEST_SCALE
    }

    pub(super) fn new(law: &'a DiscreteLaplace) -> Self {
        let (mut noise, mut words, mut cells) = (Vec::with_capacity(INTERVALS), [0; BLOCK + 1], [0; BLOCK + 1]);
        for first in (0..INTERVALS).step_by(BLOCK) {
            for (end, word) in words.iter_mut().enumerate() {
                let interval = first + end;
                *word = if interval < INTERVALS { (interval as u64) << 48 } else { u64::MAX };
            }
            pulp::Arch::new().dispatch(Unlimited { inversion: law.inversion(), words: &words, cells: &mut cells });
            noise.extend(cells.windows(2).map(|ends| shared(ends[0], ends[1])));
        }
        Self { law, noise }
    }

    pub(super) fn draw<T, O: Output<T>>(&self, entropy: &mut dyn Entropy, numbers: &mut [T]) {
        let (mut words, mut known) = ([0; BLOCK], [0; LANES * BLOCK]);
        for numbers in numbers.chunks_mut(LANES * BLOCK) {
            let (words, known) = (&mut words[..numbers.len().div_ceil(LANES)], &mut known[..numbers.len()]);
            entropy.fill(words);
            self.look_up(words, known);
            let mut any_open = false;
            for (number, known) in numbers.iter_mut().zip(&*known) {
                any_open |= *known == OPEN;
                O::write(number, if *known == OPEN { 0 } else { (*known).into() });
            }
            if any_open {
                self.settle_open::<T, O>(words, known, entropy, numbers);
            }
        }
    }

    /// Writes the noise that the table knows for these words.
    fn look_up(&self, words: &[u64], known: &mut [i16]) {
        for (known, word) in known.chunks_mut(LANES).zip(words) {
            for (lane, known) in known.iter_mut().enumerate() {
                *known = self.noise[lane_of(*word, lane)];
            }
        }
    }

    /// Extends the open draws of a block to full words, in order, then settles those that are still undecided.
    fn settle_open<T, O: Output<T>>(&self, words: &[u64], known: &[i16], entropy: &mut dyn Entropy, numbers: &mut [T]) {
        let open: Vec<usize> = (0..known.len()).filter(|index| known[*index] == OPEN).collect();
        let (mut full, mut cells) = (vec![0; open.len()], vec![0; open.len()]);
        entropy.fill(&mut full);
        for (full, index) in full.iter_mut().zip(&open) {
            *full = *full >> 16 | (lane_of(words[index / LANES], index % LANES) as u64) << 48;
        }
        pulp::Arch::new().dispatch(Unlimited { inversion: self.law.inversion(), words: &full, cells: &mut cells });
        for ((index, word), cell) in open.into_iter().zip(full).zip(cells) {
            match cell {
                UNDECIDED => O::write_wide(&mut numbers[index], settle(self.law, Reach::UNLIMITED, word, entropy)),
                cell => O::write(&mut numbers[index], cell),
            }
        }
    }
}

/// The noise of an interval with these cells at its ends.
#[inline(always)]
fn shared(first: i64, last: i64) -> i16 {
    // UNDECIDED is no i16, so two undecided ends leave the interval open.
    let short = first as i16;
    if first == last && i64::from(short) == first { short } else { OPEN }
}

/// Sixteen of the bits of a word.
#[inline(always)]
fn lane_of(word: u64, lane: usize) -> usize {
    usize::from((word >> (16 * lane)) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampler::Overwrite;

    /// Replays words, then gives words whose first bit alone is set.
    struct Replay(std::vec::IntoIter<u64>);

    impl Entropy for Replay {
        fn word(&mut self) -> u64 {
            self.0.next().unwrap_or(1 << 63)
        }
    }

    fn law(tau: &str) -> DiscreteLaplace {
        DiscreteLaplace::with_inverse_scale(tau.parse().expect("number")).expect("admissible")
    }

    /// The noise known for an interval holds for words in it, by exact arithmetic.
    #[test]
    fn known_intervals_are_right() {
        for tau in ["3", "0.5", "0.01", "0.001"] {
            let law = law(tau);
            let table = Table::new(&law);
            let known: Vec<usize> = (0..INTERVALS).filter(|interval| table.noise[*interval] != OPEN).collect();
            assert!(known.len() > INTERVALS * 8 / 10, "tau {tau}: {} known", known.len());
            for interval in known.into_iter().step_by(97) {
                for rest in [0, 1 << 47, (1 << 48) - 1] {
                    let word = (interval as u64) << 48 | rest;
                    let noise = settle(&law, Reach::UNLIMITED, word, &mut Replay(vec![].into_iter()));
                    assert_eq!(noise, i128::from(table.noise[interval]), "tau {tau}, interval {interval}");
                }
            }
        }
    }

    /// Open draws are extended by the next words in order, and those on a border by more, with the result of exact
    /// inversion on the same bits.
    #[test]
    fn open_draws_are_extended_to_the_same_noise() {
        // tau = ln 2 to 18 digits, so borders upward lie next to (1/2 + 2^-k) / (3/2).
        let law = law("0.693147180559945309");
        let table = Table::new(&law);
        let borders: Vec<u64> = (1..=12).map(|k| ((0.5 + 2f64.powi(-k)) / 1.5 * 2f64.powi(64)) as u64).collect();
        assert!(borders.iter().all(|word| table.noise[(word >> 48) as usize] == OPEN));
        let lanes = borders
            .chunks(LANES)
            .map(|lanes| lanes.iter().enumerate().fold(0, |word, (lane, border)| word | (border >> 48) << (16 * lane)));
        let words: Vec<u64> = lanes.chain(borders.iter().map(|border| border << 16)).collect();
        let mut noise = vec![0i128; borders.len()];
        table.draw::<i128, Overwrite>(&mut Replay(words.into_iter()), &mut noise);
        for (noise, word) in noise.into_iter().zip(borders) {
            assert_eq!(noise, settle(&law, Reach::UNLIMITED, word, &mut Replay(vec![].into_iter())), "word {word:x}");
        }
    }
}
