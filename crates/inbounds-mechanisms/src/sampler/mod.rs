//! Exact samplers and the one door for randomness.
//!
//! A sampler states a postcondition: the law of what it returns, exactly, given that the words of its entropy source
//! are independent and uniform. No floating-point rounding is left in the result: doubles only decide what outward
//! error bounds allow them to decide, and exact arithmetic decides the rest.

mod discrete_laplace;
mod entropy;
mod exact;
mod staircase;
mod uniform;

pub use discrete_laplace::{Reach, sample_discrete_laplace};
pub use entropy::{Entropy, EntropyError, SecureEntropy, SeededEntropy};
pub use staircase::sample_discrete_staircase;
