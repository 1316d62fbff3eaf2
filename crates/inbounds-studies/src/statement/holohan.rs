//! Holohan, Antonatos, Braghin and Mac Aonghusa.

use super::statements;

statements! { crate::Paper::Holohan;

    EXAMPLE_1_1: "Example 1.1", "1",
        "For an answer of 0 half of all Laplace outputs are negative.", [];
    EXAMPLE_DRAWS: "Examples 1.1 and 1.2, draws", "1",
        "Outputs -1.71, 2.31, -1.20 and 0.652, of which truncation makes the first 0 and bounding draws again.", [],
        uncomputed "four draws as an example";
    FIGURE_1: "Figure 1", "1",
        "The densities of the standard and of the bounded mechanism.", [];
    IRIS: "Iris data", "1",
        "150 observations, split 80 % to 20 %.", [];
    FIGURE_2: "Figure 2", "1",
        "Naive Bayes on the irises is more accurate with bounded than with truncated variances over a large range \
         of epsilon.", [];
    FIGURE_2_BASELINE: "90 %", "1",
        "The accuracy without noise for the split that was used.", [],
        uncomputed "a property of a split that is not given: the study chooses its own by it";
    SYNTHETIC: "Synthetic data sets", "1",
        "The same is seen on synthetic data sets, so that it does not depend on the data.", [];
    EQUATION_2_1: "Equation (2.1), (A.2)", "2; A.1",
        "Laplace noise is (epsilon, delta)-private from the scale `D / (epsilon - log(1 - delta))` on.", [21];
    DEFINITION_3_1: "Definition 3.1", "3",
        "The bounded mechanism: the Laplace density renormalised on the domain.", [];
    LEMMA_3_2: "Lemma 3.2", "3.1",
        "The mass `C_q` inside the domain in closed form.", [];
    LEMMA_3_3: "Lemma 3.3", "3.1",
        "The largest ratio of normalised densities is that of the answers `l` and `l + D`.", [];
    DEFINITION_3_4: "Definition 3.4", "3.1",
        "`DeltaC(b)`, the ratio of the masses at `l + D` and `l`.", [],
        uncomputed "a definition";
    THEOREM_3_5: "Theorem 3.5", "3.2",
        "The bounded mechanism is (epsilon, delta)-private if `b >= D / (epsilon - log DeltaC(b) - log(1 - \
         delta))`.", [21];
    VARIANCE: "Discussion, variance", "3.2",
        "Its noise never has less variance than that of the standard mechanism.", [22];
    FIGURE_3: "Figure 3", "3.2",
        "The ratio `epsilon / epsilon'` on a domain of width 1, most where sensitivity and epsilon are small, 2 in \
         the limit.", [];
    DEFINITION_4_1: "Definition 4.1", "4",
        "The fixed point operator maps positive scales to positive scales.", [48];
    LEMMA_4_2: "Lemma 4.2", "4",
        "`f(b0) >= b0`, with equality if and only if the sensitivity is the width.", [];
    LEMMA_4_3: "Lemma 4.3", "4",
        "`f' <= 0` for every scale but 0, and 0 if and only if the sensitivity is the width.", [48];
    FIGURE_4: "Figure 4", "4",
        "How bisection closes in on the fixed point.", [];
    THEOREM_4_4: "Theorem 4.4", "4",
        "There is exactly one fixed point between `b0` and `f(b0)`.", [];
    MACHINE_PRECISION: "Robust convergence", "4",
        "Bisection converges robustly to machine precision for any epsilon.", [23];
    COROLLARY_4_5: "Corollary 4.5", "4",
        "The fixed point is `b0` if and only if the sensitivity is the width.", [22];
    OPTIMAL: "Optimality", "Abstract; 4",
        "The fixed point is the least scale that satisfies (epsilon, delta)-differential privacy.", [21];
    COROLLARY_4_6: "Corollary 4.6", "4",
        "Beyond the fixed point `b > f(b)`.", [];
    ALGORITHM_1: "Algorithm 1", "4",
        "Bisection that returns its last midpoint.", [23];
    DOUBLING: "Doubling", "5",
        "`epsilon = 2 epsilon'` doubles the variance of the noise.", [24];
    VAIDYA: "Resampled deviations", "5",
        "Resampling at the scale of the standard mechanism is not epsilon-private.", [];
    CONCLUSION: "Conclusion", "6",
        "The main result is Theorem 3.1.", [26],
        uncomputed "a reference";
    PRELIMINARIES: "Extended preliminaries", "A.1",
        "Epsilon and delta are not both zero.", [25],
        uncomputed "a misprint";
    TRUNCATED: "Definition A.3", "A.2",
        "The truncated mechanism projects outputs on the domain, and stays private.", [];
    LEMMA_A_4: "Lemma A.4", "A.3",
        "The ratio of Lemma 3.3 does not decrease in the distance of the answers.", [];
    LEMMA_A_5: "Lemma A.5", "A.3",
        "It does not increase in the first answer.", [28];
    PROOF_3_5: "Theorem 3.5, proof", "A.4",
        "A chain of sufficient conditions.", [27],
        uncomputed "a misprint in an index";
    EQUATION_A_7: "Equation (A.7)", "A.6",
        "The derivative of `DeltaC` is not positive.", [];
}
