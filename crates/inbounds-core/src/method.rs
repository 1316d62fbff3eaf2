//! Names of the tests behind published intervals.
//!
//! Each is an id of the bundle: its meaning never changes. `docs/bundle.md` describes each.

use crate::ids;

ids! {
    /// Where an interval for the exact answer comes from.
    IntervalMethod {
        /// A quantile of the noise, around the measurement.
        NoiseQuantile = "noise-quantile",
        /// The same around the measurement moved into the range, cut to the range.
        NoiseQuantileCutToRange = "noise-quantile-cut-to-range",
        /// For a quantile: tests at every edge of the measured distribution.
        NoisyDistributionInverted = "noisy-distribution-inverted",
        /// The whole range: what is measured rules no value out.
        WholeRange = "whole-range",
        /// For conditioned noise: tests of its location.
        DistanceCdfInverted = "distance-cdf-inverted-in-the-location",
        /// For a count that is seen because noise lifted it to a threshold: the same, given that it is seen.
        PublishedCdfInverted = "distance-cdf-inverted-given-publication",
        /// For such a count whose noise has ends: tests of both tails, given that it is seen.
        PublishedTailsInverted = "tails-inverted-given-publication",
        /// For noise that is multiplied, and for conditioned Gaussian noise: tests of both tails of the measurement,
        /// moved into the range.
        TailsInvertedCutToRange = "tails-inverted-cut-to-range",
        /// For a mean: tests of the difference of both distances.
        DistancesTestInverted = "distances-test-inverted-and-cut-to-range",
        /// For a mean whose noise is shared: tests of its sum less its number of rows times the mean.
        SharedNoiseTestInverted = "shared-noise-test-inverted-and-cut-to-range",
        /// For a correlation: the intervals of its covariance and both variances together.
        RatioOfIntervals = "ratio-of-intervals",
        /// A rank of simulated errors around the raw value.
        BootstrapErrorRank = "bootstrap-error-rank-cut-to-range",
        /// A rank of simulated errors around the least-squares estimate under sums alone.
        SimulatedErrorRank = "simulated-error-rank-cut-to-range",
    }
}
