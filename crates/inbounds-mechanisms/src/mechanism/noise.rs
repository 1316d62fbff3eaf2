//! The laws of noise that mechanisms draw.

use crate::{
    law::{DiscreteLaplace, Noise},
    sampler::{Entropy, fill_discrete_laplace},
};

/// A kind of noise, before its parameter is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NoiseFamily {
    /// Discrete Laplace.
    Laplace,
}

/// Noise on the integers that can be drawn exactly.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum GridNoise {
    /// Discrete Laplace noise.
    Laplace(DiscreteLaplace),
}

impl GridNoise {
    fn law(&self) -> &dyn Noise {
        match self {
            Self::Laplace(law) => law,
        }
    }

    /// The discrete Laplace law, if that is what it is.
    pub fn as_laplace(&self) -> Option<&DiscreteLaplace> {
        match self {
            Self::Laplace(law) => Some(law),
        }
    }

    /// Name of the law in manifests.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Laplace(_) => "discrete-laplace",
        }
    }

    /// The scale in steps by which the law is known: `b` of Laplace noise.
    pub fn scale(&self) -> f64 {
        match self {
            Self::Laplace(law) => law.scale(),
        }
    }

    /// Log mass up to a constant, continued between the grid points.
    pub fn ln_kernel(&self, x: f64) -> f64 {
        match self {
            Self::Laplace(law) => -law.tau() * x.abs(),
        }
    }

    /// One draw for each of `answers`, added to it.
    ///
    /// # Postcondition
    /// The differences are independent draws from the law, exactly.
    pub fn add_to(&self, answers: &[i128], entropy: &mut dyn Entropy) -> Vec<i128> {
        let mut sums = vec![0; answers.len()];
        match self {
            Self::Laplace(law) => fill_discrete_laplace(law, entropy, &mut sums),
        }
        // |answer| < 2^117 and |noise| < 2^110 for every law that can be constructed, so the sums fit.
        sums.iter_mut().zip(answers).for_each(|(sum, answer)| *sum += answer);
        sums
    }
}

/// Every function is that of the law inside.
macro_rules! delegate {
    ($(fn $name:ident(&self $(, $x:ident)*) -> $out:ty;)*) => {
        impl Noise for GridNoise {
            $(fn $name(&self $(, $x: f64)*) -> $out {
                self.law().$name($($x),*)
            })*
        }
    };
}

delegate! {
    fn ln_density(&self, x) -> f64;
    fn cdf(&self, x) -> f64;
    fn sf(&self, x) -> f64;
    fn quantile(&self, p) -> f64;
    fn variance(&self) -> f64;
    fn spacing(&self) -> f64;
    fn half_mass(&self, t) -> f64;
    fn first_moment_between(&self, s, t) -> f64;
    fn half_second_moment(&self, t) -> f64;
    fn excess_between(&self, s, t) -> f64;
    fn capped_second_moment(&self, t) -> f64;
    fn decay(&self, t) -> Option<f64>;
    fn half_line_minimax(&self) -> Option<(f64, f64)>;
}
