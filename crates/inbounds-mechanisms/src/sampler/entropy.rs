//! Sources of random words: a secure one for releases, a seeded one for tests and demonstrations.

use inbounds_core::planted::{Defect, planted};
use rand::{
    Rng, RngExt, SeedableRng,
    rngs::{ChaCha20Rng, SysRng},
};
use thiserror::Error;

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

/// ChaCha20 keyed with 256 bits from the operating system. The only source for a private release.
pub struct SecureEntropy(ChaCha20Rng);

impl SecureEntropy {
    /// Draws a fresh key from the operating system.
    ///
    /// # Errors
    /// [`EntropyError`] if the operating system has none to give; there is no fallback.
    pub fn from_os() -> Result<Self, EntropyError> {
        ChaCha20Rng::try_from_rng(&mut SysRng).map(Self).map_err(|error| EntropyError { reason: error.to_string() })
    }
}

impl Entropy for SecureEntropy {
    fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    fn fill(&mut self, words: &mut [u64]) {
        self.0.fill(words);
    }
}

/// ChaCha20 keyed with a number anyone can guess. For tests and demonstrations; a release from it is not private.
pub struct SeededEntropy(ChaCha20Rng);

impl SeededEntropy {
    /// The stream of a seed, the same on every platform.
    pub fn from_seed(seed: u64) -> Self {
        Self(ChaCha20Rng::seed_from_u64(seed))
    }
}

impl Entropy for SeededEntropy {
    fn word(&mut self) -> u64 {
        if planted(Defect::SeedPublished) {
            self.0.set_word_pos(0);
        }
        self.0.next_u64()
    }

    fn fill(&mut self, words: &mut [u64]) {
        if planted(Defect::NoiseReused) {
            self.0.set_word_pos(0);
        }
        self.0.fill(words);
    }
}
