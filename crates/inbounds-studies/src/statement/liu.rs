//! Liu.

use super::statements;

statements! { crate::Paper::Liu;

    DEFINITION_1: "Definition 1", "2.1",
        "Differential privacy.", [],
        uncomputed "a definition";
    APPROXIMATE: "Approximate privacy", "2.1",
        "(epsilon, delta)-differential privacy.", [13],
        uncomputed "a misprint in a definition";
    EQUATION_2: "Equation (2)", "2.2",
        "Each statistic gets Laplace noise of the scale of its sensitivity over epsilon.", [37];
    SUMMED_SENSITIVITY: "Equation (2), sensitivity", "2.2; Remark 2",
        "The `l1` sensitivity of a vector is the sum of the sensitivities of its statistics.", [38];
    EQUATION_3: "Equation (3)", "2.2",
        "The density of generalised Gaussian noise.", [8];
    EQUATION_3_SCALE: "Equation (3), scale", "2.2",
        "The scale `b` satisfies `Pr(sum a_j > b^p - epsilon delta_p^p) < delta`, which includes Laplace noise.", [35, 36];
    SENSITIVITIES: "Sensitivities", "2.2",
        "A mean moves by at most `(c1 - c0) / n`, a sample variance by at most `(c1 - c0)^2 / n`.", [];
    DEFINITION_2_A: "Definition 2 (a)", "3.1",
        "The truncated mechanism of scale `delta_1 / epsilon` is epsilon-differentially private.", [2];
    DEFINITION_2_B: "Definition 2 (b), equation (5)", "3.1",
        "The law of the BIT mechanism.", [1];
    LIMITS: "Limits of Definition 2", "3.1",
        "As the scale grows the truncated law becomes uniform, the BIT law a two-point law on the ends.", [];
    REMARK_1: "Remark 1", "3.1",
        "Constraints on several statistics: the other share follows, or all are re-scaled.", [],
        uncomputed "a choice of procedures; Section 4.2 tries them";
    DEFINITION_3: "Definition 3", "3.2",
        "Unbiasedness and consistency of a sanitised statistic.", [],
        uncomputed "a definition";
    EQUATIONS_6_7: "Equations (6) and (7)", "3.2",
        "The means of both mechanisms.", [];
    PROPOSITION_1_A: "Proposition 1 (a)", "3.2",
        "Both are unbiased if and only if the ends are symmetric about the statistic.", [];
    PROPOSITION_1_B: "Proposition 1 (b)", "3.2",
        "Both are biased in the same direction.", [];
    PROPOSITION_1_C: "Proposition 1 (c)", "3.2",
        "BIT is no more biased than truncation.", [];
    REMARK_2: "Remark 2", "3.2",
        "Proposition 1 for vectors, by shares of epsilon.", [],
        uncomputed "Proposition 1, element by element";
    REMARK_3: "Remark 3, equations (9) and (10)", "3.2",
        "One end: the means, and again the order of the biases.", [7];
    PROPOSITION_2: "Proposition 2", "3.2",
        "The mean square error is less than `2 lambda^2`.", [6];
    PROPOSITION_2_RATE: "Proposition 2, rate", "3.2",
        "With sensitivity `n^-k` it falls as `n^(-2k)`.", [];
    PROPOSITION_3_A: "Proposition 3 (a)", "3.2",
        "Sanitised statistics inherit asymptotic unbiasedness for the parameter.", [];
    PROPOSITION_3_B: "Proposition 3 (b)", "3.2",
        "They inherit consistency for the parameter.", [];
    TABLE_1: "Table 1", "4.1",
        "Bounds and sensitivities of variances and covariances.", [12];
    FOOTNOTE_2: "Footnote 2", "4.1",
        "The bounds of both variables hold more than 99 % of normal data of their variances.", [];
    FIGURE_1: "Figure 1", "4.1",
        "Means and percentiles of released variances, covariance and correlation: bias at small `n`.", [];
    FIGURE_1_ZERO: "Figure 1, r = 0", "4.1",
        "No bias in covariance and correlation where the correlation is 0.", [];
    FIGURE_1_ORDER: "Figure 1, order", "4.1",
        "Truncation is more biased than BIT.", [9, 52];
    FIGURE_1_LIMIT: "Figure 1, limit", "4.1",
        "Bias and dispersion vanish as `n` grows.", [];
    FIGURE_1_ENDS: "Figure 1, ends", "4.1",
        "At small `n` more values are at the ends, especially of the correlation.", [];
    SHARES_SENSITIVITY: "Sensitivity of shares", "4.2",
        "A vector of shares moves by `1/n` or `2/n`, the first where a row comes or goes.", [39];
    STEPS: "Universal histogram, steps 2 and 4", "4.2",
        "The procedure.", [10],
        uncomputed "misprints in a procedure";
    FIGURE_2_BIAS: "Figure 2, epsilon 0.5 and 1", "4.2",
        "Re-scaling: minimal bias for all `n` and both mechanisms.", [];
    FIGURE_2_SIGNS: "Figure 2, epsilon 0.1", "4.2",
        "Some bias at small `n`: positive for the smallest share, negative for the largest.", [];
    FIGURE_2_ORDER: "Figure 2, order", "4.2",
        "BIT has less bias than truncation.", [];
    FIGURE_2_RMSE: "Figure 2, RMSE", "4.2",
        "The error is inflated, the less the larger epsilon or `n`.", [];
    FIGURE_2_SAME: "Figure 2, RMSE at epsilon 1", "4.2",
        "The error is basically that of the original data.", [53];
    FIGURE_2_RMSE_ORDER: "Figure 2, RMSE at epsilon 0.1", "4.2",
        "At small `n` BIT has the larger error.", [];
    COVERAGE_1: "95 %", "4.2",
        "Coverage is around 95 % for all `n` at epsilon 1.", [14];
    COVERAGE_05: "85 % to 92 %", "4.2",
        "Coverage at epsilon 0.5 for `n` from 50 to 300.", [40];
    COVERAGE_01: "50 % to 80 %", "4.2",
        "Coverage at epsilon 0.1 for `n` from 50 to 500.", [40];
    COVERAGE_ORDER: "Figure 2, coverage", "4.2",
        "At small `n` and epsilon 0.1 BIT covers less than truncation.", [];
    COVERAGE_SIMILAR: "Figure 2, coverage elsewhere", "4.2",
        "In all other cases the two cover similarly.", [55];
    FIGURE_3: "Figure 3, coverage", "4.2",
        "Five releases combined cover much more often, especially with BIT.", [];
    FIGURE_3_BIAS: "Figure 3, bias", "4.2",
        "Their biases are noticeably larger.", [];
    FIGURE_3_RMSE: "Figure 3, RMSE", "4.2",
        "At epsilon 0.1 their error does not approach that of the original data.", [];
    FIGURE_4_SIMILAR: "Figure 4, epsilon 0.5 and 1", "4.2",
        "All-but-one has bias and error similar to re-scaling.", [41];
    FIGURE_4_BIAS: "Figure 4, bias at epsilon 0.1", "4.2",
        "Its bias is smaller at small `n`.", [42];
    FIGURE_4_RMSE: "Figure 4, RMSE at epsilon 0.1", "4.2",
        "Its error is noticeably larger.", [];
    FIGURE_4_COVERAGE: "Figure 4, coverage", "4.2",
        "Similar for the sanitised shares, much worse for the calculated one.", [54];
    FIGURE_5: "Figure 5", "4.2",
        "The universal histogram is worse in bias, error and coverage for all shares at every epsilon where `n` is \
         small.", [43];
    FIGURE_5_MOST: "Figure 5, epsilon 0.1", "4.2",
        "Most of all at epsilon 0.1.", [];
    GROUPING: "Other grouping", "4.2",
        "Grouping (p1, p4) and (p2, p3) is slightly worse than (p1, p2) and (p3, p4).", [];
    FOOTNOTE_3: "Footnote 3", "4.2",
        "Laplace noise bounded only after step 4 is similar or slightly worse.", [];
    FIGURES_S: "Figures S1 and S2, p1 + p2", "4.2",
        "In the histogram `p1 + p2` is better than `p2 + p3` and `p2 + p4`.", [];
    FIGURES_S_PAIR: "Figures S1 and S2, against re-scaling", "4.2",
        "`p1 + p2` is not better than by re-scaling.", [];
    FIGURES_S_OTHERS: "Figures S1 and S2, other sums", "4.2",
        "`p2 + p3` and `p2 + p4` are worse than by re-scaling.", [];
    LARGE_N: "Discussion, large n", "5",
        "For large `n` the two mechanisms hardly differ.", [];
    EXACT_ENDS: "Discussion, ends", "5",
        "Some BIT outputs of the first study are exactly 0 or exactly the end.", [];
    APPENDIX_A: "Appendix A (c)", "A",
        "The derivative in the proof of Proposition 1 (c).", [11],
        uncomputed "a misprinted factor, sign unaffected";
    APPENDIX_B: "Appendix B, box", "B",
        "The mean square error of truncation.", [3, 4, 5];
    APPENDIX_B_BIT: "Appendix B, BIT", "B",
        "The mean square error of BIT.", [];
    LEMMA_A_1: "Lemma A.1", "C",
        "Asymptotic unbiasedness survives averaging over a dominated density.", [44],
        uncomputed "dominated convergence, quoted";
    APPENDIX_C: "Proposition 3 (b), proof", "C",
        "Convergence in probability makes variance and bias vanish.", [45];
}
