//! Names of the formulas behind published errors.

use std::sync::LazyLock;

use inbounds_core::Named;

use crate::bounding::BoundingBias;

/// Where the bias and the mean square error of an estimate come from.
///
/// Each is an id of the bundle: its meaning never changes. `docs/bundle.md` has the formula of each.
///
/// ```
/// use inbounds_core::Named;
/// use inbounds_mechanisms::{bounding::BoundingBias, mechanism::BiasFormula};
///
/// assert_eq!(BiasFormula::Bounding(BoundingBias::Rule).name(), "rule-bias");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BiasFormula {
    /// The estimate is the measurement.
    Unbiased,
    /// One measurement, put into its range: a function of the answer, known everywhere.
    Bounding(BoundingBias),
    /// A mean from the distances of rows to both bounds, for stated numbers of rows.
    RatioOfDistances,
    /// A count that is seen because noise lifted it to a threshold: a function of the count, given that it is seen.
    LearnedKeys,
    /// A chosen bin: its law for counts like those that are estimated.
    ChosenBins,
    /// Noise drawn again around the estimates.
    ParametricBootstrap,
}

impl Named for BiasFormula {
    fn all() -> &'static [Self] {
        static ALL: LazyLock<Vec<BiasFormula>> = LazyLock::new(|| {
            let others = [
                BiasFormula::Unbiased,
                BiasFormula::RatioOfDistances,
                BiasFormula::LearnedKeys,
                BiasFormula::ChosenBins,
                BiasFormula::ParametricBootstrap,
            ];
            others.into_iter().chain(BoundingBias::all().iter().copied().map(BiasFormula::Bounding)).collect()
        });
        &ALL
    }

    fn name(self) -> &'static str {
        match self {
            Self::Unbiased => "unbiased",
            Self::Bounding(bias) => bias.name(),
            Self::RatioOfDistances => "ratio-of-distances-bias",
            Self::LearnedKeys => "learned-keys-bias",
            Self::ChosenBins => "chosen-bins-bias",
            Self::ParametricBootstrap => "parametric-bootstrap",
        }
    }
}
