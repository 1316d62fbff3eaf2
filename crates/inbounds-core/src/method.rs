//! Names of the formulas and tests behind published errors and intervals.
//!
//! Each is an id of the bundle: its meaning never changes. `docs/bundle.md` has the formula of each.

use crate::ids;

ids! {
    /// Where the bias and the mean square error of an estimate come from.
    ///
    /// ```
    /// use inbounds_core::{BiasFormula, Named};
    ///
    /// assert_eq!(BiasFormula::Rule.name(), "rule-bias");
    /// ```
    BiasFormula {
        /// The estimate is the measurement.
        Unbiased = "unbiased",
        /// Discrete Laplace noise, then the nearest point of the range, in closed form.
        ClampedDiscreteLaplace = "clamped-discrete-laplace-bias",
        /// Discrete Laplace noise given that the result is in the range, in closed form.
        ConditionedDiscreteLaplace = "conditioned-discrete-laplace-bias",
        /// Any other noise, then the nearest point of the range.
        Clamped = "clamped-bias",
        /// A piecewise linear rule with a threshold, a ramp or one bit.
        Rule = "rule-bias",
        /// Reflection at the ends of the range.
        Folded = "folded-bias",
        /// A mean from the distances of rows to both bounds, for stated numbers of rows.
        RatioOfDistances = "ratio-of-distances-bias",
        /// Noise drawn again around the estimates.
        ParametricBootstrap = "parametric-bootstrap",
    }
}

ids! {
    /// Where an interval for the exact answer comes from.
    IntervalMethod {
        /// A quantile of the noise, around the measurement.
        NoiseQuantile = "noise-quantile",
        /// The same around the measurement moved into the range, cut to the range.
        NoiseQuantileCutToRange = "noise-quantile-cut-to-range",
        /// For a quantile: tests at every edge of the measured distribution.
        NoisyDistributionInverted = "noisy-distribution-inverted",
        /// For conditioned noise: tests of its location.
        DistanceCdfInverted = "distance-cdf-inverted-in-the-location",
        /// For a mean: tests of the difference of both distances.
        DistancesTestInverted = "distances-test-inverted-and-cut-to-range",
        /// For a correlation: the intervals of its covariance and both variances together.
        RatioOfIntervals = "ratio-of-intervals",
        /// A rank of simulated errors around the raw value.
        BootstrapErrorRank = "bootstrap-error-rank-cut-to-range",
        /// A rank of simulated errors around the least-squares estimate under sums alone.
        SimulatedErrorRank = "simulated-error-rank-cut-to-range",
    }
}
