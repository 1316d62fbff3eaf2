//! Sources of random words: a secure one for releases, a seeded one for tests and demonstrations.

use chacha20::{
    ChaCha20LegacyCore, ChaCha20Rng,
    cipher::{KeyIvInit, StreamCipherCore, array::Array},
};
use inbounds_core::planted::{Defect, planted};
use rand::{SeedableRng, TryRng, rngs::SysRng};
use thiserror::Error;

/// Words that are made at a time: the sixteen blocks that the widest vectors make side by side.
const WORDS: usize = 128;

/// The operating system gave no entropy.
#[derive(Debug, Error)]
#[error("the operating system's random source failed: {reason}; nothing was released")]
pub struct EntropyError {
    reason: String,
}

/// A stream of independent uniform 64-bit words.
pub trait Entropy {
    /// The next word.
    fn word(&mut self) -> u64;

    /// As many words as `words` holds: the same as that many calls of [`Entropy::word`], and quicker.
    fn fill(&mut self, words: &mut [u64]) {
        words.fill_with(|| self.word());
    }
}

/// The words of ChaCha20 under a key, from the first block on: those of `ChaCha20Rng`, which makes four blocks at a
/// time where the cipher makes as many as the vectors of the processor hold.
struct Keystream {
    cipher: ChaCha20LegacyCore,
    words: [u64; WORDS],
    /// The first word that was not taken yet.
    next: usize,
}

impl Keystream {
    fn new(key: [u8; 32]) -> Self {
        Self { cipher: ChaCha20LegacyCore::new(&key.into(), &[0; 8].into()), words: [0; WORDS], next: WORDS }
    }

    #[inline]
    fn word(&mut self) -> u64 {
        if self.next == WORDS {
            self.refill();
        }
        let word = self.words[self.next];
        self.next += 1;
        word
    }

    fn fill(&mut self, words: &mut [u64]) {
        let left = words.len().min(WORDS - self.next);
        let (first, others) = words.split_at_mut(left);
        first.copy_from_slice(&self.words[self.next..][..left]);
        self.next += left;
        let (blocks, rest) = others.split_at_mut(others.len() / WORDS * WORDS);
        make(&mut self.cipher, blocks);
        if !rest.is_empty() {
            self.refill();
            rest.copy_from_slice(&self.words[..rest.len()]);
            self.next = rest.len();
        }
    }

    /// To the first word again.
    fn rewind(&mut self) {
        self.cipher.set_block_pos(0);
        self.next = WORDS;
    }

    fn refill(&mut self) {
        make(&mut self.cipher, &mut self.words);
        self.next = 0;
    }
}

/// The next words, whole blocks of them.
fn make(cipher: &mut ChaCha20LegacyCore, words: &mut [u64]) {
    let (blocks, _) = Array::slice_as_chunks_mut(bytemuck::cast_slice_mut(words));
    cipher.write_keystream_blocks(blocks);
    words.iter_mut().for_each(|word| *word = u64::from_le(*word));
}

/// ChaCha20 keyed with 256 bits from the operating system. The only source for a private release.
pub struct SecureEntropy(Keystream);

impl SecureEntropy {
    /// Draws a fresh key from the operating system.
    ///
    /// # Errors
    /// [`EntropyError`] if the operating system has none to give; there is no fallback.
    pub fn from_os() -> Result<Self, EntropyError> {
        let mut key = [0; 32];
        SysRng.try_fill_bytes(&mut key).map_err(|error| EntropyError { reason: error.to_string() })?;
        Ok(Self(Keystream::new(key)))
    }
}

impl Entropy for SecureEntropy {
    fn word(&mut self) -> u64 {
        self.0.word()
    }

    fn fill(&mut self, words: &mut [u64]) {
        self.0.fill(words);
    }
}

/// ChaCha20 keyed with a number anyone can guess. For tests and demonstrations; a release from it is not private.
pub struct SeededEntropy(Keystream);

impl SeededEntropy {
    /// The stream of a seed, the same on every platform.
    pub fn from_seed(seed: u64) -> Self {
        Self(Keystream::new(ChaCha20Rng::seed_from_u64(seed).get_seed()))
    }
}

impl Entropy for SeededEntropy {
    fn word(&mut self) -> u64 {
        if planted(Defect::SeedPublished) {
            self.0.rewind();
        }
        self.0.word()
    }

    fn fill(&mut self, words: &mut [u64]) {
        if planted(Defect::NoiseReused) {
            self.0.rewind();
        }
        self.0.fill(words);
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn words_are_those_of_the_generator_in_whatever_pieces_they_are_taken() {
        let (mut entropy, mut generator) = (SeededEntropy::from_seed(7), ChaCha20Rng::seed_from_u64(7));
        for length in [0, 1, 2, 7, 8, 120, 127, 128, 129, 255, 256, 300, 1000, 0, 3] {
            let mut words = vec![0; length];
            entropy.fill(&mut words);
            words.push(entropy.word());
            let expected: Vec<u64> = words.iter().map(|_| generator.next_u64()).collect();
            assert_eq!(words, expected, "{length} words");
        }
        entropy.0.rewind();
        assert_eq!(entropy.word(), ChaCha20Rng::seed_from_u64(7).next_u64());
    }
}
