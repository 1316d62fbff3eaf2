//! All mechanisms, one line each. Command line, plans, documentation tables and contract tests iterate over this list.

use std::sync::{Arc, LazyLock};

use inbounds_core::{Delta, Epsilon, Guarantee, Named, Sensitivity, StepRange};

pub use crate::chosen::Chosen;
use crate::{
    bounding::{FarBias, PiecewiseLinear, ProcessingKind},
    calibrate::{self, CalibrationError},
    mechanism::{self, Calibration, ConditionedDiscreteLaplace, ConditionedOnRange, Mechanism, Processed},
    noise::{DiscreteGaussian, DiscreteLogLaplace, GridNoise, NoiseKind, Promise, SHAPE},
    partition::{KeyNoise, KeySelection, NewCells},
};

/// Part of an error, at most, that is left of it where delta is worth its price.
const WORTH_SPENDING: f64 = 0.99;

/// A mechanism that can be chosen by name.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Full name, as in manifests.
    pub name: &'static str,
    /// The word that plans use.
    pub plan_name: &'static str,
    /// One-line description of the mechanism.
    pub summary: &'static str,
    /// Kind of its noise.
    pub noise: NoiseKind,
    /// Bounding to the range.
    pub(crate) bounding: BoundingKind,
}

/// Bounding of a mechanism to the range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BoundingKind {
    /// By a map of the measurement, which costs no privacy.
    PostProcessing(ProcessingKind),
    /// By drawing until inside, in law; this changes the guarantee, and the scale with it. Proved for discrete Laplace,
    /// Gaussian, generalised Gaussian and staircase noise.
    Conditioned,
    /// By a table of one's own, [`Chosen::Own`], which is a map of the measurement too.
    Tabulated,
    /// By noise on the place of an answer among geometric cells, whose first is at the lower end, and then the nearest
    /// point.
    Multiplied,
    /// By publishing only cells that reach a threshold, with their keys.
    Selected,
    /// By choosing among public bins.
    Ranked,
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
            BoundingKind::PostProcessing(kind) => {
                let calibration = Calibration::plain(self.noise, guarantee, sensitivity, range)?;
                Ok(Processed::over(self.name, calibration, kind))
            }
            BoundingKind::Conditioned if self.noise != Laplace => {
                let noise = self.conditioned(guarantee, sensitivity, range.width())?;
                Ok(ConditionedOnRange::over(self.name, Calibration::proved(guarantee, sensitivity, noise, range)))
            }
            BoundingKind::Conditioned => {
                let (calibration, law) = Calibration::conditioned(guarantee, sensitivity, range)?;
                Ok(ConditionedDiscreteLaplace::over(self.name, calibration, law))
            }
            BoundingKind::Multiplied => {
                let law = DiscreteLogLaplace::for_range(guarantee, sensitivity, range)?;
                let noise = GridNoise::LogLaplace(law.clone());
                Ok(mechanism::Multiplied::over(
                    self.name,
                    Calibration::proved(guarantee, sensitivity, noise, range),
                    law,
                ))
            }
            BoundingKind::Tabulated => Err(CalibrationError::NoTable),
            BoundingKind::Selected => selected(guarantee, sensitivity),
            BoundingKind::Ranked => Err(CalibrationError::RanksOnly),
        }
    }

    /// Noise other than discrete Laplace noise that keeps the guarantee when it is conditioned on a range.
    fn conditioned(
        &self,
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        width: Option<u128>,
    ) -> Result<GridNoise, CalibrationError> {
        let (epsilon, delta) = match guarantee {
            Guarantee::Pure { epsilon } => (epsilon, None),
            Guarantee::Approximate { epsilon, delta } => (epsilon, Some(delta)),
            Guarantee::ZeroConcentrated { .. } => return Err(CalibrationError::NeedsEpsilon),
        };
        match self.noise {
            // Delta buys nothing that is proved: noise that keeps epsilon keeps epsilon and delta.
            Staircase => calibrate::conditioned_staircase(epsilon, sensitivity, width).map(GridNoise::Staircase),
            GeneralisedGaussian => match delta {
                None => calibrate::conditioned_generalised_gaussian(SHAPE, epsilon, sensitivity, width),
                Some(delta) => {
                    calibrate::conditioned_generalised_gaussian_delta(SHAPE, epsilon, delta, sensitivity, width)
                }
            }
            .map(GridNoise::GeneralisedGaussian),
            _ => {
                let variance = match delta {
                    None => calibrate::conditioned_gaussian(epsilon, sensitivity, width)?,
                    Some(delta) => calibrate::conditioned_gaussian_delta(epsilon, delta, sensitivity, width)?,
                };
                let too_narrow = |_| CalibrationError::Variance {
                    guarantee: guarantee.to_string(),
                    l1: sensitivity.l1,
                    variance: variance.to_f64(),
                };
                DiscreteGaussian::with_variance_parameter(variance.clone()).map_err(too_narrow).map(GridNoise::Gaussian)
            }
        }
    }

    /// Guarantee from this grant. Noise for which pure epsilon suffices leaves delta alone.
    pub fn guarantee(&self, epsilon: Epsilon, delta: Delta) -> Guarantee {
        match self.bounding {
            BoundingKind::Selected => Guarantee::Approximate { epsilon, delta },
            BoundingKind::Conditioned => Guarantee::Pure { epsilon },
            BoundingKind::PostProcessing(_)
            | BoundingKind::Multiplied
            | BoundingKind::Tabulated
            | BoundingKind::Ranked => self.noise.guarantee(epsilon, delta),
        }
    }

    /// Guarantee from this grant, where any noise is to spend a delta above zero: no kind leaves it alone then.
    pub fn spending(&self, epsilon: Epsilon, delta: Delta) -> Guarantee {
        if delta.value().is_positive() {
            Guarantee::Approximate { epsilon, delta }
        } else {
            self.guarantee(epsilon, delta)
        }
    }

    /// Calibrates the mechanism to epsilon and delta where delta spares a hundredth or more of its RMSE, at an end of
    /// the range or well inside, and to epsilon alone where it spares less: a delta that buys nothing is not spent.
    /// Noise that needs a delta spends it.
    ///
    /// # Errors
    /// [`CalibrationError`].
    ///
    /// # Example
    /// A count in 0 to 20, conditioned: a delta of 0.01 is worth its price, and one of a millionth is not.
    /// ```
    /// use inbounds_core::{Delta, Epsilon, Sensitivity, StepRange};
    /// use inbounds_mechanisms::registry;
    /// let one = Sensitivity { l1: 1, linf: 1, cells: 1, rule: "count-add-remove", squares: None };
    /// let (epsilon, range) = (Epsilon::new("1".parse()?)?, StepRange::new(Some(0), Some(20))?);
    /// let entry = registry::find("conditioned").expect("registered");
    /// let spent = |delta: &str| -> Result<bool, Box<dyn std::error::Error>> {
    ///     let delta = Delta::new(delta.parse()?)?;
    ///     let mechanism = entry.calibrate_spending(epsilon.clone(), delta, &one, range)?;
    ///     Ok(mechanism.guarantee().delta().is_some())
    /// };
    /// assert!(spent("0.01")? && !spent("1e-6")?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn calibrate_spending(
        &self,
        epsilon: Epsilon,
        delta: Delta,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        let spending = self.calibrate(&self.spending(epsilon.clone(), delta), sensitivity, range);
        if self.needs_delta() || !matches!(&spending, Ok(spending) if spending.guarantee().delta().is_some()) {
            return spending;
        }
        let (pure, spending) = (self.calibrate(&Guarantee::Pure { epsilon }, sensitivity, range)?, spending?);
        let (end, inside) = pure.landmarks();
        let is_worth_it = |place: i128| spending.error_at(place).rmse <= WORTH_SPENDING * pure.error_at(place).rmse;
        Ok(if end.into_iter().chain([inside]).any(is_worth_it) { spending } else { pure })
    }

    /// `true` for a mechanism that keeps no promise without delta.
    pub fn needs_delta(&self) -> bool {
        let spends = self.noise.about().promise == Promise::Approximate && self.bounding != BoundingKind::Conditioned;
        spends || self.bounding == BoundingKind::Selected
    }

    /// `true` for a mechanism that adds noise and publishes the nearest point of the range: the noisy value can be used
    /// without the range.
    pub fn is_clamped(&self) -> bool {
        self.bounding == PostProcessing(Clamped)
    }

    /// `true` for such a mechanism with Gaussian noise.
    pub fn is_clamped_gaussian(&self) -> bool {
        self.is_clamped() && self.noise == NoiseKind::Gaussian
    }

    /// `true` for a map that reads the noisy value only: the noise needs no range and keeps the plain scale.
    pub fn is_post_processing(&self) -> bool {
        matches!(self.bounding, PostProcessing(_) | Tabulated)
    }

    /// `true` for a mechanism that keeps its promise only on a range with two ends.
    pub fn needs_both_ends(&self) -> bool {
        self.bounding == Conditioned && self.noise != Laplace
    }

    /// `true` for noise that is a factor, for answers above zero.
    pub fn is_multiplied(&self) -> bool {
        self.bounding == Multiplied
    }

    /// `true` for a table of one's own, where the name alone does not describe the mechanism.
    pub fn is_tabulated(&self) -> bool {
        self.bounding == Tabulated
    }

    /// Calibrates noise for a table of one's own.
    ///
    /// # Errors
    /// [`CalibrationError`]; among them [`CalibrationError::NoTable`] of a mechanism that takes none, and
    /// [`CalibrationError::TableNeedsEnd`] for a range without an end.
    pub fn calibrate_table(
        &self,
        map: PiecewiseLinear,
        guarantee: &Guarantee,
        sensitivity: &Sensitivity,
        range: StepRange,
    ) -> Result<Arc<dyn Mechanism>, CalibrationError> {
        if !self.is_tabulated() {
            return Err(CalibrationError::NoTable);
        }
        if range.is_unbounded() {
            return Err(CalibrationError::TableNeedsEnd);
        }
        let calibration = Calibration::plain(self.noise, guarantee, sensitivity, range)?;
        Ok(Processed::by(self.name, calibration, Arc::new(map)))
    }
}

/// The choice of keys where nothing more is known of a unit than how far it moves all counts, up and down, which bounds
/// the cells that it alone has rows in.
fn selected(guarantee: &Guarantee, sensitivity: &Sensitivity) -> Result<Arc<dyn Mechanism>, CalibrationError> {
    let (epsilon, delta) = match guarantee {
        Guarantee::Approximate { epsilon, delta } => (epsilon, delta),
        Guarantee::Pure { .. } => return Err(CalibrationError::KeysNeedDelta),
        Guarantee::ZeroConcentrated { .. } => return Err(CalibrationError::NeedsEpsilon),
    };
    let saturated = |steps: u128| u64::try_from(steps).unwrap_or(u64::MAX);
    let new = NewCells::new(sensitivity.cells, saturated(sensitivity.linf), saturated(sensitivity.l1));
    let new = new.map_err(|_| CalibrationError::ZeroSensitivity)?.replaced();
    Ok(Arc::new(KeySelection::calibrate(epsilon, delta, sensitivity, new, KeyNoise::Symmetric)?))
}

use BoundingKind::{Conditioned, Multiplied, PostProcessing, Ranked, Selected, Tabulated};
use NoiseKind::{Cube, Gaussian, GeneralisedGaussian, Laplace, LogLaplace, Ranks, Staircase};
use ProcessingKind::{Clamped, Folded, LeastBias, ShiftedRamp, UnbiasedBeyond};

/// Every mechanism of this version.
#[rustfmt::skip]
pub const MECHANISMS: &[Entry] = &[
    Entry { name: "clamped-discrete-laplace", plan_name: "clamped", summary: "noise, then the nearest point of the range", noise: Laplace, bounding: PostProcessing(Clamped) },
    Entry { name: "conditioned-discrete-laplace", plan_name: "conditioned", summary: "noise given that the result is in the range", noise: Laplace, bounding: Conditioned },
    Entry { name: "shifted-ramp-discrete-laplace", plan_name: "shifted-ramp", summary: "the clamp moved inwards, so that its bias has both signs", noise: Laplace, bounding: PostProcessing(ShiftedRamp) },
    Entry { name: "thresholded-discrete-laplace", plan_name: "thresholded", summary: "the end below a threshold: the least worst-case bias", noise: Laplace, bounding: PostProcessing(LeastBias(FarBias::Shifted)) },
    Entry { name: "hard-thresholded-discrete-laplace", plan_name: "hard-thresholded", summary: "the same worst-case bias, and none far from an end", noise: Laplace, bounding: PostProcessing(LeastBias(FarBias::None)) },
    Entry { name: "scale-thresholded-discrete-laplace", plan_name: "scale-thresholded", summary: "the end below one scale: no bias from one scale on", noise: Laplace, bounding: PostProcessing(UnbiasedBeyond) },
    Entry { name: "folded-discrete-laplace", plan_name: "folded", summary: "noise, reflected at the ends", noise: Laplace, bounding: PostProcessing(Folded) },
    Entry { name: "clamped-discrete-staircase", plan_name: "clamped-staircase", summary: "staircase noise, then the nearest point of the range", noise: Staircase, bounding: PostProcessing(Clamped) },
    Entry { name: "clamped-discrete-gaussian", plan_name: "clamped-gaussian", summary: "Gaussian noise, then the nearest point of the range", noise: Gaussian, bounding: PostProcessing(Clamped) },
    Entry { name: "shifted-ramp-discrete-gaussian", plan_name: "shifted-ramp-gaussian", summary: "Gaussian noise, the clamp moved inwards", noise: Gaussian, bounding: PostProcessing(ShiftedRamp) },
    Entry { name: "hard-thresholded-discrete-gaussian", plan_name: "hard-thresholded-gaussian", summary: "Gaussian noise, the end below the best threshold", noise: Gaussian, bounding: PostProcessing(LeastBias(FarBias::None)) },
    Entry { name: "conditioned-discrete-gaussian", plan_name: "conditioned-gaussian", summary: "Gaussian noise given that the result is in a range with two ends", noise: Gaussian, bounding: Conditioned },
    Entry { name: "clamped-discrete-generalised-gaussian", plan_name: "clamped-generalised-gaussian", summary: "generalised Gaussian noise of shape 3, then the nearest point of the range", noise: GeneralisedGaussian, bounding: PostProcessing(Clamped) },
    Entry { name: "conditioned-discrete-generalised-gaussian", plan_name: "conditioned-generalised-gaussian", summary: "generalised Gaussian noise given that the result is in a range with two ends", noise: GeneralisedGaussian, bounding: Conditioned },
    Entry { name: "conditioned-discrete-staircase", plan_name: "conditioned-staircase", summary: "staircase noise given that the result is in a range with two ends", noise: Staircase, bounding: Conditioned },
    Entry { name: "multiplied-discrete-log-laplace", plan_name: "log-laplace", summary: "noise that is multiplied, for answers above zero: its size is a part of the answer", noise: LogLaplace, bounding: Multiplied },
];

/// Mechanism for several numbers of a cell that are measured together ([`Together`](crate::mechanism::Together)). It is
/// no choice for one number, for which it is discrete Laplace noise.
#[rustfmt::skip]
pub const TOGETHER: Entry =
    Entry { name: "clamped-discrete-cube", plan_name: "together", summary: "one vector of noise for several numbers, then the nearest point of the range", noise: Cube, bounding: PostProcessing(Clamped) };

/// Mechanism for counts in cells whose keys are not listed ([`KeySelection`]). It is no choice where they are listed.
#[rustfmt::skip]
pub const LEARNED: Entry =
    Entry { name: "key-selection-discrete-laplace", plan_name: "learn_keys", summary: "noise on the counts of keys that nobody listed, published with their keys where they reach a threshold", noise: Laplace, bounding: Selected };

/// Mechanism that chooses quantiles among bins ([`RankSelection`](crate::selection::RankSelection)). It is no choice
/// for numbers.
#[rustfmt::skip]
pub const RANKS: Entry =
    Entry { name: "permute-and-flip-ranks", plan_name: "permute-and-flip", summary: "one of the bins that are accepted by the rows by which they miss a quantile", noise: Ranks, bounding: Ranked };

/// Noise with a table of one's own, one line for each kind of noise of one number. They are no choice by name: see
/// [`Chosen::Own`].
#[rustfmt::skip]
pub const TABULATED: &[Entry] = &[
    Entry { name: "tabulated-discrete-laplace", plan_name: "rule", summary: "noise, then a table of one's own", noise: Laplace, bounding: Tabulated },
    Entry { name: "tabulated-discrete-staircase", plan_name: "rule", summary: "staircase noise, then a table of one's own", noise: Staircase, bounding: Tabulated },
    Entry { name: "tabulated-discrete-gaussian", plan_name: "rule", summary: "Gaussian noise, then a table of one's own", noise: Gaussian, bounding: Tabulated },
];

/// The mechanism that takes a table of one's own after noise of this kind; `None` for noise that several numbers share.
pub fn tabulated(noise: NoiseKind) -> Option<&'static Entry> {
    TABULATED.iter().find(|entry| entry.noise == noise)
}

// Noise of a further kind, conditioned, would be calibrated by a proof that is not its own.
const _: () = {
    let mut index = 0;
    while index < MECHANISMS.len() {
        let entry = &MECHANISMS[index];
        assert!(matches!(
            (entry.bounding, entry.noise),
            (PostProcessing(_), _)
                | (Conditioned, Laplace | Gaussian | GeneralisedGaussian | Staircase)
                | (Multiplied, LogLaplace)
        ));
        index += 1;
    }
};

// Every kind of noise that is added can at least be clamped.
const _: () = {
    let (mut kind, mut clamped) = (0, 0);
    while kind < NoiseKind::ALL.len() {
        let entry = if clamped < MECHANISMS.len() { &MECHANISMS[clamped] } else { &TOGETHER };
        let is_added = !matches!(NoiseKind::ALL[kind], Ranks | LogLaplace);
        if !is_added
            || entry.noise as usize == NoiseKind::ALL[kind] as usize
                && matches!(entry.bounding, PostProcessing(Clamped))
        {
            (kind, clamped) = (kind + 1, 0);
        } else {
            clamped += 1;
            assert!(clamped <= MECHANISMS.len(), "a kind of noise has no line in the registry");
        }
    }
};

impl Named for &'static Entry {
    fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<&'static Entry>> = LazyLock::new(|| MECHANISMS.iter().collect());
        &ALL
    }

    fn name(self) -> &'static str {
        self.name
    }

    /// Of a word in files: also what is no choice for one number in a listed cell.
    fn named(word: &str) -> Option<Self> {
        let unlisted = [&TOGETHER, &LEARNED, &RANKS];
        Self::all().iter().copied().chain(unlisted).chain(TABULATED).find(|entry| entry.name == word)
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

/// Plan names of the mechanisms that `are` such, in a sentence: each between `quotes`, the last after `joint`.
///
/// # Example
/// ```
/// use inbounds_mechanisms::registry::{self, Entry};
/// assert_eq!(registry::names(Entry::is_clamped, "", "or"),
///     "clamped, clamped-staircase, clamped-gaussian or clamped-generalised-gaussian");
/// ```
pub fn names(are: fn(&Entry) -> bool, quotes: &str, joint: &str) -> String {
    let such = MECHANISMS.iter().filter(|entry| are(entry));
    let mut names: Vec<String> = such.map(|entry| format!("{quotes}{}{quotes}", entry.plan_name)).collect();
    let last = names.pop().unwrap_or_default();
    if names.is_empty() { last } else { format!("{} {joint} {last}", names.join(", ")) }
}
