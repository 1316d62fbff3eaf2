//! Sources of random words: a secure one for releases, a seeded one for tests and demonstrations.

use inbounds_core::planted::{Defect, planted};
use rand::{
    SeedableRng,
    rngs::{ChaCha20Rng, SysRng},
};
use thiserror::Error;

use super::keystream;

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

/// ChaCha20, some words ahead for whoever asks for one at a time.
struct Stream {
    generator: ChaCha20Rng,
    ahead: [u64; keystream::GROUP],
    /// How many of those were given.
    given: usize,
}

impl Stream {
    fn new(generator: ChaCha20Rng) -> Self {
        Self { generator, ahead: [0; keystream::GROUP], given: keystream::GROUP }
    }

    /// Begins again.
    fn restart(&mut self) {
        *self = Self::new(ChaCha20Rng::from_seed(self.generator.get_seed()));
    }
}

impl Entropy for Stream {
    #[inline]
    fn word(&mut self) -> u64 {
        if self.given == self.ahead.len() {
            keystream::fill(&mut self.generator, &mut self.ahead);
            self.given = 0;
        }
        let word = self.ahead[self.given];
        self.given += 1;
        word
    }

    fn fill(&mut self, words: &mut [u64]) {
        let ahead = &self.ahead[self.given..];
        let (first, rest) = words.split_at_mut(ahead.len().min(words.len()));
        first.copy_from_slice(&ahead[..first.len()]);
        self.given += first.len();
        keystream::fill(&mut self.generator, rest);
    }
}

/// ChaCha20 keyed with 256 bits from the operating system. The only source for a private release.
pub struct SecureEntropy(Stream);

impl SecureEntropy {
    /// Draws a fresh key from the operating system.
    ///
    /// # Errors
    /// [`EntropyError`] if the operating system has none to give; there is no fallback.
    pub fn from_os() -> Result<Self, EntropyError> {
        let generator =
            ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| EntropyError { reason: error.to_string() })?;
        Ok(Self(Stream::new(generator)))
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
pub struct SeededEntropy(Stream);

impl SeededEntropy {
    /// The stream of a seed, the same on every platform.
    pub fn from_seed(seed: u64) -> Self {
        Self(Stream::new(ChaCha20Rng::seed_from_u64(seed)))
    }
}

impl Entropy for SeededEntropy {
    fn word(&mut self) -> u64 {
        if planted(Defect::SeedPublished) {
            self.0.restart();
        }
        self.0.word()
    }

    fn fill(&mut self, words: &mut [u64]) {
        if planted(Defect::NoiseReused) {
            self.0.restart();
        }
        self.0.fill(words);
    }
}
