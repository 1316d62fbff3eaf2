//! Methods for the intervals of figures.

use inbounds_core::ids;

ids! {
    /// Method for the interval of a figure.
    FigureMethod {
        /// Nothing in the figure is noisy.
        Public = "public",
        /// The law of a sum of independent noises, convolved.
        NoiseSum = "noise-sum",
        /// The ratios that a test on numerator and denominator does not reject.
        QuotientTest = "quotient-test-inverted",
        /// The same tests with all noise drawn again jointly.
        JointDraws = "joint-draws-rank",
        /// A test on the difference of two quotients, beside intervals of both and of their denominators.
        DifferenceTest = "difference-test-inverted",
        /// From intervals of each operand that hold together.
        Together = "intervals-together",
        /// Ranks that no pair of cells contradicts.
        PairwiseRanks = "pairwise-ranks",
    }
}
