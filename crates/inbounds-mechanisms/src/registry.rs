//! All mechanisms, one line each. Command line, plans, documentation tables and contract tests iterate over this list.

use std::sync::{Arc, LazyLock};

use inbounds_core::{Delta, Epsilon, Guarantee, Named, Sensitivity, StepRange};

use crate::{
    bounding::FarBias,
    calibrate::CalibrationError,
    mechanism::{Calibration, ConditionedDiscreteLaplace, Family, Mechanism, NoiseFamily, Processed},
};

/// A mechanism that can be chosen by name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Full name, as in manifests.
    pub name: &'static str,
    /// The word that plans use.
    pub plan_name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Whose noise.
    pub noise: NoiseFamily,
    /// How the range is kept.
    pub bounding: Bounds,
}

/// How a mechanism keeps the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bounds {
    /// By a map of the measurement, which costs no privacy.
    After(Family),
    /// By drawing until inside, in law; this changes the guarantee, and the scale with it.
    Conditioned,
}

impl PartialEq for Entry {
    /// Names are unique.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Entry {}

impl Entry {
    /// Calibrates the mechanism.
    ///
    /// # Errors
    /// [`CalibrationError`].
    pub fn calibrate(
        &self,
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        match self.bounding {
            Bounds::After(family) => {
                let calibration = Calibration::plain(self.noise, guarantee, sensitivity, range)?;
                Ok(Processed::over(self.name, calibration, family))
            }
            Bounds::Conditioned => {
                let (calibration, law) = Calibration::conditioned(guarantee, sensitivity, range)?;
                Ok(ConditionedDiscreteLaplace::over(self.name, calibration, law))
            }
        }
    }

    /// What it promises with this much granted: noise that pure epsilon suffices for leaves delta alone.
    pub fn guarantee(&self, epsilon: Epsilon, delta: Delta) -> Guarantee {
        match self.noise {
            NoiseFamily::Laplace | NoiseFamily::Staircase => Guarantee::Pure { epsilon },
            NoiseFamily::Gaussian => Guarantee::Approximate { epsilon, delta },
        }
    }

    /// Whether it keeps no promise without delta.
    pub fn needs_delta(&self) -> bool {
        self.noise == NoiseFamily::Gaussian
    }

    /// Whether it reads the noisy value only, so that it needs no range and keeps the plain scale.
    pub fn is_post_processing(&self) -> bool {
        self.bounding != Bounds::Conditioned
    }
}

use Bounds::{After, Conditioned};
use NoiseFamily::{Gaussian, Laplace, Staircase};

/// Every mechanism of this version.
#[rustfmt::skip]
pub const MECHANISMS: &[Entry] = &[
    Entry { name: "clamped-discrete-laplace", plan_name: "clamped", summary: "noise, then the nearest point of the range", noise: Laplace, bounding: After(Family::Clamped) },
    Entry { name: "conditioned-discrete-laplace", plan_name: "conditioned", summary: "noise given that the result is in the range", noise: Laplace, bounding: Conditioned },
    Entry { name: "shifted-ramp-discrete-laplace", plan_name: "shifted-ramp", summary: "the clamp moved inwards, so that its bias has both signs", noise: Laplace, bounding: After(Family::ShiftedRamp) },
    Entry { name: "thresholded-discrete-laplace", plan_name: "thresholded", summary: "the end below a threshold: the least worst-case bias", noise: Laplace, bounding: After(Family::LeastBias(FarBias::Shifted)) },
    Entry { name: "hard-thresholded-discrete-laplace", plan_name: "hard-thresholded", summary: "the same worst-case bias, and none far from an end", noise: Laplace, bounding: After(Family::LeastBias(FarBias::None)) },
    Entry { name: "scale-thresholded-discrete-laplace", plan_name: "scale-thresholded", summary: "the end below one scale: no bias from one scale on", noise: Laplace, bounding: After(Family::UnbiasedBeyond) },
    Entry { name: "folded-discrete-laplace", plan_name: "folded", summary: "noise, reflected at the ends", noise: Laplace, bounding: After(Family::Folded) },
    Entry { name: "clamped-discrete-staircase", plan_name: "clamped-staircase", summary: "staircase noise, then the nearest point of the range", noise: Staircase, bounding: After(Family::Clamped) },
    Entry { name: "clamped-discrete-gaussian", plan_name: "clamped-gaussian", summary: "Gaussian noise, then the nearest point of the range", noise: Gaussian, bounding: After(Family::Clamped) },
    Entry { name: "shifted-ramp-discrete-gaussian", plan_name: "shifted-ramp-gaussian", summary: "Gaussian noise, the clamp moved inwards", noise: Gaussian, bounding: After(Family::ShiftedRamp) },
    Entry { name: "hard-thresholded-discrete-gaussian", plan_name: "hard-thresholded-gaussian", summary: "Gaussian noise, the end below the best threshold", noise: Gaussian, bounding: After(Family::LeastBias(FarBias::None)) },
];

impl Named for &'static Entry {
    fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<&'static Entry>> = LazyLock::new(|| MECHANISMS.iter().collect());
        &ALL
    }

    fn name(self) -> &'static str {
        self.name
    }
}

/// The mechanism where none is named: the first of the list.
pub fn default() -> &'static Entry {
    &MECHANISMS[0]
}

/// The mechanism of a full name or a plan name.
pub fn find(name: &str) -> Option<&'static Entry> {
    MECHANISMS.iter().find(|entry| entry.name == name || entry.plan_name == name)
}
