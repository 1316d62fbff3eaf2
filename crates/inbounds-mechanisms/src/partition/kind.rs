//! The kinds of noise that choose keys.

use inbounds_core::ids;

ids! {
    /// The noise on counts whose keys are not listed in advance.
    ///
    /// # Choice
    /// All keep the same `(epsilon, delta)`, and each gives a key and its number together.
    /// [`KeySelection::calibrate`](super::KeySelection::calibrate) replaces one that it cannot make by
    /// [`KeyNoise::Unbounded`]: a table with more than 2^18 values, or a delta below about 1e-19. So it does with
    /// [`KeyNoise::Symmetric`] where that has no lower threshold.
    KeyNoise {
        /// Discrete Laplace noise, published from a threshold on.
        Unbounded = "unbounded",
        /// Discrete Laplace noise given that it lies between two ends: no count errs more than with
        /// [`KeyNoise::Unbounded`], and from a lower threshold on.
        Symmetric = "ended",
        /// Noise with the largest probability to be published that any choice of keys has, for one key of a unit. Its
        /// mean is within half of a row of 0.
        Optimal = "optimal",
    }
}
