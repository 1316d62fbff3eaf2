//! Zhu, Fioretto and Van Hentenryck, of whose paper the abstract was read.

use super::statements;

statements! { crate::Paper::Fairness;

    DISPARATE: "Disparate impacts", "Abstract",
        "Post-processing has disparate impacts on individuals or groups.", [];
    BOUNDS: "Bounds", "Abstract",
        "There are tight bounds on the unfairness of post-processing released counts.", [],
        uncomputed "the bounds themselves could not be read; those of this project are in \
         [least-bias.md](../least-bias.md)";
    ALLOCATION: "Allocation", "Abstract",
        "Where funds are allocated by private counts, a rule that is (approximately) optimal reduces unfairness \
         substantially.", [];
}
