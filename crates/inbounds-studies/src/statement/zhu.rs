//! Zhu, Van Hentenryck and Fioretto.

use super::statements;

statements! { crate::Paper::Zhu;

    FIGURE_1: "Figure 1", "Introduction",
        "On the census problem post-processing adds significant bias to the residuals of two counties.", [49];
    FIGURE_2: "Figure 2", "Preliminaries",
        "A nation, its states and their counties as a tree.", [],
        uncomputed "an illustration of the setting";
    DEFINITION_1: "Definition 1", "Preliminaries",
        "Differential privacy.", [],
        uncomputed "a definition";
    THEOREM_2: "Theorem 2", "Preliminaries",
        "Post-processing keeps differential privacy.", [],
        uncomputed "quoted from the literature; `inbounds audit` attacks what it promises";
    THEOREM_3: "Theorem 3", "Preliminaries",
        "Laplace noise of scale `Delta / epsilon` is epsilon-differentially private.", [],
        uncomputed "quoted from the literature; the loss is a claim of `refs/claims.toml` with its own test";
    SETTINGS: "Settings", "Settings and Goal",
        "The experiments: two-sided geometric noise, epsilon 0.5, 100 runs, the tree of the nation projected by \
         (P+).", [32, 50];
    DEFINITION_4: "Definition 4", "Bias of Program (P)",
        "Reflection of a vector across another.", [],
        uncomputed "a definition";
    LEMMA_5: "Lemma 5", "Bias of Program (P)",
        "Reflection across the truth and the projection (P) commute.", [];
    FIGURE_3: "Figure 3", "Bias of Program (P)",
        "A picture of Lemma 5 and Corollary 6.", [],
        uncomputed "an illustration";
    COROLLARY_6: "Corollary 6", "Bias of Program (P)",
        "The errors of (P) on noisy data and on its reflection add up to zero.", [];
    THEOREM_7: "Theorem 7", "Bias of Program (P)",
        "(P) adds no bias, for any symmetric noise.", [];
    LEMMA_8: "Lemma 8", "Bias of Program (P+)",
        "The probability that Laplace noise lies in an `l1` ball, in closed form.", [];
    LEMMA_8_GEOMETRIC: "Lemma 8, geometric", "Bias of Program (P+)",
        "The same for two-sided geometric noise, by counting lattice points.", [];
    COROLLARY_9: "Corollary 9", "Bias of Program (P+)",
        "Lemma 8 around the truth in place of zero.", [],
        uncomputed "Lemma 8 shifted";
    LEMMA_10: "Lemma 10", "Bias of Program (P+)",
        "Where the noise lies in the ball of radius `r_m`, the smallest count, (P) is nonnegative and equal to \
         (P+).", [];
    THEOREM_11: "Theorem 11", "Bias of Program (P+)",
        "The bias of (P+) is at most the largest possible error times the probability of leaving that ball.", [];
    FIGURE_4: "Figure 4", "Bias of Program (P+)",
        "The residuals of Figure 1 with all county counts increased: the bias disappears as `r_m` grows.", [51];
    NEW_MEXICO_BOUND: "0.29", "Bias of Program (P+)",
        "The bound of Theorem 11 for New Mexico: 33 counties, 7,289,112 people, `r_m` 348, scale 5.", [29];
    NEW_MEXICO_BIAS: "0.06", "Bias of Program (P+)",
        "The empirical bias for New Mexico.", [30];
    THEOREM_12: "Theorem 12", "Analysis of Fairness in Projections",
        "Under a known total the residual is `((n - 1) eta_1 - eta_2 - ... - eta_n) / n`, with variance `2 lambda^2 \
         (1 - 1/n)`.", [];
    THEOREM_12_SKETCH: "Theorem 12, proof", "Analysis of Fairness in Projections",
        "The density of the residual is that of the noise in a rotated basis.", [31];
    FIGURE_5: "Figure 5", "Analysis of Fairness in Projections",
        "The Wasserstein distance between the residuals and Laplace noise falls quickly with the number of \
         counties.", [];
    SIX_PER_CENT: "6 %", "Analysis of Fairness in Projections",
        "The variances for Arizona and Texas differ by roughly 6 %, in theory and in experiments.", [];
    THEOREM_13: "Theorem 13", "Analysis of Fairness in Projections",
        "The variance of the residual increases with `n` and tends to that of the noise.", [];
    THEOREM_14: "Theorem 14", "Analysis of Fairness in Projections",
        "The residual converges in distribution to the noise.", [33];
    FIGURE_6: "Figure 6", "Analysis of Fairness in Projections",
        "The densities of Theorem 14 for growing `n`.", [];
    POPULATIONS: "Populations", "Bias of Program (P+); Analysis of Fairness in Projections",
        "New Mexico has 7,289,112 people, Arizona 2,371,715, Texas 8,887,839.", [34];
    VARIANCES: "186.67 and 199.21", "Analysis of Fairness in Projections",
        "The variances of Theorem 12 for Arizona and Texas at scale 10.", [];
    EMPIRICAL_VARIANCES: "186.88 and 199.32", "Analysis of Fairness in Projections",
        "The empirical variances of 80,000 runs.", [];
    OTHER_LAWS: "Other laws", "Introduction; Settings and Goal; Analysis of Fairness in Projections",
        "The results carry over to two-sided geometric noise and to other symmetric laws.", [];
}
