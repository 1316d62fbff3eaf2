//! The kinds of noise that mechanisms draw, a folder each: `law.rs` is the distribution, and `mod.rs` says how it is
//! calibrated, drawn, named and recorded.
//!
//! [`GridLaw`] is the interface of a kind, and the list at the end of this file has all kinds. No other module
//! distinguishes kinds of noise: command line, manifests and pages ask the kind.

mod about;
mod cube;
mod gaussian;
mod generalised_gaussian;
mod laplace;
mod log_laplace;
mod ranks;
mod staircase;
pub(crate) mod weights;

use inbounds_core::{
    Delta, Epsilon, Guarantee, Named, Rational, Sensitivity,
    planted::{Defect, planted},
};

pub use about::{About, Drawn, Parameter, Promise, Record};
pub use cube::fill_discrete_cube;
pub use gaussian::{fill_discrete_gaussian, sample_discrete_gaussian};
pub use generalised_gaussian::SHAPE;
pub(crate) use generalised_gaussian::{
    end_of_table as end_of_generalised_gaussian, total as total_of_generalised_gaussian,
};
pub use staircase::sample_discrete_staircase;

use crate::{
    calibrate::CalibrationError,
    law::{Accuracy, Noise, forward_noise},
    sampler::{AddTo, Entropy, Output, add_discrete_laplace},
};

/// A law of noise on the integers that can be drawn exactly.
pub trait GridLaw: Noise {
    /// Its names, the guarantees that it can keep, and the records of its parameters.
    fn about() -> About
    where
        Self: Sized;

    /// The least noise that is proved to keep the guarantee when it is added and nothing else is done.
    ///
    /// # Errors
    /// [`CalibrationError`].
    fn calibrate(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Self, CalibrationError>
    where
        Self: Sized;

    /// Its kind, which only a line in the list gives it.
    fn kind(&self) -> NoiseKind;

    /// Exact values of the parameters of [`About::record`], in its order.
    fn parameters(&self) -> Vec<Rational>;

    /// The scale in steps by which the law is known: its standard deviation, unless it has a parameter for it.
    fn scale(&self) -> f64 {
        self.variance().sqrt()
    }

    /// Log mass up to a constant, continued between the grid points.
    fn ln_kernel(&self, x: f64) -> f64;

    /// An upper bound on `ln E exp(rate N)`, infinite where none is known; `rate > 0`.
    fn ln_exponential_moment(&self, rate: f64) -> f64;

    /// The end of the rates at which [`GridLaw::ln_exponential_moment`] is finite.
    fn exponential_rate(&self) -> f64;

    /// Fills `noise` with draws.
    ///
    /// # Postcondition
    /// They are independent draws from the law, exactly, each below `2^126` in size.
    fn fill(&self, entropy: &mut dyn Entropy, noise: &mut [i128]);
}

/// Declares [`NoiseKind`] and [`GridNoise`] from the list of kinds and their laws, and makes the laws public.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident($module:ident::$law:ident),)*) => {
        $(pub use $module::$law;)*

        /// A kind of noise, before its parameters are known.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum NoiseKind {
            $($(#[$doc])* $kind,)*
        }

        /// Noise on the integers that can be drawn exactly.
        #[derive(Debug, Clone, PartialEq)]
        pub enum GridNoise {
            $($(#[$doc])* $kind($law),)*
        }

        impl NoiseKind {
            /// All kinds.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// Description of it, wherever it has a name.
            pub fn about(self) -> About {
                match self {
                    $(Self::$kind => $law::about(),)*
                }
            }

            /// The least noise of this kind that is proved to keep the guarantee when it is added and nothing else is
            /// done.
            ///
            /// # Errors
            /// [`CalibrationError`].
            pub fn calibrate(
                self,
                guarantee: &Guarantee,
                sensitivity: &Sensitivity,
            ) -> Result<GridNoise, CalibrationError> {
                match self {
                    $(Self::$kind => $law::calibrate(guarantee, sensitivity).map(GridNoise::$kind),)*
                }
            }
        }

        impl Named for NoiseKind {
            fn all() -> &'static [Self] {
                Self::ALL
            }

            /// The name of its law in manifests.
            fn name(self) -> &'static str {
                self.about().law
            }
        }

        impl GridNoise {
            /// Its law.
            pub fn law(&self) -> &dyn GridLaw {
                match self {
                    $(Self::$kind(law) => law,)*
                }
            }
        }
    };
}

kinds! {
    /// Discrete Laplace noise.
    Laplace(laplace::DiscreteLaplace),
    /// Discrete Gaussian noise.
    Gaussian(gaussian::DiscreteGaussian),
    /// Discrete staircase noise.
    Staircase(staircase::DiscreteStaircase),
    /// Cube noise: one coordinate of a vector that is drawn together.
    Cube(cube::DiscreteCube),
    /// Acceptance of bins by ranks.
    Ranks(ranks::RankAcceptance),
    /// Discrete log-Laplace noise, on the place of an answer above zero among geometric cells.
    LogLaplace(log_laplace::DiscreteLogLaplace),
    /// Discrete generalised Gaussian noise.
    GeneralisedGaussian(generalised_gaussian::DiscreteGeneralisedGaussian),
}

impl NoiseKind {
    /// Guarantee from this grant. Noise for which pure epsilon suffices leaves delta alone.
    pub fn guarantee(self, epsilon: Epsilon, delta: Delta) -> Guarantee {
        match self.about().promise {
            Promise::Pure => Guarantee::Pure { epsilon },
            Promise::Approximate => Guarantee::Approximate { epsilon, delta },
        }
    }
}

impl GridNoise {
    /// The law, if it is discrete Laplace.
    pub fn as_laplace(&self) -> Option<&DiscreteLaplace> {
        if let Self::Laplace(law) = self { Some(law) } else { None }
    }

    /// The law of one number of a vector, if the noise is cube noise.
    pub fn as_cube(&self) -> Option<&DiscreteCube> {
        if let Self::Cube(law) = self { Some(law) } else { None }
    }

    /// Its kind.
    pub fn kind(&self) -> NoiseKind {
        self.law().kind()
    }

    /// See [`GridLaw::scale`].
    pub fn scale(&self) -> f64 {
        self.law().scale()
    }

    /// One draw for each of `answers`, added to it.
    ///
    /// # Postcondition
    /// The differences are independent draws from the law, exactly.
    pub fn add_to(&self, answers: &[i128], entropy: &mut dyn Entropy) -> Vec<i128> {
        let mut sums = answers.to_vec();
        self.add_in_place(&mut sums, entropy);
        sums
    }

    /// The same in the memory of the answers.
    pub(crate) fn add_in_place(&self, sums: &mut [i128], entropy: &mut dyn Entropy) {
        let halved = planted(Defect::NoiseHalved);
        let exact = planted(Defect::EmptyCellExact);
        let answers = if halved || exact { sums.to_vec() } else { Vec::new() };
        self.add(sums, entropy);
        for (sum, answer) in sums.iter_mut().zip(answers) {
            if halved {
                *sum = answer + (*sum - answer) / 2;
            }
            if exact && answer == 0 {
                *sum = 0;
            }
        }
    }

    /// Adds a draw to each number.
    pub(crate) fn add<T: Copy>(&self, sums: &mut [T], entropy: &mut dyn Entropy)
    where
        AddTo: Output<T>,
    {
        match self.as_laplace() {
            Some(law) => add_discrete_laplace(law, entropy, sums),
            None => {
                let mut noise = vec![0; sums.len()];
                self.law().fill(entropy, &mut noise);
                sums.iter_mut().zip(noise).for_each(|(sum, noise)| AddTo::write_wide(sum, noise));
            }
        }
    }
}

forward_noise!([] GridNoise => |noise| noise.law());
