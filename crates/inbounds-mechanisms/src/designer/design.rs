//! Criterion for the best rule, and the result of a designer.

use super::{Designer, Errors, Table};

/// Criterion for the best rule.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Criterion {
    /// Least worst bias, `max_q |E phi(q + N) - q|`.
    ///
    /// Many rules may attain it; the one returned is any of them. [`Criterion::MeanMse`] chooses among them, with a
    /// bias bound a little above the least one: at the least one itself there is no room for the solver, and a gap
    /// remains.
    WorstBias,
    /// Least mean squared error averaged over the designer's weights, among rules with at most this worst bias. Answers
    /// without weight count through the bias bound alone.
    MeanMse {
        /// Bound on the worst bias, in steps, finite and positive.
        worst_bias: f64,
    },
    /// Least worst mean squared error over all answers, among rules with at most this worst bias.
    WorstMse {
        /// Bound on the worst bias, in steps, finite and positive.
        worst_bias: f64,
    },
}

/// Status of a design.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DesignStatus {
    /// The relative gap is at most [`Designer::TOLERANCE`].
    Optimal,
    /// The solver used up its iterations. Rule, bound and gap hold all the same.
    IterationLimit,
    /// The solver stopped with a larger gap. Rule, bound and gap hold all the same.
    Stalled,
    /// No rule was found with a worst bias as small as the bound: `least` is the least that one attains. The rule, the
    /// bound and the gap are those of [`Criterion::WorstBias`].
    Infeasible {
        /// Least worst bias found, in steps; `lower_bound` says how much less is possible at best.
        least: f64,
    },
}

/// A designed rule and its certificate.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct RuleDesign {
    /// The rule.
    pub rule: Table,
    /// Its errors, summed over the law.
    pub errors: Errors,
    /// No rule of the same form has a smaller value of the criterion, in steps or squared steps.
    pub lower_bound: f64,
    /// The rule's value of the criterion less the lower bound: it is at most this far from the best.
    pub gap: f64,
    /// Verdict on that gap.
    pub status: DesignStatus,
}

impl RuleDesign {
    pub(super) fn certified(rule: Table, errors: Errors, value: f64, lower_bound: f64, reached_limit: bool) -> Self {
        let mut design = Self { rule, errors, lower_bound, gap: value - lower_bound, status: DesignStatus::Stalled };
        if design.relative_gap() <= Designer::TOLERANCE {
            design.status = DesignStatus::Optimal;
        } else if reached_limit {
            design.status = DesignStatus::IterationLimit;
        }
        design
    }

    /// `true` if this design keeps a bound on the bias that the other crosses, or if they are alike in this and its gap
    /// is smaller.
    pub(super) fn is_better_than(&self, other: &Self) -> bool {
        let rank = |design: &Self| (matches!(design.status, DesignStatus::Infeasible { .. }), design.relative_gap());
        rank(self) < rank(other)
    }

    /// The gap relative to the error that the rule attains: between zero, for certainly the best, and one.
    pub fn relative_gap(&self) -> f64 {
        let attained = self.lower_bound + self.gap;
        if attained > 0.0 { self.gap / attained } else { 0.0 }
    }
}
