//! McGlinchey and Mason.

use super::statements;

statements! { crate::Paper::McGlinchey;

    CONTRIBUTIONS: "Summary of contributions", "1",
        "Section 3 has formulas for the bias and the mean square error.", [46],
        uncomputed "Section 3 has none for the mean square error; those of this project are in the studies of the \
         ramp";
    PROPOSITION_1: "Proposition 1", "2",
        "Laplace noise of scale `Delta / epsilon` is epsilon-differentially private.", [],
        uncomputed "quoted from the literature; the loss is a claim of `refs/claims.toml` with its own test";
    DEFINITION_2_1: "Definition 2.1", "2",
        "The maximal absolute bias.", [],
        uncomputed "a definition";
    EQUATION_5: "Equation (5)", "3",
        "The ramp has bias `(b/2) e^(-q/b)`, at most `b/2`.", [];
    PROPOSITION_2: "Proposition 2", "3",
        "Restriction of an epsilon-private mechanism is `2 epsilon`-private.", [];
    SCALE_TO_TAKE: "The scale to take", "3",
        "For epsilon, restricted Laplace noise should have scale `2 Delta / epsilon`.", [16];
    COROLLARY_1: "Corollary 1", "3",
        "Restricted Laplace noise has bias `(q + b) / (2 e^(q/b) - 1)`.", [];
    EQUATION_9: "Equation (9)", "3",
        "At equal privacy, restriction has more than twice the bias of the ramp.", [15];
    EQUATION_10: "Equation (10)", "3.1",
        "If neighbours change a positive answer by a factor of at most `1 + K`, its logarithm has sensitivity at \
         most `K`.", [17];
    NO_FINITE_K: "Mean of (0, 1]", "3.1",
        "For the mean of `n` numbers in (0, 1] no `K` is finite.", [];
    PROPOSITION_3: "Proposition 3", "3.1",
        "Log-Laplace noise of scale `K / epsilon` has a finite mean if and only if `K < epsilon`.", [];
    INFINITE_BIAS: "Remark to Proposition 3, bias", "3.1",
        "The bias is infinite if `K > epsilon`.", [17];
    FINITE_VARIANCE: "Remark to Proposition 3, variance", "3.1",
        "The variance is finite if and only if `K < epsilon / 2`.", [];
    MOMENTS: "Remark to Proposition 3, both", "3.1",
        "Finite mean and variance can be had only for `epsilon > 2 K`.", [47];
    DECREASING: "Section 4, first remarks", "4",
        "The mean of a translated ramp decreases in its shift; the bias of the ramp is strictly positive.", [18];
    THEOREM_4_1: "Theorem 4.1", "4",
        "Among translated ramps the worst bias is least at the root of `(b/2) e^(-alpha/b) = alpha`, and equal to \
         it.", [];
    REMARK_4_1: "Remark to Theorem 4.1", "4",
        "That is less than the worst bias of the ramp, `b/2`.", [];
    LEMMA_5_1: "Lemma 5.1", "5.1",
        "Square-integrable post-processing has finite first and second moments for every answer.", [];
    PROPOSITION_4: "Proposition 4", "5.1",
        "Post-processed Laplace noise has a positive worst bias.", [];
    PROPOSITION_5: "Proposition 5", "5.1",
        "The worst bias of post-processing is bounded away from zero.", [];
    PROPOSITION_6: "Proposition 6", "5.2",
        "Restriction of any unbiased mechanism with a positive density has a positive worst bias.", [];
    PROPOSITION_6_PROOF: "Proposition 6, proof", "5.2",
        "The quantile function is at most `t` exactly where `w <= F(t)`.", [19],
        uncomputed "a null set, harmless";
    OPEN_PROBLEM: "Open problem", "6",
        "The least worst bias of any post-processing function, and who attains it.", [20],
        uncomputed "a question; the studies of the half line and of the interval answer it";
}
