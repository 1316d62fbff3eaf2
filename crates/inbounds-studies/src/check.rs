//! A statement of a paper beside what was found, and a verdict that the two must bear out.

use crate::Statement;

/// Standard errors within which a simulated number agrees with a claim, and beyond which it contradicts it.
///
/// A right number strays further once in 16,000 times, so that a thousand right checks all hold for 15 seeds in 16.
const STANDARD_ERRORS: f64 = 4.0;

/// Relative size of what rounding may do to a closed form.
const ROUNDING: f64 = 1e-9;

/// A claim about a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Claim {
    /// It is `value`, give or take `within`.
    Is {
        /// The number.
        value: f64,
        /// Half a unit of the last printed digit, or how closely it can be read off a figure.
        within: f64,
    },
    /// It is less than this.
    Below(f64),
    /// It is this or less.
    AtMost(f64),
    /// It is more than this.
    Above(f64),
    /// It is this or more.
    AtLeast(f64),
    /// It lies between these, which belong to it.
    Between {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
}

impl Claim {
    /// A number as printed, good to half a unit of its last digit.
    ///
    /// # Panics
    /// If it is no decimal number: it is a constant of a study.
    pub fn printed(digits: &str) -> Self {
        let value = digits.parse().expect("a printed number");
        let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let unit: f64 = format!("1e-{decimals}").parse().expect("a power of ten");
        Self::Is { value, within: 0.5 * unit * (1.0 + ROUNDING) }
    }

    /// A closed form, good to the rounding of doubles.
    pub fn exactly(value: f64) -> Self {
        Self::Is { value, within: if value.is_finite() { ROUNDING * value.abs() } else { 0.0 } }
    }

    /// The number that is claimed, or its bound; of a range the middle.
    pub fn value(&self) -> f64 {
        match *self {
            Self::Is { value, .. } | Self::Below(value) | Self::AtMost(value) => value,
            Self::Above(value) | Self::AtLeast(value) => value,
            Self::Between { low, high } => 0.5 * (low + high),
        }
    }

    /// Verdict of `found`, known to within a Monte Carlo standard error, on the claim: true or false, or `None` if it
    /// shows neither, which can only be with a strict inequality and a simulated number.
    pub fn shown(&self, computed: f64, error: f64) -> Option<bool> {
        let slack = STANDARD_ERRORS * error;
        let rounding = ROUNDING * self.value().abs();
        let strict = |room: f64| {
            if room > slack {
                Some(true)
            } else if room < -slack || slack == 0.0 {
                Some(false)
            } else {
                None
            }
        };
        match *self {
            _ if computed.is_nan() || error.is_nan() => None,
            Self::Is { value, .. } if computed == value => Some(true),
            Self::Is { value, within } => Some((computed - value).abs() <= within + slack),
            Self::AtMost(bound) => Some(computed <= bound + slack + rounding),
            Self::AtLeast(bound) => Some(computed >= bound - slack - rounding),
            Self::Between { low, high } => Some((low - slack - rounding..=high + slack + rounding).contains(&computed)),
            Self::Below(bound) => strict(bound - computed),
            Self::Above(bound) => strict(computed - bound),
        }
    }
}

/// Verdict of the numbers on a claim. A claim of a paper names the statement that makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// The number agrees with the claim: within four standard errors, or for a closed form to the printed digits.
    Reproduced {
        /// The statement that claims it.
        statement: &'static Statement,
    },
    /// The claim is this project's own, not the paper's, and the number agrees with it as above.
    Ours,
    /// The number contradicts the claim by more than that.
    Differs {
        /// The statement that claims it.
        statement: &'static Statement,
        /// Why.
        why: String,
        /// Its number in `docs/studies/errata.md`.
        erratum: u32,
    },
}

/// A claim, the number computed for it, and the verdict.
#[derive(Debug, Clone, PartialEq)]
pub struct Check {
    /// Name of the quantity.
    pub quantity: String,
    /// The claim about it.
    pub claimed: Claim,
    /// The number computed here.
    pub computed: f64,
    /// Monte Carlo standard error of the computed number; 0 for a closed form.
    pub error: f64,
    /// The verdict, which the numbers must bear out.
    pub verdict: Verdict,
}

impl Check {
    /// A claim of a paper that is borne out. `error` is the Monte Carlo standard error, 0 for a closed form.
    pub fn reproduced(
        statement: &'static Statement,
        quantity: impl Into<String>,
        claimed: Claim,
        computed: f64,
        error: f64,
    ) -> Self {
        Self { quantity: quantity.into(), claimed, computed, error, verdict: Verdict::Reproduced { statement } }
    }

    /// A claim of this project, not of the paper, that is borne out.
    pub fn ours(quantity: impl Into<String>, claimed: Claim, computed: f64, error: f64) -> Self {
        Self { quantity: quantity.into(), claimed, computed, error, verdict: Verdict::Ours }
    }

    /// A claim of a paper that is contradicted.
    pub fn differs(
        statement: &'static Statement,
        quantity: impl Into<String>,
        claimed: Claim,
        computed: f64,
        error: f64,
        why: impl Into<String>,
        erratum: u32,
    ) -> Self {
        let verdict = Verdict::Differs { statement, why: why.into(), erratum };
        Self { quantity: quantity.into(), claimed, computed, error, verdict }
    }

    /// The statement of a paper that is checked; none for a claim of this project.
    pub fn statement(&self) -> Option<&'static Statement> {
        match self.verdict {
            Verdict::Reproduced { statement } | Verdict::Differs { statement, .. } => Some(statement),
            Verdict::Ours => None,
        }
    }

    /// `true` if the numbers bear out the verdict: agreement and contradiction must both be shown.
    ///
    /// # Example
    /// ```
    /// use inbounds_studies::{Check, Claim, statement};
    /// let of = statement::all().next().expect("a statement");
    /// assert!(Check::reproduced(of, "pi", Claim::printed("3.14"), 3.14159, 0.0).holds());
    /// assert!(!Check::reproduced(of, "pi", Claim::printed("3.15"), 3.14159, 0.0).holds());
    /// // Within four standard errors nothing is contradicted.
    /// assert!(!Check::differs(of, "mean", Claim::exactly(0.0), 0.3, 0.1, "", 1).holds());
    /// ```
    pub fn holds(&self) -> bool {
        self.standing() == Standing::Holds
    }

    /// Standing of the verdict by its numbers.
    ///
    /// # Example
    /// ```
    /// use inbounds_studies::{Check, Claim, Standing};
    /// let above = |found| Check::ours("gain", Claim::Above(0.0), found, 0.1).standing();
    /// assert_eq!([0.5, 0.3, -0.5].map(above), [Standing::Holds, Standing::TooFewReplicates, Standing::Fails]);
    /// ```
    pub fn standing(&self) -> Standing {
        let agrees = self.claimed.shown(self.computed, self.error);
        let differs = matches!(self.verdict, Verdict::Differs { .. });
        match agrees {
            Some(agrees) if agrees != differs => Standing::Holds,
            _ if self.open() => Standing::TooFewReplicates,
            _ => Standing::Fails,
        }
    }

    /// `true` if more replicates could still bring the verdict about: the numbers that a simulation may find after any
    /// number of them, four standard errors to either side of its present one, lie on both sides of the claim.
    fn open(&self) -> bool {
        if self.error <= 0.0 || !self.error.is_finite() || !self.computed.is_finite() {
            return false;
        }
        let slack = STANDARD_ERRORS * self.error;
        let agrees = |computed: f64| self.claimed.shown(computed, 0.0) == Some(true);
        let ends = [self.computed - slack, self.computed + slack];
        let through = match self.claimed {
            // The claim may lie between the ends.
            Claim::Is { value, .. } => (ends[0]..=ends[1]).contains(&value),
            // Or part of it may.
            Claim::Between { low, high } => ends[0] <= high && low <= ends[1],
            _ => false,
        };
        let some = through || agrees(self.computed) || ends.into_iter().any(agrees);
        some && !ends.into_iter().all(agrees)
    }
}

/// Standing of a verdict by its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// They bear it out.
    Holds,
    /// They are simulated, and chance alone could have kept them from bearing it out: more replicates would tell.
    TooFewReplicates,
    /// They contradict it.
    Fails,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::zhu::THEOREM_12;

    #[test]
    fn printed_digits_decide() {
        assert_eq!(Claim::printed("0.29").shown(0.2949, 0.0), Some(true));
        assert_eq!(Claim::printed("0.29").shown(0.2951, 0.0), Some(false));
        assert_eq!(Claim::printed("-2").shown(-2.5, 0.0), Some(true));
        assert_eq!(Claim::exactly(0.1 + 0.2).shown(0.3, 0.0), Some(true));
        let infinite = Claim::exactly(f64::INFINITY);
        assert_eq!([f64::INFINITY, 1e300].map(|computed| infinite.shown(computed, 0.0)), [Some(true), Some(false)]);
        assert_eq!(Claim::Below(f64::INFINITY).shown(f64::INFINITY, 0.0), Some(false));
    }

    #[test]
    fn both_verdicts_must_be_shown() {
        let computed = |claim: Claim| [-0.5, -0.1, 0.1, 0.5].map(|computed| claim.shown(computed, 0.1));
        assert_eq!(computed(Claim::Below(0.0)), [Some(true), None, None, Some(false)]);
        assert_eq!(computed(Claim::Above(0.0)), [Some(false), None, None, Some(true)]);
        assert_eq!(computed(Claim::AtMost(0.0)), [Some(true), Some(true), Some(true), Some(false)]);
        assert_eq!(computed(Claim::AtLeast(0.0)), [Some(false), Some(true), Some(true), Some(true)]);
        assert_eq!(Claim::Below(1.0).shown(1.0, 0.0), Some(false));
        assert_eq!(Claim::AtMost(1.0).shown(1.0, 0.0), Some(true));
        assert_eq!(Claim::AtMost(1.0).shown(f64::NAN, 0.0), None);
        let range = Claim::Between { low: 0.845, high: 0.925 };
        assert_eq!(
            [0.844, 0.846, 0.924, 0.926].map(|computed| range.shown(computed, 0.0)),
            [false, true, true, false].map(Some)
        );
        assert_eq!((range.shown(0.8, 0.02), range.shown(0.7, 0.02)), (Some(true), Some(false)));
        assert_eq!(Claim::AtMost(1.0).shown(0.0, f64::NAN), None);
    }

    #[test]
    fn a_verdict_against_its_numbers_fails() {
        let differs =
            |computed, error| Check::differs(&THEOREM_12, "x", Claim::printed("1.0"), computed, error, "why", 1);
        assert!(differs(2.0, 0.1).holds());
        assert!(!differs(1.2, 0.1).holds() && !differs(1.0, 0.0).holds() && !differs(f64::NAN, 0.0).holds());
        let agrees = |computed| {
            let claimed = Claim::printed("1.0");
            [Check::reproduced(&THEOREM_12, "x", claimed, computed, 0.1), Check::ours("x", claimed, computed, 0.1)]
        };
        assert!(agrees(1.2).iter().all(Check::holds) && !agrees(2.0).iter().any(Check::holds));
    }

    #[test]
    fn chance_does_not_fail_a_verdict() {
        let differs = |computed, error| {
            Check::differs(&THEOREM_12, "x", Claim::printed("1.0"), computed, error, "why", 1).standing()
        };
        // Beyond four standard errors; within them; within the printed digits with hardly any error left.
        assert_eq!(differs(2.0, 0.1), Standing::Holds);
        assert_eq!([differs(1.2, 0.1), differs(1.0, 0.1)], [Standing::TooFewReplicates; 2]);
        assert_eq!([differs(1.01, 0.001), differs(1.0, 0.0), differs(f64::NAN, 0.1)], [Standing::Fails; 3]);
        // Agreement is contradicted beyond four standard errors, and then chance is no excuse.
        let agrees =
            |computed, error| Check::reproduced(&THEOREM_12, "x", Claim::printed("1.0"), computed, error).standing();
        assert_eq!([agrees(1.3, 0.1), agrees(2.0, 0.1)], [Standing::Holds, Standing::Fails]);
        let below = |computed, error| Check::ours("x", Claim::Below(0.0), computed, error).standing();
        assert_eq!([below(-1.0, 0.1), below(0.1, 0.1), below(-0.1, 0.1)].map(|s| s == Standing::Fails), [false; 3]);
        assert_eq!([below(1.0, 0.1), below(0.0, 0.0), below(0.1, f64::NAN)], [Standing::Fails; 3]);
    }
}
