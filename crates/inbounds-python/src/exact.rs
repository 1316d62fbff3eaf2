//! Exact numbers and words, from text.

use inbounds_core::{Delta, Epsilon, Named, Neighbours, Rational};
use inbounds_mechanisms::{
    registry::{self, Entry},
    sampler::{Entropy, SecureEntropy, SeededEntropy},
};

use crate::failure::Failure;

/// A number; `name` is what a message calls it.
pub(crate) fn number(name: &str, text: &str) -> Result<Rational, Failure> {
    text.parse().map_err(|error: inbounds_core::CoreError| Failure::Parameter(format!("{name}: {error}")))
}

/// A number, if there is one.
pub(crate) fn optional(name: &str, text: Option<&str>) -> Result<Option<Rational>, Failure> {
    text.map(|text| number(name, text)).transpose()
}

pub(crate) fn epsilon(text: &str) -> Result<Epsilon, Failure> {
    Ok(Epsilon::new(number("epsilon", text)?)?)
}

pub(crate) fn delta(text: Option<&str>) -> Result<Delta, Failure> {
    Ok(optional("delta", text)?.map_or(Ok(Delta::ZERO), Delta::new)?)
}

pub(crate) fn neighbours(word: &str) -> Result<Neighbours, Failure> {
    Neighbours::named(word).ok_or_else(|| {
        Failure::Parameter(format!("neighbours must be \"add-remove\" or \"substitute\", got \"{word}\""))
    })
}

pub(crate) fn mechanism(word: &str) -> Result<&'static Entry, Failure> {
    registry::find(word).ok_or_else(|| {
        let known = registry::names(|_| true, "\"", "or");
        Failure::Parameter(format!("a mechanism is one of {known}, not \"{word}\""))
    })
}

/// Randomness of the operating system, new in every call so that no two processes share it; or from a seed, which
/// protects nobody.
pub(crate) fn entropy(seed: Option<u64>) -> Result<Box<dyn Entropy + Send>, Failure> {
    Ok(match seed {
        None => Box::new(SecureEntropy::from_os()?),
        Some(seed) => Box::new(SeededEntropy::from_seed(seed)),
    })
}
