//! Public choices: which tables are tried is drawn from a published seed.

use inbounds_mechanisms::sampler::{Entropy, SeededEntropy};

/// Choices drawn from a seed.
pub(crate) struct Draw(SeededEntropy);

impl Draw {
    /// The choices of a seed.
    pub(crate) fn from_seed(seed: u64) -> Self {
        Self(SeededEntropy::from_seed(seed))
    }

    /// A number below `end`, each nearly as often as any other.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.0.word()) * end as u128) >> 64) as usize
    }

    /// True with probability `1 / times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    ///
    /// # Panics
    /// If there is none.
    pub(crate) fn one<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// A word, for whatever takes a seed.
    pub(crate) fn word(&mut self) -> u64 {
        self.0.word()
    }
}
