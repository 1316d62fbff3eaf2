//! The studies of fairness: how far apart the biases of counts and of shares are.
//!
//! Of the paper its abstract and the opening of its introduction could be read, not its theorems. What is claimed of it
//! is what these say; bounds, laws and proofs are this project's, in `docs/least-bias.md`.

mod bounds;
mod crosstabs;
mod fits;
mod shares;
mod spread;

use crate::Study;

/// Counts before shares, as in the paper.
pub(crate) static STUDIES: &[Study] = &[spread::STUDY, fits::STUDY, shares::STUDY];

#[cfg(test)]
mod tests {
    use super::STUDIES;

    /// No study may pass for one of a theorem that its author has not read.
    #[test]
    fn claims_say_what_of_the_paper_was_read() {
        assert!(STUDIES.iter().all(|study| study.claim.contains("Abstract")));
    }
}
