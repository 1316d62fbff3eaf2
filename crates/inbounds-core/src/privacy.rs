//! Privacy parameters and the neighbour relation, each its own type.

use std::fmt;

use crate::{CoreError, Rational, ids};

/// The epsilon of differential privacy: an exact positive rational.
///
/// A mechanism `M` is epsilon-differentially private when `P(M(x) in S) <= e^epsilon P(M(x') in S)` for all
/// neighbours `x`, `x'` and all events `S`.
///
/// # Example
/// ```
/// use inbounds_core::{Epsilon, Rational};
/// let total = Epsilon::new("1".parse()?)?;
/// let share = total.share(&"0.25".parse()?)?;
/// assert_eq!(share.to_string(), "0.25");
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Epsilon(Rational);

impl Epsilon {
    /// An epsilon from its exact value.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless the value is greater than zero.
    pub fn new(value: Rational) -> Result<Self, CoreError> {
        if value.is_positive() {
            Ok(Self(value))
        } else {
            Err(CoreError::parameter("epsilon", value, "greater than 0"))
        }
    }

    /// The part `fraction` of this epsilon.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `0 < fraction`.
    pub fn share(&self, fraction: &Rational) -> Result<Self, CoreError> {
        Self::new(&self.0 * fraction)
    }

    /// The exact value.
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

impl fmt::Display for Epsilon {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The delta of approximate differential privacy: an exact rational in `[0, 1)`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Delta(Rational);

impl Delta {
    /// No delta: pure differential privacy.
    pub const ZERO: Self = Self(Rational::ZERO);

    /// A delta from its exact value.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `0 <= value < 1`.
    pub fn new(value: Rational) -> Result<Self, CoreError> {
        if value >= Rational::ZERO && value < Rational::ONE {
            Ok(Self(value))
        } else {
            Err(CoreError::parameter("delta", value, "at least 0 and less than 1"))
        }
    }

    /// The exact value.
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

impl fmt::Display for Delta {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The rho of zero-concentrated differential privacy: an exact positive rational.
///
/// A mechanism `M` is rho-zCDP when the Renyi divergence of order `alpha` between `M(x)` and `M(x')` is at most
/// `rho alpha` for all neighbours `x`, `x'` and all `alpha > 1`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rho(Rational);

impl Rho {
    /// A rho from its exact value.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless the value is greater than zero.
    pub fn new(value: Rational) -> Result<Self, CoreError> {
        if value.is_positive() { Ok(Self(value)) } else { Err(CoreError::parameter("rho", value, "greater than 0")) }
    }

    /// The part `fraction` of this rho.
    ///
    /// # Errors
    /// [`CoreError::Parameter`] unless `0 < fraction`.
    pub fn share(&self, fraction: &Rational) -> Result<Self, CoreError> {
        Self::new(&self.0 * fraction)
    }

    /// The exact value.
    pub fn value(&self) -> &Rational {
        &self.0
    }
}

impl fmt::Display for Rho {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Promise of a mechanism or a release about any two neighbours `x`, `x'`.
///
/// # Example
/// ```
/// use inbounds_core::{Delta, Epsilon, Guarantee};
/// let (epsilon, delta) = (Epsilon::new("0.5".parse()?)?, Delta::new("1e-6".parse()?)?);
/// assert_eq!(Guarantee::Approximate { epsilon, delta }.to_string(), "(0.5, 0.000001)-differential privacy");
/// # Ok::<(), inbounds_core::CoreError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Guarantee {
    /// `P(M(x) in S) <= e^epsilon P(M(x') in S)` for all events `S`.
    Pure {
        /// Largest privacy loss.
        epsilon: Epsilon,
    },
    /// `P(M(x) in S) <= e^epsilon P(M(x') in S) + delta` for all events `S`.
    Approximate {
        /// Privacy loss that only `delta` may exceed.
        epsilon: Epsilon,
        /// Largest hockey-stick divergence at `epsilon`.
        delta: Delta,
    },
    /// Renyi divergence at most `rho alpha` for all orders `alpha > 1`.
    ZeroConcentrated {
        /// Largest divergence per order.
        rho: Rho,
    },
}

impl Guarantee {
    /// Its epsilon, if it has one.
    pub fn epsilon(&self) -> Option<&Epsilon> {
        match self {
            Self::Pure { epsilon } | Self::Approximate { epsilon, .. } => Some(epsilon),
            Self::ZeroConcentrated { .. } => None,
        }
    }

    /// Its delta, if it has one.
    pub fn delta(&self) -> Option<&Delta> {
        match self {
            Self::Approximate { delta, .. } => Some(delta),
            Self::Pure { .. } | Self::ZeroConcentrated { .. } => None,
        }
    }

    /// Its rho, if it has one.
    pub fn rho(&self) -> Option<&Rho> {
        match self {
            Self::ZeroConcentrated { rho } => Some(rho),
            Self::Pure { .. } | Self::Approximate { .. } => None,
        }
    }
}

impl fmt::Display for Guarantee {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pure { epsilon } => write!(formatter, "{epsilon}-differential privacy"),
            Self::Approximate { epsilon, delta } => write!(formatter, "({epsilon}, {delta})-differential privacy"),
            Self::ZeroConcentrated { rho } => write!(formatter, "{rho}-zero-concentrated differential privacy"),
        }
    }
}

ids! {
    /// Which data sets count as one privacy unit apart. There is no default.
    Neighbours {
        /// One unit more or one unit less; the number of units is private.
        AddRemove = "add-remove",
        /// One unit replaced by another; the number of units is public.
        Substitute = "substitute",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epsilon_refuses_zero_and_below() {
        for text in ["0", "-1", "-1e-300"] {
            let error = Epsilon::new(text.parse().expect("number")).expect_err(text);
            assert!(error.to_string().starts_with("epsilon must be greater than 0"), "{error}");
        }
    }

    #[test]
    fn rho_refuses_zero_and_below() {
        for text in ["0", "-1"] {
            let error = Rho::new(text.parse().expect("number")).expect_err(text);
            assert!(error.to_string().starts_with("rho must be greater than 0"), "{error}");
        }
    }

    #[test]
    fn delta_is_a_probability_below_one() {
        assert!(Delta::new(Rational::ZERO).is_ok());
        assert!(Delta::new(Rational::ONE).is_err());
        assert!(Delta::new(Rational::ratio(-1, 9)).is_err());
    }
}
