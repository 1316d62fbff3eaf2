//! One mechanism run on private rows.

use inbounds_core::{Delta, Epsilon, Guarantee, Rational, Rho};

use crate::{calibrate::gaussian::GaussianVector, mechanism::Mechanism, noise::GridNoise};

/// One mechanism run on private rows.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A mechanism that satisfies pure differential privacy.
    Pure {
        /// Which measurement it made.
        label: String,
        /// Its epsilon.
        epsilon: Epsilon,
    },
    /// A mechanism that satisfies `(epsilon, delta)`-differential privacy.
    Approximate {
        /// Which measurement it made.
        label: String,
        /// Its epsilon.
        epsilon: Epsilon,
        /// Its delta.
        delta: Delta,
    },
    /// A mechanism that satisfies zero-concentrated differential privacy.
    ZeroConcentrated {
        /// Which measurement it made.
        label: String,
        /// Its rho.
        rho: Rho,
    },
    /// Discrete Gaussian noise on a vector, which has a rho and composes with others of its kind more sharply than by
    /// it.
    Gaussian {
        /// Which measurement it made.
        label: String,
        /// The noise, and how far one unit moves the cells.
        vector: GaussianVector,
    },
}

impl Event {
    /// The event of a mechanism with a guarantee.
    pub fn new(label: String, guarantee: Guarantee) -> Self {
        match guarantee {
            Guarantee::Pure { epsilon } => Self::Pure { label, epsilon },
            Guarantee::Approximate { epsilon, delta } => Self::Approximate { label, epsilon, delta },
            Guarantee::ZeroConcentrated { rho } => Self::ZeroConcentrated { label, rho },
        }
    }

    /// The event of a mechanism by its guarantee; Gaussian noise that was calibrated for a rho has the event of its
    /// law.
    pub fn from_mechanism(label: String, mechanism: &dyn Mechanism) -> Self {
        match mechanism.guarantee() {
            Guarantee::ZeroConcentrated { .. } => Self::of_law(label, mechanism),
            other => Self::new(label, other.clone()),
        }
    }

    /// The event of a mechanism by its law: Gaussian noise that is added has a rho, whatever it was calibrated for. Any
    /// other mechanism has the event of its guarantee.
    ///
    /// # References
    /// Canonne, Kamath and Steinke (2020), Theorem 14. Claim: `discrete-gaussian-zcdp`.
    pub fn of_law(label: String, mechanism: &dyn Mechanism) -> Self {
        match mechanism.noise() {
            GridNoise::Gaussian(law) if mechanism.adds_noise() => {
                let vector = GaussianVector::new(mechanism.sensitivity(), law.sigma_squared().clone());
                Self::Gaussian { label, vector }
            }
            _ => Self::new(label, mechanism.guarantee().clone()),
        }
    }

    /// Its rho, where its loss is stated as one or known by its law.
    pub fn rho(&self) -> Option<Rational> {
        match self {
            Self::Pure { .. } | Self::Approximate { .. } => None,
            Self::ZeroConcentrated { rho, .. } => Some(rho.value().clone()),
            Self::Gaussian { vector, .. } => Some(vector.rho()),
        }
    }

    /// Which measurement it made.
    pub fn label(&self) -> &str {
        match self {
            Self::Pure { label, .. }
            | Self::Approximate { label, .. }
            | Self::ZeroConcentrated { label, .. }
            | Self::Gaussian { label, .. } => label,
        }
    }
}
