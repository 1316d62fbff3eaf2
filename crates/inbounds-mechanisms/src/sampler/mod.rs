//! Exact samplers and the one door for randomness.
//!
//! A sampler states a postcondition: the law of its result, exactly, given that the words of its entropy source
//! are independent and uniform. No floating-point rounding is left in the result: doubles decide only where outward
//! error bounds allow them to, and exact arithmetic decides the rest.
//!
//! A draw runs through these files, and most end after the first:
//! - `inversion`: one random word gives side and cell, in doubles with a proven error bound (`elementary`), for many
//!   numbers of one range with less work (`span`);
//! - `exact`: the cell where the bound does not decide, extending the word by further ones;
//! - `within`: where scales are so wide that a cell holds many steps, a second word gives the step;
//! - `table`: for long vectors at small scales, 16 bits of the word instead of 64 wherever they decide.
//!
//! Words come from `entropy`, and draws go to `output`.
//!
//! That is the discrete Laplace law. Other kinds of [`crate::noise`] build their draws on it.

mod acceptance;
pub(crate) mod binomial;
mod discrete_laplace;

mod elementary;
mod entropy;
pub(crate) mod exact;
mod inversion;
mod output;
mod reach;
mod span;
mod table;
pub(crate) mod uniform;
mod within;

pub(crate) use acceptance::accept;
pub(crate) use discrete_laplace::{add_conditioned, add_discrete_laplace};
pub use discrete_laplace::{fill_conditioned, fill_discrete_laplace, sample_discrete_laplace};
pub use entropy::{Entropy, EntropyError, SecureEntropy, SeededEntropy};
pub(crate) use inversion::Inversion;
pub(crate) use output::{AddTo, Output, Overwrite, nearest};
pub use reach::Reach;

/// Draws between two looks for undecided ones: their words and cells fit the innermost cache.
const BLOCK: usize = 512;

/// Draws of one way through the vectors: few enough that memory is read and written at an even pace, while the
/// processor works.
const TILE: usize = 256;

/// Relative error allowed to a chain of a few `libm` calls, each within one unit in the last place (2^-52), with a
/// factor of more than ten to spare.
pub(crate) const SLACK: f64 = 1.0 / (1u64 << 45) as f64;

/// The size of one unit of a 64-bit random word.
pub(crate) const WORD: f64 = 1.0 / 18_446_744_073_709_551_616.0;
